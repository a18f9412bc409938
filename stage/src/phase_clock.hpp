// Stopwatch for the phases of a step.
#pragma once

#include <chrono>

namespace broadside::stage {

/// Starts at construction; `lap` returns the seconds since the last lap.
class PhaseClock {
public:
    double lap() noexcept {
        const Clock::time_point now = Clock::now();
        const double seconds = std::chrono::duration<double>(now - last_).count();
        last_ = now;
        return seconds;
    }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point last_ = Clock::now();
};

}  // namespace broadside::stage
