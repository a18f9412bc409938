// Walks down the trees of two meshes for their closest triangles, near boxes first.
#pragma once

#include "narrowphase/src/mesh_pairs/distance_leaf_kernel.hpp"
#include "narrowphase/src/mesh_pairs/pair_walk_kernel.hpp"

namespace broadside::narrowphase {

/// The children of one side that are still to be visited, each with the same box of the other side.
template <class Arch>
struct DistanceFrame {
    nodes::NodeFloats<Arch> keys;
    const MeshNode* node;
    PairSide other;
    std::uint32_t rest;
    std::uint32_t side;
    /// The direction of the search by which the children were tested.
    std::uint32_t turn;
};

/// How far a box of a side reaches along its direction.
BROADSIDE_FORCE_INLINE double box_reach(const DirectionSide& side, const Aabb& box) {
    const auto on_axis = [](double along, float min, float max) {
        const double of_min = along * static_cast<double>(min);
        const double of_max = along * static_cast<double>(max);
        return of_min > of_max ? of_min : of_max;
    };
    const Vec3Double& m = side.exact;
    return ((on_axis(m.x, box.min.x, box.max.x) + on_axis(m.y, box.min.y, box.max.y)) +
            on_axis(m.z, box.min.z, box.max.z)) +
           side.origin;
}

/// The lanes of a node whose boxes the direction does not separate by more than the reach from the other box.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t lanes_near_along(const PairDistanceSearch& search,
                                                      const DirectionSide& here, const float* planes,
                                                      double of_other) {
    const double sum = (of_other + here.origin) + (search.reach + search.slack);
    // Rounded down.
    const double least = -sum - __builtin_fabs(sum) * 0x1p-22;
    if (!(__builtin_fabs(least) < static_cast<double>(FLT_MAX))) return nodes::kAllLanes;
    const Vec3 along = here.in_mesh;
    const float* const row_x = planes + (along.x < 0.0f ? nodes::kMinX : nodes::kMaxX) * kNodeWidth;
    const float* const row_y = planes + (along.y < 0.0f ? nodes::kMinY : nodes::kMaxY) * kNodeWidth;
    const float* const row_z = planes + (along.z < 0.0f ? nodes::kMinZ : nodes::kMaxZ) * kNodeWidth;
    const auto least_float = static_cast<float>(least);
    using namespace simd;
    const Vec3W<Arch> along_w = broadcast<Arch>(along);
    return nodes::join_groups<Arch>([&](std::uint32_t first) {
        const FloatW<Arch> reach =
            dot(along_w, Vec3W<Arch>{load_aligned<Arch>(row_x + first), load_aligned<Arch>(row_y + first),
                                     load_aligned<Arch>(row_z + first)});
        // if (reach < least) too far apart
        return ~(reach < broadcast<Arch>(least_float));
    });
}

template <class Arch>
void distance_walk_kernel(const PlacedPair& pair, const MeshView& mesh_a, const MeshView& mesh_b,
                          PairDistanceSearch& state_search) {
    DistanceFrame<Arch> frames[2 * kMeshLevelCount];
    DistanceFrame<Arch>* frame = frames;
    // As in pair_walk_kernel.
    PlacedLeaf leaves_a[kPairLeafCount], leaves_b[kPairLeafCount];
    PairSide a = {mesh_a.root, mesh_a.bounds};
    PairSide b = {mesh_b.root, mesh_b.bounds};
    while (true) {
        if (a.is_leaf() && b.is_leaf()) {
            PlacedLeaf& leaf_a = leaves_a[leaf_index(a.child) % kPairLeafCount];
            PlacedLeaf& leaf_b = leaves_b[leaf_index(b.child) % kPairLeafCount];
            place_leaf<Arch>(pair.place_a, mesh_a.leaves[leaf_index(a.child)], leaf_a);
            place_leaf<Arch>(pair.place_b, mesh_b.leaves[leaf_index(b.child)], leaf_b);
            if (!measure_leaves<Arch>(leaf_a, leaf_count(a.child), leaf_b, leaf_count(b.child), state_search))
                return;
        } else {
            ++state_search.box_tests;
            frame->side = b.is_leaf() || (!a.is_leaf() && a.size() >= b.size() * pair.scale_of_b) ? 0 : 1;
            frame->other = frame->side == 0 ? b : a;
            frame->node = frame->side == 0 ? mesh_a.nodes + a.child : mesh_b.nodes + b.child;
            const BoxFrame& seen_from = frame->side == 0 ? pair.a_from_b : pair.b_from_a;
            const nodes::DistanceQuery query(seen_box(seen_from, frame->other.box));
            frame->rest = nodes::DistanceShape<Arch>(query).test(
                frame->node->planes, state_search.limits[frame->side], frame->keys);
            frame->turn = 0;
            ++frame;
        }
        std::uint32_t rest = 0;
        while (rest == 0) {
            if (frame == frames) return;
            --frame;
            rest = frame->rest & nodes::lanes_within<Arch>(frame->keys, state_search.limits[frame->side]);
            if (rest != 0 && frame->turn != state_search.turn) {
                frame->turn = state_search.turn;
                const bool is_of_a = frame->side == 0;
                const DirectionSide& there = state_search.sides[1 - frame->side];
                double of_other;
                if (frame->other.is_leaf()) {
                    PlacedLeaf& leaf =
                        (is_of_a ? leaves_b : leaves_a)[leaf_index(frame->other.child) % kPairLeafCount];
                    place_leaf<Arch>(is_of_a ? pair.place_b : pair.place_a,
                                     (is_of_a ? mesh_b : mesh_a).leaves[leaf_index(frame->other.child)],
                                     leaf);
                    of_other = largest_reach<Arch>(leaf, there.in_world);
                } else {
                    of_other = box_reach(there, frame->other.box);
                }
                rest &= lanes_near_along<Arch>(state_search, state_search.sides[frame->side],
                                               frame->node->planes, of_other);
            }
        }
        const std::uint32_t lane = nodes::nearest_lane<Arch>(frame->keys, rest);
        frame->rest = rest & ~(1u << lane);
        const PairSide child = {frame->node->children[lane], nodes::lane_box(frame->node->planes, lane)};
        a = frame->side == 0 ? child : frame->other;
        b = frame->side == 0 ? frame->other : child;
        ++frame;
    }
}

}  // namespace broadside::narrowphase
