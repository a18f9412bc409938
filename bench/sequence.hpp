// Random numbers for the narrowphase suites, whose scenes only need to be the same in every run. Scenes
// shared with tests use scenes::SceneRandom.
#pragma once

#include <broadside/vec3.hpp>

#include <cstdint>

namespace broadside::bench {

/// A linear congruential sequence (Numerical Recipes' constants). Draw each number into a named variable if
/// the order matters.
class Sequence {
public:
    explicit Sequence(std::uint32_t seed = 1) : state_(seed) {}

    /// Uniform in [0, 1).
    float next() {
        state_ = state_ * 1664525u + 1013904223u;
        return static_cast<float>(state_ >> 8) * 0x1p-24f;
    }
    /// Uniform in [min, max).
    float next(float min, float max) { return min + (max - min) * next(); }
    std::uint32_t below(std::uint32_t count) {
        return static_cast<std::uint32_t>(next() * static_cast<float>(count));
    }
    Vec3 vector(float min, float max) {
        const float x = next(min, max);
        const float y = next(min, max);
        return {x, y, next(min, max)};
    }
    Vec3 vector(float reach) { return vector(-reach, reach); }

private:
    std::uint32_t state_;
};

}  // namespace broadside::bench
