// The switch of shadow verification, its counts and its reports.
#include "simd/src/shadow.hpp"

#if BROADSIDE_HAS_SHADOW
#include <atomic>
#include <cstdio>
#include <mutex>
#endif

namespace broadside {

#if BROADSIDE_HAS_SHADOW

namespace simd::shadow {
namespace {

// 0 while verification is off.
constinit std::atomic<std::uint32_t> shadow_one_in = 0;
constinit std::atomic<std::size_t> shadow_brute_force_max_count = 0;
constinit std::atomic<std::uint64_t> shadow_call_count = 0;
constinit std::atomic<std::uint64_t> shadow_verified_count = 0;
constinit std::atomic<std::uint64_t> shadow_finding_count = 0;
// Guards the settings and the reports.
constinit std::mutex shadow_mutex;
constinit ShadowSettings shadow_settings;
constinit thread_local bool shadow_is_reference = false;

}  // namespace

bool is_on() noexcept { return shadow_one_in.load(std::memory_order_relaxed) != 0 && !shadow_is_reference; }

bool takes_turn() noexcept {
    const std::uint32_t one_in = shadow_one_in.load(std::memory_order_relaxed);
    if (one_in == 0 || shadow_is_reference) return false;
    if (shadow_call_count.fetch_add(1, std::memory_order_relaxed) % one_in != 0) return false;
    shadow_verified_count.fetch_add(1, std::memory_order_relaxed);
    return true;
}

std::size_t brute_force_max_count() noexcept { return shadow_brute_force_max_count; }

void report(const ShadowFinding& finding) noexcept {
    ++shadow_finding_count;
    const std::lock_guard lock(shadow_mutex);
    if (shadow_settings.report != nullptr) return shadow_settings.report(finding, shadow_settings.user);
    std::fputs(finding.text, stderr);
}

Reference::Reference() noexcept { shadow_is_reference = true; }
Reference::~Reference() { shadow_is_reference = false; }
bool is_reference() noexcept { return shadow_is_reference; }

}  // namespace simd::shadow

bool start_shadow(const ShadowSettings& settings) noexcept {
    using namespace simd::shadow;
    const std::lock_guard lock(shadow_mutex);
    shadow_settings = settings;
    shadow_brute_force_max_count = settings.brute_force_max_count;
    if (shadow_one_in == 0) {
        shadow_call_count = 0;
        shadow_verified_count = 0;
        shadow_finding_count = 0;
    }
    shadow_one_in = settings.one_in == 0 ? 1 : settings.one_in;
    return true;
}

void stop_shadow() noexcept { simd::shadow::shadow_one_in = 0; }

ShadowCounts shadow_counts() noexcept {
    using namespace simd::shadow;
    return {shadow_call_count, shadow_verified_count, shadow_finding_count};
}

#else

bool start_shadow(const ShadowSettings&) noexcept { return false; }
void stop_shadow() noexcept {}
ShadowCounts shadow_counts() noexcept { return {}; }

#endif

}  // namespace broadside
