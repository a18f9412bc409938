// Rays against spheres, one at a time and in batches.
#pragma once

#include <broadside/export.hpp>
#include <broadside/ray_box.hpp>
#include <broadside/sphere_view.hpp>

namespace BROADSIDE_API broadside {

/// One ray against one sphere; the specification, in ordinary code. Closed and solid: a tangent hits, and so
/// does a ray that ends on the surface. The face is none. A start inside follows `RaySettings::inside` as
/// against a box. A start on the surface counts as inside only if the ray leaves; moving in is a hit at t = 0.
/// Direction components below FLT_MIN count as zero; a ray of zero length is the point at its origin. Invalid
/// rays hit nothing, invalid spheres are hit by nothing. Computed in double precision, at every scale: each t
/// is rounded to nearest once, and tangents are distinguished from misses to 2^-50 of the larger of radius and
/// distance. Spheres further than FLT_MAX, in t, are out of reach.
RaySolidHit ray_sphere(const Ray& ray, const Sphere& sphere, const RaySettings& settings = {}) noexcept;

/// One ray against many spheres: item i is `ray_sphere` of spheres[i], bit for bit, on every ISA. Faces are
/// `none`. Batches are described in overlap.hpp.
BatchResult ray_spheres(const Ray& ray, const SphereSoaView& spheres, const RaySettings& settings,
                        const RayOutputs& out_results) noexcept;

/// For every ray the sphere with the smallest t_enter, and among equals the one with the smallest index.
/// Faces are `none`. Needs fewer than kNoBox spheres, else invalid_argument. O(rays · spheres).
BatchResult closest_hits(std::span<const Ray> rays, const SphereSoaView& spheres, const RaySettings& settings,
                         std::span<TreeHit> out_closest) noexcept;

}  // namespace broadside
