// Whether calls are verified, and where findings go. The facility is shadow.hpp of the public headers; how a
// kernel is verified is shadow_call.hpp.
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

/// Whether calls of this thread are verified: it is on, and the thread is not verifying one already.
bool is_on() noexcept;
/// Counts a call; whether it is one to verify.
bool takes_turn() noexcept;
std::size_t brute_force_max_count() noexcept;
void report(const ShadowFinding& finding) noexcept;

/// This thread makes a reference: on the scalar ISA, and verifying nothing.
class Reference {
public:
    Reference() noexcept;
    ~Reference();
    Reference(const Reference&) = delete;
    Reference& operator=(const Reference&) = delete;
};
bool is_reference() noexcept;

/// The kernels of a family that call those of the active ISA and verify them. Instantiated by the family's
/// room.
template <class Kernels>
const Kernels* verified_kernels(Isa isa) noexcept;

#endif

}  // namespace broadside::simd::shadow
