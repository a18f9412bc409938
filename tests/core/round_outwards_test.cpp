// Doubles as floats rounded to a known side, against nextafter, and boxes of doubles inside boxes of floats.
#include "tests/support/foreign_environment.hpp"
#include "tests/support/generators.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/round_outwards.hpp>

#include <doctest/doctest.h>

#include <cfloat>
#include <cmath>
#include <limits>
#include <vector>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// The definition, which shares no code with the rounding.
float down_by_nextafter(double number) {
    auto nearest = static_cast<float>(number);
    if (static_cast<double>(nearest) > number) nearest = std::nextafter(nearest, -kInfinity);
    return nearest;
}

bool is_same_bits(float a, float b) {
    return __builtin_bit_cast(std::uint32_t, a) == __builtin_bit_cast(std::uint32_t, b);
}

double any_double(Random& random) {
    constexpr double kTiny = std::numeric_limits<double>::denorm_min();
    static constexpr double kRare[] = {0.0,
                                       -0.0,
                                       kTiny,
                                       DBL_MIN,
                                       static_cast<double>(FLT_MIN),
                                       static_cast<double>(FLT_TRUE_MIN),
                                       static_cast<double>(FLT_MAX),
                                       DBL_MAX,
                                       1.0,
                                       0.1,
                                       kInf};
    double number = 0;
    switch (random.below(4)) {
        case 0:
            number = kRare[random.below(std::size(kRare))];
            break;
        case 1:
            // Any bits: numbers of all sizes, NaN among them.
            number = __builtin_bit_cast(double, random.next());
            break;
        case 2:
            number = static_cast<double>(random.uniform(-100, 100));
            break;
        default:
            // The adjacent float.
            number =
                static_cast<double>(__builtin_bit_cast(float, static_cast<std::uint32_t>(random.next())));
            number = std::nextafter(number, random.chance(2) ? kInf : -kInf);
    }
    return random.chance(2) ? number : -number;
}

}  // namespace

TEST_CASE("a number rounded down is the largest float not above it, and rounded up the smallest not below") {
    Random random(31);
    for (int i = 0; i < 200'000; ++i) {
        const double number = any_double(random);
        const float down = round_down(number);
        const float up = round_up(number);
        if (std::isnan(number)) {
            REQUIRE((std::isnan(down) && std::isnan(up)));
            continue;
        }
        REQUIRE(is_same_bits(down, down_by_nextafter(number)));
        REQUIRE(is_same_bits(up, -down_by_nextafter(-number)));
        REQUIRE(static_cast<double>(down) <= number);
        REQUIRE(number <= static_cast<double>(up));
        // No float lies between.
        if (down != up) REQUIRE(std::nextafter(down, kInfinity) == up);
    }
    CHECK(round_down(1e300) == FLT_MAX);
    CHECK(round_up(1e300) == kInfinity);
    CHECK(is_same_bits(round_down(-1e-300), -FLT_TRUE_MIN));
    CHECK(is_same_bits(round_up(-1e-300), -0.0f));
}

TEST_CASE(
    "boxes of doubles become the enclosing boxes of floats in a BoxSoa, in any layout and environment") {
    Random random(32);
    for (const std::size_t count : {0u, 1u, 7u, 64u, 1000u}) {
        for (const std::uint32_t axis_count : {2u, 3u}) {
            std::vector<double> rows(count * 2 * axis_count);
            for (std::size_t i = 0; i < count; ++i) {
                for (std::uint32_t axis = 0; axis < axis_count; ++axis) {
                    double* const min = &rows[i * 2 * axis_count + axis];
                    double* const max = min + axis_count;
                    *min = any_double(random);
                    *max = any_double(random);
                    // Mostly valid; an invalid one may be so by the last bit of a double.
                    if (random.chance(8)) *min = std::nextafter(*max, random.chance(2) ? kInf : -kInf);
                    if (*min > *max && !random.chance(4)) std::swap(*min, *max);
                }
            }
            const auto view = ExactBoxView<double>::rows(rows.data(), count, axis_count);
            BoxSoa boxes;
            {
                const ForeignEnvironment environment(all_environments().back());
                REQUIRE(boxes.assign_outwards(view) == Status::ok);
            }
            REQUIRE(boxes.count() == count);
            std::vector<double> columns[6];
            for (std::size_t i = 0; i < count; ++i) {
                double corners[2][3] = {};
                for (std::uint32_t axis = 0; axis < axis_count; ++axis) {
                    corners[0][axis] = rows[i * 2 * axis_count + axis];
                    corners[1][axis] = rows[i * 2 * axis_count + axis_count + axis];
                }
                for (int side = 0; side < 6; ++side) columns[side].push_back(corners[side / 3][side % 3]);
                const Aabb expected = round_outwards(corners[0], corners[1]);
                const Aabb box = boxes[i];
                REQUIRE(__builtin_memcmp(&box, &expected, sizeof box) == 0);
                bool is_valid_double = true;
                for (std::uint32_t axis = 0; axis < axis_count; ++axis) {
                    is_valid_double = is_valid_double && corners[0][axis] <= corners[1][axis] &&
                                      corners[0][axis] < kInf && corners[1][axis] > -kInf;
                }
                REQUIRE(is_valid(box) == is_valid_double);
            }
            if (axis_count == 2) continue;
            const ExactBoxView<double> by_columns = {columns[0].data(),
                                                     columns[1].data(),
                                                     columns[2].data(),
                                                     columns[3].data(),
                                                     columns[4].data(),
                                                     columns[5].data(),
                                                     count};
            BoxSoa same;
            REQUIRE(same.assign_outwards(by_columns) == Status::ok);
            for (std::size_t i = 0; i < count; ++i) {
                const Aabb a = boxes[i], b = same[i];
                REQUIRE(__builtin_memcmp(&a, &b, sizeof a) == 0);
            }
        }
    }
    BoxSoa boxes;
    CHECK(boxes.assign_outwards(ExactBoxView<double>{.count = 1}) == Status::invalid_argument);
    CHECK(boxes.assign_outwards(ExactBoxView<double>{.stride = 0}) == Status::invalid_argument);
    CHECK(boxes.assign_outwards(ExactBoxView<double>{.axis_count = 4}) == Status::invalid_argument);
}
