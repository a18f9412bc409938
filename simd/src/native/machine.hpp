// Detects the ISAs of the machine. For ordinary code: no intrinsics.
#pragma once

#include <broadside/compiler.hpp>
#include <broadside/isa.hpp>

namespace broadside::simd::native {

#if BROADSIDE_IS_MSVC
// True if the machine has AVX2 with FMA, BMI and BMI2 and the system saves the wide registers. Its units are
// compiled for nothing wider; see broadside_isa.cmake.
inline bool machine_has_avx2() noexcept {
    int registers[4];
    __cpuid(registers, 0);
    if (registers[0] < 7) return false;
    __cpuid(registers, 1);
    constexpr int kFma = 1 << 12, kSystemSaves = 1 << 27, kAvx = 1 << 28;
    constexpr int kFirst = kFma | kSystemSaves | kAvx;
    if ((registers[2] & kFirst) != kFirst || (_xgetbv(0) & 6) != 6) return false;
    __cpuidex(registers, 7, 0);
    constexpr int kBmi = 1 << 3, kAvx2 = 1 << 5, kBmi2 = 1 << 8;
    constexpr int kSecond = kBmi | kAvx2 | kBmi2;
    return (registers[1] & kSecond) == kSecond;
}
#endif

// True if the machine has `isa`. The compiler's run-time check tests the processor and, by XGETBV, whether
// the system saves the wide registers.
inline bool machine_has(Isa isa) noexcept {
    switch (isa) {
        case Isa::scalar:
            return true;
#if BROADSIDE_IS_MSVC && defined(_M_X64)
        case Isa::sse2:
            return true;
        case Isa::avx2:
            return machine_has_avx2();
#elif defined(__x86_64__)
        case Isa::sse2:
            return true;
        case Isa::avx2:
            return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                   __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
        case Isa::avx512:
            return machine_has(Isa::avx2) && __builtin_cpu_supports("avx512f") &&
                   __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512ifma") && __builtin_cpu_supports("avx512vbmi") &&
                   __builtin_cpu_supports("avx512vbmi2");
#elif defined(__aarch64__)
        case Isa::neon64:
            return true;
#elif defined(__wasm__)
        // An engine without SIMD refuses a module that contains any before it runs.
        case Isa::wasm128:
            return true;
#endif
        default:
            return false;
    }
}

}  // namespace broadside::simd::native
