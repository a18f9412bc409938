// Finds the groups of triangles that an oriented box may meet at all, by the box around the group. A group is
// one of a TriangleSoa, or everything below a node of a mesh's tree.
#pragma once

#include "core/src/geometry/vec3_size.hpp"

#include <broadside/aabb.hpp>
#include <broadside/obb.hpp>

// Why a margin. A group may be skipped only if the exact test says no to every triangle of it, its rounding
// included. That test can call a cap (see obb_triangle.hpp) touching that is √3·2^-11.5 of the operands away,
// and otherwise errs by some 2^-22 of them. So a gap counts from 2^-9 of box, path and group on. The bounds
// of the box are rounded by a few 2^-24 of the center; 2^-20 is added to cover that. A triangle that is not
// finite is not in the bounds and overlaps nothing.
//
// Below some 2^-63, products and speeds of that test underflow, and separated shapes can count as touching.
// So a gap counts from 2^-60 on, too. Across so wide a gap, a triangle much smaller than the gap is refused
// by the box's own axes, which need no products. For a larger triangle the products are far above the error,
// which is 2^-126.
namespace broadside::narrowphase {

inline constexpr float kGapMargin = 0x1p-9f;
inline constexpr float kUnderflowMargin = 0x1p-60f;

/// The box around the oriented box and its path relative to the triangles, each side moved out by the margin.
struct GroupFilter {
    Vec3 min;
    Vec3 max;
};

/// Let E = A·Aᵀ - 1 be the error of nearly orthonormal axes A. The box of the test is then larger than Aᵀ
/// says by no more than 3·max|E| of its half extents: 2^-10.4 here, which the margin has room for.
BROADSIDE_FORCE_INLINE bool are_orthonormal(Vec3 x, Vec3 y, Vec3 z) {
    const auto is_near = [](float a, float b) { return absolute(a - b) <= 0x1p-12f; };
    return is_near(dot(x, x), 1.0f) && is_near(dot(y, y), 1.0f) && is_near(dot(z, z), 1.0f) &&
           is_near(dot(x, y), 0.0f) && is_near(dot(y, z), 0.0f) && is_near(dot(z, x), 0.0f);
}

/// Accepts all groups if the axes are no axes of a box. Callers must not pass such a box, but bounds do not
/// change the test's result for it.
BROADSIDE_FORCE_INLINE GroupFilter make_group_filter(const Obb& obb, Vec3 motion) {
    if (!are_orthonormal(obb.axis_x, obb.axis_y, obb.axis_z)) {
        constexpr float kInfinity = __builtin_inff();
        return {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
    }
    const Vec3 h = obb.half_extent;
    const Vec3 reach = absolute(obb.axis_x) * h.x + absolute(obb.axis_y) * h.y + absolute(obb.axis_z) * h.z;
    const float margin =
        (kGapMargin * (component_sum(h) + component_sum(motion)) + 0x1p-20f * component_sum(obb.center)) +
        kUnderflowMargin;
    const Vec3 way_up = max_keep(-motion, Vec3{});
    const Vec3 way_down = min_keep(-motion, Vec3{});
    const Vec3 out = {margin, margin, margin};
    return {obb.center - reach + way_down - out, obb.center + reach + way_up + out};
}

}  // namespace broadside::narrowphase
