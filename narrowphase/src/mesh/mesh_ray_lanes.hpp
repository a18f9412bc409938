// Tests of the triangles of a leaf and the children of a node that a ray may hit. See mesh_ray.hpp.
#pragma once

#include "narrowphase/src/mesh/mesh_ray.hpp"
#include "narrowphase/src/mesh/walk_kernel.hpp"
#include "simd/src/transpose.hpp"

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

/// The numbers of rays that judge_quickly takes, one ray a lane. Their axes are x, y and z.
template <class Arch>
struct LeafRays {
    simd::FloatW<Arch> origin[3];
    simd::FloatW<Arch> shear[2];
    simd::FloatW<Arch> minus_inv;
    simd::FloatW<Arch> error_scale;
    simd::FloatW<Arch> error_floor;
    simd::FloatW<Arch> sure_limit;
    simd::FloatW<Arch> key_error;
};
/// judge_quickly in lanes. No corner is met after `last`.
template <class Arch>
struct QuickVerdicts {
    simd::MaskW<Arch> passes_by;
    simd::MaskW<Arch> is_hit;
    simd::FloatW<Arch> key;
    simd::FloatW<Arch> last;
};
template <class Arch>
BROADSIDE_FORCE_INLINE simd::FloatW<Arch> sure_limit_of(simd::FloatW<Arch> limit, Sides sides) {
    using namespace simd;
    // sides == both ? limit * kSureFactor - kSureMargin : -1
    return sides == Sides::both ? limit * broadcast<Arch>(kSureFactor) - broadcast<Arch>(kSureMargin)
                                : broadcast<Arch>(-1.0f);
}

/// `corner(i, axis)` returns a coordinate of the i-th corners, one a lane.
template <class Arch, class Corner>
BROADSIDE_FORCE_INLINE QuickVerdicts<Arch> judge_quickly(const LeafRays<Arch>& rays, Corner&& corner) {
    using namespace simd;
    FloatW<Arch> x[3], y[3], t[3];
    FloatW<Arch> reach;
    for (std::uint32_t i = 0; i < 3; ++i) {
        const FloatW<Arch> z = rays.origin[2] - corner(i, 2);
        x[i] = (rays.origin[0] - corner(i, 0)) - rays.shear[0] * z;
        y[i] = (rays.origin[1] - corner(i, 1)) - rays.shear[1] * z;
        t[i] = z * rays.minus_inv;
        const FloatW<Arch> size = max_keep(absolute(x[i]), absolute(y[i]));
        reach = i == 0 ? size : max_keep(size, reach);
    }
    const FloatW<Arch> of_a = x[2] * y[1] - y[2] * x[1];
    const FloatW<Arch> of_b = x[0] * y[2] - y[0] * x[2];
    const FloatW<Arch> of_c = x[1] * y[0] - y[1] * x[0];
    const FloatW<Arch> error = rays.error_scale * (reach + rays.error_floor);
    const FloatW<Arch> largest = max_keep(max_keep(of_a, of_b), of_c);
    const FloatW<Arch> smallest = min_keep(min_keep(of_a, of_b), of_c);
    const FloatW<Arch> first = min_keep(min_keep(t[0], t[1]), t[2]);
    const FloatW<Arch> last = max_keep(max_keep(t[0], t[1]), t[2]);
    const FloatW<Arch> zero = broadcast<Arch>(0.0f);
    const FloatW<Arch> key = max_keep(first * broadcast<Arch>(kKeySlack) - rays.key_error, zero);
    // is_on_line = smallest > error || largest < -error
    const MaskW<Arch> is_on_line = (smallest > error) | (largest < -error);
    // largest > error && smallest < -error
    const MaskW<Arch> passes_by = (largest > error) & (smallest < -error);
    // is_on_line && first > 0 && last <= sure_limit
    const MaskW<Arch> is_hit = is_on_line & (first > zero) & (last <= rays.sure_limit);
    return {passes_by, is_hit, key, last};
}

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
        const auto number = [](float value) { return broadcast<Arch>(value); };
        const LeafRays<Arch> rays = {
            {number(origin[axes[0]]), number(origin[axes[1]]), number(origin[axes[2]])},
            {number(ray.shear_x), number(ray.shear_y)},
            number((&ray.minus_inv.x)[ray.along]),
            number(ray.error_scale),
            number(ray.error_floor),
            number(ray.sure_limit),
            number(ray.key_error)};
        constexpr std::uint32_t kGroups = nodes::NodeFloats<Arch>::kGroups;
        FloatW<Arch> keys[kGroups];
        FloatW<Arch> sure_limit = number(limit);
        for (std::uint32_t group = 0; group < kGroups; ++group) {
            const std::uint32_t first = group * Arch::kLanes;
            const QuickVerdicts<Arch> verdicts =
                judge_quickly(rays, [&](std::uint32_t i, std::uint32_t axis) {
                    return load_aligned<Arch>(rows[axis] + (3 * i * kNodeWidth + first));
                });
            keys[group] = verdicts.key;
            lanes |= bits(~verdicts.passes_by) << first;
            if constexpr (kQuestion == LeafQuestion::any) out_sure |= bits(verdicts.is_hit) << first;
            if constexpr (kQuestion == LeafQuestion::closest)
                sure_limit = min_keep(select(verdicts.is_hit, verdicts.last, sure_limit), sure_limit);
        }
        float behind = limit;
        if constexpr (kQuestion == LeafQuestion::closest)
            behind = min_keep(simd::smallest(sure_limit) * kLimitSlack + FLT_MIN, limit);
        std::uint32_t before = 0;
        for (std::uint32_t group = 0; group < kGroups; ++group)
            before |= bits(keys[group] <= number(behind)) << (group * Arch::kLanes);
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

/// Usual rays in columns, as begin() prepares them.
template <class Arch>
struct RayColumns {
    simd::FloatW<Arch> origin[3];
    simd::FloatW<Arch> direction[3];
    simd::FloatW<Arch> t_max;
    simd::FloatW<Arch> scale;
    simd::FloatW<Arch> slope[3];
    simd::FloatW<Arch> minus_inv[3];
    simd::FloatW<Arch> minus_inv_far[3];
    simd::FloatW<Arch> limit;
    simd::FloatW<Arch> shear[2];
    simd::FloatW<Arch> error_scale;
    simd::FloatW<Arch> error_floor;
    /// An integer in the bits of a float.
    simd::FloatW<Arch> along;
    /// Bits of the rays for which begin() is not needed.
    std::uint32_t usual_lanes;
};

/// `count` is from 1 to the number of lanes.
template <class Arch>
BROADSIDE_FORCE_INLINE void make_columns(const Ray* rays, std::size_t count, const MeshExtent& extent,
                                         RayColumns<Arch>& out_columns) {
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
    const FloatW<Arch> slope[3] = {direction.x * inv_scale, direction.y * inv_scale, direction.z * inv_scale};
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
    out_columns.usual_lanes =
        bits((nothing == zero) & (t_max >= zero) & less(whole(31), exponent) & less(exponent, whole(222)) &
             is_usable(size[0], direction.x) & is_usable(size[1], direction.y) &
             is_usable(size[2], direction.z) & (distance <= number(extent.near_size)));

    for (std::uint32_t i = 0; i < 3; ++i) {
        const FloatW<Arch> inv = number(1.0f) / slope[i];
        out_columns.minus_inv[i] = -inv;
        out_columns.minus_inv_far[i] = inv * number(-kFarPadding);
        out_columns.slope[i] = slope[i];
    }
    const MaskW<Arch> is_x = (size[0] >= size[1]) & (size[0] >= size[2]);
    const MaskW<Arch> is_z = ~(is_x | (size[1] >= size[2]));
    const FloatW<Arch> slope_along = select(is_x, slope[0], select(is_z, slope[2], slope[1]));
    out_columns.along = select(is_x, zero, as_float(select(is_z, whole(2), whole(1))));
    out_columns.shear[0] = select(is_x, slope[1], slope[0]) / slope_along;
    out_columns.shear[1] = select(is_z, slope[1], slope[2]) / slope_along;
    const FloatW<Arch> furthest =
        (distance + number(extent.half_size)) * number(1.0f + 0x1p-20f) + number(kLeastReach);
    const FloatW<Arch> error_floor = number(0x1p-21f) * furthest;
    out_columns.error_floor = error_floor;
    out_columns.error_scale = number(4.0f) * error_floor + number(0x1p-21f) * furthest;
    out_columns.limit = min_keep((t_max * scale) * number(kLimitSlack) + number(FLT_MIN), number(FLT_MAX));
    out_columns.t_max = t_max;
    out_columns.scale = scale;
    for (std::uint32_t i = 0; i < 3; ++i) {
        out_columns.origin[i] = columns[i];
        out_columns.direction[i] = (&direction.x)[i];
    }
}

template <class Arch>
BROADSIDE_FORCE_INLINE void make_ready(const Ray* rays, std::size_t count, const MeshExtent& extent,
                                       ReadyRays<Arch>& out_rays) {
    using namespace simd;
    RayColumns<Arch> columns;
    make_columns(rays, count, extent, columns);
    out_rays.usual_lanes = columns.usual_lanes;
    FloatW<Arch> near_row[3], far_row[3];
    for (std::int32_t i = 0; i < 3; ++i) {
        const auto row = [](std::int32_t index) {
            return as_float(broadcast_int<Arch>(index * static_cast<std::int32_t>(kNodeWidth)));
        };
        near_row[i] = select_by_sign(columns.slope[i], row(i + 3), row(i));
        far_row[i] = select_by_sign(columns.slope[i], row(i), row(i + 3));
    }
    const auto& origin = columns.origin;
    const auto& minus_inv = columns.minus_inv;
    const auto& minus_inv_far = columns.minus_inv_far;
    auto* const target = reinterpret_cast<float*>(out_rays.numbers);
    store_rows_aligned<Arch, 24>(target, origin[0], origin[1], origin[2], origin[0], origin[1], origin[2],
                                 minus_inv[0], minus_inv[1]);
    store_rows_aligned<Arch, 24>(target + 8, minus_inv[2], minus_inv_far[0], minus_inv_far[1],
                                 minus_inv_far[2], near_row[0], near_row[1], near_row[2], far_row[0]);
    store_rows_aligned<Arch, 24>(target + 16, far_row[1], far_row[2], columns.limit, columns.shear[0],
                                 columns.shear[1], columns.error_scale, columns.error_floor, columns.along);
    store_unaligned(out_rays.scales, columns.scale);
}
BROADSIDE_FORCE_INLINE void make_ready(const Ray*, std::size_t, const MeshExtent&,
                                       ReadyRays<simd::Scalar>& out_rays) {
    out_rays.usual_lanes = 0;
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
