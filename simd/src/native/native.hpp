// The native operations of the ISA that a unit is compiled for.
#pragma once

// Each x86 ISA includes the narrower ones and uses their registers too.
#if defined(__AVX512VBMI2__)
#include "simd/src/native/avx512.hpp"
#elif defined(__AVX2__)
#include "simd/src/native/avx2.hpp"
#elif defined(__x86_64__) || defined(_M_X64)
#include "simd/src/native/sse2.hpp"
#elif defined(__aarch64__)
#include "simd/src/native/neon64.hpp"
#elif defined(__wasm_simd128__)
#include "simd/src/native/wasm128.hpp"
#else
#include "simd/src/native/none.hpp"
#endif
