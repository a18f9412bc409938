// What is left to do on the nodes of a tree once the boxes are in their leaves.
#pragma once

#include "broadphase/src/tree/shapes_lanes.hpp"

namespace broadside::broadphase {

/// Joins the lanes of a node.
template <class Arch>
BROADSIDE_FORCE_INLINE Aabb joined_lanes(const float* node) {
    if constexpr (simd::is_scalar<Arch>) {
        Aabb joined = Aabb::empty();
        for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane)
            joined = include(joined, lane_box(node, lane));
        return joined;
    } else {
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
}

/// Makes empty lanes of the invalid boxes of a leaf, and +0 of every -0, which no test tells apart: then the
/// bits of the boxes above do not depend on the order in which lanes are joined.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t clean_leaf(float* leaf) {
    std::uint32_t valid_count = 0;
    if constexpr (simd::is_scalar<Arch>) {
        for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) {
            const Aabb box = lane_box(leaf, lane);
            const Aabb kept = is_valid(box) ? box : Aabb::empty();
            valid_count += is_valid(box) ? 1u : 0u;
            leaf[kMinX * kNodeWidth + lane] = kept.min.x + 0.0f;
            leaf[kMinY * kNodeWidth + lane] = kept.min.y + 0.0f;
            leaf[kMinZ * kNodeWidth + lane] = kept.min.z + 0.0f;
            leaf[kMaxX * kNodeWidth + lane] = kept.max.x + 0.0f;
            leaf[kMaxY * kNodeWidth + lane] = kept.max.y + 0.0f;
            leaf[kMaxZ * kNodeWidth + lane] = kept.max.z + 0.0f;
        }
    } else {
        using namespace simd;
        for (std::uint32_t lane = 0; lane < kNodeWidth; lane += Arch::kLanes) {
            float* at = leaf + lane;
            const auto row = [&](NodeRow index) { return load_aligned<Arch>(at + index * kNodeWidth); };
            const BoxW<Arch> box = {{row(kMinX), row(kMinY), row(kMinZ)},
                                    {row(kMaxX), row(kMaxY), row(kMaxZ)}};
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
    }
    return valid_count;
}

template <class Arch, bool kIsLeaf>
std::uint32_t close_kernel(float* planes, std::uint32_t first, std::uint32_t count, std::uint32_t parent) {
    std::uint32_t valid_count = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        float* node = planes + std::size_t{first + i} * kNodeFloats;
        if constexpr (kIsLeaf) valid_count += clean_leaf<Arch>(node);
        const Aabb box = joined_lanes<Arch>(node);
        float* at = planes + std::size_t{parent + i / kNodeWidth} * kNodeFloats + i % kNodeWidth;
        at[kMinX * kNodeWidth] = box.min.x;
        at[kMinY * kNodeWidth] = box.min.y;
        at[kMinZ * kNodeWidth] = box.min.z;
        at[kMaxX * kNodeWidth] = box.max.x;
        at[kMaxY * kNodeWidth] = box.max.y;
        at[kMaxZ * kNodeWidth] = box.max.z;
    }
    return valid_count;
}

}  // namespace broadside::broadphase
