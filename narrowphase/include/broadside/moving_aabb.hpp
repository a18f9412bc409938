// When two boxes that move along straight lines first meet, one pair at a time or in batches. The static test
// is `overlap` in aabb.hpp; candidates come from swept boxes in broadphase/; the exact behaviour of two
// published texts is in moving_aabb_compat.hpp.
#pragma once

#include <broadside/cast.hpp>
#include <broadside/export.hpp>
#include <broadside/impact.hpp>
#include <broadside/pair_buffer.hpp>

#include <span>

namespace BROADSIDE_API broadside {

/// Time at which `moving`, displaced by `displacement` in the course of the step, first touches `stationary`,
/// as a fraction of the step in [0, 1], or kNoIntersection. If both move, `displacement` is that of `moving`
/// minus that of `stationary`.
///
/// A displacement below FLT_MIN on an axis counts as zero there. An invalid box (see `is_valid`) or a
/// displacement that is not finite has no impact. Infinite sides are legal. The result is never NaN and never
/// -0.
///
/// Exact where possible: coordinates decide whether boxes overlap, touch or have separated at the start, and
/// rounding never makes a displacement that covers the (rounded) gap too short. A time is gap · (1 /
/// displacement), so it is off by at most three roundings of 2^-24 relative. Decisions differ from exact
/// arithmetic only where two times, or a time and 1, lie closer than that. For displacements above 2^126,
/// whose reciprocals are denormal, read 2^-21.
float time_of_impact(const Aabb& stationary, const Aabb& moving, Vec3 displacement,
                     Touch touch = Touch::closed) noexcept;

/// As `time_of_impact`, and the face of `stationary` that is hit.
Impact first_impact(const Aabb& stationary, const Aabb& moving, Vec3 displacement,
                    Touch touch = Touch::closed) noexcept;

// Batches, as overlap.hpp describes them. `out_faces` may be empty if faces are not wanted. Displacements:
// none, or one for each box, else invalid_argument.

/// Two streams of the same length, else invalid_argument: item i is `first_impact(a.shapes[i], b.shapes[i],
/// b.displacements[i] - a.displacements[i], touch)`. Both sides may move, rest, or be the same arrays.
BatchResult times_of_impact(const MovingBoxes& a, const MovingBoxes& b, Touch touch, std::span<float> out_toi,
                            std::span<Face> out_faces = {}) noexcept;

/// One mover against many boxes at rest: item i is `first_impact(resting[i], mover, displacement, touch)`.
BatchResult times_of_impact(const Aabb& mover, Vec3 displacement, const BoxSoaView& resting, Touch touch,
                            std::span<float> out_toi, std::span<Face> out_faces = {}) noexcept;

/// Pairs by index: item i is the impact of a's box `pairs[i].first` with b's box `pairs[i].second`. Pairs
/// sorted by either index are read fastest. If there are more pairs than boxes, the rows of
/// moving_aabb_rows.hpp are faster.
BatchResult times_of_impact(const MovingBoxes& a, const MovingBoxes& b, std::span<const IndexPair> pairs,
                            Touch touch, std::span<float> out_toi, std::span<Face> out_faces = {}) noexcept;

}  // namespace broadside
