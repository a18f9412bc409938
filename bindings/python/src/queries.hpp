// Queries of trees and worlds alike: shapes, rays and casts as rows of floats, and what they find as columns.
#pragma once

#include "row.hpp"
#include "runner.hpp"

namespace broadside::python {

/// Queries by the numbers that broadside/_queries.py has for them.
template <class Call>
Status with_shapes(int kind, const FloatRows& rows, Call&& call) {
    return with_items<Aabb, Vec3, Sphere, Capsule, Obb>(
        kind, rows, [&](const auto& items) { return call(OverlapQueries(items)); });
}
/// `rule` is Inside of rays, Touch of boxes.
template <class Call>
Status with_hits(int kind, int rule, const FloatRows& rows, Call&& call) {
    return with_items<Ray, BoxCast, SphereCast, CapsuleCast>(kind, rows, [&](const auto& items) {
        HitQueries queries(items);
        queries.ray_settings.inside = static_cast<Inside>(rule);
        queries.touch = kind == 1 ? static_cast<Touch>(rule) : Touch::closed;
        return call(queries);
    });
}

/// Calls `call` with one of `Rays` or `Casts` of so many axes; false for anything else.
template <class Call>
bool with_hit_query(py::handle object, std::size_t axis_count, const Call& call) {
    QueryRow row;
    if (!row.read(object, QueryRow::names().hit, axis_count)) return false;
    return row.visit<Ray, BoxCast, SphereCast, CapsuleCast>(0, [&](const auto& one) {
        HitQuery query(one);
        query.ray_settings.inside = static_cast<Inside>(row.rule);
        query.touch = row.kind == 1 ? static_cast<Touch>(row.rule) : Touch::closed;
        return call(query);
    });
}

/// The first shape of each motion that overlaps something, -1 for none, of all the motions' shapes.
inline py::array first_array(const std::vector<std::uint32_t>& first, std::size_t shape_count) {
    auto [array, out] = new_array<std::int64_t>(first.size());
    const std::size_t none = first.empty() ? 0 : shape_count / first.size();
    std::transform(first.begin(), first.end(), out,
                   [&](std::uint32_t index) { return index == none ? -1 : std::int64_t{index}; });
    return std::move(array);
}

/// What a tree calls things.
struct TreeWords {
    using Name = std::int64_t;
    using Settings = TreeQuerySettings;
    using Closest = TreeHit;
    using Near = ClosestBox;
    using Overlaps = PairBuffer;
    using Hit = Listed<TreeHit>;
    using Hits = AlignedArray<Hit>;
    static std::tuple<std::int64_t, Name> overlap(IndexPair pair) { return {pair.first, pair.second}; }
    static Name name(const TreeHit& hit) { return index_or_none(hit.target); }
    static Name name(const ClosestBox& box) { return index_or_none(box.target); }
    static Status nearest(const BoxTree& tree, std::span<const Vec3> points,
                          const ClosestBoxSettings& box_settings, const Settings& settings,
                          std::span<Near> out_closest) {
        return tree.closest_boxes(points, box_settings, settings, out_closest).status;
    }
};
/// What a world does.
struct WorldWords {
    using Name = std::uint64_t;
    using Settings = WorldQuerySettings;
    using Closest = WorldHit;
    using Near = ClosestObject;
    using Overlaps = AlignedArray<Listed<ObjectHandle>>;
    using Hit = Listed<WorldHit>;
    using Hits = AlignedArray<Hit>;
    static std::tuple<std::int64_t, Name> overlap(const Listed<ObjectHandle>& overlap) {
        return {overlap.query, overlap.found.value};
    }
    template <class Item>
    static Name name(const Item& item) {
        return item.target.value;
    }
    static Status nearest(const WorldQueries& queries, std::span<const Vec3> points,
                          const ClosestBoxSettings& box_settings, const Settings& settings,
                          std::span<Near> out_closest) {
        return queries.closest_objects(points, box_settings, settings, out_closest).status;
    }
};

/// Queries, names, times and faces.
template <class Words, class List>
py::tuple hit_columns(const List& hits) {
    return columns_of<std::int64_t, typename Words::Name, float, std::uint8_t>(hits, [](const auto& hit) {
        return std::tuple(std::int64_t{hit.query}, Words::name(hit.found), hit.found.t,
                          static_cast<std::uint8_t>(hit.found.face));
    });
}
/// All hits of one ray or cast, kMostHits at most.
template <class Words>
class FewHits {
public:
    /// False if there are more.
    template <class Queried>
    bool find(const Queried& queried, const HitQueries& one, const typename Words::Settings& settings) {
        // By nobody else as long as this thread has the GIL.
        static BoxScratch& scratch = *new BoxScratch;
        const WriteResult found =
            queried.find_hits(one, settings, scratch, std::span<typename Words::Hit>(hits_));
        count_ = found.written;
        return found.status == Status::ok;
    }
    std::span<const typename Words::Hit> list() const { return {hits_, count_}; }

private:
    std::size_t count_ = 0;
    typename Words::Hit hits_[kMostHits];
};

/// Points, rays and names of what one ray hits, all of it or the first; None if that is more than kMostHits. `release` is called
/// before Python objects are made.
template <class Words, class Queried, class Release>
py::object locations_of_one(const Queried& queried, const std::array<double, 3>& origin,
                            const std::array<double, 3>& direction, std::size_t axis_count, const Ray& ray,
                            bool has_all, const Release& release) {
    if (!has_all) {
        const typename Words::Closest hit = queried.closest_hit(ray);
        release();
        const bool has_hit = hit.t != kNoIntersection;
        return located<typename Words::Name>(
            origin, direction, axis_count, std::span(&hit, has_hit ? 1 : 0),
            [](const auto& one) { return std::tuple(one.t, Words::name(one)); });
    }
    FewHits<Words> few;
    const bool are_few = few.find(queried, ray, {});
    release();
    if (!are_few) return py::none();
    return located<typename Words::Name>(origin, direction, axis_count, few.list(), [](const auto& one) {
        return std::tuple(one.found.t, Words::name(one.found));
    });
}

/// The queries of `Self`, whose `with_queried(settings, call)` calls with the tree or the world's queries. `Self::Masks` makes the
/// settings, which say which objects of a world a query may find.
template <class Self, class Words>
class BatchQueries {
public:
    using Where = typename Words::Settings;

    py::tuple shape_overlaps(int kind, const FloatRows& shapes, const py::tuple& where,
                             std::uint32_t workers) {
        typename Words::Overlaps found;
        run(where, workers, [&](const auto& queried, const auto& settings) {
            BoxScratch scratch;
            return with_shapes(kind, shapes, [&](const OverlapQueries& queries) {
                return queried.find_overlaps(queries, settings, scratch, found).status;
            });
        });
        return columns_of<std::int64_t, typename Words::Name>(
            found, [](const auto& item) { return Words::overlap(item); });
    }
    py::array any_shape_overlap(int kind, const FloatRows& shapes, const py::tuple& where,
                                std::uint32_t workers) {
        std::vector<std::uint64_t> bits(bit_word_count(count_of(shapes)));
        run(where, workers, [&](const auto& queried, const auto& settings) {
            return with_shapes(kind, shapes, [&](const OverlapQueries& queries) {
                return queried.any_overlap(queries, settings, bits).status;
            });
        });
        return bools_of(bits, count_of(shapes));
    }
    /// Times, names and faces.
    py::tuple closest_hits(int kind, int rule, const FloatRows& rows, const py::tuple& where,
                           std::uint32_t workers) {
        std::vector<typename Words::Closest> hits(count_of(rows));
        run(where, workers, [&](const auto& queried, const auto& settings) {
            return with_hits(kind, rule, rows, [&](const HitQueries& queries) {
                return queried.closest_hits(queries, settings, hits).status;
            });
        });
        return columns_of<float, typename Words::Name, std::uint8_t>(hits, [](const auto& hit) {
            return std::tuple(t_or_infinity(hit.t), Words::name(hit), static_cast<std::uint8_t>(hit.face));
        });
    }
    /// Queries, names, times and faces.
    py::tuple find_hits(int kind, int rule, const FloatRows& rows, const py::tuple& where,
                        std::uint32_t workers) {
        typename Words::Hits hits;
        run(where, workers, [&](const auto& queried, const auto& settings) {
            BoxScratch scratch;
            return with_hits(kind, rule, rows, [&](const HitQueries& queries) {
                return queried.find_hits(queries, settings, scratch, hits).status;
            });
        });
        return hit_columns<Words>(hits);
    }
    py::array any_hit(int kind, int rule, const FloatRows& rows, const py::tuple& where,
                      std::uint32_t workers) {
        std::vector<std::uint64_t> bits(bit_word_count(count_of(rows)));
        run(where, workers, [&](const auto& queried, const auto& settings) {
            return with_hits(kind, rule, rows, [&](const HitQueries& queries) {
                return queried.any_hit(queries, settings, bits).status;
            });
        });
        return bools_of(bits, count_of(rows));
    }
    /// Squared distances and names, `count` for each point.
    py::tuple nearest(const FloatRows& points, std::uint32_t count, float max_distance,
                      const py::tuple& where, std::uint32_t workers) {
        std::vector<typename Words::Near> closest(count_of(points) * count);
        run(where, workers, [&](const auto& queried, const auto& settings) {
            return Words::nearest(queried, items_of<Vec3>(points),
                                  {.count = count, .max_distance = max_distance}, settings, closest);
        });
        return columns_of<float, typename Words::Name>(closest, [](const auto& box) {
            return std::tuple(t_or_infinity(box.distance_sq), Words::name(box));
        });
    }

    /// For each of so many motions the first of its shapes that overlaps something, -1 if none does.
    py::array first_overlaps(int kind, const FloatRows& shapes, std::uint32_t shapes_per_state,
                             std::size_t motion_count, const py::tuple& where, std::uint32_t workers) {
        std::vector<std::uint32_t> first(motion_count);
        run(where, workers, [&](const auto& queried, const auto& settings) {
            return with_shapes(kind, shapes, [&](const OverlapQueries& queries) {
                return queried.first_overlaps(queries, shapes_per_state, settings, first).status;
            });
        });
        return first_array(first, count_of(shapes));
    }

    template <class Class>
    static void bind(Class& bound) {
        bound.def("shape_overlaps", &Self::shape_overlaps)
            .def("any_shape_overlap", &Self::any_shape_overlap)
            .def("first_overlaps", &Self::first_overlaps)
            .def("closest_hits", &Self::closest_hits)
            .def("find_hits", &Self::find_hits)
            .def("any_hit", &Self::any_hit)
            .def("nearest", &Self::nearest);
    }

private:
    static std::size_t count_of(const FloatRows& rows) { return static_cast<std::size_t>(rows.shape(0)); }

    template <class Call>
    void run(const py::tuple& where, std::uint32_t workers, const Call& call) {
        auto& self = static_cast<Self&>(*this);
        const CallRunner runner(workers);
        const typename Self::Masks masks(where);
        Where settings = masks.settings();
        settings.runner = runner.get();
        const py::gil_scoped_release without_gil;
        check(self.with_queried(settings, [&](const auto& queried) { return call(queried, settings); }));
    }
};

}  // namespace broadside::python
