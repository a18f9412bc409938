// Spheres, triangles and rays at rest: validity, containment and the boxes around them.
#include "tests/support/generators.hpp"

#include <doctest/doctest.h>

#include <broadside/ray.hpp>
#include <broadside/sphere.hpp>
#include <broadside/triangle.hpp>

#include <cmath>

using namespace broadside;
using namespace broadside::test;

TEST_CASE("a sphere holds its surface, a point sphere its center, an invalid one nothing") {
    const Sphere sphere = {{1, 2, 3}, 5};
    CHECK(contains(sphere, {1, 2, 3}));
    CHECK(contains(sphere, {4, 6, 3}));
    CHECK_FALSE(contains(sphere, {4, 6, 3.125f}));
    CHECK(contains(Sphere{{1, 2, 3}, 0}, {1, 2, 3}));
    CHECK_FALSE(contains(Sphere{{1, 2, 3}, -5}, {1, 2, 3}));
    CHECK_FALSE(contains(Sphere{{1, 2, 3}, kNaN}, {1, 2, 3}));
    CHECK_FALSE(contains(sphere, {kNaN, 2, 3}));
    CHECK_FALSE(is_valid(Sphere{{0, 0, 0}, kInfinity}));
    CHECK_FALSE(is_valid(Sphere{{0, kInfinity, 0}, 1}));
    CHECK_FALSE(overlap(Sphere{{1, 2, 3}, -5}, sphere));
}

TEST_CASE("the box of a sphere touches it on six sides, and an invalid sphere has an invalid box") {
    CHECK(bounds(Sphere{{1, 2, 3}, 0.5f}) == Aabb{{0.5f, 1.5f, 2.5f}, {1.5f, 2.5f, 3.5f}});
    CHECK_FALSE(is_valid(bounds(Sphere{{1, 2, 3}, -0.5f})));
    CHECK_FALSE(is_valid(bounds(Sphere{{1, kNaN, 3}, 1})));
    CHECK_FALSE(is_valid(bounds(Sphere{{1, 2, 3}, kNaN})));
}

TEST_CASE("the box of a triangle holds its corners in any winding, and a NaN corner makes it invalid") {
    Random random(1);
    for (int round = 0; round < 5000; ++round) {
        const auto point = [&] {
            return Vec3{random.grid(-4, 4), random.uniform(-4, 4), random.grid(-4, 4)};
        };
        const Triangle triangle = {point(), point(), point()};
        const Aabb box = bounds(triangle);
        REQUIRE(box == include(include(include(Aabb::empty(), triangle.a), triangle.b), triangle.c));
        REQUIRE(box == bounds(Triangle{triangle.c, triangle.b, triangle.a}));
        REQUIRE(box == bounds(Triangle{triangle.b, triangle.c, triangle.a}));
    }
    for (int place = 0; place < 9; ++place) {
        float numbers[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
        numbers[place] = kNaN;
        const Triangle triangle = {{numbers[0], numbers[1], numbers[2]},
                                   {numbers[3], numbers[4], numbers[5]},
                                   {numbers[6], numbers[7], numbers[8]}};
        CHECK_FALSE(is_valid(bounds(triangle)));
    }
}

TEST_CASE("a ray is valid if it is finite and its reach is not negative; its default reach has no end") {
    CHECK(is_valid(Ray{{0, 0, 0}, {1, 0, 0}}));
    CHECK(Ray{}.t_max == FLT_MAX);
    CHECK(is_valid(Ray{{0, 0, 0}, {1, 0, 0}, kInfinity}));
    CHECK(is_valid(Ray{{0, 0, 0}, {0, 0, 0}, 0}));
    CHECK_FALSE(is_valid(Ray{{0, 0, 0}, {1, 0, 0}, -1}));
    CHECK_FALSE(is_valid(Ray{{0, 0, 0}, {1, 0, 0}, kNaN}));
    CHECK_FALSE(is_valid(Ray{{0, kInfinity, 0}, {1, 0, 0}}));
    CHECK_FALSE(is_valid(Ray{{0, 0, 0}, {1, 0, kNaN}}));
}

TEST_CASE("next_up returns +infinity and every NaN unchanged, also in a constant expression") {
    // No float is above the largest pattern.
    constexpr auto is_kept = [](std::uint32_t pattern) {
        return __builtin_bit_cast(std::uint32_t, next_up(__builtin_bit_cast(float, pattern))) == pattern;
    };
    static_assert(is_kept(0x7fffffffu));
    static_assert(is_kept(0x7f800000u));
    for (const std::uint32_t pattern : {0x7fffffffu, 0xffffffffu, 0x7fc00000u, 0xffc00000u, 0x7f800000u})
        CHECK(is_kept(pattern));
    CHECK(next_up(-FLT_MAX) > -FLT_MAX);
    CHECK(next_up(-0.0f) == __builtin_bit_cast(float, 1u));
    CHECK(next_up(FLT_MAX) == __builtin_inff());
    CHECK(next_down(-FLT_MAX) == -__builtin_inff());
}
