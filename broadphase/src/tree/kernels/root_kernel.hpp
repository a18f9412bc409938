// Tests the root of a tree against queries side by side, child by child, because every walk begins there.
#pragma once

#include "broadphase/src/tree/view.hpp"
#include "simd/src/node_shapes_lanes.hpp"
#include "simd/src/transpose.hpp"

namespace broadside::broadphase {

/// The results of some queries at the root, the same as if each were tested alone.
template <class Arch>
struct RootTests {
    static constexpr std::uint32_t kMax = 16;

    /// For each query the keys of the children; any number for those that it does not meet.
    alignas(64) NodeFloats<Arch> keys[kMax];
    std::uint32_t masks[kMax];
    /// The keys child by child, before they are transposed.
    alignas(64) float columns[kNodeWidth][kMax] = {};
};

/// Tests up to RootTests::kMax queries. `kHasKeys` says whether the keys are wanted.
template <class Arch, bool kHasKeys>
BROADSIDE_FORCE_INLINE void test_root(const float* root, std::uint32_t filled, const SlabQuery* queries,
                                      std::uint32_t count, RootTests<Arch>& out_tests) {
    if constexpr (simd::is_scalar<Arch>) {
        for (std::uint32_t i = 0; i < count; ++i)
            out_tests.masks[i] = SlabShape<Arch>(queries[i]).test(root, queries[i].t_max, out_tests.keys[i]);
    } else {
        using namespace simd;
        // Rows of a query: origins, then inverse directions, whose sign tells the near plane, then t_max.
        static_assert(offsetof(SlabQuery, t_max) == 12 * sizeof(float));
        for (std::uint32_t first = 0; first < count; first += Arch::kLanes) {
            FloatW<Arch> query[13];
            load_rows<Arch>(
                [&](std::uint32_t lane) {
                    const std::uint32_t index = first + lane;
                    return reinterpret_cast<const float*>(queries + (index < count ? index : count - 1));
                },
                query);
            IntW<Arch> masks = broadcast_int<Arch>(0);
            for (std::uint32_t rest = filled; rest != 0; rest &= rest - 1) {
                const auto child = static_cast<std::uint32_t>(__builtin_ctz(rest));
                const auto side = [&](NodeRow row) {
                    return broadcast<Arch>(root[row * kNodeWidth + child]);
                };
                FloatW<Arch> t_enter = broadcast<Arch>(0.0f);
                FloatW<Arch> t_exit = query[12];
                const auto cut = [&](std::uint32_t axis, NodeRow min, NodeRow max) {
                    const FloatW<Arch> inv = query[6 + axis];
                    const FloatW<Arch> near_plane = select_by_sign(inv, side(max), side(min));
                    const FloatW<Arch> far_plane = select_by_sign(inv, side(min), side(max));
                    t_enter = max_keep((near_plane - query[axis]) * inv, t_enter);
                    t_exit = min_keep((far_plane - query[3 + axis]) * query[9 + axis], t_exit);
                };
                cut(0, kMinX, kMaxX);
                cut(1, kMinY, kMaxY);
                cut(2, kMinZ, kMaxZ);
                // if (t_enter > t_exit) miss
                masks = masks |
                        select(t_enter <= t_exit, broadcast_int<Arch>(static_cast<std::int32_t>(1u << child)),
                               broadcast_int<Arch>(0));
                if constexpr (kHasKeys) store_unaligned(out_tests.columns[child], t_enter);
            }
            store_unaligned(reinterpret_cast<std::int32_t*>(out_tests.masks + first), masks);
            if constexpr (kHasKeys) {
                for (std::uint32_t child = 0; child < kNodeWidth; child += 8) {
                    if (filled >> child == 0) break;
                    const auto column = [&](std::uint32_t i) {
                        return load_aligned<Arch>(out_tests.columns[child + i]);
                    };
                    store_rows_aligned<Arch, kNodeWidth>(
                        reinterpret_cast<float*>(out_tests.keys + first) + child, column(0), column(1),
                        column(2), column(3), column(4), column(5), column(6), column(7));
                }
            }
        }
    }
}

}  // namespace broadside::broadphase
