// BoxTree: of float32 the tree of floats, which has all queries; of other numbers an ExactBoxTree, and for rays and
// nearest boxes ExactHits. Threads share a tree by its lock.
#include "exact_hits.hpp"
#include "lock.hpp"
#include "mesh_queries.hpp"

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <variant>

namespace broadside::python {
namespace {

class Tree : public BatchQueries<Tree, TreeWords> {
public:
    Tree(const py::array& min, const py::array& max, std::uint32_t workers)
        : axis_count_(static_cast<std::size_t>(min.shape(1))) {
        const CallRunner runner(workers);
        if (py::isinstance<py::array_t<float>>(min)) {
            check(with_float_boxes(min, max, [&](const FloatBoxes& boxes) {
                return tree_.emplace<BoxTree>().build(boxes.view(), runner.get());
            }));
            return;
        }
        check(with_number(min, [&]<class Number>(Number) {
            if constexpr (std::is_same_v<Number, float>) {
                return Status::invalid_argument;  // Done above.
            } else {
                const CallBoxes<Number> boxes(min, max);
                const py::gil_scoped_release without_gil;
                return tree_.emplace<ExactBoxTree<Number>>().build(boxes.view(), runner.get());
            }
        }));
    }

    std::size_t size() {
        return read([](const auto& tree) { return tree.box_count(); });
    }
    std::int64_t invalid_row() {
        const InvalidBoxes invalid = read([](const auto& tree) { return tree.invalid_boxes(); });
        return invalid.count == 0 ? -1 : static_cast<std::int64_t>(invalid.first_index);
    }
    /// The boxes as the tree has them; invalid ones, and those that were removed, are inverted.
    py::array boxes() {
        return std::visit(
            [&]<class Each>(const Each& tree) -> py::array {
                const std::size_t count = size();
                using Number = NumberOf<Each>;
                auto [array, out] = new_array<Number>(count, 2 * axis_count_);
                Number* const numbers = out;
                const py::gil_scoped_release without_gil;
                lock_.read([&] {
                    if constexpr (std::is_same_v<Each, BoxTree>) {
                        for (std::size_t i = 0; i < count; ++i) {
                            const Aabb box = tree.box(static_cast<std::uint32_t>(i));
                            const float row[] = {box.min.x, box.min.y, box.min.z,
                                                 box.max.x, box.max.y, box.max.z};
                            for (std::size_t axis = 0; axis < axis_count_; ++axis) {
                                numbers[2 * axis_count_ * i + axis] = row[axis];
                                numbers[2 * axis_count_ * i + axis_count_ + axis] = row[3 + axis];
                            }
                        }
                    } else {
                        std::copy_n(tree.boxes().min_x, count * 2 * axis_count_, numbers);
                    }
                });
                return std::move(array);
            },
            tree_);
    }

    // Overlaps of boxes in the tree's own type.

    py::array find_overlaps(const py::array& min, const py::array& max, std::uint32_t workers) {
        PairBuffer pairs;
        run_boxes(min, max, workers,
                  [&](const auto& tree, const auto& queries, const TreeQuerySettings& settings) {
                      BoxScratch scratch;
                      return tree.find_overlaps(queries, settings, scratch, pairs).status;
                  });
        return pairs_array(pairs);
    }
    py::array any_overlap(const py::array& min, const py::array& max, std::uint32_t workers) {
        const auto count = static_cast<std::size_t>(min.shape(0));
        std::vector<std::uint64_t> bits(bit_word_count(count));
        run_boxes(min, max, workers,
                  [&](const auto& tree, const auto& queries, const TreeQuerySettings& settings) {
                      if constexpr (kIsFloat<decltype(tree)>) {
                          return tree.any_overlap(queries, settings, bits).status;
                      } else {
                          BoxScratch scratch;
                          return tree.any_overlap(queries, settings, scratch, bits).status;
                      }
                  });
        return bools_of(bits, count);
    }
    py::array find_pairs(std::uint32_t workers) {
        PairBuffer pairs;
        const CallRunner runner(workers);
        check(read([&](const auto& tree) {
            BoxScratch scratch;
            return tree.find_pairs({.runner = runner.get()}, scratch, pairs).status;
        }));
        return pairs_array(pairs);
    }

    // Pairs by distance, of trees of floats: of this tree, or with another one.

    py::tuple closest_pair(Tree* other, float max_distance) {
        ClosePair found;
        read_both(other, [&](const BoxTree& tree, const BoxTree* with) {
            found =
                with == nullptr ? tree.closest_pair(max_distance) : tree.closest_pair(*with, max_distance);
            return Status::ok;
        });
        return py::make_tuple(found.distance, index_or_none(found.target.first),
                              index_or_none(found.target.second));
    }
    /// Pairs and distances, ascending by both indices.
    py::tuple close_pairs(Tree* other, float max_distance) {
        std::vector<ClosePair> found;
        std::exception_ptr failure;
        // No exception may leave a visitor.
        const auto visitor = [&](const ClosePair& pair) noexcept {
            try {
                found.push_back(pair);
                return max_distance;
            } catch (...) {
                failure = std::current_exception();
                return -1.0f;
            }
        };
        read_both(other, [&](const BoxTree& tree, const BoxTree* with) {
            const Status status = with == nullptr ? tree.visit_close_pairs(max_distance, {}, visitor)
                                                  : tree.visit_close_pairs(*with, max_distance, {}, visitor);
            if (failure) std::rethrow_exception(failure);
            std::sort(found.begin(), found.end(), [](const ClosePair& a, const ClosePair& b) {
                return std::tie(a.target.first, a.target.second) < std::tie(b.target.first, b.target.second);
            });
            return status;
        });
        return py::make_tuple(
            pairs_array<std::int64_t>(found,
                                      [](const ClosePair& one) {
                                          return std::tuple(std::int64_t{one.target.first},
                                                            std::int64_t{one.target.second});
                                      }),
            columns_of<float>(found, [](const ClosePair& one) { return std::tuple(one.distance); })[0]);
    }

    // One query, which broadside/_tree.py tries first. None for what is out of the ordinary.

    py::object query_one(py::handle box) {
        Few<std::int64_t> few;
        const auto put = [&](std::uint32_t index) { return few.put(index); };
        const bool is_done = is_row(box) ? visit_one(box, put) : visit_shape(box, put);
        return is_done ? py::object(few.array()) : py::none();
    }
    py::object any_one(py::handle box) {
        bool has_one = false;
        const auto find = [&](std::uint32_t) {
            has_one = true;
            return false;
        };
        const bool is_done = is_row(box) ? visit_one(box, find) : visit_shape(box, find);
        return is_done || has_one ? py::object(py::bool_(has_one)) : py::none();
    }
    /// The boxes that hold one point.
    py::object query_point_one(py::handle point) {
        Few<std::int64_t> few;
        const bool is_done = visit_one(
            point, [&](std::uint32_t index) { return few.put(index); }, 1);
        return is_done ? py::object(few.array()) : py::none();
    }
    py::object nearest_one(py::handle point, py::handle count, py::handle max_distance) {
        std::uint64_t most = 0;
        double reach = 0;
        if (!whole_of(count, most) || most == 0 || most > kMostNearest || !reach_of(max_distance, reach))
            return py::none();
        const auto* const tree = std::get_if<BoxTree>(&tree_);
        if (tree == nullptr) {
            Point from;
            if (!has_exact_ || !point_of(point, axis_count_, from)) return py::none();
            ExactHit nearest[kMostNearest];
            exact_->nearest(from, reach, std::span(nearest, most));
            return nearest_result<double, std::int64_t>(
                std::span<const ExactHit>(nearest, most),
                [](const ExactHit& hit) { return std::tuple(hit.t, hit.box); });
        }
        Vec3 from;
        if (!vector_of(point, axis_count_, from)) return py::none();
        auto lock = lock_.try_read();
        if (!lock) return py::none();
        ClosestBox nearest[kMostNearest];
        const ClosestBoxSettings settings = {.count = static_cast<std::uint32_t>(most),
                                             .max_distance = float_of(reach)};
        const Status status = tree->closest_boxes(from, settings, {}, std::span(nearest, most)).status;
        lock.unlock();
        if (status != Status::ok) return py::none();
        return nearest_result<float, std::int64_t>(
            std::span<const ClosestBox>(nearest, most), [](const ClosestBox& box) {
                return std::tuple(std::sqrt(t_or_infinity(box.distance_sq)), index_or_none(box.target));
            });
    }
    py::object ray_one(py::handle origin, py::handle direction, py::handle reach) {
        const auto* const tree = std::get_if<BoxTree>(&tree_);
        if (tree == nullptr) {
            ExactRay ray;
            if (!has_exact_ || !exact_ray_of(origin, direction, reach, ray)) return py::none();
            const ExactHit hit = exact_first(ray);
            return py::make_tuple(hit.t, hit.box);
        }
        Ray ray;
        if (!ray_of(origin, direction, reach, axis_count_, ray)) return py::none();
        auto lock = lock_.try_read();
        if (!lock) return py::none();
        const TreeHit hit = tree->closest_hit(ray);
        lock.unlock();
        return py::make_tuple(t_or_infinity(hit.t), index_or_none(hit.target));
    }
    /// Time, box and face of one of `Rays` or `Casts`.
    py::object closest_hit_one(py::handle query, py::handle where) {
        const auto* const tree = std::get_if<BoxTree>(&tree_);
        if (!where.is_none()) return py::none();
        if (tree == nullptr) {
            ExactRay ray;
            if (!exact_ray_of(query, ray)) return py::none();
            const ExactHit hit = exact_first(ray);
            return py::make_tuple(hit.t, hit.box, static_cast<int>(hit.face));
        }
        TreeHit hit;
        if (!with_hit_query(query, axis_count_, [&](const HitQuery& one) {
                const auto lock = lock_.try_read();
                if (lock) hit = tree->closest_hit(one);
                return lock.owns_lock();
            }))
            return py::none();
        return py::make_tuple(t_or_infinity(hit.t), index_or_none(hit.target), static_cast<int>(hit.face));
    }
    /// All hits of the same.
    py::object find_hits_one(py::handle query, py::handle where) {
        const auto* const tree = std::get_if<BoxTree>(&tree_);
        if (!where.is_none()) return py::none();
        if (tree == nullptr) {
            ExactRay ray;
            if (!exact_ray_of(query, ray)) return py::none();
            return exact_columns(by_box(exact_->hits(ray, false)),
                                 [](const ExactHit& hit) { return std::pair(0, hit); });
        }
        FewHits<TreeWords> few;
        if (!with_hit_query(query, axis_count_, [&](const HitQuery& one) {
                const auto lock = lock_.try_read();
                return lock && few.find(*tree, one, {});
            }))
            return py::none();
        return hit_columns<TreeWords>(few.list());
    }
    /// Points, rays and boxes of all hits, or of the first.
    py::object locations_one(py::handle origin, py::handle direction, py::handle reach, bool has_all) {
        ExactRay exact_ray;
        if (!exact_ray_of(origin, direction, reach, exact_ray)) return py::none();
        const auto* const tree = std::get_if<BoxTree>(&tree_);
        if (tree == nullptr) {
            if (!has_exact_) return py::none();
            return located<std::int64_t>(exact_ray.origin, exact_ray.direction, axis_count_,
                                         by_box(exact_->hits(exact_ray, !has_all)),
                                         [](const ExactHit& hit) { return std::tuple(hit.t, hit.box); });
        }
        Ray ray;
        if (!ray_of(origin, direction, reach, axis_count_, ray)) return py::none();
        auto lock = lock_.try_read();
        if (!lock) return py::none();
        return locations_of_one<TreeWords>(*tree, exact_ray.origin, exact_ray.direction, axis_count_, ray,
                                           has_all, [&] { lock.unlock(); });
    }

    // Changes, of trees of floats.

    void set_boxes(const py::array_t<std::int64_t, py::array::c_style>& indices, const py::array& min,
                   const py::array& max) {
        const auto named = items_of<std::int64_t>(indices);
        with_float_boxes(min, max, [&](const FloatBoxes& boxes) {
            lock_.write([&] {
                for (std::size_t i = 0; i < named.size(); ++i)
                    check(floats().set_box(static_cast<std::uint32_t>(named[i]), boxes.view()[i]));
            });
        });
    }
    /// One box that is there, with the GIL, unless something is out of the ordinary.
    bool set_box_one(py::handle index, py::handle box) {
        std::uint64_t named = 0;
        std::array<float, kMaxRow> row;
        auto* const tree = std::get_if<BoxTree>(&tree_);
        if (tree == nullptr || !whole_of(index, named) || !box_row_of<float, true>(box, axis_count_, row))
            return false;
        const auto lock = lock_.try_write();
        return lock && named < tree->box_count() &&
               tree->set_box(static_cast<std::uint32_t>(named), box_of(row, axis_count_)) == Status::ok;
    }
    /// One box with the GIL, unless something is out of the ordinary.
    bool remove_one(py::handle index) {
        std::uint64_t named = 0;
        auto* const tree = std::get_if<BoxTree>(&tree_);
        if (tree == nullptr || !whole_of(index, named)) return false;
        const auto lock = lock_.try_write();
        return lock && named < tree->box_count() && !is_empty(tree->box(static_cast<std::uint32_t>(named))) &&
               tree->remove_box(static_cast<std::uint32_t>(named)) == Status::ok;
    }
    /// All or none: the first row that names no box of the tree, or one that a row before it names; -1 without one.
    std::int64_t remove(const py::array_t<std::int64_t, py::array::c_style>& indices) {
        const auto named = items_of<std::int64_t>(indices);
        const py::gil_scoped_release without_gil;
        return lock_.write([&] {
            BoxTree& tree = floats();
            std::vector<bool> is_named(tree.box_count());
            for (std::size_t i = 0; i < named.size(); ++i) {
                const auto index = static_cast<std::size_t>(named[i]);
                if (index >= is_named.size() || is_named[index] ||
                    is_empty(tree.box(static_cast<std::uint32_t>(index))))
                    return static_cast<std::int64_t>(i);
                is_named[index] = true;
            }
            for (const std::int64_t index : named) check(tree.remove_box(static_cast<std::uint32_t>(index)));
            return std::int64_t{-1};
        });
    }

    // Rays and nearest boxes of trees of other numbers; those of floats are in BatchQueries.

    /// Times, boxes and faces, and before them the rays where all hits are wanted.
    py::tuple exact_hits(const py::array_t<double, py::array::c_style>& rays, bool first_only,
                         std::uint32_t workers) {
        const auto queries = items_of<ExactRay>(rays);
        std::vector<std::vector<ExactHit>> lists(queries.size());
        std::vector<std::pair<std::int64_t, ExactHit>> rows;
        {
            const py::gil_scoped_release without_gil;
            const ExactHits& exact = exact_hits_of_tree();
            CallRunner(workers).for_each(queries.size(), [&](std::size_t i) {
                lists[i] = by_box(exact.hits(queries[i], first_only));
                if (first_only && lists[i].empty()) lists[i].emplace_back();
            });
            for (std::size_t i = 0; i < lists.size(); ++i) {
                for (const ExactHit& hit : lists[i]) rows.emplace_back(i, hit);
            }
        }
        return exact_columns(rows, [](const auto& row) { return row; });
    }
    /// Distances and boxes, `count` for each point.
    py::tuple exact_nearest(const py::array_t<double, py::array::c_style>& points, std::size_t count,
                            double max_distance, std::uint32_t workers) {
        const auto queries = items_of<Point>(points);
        std::vector<ExactHit> nearest(queries.size() * count);
        {
            const py::gil_scoped_release without_gil;
            const ExactHits& exact = exact_hits_of_tree();
            CallRunner(workers).for_each(queries.size(), [&](std::size_t i) {
                exact.nearest(queries[i], max_distance, std::span(nearest).subspan(i * count, count));
            });
        }
        return columns_of<double, std::int64_t>(
            nearest, [](const ExactHit& hit) { return std::tuple(hit.t, hit.box); });
    }

    /// With the tree of floats, while nothing changes it. Without the GIL.
    template <class Call>
    std::invoke_result_t<Call, const BoxTree&> read_floats(const Call& call) {
        return lock_.read([&] { return call(floats()); });
    }

private:
    friend class BatchQueries<Tree, TreeWords>;

    template <class Reference>
    static constexpr bool kIsFloat = std::is_same_v<std::remove_cvref_t<Reference>, BoxTree>;
    template <class Each>
    struct NumberOfTree {
        using Type = float;
    };
    template <class Number>
    struct NumberOfTree<ExactBoxTree<Number>> {
        using Type = Number;
    };
    template <class Each>
    using NumberOf = typename NumberOfTree<Each>::Type;

    /// Categories of boxes and masks of queries, for as long as a call.
    struct Masks {
        explicit Masks(const py::tuple&) {}
        static TreeQuerySettings settings() { return {}; }
    };

    BoxTree& floats() { return std::get<BoxTree>(tree_); }
    const ExactHits& exact_hits_of_tree() {
        std::call_once(is_exact_made_, [&] {
            std::visit(
                [&]<class Each>(const Each& tree) {
                    if constexpr (!std::is_same_v<Each, BoxTree>) exact_.emplace(tree.boxes());
                },
                tree_);
            has_exact_ = true;
        });
        return *exact_;
    }

    static std::vector<ExactHit> by_box(std::vector<ExactHit> hits) {
        std::sort(hits.begin(), hits.end(),
                  [](const ExactHit& a, const ExactHit& b) { return a.box < b.box; });
        return hits;
    }
    ExactHit exact_first(const ExactRay& ray) const {
        const std::vector<ExactHit> hits = exact_->hits(ray, true);
        return hits.empty() ? ExactHit() : hits[0];
    }
    /// Rays, boxes, times and faces; `row` makes the ray and the hit of an item.
    template <class List, class Row>
    static py::tuple exact_columns(const List& items, const Row& row) {
        return columns_of<std::int64_t, std::int64_t, double, std::uint8_t>(items, [&](const auto& item) {
            const auto [ray, hit] = row(item);
            return std::tuple(std::int64_t{ray}, hit.box, hit.t, hit.face);
        });
    }

    template <class Call>
    std::invoke_result_t<Call, const BoxTree&> read(const Call& call) {
        const py::gil_scoped_release without_gil;
        return lock_.read([&] { return std::visit(call, tree_); });
    }
    // For BatchQueries: shapes, and rays in floats.
    template <class Call>
    Status with_queried(const TreeQuerySettings&, const Call& call) {
        return read_floats(call);
    }
    /// This tree and another one, or null for none. Two are read in the order of their addresses, by all calls alike.
    template <class Call>
    void read_both(Tree* other, const Call& call) {
        const py::gil_scoped_release without_gil;
        if (other == nullptr) {
            check(read_floats([&](const BoxTree& tree) { return call(tree, nullptr); }));
        } else if (other == this) {
            check(read_floats([&](const BoxTree& tree) { return call(tree, &tree); }));
        } else {
            Tree* const first = std::less<>()(this, other) ? this : other;
            Tree* const second = first == this ? other : this;
            check(first->read_floats([&](const BoxTree&) {
                return second->read_floats([&](const BoxTree&) { return call(floats(), &other->floats()); });
            }));
        }
    }
    /// Calls with the tree and queries of its own number type; `call` runs without the GIL.
    template <class Call>
    void run_boxes(const py::array& min, const py::array& max, std::uint32_t workers, const Call& call) {
        const CallRunner runner(workers);
        const TreeQuerySettings settings = {.runner = runner.get()};
        check(std::visit(
            [&]<class Each>(const Each& tree) {
                if constexpr (std::is_same_v<Each, BoxTree>) {
                    return with_float_boxes(min, max, [&](const FloatBoxes& boxes) {
                        const std::vector<Aabb> rows = boxes.rows();
                        return lock_.read([&] { return call(tree, rows, settings); });
                    });
                } else {
                    const CallBoxes<NumberOf<Each>> boxes(min, max);
                    const py::gil_scoped_release without_gil;
                    return call(tree, boxes.view(), settings);
                }
            },
            tree_));
    }
    /// The same as `visit_one` for one of `Spheres`, `Capsules` or `Obbs`.
    template <class Visit>
    bool visit_shape(py::handle shape, const Visit& visit) {
        QueryRow row;
        const auto* const tree = std::get_if<BoxTree>(&tree_);
        if (tree == nullptr || !row.read(shape, QueryRow::names().shape, axis_count_)) return false;
        const auto lock = lock_.try_read();
        bool has_seen_all = true;
        const auto visitor = [&](std::uint32_t index) { return has_seen_all = visit(index); };
        return lock && row.visit<Sphere, Capsule, Obb>(kSphereKind, [&](const auto& one) {
            return tree->visit_overlaps(one, {}, visitor) == Status::ok && has_seen_all;
        });
    }
    bool exact_ray_of(py::handle origin, py::handle direction, py::handle reach, ExactRay& out) const {
        return reach_of(reach, out.reach) && point_of(origin, axis_count_, out.origin) &&
               point_of(direction, axis_count_, out.direction);
    }
    /// One of `Rays`, if `exact_` is there.
    bool exact_ray_of(py::handle query, ExactRay& out) const {
        QueryRow row;
        if (!has_exact_ || !row.read(query, QueryRow::names().hit, axis_count_) || row.kind != 0 ||
            row.rule != static_cast<int>(Inside::zero) || row.numbers.size_bytes() != sizeof out)
            return false;
        std::memcpy(static_cast<void*>(&out), row.numbers.data(), sizeof out);
        return true;
    }
    /// Calls `visit` with each box that one box overlaps, until it has seen enough; whether it has seen all, and false
    /// for what is no box in the ordinary way. With one corner it is a point. With the GIL.
    template <class Visit>
    bool visit_one(py::handle box, const Visit& visit, std::size_t corner_count = 2) {
        const auto lock = lock_.try_read();
        if (!lock) return false;
        return std::visit(
            [&]<class Each>(const Each& tree) {
                std::array<NumberOf<Each>, kMaxRow> row;
                if (!box_row_of(box, axis_count_, row, corner_count)) return false;
                if constexpr (std::is_same_v<Each, BoxTree>) {
                    bool has_seen_all = true;
                    const auto visitor = [&](std::uint32_t index) { return has_seen_all = visit(index); };
                    return tree.visit_overlaps(box_of(row, axis_count_), {}, visitor) == Status::ok &&
                           has_seen_all;
                } else {
                    // By nobody else as long as this thread has the GIL.
                    static BoxScratch& scratch = *new BoxScratch;
                    IndexPair pairs[kFew];
                    const auto query = ExactBoxView<NumberOf<Each>>::rows(
                        row.data(), 1, static_cast<std::uint32_t>(axis_count_));
                    const WriteResult found =
                        tree.find_overlaps(query, {}, scratch, std::span<IndexPair>(pairs));
                    for (std::size_t i = 0; i < found.written; ++i) {
                        if (!visit(pairs[i].second)) return false;
                    }
                    return found.status == Status::ok;
                }
            },
            tree_);
    }

    std::variant<BoxTree, ExactBoxTree<double>, ExactBoxTree<std::int32_t>, ExactBoxTree<std::int64_t>> tree_;
    std::size_t axis_count_;
    ReadWriteLock lock_;
    // Made by the first query that needs it.
    std::once_flag is_exact_made_;
    std::optional<ExactHits> exact_;
    std::atomic<bool> has_exact_{false};
};

}  // namespace

ReadTree read_tree(py::handle tree) {
    if (tree.is_none()) return [](const auto& call) { call(nullptr); };
    return [&read = py::cast<Tree&>(tree)](const auto& call) {
        check(read.read_floats([&](const BoxTree& one) {
            call(&one);
            return Status::ok;
        }));
    };
}

void bind_tree(py::module_& module) {
    py::class_<Tree> tree(module, "Tree");
    tree.def(py::init<const py::array&, const py::array&, std::uint32_t>())
        .def("size", &Tree::size)
        .def("invalid_row", &Tree::invalid_row)
        .def("boxes", &Tree::boxes)
        .def("find_overlaps", &Tree::find_overlaps)
        .def("any_overlap", &Tree::any_overlap)
        .def("find_pairs", &Tree::find_pairs)
        .def("closest_pair", &Tree::closest_pair, py::arg("other").none(true), py::arg("max_distance"))
        .def("close_pairs", &Tree::close_pairs, py::arg("other").none(true), py::arg("max_distance"))
        .def("query_one", &Tree::query_one)
        .def("any_one", &Tree::any_one)
        .def("nearest_one", &Tree::nearest_one)
        .def("ray_one", &Tree::ray_one)
        .def("query_point_one", &Tree::query_point_one)
        .def("locations_one", &Tree::locations_one)
        .def("closest_hit_one", &Tree::closest_hit_one)
        .def("find_hits_one", &Tree::find_hits_one)
        .def("set_boxes", &Tree::set_boxes)
        .def("set_box_one", &Tree::set_box_one)
        .def("remove", &Tree::remove)
        .def("remove_one", &Tree::remove_one)
        .def("exact_hits", &Tree::exact_hits)
        .def("exact_nearest", &Tree::exact_nearest);
    BatchQueries<Tree, TreeWords>::bind(tree);
}

}  // namespace broadside::python
