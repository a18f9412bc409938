// The distances of the placed triangles of two leaves: leaves out the pairs that are certainly too far apart.
#pragma once

#include "narrowphase/src/mesh_pairs/distance_search.hpp"
#include "narrowphase/src/mesh_pairs/placed_leaf.hpp"

namespace broadside::narrowphase {

/// How far the triangles of a leaf reach along a direction, relative to a point.
struct alignas(64) LeafReach {
    float reach[kNodeWidth];
};

/// The largest coordinate of each lane's corners along a direction.
template <class Arch>
BROADSIDE_FORCE_INLINE void reach_along(const PlacedLeaf& leaf, Vec3 direction, Vec3 origin,
                                        LeafReach& out_reach) {
    using namespace simd;
    const Vec3W<Arch> along = broadcast<Arch>(direction);
    const Vec3W<Arch> from = broadcast<Arch>(origin);
    for (std::uint32_t first = 0; first < kNodeWidth; first += Arch::kLanes) {
        const auto corner = [&](std::uint32_t row) {
            return dot(along, Vec3W<Arch>{load_aligned<Arch>(leaf.corners[row] + first),
                                          load_aligned<Arch>(leaf.corners[row + 1] + first),
                                          load_aligned<Arch>(leaf.corners[row + 2] + first)} -
                                  from);
        };
        store_unaligned(out_reach.reach + first, max_keep(max_keep(corner(0), corner(3)), corner(6)));
    }
}
/// The lanes whose reach is at least `least`.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t lanes_reaching(const LeafReach& reach, float least) {
    return nodes::join_groups<Arch>([&](std::uint32_t first) {
        return simd::load_aligned<Arch>(reach.reach + first) >= simd::broadcast<Arch>(least);
    });
}

/// The largest reach of all lanes, relative to the origin of the world; not too small.
template <class Arch>
BROADSIDE_FORCE_INLINE double largest_reach(const PlacedLeaf& leaf, Vec3 direction) {
    LeafReach of_lanes;
    reach_along<Arch>(leaf, direction, leaf.box.min, of_lanes);
    float largest = of_lanes.reach[0];
    using namespace simd;
    FloatW<Arch> value = load_aligned<Arch>(of_lanes.reach);
    for (std::uint32_t first = Arch::kLanes; first < kNodeWidth; first += Arch::kLanes)
        value = max_keep(load_aligned<Arch>(of_lanes.reach + first), value);
    largest = simd::largest(value);
    const Vec3 size = leaf.box.max - leaf.box.min;
    const double sum =
        (static_cast<double>(size.x) + static_cast<double>(size.y)) + static_cast<double>(size.z);
    return dot(widened(direction), widened(leaf.box.min)) + static_cast<double>(largest) + sum * 0x1p-20;
}

/// Pairs of lanes of two leaves.
struct LeafPairs {
    /// The lanes of a for each lane of b.
    std::uint32_t of_b[kNodeWidth];
    /// The lanes of b that have any.
    std::uint32_t b_lanes;
};

/// Keeps the pairs that the search's direction does not separate by more than its reach.
template <class Arch>
BROADSIDE_FORCE_INLINE void keep_near_along(const PairDistanceSearch& search, const PlacedLeaf& a,
                                            const PlacedLeaf& b, LeafPairs& state_pairs) {
    const Vec3 origin = a.box.min;
    const Vec3 size = max_keep(a.box.max, b.box.max) - min_keep(a.box.min, b.box.min);
    // The direction, coordinates, products and sums are rounded to 2^-24, eight times for a and for b.
    const double sum =
        (static_cast<double>(size.x) + static_cast<double>(size.y)) + static_cast<double>(size.z);
    const double reach = search.reach * (1.0 + 0x1p-21) + sum * 0x1p-20 + 0x1p-120;
    if (!(reach < static_cast<double>(FLT_MAX))) return;
    const auto least = -static_cast<float>(reach);
    LeafReach of_a, of_b;
    reach_along<Arch>(a, search.direction, origin, of_a);
    reach_along<Arch>(b, -search.direction, origin, of_b);
    std::uint32_t kept = 0;
    for (std::uint32_t rest = state_pairs.b_lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
        // if (of_a + of_b < -reach) too far apart
        state_pairs.of_b[lane] &= lanes_reaching<Arch>(of_a, least - of_b.reach[lane]);
        kept |= (state_pairs.of_b[lane] != 0 ? 1u : 0u) << lane;
    }
    state_pairs.b_lanes = kept;
}

/// Returns false if two triangles meet, which ends the search.
template <class Arch>
BROADSIDE_FORCE_INLINE bool measure_leaves(const PlacedLeaf& a, std::uint32_t a_count, const PlacedLeaf& b,
                                           std::uint32_t b_count, PairDistanceSearch& state_search) {
    ++state_search.leaf_pairs;
    nodes::NodeFloats<Arch> keys;
    const float limit = state_search.limits[2];
    const std::uint32_t a_lanes = (2u << (a_count - 1)) - 1;
    LeafPairs pairs;
    pairs.b_lanes = 0;
    std::uint32_t rest =
        nodes::DistanceShape<Arch>(a.box).test(b.planes, limit, keys) & ((2u << (b_count - 1)) - 1);
    for (; rest != 0; rest &= rest - 1) {
        const auto lane_b = static_cast<std::uint32_t>(__builtin_ctz(rest));
        const std::uint32_t near =
            nodes::DistanceShape<Arch>(nodes::lane_box(b.planes, lane_b)).test(a.planes, limit, keys) &
            a_lanes;
        if (near == 0) continue;
        pairs.of_b[lane_b] = near;
        pairs.b_lanes |= 1u << lane_b;
        // Only triangles whose boxes meet can meet.
        for (std::uint32_t close = near & nodes::lanes_within<Arch>(keys, 0.0f); close != 0;
             close &= close - 1) {
            const auto lane_a = static_cast<std::uint32_t>(__builtin_ctz(close));
            if (state_search.meet(state_search, a.triangle(lane_a), b.triangle(lane_b),
                                  a.leaf->triangles[lane_a], b.leaf->triangles[lane_b]))
                return false;
        }
    }
    if (pairs.b_lanes == 0) return true;
    if (state_search.turn != 0) keep_near_along<Arch>(state_search, a, b, pairs);
    // Each pair that is measured gives a direction, which separates most others that are not nearer.
    while (pairs.b_lanes != 0) {
        const auto lane_b = static_cast<std::uint32_t>(__builtin_ctz(pairs.b_lanes));
        const auto lane_a = static_cast<std::uint32_t>(__builtin_ctz(pairs.of_b[lane_b]));
        const bool is_measured = state_search.measure(state_search, a.triangle(lane_a), b.triangle(lane_b),
                                                      a.leaf->triangles[lane_a], b.leaf->triangles[lane_b]);
        pairs.of_b[lane_b] &= pairs.of_b[lane_b] - 1;
        if (pairs.of_b[lane_b] == 0) pairs.b_lanes &= pairs.b_lanes - 1;
        if (is_measured && pairs.b_lanes != 0) keep_near_along<Arch>(state_search, a, b, pairs);
    }
    return true;
}

}  // namespace broadside::narrowphase
