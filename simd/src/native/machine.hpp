// Whether the machine that this runs on has an ISA. For ordinary code: no intrinsics.
#pragma once

#include <broadside/isa.hpp>

namespace broadside::simd::native {

// The compiler's run-time check asks the processor and, by XGETBV, whether the system saves the wide
// registers.
inline bool machine_has(Isa isa) noexcept {
    switch (isa) {
        case Isa::scalar:
            return true;
#if defined(__x86_64__)
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
        // An engine without SIMD refuses a module that holds any before it runs.
        case Isa::wasm128:
            return true;
#endif
        default:
            return false;
    }
}

}  // namespace broadside::simd::native
