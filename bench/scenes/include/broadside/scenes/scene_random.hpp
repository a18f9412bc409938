// The random numbers of the scenes: integers of splitmix64, and floats made from them by exact steps.
#pragma once

#include <broadside/vec3.hpp>

#include <cstdint>

namespace broadside::scenes {

/// A stream of numbers that is the same on every platform for the same seed. After S. Vigna's splitmix64
/// (public domain, 2015). Draw each number into a named variable: compilers differ in the order in which they
/// evaluate the arguments of a call, which would change the scene.
class SceneRandom {
public:
    explicit SceneRandom(std::uint64_t seed) noexcept : state_(seed) {}

    std::uint64_t next_bits() noexcept {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t bits = state_;
        bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
        bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
        return bits ^ (bits >> 31);
    }

    /// From 0 to bound - 1; `bound` up to 2^32. The bias is below bound / 2^32.
    std::uint32_t below(std::uint64_t bound) noexcept {
        return static_cast<std::uint32_t>(((next_bits() >> 32) * bound) >> 32);
    }

    /// A multiple of 2^-24 in [0, 1).
    float unit() noexcept { return static_cast<float>(next_bits() >> 40) * 0x1p-24f; }

    /// In [min, max], at equal steps.
    float between(float min, float max) noexcept { return min + (max - min) * unit(); }

    /// About normal, with deviation 1 and within -6 and 6: the sum of twelve units, less 6. Exact.
    float bell() noexcept {
        std::uint64_t sum = 0;
        for (int i = 0; i < 12; ++i) sum += next_bits() >> 44;
        return static_cast<float>(static_cast<std::int64_t>(sum) - (std::int64_t{6} << 20)) * 0x1p-20f;
    }

    /// Each coordinate between -half and half.
    Vec3 in_cube(float half) noexcept {
        const float x = between(-half, half);
        const float y = between(-half, half);
        const float z = between(-half, half);
        return {x, y, z};
    }

private:
    std::uint64_t state_;
};

}  // namespace broadside::scenes
