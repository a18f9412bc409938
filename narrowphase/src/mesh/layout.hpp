// The memory layout of a mesh: written by the build, read by the kernels.
#pragma once

#include "core/src/geometry/node.hpp"

#include <broadside/mesh_query.hpp>
#include <broadside/triangle_mesh.hpp>

#include <cstddef>

namespace broadside::narrowphase {

using nodes::kNodeFloats;
using nodes::kNodeWidth;

/// A child is encoded by its kind, its index and its number of triangles less one (leaves only).
inline constexpr std::uint32_t kMeshLeafBit = 0x80000000u;
inline constexpr std::uint32_t kNoChild = 0xFFFFFFFFu;
/// The most levels of nodes above a leaf: first levels that are split at the best plane, then levels that are
/// halved because the tree would get too deep. Sixteenths of 2^30 are single triangles after 8 levels.
inline constexpr std::uint32_t kBestLevelCount = 12;
inline constexpr std::uint32_t kMeshLevelCount = kBestLevelCount + 9;

BROADSIDE_FORCE_INLINE constexpr bool is_mesh_leaf(std::uint32_t child) {
    return (child & kMeshLeafBit) != 0;
}
BROADSIDE_FORCE_INLINE constexpr std::uint32_t mesh_leaf(std::uint32_t index, std::uint32_t count) {
    return kMeshLeafBit | index << 4 | (count - 1);
}
BROADSIDE_FORCE_INLINE constexpr std::uint32_t leaf_index(std::uint32_t child) {
    return (child & ~kMeshLeafBit) >> 4;
}
BROADSIDE_FORCE_INLINE constexpr std::uint32_t leaf_count(std::uint32_t child) { return (child & 15u) + 1; }

/// The boxes of up to kNodeWidth children, in rows, and the children's codes. Lanes without a child hold
/// Aabb::empty(), which every test refuses.
struct alignas(64) MeshNode {
    float planes[kNodeFloats];
    std::uint32_t children[kNodeWidth];
};
/// Up to kNodeWidth triangles: nine rows of corners, as in TriangleSoaView, and their indices. Lanes behind
/// the last triangle repeat it.
struct alignas(64) MeshLeaf {
    float corners[9][kNodeWidth];
    std::uint32_t triangles[kNodeWidth];

    /// The first `count` triangles.
    BROADSIDE_FORCE_INLINE TriangleSoaView view(std::uint32_t count) const {
        return {corners[0], corners[1], corners[2], corners[3], corners[4],
                corners[5], corners[6], corners[7], corners[8], count};
    }
    BROADSIDE_FORCE_INLINE Triangle triangle(std::uint32_t lane) const {
        return {{corners[0][lane], corners[1][lane], corners[2][lane]},
                {corners[3][lane], corners[4][lane], corners[5][lane]},
                {corners[6][lane], corners[7][lane], corners[8][lane]}};
    }
};

/// A slot is leaf · kNodeWidth + lane.
inline constexpr std::uint32_t kNoMeshSlot = 0xFFFFFFFFu;

struct MeshView {
    const MeshNode* nodes = nullptr;
    const MeshLeaf* leaves = nullptr;
    /// kNoChild for an empty mesh.
    std::uint32_t root = kNoChild;
    Aabb bounds = Aabb::empty();

    bool is_empty() const { return root == kNoChild; }
    BROADSIDE_FORCE_INLINE Triangle triangle_at(std::uint32_t slot) const {
        return leaves[slot / kNodeWidth].triangle(slot % kNodeWidth);
    }
    BROADSIDE_FORCE_INLINE std::uint32_t index_at(std::uint32_t slot) const {
        return leaves[slot / kNodeWidth].triangles[slot % kNodeWidth];
    }
};

}  // namespace broadside::narrowphase
