// Transforms and their effect on boxes: the rules of text B on transformed boxes.
#include "tests/support/generators.hpp"

#include <doctest/doctest.h>

#include <broadside/obb.hpp>
#include <broadside/transform.hpp>

#include <algorithm>
#include <cmath>

using namespace broadside;
using namespace broadside::test;

namespace {

Transform turned_about_z(float radians) {
    const float c = std::cos(radians);
    const float s = std::sin(radians);
    return {{c, -s, 0}, {s, c, 0}, {0, 0, 1}, {}};
}

constexpr float kEighthTurn = 0.78539816f;

// Any matrix: rotation-like, scaled, sheared, mirrored, with zeros of both signs.
Transform random_transform(Random& random) {
    const auto element = [&] {
        if (random.chance(4)) return random.chance(2) ? 0.0f : -0.0f;
        return random.chance(4) ? random.grid(-3, 3) : random.uniform(-2, 2);
    };
    const auto row = [&] { return Vec3{element(), element(), element()}; };
    return {row(), row(), row(), {random.uniform(-8, 8), random.uniform(-8, 8), random.uniform(-8, 8)}};
}

struct Interval {
    double min;
    double max;
    double magnitude;  // the sum of the terms, for a rounding bound
};

// One row of the transform over all eight corners, in doubles.
Interval row_over_corners(Vec3 row, float translation, const Aabb& box) {
    Interval interval = {1e300, -1e300, 0};
    for (unsigned corner = 0; corner < 8; ++corner) {
        const double x = (corner & 1u) != 0 ? box.max.x : box.min.x;
        const double y = (corner & 2u) != 0 ? box.max.y : box.min.y;
        const double z = (corner & 4u) != 0 ? box.max.z : box.min.z;
        const double at = translation + row.x * x + row.y * y + row.z * z;
        interval.min = std::min(interval.min, at);
        interval.max = std::max(interval.max, at);
        interval.magnitude = std::max(interval.magnitude, std::fabs(translation) + std::fabs(row.x * x) +
                                                              std::fabs(row.y * y) + std::fabs(row.z * z));
    }
    return interval;
}

// The formula of F2: translation plus, for every element, the smaller (larger) of its two products.
Aabb bounds_by_formula(const Transform& t, const Aabb& box) {
    const auto side = [&](Vec3 row, float translation, bool is_max) {
        const auto term = [&](float element, float min, float max) {
            const float a = element * min;
            const float b = element * max;
            return is_max ? std::max(a, b) : std::min(a, b);
        };
        return ((translation + term(row.x, box.min.x, box.max.x)) + term(row.y, box.min.y, box.max.y)) +
               term(row.z, box.min.z, box.max.z);
    };
    return {{side(t.row_x, t.translation.x, false), side(t.row_y, t.translation.y, false),
             side(t.row_z, t.translation.z, false)},
            {side(t.row_x, t.translation.x, true), side(t.row_y, t.translation.y, true),
             side(t.row_z, t.translation.z, true)}};
}

// Text B's setToTransformedBox as printed, error included: both max lines of m[1] are missing.
Aabb damaged_literal_bounds(const float (&m)[16], const Aabb& box) {
    Aabb out = {{m[3], m[7], m[11]}, {m[3], m[7], m[11]}};
    const auto add = [](float element, float min, float max, float& out_min, float& out_max) {
        out_min += element > 0.0f ? element * min : element * max;
        out_max += element > 0.0f ? element * max : element * min;
    };
    add(m[0], box.min.x, box.max.x, out.min.x, out.max.x);
    out.min.x += m[1] > 0.0f ? m[1] * box.min.y : m[1] * box.max.y;
    add(m[2], box.min.z, box.max.z, out.min.x, out.max.x);
    add(m[4], box.min.x, box.max.x, out.min.y, out.max.y);
    add(m[5], box.min.y, box.max.y, out.min.y, out.max.y);
    add(m[6], box.min.z, box.max.z, out.min.y, out.max.y);
    add(m[8], box.min.x, box.max.x, out.min.z, out.max.z);
    add(m[9], box.min.y, box.max.y, out.min.z, out.max.z);
    add(m[10], box.min.z, box.max.z, out.min.z, out.max.z);
    return out;
}

}  // namespace

TEST_CASE("B8: the box of a thin rod depends on its orientation, so it is recomputed after a turn") {
    const Aabb rod = {{-5, -0.125f, -0.125f}, {5, 0.125f, 0.125f}};
    CHECK(volume(rod) == 0.625f);
    const Aabb diagonal = transformed_bounds(turned_about_z(kEighthTurn), rod);
    CHECK(size(diagonal).x == doctest::Approx(10.25 / std::sqrt(2.0)).epsilon(1e-6));
    CHECK(size(diagonal).y == size(diagonal).x);
    CHECK(volume(diagonal) > 20 * volume(rod));
    const Aabb upright = transformed_bounds({{0, -1, 0}, {1, 0, 0}, {0, 0, 1}, {}}, rod);
    CHECK(upright == Aabb{{-0.125f, -5, -0.125f}, {0.125f, 5, 0.125f}});
}

TEST_CASE(
    "B9: a unit square turned by 45 degrees has a box of twice the area; the object itself may be tighter") {
    const Aabb square = {{-0.5f, -0.5f, 0}, {0.5f, 0.5f, 0}};
    const Transform turned = turned_about_z(kEighthTurn);
    const Vec3 from_box = size(transformed_bounds(turned, square));
    CHECK(from_box.x * from_box.y == doctest::Approx(2).epsilon(1e-6));
    // An object that fills only the square's middle cross: its own transformed points give half of that.
    Aabb from_object = Aabb::empty();
    for (const Vec3 point : {Vec3{0.5f, 0, 0}, Vec3{-0.5f, 0, 0}, Vec3{0, 0.5f, 0}, Vec3{0, -0.5f, 0}})
        from_object = include(from_object, transform_point(turned, point));
    const Vec3 tight = size(from_object);
    CHECK(tight.x * tight.y == doctest::Approx(0.5).epsilon(1e-6));
    CHECK(contains(transformed_bounds(turned, square), from_object));
}

TEST_CASE(
    "B18, F2: the transformed box is the box of the eight transformed corners, within the rounding of seven "
    "operations") {
    Random random(18);
    for (int round = 0; round < 100000; ++round) {
        const Transform t = random_transform(random);
        const Aabb box = random.chance(2) ? grid_box(random) : random_box(random, 8, 4);
        const Aabb out = transformed_bounds(t, box);
        const Interval x = row_over_corners(t.row_x, t.translation.x, box);
        const Interval y = row_over_corners(t.row_y, t.translation.y, box);
        const Interval z = row_over_corners(t.row_z, t.translation.z, box);
        const auto near = [](float value, double exact, double magnitude) {
            return std::fabs(static_cast<double>(value) - exact) <= 4 * 0x1p-24 * magnitude;
        };
        REQUIRE((near(out.min.x, x.min, x.magnitude) && near(out.max.x, x.max, x.magnitude)));
        REQUIRE((near(out.min.y, y.min, y.magnitude) && near(out.max.y, y.max, y.magnitude)));
        REQUIRE((near(out.min.z, z.min, z.magnitude) && near(out.max.z, z.max, z.magnitude)));
        REQUIRE(out == bounds_by_formula(t, box));
        const Aabb corners = transformed_corner_bounds(t, box);
        REQUIRE((near(corners.min.x, x.min, x.magnitude) && near(corners.max.z, z.max, z.magnitude)));
    }
    // The 16 floats of a row-major matrix, translation in elements 3, 7 and 11.
    const float m[16] = {0, -2, 0, 10, 1, 0, 0, 20, 0, 0, 3, 30, 0, 0, 0, 1};
    const Transform t = transform_from_row_major(m);
    CHECK(transformed_bounds(t, {{0, 0, 0}, {1, 2, 3}}) == Aabb{{6, 20, 30}, {10, 21, 39}});
    CHECK(transform_point(t, {1, 2, 3}) == Vec3{6, 21, 39});
    CHECK(transform_vector(t, {1, 2, 3}) == Vec3{-4, 1, 9});
}

TEST_CASE(
    "B18: an empty box stays unchanged, an infinite side stays on the axes that it reaches, NaN is not "
    "lost") {
    const Transform t = {{1, 0, 0}, {0, -2, 1}, {0, 0, -0.0f}, {5, 5, 5}};
    CHECK(transformed_bounds(t, Aabb::empty()) == Aabb::empty());
    const Aabb inverted = {{1, 0, 0}, {0, 1, 1}};
    CHECK(transformed_bounds(t, inverted) == inverted);
    CHECK(transformed_corner_bounds(t, inverted) == inverted);
    // Infinite on y: 0·infinity would be a NaN on x and z.
    const Aabb column = {{0, -kInfinity, 0}, {1, 3, 1}};
    CHECK(transformed_bounds(t, column) == Aabb{{5, -1, 5}, {6, kInfinity, 5}});
    const Aabb everything = {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
    const Aabb out = transformed_bounds(t, everything);
    CHECK(out.min == Vec3{-kInfinity, -kInfinity, 5});
    CHECK(out.max == Vec3{kInfinity, kInfinity, 5});
    for (int element = 0; element < 12; ++element) {
        float m[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 0, 1};
        m[element] = kNaN;
        CHECK_FALSE(is_valid(transformed_bounds(transform_from_row_major(m), {{0, 0, 0}, {1, 1, 1}})));
        CHECK_FALSE(is_valid(transformed_bounds(transform_from_row_major(m), {{-1, -1, -1}, {1, 1, 1}})));
    }
}

TEST_CASE("B19: the corner that an element does not use for the min is the one it uses for the max") {
    for (unsigned signs = 0; signs < 512; ++signs) {
        // Powers of two keep every sum exact; the sum of min and max of a row then holds every corner once.
        const auto element = [&](unsigned place) {
            const float value = std::ldexp(1.0f, static_cast<int>(place) - 4);
            return (signs >> place & 1u) != 0 ? -value : value;
        };
        const Transform t = {{element(0), element(1), element(2)},
                             {element(3), element(4), element(5)},
                             {element(6), element(7), element(8)},
                             {}};
        const Aabb box = {{1, 2, 4}, {8, 16, 32}};
        const Aabb out = transformed_bounds(t, box);
        REQUIRE(out.min + out.max == transform_point(t, box.min + box.max));
        REQUIRE(out == transformed_corner_bounds(t, box));
        REQUIRE_FALSE(is_empty(out));
    }
}

TEST_CASE(
    "G6: the printed setToTransformedBox lacks the max lines of one element, and so loses parts of the "
    "object") {
    const float m[16] = {1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const Aabb box = {{0, 0, 0}, {1, 1, 1}};
    const Aabb right = transformed_bounds(transform_from_row_major(m), box);
    CHECK(right == Aabb{{0, 0, 0}, {2, 1, 1}});
    const Aabb damaged = damaged_literal_bounds(m, box);
    CHECK(damaged.max.x == 1.0f);
    CHECK_FALSE(contains(damaged, transform_point(transform_from_row_major(m), {1, 1, 1})));
    // Far from the origin the damaged box misses the object completely.
    const Aabb far = {{0, 100, 0}, {1, 101, 1}};
    CHECK_FALSE(
        overlap(damaged_literal_bounds(m, far), transformed_bounds(transform_from_row_major(m), far)));
}

TEST_CASE("B29: an oriented box fits a turned rod whose axis-aligned box is many times too large") {
    const Aabb rod = {{-5, -0.125f, -0.125f}, {5, 0.125f, 0.125f}};
    const Transform turned = turned_about_z(kEighthTurn);
    const Obb obb = obb_from_aabb(turned, rod);
    const Vec3 h = obb.half_extent;
    const float obb_volume = 8 * h.x * h.y * h.z;
    CHECK(obb_volume == volume(rod));
    CHECK(volume(bounds(obb)) > 20 * obb_volume);
    // It is the same body: its corners are those of the transformed rod.
    const Vec3 corner = obb.center + obb.axis_x * h.x + obb.axis_y * h.y + obb.axis_z * h.z;
    const Vec3 expected = transform_point(turned, rod.max);
    CHECK(corner.x == doctest::Approx(expected.x));
    CHECK(corner.y == doctest::Approx(expected.y));
    CHECK(corner.z == expected.z);
    CHECK(vector_in_box(obb, corner - obb.center).x == doctest::Approx(h.x));
}

TEST_CASE("the box of an oriented box is that of its corners, and invalid ones are told apart") {
    Random random(1);
    for (int round = 0; round < 20000; ++round) {
        const Transform turned = turned_about_z(random.uniform(0, 7));
        const Obb obb = obb_from_aabb(turned, random_box(random, 4, 3));
        REQUIRE(is_valid(obb));
        const Aabb box = bounds(obb);
        Aabb corners = Aabb::empty();
        for (unsigned corner = 0; corner < 8; ++corner) {
            const auto side = [&](unsigned bit, float h) { return (corner >> bit & 1u) != 0 ? h : -h; };
            corners = include(corners, obb.center + obb.axis_x * side(0, obb.half_extent.x) +
                                           obb.axis_y * side(1, obb.half_extent.y) +
                                           obb.axis_z * side(2, obb.half_extent.z));
        }
        REQUIRE(contains(expanded(box, 1e-5f), corners));
        REQUIRE(contains(expanded(corners, 1e-5f), box));
    }
    Obb obb;
    CHECK(is_valid(obb));
    CHECK(bounds(obb) == Aabb{{0, 0, 0}, {0, 0, 0}});
    obb.half_extent.y = -1;
    CHECK_FALSE(is_valid(obb));
    obb.half_extent.y = 1;
    obb.axis_z.x = kNaN;
    CHECK_FALSE(is_valid(obb));
}

TEST_CASE("transforms compose from right to left") {
    Random random(2);
    const auto integer_transform = [&] {
        const auto row = [&] { return Vec3{random.grid(-3, 3), random.grid(-3, 3), random.grid(-3, 3)}; };
        return Transform{row(), row(), row(), row()};
    };
    for (int round = 0; round < 5000; ++round) {
        const Transform a_from_b = integer_transform();
        const Transform b_from_c = integer_transform();
        const Vec3 point = {random.grid(-5, 5), random.grid(-5, 5), random.grid(-5, 5)};
        REQUIRE(transform_point(a_from_b * b_from_c, point) ==
                transform_point(a_from_b, transform_point(b_from_c, point)));
    }
}
