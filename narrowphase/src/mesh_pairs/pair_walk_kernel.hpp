// Walks down the trees of two meshes at once: a step tests the children of the larger box with the other.
#pragma once

#include "narrowphase/src/mesh_pairs/leaf_kernel.hpp"

namespace broadside::narrowphase {

/// A node or leaf of a mesh, with its box.
struct PairSide {
    std::uint32_t child;
    Aabb box;

    BROADSIDE_FORCE_INLINE bool is_leaf() const { return is_mesh_leaf(child); }
    BROADSIDE_FORCE_INLINE float size() const {
        return ((box.max.x - box.min.x) + (box.max.y - box.min.y)) + (box.max.z - box.min.z);
    }
};

/// The children of one side that are still to be visited, each with the same box of the other side.
template <class Arch>
struct PairFrame {
    nodes::NodeFloats<Arch> keys;
    const MeshNode* node;
    PairSide other;
    std::uint32_t rest;
    bool is_node_of_a;
};

inline constexpr std::uint32_t kPairLeafCount = 4;

template <class Arch>
void pair_walk_kernel(const PlacedPair& pair, const MeshView& mesh_a, const MeshView& mesh_b,
                      TrianglePairSink& state_sink) {
    PairFrame<Arch> frames[2 * kMeshLevelCount];
    PairFrame<Arch>* frame = frames;
    // A cache of a few leaves of each side, by their index: walks come back to leaves.
    PairLeaf leaves_a[kPairLeafCount], leaves_b[kPairLeafCount];
    PairSide a = {mesh_a.root, mesh_a.bounds};
    PairSide b = {mesh_b.root, mesh_b.bounds};
    while (true) {
        if (a.is_leaf() && b.is_leaf()) {
            PairLeaf& leaf_a = leaves_a[leaf_index(a.child) % kPairLeafCount];
            PairLeaf& leaf_b = leaves_b[leaf_index(b.child) % kPairLeafCount];
            place_leaf<Arch>(pair.place_a, mesh_a.leaves[leaf_index(a.child)], leaf_a.placed);
            place_leaf<Arch>(pair.place_b, mesh_b.leaves[leaf_index(b.child)], leaf_b.placed);
            meet_leaves<Arch>(pair, leaf_a, leaf_count(a.child), leaf_b, leaf_count(b.child), state_sink);
            if (state_sink.has_ended) return;
        } else {
            ++state_sink.box_tests;
            frame->is_node_of_a = b.is_leaf() || (!a.is_leaf() && a.size() >= b.size() * pair.scale_of_b);
            const PairSide& split = frame->is_node_of_a ? a : b;
            const BoxFrame& seen_from = frame->is_node_of_a ? pair.a_from_b : pair.b_from_a;
            frame->other = frame->is_node_of_a ? b : a;
            frame->node = (frame->is_node_of_a ? mesh_a.nodes : mesh_b.nodes) + split.child;
            const Aabb box = seen_box(seen_from, frame->other.box);
            if (pair.is_moving) {
                const nodes::SlabQuery query =
                    nodes::slab_query(box, seen_from.displacement, state_sink.limit);
                frame->rest =
                    nodes::SlabShape<Arch>(query).test(frame->node->planes, state_sink.limit, frame->keys);
            } else {
                frame->keys = {};
                frame->rest = nodes::BoxShape<Arch>(nodes::BoxQuery(box)).test(frame->node->planes);
            }
            ++frame;
        }
        std::uint32_t rest = 0;
        while (rest == 0) {
            if (frame == frames) return;
            --frame;
            rest = frame->rest;
            if (pair.is_moving) rest &= nodes::lanes_within<Arch>(frame->keys, state_sink.limit);
        }
        const std::uint32_t lane = pair.is_moving ? nodes::nearest_lane<Arch>(frame->keys, rest)
                                                  : static_cast<std::uint32_t>(__builtin_ctz(rest));
        frame->rest = rest & ~(1u << lane);
        const PairSide child = {frame->node->children[lane], nodes::lane_box(frame->node->planes, lane)};
        a = frame->is_node_of_a ? child : frame->other;
        b = frame->is_node_of_a ? frame->other : child;
        ++frame;
    }
}

}  // namespace broadside::narrowphase
