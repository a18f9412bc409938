// What compilers have different words for: attributes and builtins. Nothing else of the sources names one.
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

// Before a function: parameter `text` is a format of printf, whose values begin with parameter `values`; 1 is the
// object itself.
#if defined(__MINGW32__) && !defined(__clang__)
// Its libstdc++ prints as the standard says, not as older libraries of Windows do.
#define BROADSIDE_PRINTF_FORMAT(text, values) [[gnu::format(gnu_printf, text, values)]]
#elif defined(__GNUC__)
#define BROADSIDE_PRINTF_FORMAT(text, values) [[gnu::format(printf, text, values)]]
#else
#define BROADSIDE_PRINTF_FORMAT(text, values)
#endif
