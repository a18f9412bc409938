// How a batch is cut into groups of lanes, the last one partial, without reading or writing past the caller's arrays.
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

/// The last `count` items, fewer than kLanes. Lanes behind them hold the fill value and their results are not stored.
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

/// Calls `body(first_item, group)` for every group of `count` items.
template <class Arch, class Body>
BROADSIDE_FORCE_INLINE void for_each_group(std::size_t count, Body&& body) {
    std::size_t item = 0;
    for (; item + Arch::kLanes <= count; item += Arch::kLanes) body(item, FullGroup<Arch>{});
    if (item < count) body(item, TailGroup<Arch>{static_cast<std::uint32_t>(count - item)});
}

/// Collects the mask bits of consecutive groups into words of 64: item i is bit i % 64 of word i / 64, whatever the
/// lane count. Bits past the last item are zero.
class BitWriter {
public:
    explicit BROADSIDE_FORCE_INLINE BitWriter(std::uint64_t* out_words) : out_words_(out_words) {}

    /// The bits of the `lane_count` items from `first_item` on; groups come in order and never straddle a word.
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

}  // namespace broadside::simd
