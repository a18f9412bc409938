// The kernels of the tree as function pointers.
#pragma once

#include "broadphase/src/tree/hits.hpp"
#include "core/src/geometry/node_shapes_scalar.hpp"
#include "core/src/geometry/obb_box_filter.hpp"

#include <broadside/pair_buffer.hpp>

namespace broadside::broadphase {

/// Boxes copied from a tree, in rows like those of a node.
struct PacketBoxes {
    /// With more boxes than this in common, queries are faster alone.
    static constexpr std::uint32_t kMax = 256;
    /// A register may be stored in full behind the last box.
    static constexpr std::uint32_t kRoom = kMax + 2 * kNodeWidth;

    alignas(64) float rows[6][kRoom];
    alignas(64) std::int32_t box_index[kRoom];
    std::uint32_t count;
};

/// Up to this count, comparing each number with each is the fastest way to sort. Four lanes at a time it is
/// there about as fast as sorting by pieces, sixteen at a time far beyond.
inline constexpr std::uint32_t kSortedByRankMax = 384;

// Four families, so that a program leaves out what it never calls: a World without queries links the first alone.

/// Boxes that boxes overlap, and the upkeep of a tree.
struct TreeKernels {
    void (*all_boxes)(const TreeView& tree, const BoxQuery& query, HitBlock<std::uint32_t>& state_block);
    bool (*any_box)(const TreeView& tree, const BoxQuery& query);
    bool (*take_packet)(const TreeView* trees, std::uint32_t tree_count, const BoxQuery& around,
                        PacketBoxes& out_boxes);
    void (*sort_packet)(const PacketBoxes& boxes, PacketBoxes& out_sorted);
    std::uint32_t (*test_packet)(const PacketBoxes& boxes, const BoxQuery& query, std::uint32_t query_index,
                                 IndexPair* out_pairs);
    /// Pairs of the boxes of one leaf of `a` with those of `b`: slot of a below, slot of b above. Within one
    /// tree only pairs whose slot of b is the greater one.
    void (*leaf_pairs)(const TreeView& a, std::uint32_t leaf, const TreeView& b, bool is_one_tree,
                       HitBlock<std::uint64_t>& state_block);
    /// Sorts up to kSortedByRankMax numbers below 2^31, no two of them equal, ascending. `numbers` and
    /// `out_numbers` have room for kSortedByRankMax, and do not overlap.
    void (*sort_by_rank)(std::uint32_t* numbers, std::uint32_t count, std::uint32_t* out_numbers);
    /// Finishes the nodes at `count` indices from `first` on, whose planes are complete: writes the box
    /// around each to its slot in its parent. close_leaves first makes empty lanes of invalid boxes and of
    /// lanes without a box, and +0 of -0. It returns the number of lanes that are not empty.
    void (*close_nodes)(float* planes, const std::uint32_t* parents, std::uint32_t first,
                        std::uint32_t count);
    std::uint32_t (*close_leaves)(float* planes, const std::uint32_t* links, const std::uint32_t* parents,
                                  std::uint32_t first, std::uint32_t count);
    /// Updates the boxes above the node at an index, as far up as they change.
    void (*refit_up)(float* planes, const std::uint32_t* parents, std::uint32_t index);
    /// The lane of a node's child that a valid box should join; any lane if no child has a box.
    std::uint32_t (*choose_child)(const float* node, const Aabb& box);

    static const TreeKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

/// Boxes that rays and moving boxes meet.
struct TreeLineKernels {
    void (*all_slabs)(const TreeView& tree, const SlabQuery& query, HitBlock<std::uint64_t>& state_block);
    bool (*any_slab)(const TreeView& tree, const SlabQuery& query);
    /// slab_query(prepared_ray(ray, settings)) for each ray, with settings that have this far_padding.
    void (*prepare_rays)(const Ray* rays, std::uint32_t count, float padding, SlabQuery* out_queries);
    /// For every query 1 if it meets a box, else 0. The tree is not empty.
    void (*any_slabs)(const TreeView& tree, const SlabQuery* queries, std::uint32_t count,
                      std::uint8_t* out_is_met);
    /// The box that one query alone meets first.
    FirstBox (*first_slab)(const TreeView& tree, const SlabQuery& query);
    /// For every query the box that it meets first. The tree is not empty.
    void (*first_slabs)(const TreeView& tree, const SlabQuery* queries, std::uint32_t count,
                        FirstBox* out_closest);
    /// The same for at most kPacketSize queries, best if they have about the same direction and origin.
    void (*first_slabs_packet)(const TreeView& tree, const SlabQuery* queries, std::uint32_t count,
                               FirstBox* out_closest);
    /// Visits all boxes that at most kPacketSize such queries meet. None of them may_underflow.
    void (*visit_slabs_packet)(const TreeView& tree, const SlabQuery* queries, std::uint32_t count,
                               PacketVisitor& state_visitor);
    /// Visits several trees as one, always a leaf of the nearest tree next.
    void (*visit_slabs)(const TreeView* trees, std::uint32_t tree_count, const SlabQuery& query,
                        KeyedVisitor& state_visitor);

    static const TreeLineKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

/// Boxes that other shapes overlap or meet.
struct TreeShapeKernels {
    void (*all_planes)(const TreeView& tree, const PlanesQuery& query, HitBlock<std::uint32_t>& state_block);
    /// It does not decide on the boxes that it gives with a key other than 0.
    void (*all_obbs)(const TreeView& tree, const ObbFilter& filter, HitBlock<std::uint64_t>& state_block);
    void (*all_spheres)(const TreeView& tree, const SphereQuery& query, HitBlock<std::uint64_t>& state_block);
    void (*all_within)(const TreeView& tree, const DistanceQuery& query, float limit,
                       HitBlock<std::uint64_t>& state_block);
    void (*visit_spheres)(const TreeView* trees, std::uint32_t tree_count, const SphereQuery& query,
                          KeyedVisitor& state_visitor);

    static const TreeShapeKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

/// Boxes within a distance.
struct TreeNearKernels {
    void (*visit_close)(const TreeView* trees, std::uint32_t tree_count, const DistanceQuery& query,
                        KeyedVisitor& state_visitor);
    /// Pairs of boxes that may be within the visitor's reach, among them all that are, mostly near before
    /// far. Neither tree is empty; within one tree each pair comes once.
    void (*close_pairs)(const TreeView& a, const TreeView& b, bool is_one_tree,
                        KeyedPairVisitor& state_visitor);

    static const TreeNearKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

}  // namespace broadside::broadphase
