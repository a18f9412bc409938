// TriangleMesh: rays, shapes, points and moving shapes against triangles. Immutable, so that threads need no lock.
#include "queries.hpp"

namespace broadside::python {
namespace {

/// Calls `fill` with ever more memory until the list fits.
template <class Item, class Fill>
std::vector<Item> list_of(std::size_t guess, const Fill& fill) {
    std::vector<Item> items(guess);
    while (true) {
        const WriteResult result = fill(std::span(items));
        items.resize(result.status == Status::capacity_exceeded ? result.required : result.written);
        if (result.status == Status::capacity_exceeded) continue;
        check(result.status);
        return items;
    }
}

class Mesh {
public:
    Mesh() = default;
    Mesh(const FloatRows& vertices, const py::array_t<std::uint32_t, py::array::c_style>& faces,
         std::uint32_t workers) {
        const auto corners = items_of<Vec3>(vertices);
        std::vector<std::uint32_t> indices(static_cast<std::size_t>(faces.size()));
        std::copy_n(faces.data(), indices.size(), indices.begin());
        const CallRunner runner(workers);
        const py::gil_scoped_release without_gil;
        check(mesh_.build(corners, indices, runner.get()).status);
    }

    const TriangleMesh& mesh() const { return mesh_; }
    std::size_t size() const { return mesh_.triangle_count(); }
    std::size_t degenerate_count() const { return mesh_.degenerate_count(); }
    py::tuple components() const {
        return columns_of<std::int64_t>(mesh_.component_triangles(),
                                        [](std::uint32_t index) { return std::tuple(std::int64_t{index}); });
    }
    py::array triangles() const {
        auto [array, out] = new_array<float>(size(), 9);
        static_assert(sizeof(Triangle) == 9 * sizeof(float));
        for (std::size_t i = 0; i < size(); ++i) {
            const Triangle triangle = mesh_.triangle(static_cast<std::uint32_t>(i));
            std::memcpy(out + 9 * i, &triangle, sizeof triangle);
        }
        return std::move(array);
    }

    /// Times, triangles, u and v.
    py::tuple closest_hits(const FloatRows& rays, bool front_only, std::uint32_t workers) const {
        const auto asked = items_of<Ray>(rays);
        std::vector<MeshHit> hits(asked.size());
        run(workers, [&](const TaskRunner* runner) {
            return mesh_.closest_hits(asked, {.sides = sides(front_only), .runner = runner}, hits).status;
        });
        return columns_of<float, std::int64_t, float, float>(hits, [](const MeshHit& hit) {
            return std::tuple(t_or_infinity(hit.t), index_or_none(hit.triangle_index), hit.u, hit.v);
        });
    }
    /// Rays, triangles, times, u and v.
    py::tuple find_hits(const FloatRows& rays, bool front_only, std::uint32_t workers) const {
        const auto asked = items_of<Ray>(rays);
        std::vector<MeshRayHit> hits;
        run(workers, [&](const TaskRunner* runner) {
            MeshScratch scratch;
            hits = list_of<MeshRayHit>(2 * asked.size() + 64, [&](std::span<MeshRayHit> out) {
                return mesh_.find_hits(asked, {.sides = sides(front_only), .runner = runner}, scratch, out);
            });
            return Status::ok;
        });
        return columns_of<std::int64_t, std::int64_t, float, float, float>(hits, [](const MeshRayHit& one) {
            return std::tuple(std::int64_t{one.ray_index}, index_or_none(one.hit.triangle_index), one.hit.t,
                              one.hit.u, one.hit.v);
        });
    }
    py::array any_hit(const FloatRows& rays, bool front_only, std::uint32_t workers) const {
        const auto asked = items_of<Ray>(rays);
        return bits_of(asked.size(), workers, [&](const TaskRunner* runner, std::span<std::uint64_t> bits) {
            return mesh_.any_hit(asked, {.sides = sides(front_only), .runner = runner}, bits).status;
        });
    }

    py::tuple shape_overlaps(int kind, const FloatRows& shapes, std::uint32_t) const {
        std::vector<IndexPair> pairs;
        {
            const py::gil_scoped_release without_gil;
            MeshScratch scratch;
            check(with_items<Aabb, Vec3, Sphere, Capsule, Obb>(
                kind, shapes, [&]<class Shape>(const std::vector<Shape>& items) {
                    if constexpr (std::is_same_v<Shape, Vec3>) {
                        return Status::invalid_argument;
                    } else {
                        pairs = list_of<IndexPair>(4 * items.size() + 64, [&](std::span<IndexPair> out) {
                            return mesh_.find_overlaps(items, scratch, out);
                        });
                        return Status::ok;
                    }
                }));
        }
        return columns_of<std::int64_t, std::int64_t>(pairs, [](IndexPair pair) {
            return std::tuple(std::int64_t{pair.first}, std::int64_t{pair.second});
        });
    }
    py::array any_shape_overlap(int kind, const FloatRows& shapes, std::uint32_t workers) const {
        return bits_of(static_cast<std::size_t>(shapes.shape(0)), workers,
                       [&](const TaskRunner* runner, std::span<std::uint64_t> bits) {
                           return with_items<Aabb, Vec3, Sphere, Capsule, Obb>(
                               kind, shapes, [&]<class Shape>(const std::vector<Shape>& items) {
                                   if constexpr (std::is_same_v<Shape, Vec3>) {
                                       return Status::invalid_argument;
                                   } else {
                                       return mesh_.any_overlap(items, {.runner = runner}, bits).status;
                                   }
                               });
                       });
    }
    /// Times and triangles of spheres, capsules and oriented boxes that move.
    py::tuple closest_impacts(int kind, const FloatRows& shapes, const FloatRows& displacements,
                              std::uint32_t workers) const {
        const auto ways = items_of<Vec3>(displacements);
        std::vector<std::pair<float, std::uint32_t>> found;
        run(workers, [&](const TaskRunner* runner) {
            return with_items<Aabb, Vec3, Sphere, Capsule,
                              Obb>(kind, shapes, [&]<class Shape>(const std::vector<Shape>& items) {
                if constexpr (std::is_same_v<Shape, Vec3> || std::is_same_v<Shape, Aabb>) {
                    return Status::invalid_argument;
                } else {
                    std::vector<std::conditional_t<std::is_same_v<Shape, Obb>, MeshImpact, MeshShapeImpact>>
                        impacts(items.size());
                    const Status status = mesh_.closest_hits(items, ways, {.runner = runner}, impacts).status;
                    for (const auto& impact : impacts) found.emplace_back(impact.toi, impact.triangle_index);
                    return status;
                }
            });
        });
        return columns_of<float, std::int64_t>(found, [](const auto& one) {
            return std::tuple(t_or_infinity(one.first), index_or_none(one.second));
        });
    }

    /// Closest points, their squared distances and triangles.
    py::tuple closest_points(const FloatRows& points, std::uint32_t workers) const {
        const auto asked = items_of<Vec3>(points);
        std::vector<MeshClosestPoint> closest(asked.size());
        run(workers, [&](const TaskRunner* runner) {
            return mesh_.closest_points(asked, {.runner = runner}, closest).status;
        });
        return columns_of<float, float, float, float, std::int64_t>(closest, [](const MeshClosestPoint& one) {
            return std::tuple(one.point.x, one.point.y, one.point.z, one.distance_sq,
                              index_or_none(one.triangle_index));
        });
    }
    py::array contain(const FloatRows& points, std::uint32_t workers) const {
        const auto asked = items_of<Vec3>(points);
        return bits_of(asked.size(), workers, [&](const TaskRunner* runner, std::span<std::uint64_t> bits) {
            return mesh_.contain(asked, {.runner = runner}, bits).status;
        });
    }
    py::array signed_distances(const FloatRows& points, std::uint32_t workers) const {
        const auto asked = items_of<Vec3>(points);
        auto [array, out] = new_array<float>(asked.size());
        const std::span distances(out, asked.size());
        run(workers, [&](const TaskRunner* runner) {
            return mesh_.signed_distances(asked, {.runner = runner}, distances).status;
        });
        return std::move(array);
    }

    py::bytes save() const {
        std::string bytes(mesh_.snapshot_bytes(), '\0');
        check(mesh_.save({reinterpret_cast<std::byte*>(bytes.data()), bytes.size()}));
        return bytes;
    }
    void restore(const std::string& bytes) {
        check(mesh_.restore({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}));
    }

private:
    static Sides sides(bool front_only) { return front_only ? Sides::front : Sides::both; }
    template <class Call>
    static void run(std::uint32_t workers, const Call& call) {
        const CallRunner runner(workers);
        const py::gil_scoped_release without_gil;
        check(call(runner.get()));
    }
    template <class Call>
    static py::array bits_of(std::size_t count, std::uint32_t workers, const Call& call) {
        std::vector<std::uint64_t> bits(bit_word_count(count));
        run(workers, [&](const TaskRunner* runner) { return call(runner, std::span(bits)); });
        return bools_of(bits, count);
    }

    TriangleMesh mesh_;
};

}  // namespace

void bind_mesh(py::module_& module) {
    py::class_<Mesh>(module, "Mesh")
        .def(py::init<>())
        .def(py::init<const FloatRows&, const py::array_t<std::uint32_t, py::array::c_style>&,
                      std::uint32_t>())
        .def("size", &Mesh::size)
        .def("degenerate_count", &Mesh::degenerate_count)
        .def("components", &Mesh::components)
        .def("triangles", &Mesh::triangles)
        .def("closest_hits", &Mesh::closest_hits)
        .def("find_hits", &Mesh::find_hits)
        .def("any_hit", &Mesh::any_hit)
        .def("shape_overlaps", &Mesh::shape_overlaps)
        .def("any_shape_overlap", &Mesh::any_shape_overlap)
        .def("closest_impacts", &Mesh::closest_impacts)
        .def("closest_points", &Mesh::closest_points)
        .def("contain", &Mesh::contain)
        .def("signed_distances", &Mesh::signed_distances)
        .def("save", &Mesh::save)
        .def("restore", &Mesh::restore);
}

}  // namespace broadside::python
