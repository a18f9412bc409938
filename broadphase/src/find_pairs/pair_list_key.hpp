// A number for what a call was asked for, by which a position is told to be its own.
#pragma once

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

/// Of the counts of boxes and all settings that the list depends on, filters by which rules there are. Never
/// zero. `b` is null when there is one set.
inline std::uint64_t pair_list_key(const BoxSoaView& a, const BoxSoaView* b,
                                   const FindPairsSettings& settings) noexcept {
    std::uint64_t key = 14695981039346656037u;
    // FNV-1a by words, with the upper half folded in, which it would not reach.
    const auto add = [&](std::uint64_t word) {
        key = (key ^ word) * 1099511628211u;
        key ^= key >> 32;
    };
    const auto rules = [](const BoxFilter& filter) {
        return (filter.categories.empty() ? 0u : 1u) | (filter.masks.empty() ? 0u : 2u) |
               (filter.groups.empty() ? 0u : 4u) | (filter.subset_bits.empty() ? 0u : 8u);
    };
    add(a.count);
    add(b != nullptr ? b->count : ~std::uint64_t{0});
    add(static_cast<std::uint64_t>(settings.algorithm) | static_cast<std::uint64_t>(settings.order) << 8 |
        static_cast<std::uint64_t>(settings.sweep_axis) << 16);
    add(settings.cell_counts.x);
    add(settings.cell_counts.y);
    add(settings.cell_counts.z);
    add(rules(settings.filter) | (b != nullptr ? rules(settings.filter_b) << 8 : 0u) |
        (settings.resting != nullptr ? 1u << 16 : 0u) | (settings.cache != nullptr ? 1u << 17 : 0u));
    return key | 1u;
}

}  // namespace broadside::broadphase
