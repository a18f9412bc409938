// TriangleMesh: what goes in, and what it is made of.
#include <broadside/float_environment.hpp>
#include <broadside/mesh.hpp>

#include "core/src/argument.hpp"
#include "core/src/zones.hpp"
#include "narrowphase/src/mesh/build.hpp"

#include <utility>

namespace broadside {

using narrowphase::MeshLeaf;
using narrowphase::MeshNode;
using narrowphase::MeshView;

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

// Nodes are appended, which leaves room behind the end that a mesh has no use for.
bool trim(AlignedArray<std::byte>& state_bytes) {
    AlignedArray<std::byte> trimmed = state_bytes.make_empty();
    if (!trimmed.resize(state_bytes.size())) return false;
    if (!state_bytes.is_empty()) std::memcpy(trimmed.data(), state_bytes.data(), state_bytes.size());
    state_bytes = std::move(trimmed);
    return true;
}

}  // namespace

TriangleMesh::TriangleMesh(const Allocator& allocator) noexcept
    : nodes_(allocator), leaves_(allocator), slots_(allocator), component_triangles_(allocator) {}

MeshBuildResult TriangleMesh::build(std::span<const Vec3> vertices,
                                    std::span<const std::uint32_t> indices) noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("TriangleMesh::build");
    if (const MeshBuildResult result = find_fault(vertices, indices); result.status != Status::ok)
        return result;
    AlignedArray<std::byte> nodes = nodes_.make_empty();
    AlignedArray<std::byte> leaves = leaves_.make_empty();
    AlignedArray<std::uint32_t> slots = slots_.make_empty();
    AlignedArray<std::uint32_t> component_triangles = component_triangles_.make_empty();
    narrowphase::MeshFacts facts;
    const Status status = narrowphase::build_tree(vertices, indices, facts, {nodes, leaves, slots});
    if (status != Status::ok || !trim(nodes)) return {Status::out_of_memory};
    if (narrowphase::find_components(vertices, indices, component_triangles) != Status::ok)
        return {Status::out_of_memory};
    nodes_ = std::move(nodes);
    leaves_ = std::move(leaves);
    slots_ = std::move(slots);
    component_triangles_ = std::move(component_triangles);
    static_cast<Shape&>(shape_) = {facts.degenerate_count, facts.root, facts.bounds};
    return {};
}

void TriangleMesh::clear() noexcept {
    nodes_.clear();
    leaves_.clear();
    slots_.clear();
    component_triangles_.clear();
    static_cast<Shape&>(shape_) = {};
}

Triangle TriangleMesh::triangle(std::uint32_t triangle_index) const noexcept {
    BROADSIDE_ASSERT(triangle_index < slots_.size(), "triangle_index: at or past the count");
    return view().triangle_at(slots_[triangle_index]);
}

std::size_t TriangleMesh::capacity_bytes() const noexcept {
    return nodes_.capacity_bytes() + leaves_.capacity_bytes() + slots_.capacity_bytes() +
           component_triangles_.capacity_bytes();
}

MeshView TriangleMesh::view() const noexcept {
    return {reinterpret_cast<const MeshNode*>(nodes_.data()),
            reinterpret_cast<const MeshLeaf*>(leaves_.data()), shape_.root, shape_.bounds};
}

}  // namespace broadside
