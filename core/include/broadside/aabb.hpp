// The axis-aligned box: two corners and their predicates. Moving boxes are in narrowphase/.
#pragma once

#include <broadside/vec3.hpp>

#include <limits>

namespace broadside {

/// A closed box: the points p with min <= p <= max on every axis. A point, a segment, a rectangle and
/// infinite sides are legal. A box is *valid* if it holds at least one finite point. NaN corners, inverted
/// corners and boxes at infinity are invalid; an invalid box overlaps and contains nothing.
struct Aabb {
    Vec3 min = {};
    Vec3 max = {};

    /// The empty box, +infinity to -infinity: it holds nothing and is the neutral element of `include`. (A
    /// box of two zero corners is a point at the origin, not an empty box: source_rules.md G5.)
    static constexpr Aabb empty() noexcept {
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        return {{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
    }

    friend constexpr bool operator==(const Aabb&, const Aabb&) = default;
};

/// True if min <= max fails on any axis, so a NaN corner makes a box empty. A point box is not empty.
BROADSIDE_FORCE_INLINE constexpr bool is_empty(const Aabb& box) noexcept {
    return !(box.min.x <= box.max.x && box.min.y <= box.max.y && box.min.z <= box.max.z);
}

/// True if the box holds a finite point: min <= max, min < +infinity and max > -infinity on every axis.
BROADSIDE_FORCE_INLINE constexpr bool is_valid(const Aabb& box) noexcept {
    return !is_empty(box) && box.min.x <= FLT_MAX && box.min.y <= FLT_MAX && box.min.z <= FLT_MAX &&
           box.max.x >= -FLT_MAX && box.max.y >= -FLT_MAX && box.max.z >= -FLT_MAX;
}

/// The center, computed as min/2 + max/2 so that a box from -FLT_MAX to FLT_MAX does not overflow.
BROADSIDE_FORCE_INLINE constexpr Vec3 center(const Aabb& box) noexcept {
    return box.min * 0.5f + box.max * 0.5f;
}
/// Edge lengths, max - min. Negative on the inverted axes of an empty box.
BROADSIDE_FORCE_INLINE constexpr Vec3 size(const Aabb& box) noexcept { return box.max - box.min; }
/// Half the edge lengths, computed as max/2 - min/2.
BROADSIDE_FORCE_INLINE constexpr Vec3 half_extent(const Aabb& box) noexcept {
    return box.max * 0.5f - box.min * 0.5f;
}
/// Product of the edge lengths; 0 for an empty box.
BROADSIDE_FORCE_INLINE constexpr float volume(const Aabb& box) noexcept {
    const Vec3 edges = size(box);
    return is_empty(box) ? 0.0f : edges.x * edges.y * edges.z;
}

/// The smallest box that holds `box` and `point`. A NaN coordinate of the point leaves its axis unchanged.
BROADSIDE_FORCE_INLINE constexpr Aabb include(const Aabb& box, Vec3 point) noexcept {
    return {min_keep(point, box.min), max_keep(point, box.max)};
}
/// The smallest box that holds both. An empty `other` adds nothing.
BROADSIDE_FORCE_INLINE constexpr Aabb include(const Aabb& box, const Aabb& other) noexcept {
    return {min_keep(other.min, box.min), max_keep(other.max, box.max)};
}

/// True if the point is inside or on the boundary.
BROADSIDE_FORCE_INLINE constexpr bool contains(const Aabb& box, Vec3 point) noexcept {
    return box.min.x <= point.x && point.x <= box.max.x &&  //
           box.min.y <= point.y && point.y <= box.max.y &&  //
           box.min.z <= point.z && point.z <= box.max.z;
}
/// True if every point of the valid box `inner` is in `outer`. An invalid box is inside nothing.
BROADSIDE_FORCE_INLINE constexpr bool contains(const Aabb& outer, const Aabb& inner) noexcept {
    return is_valid(inner) &&                                           //
           outer.min.x <= inner.min.x && inner.max.x <= outer.max.x &&  //
           outer.min.y <= inner.min.y && inner.max.y <= outer.max.y &&  //
           outer.min.z <= inner.min.z && inner.max.z <= outer.max.z;
}

/// The one overlap rule of the library: valid boxes, closed intervals. A shared face, edge or corner counts.
/// The comparisons accept rather than reject, so a NaN anywhere returns false (source_rules.md A1-A3, G1,
/// G4). This is the specification of the overlap kernels and of `find_pairs`.
BROADSIDE_FORCE_INLINE constexpr bool overlap(const Aabb& a, const Aabb& b) noexcept {
    return is_valid(a) && is_valid(b) &&                //
           a.min.x <= b.max.x && b.min.x <= a.max.x &&  //
           a.min.y <= b.max.y && b.min.y <= a.max.y &&  //
           a.min.z <= b.max.z && b.min.z <= a.max.z;
}

/// Overlap as above, with the common box. If true and `out_intersection` is not null, writes that box (zero
/// thickness on touch). If false, `out_intersection` is unchanged.
BROADSIDE_FORCE_INLINE constexpr bool overlap(const Aabb& a, const Aabb& b, Aabb* out_intersection) noexcept {
    if (!overlap(a, b)) return false;
    if (out_intersection != nullptr) *out_intersection = {max_keep(a.min, b.min), min_keep(a.max, b.max)};
    return true;
}

/// The box of everything that `box` touches while it moves by `displacement`. Rounded to nearest, so boxes that
/// meet overlap. Of near misses that `time_of_impact` rounds to 1 some do not; CollisionStage pads its boxes.
BROADSIDE_FORCE_INLINE constexpr Aabb swept(const Aabb& box, Vec3 displacement) noexcept {
    return include(box, Aabb{box.min + displacement, box.max + displacement});
}

/// The box grown by `margin` on every side. A negative margin shrinks it and can make it empty.
BROADSIDE_FORCE_INLINE constexpr Aabb expanded(const Aabb& box, float margin) noexcept {
    const Vec3 step = {margin, margin, margin};
    return {box.min - step, box.max + step};
}

}  // namespace broadside
