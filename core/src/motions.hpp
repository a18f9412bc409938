// Finds the first shape of a body in motion that overlaps something. Consecutive states of a shape are looked at as one,
// and one by one only if something is near.
#pragma once

#include "core/src/argument.hpp"
#include "core/src/zones.hpp"

#include <broadside/capsule.hpp>
#include <broadside/obb.hpp>
#include <broadside/run_tasks.hpp>

namespace broadside {

/// Room that holds shapes: all points within `radius` of a box. Invalid shapes may enlarge it, which costs time only; NaN
/// does not.
struct MotionReach {
    Aabb box = Aabb::empty();
    float radius = 0.0f;

    /// Rounded outwards by more than the error of these operations and of the bounds of an Obb, which is at most 2^-21 of
    /// `size`.
    Aabb bounds() const {
        const Vec3 sides = max_keep(absolute(box.min), absolute(box.max));
        const float size = max_keep(sides.x, max_keep(sides.y, sides.z)) + radius;
        const float out = radius + (size * 0x1p-20f + FLT_MIN);
        return {box.min - Vec3{out, out, out}, box.max + Vec3{out, out, out}};
    }
};
BROADSIDE_FORCE_INLINE MotionReach include(const MotionReach& a, const MotionReach& b) {
    return {include(a.box, b.box), max_keep(b.radius, a.radius)};
}

inline MotionReach reach_of(const Aabb& box) { return {box, 0.0f}; }
inline MotionReach reach_of(Vec3 point) { return {{point, point}, 0.0f}; }
inline MotionReach reach_of(const Sphere& sphere) { return {{sphere.center, sphere.center}, sphere.radius}; }
inline MotionReach reach_of(const Capsule& capsule) {
    return {{min_keep(capsule.a, capsule.b), max_keep(capsule.a, capsule.b)}, capsule.radius};
}
inline MotionReach reach_of(const Obb& obb) { return {bounds(obb), 0.0f}; }

/// Consecutive states that are looked at as one, and the part of them that is looked at as one if something is near. Of an
/// arm of 59 spheres among 1,000 boxes (bench/broadphase/bench_motions.cpp) 32 and 4 take as long; 16 and 2, or 32 and 8,
/// up to a third more.
inline constexpr std::size_t kStatesOfRun = 16;
inline constexpr std::size_t kStatesOfPart = 4;

/// The index of the first shape of a motion that overlaps something; `shape_count` if there is none. A search has
/// `reach(index)`; `look_around(bounds)` of a run, and `is_near(bounds)` of a part of the last run; both are
/// false only if no shape in the bounds can overlap anything. `is_met(index)` decides on a shape of that run.
template <class Search>
std::size_t first_met(Search& search, std::size_t shape_count, std::size_t shapes_per_state) {
    const std::size_t run = kStatesOfRun * shapes_per_state;
    const std::size_t part = kStatesOfPart * shapes_per_state;
    std::size_t first = shape_count;
    for (std::size_t begin = 0; begin < first; begin += run) {
        for (std::size_t shape = begin; shape < begin + shapes_per_state && shape < first; ++shape) {
            // States from `first` on no longer matter.
            const std::size_t end = first - begin < run ? first : begin + run;
            MotionReach parts[kStatesOfRun / kStatesOfPart];
            MotionReach whole;
            std::size_t part_count = 0;
            for (std::size_t i = shape; i < end; ++part_count) {
                MotionReach reach;
                for (const std::size_t part_end = i + part; i < part_end && i < end; i += shapes_per_state)
                    reach = include(reach, search.reach(i));
                parts[part_count] = reach;
                whole = include(whole, reach);
            }
            if (is_empty(whole.box) || !search.look_around(whole.bounds())) continue;
            for (std::size_t k = 0; k < part_count; ++k) {
                std::size_t i = shape + k * part;
                if (part_count > 1 && (is_empty(parts[k].box) || !search.is_near(parts[k].bounds())))
                    continue;
                const std::size_t part_end = end - i < part ? end : i + part;
                while (i < part_end && !search.is_met(i)) i += shapes_per_state;
                if (i < part_end) {
                    first = i;
                    break;
                }
            }
        }
    }
    return first;
}

/// Checks the arguments that every first_overlaps has.
inline bool check_motions(std::size_t shape_count, std::uint32_t shapes_per_state,
                          std::span<std::uint32_t> out_first) {
    if (!check_readable(out_first) || !BROADSIDE_ARGUMENT(shapes_per_state != 0, "shapes_per_state: zero"))
        return false;
    const std::size_t states = shape_count / shapes_per_state;
    return BROADSIDE_ARGUMENT(shape_count < 0xFFFFFFFFu, "shapes: more than an index can count") &&
           BROADSIDE_ARGUMENT(shape_count % shapes_per_state == 0,
                              "shapes: the last state is no whole one") &&
           BROADSIDE_ARGUMENT(out_first.empty() ? states == 0 : states % out_first.size() == 0,
                              "out_first: states are not as many for each motion");
}

/// Writes first_met of every motion; `make_search(index of the first shape)` makes the search of one.
template <class MakeSearch>
void write_first_met(const TaskRunner* runner, std::size_t shape_count, std::size_t shapes_per_state,
                     std::span<std::uint32_t> out_first, MakeSearch&& make_search) {
    if (shape_count == 0) {
        for (std::uint32_t& first : out_first) first = 0;
        return;
    }
    constexpr std::size_t kShapesOfTask = 64;
    const std::size_t per_motion = shape_count / out_first.size();
    run_chunks(
        runner, out_first.size(), 1 + kShapesOfTask / per_motion, [&](std::size_t begin, std::size_t end) {
            BROADSIDE_ZONE("motions/query task");
            for (std::size_t i = begin; i < end; ++i) {
                auto search = make_search(i * per_motion);
                out_first[i] = static_cast<std::uint32_t>(first_met(search, per_motion, shapes_per_state));
            }
        });
}

}  // namespace broadside
