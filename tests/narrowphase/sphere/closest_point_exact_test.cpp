// Closest points against 113-bit arithmetic: slivers, every scale, far from the origin.
#include "tests/narrowphase/sphere/closest_point_oracle.hpp"
#include "tests/support/guarded_columns.hpp"
#include "tests/support/suites.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace broadside;
using namespace broadside::test;
using namespace broadside::test::solids;

namespace {

double magnitude(Quad a) { return std::fabs(static_cast<double>(a)); }
double length(QuadVector a) {
    return std::sqrt(static_cast<double>(dot(a, a)));  // far from overflow here
}
// Half of the step from one float of this size to the next.
double half_ulp(double a) {
    const auto size = static_cast<float>(std::fabs(a));
    return 0.5 * static_cast<double>(std::nextafterf(size, kInfinity) - size);
}

struct Errors {
    // Error of the point, beyond the rounding to float; in units of (distance + size of the shape).
    double point = 0;
    // Error of the distance, not of its square, beyond 2^-24 of itself; in the same unit.
    double distance = 0;
};

// Compares one result with the oracle's; `extent` is the size of the shape and its distance from the point.
void compare(const ClosestPoint& answer, const QuadClosest& truth, double extent, Errors& state) {
    const QuadVector miss = quad(answer.point) - truth.point;
    const double beyond_rounding =
        std::max({magnitude(miss.x) - half_ulp(answer.point.x), magnitude(miss.y) - half_ulp(answer.point.y),
                  magnitude(miss.z) - half_ulp(answer.point.z)});
    state.point = std::max(state.point, beyond_rounding / extent);
    // Below 2^-63 the square is a denormal float and loses digits.
    if (truth.distance_sq < FLT_MIN) {
        REQUIRE(answer.distance_sq <= 2 * FLT_MIN);
        return;
    }
    const double distance = std::sqrt(static_cast<double>(answer.distance_sq));
    const double expected = std::sqrt(static_cast<double>(truth.distance_sq));
    state.distance = std::max(state.distance, (std::fabs(distance - expected) - expected * 0x1p-24) / extent);
}

double extent_of(const Triangle& t, Vec3 p) {
    const auto to = [&](Vec3 from, Vec3 point) { return length(quad(from) - quad(point)); };
    return std::max({to(t.a, p), to(t.b, p), to(t.c, p)}) + to(t.a, t.b) + to(t.b, t.c);
}

float random_scale(Random& random) { return std::ldexp(1.0f, static_cast<int>(random.below(9)) * 10 - 40); }

// Fat ones, needles, caps (all corners almost on a line), duplicates of corners, and points.
Triangle random_triangle(Random& random, float scale) {
    Triangle t = {random_vector(random, scale), random_vector(random, scale), random_vector(random, scale)};
    const float sliver = scale * std::ldexp(1.0f, -static_cast<int>(random.below(24)));
    switch (random.below(6)) {
        case 0:
            t.c = t.b + random_vector(random, sliver);
            break;
        case 1:
            t.c = t.a * 0.3f + t.b * 0.7f + random_vector(random, sliver);
            break;
        case 2:
            t.c = t.a * 1.5f + t.b * -0.5f;
            break;
        case 3:
            if (random.chance(3)) t.b = t.a;
            if (random.chance(2)) t.c = t.a;
            break;
        default:
            break;
    }
    return t;
}

}  // namespace

TEST_CASE("the closest point of a triangle is that of 113-bit arithmetic, slivers and every scale included" *
          kLong) {
    Random random(11);
    Errors of_fat;
    Errors of_slivers;
    for (int round = 0; round < 200000; ++round) {
        const float scale = random_scale(random);
        Triangle triangle = random_triangle(random, scale);
        // Up to 64 sizes away, and often on the surface or within the prism above it.
        Vec3 point = random_vector(random, scale * std::ldexp(1.0f, static_cast<int>(random.below(8)) - 1));
        if (random.chance(3)) {
            const float u = random.unit(), v = random.unit() * (1 - u);
            point = triangle.a * (1 - u - v) + triangle.b * u + triangle.c * v +
                    random_vector(random, random.chance(2) ? scale * 1e-6f : 0.0f);
        }
        if (random.chance(4)) {
            const Vec3 away = random_vector(random, scale * 1e5f);
            triangle = {triangle.a + away, triangle.b + away, triangle.c + away};
            point = point + away;
        }
        const double extent = extent_of(triangle, point);
        if (extent == 0) continue;
        const ClosestPoint answer = closest_point(triangle, point);
        const QuadVector ab = quad(triangle.b) - quad(triangle.a);
        const QuadVector ac = quad(triangle.c) - quad(triangle.a);
        const double longest = std::max({length(ab), length(ac), length(ab - ac)});
        const bool is_fat = length(cross(ab, ac)) >= 0x1p-6 * longest * longest;
        compare(answer, quad_closest(triangle, point), extent, is_fat ? of_fat : of_slivers);
    }
    // The promise of the header, in units of the size of the shape and its distance.
    INFO("fat: 2^" << std::log2(of_fat.point) << ", 2^" << std::log2(of_fat.distance) << "; slivers: 2^"
                   << std::log2(of_slivers.point) << ", 2^" << std::log2(of_slivers.distance));
    CHECK(of_fat.point <= 0x1p-46);
    CHECK(of_fat.distance <= 0x1p-46);
    CHECK(of_slivers.point <= 0x1p-32);
    CHECK(of_slivers.distance <= 0x1p-32);
}

TEST_CASE("the closest point of a box is exact, and its distance that of 113-bit arithmetic") {
    Random random(12);
    double worst = 0;
    for (int round = 0; round < 100000; ++round) {
        const float scale = random_scale(random);
        const Vec3 away = random.chance(3) ? random_vector(random, scale * 1e5f) : Vec3{};
        const Vec3 corner = random_vector(random, scale) + away;
        const Aabb box = {corner, corner + Vec3{random.unit(), random.unit(), random.unit()} * scale};
        const Vec3 point = random_vector(random, 3 * scale) + away;
        const QuadClosest truth = quad_closest(box, point);
        const ClosestPoint answer = closest_point(box, point);
        const QuadVector miss = quad(answer.point) - truth.point;
        REQUIRE(dot(miss, miss) == 0);
        const double expected = static_cast<double>(truth.distance_sq);
        if (expected == 0) {
            REQUIRE(answer.distance_sq == 0.0f);
        } else {
            worst = std::max(worst, std::fabs(static_cast<double>(answer.distance_sq) / expected - 1));
        }
    }
    CHECK(worst <= 0x1.00001p-24);
}

TEST_CASE("the closest point of an oriented box is that of 113-bit arithmetic, to the rounding of its axes" *
          kLong) {
    Random random(13);
    Errors errors;
    for (int round = 0; round < 100000; ++round) {
        const float scale = random_scale(random);
        const Vec3 away = random.chance(3) ? random_vector(random, scale * 1e5f) : Vec3{};
        const Vec3 h = Vec3{random.unit(), random.chance(8) ? 0.0f : random.unit(), random.unit()} * scale;
        const Obb obb = turned_box(random, random_vector(random, scale) + away, h);
        const Vec3 point = random_vector(random, 3 * scale) + away;
        const double extent = length(quad(obb.center) - quad(point)) + length(quad(h));
        compare(closest_point(obb, point), quad_closest(obb, point), extent, errors);
    }
    INFO("point 2^" << std::log2(errors.point) << ", distance 2^" << std::log2(errors.distance));
    CHECK(errors.point <= 0x1p-24);
    CHECK(errors.distance <= 0x1p-24);
}
