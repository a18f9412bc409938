// Four rays against a box, a ray against four boxes: ray_box_lanes.hpp on four lanes, on every ISA.
#pragma once

#include "narrowphase/src/ray/ray_box_lanes.hpp"

#include <broadside/ray_box4.hpp>

namespace broadside::narrowphase {

/// Four results of the specification; `ray_at` and `box_at` give the ray and the box of a lane.
template <class RayAt, class BoxAt>
BROADSIDE_FORCE_INLINE Mask4 ray_box_by_lane(RayAt&& ray_at, BoxAt&& box_at, float* out_t_enter) {
    unsigned hit_bits = 0;
    for (unsigned lane = 0; lane < 4; ++lane) {
        const RaySolidHit result = ray_box_prepared(ray_at(lane), box_at(lane));
        hit_bits |= (result.has_hit ? 1u : 0u) << lane;
        if (out_t_enter != nullptr) out_t_enter[lane] = result.t_enter;
    }
    return {static_cast<std::uint8_t>(hit_bits)};
}

template <class Arch>
BROADSIDE_FORCE_INLINE Mask4 to_mask4(simd::MaskW<Arch> mask) {
    static_assert(Arch::kLanes == 4);
    return {static_cast<std::uint8_t>(bits(mask))};
}

/// One lane: does the ray hit one of the node's four boxes? Sources, edge rules: ray_box_scalar.hpp. Near and
/// far are chosen once per ray, as members of the node.
template <class Arch>
void ray_box4_nodes_kernel(const PreparedRay& ray, const Box4* nodes, std::size_t node_count, Mask4* out_hits,
                           float* out_t_enter) {
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < node_count; ++i) {
            float* const t_enter = out_t_enter != nullptr ? out_t_enter + 4 * i : nullptr;
            out_hits[i] = ray_box_by_lane([&](unsigned) -> const PreparedRay& { return ray; },
                                          [&](unsigned lane) { return nodes[i][lane]; }, t_enter);
        }
    } else {
        using namespace simd;
        const RayW<Arch> ray_w = broadcast_ray<Arch>(ray);
        const bool from_max_x = has_sign_bit(ray.inv_direction.x);
        const bool from_max_y = has_sign_bit(ray.inv_direction.y);
        const bool from_max_z = has_sign_bit(ray.inv_direction.z);
        const auto near_x = from_max_x ? &Box4::max_x : &Box4::min_x;
        const auto near_y = from_max_y ? &Box4::max_y : &Box4::min_y;
        const auto near_z = from_max_z ? &Box4::max_z : &Box4::min_z;
        const auto far_x = from_max_x ? &Box4::min_x : &Box4::max_x;
        const auto far_y = from_max_y ? &Box4::min_y : &Box4::max_y;
        const auto far_z = from_max_z ? &Box4::min_z : &Box4::max_z;
        for (std::size_t i = 0; i < node_count; ++i) {
            const Box4& node = nodes[i];
            const BoxPlanesW<Arch> planes = {
                {load_aligned<Arch>(node.*near_x), load_aligned<Arch>(node.*near_y),
                 load_aligned<Arch>(node.*near_z)},
                {load_aligned<Arch>(node.*far_x), load_aligned<Arch>(node.*far_y),
                 load_aligned<Arch>(node.*far_z)}};
            const BoxW<Arch> box = {{load_aligned<Arch>(node.min_x), load_aligned<Arch>(node.min_y),
                                     load_aligned<Arch>(node.min_z)},
                                    {load_aligned<Arch>(node.max_x), load_aligned<Arch>(node.max_y),
                                     load_aligned<Arch>(node.max_z)}};
            const auto [slabs, meets] = ray_box_slabs<Begin::anywhere, false>(ray_w, planes);
            const MaskW<Arch> hit = has_points(box) & meets;
            out_hits[i] = to_mask4(hit);
            if (out_t_enter != nullptr) {
                store_unaligned(out_t_enter + 4 * i, reported_t_enter<Begin::anywhere>(ray_w, slabs, hit));
            }
        }
    }
}

/// One lane: does one of the four rays hit the box? Near and far differ by lane, so planes are blended.
template <class Arch>
void ray4_boxes_kernel(const Ray4& rays, const BoxSoaView& boxes, Mask4* out_hits, float* out_t_enter) {
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < boxes.count; ++i) {
            float* const t_enter = out_t_enter != nullptr ? out_t_enter + 4 * i : nullptr;
            const Aabb box = boxes[i];
            out_hits[i] = ray_box_by_lane([&](unsigned lane) { return rays[lane]; },
                                          [&](unsigned) -> const Aabb& { return box; }, t_enter);
        }
    } else {
        using namespace simd;
        const RayW<Arch> ray_w = {
            {load_aligned<Arch>(rays.origin_x), load_aligned<Arch>(rays.origin_y),
             load_aligned<Arch>(rays.origin_z)},
            {load_aligned<Arch>(rays.inv_direction_x), load_aligned<Arch>(rays.inv_direction_y),
             load_aligned<Arch>(rays.inv_direction_z)},
            {load_aligned<Arch>(rays.inv_direction_far_x), load_aligned<Arch>(rays.inv_direction_far_y),
             load_aligned<Arch>(rays.inv_direction_far_z)},
            load_aligned<Arch>(rays.t_max),
            broadcast<Arch>(rays.accept_floor),
            broadcast<Arch>(rays.report_floor)};
        for (std::size_t i = 0; i < boxes.count; ++i) {
            const BoxW<Arch> box = broadcast<Arch>(boxes[i]);
            const auto [slabs, meets] =
                ray_box_slabs<Begin::anywhere, false>(ray_w, order_planes(ray_w, box));
            const MaskW<Arch> hit = has_points(box) & meets;
            out_hits[i] = to_mask4(hit);
            if (out_t_enter != nullptr) {
                store_unaligned(out_t_enter + 4 * i, reported_t_enter<Begin::anywhere>(ray_w, slabs, hit));
            }
        }
    }
}

}  // namespace broadside::narrowphase
