// The rounding of boxes as function pointers, one for each kind of number.
#pragma once

#include <broadside/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace broadside::broadphase {

/// Observations while sides are rounded.
struct RoundingMarks {
    /// Not every number can be told from its float.
    bool is_lossy = false;
    /// A box is invalid on this axis.
    bool has_invalid = false;
    /// A number is beyond what the kernel rounds, and no float counts.
    bool is_beyond = false;
};

/// The sides of `count` boxes on one axis, each array with a number in every `stride`.
template <class Number>
struct AxisSides {
    const Number* min;
    const Number* max;
    std::size_t stride;
    std::size_t count;
};

/// Constants of a kind of number, and the word as wide as it.
template <class Number>
struct RoundedNumber {
    using Word = std::conditional_t<sizeof(Number) == 8, std::uint64_t, std::uint32_t>;
    static constexpr bool kIsInt64 = std::is_same_v<Number, std::int64_t>;
    static constexpr Number kLargest = std::numeric_limits<Number>::max();
    static constexpr Number kLowest = std::numeric_limits<Number>::lowest();
};

template <class Number>
struct RoundingKernel {
    /// Writes what AxisMap::rounded returns for the numbers and an offset.
    RoundingMarks (*round)(const AxisSides<Number>& sides, Number offset, float* out_min, float* out_max);
};

struct RoundingKernels : RoundingKernel<float>,
                         RoundingKernel<double>,
                         RoundingKernel<std::int32_t>,
                         RoundingKernel<std::int64_t> {
    static const RoundingKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

}  // namespace broadside::broadphase
