// Rays against boxes by slabs, one at a time and in batches. The forms of four lanes are in ray_box4.hpp, the
// exact behaviour of two published texts in ray_box_compat.hpp.
#pragma once

#include <broadside/box_view.hpp>
#include <broadside/face.hpp>
#include <broadside/no_intersection.hpp>
#include <broadside/overlap.hpp>
#include <broadside/pair_buffer.hpp>
#include <broadside/ray.hpp>

#include <cstdint>
#include <span>

namespace broadside {

/// What a ray that starts inside a box answers; engines disagree, so it is a setting (rules.md G13). A start
/// on a face counts as inside only where the ray does not enter through that face: moving in is a hit at
/// t = 0.
enum class Inside : std::uint8_t {
    /// No hit, as in Box2D. Moving out from a face is a miss too.
    miss,
    /// A hit at the t <= 0 where the line behind the start entered; finite: at least -FLT_MAX.
    negative_t,
    /// A hit at t = 0 with Face::none.
    zero,
};

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
struct RayBoxHit {
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

/// The specification, in ordinary code. Invalid rays hit nothing, invalid boxes are hit by nothing. Direction
/// components below FLT_MIN count as zero (rules.md G4). Short of overflow and underflow each t has a
/// relative error below 2^-22, and a decision is wrong only where the true entry and exit (or entry and
/// t_max) differ by less than 2^-21 of their size: of rays aimed right at edges about 6 in 100 are lost.
/// Planes further from the origin than FLT_MAX, in coordinates or in t, are out of reach. With
/// `is_conservative` no hit is lost at all.
RayBoxHit ray_box(const Ray& ray, const Aabb& box, const RaySettings& settings = {}) noexcept;

/// Where batch results go; every array is optional, an empty one is not wanted. Asking for `hit_bits` alone
/// is the cheapest, `face` costs the most. Result i is that of `ray_box`, bit for bit, on every ISA.
struct RayBoxOutputs {
    /// RayBoxHit::t_enter, one per item.
    std::span<float> t_enter = {};
    /// RayBoxHit::t_exit, one per item.
    std::span<float> t_exit = {};
    /// RayBoxHit::face, one per item.
    std::span<Face> face = {};
    /// RayBoxHit::has_hit: bit i % 64 of word i / 64, bits past the last item zero; bit_word_count(items)
    /// words.
    std::span<std::uint64_t> hit_bits = {};
};

/// One ray against many boxes; item i is boxes[i]. An output that is wanted but too short answers
/// capacity_exceeded and nothing is written. O(boxes).
BatchResult ray_boxes(const Ray& ray, const BoxSoaView& boxes, const RaySettings& settings,
                      const RayBoxOutputs& out_results) noexcept;

/// Every ray against every box: row r of bit_word_count(boxes.count) words holds the bits of rays[r]. Boxes
/// are taken in tiles that stay in the first-level cache. O(rays · boxes).
BatchResult rays_boxes(std::span<const Ray> rays, const BoxSoaView& boxes, const RaySettings& settings,
                       std::span<std::uint64_t> out_hit_bits) noexcept;

/// Stands for "no box" in ClosestBox.
inline constexpr std::uint32_t kNoBox = 0xFFFFFFFFu;

/// The box that a ray enters first.
struct ClosestBox {
    /// Its t_enter; kNoIntersection when there is none.
    float t = kNoIntersection;
    /// Its index; kNoBox when there is none, and only then.
    std::uint32_t box_index = kNoBox;
    /// The face that the ray enters by; see RayBoxHit.
    Face face = Face::none;

    friend constexpr bool operator==(const ClosestBox&, const ClosestBox&) = default;
};

/// For every ray the box of the smallest t_enter, and among equals the one of the smallest index. Needs fewer
/// than kNoBox boxes, else invalid_argument. O(rays · boxes).
BatchResult closest_boxes(std::span<const Ray> rays, const BoxSoaView& boxes, const RaySettings& settings,
                          std::span<ClosestBox> out_closest) noexcept;

/// Pairs by index: item i is rays[pairs[i].first] against boxes[pairs[i].second]. Any order is legal; pairs
/// that stand grouped by ray are faster, since each ray is then prepared once. An index out of range answers
/// invalid_argument with the pair's place, and nothing is written. O(pairs).
BatchResult ray_box_pairs(std::span<const Ray> rays, const BoxSoaView& boxes,
                          std::span<const IndexPair> pairs, const RaySettings& settings,
                          const RayBoxOutputs& out_results) noexcept;

/// A ray as the slab test takes it, for callers who ask box after box (trees). Its fields are an
/// implementation detail; make it with `prepare_ray`.
struct PreparedRay {
    Vec3 origin;
    /// 1 / direction; infinite with the sign of the zero where the ray is parallel to a slab.
    Vec3 inv_direction;
    /// What the far planes are multiplied by: the same, a few units in the last place more when conservative.
    Vec3 inv_direction_far;
    /// At most FLT_MAX; -1 when the ray is invalid, which no box survives.
    float t_max = -1.0f;
    /// The smallest entry t that is a hit, and the smallest that is reported: the inside policy as two
    /// numbers.
    float accept_floor = 0.0f;
    float report_floor = 0.0f;
};

PreparedRay prepare_ray(const Ray& ray, const RaySettings& settings = {}) noexcept;

}  // namespace broadside
