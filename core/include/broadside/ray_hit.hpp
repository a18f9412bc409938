// Results and settings of rays against boxes. Shared by the narrowphase's kernels and the broadphase's tree;
// the queries are in ray_box.hpp and box_tree.hpp.
#pragma once

#include <broadside/hit.hpp>
#include <broadside/ray.hpp>

#include <cstdint>

namespace broadside {

/// The result of a ray that starts inside a box. Engines disagree, so it is a setting (source_rules.md G13).
/// A start on a face counts as inside only if the ray does not enter through that face: moving in is a hit at
/// t = 0.
enum class Inside : std::uint8_t {
    /// No hit, as in Box2D. Moving out from a face is a miss too.
    miss,
    /// A hit at the t <= 0 where the line behind the start entered; finite: at least -FLT_MAX.
    negative_t,
    /// A hit at t = 0 with Face::none.
    zero,
};

/// Settings of a ray test.
struct RaySettings {
    /// Default: a hit at t = 0, because the ray and the box do share the start.
    Inside inside = Inside::zero;
    /// True: rounding loses no ray that hits. Rays that pass by within 2^-20 of their t may be reported too,
    /// and t_exit and reach are longer by as much. For filters such as tree nodes, whose leaves decide; costs
    /// nothing. Default: the nearest result, which loses some of the rays that graze an edge.
    bool is_conservative = false;
};

/// Result of one ray against one box or sphere. Slabs are closed: a ray that only grazes an edge or a corner,
/// runs within a face, or ends exactly on a face hits. t is in multiples of the ray's direction.
struct [[nodiscard]] RaySolidHit {
    /// The t at which the ray enters; kNoIntersection on a miss. Never NaN, -0 or infinite.
    float t_enter = kNoIntersection;
    /// The t at which it leaves or ends, whichever comes first: at most its t_max; kNoIntersection on a miss.
    float t_exit = kNoIntersection;
    /// True on a hit. Test this, not `t_enter`: a ray with t_max beyond kNoIntersection may also hit there.
    bool has_hit = false;
    /// The face of the box that the ray enters by; on an edge or a corner, that of the first axis. `none` for a
    /// miss, a sphere, a ray of zero length, and a start inside under `Inside::zero`.
    Face face = Face::none;

    friend constexpr bool operator==(const RaySolidHit&, const RaySolidHit&) = default;
};

/// The index for "no box" wherever one is reported.
inline constexpr std::uint32_t kNoBox = kNoTarget<std::uint32_t>;

/// A ray prepared for the slab test, for callers that test box after box (trees). Make it with `prepare_ray`;
/// its fields are an implementation detail.
struct PreparedRay {
    Vec3 origin = {};
    /// 1 / direction. If the ray is parallel to a slab, infinite with the sign of the zero.
    Vec3 inv_direction = {};
    /// The factor for the far planes: `inv_direction`, a few units in the last place more if conservative.
    Vec3 inv_direction_far = {};
    /// At most FLT_MAX. -1 if the ray is invalid, so that every box misses.
    float t_max = -1.0f;
    /// The smallest entry t that is a hit, and the smallest that is reported: the inside policy as two
    /// numbers.
    float accept_floor = 0.0f;
    float report_floor = 0.0f;
};

}  // namespace broadside
