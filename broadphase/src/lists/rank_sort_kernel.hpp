// Sorts some dozens of numbers by comparing each with each.
#pragma once

#include "simd/src/int_ops.hpp"

namespace broadside::broadphase {

/// Writes the numbers of kGroups registers, from `first` on, to their sorted positions. Each is compared with
/// all numbers: one number is broadcast for all groups. Lanes behind the last number are not written.
template <class Arch, std::uint32_t kGroups>
BROADSIDE_FORCE_INLINE void rank_groups(const std::uint32_t* numbers, std::uint32_t first,
                                        std::uint32_t count, std::uint32_t* out_numbers) {
    using namespace simd;
    const auto* signed_numbers = reinterpret_cast<const std::int32_t*>(numbers);
    IntW<Arch> groups[kGroups];
    IntW<Arch> ranks_w[kGroups];
    for (std::uint32_t g = 0; g < kGroups; ++g) {
        groups[g] = load_unaligned_int<Arch>(signed_numbers + first + g * Arch::kLanes);
        ranks_w[g] = broadcast_int<Arch>(0);
    }
    for (std::uint32_t j = 0; j < count; ++j) {
        const IntW<Arch> number = broadcast_int<Arch>(signed_numbers[j]);
        // rank -= number < group ? -1 : 0, as the sign of a difference that cannot overflow.
        for (std::uint32_t g = 0; g < kGroups; ++g)
            ranks_w[g] = ranks_w[g] - shift_right<31>(number - groups[g]);
    }
    alignas(64) std::int32_t ranks[kGroups * Arch::kLanes];
    for (std::uint32_t g = 0; g < kGroups; ++g) store_unaligned(ranks + g * Arch::kLanes, ranks_w[g]);
    const std::uint32_t lane_count =
        count - first < kGroups * Arch::kLanes ? count - first : kGroups * Arch::kLanes;
    for (std::uint32_t lane = 0; lane < lane_count; ++lane) {
        out_numbers[ranks[lane]] = numbers[first + lane];
    }
}

/// The sorted position of a number is the count of smaller numbers, which are all different.
template <class Arch>
void sort_by_rank_kernel(std::uint32_t* numbers, std::uint32_t count, std::uint32_t* out_numbers) {
    if constexpr (simd::is_scalar<Arch>) {
        for (std::uint32_t i = 0; i < count; ++i) {
            std::uint32_t rank = 0;
            for (std::uint32_t j = 0; j < count; ++j) rank += numbers[j] < numbers[i] ? 1u : 0u;
            out_numbers[rank] = numbers[i];
        }
    } else {
        constexpr std::uint32_t kLanes = Arch::kLanes;
        std::uint32_t first = 0;
        // Four groups if the third has at least one number.
        for (; first < count && count - first > 2 * kLanes; first += 4 * kLanes)
            rank_groups<Arch, 4>(numbers, first, count, out_numbers);
        if (first >= count) return;
        if (count - first > kLanes) return rank_groups<Arch, 2>(numbers, first, count, out_numbers);
        rank_groups<Arch, 1>(numbers, first, count, out_numbers);
    }
}

}  // namespace broadside::broadphase
