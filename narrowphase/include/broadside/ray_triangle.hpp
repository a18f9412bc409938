// Ray against triangle, decided without any rounding. Rays against meshes are in mesh.hpp.
#pragma once

#include <broadside/export.hpp>
#include <broadside/no_intersection.hpp>
#include <broadside/ray.hpp>
#include <broadside/triangle.hpp>

#include <cstdint>

namespace BROADSIDE_API broadside {

/// The sides from which a triangle can be hit. From the front, its corners run counter-clockwise.
enum class Sides : std::uint8_t {
    both,
    front,
};

/// Result of one ray against one triangle.
///
/// The hit is decided for the exact values of the floats, as if without rounding, over the whole range of
/// floats. Components of the direction below FLT_MIN count as zero, as for all rays. The triangle is closed:
/// its edges and corners belong to it, so that no ray passes between two triangles that share them. A ray
/// within the plane of the triangle does not hit it, nor can a degenerate triangle be hit; their neighbours
/// are hit, at the shared edge. The reach is closed too: from 0 to t_max.
///
/// t, u and v are the true numbers rounded to the nearest float.
struct [[nodiscard]] RayTriangleHit {
    /// kNoIntersection on a miss; never -0.
    float t = kNoIntersection;
    /// The point hit is a + u·(b - a) + v·(c - a), both from 0 to 1. Zero on a miss.
    float u = 0.0f;
    float v = 0.0f;
    bool has_hit = false;
    /// Whether it is hit from its front.
    bool is_front = false;

    friend constexpr bool operator==(const RayTriangleHit&, const RayTriangleHit&) = default;
};

/// One ray against one triangle. An invalid ray and a triangle that is not finite miss. A value of `sides`
/// that is no enumerator counts as both. Pure and thread-safe.
RayTriangleHit ray_triangle(const Ray& ray, const Triangle& triangle, Sides sides = Sides::both) noexcept;

}  // namespace broadside
