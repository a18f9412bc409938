// A sample of boxes.
#pragma once

#include "broadphase/src/lists/box_sets.hpp"
#include "broadphase/src/lists/task_cut.hpp"

#include <broadside/aabb.hpp>

namespace broadside::broadphase {

/// Upper bound of `sample_count`.
inline constexpr std::size_t kSampleCountMax = 512;

inline float component(const Vec3& v, int axis) noexcept { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/// A hash that looks random, in units of 2^-32 (MurmurHash3's finalizer). An even sequence would do for
/// single boxes, but its differences are few: of boxes dealt out in turn to a thousand heaps, no two of one
/// heap would ever be sampled.
inline std::uint32_t scattered(std::uint32_t i) noexcept {
    std::uint32_t x = i * 0x9E3779B9u;
    x = (x ^ x >> 16) * 0x85EBCA6Bu;
    x = (x ^ x >> 13) * 0xC2B2AE35u;
    return x ^ x >> 16;
}

/// How many of `total` boxes to sample, so that the sample costs less than the search: one in
/// `boxes_per_sample`, at least 32, at most 512.
inline std::size_t sample_count(std::size_t total, std::size_t boxes_per_sample) noexcept {
    const std::size_t count = total / boxes_per_sample;
    const std::size_t wanted = count < 32 ? 32 : count > kSampleCountMax ? kSampleCountMax : count;
    return wanted < total ? wanted : total;
}

/// Calls `visit(index)` for `count` of `total` indices, or for all if there are fewer: one from each of
/// equally long stretches, at an offset that does not repeat with any period of the input.
template <class Visit>
void for_each_sampled_index(std::size_t total, std::size_t count, Visit&& visit) {
    // Any start would do; this one suits the scenes of the benches as well as even steps.
    constexpr std::uint32_t kStart = 2;
    const std::size_t wanted = total < count ? total : count;
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < wanted; ++i) {
        const std::uint64_t end = part_begin(total, i + 1, wanted);
        const std::uint32_t fraction = scattered(static_cast<std::uint32_t>(i) + kStart);
        visit(static_cast<std::size_t>(begin + ((end - begin) * fraction >> 32)));
        begin = end;
    }
}

/// Calls `visit(box)` for each valid box in a sample of both sets together.
template <class Visit>
void for_each_sampled_box(const BoxSets& sets, std::size_t count, Visit&& visit) {
    for_each_sampled_index(sets.box_count(), count, [&](std::size_t index) {
        const Aabb box = sets[index];
        if (is_valid(box)) visit(box);
    });
}

}  // namespace broadside::broadphase
