// The range check of index pairs over lanes: all in range or not. core's pair_check.hpp finds the bad pair.
#pragma once

#include "simd/src/int_ops.hpp"

#include <broadside/pair_buffer.hpp>

namespace broadside::narrowphase {

BROADSIDE_FORCE_INLINE bool are_in_range_scalar(const IndexPair* pairs, std::size_t pair_count,
                                                std::uint32_t first_count, std::uint32_t second_count) {
    bool is_bad = false;
    for (std::size_t i = 0; i < pair_count; ++i) {
        is_bad |= pairs[i].first >= first_count || pairs[i].second >= second_count;
    }
    return !is_bad;
}

/// Half a lane group of pairs at a time, each lane one index. ~(index - count) | index has its sign bit set
/// exactly when index >= count.
template <class Arch>
bool pairs_in_range_kernel(const IndexPair* pairs, std::size_t pair_count, std::uint32_t first_count,
                           std::uint32_t second_count) {
    if constexpr (simd::is_scalar<Arch>) {
        return are_in_range_scalar(pairs, pair_count, first_count, second_count);
    } else {
        using namespace simd;
        constexpr std::size_t kPairs = Arch::kLanes / 2;
        std::int32_t lane_counts[Arch::kLanes];
        for (std::size_t lane = 0; lane < Arch::kLanes; lane += 2) {
            lane_counts[lane] = static_cast<std::int32_t>(first_count);
            lane_counts[lane + 1] = static_cast<std::int32_t>(second_count);
        }
        const IntW<Arch> counts = load_unaligned_int<Arch>(lane_counts);
        const IntW<Arch> all_ones = broadcast_int<Arch>(-1);
        const auto past_end = [&](const IndexPair* source) {
            const IntW<Arch> index = load_unaligned_int<Arch>(reinterpret_cast<const std::int32_t*>(source));
            return ((index - counts) ^ all_ones) | index;
        };
        IntW<Arch> bad = broadcast_int<Arch>(0);
        IntW<Arch> more_bad = bad;
        std::size_t i = 0;
        for (; i + 2 * kPairs <= pair_count; i += 2 * kPairs) {
            bad = bad | past_end(pairs + i);
            more_bad = more_bad | past_end(pairs + i + kPairs);
        }
        return none(has_sign_bit(as_float(bad | more_bad))) &&
               are_in_range_scalar(pairs + i, pair_count - i, first_count, second_count);
    }
}

}  // namespace broadside::narrowphase
