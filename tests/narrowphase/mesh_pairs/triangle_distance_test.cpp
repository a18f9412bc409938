// The closest points of two triangles, compared with rational numbers.
#include "narrowphase/src/mesh_pairs/triangle_gap.hpp"
#include "tests/narrowphase/mesh_pairs/gap_oracle.hpp"
#include "tests/narrowphase/sphere/closest_point_oracle.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

#include <broadside/closest_point.hpp>

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::test;

namespace {

double largest_coordinate(const Triangle& t) {
    float largest = 0;
    for (const Vec3 corner : {t.a, t.b, t.c}) {
        const Vec3 size = absolute(corner);
        largest = std::max({largest, size.x, size.y, size.z});
    }
    return static_cast<double>(largest);
}
double length_of(Vec3 a) { return std::sqrt(static_cast<double>(length_sq(a))); }
double root(float square) { return std::sqrt(static_cast<double>(square)); }
bool is_sliver_triangle(const Triangle& t) {
    const auto at = [](Vec3 p) { return quad(p); };
    const QuadVector ab = at(t.b) - at(t.a), bc = at(t.c) - at(t.b), ca = at(t.a) - at(t.c);
    const QuadVector normal = cross(ab, ca);
    const Quad longest_sq = std::max({dot(ab, ab), dot(bc, bc), dot(ca, ca)});
    return dot(normal, normal) < longest_sq * longest_sq * 0x1p-12;
}
// The size of two triangles and their distance together, whatever their position in the world.
double reach_of(const Triangle& a, const Triangle& b) {
    double reach = 0;
    for (const Vec3 corner : {a.b, a.c, b.a, b.b, b.c}) {
        for (const float part : {corner.x - a.a.x, corner.y - a.a.y, corner.z - a.a.z})
            reach = std::max(reach, std::fabs(static_cast<double>(part)));
    }
    return reach;
}

}  // namespace

TEST_CASE("the distance of triangles that do not meet is right to 2^-44 of their reach" * kLong) {
    Random random(4101);
    int apart_count = 0, meeting_count = 0;
    for (int i = 0; i < 4000 * test_scale(); ++i) {
        auto [a, b] = adversarial_triangles(random);
        const float scale = random.chance(4) ? (random.chance(2) ? 0x1p-120f : 0x1p120f) : 1.0f;
        // Far apart, near each other, and both far away.
        if (random.chance(2)) b = shifted(b, random_vector(random, random.chance(2) ? 2.0f : 40.0f));
        const Vec3 far = random.chance(4) ? random_vector(random, 1e5f) : Vec3{};
        a = shifted(scaled(a, scale), far);
        b = shifted(scaled(b, scale), far);
        if (random.chance(8)) a.a = a.a * 0x1p-60f;
        const ClosestTrianglePoints closest = closest_points(a, b);
        INFO(i << ": " << closest.distance);
        const bool do_meet = triangle_pair(a, b) != TrianglePairKind::disjoint;
        REQUIRE((closest.distance == 0) == do_meet);
        const double rounding = 0x1p-22 * std::max(largest_coordinate(a), largest_coordinate(b)) + 1e-44;
        // Both points are on their triangles.
        REQUIRE(root(closest_point(a, closest.point_a).distance_sq) <= rounding + 1e-22);
        REQUIRE(root(closest_point(b, closest.point_b).distance_sq) <= rounding + 1e-22);
        if (do_meet) {
            ++meeting_count;
            REQUIRE(closest.point_a == closest.point_b);
            continue;
        }
        ++apart_count;
        const double exact = root_in_floats(exact_gap_sq(a, b));
        const double reach = reach_of(a, b);
        const double computed_sq = narrowphase::gap_of(a, b).distance_sq;
        const double computed = std::sqrt(computed_sq);
        const bool is_sliver = is_sliver_triangle(a) || is_sliver_triangle(b);
        REQUIRE(std::fabs(computed - exact) <= (is_sliver ? 0x1p-32 : 0x1p-44) * reach + 0x1p-149);
        // The limits of a walk rely on this.
        REQUIRE(exact - computed <= 0x1p-48 * reach);
        // Rounded up, to the next float.
        const auto square = [](float distance) {
            return static_cast<double>(distance) * static_cast<double>(distance);
        };
        REQUIRE(square(closest.distance) >= computed_sq);
        REQUIRE(square(next_down(closest.distance)) < computed_sq);
        if (length_of(closest.point_a - closest.point_b) < 1e18 && scale == 1.0f)
            REQUIRE(std::fabs(length_of(closest.point_a - closest.point_b) - exact) <=
                    4 * rounding + 1e-6 * exact);
        // Exchanged, the result is as right.
        const ClosestTrianglePoints back = closest_points({b.c, b.a, b.b}, {a.b, a.a, a.c});
        REQUIRE(std::fabs(static_cast<double>(back.distance) - exact) <=
                0x1p-22 * exact + 0x1p-31 * reach + 1e-44);
    }
    CHECK(apart_count > 1500);
    CHECK(meeting_count > 500);
}

TEST_CASE("the closest points of triangles that are easy to see") {
    const Triangle flat = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    const auto check = [&](const Triangle& other, Vec3 on_flat, Vec3 on_other, float distance) {
        const ClosestTrianglePoints closest = closest_points(flat, other);
        CHECK(closest.point_a == on_flat);
        CHECK(closest.point_b == on_other);
        CHECK(closest.distance == distance);
        const ClosestTrianglePoints back = closest_points(other, flat);
        CHECK(back.point_a == on_other);
        CHECK(back.point_b == on_flat);
        CHECK(back.distance == distance);
    };
    // A corner over the face, two edges that cross, an edge and a corner, two corners.
    check({{1, 1, 2}, {1, 2, 3}, {2, 1, 3}}, {1, 1, 0}, {1, 1, 2}, 2);
    check({{1, -1, 3}, {1, 1, 3}, {1, 0, 9}}, {1, 0, 0}, {1, 0, 3}, 3);
    check({{2, -3, 0}, {1, -5, 0}, {3, -5, 1}}, {2, 0, 0}, {2, -3, 0}, 3);
    check({{7, -4, 0}, {9, -4, 0}, {9, -9, 1}}, {4, 0, 0}, {7, -4, 0}, 5);
    // A segment and a point over the face, and both as the other's face.
    check({{1, 1, 2}, {1, 1, 5}, {1, 1, 4}}, {1, 1, 0}, {1, 1, 2}, 2);
    check({{1, 1, 2}, {1, 1, 2}, {1, 1, 2}}, {1, 1, 0}, {1, 1, 2}, 2);
    const Triangle segment = {{0, 0, 0}, {2, 0, 0}, {1, 0, 0}};
    const ClosestTrianglePoints of_lines = closest_points(segment, {{1, 3, -1}, {1, 3, 1}, {1, 3, 0}});
    CHECK(of_lines.point_a == Vec3{1, 0, 0});
    CHECK(of_lines.point_b == Vec3{1, 3, 0});
    CHECK(of_lines.distance == 3);
    CHECK(closest_points(segment, {{6, 3, 0}, {6, 3, 0}, {6, 3, 0}}).distance == 5);
}

TEST_CASE("triangles that meet have one common point, and distance 0") {
    const Triangle flat = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    const auto check = [&](const Triangle& other, Vec3 point) {
        const ClosestTrianglePoints closest = closest_points(flat, other);
        CHECK(closest.distance == 0);
        CHECK(closest.point_a == point);
        CHECK(closest.point_b == point);
    };
    // An edge through the face, with the other ones beside it.
    check({{1, 1, -1}, {1, 1, 1}, {9, 9, 1}}, {1, 1, 0});
    check({{1, 1, 0}, {1, 1, 1}, {2, 1, 1}}, {1, 1, 0});
    check({{4, 0, 0}, {8, 0, 0}, {8, 4, 0}}, {4, 0, 0});
    // The next float is apart, whatever its distance is.
    CHECK(closest_points(flat, {{1, 1, next_up(0.0f)}, {2, 1, 1}, {2, 1, 2}}).distance == next_up(0.0f));
    // Two lines that pass each other at less than the smallest float.
    const Triangle line = {{-1, -1, 0}, {1, 1, 0}, {0, 0, 0}};
    const Triangle beside = {{-1, -1, next_up(0.0f)}, {1, 1, -2 * next_up(0.0f)}, {-1, -1, next_up(0.0f)}};
    const Triangle across = {{-1, 1, 0}, {1, -1, next_up(0.0f)}, {-1, 1, 0}};
    CHECK(closest_points(line, beside).distance == 0);
    CHECK(triangle_pair(line, across) == TrianglePairKind::disjoint);
    CHECK(closest_points(line, across).distance == next_up(0.0f));
}

TEST_CASE("a triangle that is not finite has no closest points, and distances beyond floats are infinite") {
    const Triangle flat = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    for (const float value : {kNaN, kInfinity, -kInfinity}) {
        Triangle broken = flat;
        broken.c.x = value;
        CHECK(closest_points(flat, broken) == ClosestTrianglePoints{});
        CHECK(closest_points(broken, flat) == ClosestTrianglePoints{});
    }
    const Vec3 far = {FLT_MAX, FLT_MAX, FLT_MAX};
    const ClosestTrianglePoints closest = closest_points({far, far, far}, {-far, -far, -far});
    CHECK(closest.distance == kInfinity);
    CHECK(closest.point_a == far);
    CHECK(closest.point_b == -far);
    const Vec3 at = {FLT_MAX, 0, 0};
    CHECK(closest_points({at, at, at}, flat).distance == FLT_MAX);
}
