// Oriented box against oriented box: 15 axes against long double, and the cases that the naive test misses.
#include "tests/narrowphase/obb/obb_triangle_oracle.hpp"
#include "tests/support/suites.hpp"

#include <doctest/doctest.h>

#include <broadside/obb_obb.hpp>

#include <algorithm>

using namespace broadside;
using namespace broadside::test;

namespace {

using L3 = V3<long double>;

struct Axes {
    L3 axis[3];
    L3 center;
    long double h[3];
};
Axes axes_of(const Obb& obb) {
    return {{as<long double>(obb.axis_x), as<long double>(obb.axis_y), as<long double>(obb.axis_z)},
            as<long double>(obb.center),
            {obb.half_extent.x, obb.half_extent.y, obb.half_extent.z}};
}

long double radius_along(const Axes& box, const L3& axis) {
    long double radius = 0;
    for (int i = 0; i < 3; ++i) radius += box.h[i] * std::abs(dot_of(axis, box.axis[i]));
    return radius;
}

// Gaps along the 15 axes, per unit of length: 3 of a, 3 of b, 9 cross products. Vanishing axes give an
// infinite depth.
std::array<long double, 15> gaps_of(const Obb& a, const Obb& b) {
    const Axes box_a = axes_of(a);
    const Axes box_b = axes_of(b);
    std::array<L3, 15> axes;
    for (std::size_t i = 0; i < 3; ++i) {
        axes[i] = box_a.axis[i];
        axes[3 + i] = box_b.axis[i];
        for (std::size_t j = 0; j < 3; ++j) axes[6 + 3 * i + j] = cross_of(box_a.axis[i], box_b.axis[j]);
    }
    std::array<long double, 15> gaps;
    for (std::size_t k = 0; k < 15; ++k) {
        const long double length = std::sqrt(dot_of(axes[k], axes[k]));
        const long double distance = std::abs(dot_of(axes[k], box_b.center - box_a.center));
        gaps[k] = length < 1e-9L
                      ? -HUGE_VALL
                      : (distance - radius_along(box_a, axes[k]) - radius_along(box_b, axes[k])) / length;
    }
    return gaps;
}
long double largest(const std::array<long double, 15>& gaps) {
    return *std::max_element(gaps.begin(), gaps.end());
}

// Book, chapter 10.3: each of the 12 edges against each of the 6 faces, both ways.
int naive_test_count = 0;
bool edges_meet_faces(const Obb& edge_box, const Obb& face_box) {
    const Axes e = axes_of(edge_box);
    const Axes f = axes_of(face_box);
    bool is_hit = false;
    for (int along = 0; along < 3; ++along) {
        for (int corner = 0; corner < 4; ++corner) {
            const int u = (along + 1) % 3;
            const int v = (along + 2) % 3;
            const L3 middle = e.center + e.axis[u] * (corner % 2 == 0 ? e.h[u] : -e.h[u]) +
                              e.axis[v] * (corner / 2 == 0 ? e.h[v] : -e.h[v]);
            const L3 from = middle - e.axis[along] * e.h[along] - f.center;
            const L3 step = e.axis[along] * (2 * e.h[along]);
            for (int face = 0; face < 6; ++face) {
                ++naive_test_count;
                const int n = face / 2;
                const long double side = face % 2 == 0 ? f.h[n] : -f.h[n];
                const long double t = (side - dot_of(from, f.axis[n])) / dot_of(step, f.axis[n]);
                if (!(t >= 0 && t <= 1)) continue;
                const L3 at = from + step * t;
                const int p = (n + 1) % 3;
                const int q = (n + 2) % 3;
                is_hit = is_hit || (std::abs(dot_of(at, f.axis[p])) <= f.h[p] &&
                                    std::abs(dot_of(at, f.axis[q])) <= f.h[q]);
            }
        }
    }
    return is_hit;
}

Obb turned_a_little(Random& random, const Obb& obb, float angle) {
    Obb turned = obb;
    const Vec3 about = random_direction(random) * angle;
    turned.axis_x = obb.axis_x + cross(about, obb.axis_x);
    turned.axis_y = obb.axis_y + cross(about, obb.axis_y);
    turned.axis_z = obb.axis_z + cross(about, obb.axis_z);
    return turned;
}

// Moves b so that the largest gap is `gap`, as nearly as floats allow.
void set_largest_gap(const Obb& a, Obb& b, long double gap) {
    const Axes box_a = axes_of(a);
    const Axes box_b = axes_of(b);
    const std::array<long double, 15> gaps = gaps_of(a, b);
    const auto best = static_cast<std::size_t>(std::max_element(gaps.begin(), gaps.end()) - gaps.begin());
    const L3 axis = best < 3   ? box_a.axis[best]
                    : best < 6 ? box_b.axis[best - 3]
                               : cross_of(box_a.axis[(best - 6) / 3], box_b.axis[(best - 6) % 3]);
    const long double length = std::sqrt(dot_of(axis, axis));
    const long double side = dot_of(axis, box_b.center - box_a.center) < 0 ? -1.0L : 1.0L;
    const L3 by = axis * (side * (gap - gaps[best]) / length);
    b.center = b.center + Vec3{static_cast<float>(by.x), static_cast<float>(by.y), static_cast<float>(by.z)};
}

}  // namespace

TEST_CASE("B33, G12: 144 tests of edges against faces miss a box inside a box") {
    const Obb outer = world_box({0, 0, 0}, {2, 2, 2});
    Random random(61);
    Obb inner = random_obb(random, 0.1f, 0.5f);
    naive_test_count = 0;
    CHECK_FALSE(edges_meet_faces(outer, inner));
    CHECK_FALSE(edges_meet_faces(inner, outer));
    CHECK(naive_test_count == 144);
    CHECK(overlap(outer, inner));
    CHECK(overlap(inner, outer));
    // If it finds an overlap it is right.
    int naive_hit_count = 0;
    int hit_count = 0;
    for (int i = 0; i < 3000; ++i) {
        const Obb a = random_obb(random, 1.0f, 1.0f);
        const Obb b = random_obb(random, 1.0f, 1.0f);
        const bool is_naive_hit = edges_meet_faces(a, b) || edges_meet_faces(b, a);
        naive_hit_count += is_naive_hit ? 1 : 0;
        hit_count += overlap(a, b) ? 1 : 0;
        if (is_naive_hit) CHECK(overlap(a, b));
    }
    CHECK(naive_hit_count > 1000);
    CHECK(naive_hit_count < hit_count);
}

TEST_CASE("B34: each of the 15 axes is the only one to separate some pair of boxes, and does") {
    Random random(62);
    int found_count[15] = {};
    int found_axes = 0;
    for (int i = 0; i < 2000000 && found_axes < 15; ++i) {
        const Obb a = random_obb(random, 0.5f, 1.0f);
        const Obb b = random_obb(random, 2.0f, 1.0f);
        if (overlap(a, b)) continue;
        const std::array<long double, 15> gaps = gaps_of(a, b);
        std::size_t separating = 15;
        int separating_count = 0;
        for (std::size_t k = 0; k < 15; ++k) {
            if (gaps[k] > -1e-4L) {
                ++separating_count;
                separating = k;
            }
        }
        if (separating_count != 1 || gaps[separating] < 1e-5L) continue;
        found_axes += ++found_count[separating] == 3 ? 1 : 0;
        CHECK_FALSE(overlap(b, a));
        Obb closer = b;
        set_largest_gap(a, closer, -5e-5L);
        CHECK(overlap(a, closer));
    }
    CHECK(found_axes == 15);
}

TEST_CASE("boxes that touch overlap: face, edge and corner; a gap of one ulp is a gap") {
    const Obb unit = world_box({0, 0, 0}, {1, 1, 1});
    const float past = std::nextafterf(2.0f, 3.0f);
    for (int places = 1; places < 8; ++places) {
        const auto at = [&](int axis, float touch) { return (places >> axis & 1) != 0 ? touch : 0.25f; };
        CHECK(overlap(unit, world_box({at(0, 2), at(1, 2), at(2, 2)}, {1, 1, 1})));
        CHECK_FALSE(overlap(unit, world_box({at(0, past), at(1, past), at(2, past)}, {1, 1, 1})));
    }
    CHECK(overlap(unit, unit));
    const Obb point = world_box({1, 1, 1}, {0, 0, 0});
    CHECK(overlap(unit, point));
    CHECK(overlap(point, point));
}

TEST_CASE(
    "F3: near-touching boxes, parallel and nearly parallel ones too, are decided to 4e-7 of their size" *
    kLong) {
    Random random(63);
    for (const float angle : {-1.0f, 0.0f, 1e-7f, 1e-6f, 1e-5f, 1e-4f, 1e-3f, 1e-2f}) {
        long double worst = 0;
        int hit_count = 0;
        constexpr int kCount = 8000;
        for (int i = 0; i < kCount; ++i) {
            const Obb a = random_obb(random, 1.0f, 1.0f);
            Obb b = random_obb(random, 1.0f, 1.0f);
            if (angle >= 0) {
                const Obb turned = turned_a_little(random, a, angle);
                b.axis_x = turned.axis_x;
                b.axis_y = turned.axis_y;
                b.axis_z = turned.axis_z;
            }
            for (int k = 0; k < 3; ++k) set_largest_gap(a, b, 0);
            if (i % 2 == 0) {
                b.center = b.center + random_direction(random) * std::exp2(-random.uniform(0, 24));
            }
            const long double gap = largest(gaps_of(a, b));
            hit_count += gap <= 0 ? 1 : 0;
            if (overlap(a, b) == (gap <= 0)) continue;
            const Vec3 between = b.center - a.center;
            const float scale =
                std::max({std::sqrt(length_sq(a.half_extent)), std::sqrt(length_sq(b.half_extent)),
                          std::sqrt(length_sq(between))});
            worst = std::max(worst, std::abs(gap) / static_cast<long double>(scale));
        }
        INFO("angle " << angle);
        CHECK(hit_count > kCount / 10);
        CHECK(hit_count < kCount * 9 / 10);
        // Axes turned by small steps are only orthonormal to the square of the angle.
        CHECK(static_cast<double>(worst) <=
              4e-7 + static_cast<double>(std::max(angle, 0.0f)) * static_cast<double>(std::max(angle, 0.0f)));
    }
}

TEST_CASE("two boxes give the same in either order, up to rounding, and at every scale") {
    Random random(64);
    for (int i = 0; i < 5000; ++i) {
        const Obb a = random_obb(random, 1.0f, 1.0f);
        const Obb b = random_obb(random, 1.0f, 1.0f);
        const bool expected = overlap(a, b);
        if (std::abs(largest(gaps_of(a, b))) > 1e-6L) CHECK(overlap(b, a) == expected);
        for (const int exponent : {-80, -40, 40, 80}) {
            const float s = std::ldexp(1.0f, exponent);
            Obb a_scaled = a;
            a_scaled.center = a.center * s;
            a_scaled.half_extent = a.half_extent * s;
            Obb b_scaled = b;
            b_scaled.center = b.center * s;
            b_scaled.half_extent = b.half_extent * s;
            REQUIRE(overlap(a_scaled, b_scaled) == expected);
        }
    }
}

TEST_CASE("invalid oriented boxes overlap nothing") {
    const Obb unit = world_box({0, 0, 0}, {1, 1, 1});
    for (const float value : {kNaN, kInfinity, -kInfinity}) {
        for (int place = 0; place < 3; ++place) {
            Obb bad = unit;
            (place == 0 ? bad.center.y : place == 1 ? bad.axis_y.z : bad.half_extent.x) = value;
            CHECK_FALSE(overlap(unit, bad));
            CHECK_FALSE(overlap(bad, unit));
            CHECK_FALSE(overlap(bad, bad));
        }
    }
    CHECK_FALSE(overlap(unit, world_box({0, 0, 0}, {1, -1, 1})));
    CHECK_FALSE(overlap(world_box({-FLT_MAX, 0, 0}, {1, 1, 1}), world_box({FLT_MAX, 0, 0}, {1, 1, 1})));
}
