// The state of shadow verification and its reports. The public shadow.hpp documents it; shadow_call.hpp
// verifies the kernels.
#pragma once

#include <broadside/shadow.hpp>

// A private definition of the library's own build: BROADSIDE_SHADOW of CMake.
#if defined(BROADSIDE_SHADOW) && BROADSIDE_SHADOW
#define BROADSIDE_HAS_SHADOW 1
#else
#define BROADSIDE_HAS_SHADOW 0
#endif

namespace broadside::simd::shadow {

inline constexpr bool kIsBuilt = BROADSIDE_HAS_SHADOW != 0;

#if BROADSIDE_HAS_SHADOW

/// True if calls of this thread are verified: verification is on, and the thread is not verifying a call
/// already.
bool is_on() noexcept;
/// Counts a call, and returns whether to verify it.
bool takes_turn() noexcept;
std::size_t brute_force_max_count() noexcept;
void report(const ShadowFinding& finding) noexcept;

/// A scope in which this thread computes a reference: on the scalar ISA, and without verification.
class Reference {
public:
    Reference() noexcept;
    ~Reference();
    Reference(const Reference&) = delete;
    Reference& operator=(const Reference&) = delete;
};
bool is_reference() noexcept;

/// The kernels of a family that call those of the active ISA and verify them. The family's room instantiates
/// it.
template <class Kernels>
const Kernels* verified_kernels(Isa isa) noexcept;

#endif

}  // namespace broadside::simd::shadow
