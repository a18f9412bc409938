// Boxes of doubles in rows, for the rows of exact boxes and their peers.
#pragma once

#include "bench/frames.hpp"

#include <broadside/exact_boxes.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace broadside::bench {

inline constexpr std::size_t kExactCounts[] = {10'000, 100'000, 1'000'000};

struct ExactRows {
    std::vector<double> numbers;
    std::uint32_t axis_count = 3;

    std::size_t count() const { return numbers.size() / (2 * axis_count); }
    ExactBoxView<double> view() const {
        return ExactBoxView<double>::rows(numbers.data(), count(), axis_count);
    }
};

// splitmix64, in [0, 1).
inline double unit_number(std::uint64_t& state) {
    std::uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/// The first frame of the scene "uniform", its numbers moved by less than floats can show.
inline ExactRows solid_rows(std::size_t count) {
    ExactRows rows;
    std::uint64_t random = 7;
    const Frames frames = make_frames("uniform", count);
    for (const Aabb& box : frames[0]) {
        for (const float side : {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z})
            rows.numbers.push_back(static_cast<double>(side) * (1 + 0x1p-26 * unit_number(random)));
    }
    return rows;
}
/// Squares and the like in a plane; each meets about two others.
inline ExactRows flat_rows(std::size_t count) {
    ExactRows rows = {{}, 2};
    std::uint64_t random = 9;
    const double world = std::sqrt(static_cast<double>(count));
    for (std::size_t i = 0; i < count; ++i) {
        const double x = world * unit_number(random);
        const double y = world * unit_number(random);
        rows.numbers.insert(rows.numbers.end(),
                            {x, y, x + 0.5 + unit_number(random) / 2, y + 0.5 + unit_number(random) / 2});
    }
    return rows;
}
/// The same, half of them 10^15 off: floats cannot tell their numbers apart.
inline ExactRows clustered_rows(std::size_t count) {
    ExactRows rows = solid_rows(count);
    for (std::size_t i = 0; i < rows.numbers.size(); ++i) {
        if (i / 6 % 2 != 0) rows.numbers[i] += 1e15;
    }
    return rows;
}

/// Every pair, sorted, by find_pairs of the exact boxes; the tests compare it with fractions.
inline std::vector<IndexPair> exact_pairs_of(const ExactRows& rows) {
    PairBuffer pairs;
    if (find_pairs(rows.view(), pairs).status != Status::ok) std::abort();
    return {pairs.begin(), pairs.end()};
}

}  // namespace broadside::bench
