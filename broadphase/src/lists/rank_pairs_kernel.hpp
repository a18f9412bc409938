// rank_pairs_scalar.hpp with the keys of a row in lanes. As many registers are compared for every key, so that
// no branch depends on the length of a row: what follows a row is not smaller.
#pragma once

#include "broadphase/src/lists/rank_pairs_scalar.hpp"
#include "simd/src/int_ops.hpp"

namespace broadside::broadphase {

template <class Arch>
void rank_pairs_kernel(const KeyRows& rows, std::uint32_t begin, std::uint32_t end, IndexPair* out_pairs) {
    if constexpr (simd::is_scalar<Arch>) {
        rank_pairs_scalar(rows, begin, end, out_pairs);
    } else {
        using namespace simd;
        constexpr std::uint32_t kLanes = Arch::kLanes;
        const auto* const keys = reinterpret_cast<const std::int32_t*>(rows.keys);
        const std::uint32_t lane_end = (rows.row_length_max + kLanes - 1) / kLanes * kLanes;
        for (std::uint32_t k = begin; k < end; ++k) {
            const std::uint32_t key = rows.keys[k];
            const std::uint32_t row_begin = rows.row_end(key)[-1];
            const IntW<Arch> key_w = broadcast_int<Arch>(keys[k]);
            std::uint32_t rank = 0;
            if constexpr (kLanes >= 8) {
                for (std::uint32_t i = 0; i < lane_end; i += kLanes) {
                    // rank += keys[row_begin + i] < key
                    rank += static_cast<std::uint32_t>(__builtin_popcount(
                        bits(less(load_unaligned_int<Arch>(keys + row_begin + i), key_w))));
                }
            } else {
                // Processors of so few lanes need not know how to count bits.
                const IntW<Arch> one = broadcast_int<Arch>(1);
                const IntW<Arch> zero = broadcast_int<Arch>(0);
                IntW<Arch> rank_w = zero;
                for (std::uint32_t i = 0; i < lane_end; i += kLanes) {
                    rank_w = rank_w +
                             select(less(load_unaligned_int<Arch>(keys + row_begin + i), key_w), one, zero);
                }
                rank = static_cast<std::uint32_t>(sum(rank_w));
            }
            out_pairs[row_begin + rank] = rows.pair_of(key);
        }
    }
}

}  // namespace broadside::broadphase
