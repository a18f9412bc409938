// The axis-aligned box: the rules of text B on it, and every operation of aabb.hpp.
#include "tests/support/generators.hpp"

#include <doctest/doctest.h>

#include <broadside/aabb.hpp>
#include <broadside/face.hpp>
#include <broadside/no_intersection.hpp>

#include <cmath>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr Aabb kUnit = {{0, 0, 0}, {1, 1, 1}};

Vec3 on_axis(int axis, float value) {
    return {axis == 0 ? value : 0, axis == 1 ? value : 0, axis == 2 ? value : 0};
}

}  // namespace

TEST_CASE("B10: a box is its two corner points; a point is inside if it is between them on every axis") {
    for (int axis = 0; axis < 3; ++axis) {
        for (const float at : {0.0f, 0.5f, 1.0f}) CHECK(contains(kUnit, on_axis(axis, at)));
        for (const float at : {-0.5f, 1.5f, std::nextafterf(1, 2), -kDenormal})
            CHECK_FALSE(contains(kUnit, on_axis(axis, at)));
        CHECK_FALSE(contains(kUnit, on_axis(axis, kNaN)));
    }
}

TEST_CASE("B11: the center is the midpoint of the corners, and does not overflow if their sum does") {
    CHECK(center({{-1, 2, 4}, {3, 2, 8}}) == Vec3{1, 2, 6});
    const Aabb whole = {{-FLT_MAX, -FLT_MAX, 0}, {FLT_MAX, FLT_MAX, FLT_MAX}};
    CHECK(center(whole) == Vec3{0, 0, FLT_MAX / 2});
    const Aabb far = {{0.75f * FLT_MAX, 0, 0}, {FLT_MAX, 0, 0}};
    CHECK((far.min.x + far.max.x) * 0.5f == kInfinity);  // the formula of the text
    CHECK(center(far).x == 0.875f * FLT_MAX);
    CHECK(half_extent(whole) == Vec3{FLT_MAX, FLT_MAX, FLT_MAX / 2});
    CHECK(half_extent({{-1, 2, 4}, {3, 2, 9}}) == Vec3{2, 0, 2.5f});
}

TEST_CASE("B12: the size is max - min, and its product is the volume") {
    const Aabb box = {{-1, 2, 4}, {3, 2.5f, 8}};
    CHECK(size(box) == Vec3{4, 0.5f, 4});
    CHECK(volume(box) == 8.0f);
    CHECK(volume({{0, 0, 0}, {1, 1, 0}}) == 0.0f);
    CHECK(volume(Aabb::empty()) == 0.0f);
    // Inverted on two axes: the product would be positive.
    CHECK(volume({{1, 1, 0}, {0, 0, 1}}) == 0.0f);
    CHECK(volume({{kNaN, 0, 0}, {1, 1, 1}}) == 0.0f);
}

TEST_CASE("B13: adding points grows an empty box to the smallest one that holds them all") {
    Random random(13);
    for (int round = 0; round < 2000; ++round) {
        Aabb box = Aabb::empty();
        double mins[3] = {1e9, 1e9, 1e9};
        double maxs[3] = {-1e9, -1e9, -1e9};
        for (std::uint32_t count = 1 + random.below(8); count > 0; --count) {
            const Vec3 point = {random.uniform(-4, 4), random.grid(-4, 4), random.uniform(-4, 4)};
            box = include(box, point);
            REQUIRE(contains(box, point));
            const float numbers[3] = {point.x, point.y, point.z};
            for (int axis = 0; axis < 3; ++axis) {
                mins[axis] = std::fmin(mins[axis], static_cast<double>(numbers[axis]));
                maxs[axis] = std::fmax(maxs[axis], static_cast<double>(numbers[axis]));
            }
        }
        REQUIRE((box.min.x == mins[0] && box.min.y == mins[1] && box.min.z == mins[2]));
        REQUIRE((box.max.x == maxs[0] && box.max.y == maxs[1] && box.max.z == maxs[2]));
    }
    const Vec3 point = {3, -2, 7};
    CHECK(include(Aabb::empty(), point) == Aabb{point, point});
    CHECK(include(kUnit, Vec3{kNaN, 2, 0.5f}) == Aabb{{0, 0, 0}, {1, 2, 1}});
    CHECK(include(kUnit, Aabb{{-1, 0.5f, 0.5f}, {0, 2, 0.75f}}) == Aabb{{-1, 0, 0}, {1, 2, 1}});
    CHECK(include(kUnit, Aabb::empty()) == kUnit);
    CHECK(include(Aabb::empty(), kUnit) == kUnit);
}

TEST_CASE("B14: a box is empty if min > max on any axis; a point is not empty, a NaN box is") {
    CHECK_FALSE(is_empty(kUnit));
    CHECK_FALSE(is_empty({{2, 2, 2}, {2, 2, 2}}));
    CHECK_FALSE(is_empty({{0.0f, 0, 0}, {-0.0f, 0, 0}}));
    CHECK(is_empty(Aabb::empty()));
    for (int axis = 0; axis < 3; ++axis) {
        CHECK(is_empty({on_axis(axis, 2), {1, 1, 1}}));
        CHECK(is_empty({on_axis(axis, kNaN), {1, 1, 1}}));
        CHECK(is_empty({{-1, -1, -1}, on_axis(axis, kNaN)}));
    }
}

TEST_CASE("B15: a corner, an edge and a face are inside, one ulp further is not") {
    for (int corner = 0; corner < 27; ++corner) {
        const auto at = [&](int digit) { return static_cast<float>(digit) * 0.5f; };
        CHECK(contains(kUnit, Vec3{at(corner % 3), at(corner / 3 % 3), at(corner / 9)}));
    }
    for (int axis = 0; axis < 3; ++axis) CHECK_FALSE(contains(kUnit, on_axis(axis, std::nextafterf(1, 2))));
    CHECK_FALSE(contains(Aabb::empty(), Vec3{0, 0, 0}));
    // Boxes in boxes: itself and a touching part, but no invalid one.
    CHECK(contains(kUnit, kUnit));
    CHECK(contains(kUnit, Aabb{{0, 0.5f, 1}, {1, 0.5f, 1}}));
    CHECK_FALSE(contains(kUnit, Aabb{{0, 0, 0}, {1, 1, std::nextafterf(1, 2)}}));
    CHECK_FALSE(contains(kUnit, Aabb::empty()));
    CHECK_FALSE(contains(Aabb::empty(), kUnit));
    CHECK_FALSE(contains(Aabb{{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}},
                         Aabb{{kNaN, 0, 0}, {1, 1, 1}}));
}

TEST_CASE(
    "B16, G5: the empty box holds nothing, and is not a point at the origin as after the text's reset") {
    const Aabb text_reset = {{0, 0, 0}, {0, 0, 0}};
    CHECK_FALSE(is_empty(text_reset));
    CHECK(contains(text_reset, Vec3{0, 0, 0}));
    // The literal form on the first point added: the origin is included, too.
    CHECK(contains(include(text_reset, Vec3{5, 5, 5}), Vec3{0, 0, 0}));
    CHECK(is_empty(Aabb::empty()));
    CHECK_FALSE(is_valid(Aabb::empty()));
    CHECK(include(Aabb::empty(), Vec3{5, 5, 5}) == Aabb{{5, 5, 5}, {5, 5, 5}});
    CHECK_FALSE(overlap(Aabb::empty(), Aabb::empty()));
}

TEST_CASE("B17: the common box is the larger mins and the smaller maxes, and only written if there is one") {
    Aabb common = kUnit;
    CHECK(overlap(Aabb{{-1, -1, -1}, {0.5f, 2, 0}}, kUnit, &common));
    CHECK(common == Aabb{{0, 0, 0}, {0.5f, 1, 0}});
    CHECK_FALSE(overlap(kUnit, {{3, 3, 3}, {4, 4, 4}}, &common));
    CHECK(common == Aabb{{0, 0, 0}, {0.5f, 1, 0}});
    CHECK(overlap(kUnit, {{1, 1, 1}, {2, 2, 2}}, nullptr));
    Random random(17);
    for (int round = 0; round < 20000; ++round) {
        const Aabb a = adversarial_box(random);
        const Aabb b = adversarial_box(random);
        Aabb first;
        Aabb second;
        const bool is_common = overlap(a, b, &first);
        REQUIRE(is_common == overlap(b, a, &second));
        REQUIRE(is_common == overlap(a, b));
        if (!is_common) continue;
        REQUIRE(first == second);
        REQUIRE(contains(a, first));
        REQUIRE(contains(b, first));
    }
}

TEST_CASE("a box is valid if it holds a finite point") {
    Random random(1);
    for (int round = 0; round < 100000; ++round) {
        Aabb box = adversarial_box(random);
        if (random.chance(4)) box = {{special_float(random), 0, 0}, {special_float(random), 1, 1}};
        // A finite point of the box, if there is one: the min corner, clamped to the float range.
        const auto within_range = [](float min) { return std::fmax(min, -FLT_MAX); };
        const Vec3 point = {within_range(box.min.x), within_range(box.min.y), within_range(box.min.z)};
        const bool is_inverted = box.min.x > box.max.x || box.min.y > box.max.y || box.min.z > box.max.z;
        REQUIRE(is_valid(box) == (!is_inverted && is_finite(point) && contains(box, point)));
        if (is_valid(box)) REQUIRE_FALSE(is_empty(box));
        REQUIRE(is_valid(box) == overlap(box, box));
    }
}

TEST_CASE(
    "a swept box holds the box at the start, at the end and in between; an expanded one grows on every "
    "side") {
    Random random(2);
    for (int round = 0; round < 20000; ++round) {
        const Aabb box = grid_box(random);
        const Vec3 d = {random.grid(-8, 8), random.grid(-8, 8), random.grid(-8, 8)};
        const Aabb reach = swept(box, d);
        for (const float t : {0.0f, 0.25f, 0.5f, 1.0f})
            REQUIRE(contains(reach, Aabb{box.min + d * t, box.max + d * t}));
        REQUIRE(size(reach) == size(box) + absolute(d));
    }
    CHECK(expanded(kUnit, 0.5f) == Aabb{{-0.5f, -0.5f, -0.5f}, {1.5f, 1.5f, 1.5f}});
    CHECK(is_empty(expanded(kUnit, -1)));
    // A NaN displacement adds nothing to the sweep; the time of impact refuses it.
    CHECK(swept(kUnit, {kNaN, 0, 0}) == kUnit);
}

TEST_CASE("swept boxes of boxes that meet overlap, although they are rounded to nearest") {
    Random random(3);
    int near_count = 0;
    for (int round = 0; round < 20000; ++round) {
        const float side = random.uniform(-1, 1), way = random.uniform(0.125f, 3);
        const double end = static_cast<double>(side) + static_cast<double>(way);
        float wall = static_cast<float>(end);
        if (round % 3 != 0) wall = std::nextafter(wall, round % 3 == 1 ? 9.0f : -9.0f);
        const bool do_meet = end >= static_cast<double>(wall);
        const Aabb reach = swept({{side - 1, 0, 0}, {side, 1, 1}}, {way, 0, 0});
        if (do_meet) REQUIRE(overlap(reach, {{wall, 0, 0}, {9, 1, 1}}));
        near_count += do_meet && end - static_cast<double>(wall) < 1e-6;
    }
    REQUIRE(near_count > 5000);
}

TEST_CASE("the six faces have their numbers and outward normals, and Face::none has a zero normal") {
    const Vec3 normals[] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}, {0, 0, 0}};
    const Face faces[] = {Face::min_x, Face::max_x, Face::min_y, Face::max_y,
                          Face::min_z, Face::max_z, Face::none};
    for (int i = 0; i < 7; ++i) {
        CHECK(static_cast<int>(faces[i]) == i);
        CHECK(outward_normal(faces[i]) == normals[i]);
    }
    static_assert(kNoIntersection == 1e30f);
}

TEST_CASE(
    "min_keep and max_keep return the second on NaN and on a tie, and denormals are flushed with their "
    "sign") {
    for (const float a : special_floats()) {
        for (const float b : special_floats()) {
            CHECK(same_bits(min_keep(a, b), a < b ? a : b));
            CHECK(same_bits(max_keep(a, b), a > b ? a : b));
        }
        CHECK(has_sign_bit(a) == std::signbit(a));
        CHECK(is_finite(a) == std::isfinite(a));
        const float flushed = flush_denormal(a);
        if (std::fabs(a) < FLT_MIN)
            CHECK(same_bits(flushed, std::copysign(0.0f, a)));
        else
            CHECK(same_bits(flushed, a));
    }
    CHECK(same_bits(min_keep(-0.0f, 0.0f), 0.0f));
    CHECK(same_bits(min_keep(0.0f, -0.0f), -0.0f));
    CHECK(same_bits(flush_denormal(FLT_MIN), FLT_MIN));
}

TEST_CASE("vectors add, scale, multiply and cross component by component") {
    const Vec3 a = {1, 2, 3};
    const Vec3 b = {-4, 5, 0.5f};
    CHECK(a + b == Vec3{-3, 7, 3.5f});
    CHECK(a - b == Vec3{5, -3, 2.5f});
    CHECK(-a == Vec3{-1, -2, -3});
    CHECK(a * 2 == Vec3{2, 4, 6});
    CHECK(dot(a, b) == 7.5f);
    CHECK(cross({1, 0, 0}, {0, 1, 0}) == Vec3{0, 0, 1});
    CHECK(dot(cross(a, b), a) == 0.0f);
    CHECK(length_sq(a) == 14.0f);
    CHECK(absolute(b) == Vec3{4, 5, 0.5f});
    CHECK(min_keep(a, b) == Vec3{-4, 2, 0.5f});
    CHECK(max_keep(a, b) == Vec3{1, 5, 3});
    CHECK_FALSE(is_finite(Vec3{0, kInfinity, 0}));
    CHECK_FALSE(is_finite(Vec3{0, 0, kNaN}));
}
