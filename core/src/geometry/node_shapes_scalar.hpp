// Queries of nodes, and the tests of lines on one box. Tests decide on the bounds of nodes and, in a tree of
// boxes, also on the boxes of a leaf. The tests of other queries are in simd/src/node_shapes_lanes.hpp, whose text
// at one lane is the specification; tests compare them with exact arithmetic.
//
// Every test is monotone: a larger box is accepted at least as often, and its key is no larger. That holds
// for the computed result, not only for the true one, because IEEE rounding keeps order: a <= b implies
// rounded(a - o) <= rounded(b - o), and the same for products with one sign and for min and max. If
// 0·infinity makes a NaN, which counts as "no limit", the larger box is unlimited there too. So if the test
// of a node fails, the tests of all its boxes fail, bit for bit, and the walk needs no padding. (T. Ize,
// "Robust BVH Ray Traversal", 2013, pads because its leaves use other arithmetic than its nodes.)
#pragma once

#include "core/src/geometry/moving_aabb_scalar.hpp"
#include "core/src/geometry/node.hpp"
#include "core/src/geometry/ray_box_scalar.hpp"

#include <broadside/plane.hpp>

namespace broadside::nodes {

/// Query for the boxes that overlap a valid box. Points are boxes without extent.
struct BoxQuery {
    Aabb box;

    /// Infinite sides become the largest finite numbers. Every valid box still overlaps them; an empty lane
    /// does not.
    explicit BROADSIDE_FORCE_INLINE BoxQuery(const Aabb& query)
        : box{{max_keep(query.min.x, -FLT_MAX), max_keep(query.min.y, -FLT_MAX),
               max_keep(query.min.z, -FLT_MAX)},
              {min_keep(query.max.x, FLT_MAX), min_keep(query.max.y, FLT_MAX),
               min_keep(query.max.z, FLT_MAX)}} {}
};
/// Overlaps every valid box.
inline constexpr Aabb kEverything = {{-__builtin_inff(), -__builtin_inff(), -__builtin_inff()},
                                     {__builtin_inff(), __builtin_inff(), __builtin_inff()}};

/// A line against slabs: a ray, or a moving box, which is a ray against boxes grown by it. Near and far sides
/// have separate origins, because growing the boxes would round. Three rows of eight floats.
struct alignas(32) SlabQuery {
    Vec3 near_origin;
    Vec3 far_origin;
    Vec3 inv_direction;
    /// The factor for far planes; larger than the other if no hit may be lost (see PreparedRay).
    Vec3 inv_direction_far;
    /// Negative for an invalid query, which then hits nothing.
    float t_max;
    /// Rows in a node of the planes that the line meets first, and of the others.
    std::uint32_t near_row[3];
    std::uint32_t far_row[3];
    /// True if some origin is infinite. An empty lane is then infinity minus infinity, so it must be refused
    /// explicitly.
    bool is_unbounded;
};

BROADSIDE_FORCE_INLINE SlabQuery slab_query(Vec3 near_origin, Vec3 far_origin, Vec3 inv_direction,
                                            Vec3 inv_direction_far, float t_max, bool is_unbounded) {
    const std::uint32_t x = has_sign_bit(inv_direction.x) ? kMaxX : kMinX;
    const std::uint32_t y = has_sign_bit(inv_direction.y) ? kMaxY : kMinY;
    const std::uint32_t z = has_sign_bit(inv_direction.z) ? kMaxZ : kMinZ;
    return {near_origin,
            far_origin,
            inv_direction,
            inv_direction_far,
            t_max,
            {x * kNodeWidth, y * kNodeWidth, z * kNodeWidth},
            {(std::uint32_t{kMinX + kMaxX} - x) * kNodeWidth, (std::uint32_t{kMinY + kMaxY} - y) * kNodeWidth,
             (std::uint32_t{kMinZ + kMaxZ} - z) * kNodeWidth},
            is_unbounded};
}

/// True if some time may underflow, so that the tests below may be wrong about the start.
BROADSIDE_FORCE_INLINE bool may_underflow(const SlabQuery& query) {
    const Vec3 inv = query.inv_direction;
    const auto may = [&](Vec3 origin) {
        return broadside::may_underflow(origin.x, inv.x) || broadside::may_underflow(origin.y, inv.y) ||
               broadside::may_underflow(origin.z, inv.z);
    };
    return may(query.near_origin) || may(query.far_origin);
}

/// A ray from infinity is invalid, and so hits nothing.
BROADSIDE_FORCE_INLINE SlabQuery slab_query(const PreparedRay& ray) {
    return slab_query(ray.origin, ray.origin, ray.inv_direction, ray.inv_direction_far, ray.t_max, false);
}
/// The reach of a step up to t_max: at most 1, and negative for none. NaN gives none. Never -0, because walks compare
/// limits by their bits.
BROADSIDE_FORCE_INLINE float step_reach(float t_max) {
    return t_max >= 0.0f ? min_keep(t_max, 1.0f) + 0.0f : -1.0f;
}
BROADSIDE_FORCE_INLINE SlabQuery slab_query(const Aabb& box, Vec3 displacement, float t_max) {
    const Vec3 inv = {1.0f / flush_denormal(displacement.x), 1.0f / flush_denormal(displacement.y),
                      1.0f / flush_denormal(displacement.z)};
    const bool down_x = has_sign_bit(inv.x);
    const bool down_y = has_sign_bit(inv.y);
    const bool down_z = has_sign_bit(inv.z);
    return slab_query(
        {down_x ? box.min.x : box.max.x, down_y ? box.min.y : box.max.y, down_z ? box.min.z : box.max.z},
        {down_x ? box.max.x : box.min.x, down_y ? box.max.y : box.min.y, down_z ? box.max.z : box.min.z}, inv,
        inv, is_valid(box) && is_finite(displacement) ? step_reach(t_max) : -1.0f,
        !(is_finite(box.min) && is_finite(box.max)));
}

/// A test with a key: how early the query can meet the box, or how near it is. Never negative.
struct KeyedTest {
    float key;
    bool meets;
};

/// The part of the line from 0 to `limit` within the slabs. Empty if it ends before it begins.
struct SlabSpan {
    float t_enter;
    float t_exit;
};
BROADSIDE_FORCE_INLINE SlabSpan slab_span(const SlabQuery& query, const Aabb& box, float limit) {
    const bool down_x = has_sign_bit(query.inv_direction.x);
    const bool down_y = has_sign_bit(query.inv_direction.y);
    const bool down_z = has_sign_bit(query.inv_direction.z);
    const float near_x = ((down_x ? box.max.x : box.min.x) - query.near_origin.x) * query.inv_direction.x;
    const float near_y = ((down_y ? box.max.y : box.min.y) - query.near_origin.y) * query.inv_direction.y;
    const float near_z = ((down_z ? box.max.z : box.min.z) - query.near_origin.z) * query.inv_direction.z;
    const float far_x = ((down_x ? box.min.x : box.max.x) - query.far_origin.x) * query.inv_direction_far.x;
    const float far_y = ((down_y ? box.min.y : box.max.y) - query.far_origin.y) * query.inv_direction_far.y;
    const float far_z = ((down_z ? box.min.z : box.max.z) - query.far_origin.z) * query.inv_direction_far.z;
    const float t_enter = max_keep(near_z, max_keep(near_y, max_keep(near_x, 0.0f)));
    const float t_exit = min_keep(far_z, min_keep(far_y, min_keep(far_x, limit)));
    return {t_enter, t_exit};
}

/// The t at which the line enters the box, or 0 if it starts inside, provided that is at most `limit`. The
/// operations are those of ray_box_prepared with Inside::zero and of first_impact_scalar with Touch::closed,
/// except for times that underflow, which make it accept more at 0. Other policies accept a subset.
BROADSIDE_FORCE_INLINE KeyedTest test(const SlabQuery& query, const Aabb& box, float limit) {
    const SlabSpan span = slab_span(query, box, limit);
    const bool is_filled = !query.is_unbounded || box.min.x <= box.max.x;
    return {span.t_enter, span.t_enter <= span.t_exit && is_filled};
}

/// A moving sphere, as its bounds.
struct SphereQuery {
    /// The sides of the bounds, rounded outwards. t_max is negative for an invalid cast.
    SlabQuery slabs;
};
/// The key below is a time times this: smaller by more than the six roundings of a slab, relative and
/// absolute.
inline constexpr float kTimeSlack = 1.0f - 0x1p-20f;

/// A lower bound of the time at which the sphere meets the box. The code that takes the candidates decides
/// whether and when it does (sphere_box.hpp).
BROADSIDE_FORCE_INLINE KeyedTest test(const SphereQuery& query, const Aabb& box, float limit) {
    const SlabSpan span = slab_span(query.slabs, box, limit);
    const float key = max_keep(span.t_enter * kTimeSlack - FLT_MIN, 0.0f);
    return {key, key <= span.t_exit};
}

/// Query for the boxes near a valid box or a finite point, which is a box.
struct DistanceQuery {
    Aabb box;

    BROADSIDE_FORCE_INLINE DistanceQuery(const Aabb& box_in) : box(box_in) {}
    BROADSIDE_FORCE_INLINE DistanceQuery(Vec3 point) : box{point, point} {}
};
/// The key falls short of the true distance by at least this factor. It exceeds all rounding errors of a
/// squared distance in float, relative (six of 2^-24) and absolute (products that underflow).
inline constexpr float kDistanceSlack = 1.0f - 0x1p-20f;

/// Query for the boxes that no plane has entirely on its outer side, within rounding. The code that takes the
/// candidates decides whether a box is in the volume (volume_box.hpp).
struct PlanesQuery {
    /// Further planes are left to that code, too.
    static constexpr std::uint32_t kMaxCount = 16;
    struct ScaledPlane {
        Vec3 normal;
        float offset;
        /// Bound of the rounding error, per unit of a box's largest coordinate.
        float slack;
    };
    ScaledPlane planes[kMaxCount];
    std::uint32_t count;
};

/// Scales by a power of two, so that the largest component is from 1/16 to 1/8. Then only the offset can
/// overflow, and it decides alone. A side takes four roundings of 2^-24 of the sizes that go in. Both get
/// four times that, plus what underflows. NaN, from an infinite side times 0, counts as not outside.
inline PlanesQuery::ScaledPlane scaled_plane(const Plane& plane) {
    const Vec3 size = absolute(plane.normal);
    const double largest = static_cast<double>(max_keep(size.x, max_keep(size.y, size.z)));
    double scale = 1.0;
    if (largest > 0.0) {
        const auto exponent = __builtin_bit_cast(std::uint64_t, largest) >> 52;
        scale = __builtin_bit_cast(double, (2046 - exponent) << 52) * 0.0625;
    }
    const auto scaled = [&](float a) { return static_cast<float>(static_cast<double>(a) * scale); };
    const Vec3 normal = {scaled(plane.normal.x), scaled(plane.normal.y), scaled(plane.normal.z)};
    const double offset = static_cast<double>(plane.offset) * scale;
    const double padded = offset + (offset < 0.0 ? -offset : offset) * 0x1p-20 + static_cast<double>(FLT_MIN);
    const double limit = static_cast<double>(FLT_MAX);
    const Vec3 part = absolute(normal);
    return {normal,
            static_cast<float>(padded > limit    ? limit
                               : padded < -limit ? -limit
                                                 : padded),
            ((part.x + part.y) + part.z) * 0x1p-20f};
}

/// Weight of a child's own size in the cost, so that of several children that hold the box already the
/// smallest is chosen.
inline constexpr float kOwnSizeShare = 0x1p-10f;

/// The cost of adding a box to a child: the growth of its edges. Infinite for lanes without a child, at most
/// FLT_MAX for others.
BROADSIDE_FORCE_INLINE float joining_cost(const Aabb& child, const Aabb& box) {
    const auto edge_sum = [](Vec3 edges) { return (edges.x + edges.y) + edges.z; };
    const float size = edge_sum(child.max - child.min);
    const float joined = edge_sum(max_keep(child.max, box.max) - min_keep(child.min, box.min));
    // Infinity minus infinity is NaN, for which min_keep returns the largest.
    const float cost = min_keep((joined - size) + size * kOwnSizeShare, FLT_MAX);
    return child.min.x <= child.max.x ? cost : __builtin_inff();
}

}  // namespace broadside::nodes
