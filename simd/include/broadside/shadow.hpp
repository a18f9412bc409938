// Shadow verification: while it is on, batch calls are repeated by the specification, and what differs is
// reported. For engines that hunt a wrong answer, and for ports to a new compiler or machine.
#pragma once

#include <broadside/export.hpp>
#include <broadside/isa.hpp>

#include <cstddef>
#include <cstdint>

namespace BROADSIDE_API broadside {

/// The first difference within one call.
struct ShadowFinding {
    /// The kernel that answered otherwise than its scalar specification, "OverlapKernels::boxes" for example;
    /// or "find_pairs", whose list is not that of the reference.
    const char* call = "";
    /// What the call ran on.
    Isa isa = Isa::scalar;
    /// The output that differs, and the first element of it that does. Of bits it is the word.
    const char* output = "";
    /// See `output`.
    std::size_t index = 0;
    /// All of that as text, with both answers and the operands as bit patterns, and behind it a doctest case
    /// that fails wherever the difference shows. Valid during the report.
    const char* text = "";
};

/// What is verified, and who hears of it.
struct ShadowSettings {
    /// Every call is verified, or one of so many. Default 1, every one; 0 counts as 1.
    std::uint32_t one_in = 1;
    /// Searches for pairs of no more boxes than this are repeated by testing each box with each; larger ones
    /// by one sweep on the scalar ISA. Default 1024: half a million tests.
    std::size_t brute_force_max_count = 1024;
    /// Called for every call that differs, on the thread that made it, one at a time. It must make no call of
    /// the library that is verified. Default null: the text goes to stderr.
    void (*report)(const ShadowFinding& finding, void* user) noexcept = nullptr;
    void* user = nullptr;
};

/// How much was verified.
struct [[nodiscard]] ShadowCounts {
    /// Calls of kernels and searches for pairs that were made while it was on.
    std::uint64_t call_count = 0;
    /// Those that were verified: on the scalar ISA a kernel is its own specification.
    std::uint64_t verified_count = 0;
    std::uint64_t finding_count = 0;
};

/// Switches it on for all threads, with counts at zero, or changes its settings. False, and nothing happens,
/// where the library is built without it (BROADSIDE_SHADOW=OFF, the default): such a build has no trace of
/// it, and one with it looks at one global per batch call while it is off. On, calls take a few times their
/// time, and memory from operator new; without memory the program ends. Answers stay what they are.
///
/// Verified are all batch kernels of the narrowphase, the times of impact, rays and contacts of a
/// CollisionStage among them; find_pairs; and what a RestingBoxes, a PairCache or a World takes from those.
/// Queries of trees are not. Reported is what the specification would not have answered; what both get wrong
/// is for the tests.
bool start_shadow(const ShadowSettings& settings = {}) noexcept;

/// Switches it off. Calls that are under way on other threads may still report.
void stop_shadow() noexcept;

/// Since `start_shadow`; zeros in builds without it.
ShadowCounts shadow_counts() noexcept;

}  // namespace broadside
