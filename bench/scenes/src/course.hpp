// A course back and forth, counted in whole steps. Private to the scenes.
#pragma once

#include <cstdint>

namespace broadside::scenes {

/// Steps ahead of the start: up from 0 to the half period and down again, forever. At least one step.
inline std::int64_t to_and_fro(std::uint64_t step, std::uint32_t half_period_steps) noexcept {
    const std::uint64_t half_period = half_period_steps;
    const std::uint64_t within = step % (2 * half_period);
    return static_cast<std::int64_t>(within <= half_period ? within : 2 * half_period - within);
}

}  // namespace broadside::scenes
