// Queries of meshes and scenes alike, and the meshes and scenes that other objects read.
#pragma once

#include "queries.hpp"

#include <functional>

namespace broadside::python {

/// Rows of the three rows of a matrix and a translation.
inline std::vector<Transform> transforms_of(const FloatRows& rows) {
    static_assert(sizeof(Transform) == 12 * sizeof(float));
    return items_of<Transform>(rows);
}

/// The triangles of a `Mesh`, which never change.
std::shared_ptr<const TriangleMesh> triangles_of(py::handle mesh);
/// Makes calls with the tree of floats of a `Tree`, or with a `Scene`, while nothing changes it; with null for None. To
/// be used without the GIL and for as long as the Python object lives. Of both the tree is read first.
using ReadTree = std::function<void(const std::function<void(const BoxTree*)>& call)>;
using ReadScene = std::function<void(const std::function<void(const MeshScene*)>& call)>;
ReadTree read_tree(py::handle tree);
ReadScene read_scene(py::handle scene);

/// Calls `fill` with ever more memory until the list fits.
template <class Item, class Fill>
std::vector<Item> list_of(std::size_t guess, const Fill& fill) {
    std::vector<Item> items(guess);
    while (true) {
        const auto result = fill(std::span(items));
        items.resize(result.status == Status::capacity_exceeded ? result.required : result.written);
        if (result.status == Status::capacity_exceeded) continue;
        check(result.status);
        return items;
    }
}

/// The types and names of a mesh.
struct MeshWords {
    using Hit = MeshHit;
    using RayHit = Listed<MeshHit>;
    using Overlap = IndexPair;
    using Impact = MeshImpact;
    using Point = MeshClosestPoint;
    static std::tuple<std::int64_t> names(const auto& found) { return {index_or_none(found.target)}; }
    static std::tuple<std::int64_t, std::int64_t> overlap(IndexPair pair) {
        return {pair.first, pair.second};
    }
};
/// The types and names of a scene: an instance and its triangle.
struct SceneWords {
    using Hit = SceneHit;
    using RayHit = Listed<SceneHit>;
    using Overlap = Listed<SceneTriangle>;
    using Impact = SceneImpact;
    using Point = SceneClosestPoint;
    using Names = std::tuple<std::int64_t, std::int64_t>;
    static Names names(const auto& found) {
        return {index_or_none(found.target.instance_index), index_or_none(found.target.triangle_index)};
    }
    static std::tuple<std::int64_t, std::int64_t, std::int64_t> overlap(
        const Listed<SceneTriangle>& overlap) {
        return {overlap.query, overlap.found.instance_index, overlap.found.triangle_index};
    }
};

/// The queries of `Self`, whose `read(call)` calls with what is queried while nothing changes it.
template <class Self, class Words>
class MeshQueries {
public:
    /// Times, u, v and names.
    py::tuple closest_hits(const FloatRows& rays, bool front_only, std::uint32_t workers) const {
        const auto rows = items_of<Ray>(rays);
        std::vector<typename Words::Hit> hits(rows.size());
        run(workers, [&](const auto& queried, const TaskRunner* runner) {
            return queried.closest_hits({rows, sides(front_only)}, runner, hits).status;
        });
        return columns(hits, [](const auto& hit) {
            return std::tuple_cat(std::tuple(t_or_infinity(hit.t), hit.u, hit.v), Words::names(hit));
        });
    }
    /// Rays, names, times, u and v.
    py::tuple find_hits(const FloatRows& rays, bool front_only, std::uint32_t workers) const {
        const auto rows = items_of<Ray>(rays);
        std::vector<typename Words::RayHit> hits;
        run(workers, [&](const auto& queried, const TaskRunner* runner) {
            MeshScratch scratch;
            hits = list_of<typename Words::RayHit>(2 * rows.size() + 64, [&](auto out) {
                return queried.find_hits({rows, sides(front_only)}, runner, scratch, out);
            });
            return Status::ok;
        });
        return ray_hit_columns(hits);
    }
    py::array any_hit(const FloatRows& rays, bool front_only, std::uint32_t workers) const {
        const auto rows = items_of<Ray>(rays);
        return bits_of(rows.size(), workers,
                       [&](const auto& queried, const TaskRunner* runner, std::span<std::uint64_t> bits) {
                           return queried.any_hit({rows, sides(front_only)}, runner, bits).status;
                       });
    }

    /// Shapes and names.
    py::tuple shape_overlaps(int kind, const FloatRows& shapes) const {
        std::vector<typename Words::Overlap> overlaps;
        run(1, [&](const auto& queried, const TaskRunner*) {
            MeshScratch scratch;
            return with_solids(kind, shapes, [&](const auto& items) {
                overlaps = list_of<typename Words::Overlap>(4 * items.size() + 64, [&](auto out) {
                    return queried.find_overlaps(items, {}, scratch, out);
                });
                return Status::ok;
            });
        });
        return columns(overlaps, [](const auto& overlap) { return Words::overlap(overlap); });
    }
    py::array any_shape_overlap(int kind, const FloatRows& shapes, std::uint32_t workers) const {
        return bits_of(static_cast<std::size_t>(shapes.shape(0)), workers,
                       [&](const auto& queried, const TaskRunner* runner, std::span<std::uint64_t> bits) {
                           return with_solids(kind, shapes, [&](const auto& items) {
                               return queried.any_overlap(items, runner, bits).status;
                           });
                       });
    }
    /// For each of so many motions the first of its shapes that overlaps a triangle, -1 if none does.
    py::array first_overlaps(int kind, const FloatRows& shapes, std::uint32_t shapes_per_state,
                             std::size_t motion_count, std::uint32_t workers) const {
        std::vector<std::uint32_t> first(motion_count);
        run(workers, [&](const auto& queried, const TaskRunner* runner) {
            return with_solids(kind, shapes, [&](const auto& items) {
                return queried.first_overlaps(items, shapes_per_state, runner, first).status;
            });
        });
        return first_array(first, static_cast<std::size_t>(shapes.shape(0)));
    }
    /// Times and names of what casts of spheres, capsules and oriented boxes meet first.
    py::tuple closest_impacts(int kind, const FloatRows& casts, std::uint32_t workers) const {
        std::vector<typename Words::Impact> impacts(static_cast<std::size_t>(casts.shape(0)));
        run(workers, [&](const auto& queried, const TaskRunner* runner) {
            return with_items<SphereCast, CapsuleCast, ObbCast>(
                kind - kSphereKind, casts,
                [&](const auto& items) { return queried.closest_hits(items, runner, impacts).status; });
        });
        return columns(impacts, [](const auto& impact) {
            return std::tuple_cat(std::tuple(t_or_infinity(impact.t)), Words::names(impact));
        });
    }

    /// Casts, names and times of all that casts meet up to their reach.
    py::tuple find_impacts(int kind, const FloatRows& casts, std::uint32_t workers) const {
        std::vector<Listed<typename Words::Impact>> impacts;
        run(workers, [&](const auto& queried, const TaskRunner* runner) {
            MeshScratch scratch;
            return with_items<SphereCast, CapsuleCast, ObbCast>(
                kind - kSphereKind, casts, [&](const auto& items) {
                    impacts = list_of<Listed<typename Words::Impact>>(4 * items.size() + 64, [&](auto out) {
                        return queried.find_hits(items, runner, scratch, out);
                    });
                    return Status::ok;
                });
        });
        return columns(impacts, [](const Listed<typename Words::Impact>& one) {
            return std::tuple_cat(std::tuple(std::int64_t{one.query}), Words::names(one.found),
                                  std::tuple(one.found.t));
        });
    }

    /// Closest points, their squared distances and names.
    py::tuple closest_points(const FloatRows& points, std::uint32_t workers) const {
        const auto rows = items_of<Vec3>(points);
        std::vector<typename Words::Point> closest(rows.size());
        run(workers, [&](const auto& queried, const TaskRunner* runner) {
            return queried.closest_points(rows, runner, closest).status;
        });
        return columns(closest, [](const auto& one) {
            return std::tuple_cat(std::tuple(one.point.x, one.point.y, one.point.z, one.distance_sq),
                                  Words::names(one));
        });
    }
    py::array contain(const FloatRows& points, std::uint32_t workers) const {
        const auto rows = items_of<Vec3>(points);
        return bits_of(rows.size(), workers,
                       [&](const auto& queried, const TaskRunner* runner, std::span<std::uint64_t> bits) {
                           return queried.contain(rows, runner, bits).status;
                       });
    }
    py::array signed_distances(const FloatRows& points, std::uint32_t workers) const {
        const auto rows = items_of<Vec3>(points);
        auto [array, out] = new_array<float>(rows.size());
        const std::span distances(out, rows.size());
        run(workers, [&](const auto& queried, const TaskRunner* runner) {
            return queried.signed_distances(rows, runner, distances).status;
        });
        return std::move(array);
    }

    // One query, which broadside/_mesh.py tries first. None if it is out of the ordinary.

    /// Time and name.
    py::object ray_one(py::handle origin, py::handle direction, py::handle reach, bool front_only) const {
        Ray ray;
        if (!ray_of(origin, direction, reach, 3, ray)) return py::none();
        typename Words::Hit hit;
        if (!try_read([&](const auto& queried) { hit = queried.closest_hit({ray, sides(front_only)}); }))
            return py::none();
        return py::make_tuple(t_or_infinity(hit.t), std::get<0>(Words::names(hit)));
    }
    /// Points, rays and names of all hits, or of the first.
    py::object locations_one(py::handle origin, py::handle direction, py::handle reach, bool has_all,
                             bool front_only) const {
        Ray ray;
        std::array<double, 3> from;
        std::array<double, 3> along;
        if (!ray_of(origin, direction, reach, 3, ray) || !point_of(origin, 3, from) ||
            !point_of(direction, 3, along))
            return py::none();
        const auto row = [](const auto& hit) { return std::tuple(hit.t, std::get<0>(Words::names(hit))); };
        if (!has_all) {
            typename Words::Hit hit;
            if (!try_read([&](const auto& queried) { hit = queried.closest_hit({ray, sides(front_only)}); }))
                return py::none();
            const bool has_hit = hit.t != kNoIntersection;
            return located<std::int64_t>(from, along, 3, std::span(&hit, has_hit ? 1 : 0), row);
        }
        FewRayHits few;
        if (!find_few(ray, sides(front_only), few)) return py::none();
        return located<std::int64_t>(from, along, 3, few.list(),
                                     [&](const auto& one) { return row(one.found); });
    }
    py::object contains_one(py::handle point) const {
        Vec3 from;
        bool is_inside = false;
        const bool is_done = vector_of(point, 3, from) &&
                             try_read([&](const auto& queried) { is_inside = queried.contains(from); });
        return is_done ? py::object(py::bool_(is_inside)) : py::none();
    }
    py::object signed_distance_one(py::handle point) const {
        Vec3 from;
        float distance = 0;
        const bool is_done = vector_of(point, 3, from) &&
                             try_read([&](const auto& queried) { distance = queried.signed_distance(from); });
        return is_done ? py::object(py::float_(distance)) : py::none();
    }

    /// The point, its distance and names.
    py::object closest_point_one(py::handle point) const {
        Vec3 from;
        typename Words::Point closest;
        if (!vector_of(point, 3, from) ||
            !try_read([&](const auto& queried) { closest = queried.closest_point(from); }))
            return py::none();
        auto [array, out] = new_array<float>(3);
        std::copy_n(&closest.point.x, 3, out);
        return std::apply(
            [&, array = array](auto... name) {
                return py::make_tuple(array, std::sqrt(closest.distance_sq), name...);
            },
            Words::names(closest));
    }
    py::object any_one(py::handle shape) const {
        bool has_one = false;
        const bool is_done = with_solid(shape, [&](const MeshShape& own) {
            return try_read([&](const auto& queried) { has_one = queried.any_overlap(own); });
        });
        return is_done ? py::object(py::bool_(has_one)) : py::none();
    }
    /// Time, names, u and v of one of `Rays`.
    py::object closest_hit_one(py::handle query, bool front_only) const {
        typename Words::Hit hit;
        if (!with_ray(query, [&](const Ray& ray) {
                return try_read([&](const auto& queried) {
                    hit = queried.closest_hit({ray, sides(front_only)});
                });
            }))
            return py::none();
        return std::apply(
            [&](auto... name) { return py::make_tuple(t_or_infinity(hit.t), name..., hit.u, hit.v); },
            Words::names(hit));
    }
    /// All hits of one of `Rays`: rays, names, times, u and v.
    py::object find_hits_one(py::handle query, bool front_only) const {
        FewRayHits few;
        return with_ray(query, [&](const Ray& ray) { return find_few(ray, sides(front_only), few); })
                   ? py::object(ray_hit_columns(few.list()))
                   : py::none();
    }
    /// Time and names of what one of `Casts` of a sphere, capsule or oriented box touches first.
    py::object cast_one(py::handle query) const {
        QueryRow row;
        if (!row.read(query, QueryRow::names().hit, 3)) return py::none();
        py::object found = py::none();
        row.visit<SphereCast, CapsuleCast, ObbCast>(kSphereKind, [&](const auto& cast) {
            typename Words::Impact hit;
            if (!try_read([&](const auto& queried) { hit = queried.closest_hit(cast); })) return false;
            found = std::apply([&](auto... name) { return py::make_tuple(t_or_infinity(hit.t), name...); },
                               Words::names(hit));
            return true;
        });
        return found;
    }
    /// Names of what one shape overlaps: triangles (k,), or instances above triangles (2, k).
    py::object query_one(py::handle shape) const {
        typename Words::Overlap overlaps[kFew];
        WriteResult found;
        // By nobody else as long as this thread has the GIL.
        static auto& scratch = *new MeshScratch;
        const bool is_done = with_solid(shape, [&](const MeshShape& own) {
            return try_read(
                [&](const auto& queried) { found = queried.find_overlaps(own, {}, scratch, overlaps); });
        });
        if (!is_done || found.status != Status::ok) return py::none();
        constexpr std::size_t kNames = std::tuple_size_v<decltype(Words::overlap(overlaps[0]))> - 1;
        std::vector<py::ssize_t> sizes(kNames, static_cast<py::ssize_t>(found.written));
        if (kNames > 1) sizes[0] = kNames;
        py::array_t<std::int64_t> array(sizes);
        std::int64_t* const out = array.mutable_data();
        for (std::size_t i = 0; i < found.written; ++i) {
            [&]<std::size_t... Name>(std::index_sequence<Name...>) {
                ((out[Name * found.written + i] = std::get<Name + 1>(Words::overlap(overlaps[i]))), ...);
            }
            (std::make_index_sequence<kNames>());
        }
        return std::move(array);
    }

    template <class Class>
    static void bind(Class& bound) {
        if constexpr (std::is_same_v<Words, MeshWords>) bound.def("first_overlaps", &Self::first_overlaps);
        bound.def("ray_one", &Self::ray_one)
            .def("locations_one", &Self::locations_one)
            .def("closest_hit_one", &Self::closest_hit_one)
            .def("find_hits_one", &Self::find_hits_one)
            .def("cast_one", &Self::cast_one)
            .def("closest_point_one", &Self::closest_point_one)
            .def("any_one", &Self::any_one)
            .def("query_one", &Self::query_one)
            .def("contains_one", &Self::contains_one)
            .def("signed_distance_one", &Self::signed_distance_one)
            .def("closest_hits", &Self::closest_hits)
            .def("find_hits", &Self::find_hits)
            .def("any_hit", &Self::any_hit)
            .def("shape_overlaps", &Self::shape_overlaps)
            .def("any_shape_overlap", &Self::any_shape_overlap)
            .def("closest_impacts", &Self::closest_impacts)
            .def("find_impacts", &Self::find_impacts)
            .def("closest_points", &Self::closest_points)
            .def("contain", &Self::contain)
            .def("signed_distances", &Self::signed_distances);
    }

private:
    /// All hits of one ray, kMostHits at most.
    struct FewRayHits {
        std::span<const typename Words::RayHit> list() const { return {hits, count}; }
        std::size_t count = 0;
        typename Words::RayHit hits[kMostHits];
    };

    static Sides sides(bool front_only) { return front_only ? Sides::front : Sides::both; }
    /// False if there are more.
    bool find_few(const Ray& ray, Sides of_sides, FewRayHits& out) const {
        // By nobody else as long as this thread has the GIL.
        static auto& scratch = *new MeshScratch;
        WriteResult found;
        const bool is_done = try_read([&](const auto& queried) {
            found = queried.find_hits({ray, of_sides}, {}, scratch, std::span(out.hits));
        });
        out.count = found.written;
        return is_done && found.status == Status::ok;
    }
    /// Calls `call` with one of `Rays`; false for anything else.
    template <class Call>
    static bool with_ray(py::handle query, const Call& call) {
        QueryRow row;
        return row.read(query, QueryRow::names().hit, 3) && row.rule == static_cast<int>(Inside::zero) &&
               row.visit<Ray>(0, call);
    }
    /// Rays, names, times, u and v.
    template <class List>
    static py::tuple ray_hit_columns(const List& hits) {
        return columns(hits, [](const auto& row) {
            const auto& hit = row.found;
            return std::tuple_cat(std::tuple(std::int64_t{row.query}), Words::names(hit),
                                  std::tuple(hit.t, hit.u, hit.v));
        });
    }
    /// Calls `call` with a box or one of `Spheres`, `Capsules` or `Obbs`; false for anything else.
    template <class Call>
    static bool with_solid(py::handle shape, const Call& call) {
        if (is_row(shape)) {
            Aabb box;
            return solid_box_of(shape, box) && call(box);
        }
        QueryRow row;
        return row.read(shape, QueryRow::names().shape, 3) &&
               row.visit<Sphere, Capsule, Obb>(kSphereKind, call);
    }
    /// Shapes by the numbers that broadside/_queries.py has for them; no points.
    template <class Call>
    static Status with_solids(int kind, const FloatRows& shapes, const Call& call) {
        return with_items<Aabb, Vec3, Sphere, Capsule, Obb>(
            kind, shapes, [&]<class Shape>(const std::vector<Shape>& items) {
                if constexpr (std::is_same_v<Shape, Vec3>) {
                    return Status::invalid_argument;
                } else {
                    return call(items);
                }
            });
    }
    template <class List, class Row>
    static py::tuple columns(const List& items, const Row& row) {
        return [&]<class... Item>(const std::tuple<Item...>*) {
            return columns_of<Item...>(items, row);
        }(static_cast<std::decay_t<decltype(row(items[0]))>*>(nullptr));
    }
    template <class Call>
    void run(std::uint32_t workers, const Call& call) const {
        const CallRunner runner(workers);
        const py::gil_scoped_release without_gil;
        check(static_cast<const Self&>(*this).read(
            [&](const auto& queried) { return call(queried, runner.get()); }));
    }
    /// Calls at once, with the GIL, unless a change is under way.
    template <class Call>
    bool try_read(const Call& call) const {
        return static_cast<const Self&>(*this).try_call(call);
    }
    template <class Call>
    py::array bits_of(std::size_t count, std::uint32_t workers, const Call& call) const {
        std::vector<std::uint64_t> bits(bit_word_count(count));
        run(workers, [&](const auto& queried, const TaskRunner* runner) {
            return call(queried, runner, std::span(bits));
        });
        return bools_of(bits, count);
    }
};

}  // namespace broadside::python
