// Which triangles of a leaf, and which children of a node, a ray may hit. See mesh_ray.hpp.
#pragma once

#include "narrowphase/src/mesh/mesh_ray.hpp"
#include "simd/src/node_shapes_lanes.hpp"

namespace broadside::narrowphase {

/// One lane: !passes_by(ray, triangle). Lanes behind `count` are cleared.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t candidates(const MeshRay& ray, const MeshLeaf& leaf,
                                                std::uint32_t count) {
    const std::uint32_t filled = nodes::kAllLanes >> (kNodeWidth - count);
    if (!ray.is_ordinary) return filled;
    if constexpr (simd::is_scalar<Arch>) {
        std::uint32_t mask = 0;
        for (std::uint32_t lane = 0; lane < count; ++lane) {
            mask |= (passes_by(ray, leaf.triangle(lane)) ? 0u : 1u) << lane;
        }
        return mask;
    } else {
        using namespace simd;
        const FloatW<Arch> origin_x = broadcast<Arch>(coordinate(ray.origin, ray.axes[0]));
        const FloatW<Arch> origin_y = broadcast<Arch>(coordinate(ray.origin, ray.axes[1]));
        const FloatW<Arch> origin_z = broadcast<Arch>(coordinate(ray.origin, ray.axes[2]));
        const FloatW<Arch> shear_x = broadcast<Arch>(ray.shear_x);
        const FloatW<Arch> shear_y = broadcast<Arch>(ray.shear_y);
        const std::uint32_t passed = nodes::join_groups<Arch>([&](std::uint32_t first) {
            FloatW<Arch> x[3], y[3];
            FloatW<Arch> reach = broadcast<Arch>(0.0f);
            for (std::uint32_t i = 0; i < 3; ++i) {
                const auto row = [&](std::uint32_t axis) {
                    return load_aligned<Arch>(leaf.corners[3 * i + ray.axes[axis]] + first);
                };
                const FloatW<Arch> z = row(2) - origin_z;
                x[i] = (row(0) - origin_x) - shear_x * z;
                y[i] = (row(1) - origin_y) - shear_y * z;
                reach = max_keep(max_keep(absolute(x[i]), absolute(y[i])), reach);
            }
            const FloatW<Arch> of_a = x[2] * y[1] - y[2] * x[1];
            const FloatW<Arch> of_b = x[0] * y[2] - y[0] * x[2];
            const FloatW<Arch> of_c = x[1] * y[0] - y[1] * x[0];
            const FloatW<Arch> error =
                broadcast<Arch>(ray.error_scale) * (reach + broadcast<Arch>(ray.error_floor));
            // max(of_a, of_b, of_c) > error && min(of_a, of_b, of_c) < -error
            return (max_keep(max_keep(of_a, of_b), of_c) > error) &
                   (min_keep(min_keep(of_a, of_b), of_c) < -error);
        });
        return filled & ~passed;
    }
}

/// The children that the ray may hit something in before `limit`, with their keys.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t test_node(const MeshRay& ray, const float* node, float limit,
                                               nodes::NodeFloats<Arch>& out_keys) {
    if (ray.is_ordinary) return nodes::SlabShape<Arch>(ray.slabs).test(node, limit, out_keys);
    std::uint32_t mask = 0;
    alignas(64) float keys[kNodeWidth];
    for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) {
        const nodes::KeyedTest answer = test_in_doubles(ray, nodes::lane_box(node, lane), limit);
        keys[lane] = answer.key;
        mask |= (answer.meets ? 1u : 0u) << lane;
    }
    __builtin_memcpy(&out_keys, keys, sizeof keys);
    return mask;
}

}  // namespace broadside::narrowphase
