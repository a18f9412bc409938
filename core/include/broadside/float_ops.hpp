// Scalar float operations whose operand order is part of the algorithm; the lanes of simd/ mirror them bit
// for bit.
#pragma once

#include <broadside/compiler.hpp>

#include <cfloat>
#include <cstdint>

#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0
#error "broadside needs floats that are computed as floats; on 32-bit x86 that is -msse2 -mfpmath=sse"
#endif

namespace broadside {

/// "a < b ? a : b": b when either is NaN, and b on a tie (so -0 and +0 keep their place). Never std::min,
/// whose operand order is the other one, nor fminf, whose NaN rule differs.
BROADSIDE_FORCE_INLINE constexpr float min_keep(float a, float b) noexcept { return a < b ? a : b; }

/// "a > b ? a : b": b when either is NaN, and b on a tie.
BROADSIDE_FORCE_INLINE constexpr float max_keep(float a, float b) noexcept { return a > b ? a : b; }

/// As above for the kernels that work in double precision.
BROADSIDE_FORCE_INLINE constexpr double min_keep(double a, double b) noexcept { return a < b ? a : b; }
BROADSIDE_FORCE_INLINE constexpr double max_keep(double a, double b) noexcept { return a > b ? a : b; }

/// |a| by value: clears the sign bit for every input but a NaN, whose sign is not observable here.
BROADSIDE_FORCE_INLINE constexpr float absolute(float a) noexcept { return __builtin_fabsf(a); }

/// True when the sign bit is set, -0 and negative NaN included.
BROADSIDE_FORCE_INLINE constexpr bool has_sign_bit(float a) noexcept {
    return (__builtin_bit_cast(std::uint32_t, a) >> 31) != 0;
}

/// False for NaN and both infinities.
BROADSIDE_FORCE_INLINE constexpr bool is_finite(float a) noexcept { return absolute(a) <= FLT_MAX; }

/// Displacements and directions below FLT_MIN count as zero (source_rules.md G4): 1/d would overflow to
/// infinity and turn 0·(1/d) into a NaN that silently drops an axis.
BROADSIDE_FORCE_INLINE constexpr float flush_denormal(float a) noexcept {
    return absolute(a) < FLT_MIN ? a * 0.0f : a;
}

/// The power of two that takes a normal |a| below 2^127 into [1, 2); 2^127 for zeros and denormals.
/// Multiplying by it is exact, which is how a vector whose length does not matter is kept away from overflow
/// and underflow.
BROADSIDE_FORCE_INLINE constexpr float inverse_power_of_two(float a) noexcept {
    return __builtin_bit_cast(float, 0x7F000000u - (__builtin_bit_cast(std::uint32_t, a) & 0x7F800000u));
}

/// The next float above a: denormals count, both zeros are one value, +infinity and NaN stay. It makes a
/// closed bound of an open one: b < next_up(a) says b <= a.
BROADSIDE_FORCE_INLINE constexpr float next_up(float a) noexcept {
    // First, since arithmetic on a NaN is no constant expression to clang.
    if (!(a <= FLT_MAX)) return a;
    const std::uint32_t pattern = __builtin_bit_cast(std::uint32_t, a + 0.0f);
    return __builtin_bit_cast(float, (pattern & 0x80000000u) != 0 ? pattern - 1 : pattern + 1);
}
/// The next float below a; -infinity and NaN stay.
BROADSIDE_FORCE_INLINE constexpr float next_down(float a) noexcept { return -next_up(-a); }

}  // namespace broadside
