// Shadow verification: while it is on, the specification repeats batch calls, and differences are reported.
// For engines that debug a wrong result, and for ports to a new compiler or machine.
#pragma once

#include <broadside/export.hpp>
#include <broadside/isa.hpp>

#include <cstddef>
#include <cstdint>

namespace BROADSIDE_API broadside {

/// The first difference within one call.
struct ShadowFinding {
    /// The kernel whose result differs from its scalar specification, such as "OverlapKernels::boxes"; or
    /// "find_pairs" if its list differs from the reference.
    const char* call = "";
    /// The ISA that the call ran on.
    Isa isa = Isa::scalar;
    /// The output that differs. For bits, `index` is the word.
    const char* output = "";
    /// Index of its first element that differs.
    std::size_t index = 0;
    /// The finding as text, with both results and the operands as bit patterns, and then a doctest case that
    /// fails wherever the difference shows. Valid during the report.
    const char* text = "";
};

/// Settings of verification: the calls to verify, and the handler of findings.
struct ShadowSettings {
    /// Verifies one call in so many. Default 1, every call; 0 counts as 1.
    std::uint32_t one_in = 1;
    /// Searches for pairs of up to this many boxes are repeated by testing each box with each; larger ones by
    /// one sweep on the scalar ISA. Default 1024: half a million tests.
    std::size_t brute_force_max_count = 1024;
    /// Called for every call that differs, on the thread that made it, one at a time. It must not make a call
    /// of the library that is verified. Default null: the text goes to stderr.
    void (*report)(const ShadowFinding& finding, void* user) noexcept = nullptr;
    void* user = nullptr;
};

/// Numbers of calls made and verified.
struct [[nodiscard]] ShadowCounts {
    /// Calls of kernels and searches for pairs that were made while verification was on.
    std::uint64_t call_count = 0;
    /// Calls that were verified. On the scalar ISA a kernel is its own specification, so it is not.
    std::uint64_t verified_count = 0;
    std::uint64_t finding_count = 0;
};

/// Switches verification on for all threads, with counts at zero, or changes its settings. Returns false and
/// does nothing if the library is built without it (BROADSIDE_SHADOW=OFF, the default). Such a build has no
/// trace of it; a build with it reads one global per batch call while it is off. While it is on, calls take a
/// few times as long and allocate with operator new; out of memory ends the program. Results do not change.
///
/// It verifies all batch kernels of the narrowphase, including the times of impact, rays and contacts of a
/// CollisionStage; find_pairs; and the results of those that a RestingBoxes, a PairCache or a World uses. It
/// does not verify queries of trees. It reports results that differ from the specification; an error in both
/// is for the tests to find.
bool start_shadow(const ShadowSettings& settings = {}) noexcept;

/// Switches verification off. Calls that are running on other threads may still report.
void stop_shadow() noexcept;

/// The counts since `start_shadow`; zeros in builds without verification.
ShadowCounts shadow_counts() noexcept;

}  // namespace broadside
