// The example's boxes of floats around boxes of doubles.
#include "examples/fcl_manager/outward.hpp"

#include "tests/support/generators.hpp"
#include "tests/support/test_scale.hpp"

#include <broadside/float_environment.hpp>

#include <doctest/doctest.h>

#include <cfenv>
#include <cfloat>
#include <cmath>
#include <random>
#include <vector>

using namespace fcl_example;
using broadside::test::kInfinity;
using broadside::test::Random;

namespace {

using Box = fcl::AABB<double>;

bool same_bits(float a, float b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

// The largest float not above a number, by a search of the floats around it.
float searched_down(double number) {
    float found = static_cast<float>(number);
    while (double{found} > number) found = std::nextafterf(found, -kInfinity);
    while (found < kInfinity && double{std::nextafterf(found, kInfinity)} <= number) {
        found = std::nextafterf(found, kInfinity);
    }
    return found;
}

// Numbers around every kind of float: halfway to the next, beside that, and the adjacent doubles.
std::vector<double> numbers_around(float value) {
    std::vector<double> numbers = {double{value}};
    for (const float next : {std::nextafterf(value, kInfinity), std::nextafterf(value, -kInfinity)}) {
        const double middle = double{value} / 2 + double{next} / 2;
        numbers.insert(numbers.end(),
                       {middle, std::nextafter(middle, 1e308), std::nextafter(middle, -1e308)});
    }
    numbers.push_back(std::nextafter(double{value}, DBL_MAX));
    numbers.push_back(std::nextafter(double{value}, -DBL_MAX));
    return numbers;
}

void check_number(double number) {
    CAPTURE(number);
    const float down = round_down(number);
    const float up = round_up(number);
    REQUIRE(double{down} <= number);
    REQUIRE(double{up} >= number);
    // No float lies between.
    REQUIRE(down == searched_down(number));
    REQUIRE(up == -searched_down(-number));
    REQUIRE((down == up) == (double{static_cast<float>(number)} == number));
}

}  // namespace

TEST_CASE("FCL's manager rounds outwards: to the adjacent float, for numbers of every size") {
    for (const float value : broadside::test::special_floats()) {
        if (std::isnan(value)) continue;
        for (const double number : numbers_around(value)) check_number(number);
    }
    for (const double number : {DBL_MAX, -DBL_MAX, 1e39, -1e39, double{FLT_MAX} * (1 + DBL_EPSILON), DBL_MIN,
                                -DBL_MIN, 4.9e-324, -4.9e-324, 1e-46, -1e-46, 0.1, -0.1}) {
        check_number(number);
    }
    Random random(std::random_device{}());
    for (int i = 0; i < 20'000 * broadside::test::test_scale(); ++i) {
        const double number = std::bit_cast<double>(random.next());
        if (!std::isnan(number)) check_number(number);
        const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random.next()));
        if (!std::isnan(value)) {
            for (const double near : numbers_around(value)) check_number(near);
        }
    }
    CHECK(same_bits(round_down(-0.0), -0.0f));
    CHECK(same_bits(round_up(-0.0), -0.0f));
    CHECK(same_bits(round_down(0.0), 0.0f));
    CHECK(round_down(1e39) == FLT_MAX);
    CHECK(round_up(1e39) == kInfinity);
    CHECK(round_down(-1e39) == -kInfinity);
    CHECK(round_up(-1e39) == -FLT_MAX);
    CHECK(std::isnan(round_down(std::nan(""))));
}

TEST_CASE("FCL's manager rounds outwards in every rounding mode") {
    for (const int mode : {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO}) {
        std::vector<std::pair<double, std::pair<float, float>>> rounded;
        Random random(7);
        for (int i = 0; i < 1000; ++i) {
            const double number = std::bit_cast<double>(random.next());
            if (!std::isnan(number)) rounded.push_back({number, {}});
        }
        for (const double number : {1e39, -1e39, 1e-46, -1e-46, 0.1, -0.1, 0.0, -0.0})
            rounded.push_back({number, {}});
        REQUIRE(std::fesetround(mode) == 0);
        for (auto& [number, floats] : rounded) floats = {round_down(number), round_up(number)};
        REQUIRE(std::fesetround(FE_TONEAREST) == 0);
        for (const auto& [number, floats] : rounded) {
            CAPTURE(number);
            CHECK(floats.first == searched_down(number));
            CHECK(floats.second == -searched_down(-number));
        }
    }
}

TEST_CASE("FCL's manager makes valid boxes of any input; they overlap and are near if FCL says so") {
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<double> sides = {
        0.0,  -0.0,  1,       1 + DBL_EPSILON, -1,       0.1,       1e-50,        -1e-50,
        1e39, -1e39, DBL_MAX, -DBL_MAX,        infinity, -infinity, std::nan(""), 2};
    Random random(std::random_device{}());
    const auto side = [&] { return sides[random.below(static_cast<std::uint32_t>(sides.size()))]; };
    const auto any_box = [&] {
        Box box;
        box.min_ = {side(), side(), side()};
        box.max_ = {side(), side(), side()};
        return box;
    };
    int overlap_count = 0;
    for (int i = 0; i < 100'000; ++i) {
        const Box a = any_box();
        const Box b = any_box();
        const broadside::Aabb around_a = box_around(a);
        const broadside::Aabb around_b = box_around(b);
        REQUIRE(broadside::is_valid(around_a));
        REQUIRE(overlap(a, b) == a.overlap(b));
        if (a.overlap(b)) REQUIRE(broadside::overlap(around_a, around_b));
        overlap_count += a.overlap(b) ? 1 : 0;
        const double distance = a.distance(b);
        if (std::isnan(distance)) continue;
        double square = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const auto at = [axis](const broadside::Vec3& v) {
                return double{axis == 0 ? v.x : axis == 1 ? v.y : v.z};
            };
            const double gap =
                std::max({at(around_a.min) - at(around_b.max), at(around_b.min) - at(around_a.max), 0.0});
            square += gap * gap;
        }
        REQUIRE(std::sqrt(square) <= distance);
    }
    CHECK(overlap_count > 1000);
}

TEST_CASE("FCL's manager searches at least as far as a distance says") {
    CHECK(distance_around(1.0) > 1.0f);
    CHECK(distance_around(DBL_MAX) == kInfinity);
    CHECK(distance_around(4.9e-324) == std::numeric_limits<float>::denorm_min());
    CHECK(distance_around(1e38) >= 1e38);
}
