// ISA detection and selection. Compiled for the baseline, because it runs before any ISA is known to work.
#include "simd/src/dispatch.hpp"
#include "simd/src/native/machine.hpp"

#include <broadside/isa.hpp>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>

#if defined(__FAST_MATH__) || defined(_M_FP_FAST) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "broadside: compile the library without -ffast-math, which your own sources may have"
#endif

namespace broadside {
namespace {

constexpr const char* kNames[kIsaCount] = {"scalar", "sse2", "avx2", "avx512", "neon64", "wasm128"};

struct IsaList {
    std::array<Isa, kIsaCount> isas{};
    std::size_t count = 0;

    explicit IsaList(bool only_supported) noexcept {
        for (std::size_t i = 0; i < kIsaCount; ++i) {
            const auto isa = static_cast<Isa>(i);
            if (simd::is_built(isa) && (!only_supported || simd::native::machine_has(isa)))
                isas[count++] = isa;
        }
    }
    std::span<const Isa> span() const noexcept { return {isas.data(), count}; }
};

bool is_supported(Isa isa) noexcept {
    for (const Isa supported : supported_isas()) {
        if (supported == isa) return true;
    }
    return false;
}

// The active ISA as an index, or one of two states without one.
constexpr int kUndecided = -1;
constexpr int kRefused = -2;
constinit std::atomic<int> active_index = kUndecided;

int decide() noexcept {
    const char* name = std::getenv("BROADSIDE_ISA");
    if (name == nullptr || name[0] == '\0') return static_cast<int>(supported_isas().back());
    const std::optional<Isa> isa = find_isa(name);
    return isa && is_supported(*isa) ? static_cast<int>(*isa) : kRefused;
}

}  // namespace

const char* isa_name(Isa isa) noexcept {
    const auto index = static_cast<std::size_t>(isa);
    return index < kIsaCount ? kNames[index] : "unknown";
}

std::optional<Isa> find_isa(const char* name) noexcept {
    if (name == nullptr) return std::nullopt;
    for (std::size_t i = 0; i < kIsaCount; ++i) {
        if (std::strcmp(name, kNames[i]) == 0) return static_cast<Isa>(i);
    }
    return std::nullopt;
}

std::span<const Isa> built_isas() noexcept {
    static const IsaList list(false);
    return list.span();
}

std::span<const Isa> supported_isas() noexcept {
    static const IsaList list(true);
    return list.span();
}

std::optional<Isa> active_isa() noexcept {
    int index = active_index.load(std::memory_order_relaxed);
    if (index == kUndecided) {
        // Two threads that decide at once get the same result. A set_active_isa in between wins.
        const int decided = decide();
        index = active_index.compare_exchange_strong(index, decided) ? decided : active_index.load();
    }
    return index >= 0 ? std::optional(static_cast<Isa>(index)) : std::nullopt;
}

Status set_active_isa(Isa isa) noexcept {
    if (!is_supported(isa)) return Status::unsupported_isa;
    active_index.store(static_cast<int>(isa));
    return Status::ok;
}

}  // namespace broadside
