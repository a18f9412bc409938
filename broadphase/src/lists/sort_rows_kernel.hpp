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

/// The first pass of the exchange below.
BROADSIDE_FORCE_INLINE constexpr std::uint32_t first_pass(std::uint32_t count) {
    std::uint32_t top = 1;
    while (2 * top < count) top *= 2;
    return top;
}

/// Batcher's merge exchange (Knuth, The Art of Computer Programming, volume 3, 5.2.2, algorithm M) from its pass
/// `p` on: `count` numbers ascend once each `visit(low, high)` has left the smaller of two numbers at `low`. All
/// passes are needed if they are in no order, and pass 1 alone if those of even and those of odd index ascend.
template <class Visit>
BROADSIDE_FORCE_INLINE constexpr void for_each_exchange(std::uint32_t count, std::uint32_t p, Visit&& visit) {
    const std::uint32_t top = first_pass(count);
    for (; p > 0; p /= 2) {
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

template <std::uint32_t kCount, bool kIsMerge>
struct ExchangeList {
    std::uint32_t size = 0;
    std::uint8_t low[kCount * 6] = {};
    std::uint8_t high[kCount * 6] = {};

    constexpr ExchangeList() {
        for_each_exchange(kCount, kIsMerge ? 1 : first_pass(kCount),
                          [this](std::uint32_t a, std::uint32_t b) {
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
    /// True if `count` pairs of each row may be written, however many it has.
    BROADSIDE_FORCE_INLINE bool has_room(std::size_t count, const IndexPair* out_end) const {
        return out_end - targets[kLanes - 1] >= static_cast<std::int64_t>(count);
    }
    /// Writes pairs slot to slot + 3 of each row, of four columns.
    BROADSIDE_FORCE_INLINE void write(std::size_t slot, const IntW* columns) const {
        const simd::FloatW<Arch> first = as_float(firsts);
        simd::store_rows([&](std::uint32_t lane) { return reinterpret_cast<float*>(targets[lane] + slot); },
                         first, as_float(columns[0]), first, as_float(columns[1]), first,
                         as_float(columns[2]), first, as_float(columns[3]));
    }
    /// Writes the pairs of each row and nothing after it.
    BROADSIDE_NEVER_INLINE void write_each(const std::int32_t* columns) const {
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

/// Runs a network, or only its last pass, over columns in registers.
template <class Arch, bool kIsMerge, std::size_t kCount, std::size_t... kSteps>
BROADSIDE_FORCE_INLINE void exchange_columns(simd::IntW<Arch> (&state_columns)[kCount],
                                             simd::IndexList<kSteps...>) {
    constexpr ExchangeList<kCount, kIsMerge> list;
    (exchange(state_columns[list.low[kSteps]], state_columns[list.high[kSteps]]), ...);
}

/// Rows of up to eight never leave the registers.
template <class Arch, std::size_t... kSlots>
BROADSIDE_FORCE_INLINE void sort_short_group(const RowGroup<Arch>& group, const IndexPair* out_end,
                                             simd::IndexList<kSlots...>) {
    constexpr std::size_t kCount = sizeof...(kSlots);
    simd::IntW<Arch> columns[kCount] = {group.load(kSlots)...};
    exchange_columns<Arch, false>(columns, simd::MakeIndexList<ExchangeList<kCount, false>().size>());
    if (group.has_room(kCount, out_end)) {
        if constexpr (kCount > 4) group.write(4, columns + 4);
        return group.write(0, columns);
    }
    alignas(64) std::int32_t sorted[kCount * Arch::kLanes];
    (store_unaligned(sorted + kSlots * Arch::kLanes, columns[kSlots]), ...);
    group.write_each(sorted);
}

/// Networks of more numbers than this, an even number, are a merge of two of half as many, which other lengths
/// share.
inline constexpr std::uint32_t kWholeNetworkMax = 16;

template <class Arch, bool kIsMerge, std::size_t... kSlots>
BROADSIDE_FORCE_INLINE void exchange_columns(std::int32_t* state_columns, simd::IndexList<kSlots...>) {
    // The halves to merge are the numbers of even and of odd index.
    simd::IntW<Arch> columns[] = {simd::load_unaligned_int<Arch>(
        state_columns +
        (kIsMerge ? kSlots % 2 * (sizeof...(kSlots) / 2) + kSlots / 2 : kSlots) * Arch::kLanes)...};
    exchange_columns<Arch, kIsMerge>(columns,
                                     simd::MakeIndexList<ExchangeList<sizeof...(kSlots), kIsMerge>().size>());
    (store_unaligned(state_columns + kSlots * Arch::kLanes, columns[kSlots]), ...);
}
/// Sorts kCount numbers in each lane; number k is in column k.
template <class Arch, std::uint32_t kCount>
BROADSIDE_NEVER_INLINE void sort_columns(std::int32_t* state_columns) {
    if constexpr (kCount > kWholeNetworkMax) {
        sort_columns<Arch, kCount / 2>(state_columns);
        sort_columns<Arch, kCount / 2>(state_columns + kCount / 2 * Arch::kLanes);
    }
    exchange_columns<Arch, (kCount > kWholeNetworkMax)>(state_columns, simd::MakeIndexList<kCount>());
}

template <class Arch>
BROADSIDE_FORCE_INLINE void sort_any_columns(std::int32_t* state_columns, std::uint32_t count) {
    for_each_exchange(count, first_pass(count), [&](std::uint32_t a, std::uint32_t b) {
        std::int32_t* const column_a = state_columns + std::size_t{a} * Arch::kLanes;
        std::int32_t* const column_b = state_columns + std::size_t{b} * Arch::kLanes;
        simd::IntW<Arch> low = simd::load_unaligned_int<Arch>(column_a);
        simd::IntW<Arch> high = simd::load_unaligned_int<Arch>(column_b);
        exchange(low, high);
        store_unaligned(column_a, low);
        store_unaligned(column_b, high);
    });
}

template <class Arch>
void sort_group(const RowGroup<Arch>& group, const IndexPair* out_end) {
    if (group.count_max == 0) return;
    if (group.count_max <= 4) return sort_short_group(group, out_end, simd::MakeIndexList<4>());
    if (group.count_max <= 8) return sort_short_group(group, out_end, simd::MakeIndexList<8>());
    alignas(64) std::int32_t columns[kRowSlotCount * Arch::kLanes];
    const std::uint32_t count = (group.count_max + 3) / 4 * 4;
    for (std::uint32_t slot = 0; slot < count; ++slot)
        store_unaligned(columns + std::size_t{slot} * Arch::kLanes, group.load(slot));
    switch (count) {
        case 12:
            sort_columns<Arch, 12>(columns);
            break;
        case 16:
            sort_columns<Arch, 16>(columns);
            break;
        case 20:
            sort_columns<Arch, 20>(columns);
            break;
        case 24:
            sort_columns<Arch, 24>(columns);
            break;
        case 28:
            sort_columns<Arch, 28>(columns);
            break;
        case 32:
            sort_columns<Arch, 32>(columns);
            break;
        default:
            sort_any_columns<Arch>(columns, group.count_max);
    }
    if (!group.has_room(count, out_end)) return group.write_each(columns);
    for (std::uint32_t slot = count; slot != 0; slot -= 4) {
        const std::int32_t* const first = columns + std::size_t{slot - 4} * Arch::kLanes;
        simd::IntW<Arch> block[4];
        for (std::uint32_t k = 0; k < 4; ++k)
            block[k] = simd::load_unaligned_int<Arch>(first + k * Arch::kLanes);
        group.write(slot - 4, block);
    }
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
            sort_group(group, out_end);
        }
        return out_pairs;
    }
}

}  // namespace broadside::broadphase
