// Sorting some dozens of numbers by comparing each with each.
#pragma once

#include "simd/src/int_ops.hpp"

namespace broadside::broadphase {

/// The index of a number is how many are smaller.
template <class Arch>
void sort_by_rank_kernel(std::uint32_t* numbers, std::uint32_t count, std::uint32_t* out_numbers) {
    if constexpr (simd::is_scalar<Arch>) {
        for (std::uint32_t i = 0; i < count; ++i) {
            std::uint32_t rank = 0;
            for (std::uint32_t j = 0; j < count; ++j) rank += numbers[j] < numbers[i] ? 1u : 0u;
            out_numbers[rank] = numbers[i];
        }
    } else {
        using namespace simd;
        const auto* signed_numbers = reinterpret_cast<const std::int32_t*>(numbers);
        const IntW<Arch> one = broadcast_int<Arch>(1);
        const IntW<Arch> zero = broadcast_int<Arch>(0);
        for (std::uint32_t first = 0; first < count; first += Arch::kLanes) {
            const IntW<Arch> group = load_unaligned_int<Arch>(signed_numbers + first);
            IntW<Arch> rank = zero;
            for (std::uint32_t j = 0; j < count; ++j) {
                rank = rank + select(less(broadcast_int<Arch>(signed_numbers[j]), group), one, zero);
            }
            alignas(64) std::int32_t ranks[Arch::kLanes];
            store_unaligned(ranks, rank);
            // Lanes behind the last number hold anything; they go nowhere.
            const std::uint32_t lane_count = count - first < Arch::kLanes ? count - first : Arch::kLanes;
            for (std::uint32_t lane = 0; lane < lane_count; ++lane) {
                out_numbers[ranks[lane]] = numbers[first + lane];
            }
        }
    }
}

}  // namespace broadside::broadphase
