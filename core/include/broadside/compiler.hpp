// The attributes and builtins that compilers spell differently. Sources use the g++ spelling. A guard checks
// that sources use no others than those listed here.
#pragma once

// MSVC itself. clang-cl defines _MSC_VER but also knows the g++ spelling. A guard sets the macro to compile
// this branch.
#if !defined(BROADSIDE_IS_MSVC)
#if defined(_MSC_VER) && !defined(__clang__)
#define BROADSIDE_IS_MSVC 1
#else
#define BROADSIDE_IS_MSVC 0
#endif
#endif

// 1 on an x86 that rounds each float as it computes it, under the SSE control word. The x87 unit of 32-bit
// x86 does not.
#if defined(__x86_64__) || (BROADSIDE_IS_MSVC && defined(_M_X64)) || \
    (defined(__i386__) && defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ == 0)
#define BROADSIDE_X86 1
#else
#define BROADSIDE_X86 0
#endif

// A function that an ISA unit uses without being a template on the architecture must never be emitted as a
// symbol: the linker keeps one copy, and it may be the one that was compiled for AVX-512.
#if BROADSIDE_IS_MSVC
#define BROADSIDE_FORCE_INLINE __forceinline
#define BROADSIDE_FORCE_INLINE_LAMBDA
#define BROADSIDE_NEVER_INLINE __declspec(noinline)
#else
#define BROADSIDE_FORCE_INLINE inline __attribute__((always_inline))
// Behind the parameters of a lambda that must be inlined.
#define BROADSIDE_FORCE_INLINE_LAMBDA __attribute__((always_inline))
// Before a function that must stay a call, to spare its caller registers.
#define BROADSIDE_NEVER_INLINE [[gnu::noinline]]
#endif

// Before a function that a program may replace by its own definition. On Windows only programs that link the
// static library may: its linkers take no weak definition from a library.
#if BROADSIDE_IS_MSVC || defined(_WIN32)
#define BROADSIDE_REPLACEABLE
#else
#define BROADSIDE_REPLACEABLE [[gnu::weak]]
#endif

// Before a function: parameter `text` is a printf format and parameter `values` the first of its values.
// Number 1 is the object itself.
#if defined(__MINGW32__) && !defined(__clang__)
// MinGW's libstdc++ prints as the standard says, unlike the older libraries of Windows.
#define BROADSIDE_PRINTF_FORMAT(text, values) [[gnu::format(gnu_printf, text, values)]]
#elif !BROADSIDE_IS_MSVC
#define BROADSIDE_PRINTF_FORMAT(text, values) [[gnu::format(printf, text, values)]]
#else
#define BROADSIDE_PRINTF_FORMAT(text, values)
#endif

#if BROADSIDE_IS_MSVC

// Before the words below: a standard library may use some of them itself.
#include <atomic>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

// Intrinsics that MSVC compiles to instructions. The header that declares them also brings those of SIMD.
extern "C" {
unsigned char _BitScanForward(unsigned long* out_index, unsigned long bits);
unsigned char _BitScanForward64(unsigned long* out_index, unsigned long long bits);
unsigned char _BitScanReverse(unsigned long* out_index, unsigned long bits);
void _ReadWriteBarrier(void);
long long _InterlockedOr64(long long volatile* state_word, long long bits);
__declspec(noreturn) void __fastfail(unsigned int code);
}

namespace broadside::msvc {

__forceinline int count_trailing_zeros(std::uint32_t bits) noexcept {
    unsigned long index = 0;
    _BitScanForward(&index, bits);
    return static_cast<int>(index);
}
__forceinline int count_trailing_zeros_64(std::uint64_t bits) noexcept {
    unsigned long index = 0;
    _BitScanForward64(&index, bits);
    return static_cast<int>(index);
}
__forceinline int count_leading_zeros(std::uint32_t bits) noexcept {
    unsigned long index = 0;
    _BitScanReverse(&index, bits);
    return 31 - static_cast<int>(index);
}
// The instruction for this came after the x86-64 baseline.
__forceinline int count_ones(std::uint32_t bits) noexcept {
    bits -= bits >> 1 & 0x55555555u;
    bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
    return static_cast<int>(((bits + (bits >> 4)) & 0x0F0F0F0Fu) * 0x01010101u >> 24);
}
// The floating-point control word in the processor's layout, without its flags. The C library has a layout of
// its own. Each row: the C library's bit, the processor's bit.
inline constexpr unsigned int kControlBits[][2] = {
    {_EM_INVALID, 0x80},    {_EM_DENORMAL, 0x100}, {_EM_ZERODIVIDE, 0x200}, {_EM_OVERFLOW, 0x400},
    {_EM_UNDERFLOW, 0x800}, {_EM_INEXACT, 0x1000}, {_RC_DOWN, 0x2000},      {_RC_UP, 0x4000},
};
// _DN_FLUSH_OPERANDS_SAVE_RESULTS and the reverse, which some headers lack.
inline constexpr unsigned int kFlushOperands = 0x02000000u;
inline constexpr unsigned int kFlushResults = 0x03000000u;
inline unsigned int control_word() noexcept {
    const unsigned int word = _control87(0, 0);
    const unsigned int denormals = word & _MCW_DN;
    std::uint32_t of_processor = 0;
    for (const auto& [word_of_it, place] : kControlBits)
        of_processor |= (word & word_of_it) != 0 ? place : 0u;
    if (denormals == _DN_FLUSH) return of_processor | 0x8040u;
    if (denormals == kFlushOperands) return of_processor | 0x40u;
    return denormals == kFlushResults ? of_processor | 0x8000u : of_processor;
}
inline void set_control_word(std::uint32_t of_processor) noexcept {
    const bool do_flush_operands = (of_processor & 0x40u) != 0;
    unsigned int word = (of_processor & 0x8000u) == 0 ? (do_flush_operands ? kFlushOperands : _DN_SAVE)
                        : do_flush_operands           ? _DN_FLUSH
                                                      : kFlushResults;
    for (const auto& [word_of_it, place] : kControlBits)
        word |= (of_processor & place) != 0 ? word_of_it : 0u;
    (void)_control87(word, _MCW_DN | _MCW_EM | _MCW_RC);
}
__forceinline std::uint64_t fetch_or(std::uint64_t bits, std::uint64_t* state_word) noexcept {
    return static_cast<std::uint64_t>(
        _InterlockedOr64(reinterpret_cast<long long volatile*>(state_word), static_cast<long long>(bits)));
}
// Only a hint, and its MSVC spelling is a SIMD intrinsic.
template <class... Use>
__forceinline void prefetch(const void*, Use...) noexcept {}
__forceinline constexpr float absolute(float number) noexcept {
    return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, number) & 0x7FFFFFFFu);
}
__forceinline constexpr double absolute(double number) noexcept {
    return __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, number) & 0x7FFFFFFFFFFFFFFFu);
}
__forceinline float square_root(float number) noexcept { return std::sqrt(number); }
__forceinline double square_root(double number) noexcept { return std::sqrt(number); }
/// Subtraction of signed integers: returns true if the difference does not fit, and writes it wrapped.
template <class Number>
__forceinline bool difference_overflows(Number a, Number b, Number* out_difference) noexcept {
    using Unsigned = std::make_unsigned_t<Number>;
    *out_difference = static_cast<Number>(static_cast<Unsigned>(a) - static_cast<Unsigned>(b));
    return ((a ^ b) & (a ^ *out_difference)) < 0;
}

}  // namespace broadside::msvc

// MSVC itself has __builtin_bit_cast, __builtin_nan and __builtin_nanf.
#define __builtin_ctz(bits) ::broadside::msvc::count_trailing_zeros(bits)
#define __builtin_ctzll(bits) ::broadside::msvc::count_trailing_zeros_64(bits)
#define __builtin_clz(bits) ::broadside::msvc::count_leading_zeros(bits)
#define __builtin_popcount(bits) ::broadside::msvc::count_ones(bits)
#define __builtin_prefetch(...) ::broadside::msvc::prefetch(__VA_ARGS__)
#define __builtin_fabs(number) ::broadside::msvc::absolute(static_cast<double>(number))
#define __builtin_fabsf(number) ::broadside::msvc::absolute(static_cast<float>(number))
#define __builtin_sqrt(number) ::broadside::msvc::square_root(static_cast<double>(number))
#define __builtin_sqrtf(number) ::broadside::msvc::square_root(static_cast<float>(number))
#define __builtin_inf() __builtin_huge_val()
#define __builtin_inff() __builtin_huge_valf()
#define __builtin_sub_overflow(a, b, out) ::broadside::msvc::difference_overflows(a, b, out)
#define __builtin_memcpy(...) ::std::memcpy(__VA_ARGS__)
#define __builtin_memcmp(...) ::std::memcmp(__VA_ARGS__)
#define __builtin_trap() __fastfail(0)
#define __ATOMIC_RELAXED 0
#define __atomic_fetch_or(word, bits, order) ::broadside::msvc::fetch_or(bits, word)
#define __atomic_load_n(word, order) (*static_cast<const volatile std::uint64_t*>(word))

#endif
