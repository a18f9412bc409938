// When two spheres that move along straight lines first touch, one pair at a time or in batches. The static
// test is `overlap` in sphere.hpp.
#pragma once

#include <broadside/cast.hpp>
#include <broadside/export.hpp>
#include <broadside/no_intersection.hpp>
#include <broadside/pair_buffer.hpp>

#include <span>

namespace BROADSIDE_API broadside {

/// Time at which two spheres, each displaced in the course of the step, first touch, as a fraction of the
/// step in [0, 1], or kNoIntersection. Closed: a touch at the very end or in passing counts, and spheres that
/// touch or overlap at the start give 0 even if they part. Invalid spheres and displacements that are not
/// finite have no impact. Computed in double precision, so neither a large nor a small scale overflows or
/// cancels. The result is rounded to nearest once, is never NaN and never -0.
float time_of_impact(const Sphere& a, const Sphere& b, Vec3 displacement_a, Vec3 displacement_b) noexcept;

// Batches, as overlap.hpp describes them. Displacements: none, or one for each sphere, else invalid_argument.

/// One sphere against many; item i is its impact with others.shapes[i].
BatchResult times_of_impact(const Sphere& sphere, Vec3 displacement, const MovingSpheres& others,
                            std::span<float> out_toi) noexcept;

/// Two streams of the same length (invalid_argument otherwise): item i is a's sphere i with b's sphere i.
BatchResult times_of_impact(const MovingSpheres& a, const MovingSpheres& b,
                            std::span<float> out_toi) noexcept;

/// Pairs by index: item i is a's sphere `pairs[i].first` with b's sphere `pairs[i].second`.
BatchResult times_of_impact(const MovingSpheres& a, const MovingSpheres& b, std::span<const IndexPair> pairs,
                            std::span<float> out_toi) noexcept;

}  // namespace broadside
