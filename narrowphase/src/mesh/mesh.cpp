// TriangleMesh: memory and access to triangles.
#include <broadside/mesh.hpp>

#include "narrowphase/src/mesh/layout.hpp"

namespace broadside {

using narrowphase::MeshLeaf;
using narrowphase::MeshNode;
using narrowphase::MeshView;

TriangleMesh::TriangleMesh(const Allocator& allocator) noexcept
    : nodes_(allocator), leaves_(allocator), slots_(allocator), component_triangles_(allocator) {}

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
