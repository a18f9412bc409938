// What a ray finds in boxes, and the setting that decides it: shared by the narrowphase's kernels and the
// broadphase's tree. The questions themselves are ray_box.hpp and box_tree.hpp.
#pragma once

#include <broadside/face.hpp>
#include <broadside/no_intersection.hpp>
#include <broadside/ray.hpp>

#include <cstdint>

namespace broadside {

/// What a ray that starts inside a box answers; engines disagree, so it is a setting (source_rules.md G13). A
/// start on a face counts as inside only where the ray does not enter through that face: moving in is a hit
/// at t = 0.
enum class Inside : std::uint8_t {
    /// No hit, as in Box2D. Moving out from a face is a miss too.
    miss,
    /// A hit at the t <= 0 where the line behind the start entered; finite: at least -FLT_MAX.
    negative_t,
    /// A hit at t = 0 with Face::none.
    zero,
};

/// What counts as a hit of a ray on a box.
struct RaySettings {
    /// Default: a hit at t = 0, because the ray and the box do share the start.
    Inside inside = Inside::zero;
    /// True: no ray that hits is ever lost to rounding, and rays that pass by within 2^-20 of their t may be
    /// reported too, their t_exit and reach being that much longer. For filters such as tree nodes, whose
    /// leaves decide; costs nothing. Default: the nearest answer, which loses some of the rays that graze an
    /// edge.
    bool is_conservative = false;
};

/// One ray against one box. Slabs are closed: a ray that only grazes an edge or a corner, runs within a face,
/// or ends exactly on a face hits. t is in multiples of the ray's direction.
struct [[nodiscard]] RayBoxHit {
    /// Where the ray enters; kNoIntersection on a miss. Never NaN, -0 or infinite.
    float t_enter = kNoIntersection;
    /// Where it leaves or ends, whichever comes first, so at most the ray's t_max; kNoIntersection on a miss.
    float t_exit = kNoIntersection;
    /// The authority: a ray whose t_max is beyond kNoIntersection may also hit there.
    bool has_hit = false;
    /// The face that it enters by; on an edge or a corner the one of the first axis. `none` on a miss, for a
    /// ray of zero length, and where `Inside::zero` answers for a start inside.
    Face face = Face::none;

    friend constexpr bool operator==(const RayBoxHit&, const RayBoxHit&) = default;
};

/// Stands for "no box" in ClosestHit.
inline constexpr std::uint32_t kNoBox = 0xFFFFFFFFu;

/// The box that a ray enters first.
struct [[nodiscard]] ClosestHit {
    /// Its t_enter; kNoIntersection when there is none.
    float t = kNoIntersection;
    /// Its index; kNoBox when there is none, and only then.
    std::uint32_t box_index = kNoBox;
    /// The face that the ray enters by; see RayBoxHit.
    Face face = Face::none;

    friend constexpr bool operator==(const ClosestHit&, const ClosestHit&) = default;
};

/// A ray as the slab test takes it, for callers who ask box after box (trees). Its fields are an
/// implementation detail; make it with `prepare_ray`.
struct PreparedRay {
    Vec3 origin = {};
    /// 1 / direction; infinite with the sign of the zero where the ray is parallel to a slab.
    Vec3 inv_direction = {};
    /// What the far planes are multiplied by: the same, a few units in the last place more when conservative.
    Vec3 inv_direction_far = {};
    /// At most FLT_MAX; -1 when the ray is invalid, which no box survives.
    float t_max = -1.0f;
    /// The smallest entry t that is a hit, and the smallest that is reported: the inside policy as two
    /// numbers.
    float accept_floor = 0.0f;
    float report_floor = 0.0f;
};

}  // namespace broadside
