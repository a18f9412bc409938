// From the active ISA to the kernels of a family: one look-up per batch call.
#pragma once

#include "simd/src/shadow.hpp"

#include <broadside/isa.hpp>

// A family is a struct of function pointers in a `kernels.hpp`, with a static member for every ISA, named
// after it. The family's `unit.cpp` defines the members and is compiled once for each ISA that is built. So a
// program links only the families that it calls.
namespace broadside::simd {

/// True if the units of `isa` are part of this build.
constexpr bool is_built(Isa isa) noexcept {
    switch (isa) {
        case Isa::scalar:
            return true;
        case Isa::sse2:
            return BROADSIDE_BUILT_SSE2 != 0;
        case Isa::avx2:
            return BROADSIDE_BUILT_AVX2 != 0;
        case Isa::avx512:
            return BROADSIDE_BUILT_AVX512 != 0;
        case Isa::neon64:
            return BROADSIDE_BUILT_NEON64 != 0;
        case Isa::wasm128:
            return BROADSIDE_BUILT_WASM128 != 0;
    }
    return false;
}

/// The kernels of a family for `isa`, or null if it is not built.
template <class Kernels>
constexpr const Kernels* kernels_of(Isa isa) noexcept {
    if (isa == Isa::scalar) return &Kernels::scalar;
    if constexpr (is_built(Isa::sse2)) {
        if (isa == Isa::sse2) return &Kernels::sse2;
    }
    if constexpr (is_built(Isa::avx2)) {
        if (isa == Isa::avx2) return &Kernels::avx2;
    }
    if constexpr (is_built(Isa::avx512)) {
        if (isa == Isa::avx512) return &Kernels::avx512;
    }
    if constexpr (is_built(Isa::neon64)) {
        if (isa == Isa::neon64) return &Kernels::neon64;
    }
    if constexpr (is_built(Isa::wasm128)) {
        if (isa == Isa::wasm128) return &Kernels::wasm128;
    }
    return nullptr;
}

/// The kernels of a family for the active ISA, or null if none is active (the call then returns
/// Status::unsupported_isa). Under shadow verification, the kernels that verify them.
template <class Kernels>
const Kernels* active_kernels() noexcept {
    const std::optional<Isa> isa = active_isa();
    if (!isa) return nullptr;
#if BROADSIDE_HAS_SHADOW
    if (shadow::is_reference()) return &Kernels::scalar;
    if (shadow::is_on()) return shadow::verified_kernels<Kernels>(*isa);
#endif
    return kernels_of<Kernels>(*isa);
}

}  // namespace broadside::simd
