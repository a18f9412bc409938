// Triangle against triangle, compared with rational numbers.
#include "tests/narrowphase/mesh_pairs/pair_oracle.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace broadside;
using namespace broadside::test;

namespace {

bool is_finite_triangle(const Triangle& t) { return is_finite(t.a) && is_finite(t.b) && is_finite(t.c); }

constexpr Triangle kFlat = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};

}  // namespace

TEST_CASE("B32: leaves of two trees are decided as rational numbers decide them" * kLong) {
    Random random(1661);
    std::array<std::size_t, 4> counts = {};
    for (int i = 0; i < 6000 * test_scale(); ++i) {
        auto [a, b] = adversarial_triangles(random);
        const float scale = random.chance(4) ? (random.chance(2) ? 0x1p-120f : 0x1p120f) : 1.0f;
        const Vec3 far = random.chance(4) ? random_vector(random, 1e6f) : Vec3{};
        a = shifted(scaled(a, scale), far);
        b = shifted(scaled(b, scale), far);
        // A corner of another size needs sums that 64-bit integers do not hold.
        if (random.chance(8)) a.a = a.a * 0x1p-60f;
        const TrianglePairKind expected = exact_pair(a, b);
        ++counts[static_cast<std::size_t>(expected)];
        INFO(a.a.x << " " << a.a.y << " " << a.a.z << "; " << b.a.x << " " << b.a.y << " " << b.a.z);
        REQUIRE(triangle_pair(a, b) == expected);
        REQUIRE(triangle_pair(b, a) == expected);
        REQUIRE(triangle_pair({a.b, a.c, a.a}, {b.c, b.b, b.a}) == expected);
    }
    for (const std::size_t count : counts) CHECK(count > 150);
}

TEST_CASE("intersecting, touching and coplanar triangles are told apart") {
    const auto kind = [](const Triangle& b) { return triangle_pair(kFlat, b); };
    CHECK(kind({{1, 1, -1}, {1, 1, 1}, {2, 1, 1}}) == TrianglePairKind::intersecting);
    // A corner on the face, an edge on the face, an edge through an edge.
    CHECK(kind({{1, 1, 0}, {1, 1, 1}, {2, 1, 1}}) == TrianglePairKind::touching);
    CHECK(kind({{1, 1, 0}, {2, 1, 0}, {2, 1, 1}}) == TrianglePairKind::touching);
    CHECK(kind({{1, 0, -1}, {1, 0, 1}, {1, -5, 0}}) == TrianglePairKind::touching);
    CHECK(kind({{1, 1, next_up(0.0f)}, {2, 1, 1}, {2, 1, 2}}) == TrianglePairKind::disjoint);
    // In one plane: over it, beside it along an edge, at a corner, apart.
    CHECK(kind({{1, 1, 0}, {9, 1, 0}, {9, 9, 0}}) == TrianglePairKind::coplanar);
    CHECK(kind({{4, 0, 0}, {0, 4, 0}, {4, 4, 0}}) == TrianglePairKind::touching);
    CHECK(kind({{4, 0, 0}, {8, 0, 0}, {8, 4, 0}}) == TrianglePairKind::touching);
    CHECK(kind({{next_up(4.0f), 0, 0}, {8, 0, 0}, {8, 4, 0}}) == TrianglePairKind::disjoint);
    CHECK(kind(kFlat) == TrianglePairKind::coplanar);
    // Segments and points.
    CHECK(kind({{1, 1, -1}, {1, 1, 1}, {1, 1, 1}}) == TrianglePairKind::touching);
    CHECK(kind({{1, 1, 0}, {1, 1, 0}, {1, 1, 0}}) == TrianglePairKind::touching);
    CHECK(kind({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}) == TrianglePairKind::disjoint);
    CHECK(triangle_pair({{0, 0, 0}, {2, 2, 2}, {1, 1, 1}}, {{3, 1, 2}, {1, 1, 1}, {-1, 1, 0}}) ==
          TrianglePairKind::touching);
}

TEST_CASE("a needle that doubles take for a line is seen along an axis that shows its area") {
    // Across one axis, the only one that shows its area.
    const Triangle across_y = {{0x1p-80f, 0, 0}, {1, 0, 1}, {2, 0, 2}};
    const auto turned = [](Vec3 v) { return Vec3{v.y, v.z, v.x}; };
    Triangle needle = across_y;
    Vec3 tip = {3, 0, 3};
    for (int turn = 0; turn < 3; ++turn) {
        INFO("turn " << turn);
        needle = {turned(needle.a), turned(needle.b), turned(needle.c)};
        tip = turned(tip);
        CHECK(triangle_pair(needle, needle) == TrianglePairKind::coplanar);
        for (const Triangle& other : {needle, shifted(needle, tip), Triangle{needle.a, needle.c, {0, 0, 0}},
                                      Triangle{needle.c, tip, tip}, Triangle{needle.b, tip, {0, 0, 0}}}) {
            CHECK(triangle_pair(needle, other) == exact_pair(needle, other));
            CHECK(triangle_pair(other, needle) == exact_pair(other, needle));
        }
    }
}

TEST_CASE("a triangle that is not finite meets nothing") {
    for (const float value : {kNaN, kInfinity, -kInfinity}) {
        Triangle broken = kFlat;
        broken.b.y = value;
        CHECK(triangle_pair(kFlat, broken) == TrianglePairKind::disjoint);
        CHECK(triangle_pair(broken, kFlat) == TrianglePairKind::disjoint);
        CHECK(!is_finite_triangle(broken));
    }
}
