// Rounds the sides of boxes in loops that compilers vectorise: all flags are words of the numbers' width, or-ed.
// The specification is AxisMap::rounded.
#pragma once

#include "broadphase/src/exact/kernels.hpp"

namespace broadside::broadphase {

/// Not zero if a number cannot be told from its float, or is not for this kernel.
struct RoundingFaults {
    std::uint64_t differences = 0;
    std::uint64_t beyond = 0;
};
inline constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;

template <class Number>
BROADSIDE_FORCE_INLINE float round_number(Number number, Number offset, RoundingFaults& state_faults) {
    if constexpr (RoundedNumber<Number>::kIsInt64) {
        const auto from = static_cast<std::uint64_t>(number);
        const std::uint64_t distance = from - static_cast<std::uint64_t>(offset);
        state_faults.beyond |= (from ^ static_cast<std::uint64_t>(offset)) & (from ^ distance) & kTopBit;
        // The conversion to double, which rounds once, in operations that every ISA has: the lower half in the
        // bits of 2^52, and the upper half, with 2^31 added, in those of 2^84.
        const auto low = __builtin_bit_cast(double, (distance & 0xFFFF'FFFFu) | 0x4330'0000'0000'0000u);
        const auto high = __builtin_bit_cast(double, (distance >> 32) ^ 0x4530'0000'8000'0000u);
        const double wanted = high - (0x1p84 + 0x1p63 + 0x1p52) + low;
        const auto answer = static_cast<float>(wanted);
        // Whole numbers below 2^53 are doubles; beyond, all count as lossy.
        state_faults.differences |= (__builtin_bit_cast(std::uint64_t, static_cast<double>(answer)) ^
                                     __builtin_bit_cast(std::uint64_t, wanted)) |
                                    (distance + (std::uint64_t{1} << 53)) >> 54;
        return answer;
    } else {
        const auto wanted = static_cast<double>(number);
        const float answer = static_cast<float>(wanted - static_cast<double>(offset)) + 0.0f;
        const double back = static_cast<double>(answer) + static_cast<double>(offset);
        // Zeros differ too, which costs time only.
        state_faults.differences |=
            __builtin_bit_cast(std::uint64_t, back) ^ __builtin_bit_cast(std::uint64_t, wanted);
        // Carries into the top bit if the float is infinite or NaN.
        const std::uint64_t all_ones = 0x7FF0'0000'0000'0000u;
        const std::uint64_t exponent = __builtin_bit_cast(std::uint64_t, back) & all_ones;
        state_faults.beyond |= (exponent + (kTopBit - all_ones)) & kTopBit;
        return answer;
    }
}

template <class Number, std::size_t kStride>
BROADSIDE_FORCE_INLINE RoundingMarks round_sides(const AxisSides<Number>& sides, Number offset,
                                                 float* out_min, float* out_max) {
    const std::size_t stride = kStride != 0 ? kStride : sides.stride;
    RoundingFaults faults;
    for (std::size_t i = 0; i < sides.count; ++i)
        out_min[i] = round_number(sides.min[i * stride], offset, faults);
    for (std::size_t i = 0; i < sides.count; ++i)
        out_max[i] = round_number(sides.max[i * stride], offset, faults);
    using Traits = RoundedNumber<Number>;
    using Word = typename Traits::Word;
    Word are_valid = 1;
    for (std::size_t i = 0; i < sides.count; ++i) {
        const Number min = sides.min[i * stride];
        const Number max = sides.max[i * stride];
        are_valid &= Word{min <= max} & Word{min <= Traits::kLargest} & Word{max >= Traits::kLowest};
    }
    return {faults.differences != 0, are_valid == 0, faults.beyond != 0};
}

template <class Arch, class Number>
RoundingMarks round_sides_kernel(const AxisSides<Number>& sides, Number offset, float* out_min,
                                 float* out_max) {
    return sides.stride == 1 ? round_sides<Number, 1>(sides, offset, out_min, out_max)
                             : round_sides<Number, 0>(sides, offset, out_min, out_max);
}

}  // namespace broadside::broadphase
