// TriangleMesh: build and its input checks.
#include <broadside/float_environment.hpp>
#include <broadside/mesh.hpp>

#include "core/src/argument.hpp"
#include "core/src/zones.hpp"
#include "narrowphase/src/mesh_build/tree.hpp"

#include <utility>

namespace broadside {
namespace {

// The first fault of the input, in the order of MeshFault.
MeshBuildResult find_fault(std::span<const Vec3> vertices, std::span<const std::uint32_t> indices) {
    if (!BROADSIDE_ARGUMENT(indices.size() % 3 == 0, "indices: their number is no multiple of three"))
        return {Status::invalid_argument, MeshFault::incomplete_triangle, kNoIndex};
    if (!BROADSIDE_ARGUMENT(indices.size() / 3 < kMaxTriangleCount,
                            "indices: kMaxTriangleCount triangles or more"))
        return {Status::invalid_argument, MeshFault::too_many_triangles, kNoIndex};
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (!BROADSIDE_ARGUMENT(indices[i] < vertices.size(), "indices: one is past the last vertex"))
            return {Status::invalid_argument, MeshFault::index_out_of_range, i};
    }
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        if (!BROADSIDE_ARGUMENT(is_finite(vertices[i]), "vertices: one is not finite"))
            return {Status::invalid_argument, MeshFault::vertex_not_finite, i};
    }
    return {};
}

}  // namespace

MeshBuildResult TriangleMesh::build(std::span<const Vec3> vertices, std::span<const std::uint32_t> indices,
                                    const TaskRunner* runner, MeshBuildQuality quality) noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("TriangleMesh::build");
    if (!check_runner(runner) || !check_readable(vertices, indices) ||
        !BROADSIDE_ARGUMENT(quality <= MeshBuildQuality::fast, "quality: no enumerator"))
        return {Status::invalid_argument};
    if (const MeshBuildResult result = find_fault(vertices, indices); result.status != Status::ok)
        return result;
    AlignedArray<std::byte> nodes = nodes_.make_empty();
    AlignedArray<std::byte> leaves = leaves_.make_empty();
    AlignedArray<std::uint32_t> slots = slots_.make_empty();
    AlignedArray<std::uint32_t> component_triangles = component_triangles_.make_empty();
    narrowphase::MeshComponents components(vertices, indices, component_triangles);
    narrowphase::MeshFacts facts;
    if (!components.reserve_for_indices()) return {Status::out_of_memory};
    const Status status = narrowphase::build_tree(vertices, indices, quality, runner, components, facts,
                                                  {nodes, leaves, slots});
    if (status != Status::ok || !components.write(component_triangles)) return {Status::out_of_memory};
    nodes_ = std::move(nodes);
    leaves_ = std::move(leaves);
    slots_ = std::move(slots);
    component_triangles_ = std::move(component_triangles);
    static_cast<Shape&>(shape_) = {facts.degenerate_count, facts.root, facts.bounds};
    return {};
}

}  // namespace broadside
