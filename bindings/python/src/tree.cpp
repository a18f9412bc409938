// BoxTree: of float32 the tree of floats, which answers everything; of other numbers an ExactBoxTree.
#include "arrays.hpp"
#include "runner.hpp"

#include <variant>

namespace broadside::python {
namespace {

class Tree {
public:
    Tree(const py::array& min, const py::array& max, std::uint32_t workers) {
        const CallRunner runner(workers);
        const Status status = with_number(min, [&](auto number) {
            using Number = decltype(number);
            if constexpr (std::is_same_v<Number, float>) {
                const FloatBoxes boxes(min, max);
                const py::gil_scoped_release without_gil;
                return tree_.emplace<BoxTree>().build(boxes.view(), runner.get());
            } else {
                const CallBoxes<Number> boxes(min, max);
                const py::gil_scoped_release without_gil;
                return tree_.emplace<ExactBoxTree<Number>>().build(boxes.view(), runner.get());
            }
        });
        check(status);
    }

    std::size_t size() const {
        return std::visit([](const auto& tree) { return tree.box_count(); }, tree_);
    }
    py::object invalid_row() const {
        const InvalidBoxes invalid = std::visit([](const auto& tree) { return tree.invalid_boxes(); }, tree_);
        return invalid.count == 0 ? py::object(py::none()) : py::object(py::int_(invalid.first_index));
    }

    py::array find_overlaps(const py::array& min, const py::array& max, std::uint32_t workers) const {
        auto pairs = std::make_unique<PairBuffer>();
        ask(min, max, workers, [&](const auto& tree, const auto& queries, const TreeQuerySettings& settings) {
            if constexpr (kIsFloat<decltype(tree)>) {
                TreeScratch scratch;
                return tree.find_overlaps(queries, settings, scratch, *pairs).status;
            } else {
                ExactTreeScratch scratch;
                return tree.find_overlaps(queries, settings, scratch, *pairs).status;
            }
        });
        return shown(std::move(pairs));
    }
    py::array any_overlap(const py::array& min, const py::array& max, std::uint32_t workers) const {
        const auto count = static_cast<std::size_t>(min.shape(0));
        std::vector<std::uint64_t> bits(bit_word_count(count));
        ask(min, max, workers, [&](const auto& tree, const auto& queries, const TreeQuerySettings& settings) {
            if constexpr (kIsFloat<decltype(tree)>) {
                return tree.any_overlap(queries, settings, bits).status;
            } else {
                ExactTreeScratch scratch;
                return tree.any_overlap(queries, settings, scratch, bits).status;
            }
        });
        return bools_of(bits, count);
    }
    py::array find_pairs(std::uint32_t workers) const {
        auto pairs = std::make_unique<PairBuffer>();
        const CallRunner runner(workers);
        const TreePairSettings settings = {.runner = runner.get()};
        {
            const py::gil_scoped_release without_gil;
            check(std::visit(
                [&](const auto& tree) {
                    std::conditional_t<kIsFloat<decltype(tree)>, TreeScratch, ExactTreeScratch> scratch;
                    return tree.find_pairs(settings, scratch, *pairs).status;
                },
                tree_));
        }
        return shown(std::move(pairs));
    }

    // Questions to a tree of floats.

    py::tuple closest_hits(const py::array_t<float>& origins, const py::array_t<float>& directions,
                           const py::array_t<float>& reaches, std::uint32_t workers) const {
        const std::vector<Ray> rays = rays_of(origins, directions, reaches);
        std::vector<ClosestHit> hits(rays.size());
        const CallRunner runner(workers);
        {
            const py::gil_scoped_release without_gil;
            check(floats().closest_hits(rays, {.runner = runner.get()}, hits).status);
        }
        return columns_of<float, std::int64_t, std::uint8_t>(hits, [](const ClosestHit& hit) {
            const bool has_hit = hit.box_index != kNoBox;
            return std::tuple(has_hit ? hit.t : std::numeric_limits<float>::infinity(),
                              has_hit ? std::int64_t{hit.box_index} : -1,
                              static_cast<std::uint8_t>(hit.face));
        });
    }
    py::tuple find_hits(const py::array_t<float>& origins, const py::array_t<float>& directions,
                        const py::array_t<float>& reaches, std::uint32_t workers) const {
        const std::vector<Ray> rays = rays_of(origins, directions, reaches);
        AlignedArray<TreeHit> hits;
        const CallRunner runner(workers);
        {
            const py::gil_scoped_release without_gil;
            TreeScratch scratch;
            check(floats().find_hits(rays, {.runner = runner.get()}, scratch, hits).status);
        }
        return columns_of<std::int64_t, std::int64_t, float>(hits, [](const TreeHit& hit) {
            return std::tuple(std::int64_t{hit.query}, std::int64_t{hit.box}, hit.t);
        });
    }
    py::array any_hit(const py::array_t<float>& origins, const py::array_t<float>& directions,
                      const py::array_t<float>& reaches, std::uint32_t workers) const {
        const std::vector<Ray> rays = rays_of(origins, directions, reaches);
        std::vector<std::uint64_t> bits(bit_word_count(rays.size()));
        const CallRunner runner(workers);
        {
            const py::gil_scoped_release without_gil;
            check(floats().any_hit(rays, {.runner = runner.get()}, bits).status);
        }
        return bools_of(bits, rays.size());
    }
    py::tuple closest_boxes(const py::array_t<float>& points, std::uint32_t count, float max_distance,
                            std::uint32_t workers) const {
        const std::vector<Vec3> from = vectors_of(points);
        std::vector<ClosestBox> closest(from.size() * count);
        const CallRunner runner(workers);
        {
            const py::gil_scoped_release without_gil;
            check(floats()
                      .closest_boxes(from, {.count = count, .max_distance = max_distance},
                                     {.runner = runner.get()}, closest)
                      .status);
        }
        return columns_of<float, std::int64_t, std::uint8_t>(closest, [](const ClosestBox& box) {
            const bool is_there = box.box_index != kNoBox;
            return std::tuple(is_there ? box.distance_sq : std::numeric_limits<float>::infinity(),
                              is_there ? std::int64_t{box.box_index} : -1, std::uint8_t{0});
        });
    }

private:
    template <class Reference>
    static constexpr bool kIsFloat = std::is_same_v<std::remove_cvref_t<Reference>, BoxTree>;

    const BoxTree& floats() const { return std::get<BoxTree>(tree_); }

    // Three arrays, of what `row` makes of each item.
    template <class First, class Second, class Third, class List, class Row>
    static py::tuple columns_of(const List& items, Row&& row) {
        const auto count = static_cast<py::ssize_t>(items.size());
        py::array_t<First> first(count);
        py::array_t<Second> second(count);
        py::array_t<Third> third(count);
        First* const out_first = first.mutable_data();
        Second* const out_second = second.mutable_data();
        Third* const out_third = third.mutable_data();
        for (std::size_t i = 0; i < items.size(); ++i)
            std::tie(out_first[i], out_second[i], out_third[i]) = row(items[i]);
        return py::make_tuple(first, second, third);
    }

    // Asks the tree with queries of its own number type; `call` runs without the GIL.
    template <class Call>
    void ask(const py::array& min, const py::array& max, std::uint32_t workers, Call&& call) const {
        const CallRunner runner(workers);
        const TreeQuerySettings settings = {.runner = runner.get()};
        const Status status = std::visit(
            [&]<class Each>(const Each& tree) {
                if constexpr (std::is_same_v<Each, BoxTree>) {
                    const FloatBoxes boxes(min, max);
                    const py::gil_scoped_release without_gil;
                    std::vector<Aabb> queries(boxes.view().count);
                    for (std::size_t i = 0; i < queries.size(); ++i) queries[i] = boxes.view()[i];
                    return call(tree, std::span<const Aabb>(queries), settings);
                } else {
                    const auto queries = queries_for(tree, min, max);
                    const py::gil_scoped_release without_gil;
                    return call(tree, queries.view(), settings);
                }
            },
            tree_);
        check(status);
    }
    template <class Number>
    static CallBoxes<Number> queries_for(const ExactBoxTree<Number>&, const py::array& min,
                                         const py::array& max) {
        return CallBoxes<Number>(min, max);
    }

    std::variant<BoxTree, ExactBoxTree<double>, ExactBoxTree<std::int32_t>, ExactBoxTree<std::int64_t>> tree_;
};

}  // namespace

void bind_tree(py::module_& module) {
    py::class_<Tree>(module, "Tree")
        .def(py::init<const py::array&, const py::array&, std::uint32_t>())
        .def("size", &Tree::size)
        .def("invalid_row", &Tree::invalid_row)
        .def("find_overlaps", &Tree::find_overlaps)
        .def("any_overlap", &Tree::any_overlap)
        .def("find_pairs", &Tree::find_pairs)
        .def("closest_hits", &Tree::closest_hits)
        .def("find_hits", &Tree::find_hits)
        .def("any_hit", &Tree::any_hit)
        .def("closest_boxes", &Tree::closest_boxes);
}

}  // namespace broadside::python
