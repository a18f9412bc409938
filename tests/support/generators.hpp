// Deterministic random numbers and the adversarial values that every kernel is tested with.
#pragma once

#include <broadside/box_soa.hpp>

#include <cfloat>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace broadside::test {

/// splitmix64 (Steele, Lea, Flood 2014): the same numbers on every platform.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    /// An integer from 0 to count - 1.
    std::uint32_t below(std::uint32_t count) {
        return static_cast<std::uint32_t>((next() >> 32) * count >> 32);
    }
    /// A multiple of 2^-24 in [0, 1).
    float unit() { return static_cast<float>(next() >> 40) * 0x1p-24f; }
    float uniform(float min, float max) { return min + (max - min) * unit(); }
    /// An integer from min to max as a float: coordinates that touch often.
    float grid(int min, int max) {
        return static_cast<float>(min + static_cast<int>(below(static_cast<std::uint32_t>(max - min + 1))));
    }
    bool chance(std::uint32_t one_in) { return below(one_in) == 0; }

private:
    std::uint64_t state_;
};

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kDenormal = 1e-40f;

/// Zeros of both signs, units, denormals, the smallest normal, the extremes, the infinities and NaN.
inline const std::vector<float>& special_floats() {
    static const std::vector<float> values = {
        0.0f,      -0.0f,      1.0f,
        -1.0f,     0.5f,       -0.5f,
        kDenormal, -kDenormal, FLT_MIN,
        -FLT_MIN,  1e-30f,     -1e-30f,
        1e30f,     -1e30f,     FLT_MAX,
        -FLT_MAX,  kInfinity,  -kInfinity,
        kNaN,      -kNaN,      std::numeric_limits<float>::denorm_min()};
    return values;
}
inline float special_float(Random& random) {
    return special_floats()[random.below(static_cast<std::uint32_t>(special_floats().size()))];
}

/// Between -reach and reach in each coordinate.
inline Vec3 random_vector(Random& random, float reach) {
    return {random.uniform(-reach, reach), random.uniform(-reach, reach), random.uniform(-reach, reach)};
}
/// The same in whole numbers.
inline Vec3 grid_vector(Random& random, int reach) {
    return {random.grid(-reach, reach), random.grid(-reach, reach), random.grid(-reach, reach)};
}

/// A box whose corners are small integers: faces, edges and corners coincide often; one in four has zero
/// extent on some axis.
inline Aabb grid_box(Random& random, int reach = 4) {
    const Vec3 min = {random.grid(-reach, reach), random.grid(-reach, reach), random.grid(-reach, reach)};
    const Vec3 size = {random.grid(0, 3), random.grid(0, 3), random.grid(0, 3)};
    return {min, min + size};
}
inline Aabb random_box(Random& random, float reach, float size_max) {
    const Vec3 min = {random.uniform(-reach, reach), random.uniform(-reach, reach),
                      random.uniform(-reach, reach)};
    const Vec3 size = {random.uniform(0, size_max), random.uniform(0, size_max), random.uniform(0, size_max)};
    return {min, min + size};
}
/// Random corners: special values, NaN, inverted and infinite boxes among ordinary ones.
inline Aabb adversarial_box(Random& random) {
    Aabb box = random.chance(2) ? grid_box(random) : random_box(random, 4.0f, 3.0f);
    float* const numbers[6] = {&box.min.x, &box.min.y, &box.min.z, &box.max.x, &box.max.y, &box.max.z};
    if (random.chance(3)) *numbers[random.below(6)] = special_float(random);
    if (random.chance(12)) *numbers[random.below(6)] = special_float(random);
    if (random.chance(12)) std::swap(*numbers[0], *numbers[3]);
    return box;
}

/// Item counts around the group sizes of every ISA: 0 to 2·16 + 1, and a few around 64 and 256.
inline const std::vector<std::size_t>& awkward_counts() {
    static const std::vector<std::size_t> counts = [] {
        std::vector<std::size_t> all;
        for (std::size_t count = 0; count <= 33; ++count) all.push_back(count);
        for (const std::size_t count : {47u, 63u, 64u, 65u, 127u, 128u, 129u, 255u, 257u})
            all.push_back(count);
        return all;
    }();
    return counts;
}

/// Bit patterns, so that -0 differs from +0 and a NaN equals itself.
inline std::uint32_t bits_of(float value) {
    std::uint32_t pattern;
    std::memcpy(&pattern, &value, sizeof pattern);
    return pattern;
}
inline bool same_bits(float a, float b) { return bits_of(a) == bits_of(b); }

}  // namespace broadside::test
