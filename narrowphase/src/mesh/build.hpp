// The tree of a mesh: which triangles share a leaf, and which leaves a node.
#pragma once

#include "narrowphase/src/mesh/layout.hpp"

#include <broadside/aligned_array.hpp>
#include <broadside/status.hpp>
#include <broadside/vec3.hpp>

#include <span>

namespace broadside::narrowphase {

/// What a mesh is made of, nodes and leaves as bytes.
struct MeshParts {
    AlignedArray<std::byte>& nodes;
    AlignedArray<std::byte>& leaves;
    AlignedArray<std::uint32_t>& slots;
};

/// What is said of all of it.
struct MeshFacts {
    std::uint32_t root = kNoChild;
    Aabb bounds = Aabb::empty();
    std::size_t degenerate_count = 0;
};

/// Sorts valid triangles into a new tree. Empty parts go in; what is in them after a failure means nothing.
Status build_tree(std::span<const Vec3> vertices, std::span<const std::uint32_t> indices,
                  MeshFacts& out_facts, const MeshParts& out_parts) noexcept;

/// The first triangle of each connected component, ascending; an empty array goes in. Triangles hang together that
/// share a corner, by its index or by its place. O(n).
Status find_components(std::span<const Vec3> vertices, std::span<const std::uint32_t> indices,
                       AlignedArray<std::uint32_t>& out_first_triangles) noexcept;

}  // namespace broadside::narrowphase
