// Measures the parts of an update.
#pragma once

#include <chrono>
#include <cstdint>

namespace broadside::broadphase {

class Stopwatch {
public:
    std::uint64_t nanoseconds() const {
        const auto time = std::chrono::steady_clock::now() - begin_;
        return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
    }

private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace broadside::broadphase
