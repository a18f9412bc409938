// Boxes, spheres and capsules against one triangle, by other formulas.
#include "tests/narrowphase/mesh/shape_oracle.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

#include <broadside/shape_triangle.hpp>
#include <broadside/sphere_overlap.hpp>

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::test;

namespace {

float side(Random& random, float scale) {
    return random.chance(6) ? 0.0f : random.unit() * scale * (random.chance(3) ? 3.0f : 0.3f);
}

// Corners, edges and faces of boxes and triangles that meet exactly in floats, or are one ulp off.
Aabb box_at(Random& random, const Triangle& triangle, float scale) {
    const Vec3 place = random.chance(4) ? random_vector(random, scale) : point_of(random, triangle);
    const Vec3 size = {side(random, scale), side(random, scale), side(random, scale)};
    Aabb box = random.chance(2) ? Aabb{place, place + size} : Aabb{place - size, place};
    if (random.chance(4)) box.min.x = next_up(box.min.x);
    if (random.chance(4)) box.max.y = next_down(box.max.y);
    if (random.chance(16)) box.max.z = kInfinity;
    if (random.chance(16)) box.min.x = -kInfinity;
    return box;
}

Capsule capsule_near(Random& random, const Triangle& triangle, float scale) {
    const Vec3 a = random.chance(5) ? point_of(random, triangle) : random_vector(random, 3 * scale);
    Vec3 b = a;
    switch (random.below(4)) {
        case 0:
            break;
        case 1:
            b = b + (triangle.b - triangle.a);
            break;
        case 2:
            b = random.chance(2) ? point_of(random, triangle) : a + grid_vector(random, 2) * scale;
            break;
        default:
            b = b + random_vector(random, 2 * scale);
            break;
    }
    return {a, b, random.chance(5) ? 0.0f : random.unit() * scale * (random.chance(4) ? 2.0f : 0.3f)};
}

// Thinner than 2^-12 of its length: decisions about it are less certain.
bool is_sliver(const Triangle& triangle) {
    const LongVector ab = longer(triangle.b) - longer(triangle.a),
                     ac = longer(triangle.c) - longer(triangle.a);
    const LongVector bc = ac - ab;
    const long double longest = std::max({dot(ab, ab), dot(ac, ac), dot(bc, bc)});
    return dot(ab, ab) * dot(ac, ac) - dot(ab, ac) * dot(ab, ac) < longest * longest * 0x1p-24L;
}

// Along the plane to within 2^-28: the side of the shape then depends on less than the accuracy of distances.
bool is_graze(Vec3 way, const Triangle& triangle) {
    const LongVector ab = longer(triangle.b) - longer(triangle.a),
                     ac = longer(triangle.c) - longer(triangle.a);
    const LongVector normal = {ab.y * ac.z - ab.z * ac.y, ab.z * ac.x - ab.x * ac.z,
                               ab.x * ac.y - ab.y * ac.x};
    return std::abs(dot(normal, longer(way))) < length(normal) * length(longer(way)) * 0x1p-28L;
}

long double distance_at(const Capsule& capsule, Vec3 displacement, long double t, const Triangle& triangle) {
    const LongVector way = longer(displacement) * t;
    return distance(longer(capsule.a) + way, longer(capsule.b) + way, triangle);
}

}  // namespace

TEST_CASE("a box overlaps a triangle exactly if clipping leaves some of it" * kLong) {
    Random random(1651);
    int met_count = 0;
    const int count = 6000 * test_scale();
    for (int i = 0; i < count; ++i) {
        const float scale = std::ldexp(1.0f, static_cast<int>(random.below(7)) * 40 - 120);
        Triangle triangle = adversarial_triangle(random, scale);
        if (random.chance(12)) triangle.a.x = random.chance(2) ? FLT_MAX : -FLT_TRUE_MIN;
        const Aabb box = box_at(random, triangle, scale);
        const bool expected = exact_overlap(box, triangle);
        INFO("case " << i);
        REQUIRE(overlap(box, triangle) == expected);
        met_count += expected ? 1 : 0;
    }
    CHECK(met_count > count / 5);
    CHECK(met_count < count * 9 / 10);
}

TEST_CASE("a box an ulp beside the corner, the edge and the face of a triangle does not touch it") {
    const Triangle triangle = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    const auto at = [&](Vec3 min) { return overlap(Aabb{min, min + Vec3{1, 1, 1}}, triangle); };
    CHECK(at({2, 2, 0}));
    CHECK_FALSE(at({next_up(2.0f), 2, 0}));
    CHECK(at({1, 1, -1}));
    CHECK_FALSE(at({1, 1, FLT_TRUE_MIN}));
    CHECK(at({4, 0, 0}));
    CHECK_FALSE(at({next_up(4.0f), 0, 0}));
    CHECK_FALSE(overlap(Aabb::empty(), triangle));
    CHECK_FALSE(overlap(Aabb{{0, 0, 0}, {1, 1, 1}}, Triangle{{0, 0, kNaN}, {4, 0, 0}, {0, 4, 0}}));
}

TEST_CASE("a capsule overlaps a triangle if its segment is within the radius; a point is a sphere") {
    Random random(1652);
    int met_count = 0;
    for (int i = 0; i < 1500 * test_scale(); ++i) {
        const float scale = std::ldexp(1.0f, static_cast<int>(random.below(5)) * 20 - 40);
        const Triangle triangle = adversarial_triangle(random, scale);
        const Capsule capsule = capsule_near(random, triangle, scale);
        const bool is_met = overlap(capsule, triangle);
        met_count += is_met ? 1 : 0;
        INFO("case " << i);
        if (capsule.a == capsule.b) REQUIRE(is_met == overlap(Sphere{capsule.a, capsule.radius}, triangle));
        const long double gap = distance(longer(capsule.a), longer(capsule.b), triangle) -
                                static_cast<long double>(capsule.radius);
        const long double doubt =
            static_cast<long double>(scale) * (is_sliver(triangle) ? 0x1p-24L : 0x1p-38L);
        if (gap > doubt) REQUIRE_FALSE(is_met);
        if (gap < -doubt) REQUIRE(is_met);
    }
    CHECK(met_count > 300);
    const Triangle triangle = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    CHECK(overlap(Capsule{{1, 1, 3}, {1, 1, -3}, 0}, triangle));
    CHECK(overlap(Capsule{{1, 1, 3}, {1, 1, 1}, 1}, triangle));
    CHECK_FALSE(overlap(Capsule{{1, 1, 3}, {1, 1, next_up(1.0f)}, 1}, triangle));
    CHECK_FALSE(overlap(Capsule{{1, 1, 3}, {1, 1, -3}, -1}, triangle));
}

TEST_CASE("a moving capsule meets a triangle when its distance falls to the radius, and never later" *
          kLong) {
    Random random(1653);
    int hit_count = 0;
    for (int i = 0; i < 700 * test_scale(); ++i) {
        const float scale = std::ldexp(1.0f, static_cast<int>(random.below(5)) * 20 - 40);
        const Triangle triangle = adversarial_triangle(random, scale);
        Capsule capsule = capsule_near(random, triangle, scale);
        const Vec3 way = random.chance(2) ? (point_of(random, triangle) - capsule.a) * random.uniform(0.5f, 2)
                         : random.chance(2) ? grid_vector(random, 4) * scale
                                            : random_vector(random, 6 * scale);
        if (random.chance(3)) {
            capsule.a = capsule.a - way;
            capsule.b = capsule.b - way;
        }
        const ShapeImpact impact = first_impact(capsule, way, triangle);
        if (capsule.a == capsule.b)
            REQUIRE(first_impact(Sphere{capsule.a, capsule.radius}, way, triangle) == impact);
        const auto radius = static_cast<long double>(capsule.radius);
        const long double reach = length(longer(way)) + 8 * static_cast<long double>(scale);
        const long double doubt = reach * (is_sliver(triangle) ? 0x1p-24L : 0x1p-36L);
        INFO("case " << i << " toi " << impact.toi);
        if (impact.toi > 1) {
            REQUIRE(smallest([&](long double t) { return distance_at(capsule, way, t, triangle); }, 60) >
                    radius - doubt);
            continue;
        }
        ++hit_count;
        const long double at = distance_at(capsule, way, impact.toi, triangle);
        REQUIRE(at <= radius + doubt + length(longer(way)) * 0x1p-22L * static_cast<long double>(impact.toi));
        if (impact.toi > 0) {
            // Nothing was passed on the path there.
            REQUIRE(smallest(
                        [&](long double t) {
                            return distance_at(capsule, way, t * static_cast<long double>(impact.toi),
                                               triangle);
                        },
                        60) > radius - doubt);
            REQUIRE(length(longer(impact.normal)) == doctest::Approx(1.0).epsilon(1e-6));
        }
        REQUIRE(distance(longer(impact.point), triangle) <= reach * 0x1p-22L);
        REQUIRE(overlap(capsule, triangle) <= (impact.toi == 0.0f));
    }
    CHECK(hit_count > 200);
}

TEST_CASE("B3: a sphere of any radius, also zero, passes through no triangle at any speed") {
    Random random(1654);
    int count = 0;
    while (count < 2000 * test_scale()) {
        const float scale = std::ldexp(1.0f, static_cast<int>(random.below(5)) * 20 - 40);
        const Triangle triangle = adversarial_triangle(random, scale);
        const Ray ray = adversarial_ray(random, triangle, scale);
        if (!is_finite(ray.direction * 2.0f)) continue;
        const ExactHit exact = exact_hit({ray.origin, ray.direction, 1.0f}, triangle);
        if (!exact.has_hit || is_sliver(triangle) || is_graze(ray.direction, triangle)) continue;
        ++count;
        const float radius = random.chance(2) ? 0.0f : random.unit() * scale * 1e-3f;
        const double latest = exact.t.get_d() * (1 + 0x1p-45) + 0x1p-45;
        INFO("case " << count << " t " << exact.t.get_d());
        const ShapeImpact of_sphere = first_impact(Sphere{ray.origin, radius}, ray.direction, triangle);
        REQUIRE(static_cast<double>(of_sphere.toi) <= latest);
        const Vec3 other_end = ray.origin - ray.direction * 0.125f;
        const ShapeImpact of_capsule =
            first_impact(Capsule{ray.origin, other_end, radius}, ray.direction, triangle);
        REQUIRE(static_cast<double>(of_capsule.toi) <= latest);
    }
}
