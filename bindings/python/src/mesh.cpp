// TriangleMesh: rays, shapes, points and moving shapes against triangles, and two meshes against each other. Immutable, so
// that threads need no lock.
#include "mesh_queries.hpp"

#include <broadside/mesh_distance.hpp>

#include <cstring>

namespace broadside::python {
namespace {

class Mesh : public MeshQueries<Mesh, MeshWords> {
public:
    Mesh() = default;
    Mesh(const FloatRows& vertices, const py::array_t<std::uint32_t, py::array::c_style>& faces, bool is_fast,
         std::uint32_t workers) {
        const auto corners = items_of<Vec3>(vertices);
        std::vector<std::uint32_t> indices(static_cast<std::size_t>(faces.size()));
        std::copy_n(faces.data(), indices.size(), indices.begin());
        const CallRunner runner(workers);
        const py::gil_scoped_release without_gil;
        check(mesh_
                  ->build(corners, indices, runner.get(),
                          is_fast ? MeshBuildQuality::fast : MeshBuildQuality::standard)
                  .status);
    }

    std::shared_ptr<const TriangleMesh> mesh() const { return mesh_; }
    std::size_t size() const { return mesh_->triangle_count(); }
    std::size_t degenerate_count() const { return mesh_->degenerate_count(); }
    py::tuple components() const {
        return columns_of<std::int64_t>(mesh_->component_triangles(),
                                        [](std::uint32_t index) { return std::tuple(std::int64_t{index}); });
    }
    py::array triangles() const {
        auto [array, out] = new_array<float>(size(), 9);
        static_assert(sizeof(Triangle) == 9 * sizeof(float));
        for (std::size_t i = 0; i < size(); ++i) {
            const Triangle triangle = mesh_->triangle(static_cast<std::uint32_t>(i));
            std::memcpy(out + 9 * i, &triangle, sizeof triangle);
        }
        return std::move(array);
    }

    // Two placed meshes.

    /// Triangles of this one and of the other one that meet, and how.
    py::tuple triangle_pairs(const FloatRows& places, const Mesh& other) const {
        const auto [a, b] = placed_with(other, places);
        std::vector<TrianglePair> pairs;
        {
            const py::gil_scoped_release without_gil;
            MeshScratch scratch;
            pairs = list_of<TrianglePair>(256, [&, a = a, b = b](std::span<TrianglePair> out) {
                return find_triangle_pairs(a, b, scratch, out);
            });
        }
        return py::make_tuple(
            pairs_array<std::int64_t>(
                pairs,
                [](const TrianglePair& one) { return std::tuple(std::int64_t{one.a}, std::int64_t{one.b}); }),
            columns_of<std::uint8_t>(pairs, [](const TrianglePair& one) {
                return std::tuple(static_cast<std::uint8_t>(one.relation));
            })[0]);
    }
    /// When they first meet, and the triangles.
    py::tuple impact(const FloatRows& places, const Mesh& other, const FloatRows& displacements) const {
        const auto [a, b] = placed_with(other, places);
        const auto ways = items_of<Vec3>(displacements);
        MeshPairImpact found;
        {
            const py::gil_scoped_release without_gil;
            found = first_impact(a, ways[0], b, ways[1]);
        }
        check(found.status);
        return py::make_tuple(t_or_infinity(found.toi), index_or_none(found.a), index_or_none(found.b));
    }
    /// The distance of the closest triangles, these, and their closest points.
    py::tuple closest_triangles(const FloatRows& places, const Mesh& other, float max_distance) const {
        const auto [a, b] = placed_with(other, places);
        ClosestTrianglePair found;
        {
            const py::gil_scoped_release without_gil;
            found = closest_triangle_pair(a, b, max_distance);
        }
        check(found.status);
        auto [points, out] = new_array<float>(2, 3);
        const Vec3 places_of_points[] = {found.closest.point_a, found.closest.point_b};
        std::memcpy(out, places_of_points, sizeof places_of_points);
        return py::make_tuple(found.closest.distance, index_or_none(found.a), index_or_none(found.b),
                              std::move(points));
    }
    int relation(const FloatRows& places, const Mesh& other, float clearance, bool find_contained) const {
        const auto [a, b] = placed_with(other, places);
        MeshRelationResult found;
        {
            const py::gil_scoped_release without_gil;
            found = mesh_relation(a, b, {.clearance = clearance, .find_contained = find_contained});
        }
        check(found.status);
        return static_cast<int>(found.found);
    }

    py::bytes save() const {
        std::string bytes(mesh_->snapshot_bytes(), '\0');
        check(mesh_->save({reinterpret_cast<std::byte*>(bytes.data()), bytes.size()}));
        return bytes;
    }
    void restore(const std::string& bytes) {
        check(mesh_->restore({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}));
    }

private:
    friend class MeshQueries<Mesh, MeshWords>;

    template <class Call>
    Status read(const Call& call) const {
        return call(*mesh_);
    }
    template <class Call>
    bool try_call(const Call& call) const {
        call(*mesh_);
        return true;
    }
    /// This mesh and another one; IndexError with the row of a transform that is no placement.
    std::pair<PlacedMesh, PlacedMesh> placed_with(const Mesh& other, const FloatRows& places) const {
        const auto transforms = transforms_of(places);
        const PlacedMesh both[] = {{mesh_.get(), transforms[0]}, {other.mesh_.get(), transforms[1]}};
        for (std::size_t i = 0; i < 2; ++i) {
            const Aabb bounds =
                is_placement(both[i].world_from_mesh) ? placed_bounds(both[i]) : Aabb::empty();
            const bool is_in_range =
                both[i].mesh->triangle_count() == 0 || (is_finite(bounds.min) && is_finite(bounds.max));
            if (!is_placement(both[i].world_from_mesh) || !is_in_range)
                throw py::index_error(std::to_string(i));
        }
        return {both[0], both[1]};
    }

    std::shared_ptr<TriangleMesh> mesh_ = std::make_shared<TriangleMesh>();
};

}  // namespace

std::shared_ptr<const TriangleMesh> triangles_of(py::handle mesh) {
    return py::cast<const Mesh&>(mesh).mesh();
}

void bind_mesh(py::module_& module) {
    py::class_<Mesh> mesh(module, "Mesh");
    mesh.def(py::init<>())
        .def(py::init<const FloatRows&, const py::array_t<std::uint32_t, py::array::c_style>&, bool,
                      std::uint32_t>())
        .def("size", &Mesh::size)
        .def("degenerate_count", &Mesh::degenerate_count)
        .def("components", &Mesh::components)
        .def("triangles", &Mesh::triangles)
        .def("triangle_pairs", &Mesh::triangle_pairs)
        .def("impact", &Mesh::impact)
        .def("closest_triangles", &Mesh::closest_triangles)
        .def("relation", &Mesh::relation)
        .def("save", &Mesh::save)
        .def("restore", &Mesh::restore);
    MeshQueries<Mesh, MeshWords>::bind(mesh);
}

}  // namespace broadside::python
