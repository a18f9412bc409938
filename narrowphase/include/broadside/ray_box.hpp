// Rays against boxes by slabs, one at a time and in batches. The four-lane forms are in ray_box4.hpp, the
// exact behaviour of two published texts in ray_box_compat.hpp.
#pragma once

#include <broadside/box_view.hpp>
#include <broadside/export.hpp>
#include <broadside/overlap.hpp>
#include <broadside/pair_buffer.hpp>
#include <broadside/ray_hit.hpp>

#include <cstdint>
#include <span>

namespace BROADSIDE_API broadside {

/// One ray against one box; the specification, in ordinary code. Invalid rays hit nothing, invalid boxes are
/// hit by nothing. Direction components below FLT_MIN count as zero (source_rules.md G4). Short of overflow
/// and underflow each t has a relative error below 2^-22. A decision is wrong only where the true entry and
/// exit (or entry and t_max) differ by less than 2^-21 of their size: of rays aimed right at edges about 6 in
/// 100 are lost. Whether the ray starts in the box, on a face, or behind it is decided by the coordinates and
/// always right. Planes further from the origin than FLT_MAX, in coordinates or in t, are out of reach. With
/// `is_conservative` no hit is lost at all.
RaySolidHit ray_box(const Ray& ray, const Aabb& box, const RaySettings& settings = {}) noexcept;

/// Arrays for batch results; an empty one is not filled. `hit_bits` alone is cheapest, `face` costs the most.
struct RayOutputs {
    /// RaySolidHit::t_enter, one per item.
    std::span<float> t_enter = {};
    /// RaySolidHit::t_exit, one per item.
    std::span<float> t_exit = {};
    /// RaySolidHit::face, one per item; none for spheres.
    std::span<Face> face = {};
    /// The items that are hit, as bits: item i is bit i % 64 of word i / 64, and bits past the last item are
    /// zero; bit_word_count(items) words.
    std::span<std::uint64_t> hit_bits = {};
};

// Batches, as overlap.hpp describes them. Results are those of `ray_box`, bit for bit, on every ISA.

/// One ray against many boxes; item i is boxes[i].
BatchResult ray_boxes(const Ray& ray, const BoxSoaView& boxes, const RaySettings& settings,
                      const RayOutputs& out_results) noexcept;

/// Pairs by index: item i is rays[pairs[i].first] against boxes[pairs[i].second]. Any order is legal. Pairs
/// grouped by ray are faster, because each ray is then prepared once.
BatchResult ray_boxes(std::span<const Ray> rays, const BoxSoaView& boxes, std::span<const IndexPair> pairs,
                      const RaySettings& settings, const RayOutputs& out_results) noexcept;

/// Every ray against every box: row r of bit_word_count(boxes.count) words holds the bits of rays[r]. Boxes
/// are taken in tiles that stay in the first-level cache. O(rays · boxes).
BatchResult ray_boxes(std::span<const Ray> rays, const BoxSoaView& boxes, const RaySettings& settings,
                      std::span<std::uint64_t> out_hit_bits) noexcept;

/// For every ray the box with the smallest t_enter, and among equals the one with the smallest index. Needs
/// fewer than kNoBox boxes, else invalid_argument. O(rays · boxes).
BatchResult closest_hits(std::span<const Ray> rays, const BoxSoaView& boxes, const RaySettings& settings,
                         std::span<TreeHit> out_closest) noexcept;

/// Prepares a ray for callers that test box after box.
PreparedRay prepare_ray(const Ray& ray, const RaySettings& settings = {}) noexcept;

}  // namespace broadside
