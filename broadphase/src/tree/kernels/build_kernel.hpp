// The last work on the nodes of a tree once the boxes are in their leaves.
#pragma once

#include "broadphase/src/tree/view.hpp"
#include "simd/src/node_shapes_lanes.hpp"

namespace broadside::broadphase {

/// The box around all lanes of a node.
template <class Arch>
BROADSIDE_FORCE_INLINE Aabb joined_lanes(const float* node) {
    using namespace simd;
    const auto joined = [&](NodeRow row, auto&& join) {
        FloatW<Arch> value = load_aligned<Arch>(node + row * kNodeWidth);
        for (std::uint32_t lane = Arch::kLanes; lane < kNodeWidth; lane += Arch::kLanes) {
            value = join(value, load_aligned<Arch>(node + row * kNodeWidth + lane));
        }
        return value;
    };
    const auto low = [](FloatW<Arch> a, FloatW<Arch> b) { return min_keep(a, b); };
    const auto high = [](FloatW<Arch> a, FloatW<Arch> b) { return max_keep(a, b); };
    return {{smallest(joined(kMinX, low)), smallest(joined(kMinY, low)), smallest(joined(kMinZ, low))},
            {largest(joined(kMaxX, high)), largest(joined(kMaxY, high)), largest(joined(kMaxZ, high))}};
}

/// Empties lanes without a box and lanes of invalid boxes, and makes +0 of every -0, which no test tells
/// apart. The bits of the boxes above then do not depend on the order in which lanes are joined. Returns the
/// number of valid boxes.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t clean_leaf(float* leaf, const std::uint32_t* links) {
    std::uint32_t valid_count = 0;
    using namespace simd;
    const auto* indices = reinterpret_cast<const std::int32_t*>(links);
    for (std::uint32_t lane = 0; lane < kNodeWidth; lane += Arch::kLanes) {
        float* at = leaf + lane;
        // links[lane] == kNoLink; all others are below 2^31
        const MaskW<Arch> is_free = less(load_unaligned_int<Arch>(indices + lane), broadcast_int<Arch>(0));
        // Nothing may depend on rows that were never written.
        const auto row = [&](NodeRow index) {
            return select(is_free, broadcast<Arch>(__builtin_nanf("")),
                          load_aligned<Arch>(at + index * kNodeWidth));
        };
        const BoxW<Arch> box = {{row(kMinX), row(kMinY), row(kMinZ)}, {row(kMaxX), row(kMaxY), row(kMaxZ)}};
        const MaskW<Arch> is_kept = is_valid(box);
        valid_count += static_cast<std::uint32_t>(__builtin_popcount(bits(is_kept)));
        const auto put = [&](NodeRow index, FloatW<Arch> value, float empty) {
            store_unaligned(at + index * kNodeWidth,
                            select(is_kept, value, broadcast<Arch>(empty)) + broadcast<Arch>(0.0f));
        };
        constexpr float kInfinity = __builtin_inff();
        put(kMinX, box.min.x, kInfinity);
        put(kMinY, box.min.y, kInfinity);
        put(kMinZ, box.min.z, kInfinity);
        put(kMaxX, box.max.x, -kInfinity);
        put(kMaxY, box.max.y, -kInfinity);
        put(kMaxZ, box.max.z, -kInfinity);
    }
    return valid_count;
}

template <class Arch>
BROADSIDE_FORCE_INLINE void close_node(float* planes, const std::uint32_t* parents, std::uint32_t index) {
    const Aabb box = joined_lanes<Arch>(planes + std::size_t{index} * kNodeFloats);
    float* const parent = planes + std::size_t{parents[family_of(index)]} * kNodeFloats;
    set_lane_box(parent, index % kNodeWidth, box);
}
template <class Arch>
void close_nodes_kernel(float* planes, const std::uint32_t* parents, std::uint32_t first,
                        std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) close_node<Arch>(planes, parents, first + i);
}
template <class Arch>
std::uint32_t close_leaves_kernel(float* planes, const std::uint32_t* links, const std::uint32_t* parents,
                                  std::uint32_t first, std::uint32_t count) {
    std::uint32_t valid_count = 0;
    for (std::uint32_t leaf = first; leaf < first + count; ++leaf) {
        valid_count += clean_leaf<Arch>(planes + std::size_t{leaf} * kNodeFloats,
                                        links + std::size_t{leaf} * kNodeWidth);
        close_node<Arch>(planes, parents, leaf);
    }
    return valid_count;
}

/// Updates the box around a node in its parent, and so on upwards while that changes anything.
template <class Arch>
void refit_up_kernel(float* planes, const std::uint32_t* parents, std::uint32_t index) {
    for (std::uint32_t above = parents[family_of(index)]; above != kNoLink;
         above = parents[family_of(index)]) {
        const Aabb box = joined_lanes<Arch>(planes + std::size_t{index} * kNodeFloats);
        float* const parent = planes + std::size_t{above} * kNodeFloats;
        if (lane_box(parent, index % kNodeWidth) == box) return;
        set_lane_box(parent, index % kNodeWidth, box);
        index = above;
    }
}

/// The lane of the child that a box should join, the first of equals.
template <class Arch>
std::uint32_t choose_child_kernel(const float* node, const Aabb& box) {
    using namespace simd;
    const BoxW<Arch> box_w = broadcast<Arch>(box);
    NodeFloats<Arch> costs;
    FloatW<Arch> best_cost = broadcast<Arch>(__builtin_inff());
    for (std::uint32_t first = 0; first < kNodeWidth; first += Arch::kLanes) {
        const auto row = [&](NodeRow index) { return load_aligned<Arch>(node + index * kNodeWidth + first); };
        const auto edge = [&](NodeRow min, NodeRow max) { return row(max) - row(min); };
        const auto joined_edge = [&](NodeRow min, NodeRow max, FloatW<Arch> box_min, FloatW<Arch> box_max) {
            return max_keep(row(max), box_max) - min_keep(row(min), box_min);
        };
        const FloatW<Arch> size = (edge(kMinX, kMaxX) + edge(kMinY, kMaxY)) + edge(kMinZ, kMaxZ);
        const FloatW<Arch> joined = (joined_edge(kMinX, kMaxX, box_w.min.x, box_w.max.x) +
                                     joined_edge(kMinY, kMaxY, box_w.min.y, box_w.max.y)) +
                                    joined_edge(kMinZ, kMaxZ, box_w.min.z, box_w.max.z);
        // joining_cost(child, box)
        const FloatW<Arch> cost = select(
            row(kMinX) <= row(kMaxX),
            min_keep((joined - size) + size * broadcast<Arch>(kOwnSizeShare), broadcast<Arch>(FLT_MAX)),
            broadcast<Arch>(__builtin_inff()));
        costs.group[first / Arch::kLanes] = cost;
        best_cost = min_keep(cost, best_cost);
    }
    return static_cast<std::uint32_t>(__builtin_ctz(lanes_within(costs, smallest(best_cost))));
}

}  // namespace broadside::broadphase
