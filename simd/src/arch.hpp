// The architecture tags: one per instruction set, naming the xsimd architecture and the lane count.
#pragma once

#include <xsimd/xsimd.hpp>

#include <cstdint>
#include <type_traits>

// Every name that an ISA unit may leave as a symbol carries one of these tags, so that the linker never
// merges code that was compiled with different flags; the nm guard among the tests checks it.
namespace broadside::simd {

/// One item at a time: one lane, or a scalar specification that kernels call if `is_scalar`.
struct Scalar {
    static constexpr std::uint32_t kLanes = 1;
};
/// The x86-64 baseline. Also serves the four-wide forms of AVX machines, whose 128-bit code would be the
/// same.
struct Sse2 {
    using Xsimd = xsimd::sse2;
    static constexpr std::uint32_t kLanes = 4;
};
/// The FMA tag, although no kernel contracts: xsimd's AVX-512 code forwards to plain `xsimd::avx2` templates,
/// and two units must not instantiate the same template with different flags.
struct Avx2 {
    using Xsimd = xsimd::fma3<xsimd::avx2>;
    static constexpr std::uint32_t kLanes = 8;
};
struct Avx512 {
    using Xsimd = xsimd::avx512bw;
    static constexpr std::uint32_t kLanes = 16;
};
struct Neon64 {
    using Xsimd = xsimd::neon64;
    static constexpr std::uint32_t kLanes = 4;
};
struct Wasm128 {
    using Xsimd = xsimd::wasm;
    static constexpr std::uint32_t kLanes = 4;
};

/// True if comparisons write mask registers. Their results come late and one after the other, so a kernel
/// with many comparisons is faster if it folds them into arithmetic. Elsewhere a comparison costs as much as
/// any other operation.
template <class Arch>
inline constexpr bool has_mask_registers = std::is_same_v<Arch, Avx512>;

/// Minima and maxima of integers are instructions; otherwise they are comparisons and blends.
template <class Arch>
inline constexpr bool has_integer_minima = !std::is_same_v<Arch, Sse2>;

template <class Arch>
inline constexpr bool is_scalar = std::is_same_v<Arch, Scalar>;

}  // namespace broadside::simd
