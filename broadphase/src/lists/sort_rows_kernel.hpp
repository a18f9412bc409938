// sort_rows_scalar.hpp with a row in each lane. Slot k of as many rows as there are lanes is one register,
// and a sorting network of minima and maxima sorts them all at once, without a branch that depends on a key.
// The network has the length of the longest of these rows; slots after the end of a row hold a number that no
// key exceeds. Sorted rows are written four pairs at a time, the last pairs first: excess pairs behind the
// end of a row are overwritten by pairs of later rows, which are written later.
#pragma once

#include "broadphase/src/lists/sort_rows_scalar.hpp"
#include "simd/src/index_list.hpp"
#include "simd/src/int_ops.hpp"
#include "simd/src/transpose.hpp"

namespace broadside::broadphase {

/// Output lines are prefetched this many pairs ahead: groups write them in an order that no hardware
/// prefetcher predicts. pile, 100,000, avx2: 0.3 to 0.6 ns a pair less.
inline constexpr std::int64_t kOutputPairsAhead = 512;
inline constexpr std::int64_t kLinePairs = 8;

/// Batcher's merge exchange (Knuth, The Art of Computer Programming, volume 3, 5.2.2, algorithm M): `count`
/// numbers ascend once each `visit(low, high)` has left the smaller of two numbers at `low`.
template <class Visit>
BROADSIDE_FORCE_INLINE constexpr void for_each_exchange(std::uint32_t count, Visit&& visit) {
    std::uint32_t top = 1;
    while (2 * top < count) top *= 2;
    for (std::uint32_t p = top; p > 0; p /= 2) {
        std::uint32_t distance = p;
        std::uint32_t bit = 0;
        for (std::uint32_t q = top;; q /= 2) {
            for (std::uint32_t low = 0; low + distance < count; ++low) {
                if ((low & p) == bit) visit(low, low + distance);
            }
            if (q == p) break;
            distance = q - p;
            bit = p;
        }
    }
}

template <std::uint32_t kCount>
struct ExchangeList {
    std::uint32_t size = 0;
    std::uint8_t low[kCount * 6] = {};
    std::uint8_t high[kCount * 6] = {};

    constexpr ExchangeList() {
        for_each_exchange(kCount, [this](std::uint32_t a, std::uint32_t b) {
            low[size] = static_cast<std::uint8_t>(a);
            high[size++] = static_cast<std::uint8_t>(b);
        });
    }
};

/// Leaves the smaller of two numbers in `low`. None is negative, so their difference does not overflow.
template <class Arch>
BROADSIDE_FORCE_INLINE void exchange(simd::IntW<Arch>& low, simd::IntW<Arch>& high) {
    if constexpr (simd::has_integer_minima<Arch>) {
        const simd::IntW<Arch> larger = max(low, high);
        low = min(low, high);
        high = larger;
    } else {
        // high < low ? high - low : 0
        const simd::IntW<Arch> difference = high - low;
        const simd::IntW<Arch> excess = difference & simd::shift_right<31>(difference);
        low = low + excess;
        high = high - excess;
    }
}

/// As many rows as there are lanes; the last ones may be empty.
template <class Arch>
struct RowGroup {
    using IntW = simd::IntW<Arch>;
    static constexpr std::uint32_t kLanes = Arch::kLanes;

    const std::int32_t* slots;
    std::size_t stride;
    std::uint32_t count_max;
    IntW second_mask;
    IntW firsts;
    alignas(64) std::int32_t counts[kLanes];
    /// Start of the pairs of each row.
    IndexPair* targets[kLanes];

    BROADSIDE_FORCE_INLINE RowGroup(const RowSlots& rows, std::uint32_t begin, std::uint32_t end,
                                    IndexPair*& state_next)
        : slots(reinterpret_cast<const std::int32_t*>(rows.slots) + begin),
          stride(rows.stride),
          count_max(0),
          second_mask(simd::broadcast_int<Arch>(static_cast<std::int32_t>(rows.second_mask))),
          firsts(simd::broadcast_int<Arch>(static_cast<std::int32_t>(rows.first_of_row_0 + begin)) +
                 simd::lane_index<Arch>()) {
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            const std::uint32_t count = begin + lane < end ? rows.count_of(begin + lane) : 0;
            counts[lane] = static_cast<std::int32_t>(count);
            count_max = count > count_max ? count : count_max;
            targets[lane] = state_next;
            state_next += count;
        }
    }

    BROADSIDE_FORCE_INLINE IntW load(std::uint32_t slot) const {
        const IntW second = simd::load_unaligned_int<Arch>(slots + slot * stride) & second_mask;
        const IntW slot_w = simd::broadcast_int<Arch>(static_cast<std::int32_t>(slot));
        // slot < count ? second : INT32_MAX
        return select(less(slot_w, simd::load_unaligned_int<Arch>(counts)), second,
                      simd::broadcast_int<Arch>(INT32_MAX));
    }
    /// Writes pairs slot to slot + 3 of each row.
    BROADSIDE_FORCE_INLINE void write(std::size_t slot, const IntW* columns) const {
        const simd::FloatW<Arch> first = as_float(firsts);
        simd::store_rows([&](std::uint32_t lane) { return reinterpret_cast<float*>(targets[lane] + slot); },
                         first, as_float(columns[slot]), first, as_float(columns[slot + 1]), first,
                         as_float(columns[slot + 2]), first, as_float(columns[slot + 3]));
    }
    /// Writes the pairs of each row and nothing after it.
    void write_each(const std::int32_t* columns) const {
        alignas(64) std::int32_t first[kLanes];
        store_unaligned(first, firsts);
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            for (std::int32_t k = 0; k < counts[lane]; ++k) {
                targets[lane][k] = {
                    static_cast<std::uint32_t>(first[lane]),
                    static_cast<std::uint32_t>(columns[static_cast<std::size_t>(k) * kLanes + lane])};
            }
        }
    }
};

template <class Arch, std::uint32_t kCount, std::size_t... kSlots, std::size_t... kSteps,
          std::size_t... kBlocks>
BROADSIDE_FORCE_INLINE void sort_group(const RowGroup<Arch>& group, const IndexPair* out_end,
                                       simd::IndexList<kSlots...>, simd::IndexList<kSteps...>,
                                       simd::IndexList<kBlocks...>) {
    constexpr ExchangeList<kCount> list;
    simd::IntW<Arch> columns[kCount] = {group.load(kSlots)...};
    (exchange(columns[list.low[kSteps]], columns[list.high[kSteps]]), ...);
    if (out_end - group.targets[Arch::kLanes - 1] >= static_cast<std::int64_t>(kCount))
        return (group.write(kCount - 4 - 4 * kBlocks, columns), ...);
    alignas(64) std::int32_t sorted[kCount * Arch::kLanes];
    (store_unaligned(sorted + kSlots * Arch::kLanes, columns[kSlots]), ...);
    group.write_each(sorted);
}
/// No row is longer than kCount, which is a multiple of four.
template <class Arch, std::uint32_t kCount>
void sort_group(const RowGroup<Arch>& group, const IndexPair* out_end) {
    sort_group<Arch, kCount>(group, out_end, simd::MakeIndexList<kCount>(),
                             simd::MakeIndexList<ExchangeList<kCount>().size>(),
                             simd::MakeIndexList<kCount / 4>());
}

template <class Arch>
void sort_long_group(const RowGroup<Arch>& group) {
    alignas(64) std::int32_t sorted[kRowSlotCount * Arch::kLanes];
    const auto column = [&](std::uint32_t slot) { return sorted + std::size_t{slot} * Arch::kLanes; };
    for (std::uint32_t slot = 0; slot < group.count_max; ++slot)
        store_unaligned(column(slot), group.load(slot));
    for_each_exchange(group.count_max, [&](std::uint32_t a, std::uint32_t b) {
        simd::IntW<Arch> low = simd::load_unaligned_int<Arch>(column(a));
        simd::IntW<Arch> high = simd::load_unaligned_int<Arch>(column(b));
        exchange(low, high);
        store_unaligned(column(a), low);
        store_unaligned(column(b), high);
    });
    group.write_each(sorted);
}

template <class Arch>
IndexPair* sort_rows_kernel(const RowSlots& rows, std::uint32_t begin, std::uint32_t end,
                            IndexPair* out_pairs, IndexPair* out_end) {
    if constexpr (simd::is_scalar<Arch>) {
        return sort_rows_scalar(rows, begin, end, out_pairs, out_end);
    } else {
        for (std::uint32_t row = begin; row < end; row += Arch::kLanes) {
            const IndexPair* line = out_pairs;
            const RowGroup<Arch> group(rows, row, end, out_pairs);
            for (; line < out_pairs && out_end - line > kOutputPairsAhead; line += kLinePairs)
                __builtin_prefetch(line + kOutputPairsAhead, 0, 2);
            switch ((group.count_max + 3) / 4) {
                case 0:
                    break;
                case 1:
                    sort_group<Arch, 4>(group, out_end);
                    break;
                case 2:
                    sort_group<Arch, 8>(group, out_end);
                    break;
                case 3:
                    sort_group<Arch, 12>(group, out_end);
                    break;
                case 4:
                    sort_group<Arch, 16>(group, out_end);
                    break;
                case 5:
                    sort_group<Arch, 20>(group, out_end);
                    break;
                case 6:
                    sort_group<Arch, 24>(group, out_end);
                    break;
                case 7:
                case 8:
                    sort_group<Arch, kRegisterSlotCount>(group, out_end);
                    break;
                default:
                    sort_long_group(group);
            }
        }
        return out_pairs;
    }
}

}  // namespace broadside::broadphase
