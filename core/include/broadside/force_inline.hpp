// The one attribute that keeps small functions from leaving a symbol behind in an ISA unit; nothing else
// lives here.
#pragma once

// A function that an ISA unit uses without being a template on the architecture must never be emitted as a
// symbol: the linker keeps one copy, and it may be the one that was compiled for AVX-512.
#if defined(_MSC_VER) && !defined(__clang__)
#define BROADSIDE_FORCE_INLINE __forceinline
#define BROADSIDE_FORCE_INLINE_LAMBDA
#else
#define BROADSIDE_FORCE_INLINE inline __attribute__((always_inline))
// Behind the parameters of a lambda that must not become a call.
#define BROADSIDE_FORCE_INLINE_LAMBDA __attribute__((always_inline))
#endif
