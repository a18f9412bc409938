// The tree of a mesh: the triangles of each leaf, and the leaves of each node.
#pragma once

#include "narrowphase/src/mesh/layout.hpp"
#include "narrowphase/src/mesh_build/components.hpp"

#include <broadside/mesh.hpp>
#include <broadside/status.hpp>
#include <broadside/task_runner.hpp>

namespace broadside::narrowphase {

/// The parts of a mesh, nodes and leaves as bytes.
struct MeshParts {
    AlignedArray<std::byte>& nodes;
    AlignedArray<std::byte>& leaves;
    AlignedArray<std::uint32_t>& slots;
};

/// Properties of the whole mesh.
struct MeshFacts {
    std::uint32_t root = kNoChild;
    Aabb bounds = Aabb::empty();
    std::size_t degenerate_count = 0;
};

/// Sorts valid triangles into a new tree, and finds the components meanwhile. Parts must be empty; after a
/// failure their content is meaningless. Memory is allocated and freed on the caller's thread alone.
Status build_tree(std::span<const Vec3> vertices, std::span<const std::uint32_t> indices,
                  MeshBuildQuality quality, const TaskRunner* runner, MeshComponents& state_components,
                  MeshFacts& out_facts, const MeshParts& out_parts) noexcept;

}  // namespace broadside::narrowphase
