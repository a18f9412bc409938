// A tree of spheres over the parts of a body, or the triangles of a mesh, and tree against tree.
#pragma once

#include <broadside/export.hpp>
#include <broadside/mesh.hpp>
#include <broadside/mesh_pairs.hpp>
#include <broadside/sphere.hpp>

namespace BROADSIDE_API broadside {

/// A sphere of the tree.
struct SphereTreeNode {
    /// Contains the spheres of all parts below it.
    Sphere sphere = {};
    /// The first of two children, the next node is the second; kNoTriangle for a leaf.
    std::uint32_t first_child = kNoTriangle;
    /// The part of a leaf; kNoTriangle for an inner node.
    std::uint32_t part = kNoTriangle;

    bool is_leaf() const noexcept { return first_child == kNoTriangle; }
};

/// A tree with one sphere around the body, smaller ones around its halves, down to one for each part
/// (source_rules.md B7). Parts are halved by their centers along the longest axis. A sphere is the smaller of
/// two around the spheres of all its parts. One is about the center of the smallest sphere around their
/// centers, the other about the center of the box around them.
///
/// How tight: on meshes the sphere of a node is at the median up to 1.2 times as wide as the smallest one
/// around its triangles' corners, and at most 1.5 times. tests/narrowphase/sphere_tree/sphere_tree_test.cpp
/// asserts it. Immutable except for `build` and `clear`; const calls may run on several threads. The same
/// bits on every ISA.
class SphereTree {
public:
    explicit SphereTree(const Allocator& allocator = default_allocator()) noexcept : nodes_(allocator) {}

    /// Replaces the tree. ok; invalid_argument for an invalid sphere, the first of which is `bad_index`, or
    /// for more than 2^30 parts; out_of_memory; unsupported_isa. Unless the status is ok the tree is
    /// unchanged. 48 bytes a part, 48 more while it builds. O(n log n).
    BatchResult build(std::span<const Sphere> parts) noexcept;
    /// As above with one part per triangle: the smallest sphere around it.
    BatchResult build(const TriangleMesh& mesh) noexcept;
    void clear() noexcept { nodes_.clear(); }

    std::size_t part_count() const noexcept { return (nodes_.size() + 1) / 2; }
    /// The root is node 0; an empty tree has none.
    std::size_t node_count() const noexcept { return nodes_.size(); }
    const SphereTreeNode& node(std::uint32_t node_index) const noexcept;
    std::size_t capacity_bytes() const noexcept { return nodes_.capacity_bytes(); }

    // Internal to the library.

    const SphereTreeNode* nodes() const noexcept { return nodes_.data(); }

private:
    AlignedArray<SphereTreeNode> nodes_;
};

/// A sphere in the world: its center as any point, its radius times the scale (the length of row_x, in
/// doubles), rounded to float.
Sphere placed(const Transform& world_from_tree, const Sphere& sphere) noexcept;

// Tree against tree, from the largest spheres down, only where spheres overlap. A pair is two parts (a, b)
// for which `overlap(placed(a), placed(b))` is true. invalid_argument for a transform that is not a
// placement (placed_mesh.hpp).

/// All pairs, ascending by a, then by b. Pairs that do not fit are counted in `required`. `out_counts` is
/// optional.
WriteResult find_part_pairs(const SphereTree& a, const Transform& world_from_a, const SphereTree& b,
                            const Transform& world_from_b, MeshScratch& scratch,
                            std::span<IndexPair> out_pairs, PairSearchCounts* out_counts = nullptr) noexcept;
/// Whether there is a pair; ends at the first.
AnyPairResult any_part_pair(const SphereTree& a, const Transform& world_from_a, const SphereTree& b,
                            const Transform& world_from_b) noexcept;

}  // namespace broadside
