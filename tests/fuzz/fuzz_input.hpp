// The bytes of a fuzzer as values of any type; zeros after the end.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/isa.hpp>
#include <broadside/shadow.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace broadside::test {

/// Ends the program if a required condition is false.
inline void require(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}

class FuzzInput {
public:
    FuzzInput(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

    bool is_empty() const { return size_ == 0; }
    template <class T>
    T take() {
        static_assert(std::is_trivially_copyable_v<T>);
        T value = {};
        const std::size_t taken = size_ < sizeof value ? size_ : sizeof value;
        if (taken != 0) std::memcpy(static_cast<void*>(&value), data_, taken);
        data_ += taken;
        size_ -= taken;
        return value;
    }
    std::uint32_t below(std::uint32_t count) { return take<std::uint8_t>() % count; }
    bool flag() { return below(2) != 0; }

    /// Half of all numbers are any bits at all, the others small and whole, so that shapes meet.
    float number() {
        const auto kind = take<std::uint8_t>();
        if ((kind & 1) != 0) return take<float>();
        return static_cast<float>(static_cast<std::int8_t>(take<std::uint8_t>())) * (kind & 2 ? 0.25f : 1.0f);
    }
    Vec3 vector() {
        const float x = number();
        const float y = number();
        return {x, y, number()};
    }
    Aabb box() {
        const Vec3 min = vector();
        const Vec3 other = vector();
        return {min, flag() ? other : min + Vec3{std::fabs(other.x), std::fabs(other.y), std::fabs(other.z)}};
    }

private:
    const std::uint8_t* data_;
    std::size_t size_;
};

/// Verifies every later call; the first finding ends the program, and prints a test that shows it.
inline void verify_all_calls() {
    static const bool is_started = [] {
        ShadowSettings settings;
        settings.report = [](const ShadowFinding& finding, void*) noexcept {
            std::fputs(finding.text, stderr);
            std::abort();
        };
        return start_shadow(settings);
    }();
    require(is_started, "the library is built with BROADSIDE_SHADOW");
}

/// One ISA or another, by the input.
inline void choose_isa(FuzzInput& state_input) {
    const auto isas = supported_isas();
    const auto index = state_input.below(static_cast<std::uint32_t>(isas.size()));
    require(set_active_isa(isas[isas.size() - 1 - index]) == Status::ok, "a supported ISA can be set");
}

}  // namespace broadside::test
