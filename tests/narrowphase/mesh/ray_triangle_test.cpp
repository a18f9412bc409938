// Ray against triangle: every decision and every bit against rational numbers.
#include "narrowphase/src/mesh/ray_triangle_scalar.hpp"
#include "tests/narrowphase/mesh/ray_oracle.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::test;

namespace {

void check_exact(const Ray& ray, const Triangle& triangle, std::size_t& state_hit_count) {
    const Sides sides = (bits_of(ray.origin.x) & 1) != 0 ? Sides::front : Sides::both;
    const RayTriangleHit expected = rounded(exact_hit(ray, triangle, sides));
    const RayTriangleHit answer = ray_triangle(ray, triangle, sides);
    state_hit_count += expected.has_hit ? 1 : 0;
    if (answer == expected && same_bits(answer.t, expected.t) && same_bits(answer.u, expected.u) &&
        same_bits(answer.v, expected.v)) {
        return;
    }
    INFO("origin " << ray.origin.x << " " << ray.origin.y << " " << ray.origin.z << " direction "
                   << ray.direction.x << " " << ray.direction.y << " " << ray.direction.z << " t_max "
                   << ray.t_max);
    INFO("t " << answer.t << " for " << expected.t << ", u " << answer.u << " for " << expected.u << ", v "
              << answer.v << " for " << expected.v);
    REQUIRE(answer.has_hit == expected.has_hit);
    REQUIRE(answer.is_front == expected.is_front);
    REQUIRE(same_bits(answer.t, expected.t));
    REQUIRE(same_bits(answer.u, expected.u));
    REQUIRE(same_bits(answer.v, expected.v));
}

}  // namespace

TEST_CASE("a ray hits a triangle exactly if rational numbers say so, and t, u and v are theirs, rounded" *
          kLong) {
    Random random(1601);
    std::size_t hit_count = 0;
    const int ray_count = 40000 * test_scale();
    for (int i = 0; i < ray_count; ++i) {
        const float reach =
            random.chance(4) ? std::ldexp(1.0f, static_cast<int>(random.below(80)) - 40) : 4.0f;
        const Triangle triangle = adversarial_triangle(random, reach);
        check_exact(adversarial_ray(random, triangle, reach), triangle, hit_count);
    }
    CHECK(hit_count > static_cast<std::size_t>(ray_count) / 8);
}

TEST_CASE("rays and triangles from the whole float range are decided exactly" * kLong) {
    Random random(1602);
    std::size_t hit_count = 0;
    const auto vector = [&] { return Vec3{any_float(random), any_float(random), any_float(random)}; };
    for (int i = 0; i < 10000 * test_scale(); ++i) {
        const int exponent = static_cast<int>(random.below(250)) - 130;
        const auto scaled = [&](Vec3 a) {
            return Vec3{std::ldexp(a.x, exponent), std::ldexp(a.y, exponent), std::ldexp(a.z, exponent)};
        };
        Triangle triangle = {vector(), vector(), vector()};
        Ray ray = {vector(), vector()};
        if (random.chance(2)) triangle = adversarial_triangle(random, 4.0f);
        if (random.chance(2)) {
            ray = adversarial_ray(random, triangle, 4.0f);
            triangle = {scaled(triangle.a), scaled(triangle.b), scaled(triangle.c)};
            ray.origin = scaled(ray.origin);
            if (random.chance(2)) ray.direction = scaled(ray.direction);
        } else {
            const Vec3 target = point_of(random, triangle);
            if (random.chance(2)) ray.origin = target - ray.direction;
        }
        if (!is_finite(triangle.a) || !is_finite(triangle.b) || !is_finite(triangle.c)) continue;
        check_exact(ray, triangle, hit_count);
    }
    CHECK(hit_count > 500);
}

TEST_CASE("edge functions are within their bounds of rational numbers, and so are the times of hits" *
          kLong) {
    Random random(1603);
    std::size_t hit_count = 0;
    // Products of three numbers, each an integer multiple of 2^-149.
    const auto exact = [](const mpz_class& product) {
        mpq_class value(product);
        mpq_div_2exp(value.get_mpq_t(), value.get_mpq_t(), 3 * 149);
        return value;
    };
    const auto is_within = [](double value, const mpq_class& truth, double bound) {
        return abs(mpq_class(value) - truth) <= mpq_class(bound);
    };
    for (int i = 0; i < 20000 * test_scale(); ++i) {
        const float reach = std::ldexp(1.0f, static_cast<int>(random.below(80)) - 40);
        Triangle triangle = adversarial_triangle(random, reach);
        // Long and thin, or far from the origin.
        if (random.chance(3)) triangle.c = triangle.a + random_vector(random, reach) * 0x1p-12f;
        const Ray ray = adversarial_ray(random, triangle, reach);
        if (!is_valid(ray)) continue;
        const narrowphase::TriangleRay seen = narrowphase::triangle_ray(ray, Sides::both);
        const narrowphase::EdgeFunctions edges = narrowphase::edge_functions(seen, triangle);
        const WholeVector corner(triangle.a);
        const WholeVector a = corner - WholeVector(ray.origin);
        const WholeVector e1 = WholeVector(triangle.b) - corner;
        const WholeVector e2 = WholeVector(triangle.c) - corner;
        const WholeVector d = exact_direction(ray);
        const WholeVector normal = cross(e1, e2);
        const mpz_class of_b = dot(d, cross(a, e2));
        const mpz_class of_c = dot(d, cross(e1, a));
        const mpz_class sum = -dot(d, normal);
        REQUIRE(is_within(edges.of_a, exact(sum - of_b - of_c), edges.edge_error));
        REQUIRE(is_within(edges.of_b, exact(of_b), edges.edge_error));
        REQUIRE(is_within(edges.of_c, exact(of_c), edges.edge_error));
        REQUIRE(is_within(edges.sum, exact(sum), edges.sum_error));
        REQUIRE(is_within(edges.numerator, exact(-dot(a, normal)), edges.numerator_error));
        const narrowphase::TriangleVerdict verdict = narrowphase::judge(seen, edges);
        const ExactHit truth = exact_hit(ray, triangle);
        if (verdict.verdict == narrowphase::Verdict::unsure) continue;
        REQUIRE(truth.has_hit == (verdict.verdict == narrowphase::Verdict::hit));
        if (!truth.has_hit) continue;
        ++hit_count;
        REQUIRE(mpq_class(verdict.t.min) <= truth.t);
        REQUIRE(truth.t <= mpq_class(verdict.t.max));
    }
    CHECK(hit_count > 500);
}

TEST_CASE("a ray hits the edges and corners of a triangle, and nothing in its plane") {
    const Triangle triangle = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const auto down_at = [&](float x, float y) { return ray_triangle({{x, y, 1}, {0, 0, -1}}, triangle); };
    CHECK(down_at(0, 0) == RayTriangleHit{1, 0, 0, true, true});
    CHECK(down_at(1, 0) == RayTriangleHit{1, 1, 0, true, true});
    CHECK(down_at(0, 1) == RayTriangleHit{1, 0, 1, true, true});
    CHECK(down_at(0.5f, 0) == RayTriangleHit{1, 0.5f, 0, true, true});
    CHECK(down_at(0.25f, 0.75f) == RayTriangleHit{1, 0.25f, 0.75f, true, true});
    CHECK_FALSE(down_at(0.5f, next_up(0.5f)).has_hit);
    CHECK_FALSE(down_at(-1e-45f, 0.5f).has_hit);
    // Through the plane and within it.
    CHECK_FALSE(ray_triangle({{-1, 0.25f, 0}, {1, 0, 0}}, triangle).has_hit);
    CHECK_FALSE(ray_triangle({{0.25f, 0.25f, 0}, {1, 0, 0}}, triangle).has_hit);
    // From behind, and culled.
    CHECK(ray_triangle({{0.25f, 0.25f, -2}, {0, 0, 1}}, triangle) ==
          RayTriangleHit{2, 0.25f, 0.25f, true, false});
    CHECK_FALSE(ray_triangle({{0.25f, 0.25f, -2}, {0, 0, 1}}, triangle, Sides::front).has_hit);
    CHECK(ray_triangle({{0.25f, 0.25f, 2}, {0, 0, -1}}, triangle, Sides::front).has_hit);
    // The reach is closed, at both ends.
    CHECK(ray_triangle({{0.25f, 0.25f, 2}, {0, 0, -1}, 2.0f}, triangle).has_hit);
    CHECK_FALSE(ray_triangle({{0.25f, 0.25f, 2}, {0, 0, -1}, next_down(2.0f)}, triangle).has_hit);
    CHECK(same_bits(ray_triangle({{0.25f, 0.25f, 0}, {0, 0, 1}}, triangle).t, 0.0f));
    CHECK_FALSE(ray_triangle({{0.25f, 0.25f, 1e-45f}, {0, 0, 1}}, triangle).has_hit);
}

TEST_CASE("an invalid ray or triangle hits nothing") {
    const Triangle triangle = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const Ray ray = {{0.25f, 0.25f, 1}, {0, 0, -1}};
    REQUIRE(ray_triangle(ray, triangle).has_hit);
    for (const float bad : {kNaN, kInfinity, -kInfinity}) {
        CHECK_FALSE(ray_triangle({{0.25f, bad, 1}, {0, 0, -1}}, triangle).has_hit);
        CHECK_FALSE(ray_triangle({{0.25f, 0.25f, 1}, {0, bad, -1}}, triangle).has_hit);
        CHECK_FALSE(ray_triangle(ray, {{0, 0, 0}, {1, bad, 0}, {0, 1, 0}}).has_hit);
    }
    CHECK_FALSE(ray_triangle({ray.origin, ray.direction, kNaN}, triangle).has_hit);
    CHECK_FALSE(ray_triangle({ray.origin, ray.direction, -1.0f}, triangle).has_hit);
    CHECK_FALSE(ray_triangle({ray.origin, {0, 0, 0}}, triangle).has_hit);
    CHECK_FALSE(ray_triangle({{0, 0, 0}, {0, 0, -1}}, {{0, 0, 0}, {1, 0, 0}, {0.5f, 0, 0}}).has_hit);
}
