// Tests of the triangles of a leaf and the children of a node that a ray may hit. See mesh_ray.hpp.
#pragma once

#include "narrowphase/src/mesh/mesh_ray.hpp"
#include "narrowphase/src/mesh/walk_kernel.hpp"
#include "simd/src/transpose.hpp"

#include <type_traits>

namespace broadside::narrowphase {

/// The triangles of a leaf that a ray needs.
enum class LeafQuestion : std::uint8_t {
    /// All that it may hit.
    all,
    /// As `all`, and those that it certainly hits.
    any,
    /// As `all`, without those behind one that it certainly hits.
    closest,
};

/// judge_quickly of the triangles of a leaf: those that the ray may hit before `limit`. For `any`, `out_sure`
/// gets those that it certainly hits before its own limit.
template <class Arch, LeafQuestion kQuestion>
BROADSIDE_FORCE_INLINE std::uint32_t test_leaf(const MeshRay& ray, const MeshLeaf& leaf, std::uint32_t count,
                                               float limit, std::uint32_t& out_sure) {
    const std::uint32_t filled = nodes::kAllLanes >> (kNodeWidth - count);
    std::uint32_t lanes = 0;
    out_sure = 0;
    if (!ray.is_ordinary) return limit >= 0.0f ? filled : 0;
    if constexpr (simd::is_scalar<Arch>) {
        for (std::uint32_t lane = 0; lane < count; ++lane) {
            const QuickVerdict verdict = judge_quickly(ray, leaf.triangle(lane));
            lanes |= (!verdict.passes_by && verdict.key <= limit ? 1u : 0u) << lane;
            out_sure |= (kQuestion == LeafQuestion::any && verdict.is_hit ? 1u : 0u) << lane;
        }
        return lanes;
    } else {
        using namespace simd;
        const std::uint32_t axes[3] = {x_axis(ray.along), y_axis(ray.along), ray.along};
        const float* const rows[3] = {leaf.corners[axes[0]], leaf.corners[axes[1]], leaf.corners[axes[2]]};
        const float* const origin = &ray.origin.x;
        const FloatW<Arch> origin_x = broadcast<Arch>(origin[axes[0]]);
        const FloatW<Arch> origin_y = broadcast<Arch>(origin[axes[1]]);
        const FloatW<Arch> origin_z = broadcast<Arch>(origin[axes[2]]);
        const FloatW<Arch> shear_x = broadcast<Arch>(ray.shear_x);
        const FloatW<Arch> shear_y = broadcast<Arch>(ray.shear_y);
        const FloatW<Arch> minus_inv = broadcast<Arch>((&ray.minus_inv.x)[ray.along]);
        constexpr std::uint32_t kGroups = nodes::NodeFloats<Arch>::kGroups;
        FloatW<Arch> keys[kGroups];
        FloatW<Arch> sure_limit = broadcast<Arch>(limit);
        for (std::uint32_t group = 0; group < kGroups; ++group) {
            const std::uint32_t lane = group * Arch::kLanes;
            FloatW<Arch> x[3], y[3], t[3];
            FloatW<Arch> reach;
            for (std::uint32_t i = 0; i < 3; ++i) {
                const auto row = [&](std::uint32_t axis) {
                    return load_aligned<Arch>(rows[axis] + (3 * i * kNodeWidth + lane));
                };
                const FloatW<Arch> z = origin_z - row(2);
                x[i] = (origin_x - row(0)) - shear_x * z;
                y[i] = (origin_y - row(1)) - shear_y * z;
                t[i] = z * minus_inv;
                const FloatW<Arch> size = max_keep(absolute(x[i]), absolute(y[i]));
                reach = i == 0 ? size : max_keep(size, reach);
            }
            const FloatW<Arch> of_a = x[2] * y[1] - y[2] * x[1];
            const FloatW<Arch> of_b = x[0] * y[2] - y[0] * x[2];
            const FloatW<Arch> of_c = x[1] * y[0] - y[1] * x[0];
            const FloatW<Arch> error =
                broadcast<Arch>(ray.error_scale) * (reach + broadcast<Arch>(ray.error_floor));
            const FloatW<Arch> largest = max_keep(max_keep(of_a, of_b), of_c);
            const FloatW<Arch> smallest = min_keep(min_keep(of_a, of_b), of_c);
            const FloatW<Arch> first = min_keep(min_keep(t[0], t[1]), t[2]);
            const FloatW<Arch> zero = broadcast<Arch>(0.0f);
            keys[group] = max_keep(first * broadcast<Arch>(kKeySlack) - broadcast<Arch>(ray.key_error), zero);
            lanes |= bits(~((largest > error) & (smallest < -error))) << lane;
            if constexpr (kQuestion == LeafQuestion::all) continue;
            const FloatW<Arch> last = max_keep(max_keep(t[0], t[1]), t[2]);
            const MaskW<Arch> is_on_line = (smallest > error) | (largest < -error);
            const MaskW<Arch> is_sure =
                is_on_line & (first > zero) & (last <= broadcast<Arch>(ray.sure_limit));
            if constexpr (kQuestion == LeafQuestion::any)
                out_sure |= bits(is_sure) << lane;
            else
                sure_limit = min_keep(select(is_sure, last, sure_limit), sure_limit);
        }
        float behind = limit;
        if constexpr (kQuestion == LeafQuestion::closest)
            behind = min_keep(simd::smallest(sure_limit) * kLimitSlack + FLT_MIN, limit);
        std::uint32_t before = 0;
        for (std::uint32_t group = 0; group < kGroups; ++group)
            before |= bits(keys[group] <= broadcast<Arch>(behind)) << (group * Arch::kLanes);
        out_sure &= filled;
        return lanes & before & filled;
    }
}

/// The children in which the ray may hit something before `limit`.
template <class Arch>
BROADSIDE_FORCE_INLINE WayDown test_node(const MeshRay& ray, const float* node, float limit,
                                         std::int32_t* out_entries) {
    WayDown way = {0, kNoEntry};
    if (simd::is_scalar<Arch> || !ray.is_ordinary) {
        for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) {
            const Aabb box = nodes::lane_box(node, lane);
            const nodes::KeyedTest answer =
                ray.is_ordinary ? test(ray, box, limit) : test_in_doubles(ray, box, limit);
            out_entries[lane] = answer.meets ? entry_of(answer.key, lane) : kNoEntry;
            way.lanes |= (answer.meets ? 1u : 0u) << lane;
            way.nearest = out_entries[lane] < way.nearest ? out_entries[lane] : way.nearest;
        }
        return way;
    }
    if constexpr (!simd::is_scalar<Arch>) {
        using namespace simd;
        // Axis by axis, because a broadcast value then serves all groups; registers would not hold it.
        constexpr std::uint32_t kGroups = nodes::NodeFloats<Arch>::kGroups;
        FloatW<Arch> t_enter[kGroups], t_exit[kGroups];
        for (std::uint32_t i = 0; i < kGroups; ++i) {
            t_enter[i] = broadcast<Arch>(0.0f);
            t_exit[i] = broadcast<Arch>(limit);
        }
        const auto cut = [&](std::uint32_t near_row, std::uint32_t far_row, float near_origin,
                             float far_origin, float minus_inv, float minus_inv_far) {
            const float* const near_planes = node + near_row;
            const float* const far_planes = node + far_row;
            const auto plane_t = [](const float* planes, float origin, float inverse) {
                return (broadcast<Arch>(origin) - load_aligned<Arch>(planes)) * broadcast<Arch>(inverse);
            };
            for (std::uint32_t i = 0; i < kGroups; ++i) {
                const std::size_t first = std::size_t{i} * Arch::kLanes;
                t_enter[i] = max_keep(plane_t(near_planes + first, near_origin, minus_inv), t_enter[i]);
                t_exit[i] = min_keep(plane_t(far_planes + first, far_origin, minus_inv_far), t_exit[i]);
            }
        };
        cut(ray.near_row[0], ray.far_row[0], ray.near_origin.x, ray.far_origin.x, ray.minus_inv.x,
            ray.minus_inv_far.x);
        cut(ray.near_row[1], ray.far_row[1], ray.near_origin.y, ray.far_origin.y, ray.minus_inv.y,
            ray.minus_inv_far.y);
        cut(ray.near_row[2], ray.far_row[2], ray.near_origin.z, ray.far_origin.z, ray.minus_inv.z,
            ray.minus_inv_far.z);
        IntW<Arch> nearest = broadcast_int<Arch>(kNoEntry);
        for (std::uint32_t i = 0; i < kGroups; ++i) {
            const std::uint32_t first = i * Arch::kLanes;
            const MaskW<Arch> is_met = t_enter[i] <= t_exit[i];
            const IntW<Arch> entries =
                select(is_met, entries_of<Arch>(t_enter[i], first), broadcast_int<Arch>(kNoEntry));
            store_unaligned(out_entries + first, entries);
            nearest = min(entries, nearest);
            way.lanes |= bits(is_met) << first;
        }
        way.nearest = smallest(nearest);
    }
    return way;
}

/// Rays prepared side by side.
template <class Arch>
struct ReadyRays {
    static constexpr std::uint32_t kCount = simd::is_scalar<Arch> ? 1 : Arch::kLanes;
    alignas(64) MeshRayNumbers numbers[kCount];
    float scales[kCount];
    /// Bits of the rays for which begin() is not needed.
    std::uint32_t usual_lanes;
};

/// Numbers of such rays in columns: all rays are tested at once.
template <class Arch>
struct RayColumns {
    simd::FloatW<Arch> origin[3];
    simd::FloatW<Arch> minus_inv[3];
    simd::FloatW<Arch> minus_inv_far[3];
    simd::FloatW<Arch> limit;
    /// Of length one along `axis`, which is an integer in the bits of a float.
    simd::FloatW<Arch> shear[2];
    simd::FloatW<Arch> axis;
};
/// For callers that do not need columns.
struct NoColumns {};

/// begin() of usual rays, in lanes. `count` is from 1 to the number of lanes.
template <class Arch, class Columns = NoColumns>
BROADSIDE_FORCE_INLINE void make_ready(const Ray* rays, std::size_t count, const MeshExtent& extent,
                                       ReadyRays<Arch>& out_rays, Columns&& out_columns = {}) {
    if constexpr (simd::is_scalar<Arch>) {
        out_rays.usual_lanes = 0;
    } else {
        using namespace simd;
        static_assert(sizeof(Ray) == 7 * sizeof(float));
        FloatW<Arch> columns[7];
        load_rows<Arch>(
            [&](std::size_t lane) {
                return reinterpret_cast<const float*>(rays + (lane < count ? lane : count - 1));
            },
            columns);
        const Vec3W<Arch> origin = {columns[0], columns[1], columns[2]};
        const Vec3W<Arch> direction = {flush_denormal(columns[3]), flush_denormal(columns[4]),
                                       flush_denormal(columns[5])};
        const FloatW<Arch> t_max = columns[6];
        const auto number = [](float value) { return broadcast<Arch>(value); };
        const auto whole = [](std::int32_t value) { return broadcast_int<Arch>(value); };
        const auto largest_of = [](FloatW<Arch> x, FloatW<Arch> y, FloatW<Arch> z) {
            return max_keep(max_keep(absolute(x), absolute(y)), absolute(z));
        };

        const FloatW<Arch> largest = largest_of(direction.x, direction.y, direction.z);
        const IntW<Arch> exponent = shift_right<23>(as_int(largest));
        const FloatW<Arch> inv_scale = as_float(shift_left<23>(whole(253) - exponent));
        const FloatW<Arch> scale = as_float(shift_left<23>(exponent + whole(1)));
        const FloatW<Arch> slope[3] = {direction.x * inv_scale, direction.y * inv_scale,
                                       direction.z * inv_scale};
        const FloatW<Arch> size[3] = {absolute(slope[0]), absolute(slope[1]), absolute(slope[2])};
        const FloatW<Arch> distance =
            largest_of(number(extent.center.x) - origin.x, number(extent.center.y) - origin.y,
                       number(extent.center.z) - origin.z);
        const FloatW<Arch> zero = number(0.0f);
        const auto is_usable = [&](FloatW<Arch> size_of, FloatW<Arch> given) {
            return (size_of >= number(FLT_MIN)) | (given == zero);
        };
        // 0, except for numbers that are not finite.
        const FloatW<Arch> nothing =
            ((origin.x * zero + origin.y * zero) + (origin.z * zero + direction.x * zero)) +
            (direction.y * zero + direction.z * zero);
        out_rays.usual_lanes = bits((nothing == zero) & (t_max >= zero) & less(whole(31), exponent) &
                                    less(exponent, whole(222)) & is_usable(size[0], direction.x) &
                                    is_usable(size[1], direction.y) & is_usable(size[2], direction.z) &
                                    (distance <= number(extent.near_size)));

        FloatW<Arch> minus_inv[3], minus_inv_far[3], near_row[3], far_row[3];
        for (std::int32_t i = 0; i < 3; ++i) {
            const FloatW<Arch> inv = number(1.0f) / slope[i];
            minus_inv[i] = -inv;
            minus_inv_far[i] = inv * number(-kFarPadding);
            const auto width = static_cast<std::int32_t>(kNodeWidth);
            const FloatW<Arch> lower = as_float(whole(i * width));
            const FloatW<Arch> upper = as_float(whole((i + 3) * width));
            near_row[i] = select_by_sign(slope[i], upper, lower);
            far_row[i] = select_by_sign(slope[i], lower, upper);
        }
        const MaskW<Arch> is_x = (size[0] >= size[1]) & (size[0] >= size[2]);
        const MaskW<Arch> is_z = ~(is_x | (size[1] >= size[2]));
        const FloatW<Arch> along = select(is_x, slope[0], select(is_z, slope[2], slope[1]));
        const FloatW<Arch> axis = select(is_x, zero, as_float(select(is_z, whole(2), whole(1))));
        const FloatW<Arch> shear_x = select(is_x, slope[1], slope[0]) / along;
        const FloatW<Arch> shear_y = select(is_z, slope[1], slope[2]) / along;
        const FloatW<Arch> furthest =
            (distance + number(extent.half_size)) * number(1.0f + 0x1p-20f) + number(kLeastReach);
        const FloatW<Arch> error_floor = number(0x1p-21f) * furthest;
        const FloatW<Arch> error_scale = number(4.0f) * error_floor + number(0x1p-21f) * furthest;
        const FloatW<Arch> limit =
            min_keep((t_max * scale) * number(kLimitSlack) + number(FLT_MIN), number(FLT_MAX));

        auto* const target = reinterpret_cast<float*>(out_rays.numbers);
        store_rows_aligned<Arch, 24>(target, origin.x, origin.y, origin.z, origin.x, origin.y, origin.z,
                                     minus_inv[0], minus_inv[1]);
        store_rows_aligned<Arch, 24>(target + 8, minus_inv[2], minus_inv_far[0], minus_inv_far[1],
                                     minus_inv_far[2], near_row[0], near_row[1], near_row[2], far_row[0]);
        store_rows_aligned<Arch, 24>(target + 16, far_row[1], far_row[2], limit, shear_x, shear_y,
                                     error_scale, error_floor, axis);
        store_unaligned(out_rays.scales, scale);
        if constexpr (std::is_same_v<Columns, RayColumns<Arch>&>) {
            out_columns = {{origin.x, origin.y, origin.z},
                           {minus_inv[0], minus_inv[1], minus_inv[2]},
                           {minus_inv_far[0], minus_inv_far[1], minus_inv_far[2]},
                           limit,
                           {shear_x, shear_y},
                           axis};
        }
    }
}

/// begin() of one of them.
template <class Arch>
BROADSIDE_FORCE_INLINE void begin_ready(MeshRay& out_ray, const ReadyRays<Arch>& rays, std::uint32_t lane,
                                        const Ray& ray_in, Sides sides) {
    static_cast<MeshRayNumbers&>(out_ray) = rays.numbers[lane];
    out_ray.ray = {ray_in.origin, flushed(ray_in.direction), min_keep(ray_in.t_max, FLT_MAX), sides};
    out_ray.origin = ray_in.origin;
    out_ray.sure_limit = sure_limit_of(out_ray.limit, sides);
    out_ray.key_error = 0.0f;
    out_ray.scale = static_cast<double>(rays.scales[lane]);
    out_ray.start = 0.0;
    out_ray.is_ordinary = true;
}

}  // namespace broadside::narrowphase
