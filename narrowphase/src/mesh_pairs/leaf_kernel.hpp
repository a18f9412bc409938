// The placed triangles of two leaves: finds the pairs whose boxes meet and that their planes do not separate.
#pragma once

#include "narrowphase/src/mesh_pairs/planes_kernel.hpp"

namespace broadside::narrowphase {

BROADSIDE_FORCE_INLINE Aabb grown(const Aabb& box, float pad) {
    return {box.min - Vec3{pad, pad, pad}, box.max + Vec3{pad, pad, pad}};
}

/// The lanes of a leaf whose boxes meet a box of the other mesh, which moves by `motion`.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t lanes_near(const PlacedPair& pair, const PlacedLeaf& leaf,
                                                const Aabb& box, Vec3 motion, float limit) {
    if (pair.is_moving) {
        const nodes::SlabQuery query = nodes::slab_query(grown(box, pair.world_pad), motion, limit);
        nodes::NodeFloats<Arch> keys;
        return nodes::SlabShape<Arch>(query).test(leaf.planes, limit, keys);
    }
    return nodes::BoxShape<Arch>(nodes::BoxQuery(box)).test(leaf.planes);
}

/// A placed leaf of either mesh, and its planes if they are needed.
struct PairLeaf {
    PlacedLeaf placed;
    LeafPlanes planes;
};

/// Tests the triangles of b that are near a, one by one against all of a.
template <class Arch>
BROADSIDE_FORCE_INLINE void meet_leaves(const PlacedPair& pair, PairLeaf& state_a, std::uint32_t a_count,
                                        PairLeaf& state_b, std::uint32_t b_count,
                                        TrianglePairSink& state_sink) {
    ++state_sink.leaf_pairs;
    const PlacedLeaf& a = state_a.placed;
    const PlacedLeaf& b = state_b.placed;
    const Vec3 motion = narrowed(pair.motion);
    const std::uint32_t a_lanes = (2u << (a_count - 1)) - 1;
    std::uint32_t b_lanes = (2u << (b_count - 1)) - 1;
    b_lanes &= lanes_near<Arch>(pair, b, a.box, -motion, state_sink.limit);
    if (b_lanes == 0) return;
    // Scalar has no groups, so one plane cannot separate many triangles at once.
    constexpr bool kHasPlanes = !simd::is_scalar<Arch>;
    const bool are_parted_by_planes = kHasPlanes && !pair.is_moving;
    if constexpr (kHasPlanes) {
        if (are_parted_by_planes) {
            set_planes<Arch>(a, state_a.planes);
            set_planes<Arch>(b, state_b.planes);
        }
    }
    for (; b_lanes != 0; b_lanes &= b_lanes - 1) {
        const auto lane_b = static_cast<std::uint32_t>(__builtin_ctz(b_lanes));
        const Aabb box = nodes::lane_box(b.planes, lane_b);
        const std::uint32_t near = lanes_near<Arch>(pair, a, box, motion, state_sink.limit) & a_lanes;
        if (near == 0) continue;
        std::uint32_t lanes = near;
        if constexpr (kHasPlanes) {
            if (are_parted_by_planes)
                lanes = lanes_not_apart<Arch>(a, state_a.planes, b, state_b.planes, lane_b, near);
        }
        for (; lanes != 0; lanes &= lanes - 1) {
            const auto lane_a = static_cast<std::uint32_t>(__builtin_ctz(lanes));
            if (state_sink.meet(state_sink, a.triangle(lane_a), b.triangle(lane_b), a.leaf->triangles[lane_a],
                                b.leaf->triangles[lane_b]))
                continue;
            // Counts pairs whose boxes meet, up to the last one tested.
            state_sink.triangle_tests +=
                static_cast<std::uint32_t>(__builtin_popcount(near & ((2u << lane_a) - 1)));
            state_sink.has_ended = true;
            return;
        }
        state_sink.triangle_tests += static_cast<std::uint32_t>(__builtin_popcount(near));
    }
}

template <class Arch>
void leaves_kernel(const PlacedPair& pair, const LeafPart& a, const LeafPart& b,
                   TrianglePairSink& state_sink) {
    PairLeaf placed_a, placed_b;
    place_leaf<Arch>(pair.place_a, *a.leaf, placed_a.placed);
    place_leaf<Arch>(pair.place_b, *b.leaf, placed_b.placed);
    meet_leaves<Arch>(pair, placed_a, a.count, placed_b, b.count, state_sink);
}

}  // namespace broadside::narrowphase
