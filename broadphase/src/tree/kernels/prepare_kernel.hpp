// Prepares rays for the walks, over lanes.
#pragma once

#include "core/src/geometry/node_shapes_scalar.hpp"
#include "simd/src/int_ops.hpp"
#include "simd/src/transpose.hpp"

namespace broadside::broadphase {

using namespace nodes;

/// slab_query(prepared_ray(ray, settings)) for each ray, with settings that have this far_padding.
template <class Arch>
void prepare_rays_kernel(const Ray* rays, std::uint32_t count, float padding, SlabQuery* out_queries) {
    if constexpr (simd::is_scalar<Arch>) {
        for (std::uint32_t i = 0; i < count; ++i)
            out_queries[i] = slab_query(prepared_ray(rays[i], padding, Inside::zero));
    } else {
        using namespace simd;
        static_assert(sizeof(Ray) == 7 * sizeof(float) && sizeof(SlabQuery) == 24 * sizeof(float));
        const FloatW<Arch> one = broadcast<Arch>(1.0f);
        const FloatW<Arch> padding_w = broadcast<Arch>(padding);
        for (std::uint32_t first = 0; first < count; first += Arch::kLanes) {
            FloatW<Arch> ray[7];
            load_rows<Arch>(
                [&](std::uint32_t lane) {
                    const std::uint32_t index = first + lane;
                    return reinterpret_cast<const float*>(rays + (index < count ? index : count - 1));
                },
                ray);
            const Vec3W<Arch> inv = {one / flush_denormal(ray[3]), one / flush_denormal(ray[4]),
                                     one / flush_denormal(ray[5])};
            // is_valid(ray)
            const MaskW<Arch> is_valid = is_finite(ray[0]) & is_finite(ray[1]) & is_finite(ray[2]) &
                                         is_finite(ray[3]) & is_finite(ray[4]) & is_finite(ray[5]) &
                                         (ray[6] >= broadcast<Arch>(0.0f));
            const FloatW<Arch> t_max = select(
                is_valid, min_keep(ray[6] * padding_w, broadcast<Arch>(FLT_MAX)), broadcast<Arch>(-1.0f));
            const auto row = [&](FloatW<Arch> sign, NodeRow if_set, NodeRow if_clear) {
                const auto index = [](NodeRow name) {
                    return as_float(broadcast_int<Arch>(static_cast<std::int32_t>(name * kNodeWidth)));
                };
                return select_by_sign(sign, index(if_set), index(if_clear));
            };
            // Rows of no query are stored as well, and never read.
            alignas(64) SlabQuery queries[Arch::kLanes];
            SlabQuery* const target_queries = first + Arch::kLanes <= count ? out_queries + first : queries;
            auto* const target = reinterpret_cast<float*>(target_queries);
            store_rows_aligned<Arch, 24>(target, ray[0], ray[1], ray[2], ray[0], ray[1], ray[2], inv.x,
                                         inv.y);
            store_rows_aligned<Arch, 24>(target + 8, inv.z, inv.x * padding_w, inv.y * padding_w,
                                         inv.z * padding_w, t_max, row(inv.x, kMaxX, kMinX),
                                         row(inv.y, kMaxY, kMinY), row(inv.z, kMaxZ, kMinZ));
            const FloatW<Arch> zero = broadcast<Arch>(0.0f);
            store_rows_aligned<Arch, 24>(target + 16, row(inv.x, kMinX, kMaxX), row(inv.y, kMinY, kMaxY),
                                         row(inv.z, kMinZ, kMaxZ), zero, zero, zero, zero, zero);
            for (std::uint32_t i = first; target_queries == queries && i < count; ++i)
                out_queries[i] = queries[i - first];
        }
    }
}

}  // namespace broadside::broadphase
