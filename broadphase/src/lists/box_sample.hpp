// Some boxes that stand for all.
#pragma once

#include "broadphase/src/lists/box_sets.hpp"

#include <broadside/aabb.hpp>

namespace broadside::broadphase {

inline float component(const Vec3& v, int axis) noexcept { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/// As good as random, in units of 2^-32. An even sequence would do for one box at a time, but its differences
/// are few, so that boxes dealt out in turn to a thousand heaps would never come in twos (MurmurHash3's end).
inline std::uint32_t scattered(std::uint32_t i) noexcept {
    std::uint32_t x = i * 0x9E3779B9u;
    x = (x ^ x >> 16) * 0x85EBCA6Bu;
    x = (x ^ x >> 13) * 0xC2B2AE35u;
    return x ^ x >> 16;
}

/// Calls `visit(box)` for the valid ones among `count` boxes of both sets together, or for all when there are
/// fewer: one from each of equally long stretches, at a place that does not repeat with any period of the
/// input.
template <class Visit>
void for_each_sampled_box(const BoxSets& sets, std::size_t count, Visit&& visit) {
    const std::size_t total = sets.box_count();
    const std::size_t wanted = total < count ? total : count;
    for (std::size_t i = 0; i < wanted; ++i) {
        const std::uint64_t begin = total * i / wanted;
        const std::uint64_t end = total * (i + 1) / wanted;
        const std::uint32_t fraction = scattered(static_cast<std::uint32_t>(i));
        const std::uint64_t index = begin + ((end - begin) * fraction >> 32);
        const Aabb box = sets[index];
        if (is_valid(box)) visit(box);
    }
}

}  // namespace broadside::broadphase
