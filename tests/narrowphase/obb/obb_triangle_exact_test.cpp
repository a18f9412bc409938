// Oriented box against triangle, static, against exact arithmetic.
#include "tests/narrowphase/obb/obb_triangle_oracle.hpp"
#include "tests/support/suites.hpp"

#include <doctest/doctest.h>

#include <gmpxx.h>

#include <cstdio>

using namespace broadside;
using namespace broadside::test;

namespace {

mpz_class scaled(float number, int exponent) { return mpz_class(std::ldexp(double{number}, exponent)); }

// The test in integers: coordinates times 2^coordinate_bits, axes times 2^axis_bits, both exact.
InBox<mpz_class> exact_in_box(const Obb& obb, const Triangle& triangle) {
    const auto lowest_bit = [](std::initializer_list<Vec3> all) {
        int lowest = 0;
        for (const Vec3& v : all) {
            for (const float number : {v.x, v.y, v.z}) {
                int exponent = 0;
                std::frexp(number, &exponent);
                if (number != 0.0f) lowest = std::min(lowest, exponent - 24);
            }
        }
        return lowest;
    };
    const int axis_bits = -lowest_bit({obb.axis_x, obb.axis_y, obb.axis_z});
    const int bits = -lowest_bit({obb.center, obb.half_extent, triangle.a, triangle.b, triangle.c});
    const auto whole = [](const Vec3& v, int exponent) -> V3<mpz_class> {
        return {scaled(v.x, exponent), scaled(v.y, exponent), scaled(v.z, exponent)};
    };
    const V3<mpz_class> axes[3] = {whole(obb.axis_x, axis_bits), whole(obb.axis_y, axis_bits),
                                   whole(obb.axis_z, axis_bits)};
    const V3<mpz_class> center = whole(obb.center, bits);
    InBox<mpz_class> q;
    q.h = whole(obb.half_extent, bits) * mpz_class(mpz_class(1) << static_cast<unsigned>(axis_bits));
    const Vec3 corners[3] = {triangle.a, triangle.b, triangle.c};
    for (std::size_t i = 0; i < 3; ++i) {
        const V3<mpz_class> d = whole(corners[i], bits) - center;
        q.v[i] = {dot_of(axes[0], d), dot_of(axes[1], d), dot_of(axes[2], d)};
    }
    q.w = {0, 0, 0};
    return q;
}

enum class Shape { regular, needle, cap, collinear, segment, point, edge_along_box, in_face_plane, flat_box };
constexpr Shape kShapes[] = {Shape::regular,        Shape::needle,        Shape::cap,
                             Shape::collinear,      Shape::segment,       Shape::point,
                             Shape::edge_along_box, Shape::in_face_plane, Shape::flat_box};

struct TriangleCase {
    Obb obb;
    Triangle triangle;
};

// Replaces one random corner: `mix` of the two others, and a random offset.
void replace_corner(Random& random, Triangle& triangle, float mix, float offset) {
    Vec3* const corners[3] = {&triangle.a, &triangle.b, &triangle.c};
    const std::uint32_t k = random.below(3);
    const Vec3 from = *corners[(k + 1) % 3];
    const Vec3 to = *corners[(k + 2) % 3];
    *corners[k] = from + (to - from) * mix + random_vec3(random, 1.0f) * offset;
}

TriangleCase make_triangle_case(Random& random, Shape shape, bool has_grid_axes) {
    TriangleCase c = {random_obb(random, 1.0f, 1.0f), random_triangle(random, 1.0f, 1.0f)};
    Obb& obb = c.obb;
    Triangle& t = c.triangle;
    if (has_grid_axes) set_grid_axes(random, obb);
    const float width = std::exp2(-random.uniform(0, 23));
    if (shape == Shape::needle) replace_corner(random, t, 0.0f, width);
    if (shape == Shape::cap) replace_corner(random, t, random.unit(), width);
    if (shape == Shape::collinear) replace_corner(random, t, random.uniform(-1, 2), 0.0f);
    if (shape == Shape::segment) replace_corner(random, t, 0.0f, 0.0f);
    if (shape == Shape::point) t.b = t.c = t.a;
    if (shape == Shape::edge_along_box) {
        t.b = t.a + obb.axis_y * random.uniform(0.1f, 2.0f);
        if (random.chance(2)) t.b = t.b + random_vec3(random, 1.0f) * width;
    }
    if (shape == Shape::in_face_plane) {
        t.b = t.a + obb.axis_x * random.uniform(-1, 1) + obb.axis_y * random.uniform(-1, 1);
        t.c = t.a + obb.axis_x * random.uniform(-1, 1) + obb.axis_y * random.uniform(-1, 1);
    }
    if (shape == Shape::flat_box) {
        if (random.chance(2)) obb.half_extent.x = 0.0f;
        if (random.chance(2)) obb.half_extent.y = 0.0f;
        if (random.chance(2)) obb.half_extent.z = 0.0f;
    }
    return c;
}

// Moves the triangle along the axis of the largest gap until that is `gap`, as nearly as floats allow.
void set_gap(TriangleCase& c, long double gap) {
    V3<long double> axis = {};
    const long double now = signed_gap(in_box<long double>(c.obb, c.triangle, {}), &axis);
    const V3<long double> by = as<long double>(c.obb.axis_x) * (axis.x * (gap - now)) +
                               as<long double>(c.obb.axis_y) * (axis.y * (gap - now)) +
                               as<long double>(c.obb.axis_z) * (axis.z * (gap - now));
    c.triangle =
        moved(c.triangle, {static_cast<float>(by.x), static_cast<float>(by.y), static_cast<float>(by.z)});
}

struct Errors {
    int case_count = 0;
    int hit_count = 0;
    int lost_count = 0;
    int invented_count = 0;
    long double worst_lost = 0;
    long double worst_invented = 0;

    // `is_thin` if the direction of the triangle's normal is beyond long double.
    void add(const TriangleCase& c, bool is_thin) {
        const InBox<long double> in_long_double = in_box<long double>(c.obb, c.triangle, {});
        const long double gap = signed_gap(in_long_double);
        // Long double has 11 digits more than the floats: only undecided cases need the integers.
        const bool is_hit = is_thin || std::abs(gap) <= 1e-9L * operand_scale(in_long_double)
                                ? overlap_textbook(exact_in_box(c.obb, c.triangle))
                                : gap < 0;
        // Another power of two each time, from 1e-12 to 1e12, which changes no bit of the input.
        const float s = std::ldexp(1.0f, case_count * 7 % 81 - 40);
        Obb obb = c.obb;
        obb.center = c.obb.center * s;
        obb.half_extent = c.obb.half_extent * s;
        const bool answer = overlap(obb, {c.triangle.a * s, c.triangle.b * s, c.triangle.c * s});
        ++case_count;
        hit_count += is_hit ? 1 : 0;
        if (is_hit == answer) return;
        const long double error = std::abs(gap) / operand_scale(in_long_double);
        (is_hit ? lost_count : invented_count) += 1;
        long double& worst = is_hit ? worst_lost : worst_invented;
        if (error > worst) worst = error;
    }
};

}  // namespace

TEST_CASE(
    "the static test agrees with exact arithmetic on 1,000,000 near-touching cases of every shape and scale, "
    "except for gaps and depths below 3e-7 of the operands" *
    kLong) {
    Random random(11);
    for (const Shape shape : kShapes) {
        for (const bool has_grid_axes : {false, true}) {
            Errors errors;
            const bool is_thin = shape == Shape::needle || shape == Shape::cap || shape == Shape::collinear ||
                                 shape == Shape::segment || shape == Shape::point;
            for (int i = 0; i < 55600; ++i) {
                TriangleCase c = make_triangle_case(random, shape, has_grid_axes);
                for (int k = 0; k < 3; ++k) set_gap(c, 0);
                // Half of them touch to the last bits, half are up to 1 away.
                if (i % 2 == 0) {
                    c.triangle =
                        moved(c.triangle, random_direction(random) * std::exp2(-random.uniform(0, 24)));
                }
                errors.add(c, is_thin);
            }
            INFO("shape " << static_cast<int>(shape) << ", axes of the world " << has_grid_axes);
            CHECK(errors.hit_count > errors.case_count / 10);
            CHECK(errors.hit_count < errors.case_count * 9 / 10);
            CHECK(static_cast<double>(errors.worst_lost) <= 3e-7);
            CHECK(static_cast<double>(errors.worst_invented) <= 3e-7);
        }
    }
}

TEST_CASE(
    "a needle or a cap over a corner of the box never loses an overlap, and invents one only as documented" *
    kLong) {
    Random random(12);
    for (const Shape shape : {Shape::needle, Shape::cap}) {
        for (int width_bits = 2; width_bits <= 20; width_bits += 2) {
            long double worst_lost = 0;
            long double worst_invented = 0;
            const float width = std::exp2(-static_cast<float>(width_bits));
            for (int i = 0; i < 5000; ++i) {
                TriangleCase c = {random_obb(random, 1.0f, 1.0f), random_triangle(random, 1.0f, 1.0f)};
                replace_corner(random, c.triangle, shape == Shape::cap ? random.unit() : 0.0f, width);
                const float along_ab = random.unit();
                const float along_ac = random.unit() * (1.0f - along_ab);
                const Vec3 inside = c.triangle.a + (c.triangle.b - c.triangle.a) * along_ab +
                                    (c.triangle.c - c.triangle.a) * along_ac;
                const auto side = [&](float half_extent) {
                    return random.chance(2) ? half_extent : -half_extent;
                };
                const Vec3 corner = c.obb.center + c.obb.axis_x * side(c.obb.half_extent.x) +
                                    c.obb.axis_y * side(c.obb.half_extent.y) +
                                    c.obb.axis_z * side(c.obb.half_extent.z);
                c.triangle = moved(c.triangle, corner - inside);
                const long double gap = std::exp2(-random.uniform(8, 24));
                set_gap(c, random.chance(2) ? gap : -gap);
                const InBox<long double> q = in_box<long double>(c.obb, c.triangle, {});
                const long double actual = signed_gap(q);
                const long double error = std::abs(actual) / operand_scale(q);
                if (error < 1e-12L || overlap(c.obb, c.triangle) == (actual <= 0)) continue;
                long double& worst = actual <= 0 ? worst_lost : worst_invented;
                if (error > worst) worst = error;
            }
            INFO("shape " << static_cast<int>(shape) << ", width 2^-" << width_bits);
            CHECK(static_cast<double>(worst_lost) <= 3e-7);
            // The corners of a cap lie within some widths of a line whose length is of the order of 1.
            const double cap_bound = std::min(4.0 * double{width}, 0x1p-23 * 8.0 / double{width}) + 3e-7;
            CHECK(static_cast<double>(worst_invented) <= (shape == Shape::cap ? cap_bound : 3e-7));
        }
    }
}

TEST_CASE("three corners on a line through a box are never apart from it") {
    // The cross product of two parallel edges is noise in a random direction: on its own it separates
    // wrongly.
    Random random(13);
    int noisy_count = 0;
    int lost_count = 0;
    for (int i = 0; i < 20000; ++i) {
        const Obb obb = random_obb(random, 0.0f, 0.5f);
        const Vec3 direction = random_direction(random) * 3.0f;
        const Vec3 through = obb.axis_x * (obb.half_extent.x * random.uniform(-0.9f, 0.9f));
        const Triangle t = {through - direction, through + direction,
                            through + direction * random.uniform(-3, 3)};
        const Vec3 noise = cross(t.b - t.a, t.c - t.a);
        noisy_count += length_sq(noise) > 0.0f ? 1 : 0;
        // Deep enough that the rounding of the corners has no effect.
        if (signed_gap(in_box<long double>(obb, t, {})) < -1e-5L && !overlap(obb, t)) ++lost_count;
    }
    CHECK(noisy_count > 5000);
    CHECK(lost_count == 0);
}
