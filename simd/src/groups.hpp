// Cuts a batch into groups of lanes, the last one partial, without reading or writing past the caller's
// arrays.
#pragma once

#include "simd/src/lanes.hpp"

#include <cstddef>

namespace broadside::simd {

/// kLanes items, all present.
template <class Arch>
struct FullGroup {
    static constexpr std::uint32_t count = Arch::kLanes;
    BROADSIDE_FORCE_INLINE FloatW<Arch> load(const float* source, float) const {
        return load_unaligned<Arch>(source);
    }
    BROADSIDE_FORCE_INLINE void store(float* target, FloatW<Arch> value) const {
        store_unaligned(target, value);
    }
};

/// A FullGroup whose results bypass the caches. Their addresses are aligned to a register.
template <class Arch>
struct StreamedGroup {
    static constexpr std::uint32_t count = Arch::kLanes;
    BROADSIDE_FORCE_INLINE FloatW<Arch> load(const float* source, float) const {
        return load_unaligned<Arch>(source);
    }
    BROADSIDE_FORCE_INLINE void store(float* target, FloatW<Arch> value) const {
        native::stream(target, value.value);
    }
};

/// The last `count` items, fewer than kLanes. Lanes behind them hold the fill value and their results are not
/// stored.
template <class Arch>
struct TailGroup {
    std::uint32_t count;
    BROADSIDE_FORCE_INLINE FloatW<Arch> load(const float* source, float fill) const {
        return load_tail<Arch>(source, count, fill);
    }
    BROADSIDE_FORCE_INLINE void store(float* target, FloatW<Arch> value) const {
        store_tail(target, count, value);
    }
};

/// A group that is full or partial, decided at run time. Bodies of hundreds of operations are compiled once
/// for it, not twice; each load and store costs a comparison.
template <class Arch>
struct AnyGroup {
    std::uint32_t count;
    BROADSIDE_FORCE_INLINE bool is_full() const { return Arch::kLanes == 1 || count == Arch::kLanes; }
    BROADSIDE_FORCE_INLINE FloatW<Arch> load(const float* source, float fill) const {
        return is_full() ? load_unaligned<Arch>(source) : load_tail<Arch>(source, count, fill);
    }
    BROADSIDE_FORCE_INLINE void store(float* target, FloatW<Arch> value) const {
        if (is_full())
            store_unaligned(target, value);
        else
            store_tail(target, count, value);
    }
};

/// for_each_group with an AnyGroup for every group.
template <class Arch, class Body>
BROADSIDE_FORCE_INLINE void for_each_any_group(std::size_t count, Body&& body) {
    for (std::size_t item = 0; item < count; item += Arch::kLanes) {
        const std::size_t left = count - item;
        body(item, AnyGroup<Arch>{left < Arch::kLanes ? static_cast<std::uint32_t>(left) : Arch::kLanes});
    }
}

/// As above for a list. `lanes` points to the items of the list or, for a partial group, to a copy that
/// repeats the first one in the lanes behind. Calls `body(first_item, group, lanes)`.
template <class Arch, class Item, class Body>
BROADSIDE_FORCE_INLINE void for_each_listed_group(const Item* items, std::size_t count, Body&& body) {
    Item copies[Arch::kLanes];
    for_each_any_group<Arch>(count, [&](std::size_t first, AnyGroup<Arch> group) {
        const Item* lanes = items + first;
        if (!group.is_full()) {
            for (std::uint32_t lane = 0; lane < Arch::kLanes; ++lane) {
                copies[lane] = items[first + (lane < group.count ? lane : 0)];
            }
            lanes = copies;
        }
        body(first, group, lanes);
    });
}

/// Stores the lanes of the group as single bytes.
template <class Arch, class Byte, class Group>
BROADSIDE_FORCE_INLINE void store_bytes(Byte* target, Group group, IntW<Arch> numbers) {
    static_assert(sizeof(Byte) == 1);
    alignas(64) std::int32_t lanes[Arch::kLanes];
    store_unaligned(lanes, numbers);
    if (group.count == Arch::kLanes) {
        for (std::uint32_t lane = 0; lane < Arch::kLanes; ++lane)
            target[lane] = static_cast<Byte>(lanes[lane]);
    } else {
        for (std::uint32_t lane = 0; lane < group.count; ++lane)
            target[lane] = static_cast<Byte>(lanes[lane]);
    }
}

/// Calls `body(first_item, group)` for every group of `count` items.
template <class Arch, class Body>
BROADSIDE_FORCE_INLINE void for_each_group(std::size_t count, Body&& body) {
    std::size_t item = 0;
    for (; item + Arch::kLanes <= count; item += Arch::kLanes) body(item, FullGroup<Arch>{});
    if (Arch::kLanes > 1 && item < count)
        body(item, TailGroup<Arch>{static_cast<std::uint32_t>(count - item)});
}

/// Results of at least this size bypass the caches. Their inputs are several times as large, so hardly any
/// result would still be cached when the caller reads it, and a store through the caches reads its line
/// first. Two megabytes is twice a usual second-level cache; bench/dead_ends.md has the measurements.
inline constexpr std::size_t kStreamedBytes = std::size_t{2} << 20;

/// for_each_group with StreamedGroups if `out_floats`, the array that the body stores to, is large. The first
/// group is then a partial one that ends where the array is aligned.
template <class Arch, class Body>
BROADSIDE_FORCE_INLINE void for_each_group_to(const float* out_floats, std::size_t count, Body&& body) {
    constexpr std::size_t kGroupBytes = Arch::kLanes * sizeof(float);
    std::size_t item = 0;
    if (count >= kStreamedBytes / sizeof(float)) {
        const std::size_t offset = reinterpret_cast<std::uintptr_t>(out_floats) % kGroupBytes;
        if (offset != 0) {
            const auto before = static_cast<std::uint32_t>((kGroupBytes - offset) / sizeof(float));
            body(item, TailGroup<Arch>{before});
            item = before;
        }
        for (; item + Arch::kLanes <= count; item += Arch::kLanes) body(item, StreamedGroup<Arch>{});
        native::finish_streaming();
    } else {
        for (; item + Arch::kLanes <= count; item += Arch::kLanes) body(item, FullGroup<Arch>{});
    }
    if (item < count) body(item, TailGroup<Arch>{static_cast<std::uint32_t>(count - item)});
}

/// Collects the mask bits of consecutive groups into words of 64: item i is bit i % 64 of word i / 64,
/// whatever the lane count. Bits past the last item are zero.
class BitWriter {
public:
    explicit BROADSIDE_FORCE_INLINE BitWriter(std::uint64_t* out_words) : out_words_(out_words) {}

    /// Appends the bits of the `lane_count` items from `first_item` on. Groups come in order and never
    /// straddle a word.
    BROADSIDE_FORCE_INLINE void write(std::size_t first_item, std::uint32_t lane_bits,
                                      std::uint32_t lane_count) {
        const std::uint64_t present = (std::uint64_t{1} << lane_count) - 1;
        word_ |= (lane_bits & present) << (first_item % 64);
        if ((first_item + lane_count) % 64 == 0)
            flush();
        else
            is_partial_ = true;
    }
    /// Stores the last, incomplete word.
    BROADSIDE_FORCE_INLINE void finish() {
        if (is_partial_) flush();
    }

private:
    BROADSIDE_FORCE_INLINE void flush() {
        *out_words_++ = word_;
        word_ = 0;
        is_partial_ = false;
    }

    std::uint64_t* out_words_;
    std::uint64_t word_ = 0;
    bool is_partial_ = false;
};

/// Calls `bits_of(first_item, group)`, which returns one bit a lane, for every group of `count` items, and
/// stores the bits as BitWriter does. Whole words are assembled without a branch.
template <class Arch, class BitsOf>
BROADSIDE_FORCE_INLINE void write_group_bits(std::size_t count, std::uint64_t* out_words, BitsOf&& bits_of) {
    std::size_t item = 0;
    for (; item + 64 <= count; item += 64) {
        std::uint64_t word = 0;
        for (std::uint32_t index = 0; index < 64; index += Arch::kLanes) {
            word |= std::uint64_t{bits_of(item + index, FullGroup<Arch>{})} << index;
        }
        out_words[item / 64] = word;
    }
    if (item == count) return;
    std::uint64_t word = 0;
    std::uint32_t index = 0;
    for (; item + index + Arch::kLanes <= count; index += Arch::kLanes) {
        word |= std::uint64_t{bits_of(item + index, FullGroup<Arch>{})} << index;
    }
    if (item + index < count) {
        const TailGroup<Arch> rest{static_cast<std::uint32_t>(count - item - index)};
        const std::uint64_t present = (std::uint64_t{1} << rest.count) - 1;
        word |= (bits_of(item + index, rest) & present) << index;
    }
    out_words[item / 64] = word;
}

}  // namespace broadside::simd
