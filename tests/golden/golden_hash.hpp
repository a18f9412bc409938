// The hash of golden results, and the orders in which they are computed.
#pragma once

#include "tests/golden/results.hpp"
#include "tests/support/generators.hpp"

#include <doctest/doctest.h>

#include <broadside/vec3.hpp>

#include <numeric>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace broadside::test {

/// 64-bit FNV-1a over the bytes of numbers, the low byte first: the same on every platform.
class GoldenHash {
public:
    template <class... Numbers>
    void add(const Numbers&... numbers) {
        (add_one(numbers), ...);
    }
    std::uint64_t value() const { return value_; }

private:
    void add_one(std::uint64_t number) {
        for (unsigned shift = 0; shift < 64; shift += 8)
            value_ = (value_ ^ ((number >> shift) & 0xff)) * 0x100000001b3;
    }
    void add_one(float number) { add_one(std::uint64_t{bits_of(number)}); }
    void add_one(Vec3 vector) { add(vector.x, vector.y, vector.z); }
    template <class Number>
    requires(std::is_integral_v<Number> || std::is_enum_v<Number>) void add_one(Number value) {
        add_one(static_cast<std::uint64_t>(value));
    }

    std::uint64_t value_ = 0xcbf29ce484222325;
};

/// 0 to count - 1, in another order for every seed but 0.
inline std::vector<std::uint32_t> shuffled_indices(std::size_t count, std::uint64_t seed) {
    std::vector<std::uint32_t> indices(count);
    std::iota(indices.begin(), indices.end(), 0u);
    if (seed == 0) return indices;
    Random random(seed);
    for (std::size_t i = 1; i < count; ++i)
        std::swap(indices[i], indices[random.below(static_cast<std::uint32_t>(i + 1))]);
    return indices;
}

inline std::string golden_name(std::string_view kind, std::string_view scene) {
    std::string name(kind);
    name += '/';
    name += scene;
    return name;
}

void add_broadphase_results(const GoldenWay& way, GoldenHashes& out_hashes);
void add_narrowphase_results(GoldenHashes& out_hashes);
void add_stage_results(const GoldenWay& way, GoldenHashes& out_hashes);

}  // namespace broadside::test
