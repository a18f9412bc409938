// A tree of oriented boxes over the triangles of a mesh.
#pragma once

#include <broadside/export.hpp>
#include <broadside/mesh.hpp>
#include <broadside/obb.hpp>

// Internal to the library; a shared library does not export it.
namespace broadside::narrowphase {
struct MeshLeaf;
}  // namespace broadside::narrowphase

namespace BROADSIDE_API broadside {

/// When splitting stops (source_rules.md B30, rule 3).
struct ObbTreeSettings {
    /// Levels below the root, at most 64. At the deepest level, boxes are leaves whatever they hold. Default:
    /// as deep as any tree of fewer than 2^30 triangles that is split about in half.
    std::uint32_t max_depth = 48;
    /// A box of this many triangles or fewer is a leaf. At least 1. Default: the width of a kernel.
    std::uint32_t leaf_triangle_count = 16;
};

/// A box of the tree.
struct ObbTreeNode {
    /// Contains all corners of its triangles.
    Obb box = {};
    /// The two parts; kNoTriangle for a leaf.
    std::uint32_t first_child = kNoTriangle;
    std::uint32_t second_child = kNoTriangle;
    /// The number of its triangles, and its level below the root.
    std::uint32_t triangle_count = 0;
    std::uint32_t depth = 0;
    /// Internal to the library: the first of the leaf's clusters.
    std::uint32_t first_cluster = 0;

    bool is_leaf() const noexcept { return first_child == kNoTriangle; }
};

/// A tree of oriented boxes, built from the top down. A box is fitted to its triangles: along the axes of
/// their spread, by area (S. Gottschalk, M. Lin, D. Manocha, "OBBTree: A Hierarchical Structure for Rapid
/// Interference Detection", 1996), or along x, y and z if that box is smaller. Its longest axis is cut at the
/// mean of the triangles' centers; if they are all on one side, the second longest, then the third
/// (source_rules.md B29 to B31). Triangles with the same center stay together.
///
/// It keeps a copy of the triangles for searches that use it (PlacedMesh::obb_tree). Immutable except for
/// `build` and `clear`; const calls may run on several threads. The same bits on every ISA.
class ObbTree {
public:
    explicit ObbTree(const Allocator& allocator = default_allocator()) noexcept;

    /// Replaces the tree by that of a mesh, which needs to live for the call only. ok; invalid_argument for
    /// settings out of their range; out_of_memory. Unless the status is ok the tree is unchanged. 70 to 105
    /// bytes a triangle, 90 more while it builds. O(n log n) if splits are about in half.
    Status build(const TriangleMesh& mesh, const ObbTreeSettings& settings = {}) noexcept;
    void clear() noexcept;

    std::size_t triangle_count() const noexcept { return shape_.triangle_count; }
    /// The root is node 0; an empty tree has none.
    std::size_t node_count() const noexcept { return nodes_.size(); }
    const ObbTreeNode& node(std::uint32_t node_index) const noexcept;
    /// The index in the mesh of triangle i of a leaf.
    std::uint32_t leaf_triangle(const ObbTreeNode& leaf, std::uint32_t i) const noexcept;
    std::size_t capacity_bytes() const noexcept;

    // Internal to the library.

    const ObbTreeNode* nodes() const noexcept { return nodes_.data(); }
    const narrowphase::MeshLeaf* clusters() const noexcept;

private:
    struct Shape {
        std::size_t triangle_count = 0;
    };

    AlignedArray<ObbTreeNode> nodes_;
    /// Each holds up to sixteen triangles of a leaf: MeshLeaf of narrowphase/src/mesh/layout.hpp.
    AlignedArray<std::byte> clusters_;
    ResetOnMove<Shape> shape_;
};

}  // namespace broadside
