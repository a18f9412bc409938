// The tree of a mesh: which triangles share a leaf, and which leaves a node.
#pragma once

#include "narrowphase/src/mesh/layout.hpp"
#include "narrowphase/src/mesh_build/components.hpp"

#include <broadside/status.hpp>
#include <broadside/task_runner.hpp>

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

/// Sorts valid triangles into a new tree, and finds the components meanwhile. Empty parts go in; what is in them
/// after a failure means nothing. Memory is taken and given back on the caller's thread alone.
Status build_tree(std::span<const Vec3> vertices, std::span<const std::uint32_t> indices,
                  const TaskRunner* runner, MeshComponents& state_components, MeshFacts& out_facts,
                  const MeshParts& out_parts) noexcept;

}  // namespace broadside::narrowphase
