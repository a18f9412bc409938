// The cull in front of a mesh: whole groups of 16 triangles are tested by the box around them.
#pragma once

#include "narrowphase/src/obb/group_filter.hpp"
#include "narrowphase/src/obb/obb_triangle_lanes.hpp"

namespace broadside::narrowphase {

/// May the box meet the group of a lane?
template <class Arch>
BROADSIDE_FORCE_INLINE simd::MaskW<Arch> may_meet(const GroupFilter& filter, const simd::BoxW<Arch>& group) {
    using namespace simd;
    const Vec3W<Arch> size = group.max - group.min;
    const FloatW<Arch> margin = broadcast<Arch>(kGapMargin) * ((size.x + size.y) + size.z);
    return (group.min.x <= broadcast<Arch>(filter.max.x) + margin) &
           (group.min.y <= broadcast<Arch>(filter.max.y) + margin) &
           (group.min.z <= broadcast<Arch>(filter.max.z) + margin) &
           (group.max.x >= broadcast<Arch>(filter.min.x) - margin) &
           (group.max.y >= broadcast<Arch>(filter.min.y) - margin) &
           (group.max.z >= broadcast<Arch>(filter.min.z) - margin);
}

/// Calls body(first_item, group, triangles) for the groups of lanes of a mesh that the box may meet, and
/// skip(first_item, group) for the others, in order. Without bounds the box may meet all groups.
template <class Arch, class Body, class Skip>
BROADSIDE_FORCE_INLINE void for_each_near_group(const TriangleSoaView& triangles, const GroupFilter& filter,
                                                Body&& body, Skip&& skip) {
    if (triangles.group_bounds.count == 0) {
        simd::for_each_any_group<Arch>(triangles.count, [&](std::size_t first, auto group) {
            body(first, group, load_triangles<Arch>(triangles, first, group));
        });
        return;
    }
    simd::for_each_any_group<Arch>(triangles.group_bounds.count, [&](std::size_t first_group, auto groups) {
        const auto bounds = simd::load_boxes<Arch>(triangles.group_bounds, first_group, groups);
        const std::uint32_t near_groups = bits(may_meet(filter, bounds));
        for (std::uint32_t index = 0; index < groups.count; ++index) {
            const std::size_t begin = (first_group + index) * kTrianglesPerGroup;
            const std::size_t left = triangles.count - begin;
            const std::size_t count = left < kTrianglesPerGroup ? left : kTrianglesPerGroup;
            simd::for_each_group<Arch>(count, [&](std::size_t offset, auto group) {
                if ((near_groups >> index & 1u) != 0) {
                    body(begin + offset, group, load_triangles<Arch>(triangles, begin + offset, group));
                } else {
                    skip(begin + offset, group);
                }
            });
        }
    });
}

}  // namespace broadside::narrowphase
