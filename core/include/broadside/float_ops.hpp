// Scalar float operations whose operand order is part of the algorithm. The lanes of simd/ mirror them bit
// for bit.
#pragma once

#include <broadside/compiler.hpp>

#include <cfloat>
#include <cstdint>

#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0
#error "broadside needs floats that are computed as floats; on 32-bit x86 that is -msse2 -mfpmath=sse"
#endif

namespace broadside {

/// "a < b ? a : b": b if either is NaN, and b on a tie (so the order of -0 and +0 matters). Not std::min,
/// which has the other operand order, nor fminf, which has another NaN rule.
BROADSIDE_FORCE_INLINE constexpr float min_keep(float a, float b) noexcept { return a < b ? a : b; }

/// "a > b ? a : b": b if either is NaN, and b on a tie.
BROADSIDE_FORCE_INLINE constexpr float max_keep(float a, float b) noexcept { return a > b ? a : b; }

/// The same two in double precision.
BROADSIDE_FORCE_INLINE constexpr double min_keep(double a, double b) noexcept { return a < b ? a : b; }
BROADSIDE_FORCE_INLINE constexpr double max_keep(double a, double b) noexcept { return a > b ? a : b; }

/// |a|: clears the sign bit of every input but a NaN, whose sign is not observable here.
BROADSIDE_FORCE_INLINE constexpr float absolute(float a) noexcept { return __builtin_fabsf(a); }

/// True if the sign bit is set, also for -0 and a negative NaN.
BROADSIDE_FORCE_INLINE constexpr bool has_sign_bit(float a) noexcept {
    return (__builtin_bit_cast(std::uint32_t, a) >> 31) != 0;
}

/// False for NaN and both infinities.
BROADSIDE_FORCE_INLINE constexpr bool is_finite(float a) noexcept { return absolute(a) <= FLT_MAX; }

/// Sets numbers below FLT_MIN to zero, for displacements and directions (source_rules.md G4): 1/d would
/// overflow to infinity and turn 0·(1/d) into a NaN that silently drops an axis.
BROADSIDE_FORCE_INLINE constexpr float flush_denormal(float a) noexcept {
    return absolute(a) < FLT_MIN ? a * 0.0f : a;
}

/// The power of two that scales a normal |a| below 2^127 into [1, 2); 2^127 for zeros and denormals. The
/// product is exact. It keeps a vector whose length does not matter away from overflow and underflow.
BROADSIDE_FORCE_INLINE constexpr float inverse_power_of_two(float a) noexcept {
    return __builtin_bit_cast(float, 0x7F000000u - (__builtin_bit_cast(std::uint32_t, a) & 0x7F800000u));
}

/// The next float above a. Denormals count, both zeros are one value, +infinity and NaN stay. Turns an open
/// bound into a closed one: b < next_up(a) says b <= a.
BROADSIDE_FORCE_INLINE constexpr float next_up(float a) noexcept {
    // Must come first: clang does not take arithmetic on a NaN as a constant expression.
    if (!(a <= FLT_MAX)) return a;
    const std::uint32_t pattern = __builtin_bit_cast(std::uint32_t, a + 0.0f);
    return __builtin_bit_cast(float, (pattern & 0x80000000u) != 0 ? pattern - 1 : pattern + 1);
}
/// The next float below a. -infinity and NaN stay.
BROADSIDE_FORCE_INLINE constexpr float next_down(float a) noexcept { return -next_up(-a); }

}  // namespace broadside
