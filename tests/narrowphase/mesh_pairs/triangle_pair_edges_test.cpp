// The rows of docs/edge_semantics.md about two triangles.
#include "tests/support/generators.hpp"

#include <broadside/triangle_pair.hpp>

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr Triangle kFlatTriangle = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};

TrianglePairKind against_flat(const Triangle& other) {
    const TrianglePairKind kind = triangle_pair(kFlatTriangle, other);
    CHECK(triangle_pair(other, kFlatTriangle) == kind);
    return kind;
}

}  // namespace

TEST_CASE("edge triangle_pair/touching: a corner, edge or face that is met but not crossed is a touch") {
    CHECK(against_flat({{1, 1, 0}, {1, 1, 1}, {2, 1, 1}}) == TrianglePairKind::touching);
    CHECK(against_flat({{4, 0, 0}, {4, 0, 1}, {5, 0, 1}}) == TrianglePairKind::touching);
    CHECK(against_flat({{2, 0, -1}, {2, 0, 1}, {2, -3, 0}}) == TrianglePairKind::touching);
    CHECK(against_flat({{1, 1, next_up(0.0f)}, {1, 1, 1}, {2, 1, 1}}) == TrianglePairKind::disjoint);
}

TEST_CASE(
    "edge triangle_pair/inside: a triangle within the face of another is coplanar, one through it "
    "intersects") {
    CHECK(against_flat({{1, 1, 0}, {2, 1, 0}, {1, 2, 0}}) == TrianglePairKind::coplanar);
    CHECK(against_flat({{1, 1, -1}, {2, 1, 1}, {1, 2, 1}}) == TrianglePairKind::intersecting);
}

TEST_CASE("edge triangle_pair/parallel: triangles in parallel planes do not meet, however near") {
    const float above = next_up(0.0f);
    CHECK(against_flat({{0, 0, above}, {4, 0, above}, {0, 4, above}}) == TrianglePairKind::disjoint);
    CHECK(against_flat(kFlatTriangle) == TrianglePairKind::coplanar);
}

TEST_CASE("edge triangle_pair/zero length: an edge without length makes a triangle a segment or a point") {
    CHECK(against_flat({{1, 1, -1}, {1, 1, 1}, {1, 1, 1}}) == TrianglePairKind::touching);
    CHECK(against_flat({{5, 5, -1}, {5, 5, 1}, {5, 5, 1}}) == TrianglePairKind::disjoint);
}

TEST_CASE("edge triangle_pair/zero size: a segment or a point has no inside and at most touches") {
    CHECK(against_flat({{1, 1, 0}, {1, 1, 0}, {1, 1, 0}}) == TrianglePairKind::touching);
    CHECK(against_flat({{1, 1, 0}, {3, 1, 0}, {2, 1, 0}}) == TrianglePairKind::touching);
    const Triangle point = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    CHECK(triangle_pair(point, point) == TrianglePairKind::touching);
    CHECK(triangle_pair(point, {{1, 1, 1}, {2, 2, 2}, {0, 0, 0}}) == TrianglePairKind::touching);
    CHECK(triangle_pair(point, {{1, 1, next_up(1.0f)}, {2, 2, 2}, {2, 2, 2}}) == TrianglePairKind::disjoint);
}

TEST_CASE("edge triangle_pair/NaN: a triangle with a NaN meets nothing") {
    CHECK(against_flat({{kNaN, 1, 0}, {1, 1, 1}, {2, 1, 1}}) == TrianglePairKind::disjoint);
}

TEST_CASE("edge triangle_pair/infinity: as NaN; the largest floats are ordinary") {
    CHECK(against_flat({{1, 1, -1}, {1, 1, kInfinity}, {2, 1, 1}}) == TrianglePairKind::disjoint);
    CHECK(against_flat({{1, 1, -FLT_MAX}, {1, 1, FLT_MAX}, {2, 1, FLT_MAX}}) ==
          TrianglePairKind::intersecting);
}

TEST_CASE("edge triangle_pair/inverted: either winding is the same triangle") {
    const Triangle other = {{1, 1, -1}, {2, 1, 1}, {1, 2, 1}};
    CHECK(against_flat({other.a, other.c, other.b}) == against_flat(other));
    CHECK(triangle_pair({kFlatTriangle.a, kFlatTriangle.c, kFlatTriangle.b}, other) ==
          TrianglePairKind::intersecting);
}

TEST_CASE("edge triangle_pair/denormal: denormal coordinates and -0 are ordinary") {
    const float tiny = 0x1p-149f;
    const Triangle small = {{0, 0, 0}, {4 * tiny, 0, 0}, {0, 4 * tiny, 0}};
    CHECK(triangle_pair(small, {{tiny, tiny, -tiny}, {tiny, tiny, tiny}, {2 * tiny, tiny, tiny}}) ==
          TrianglePairKind::intersecting);
    CHECK(triangle_pair(small, {{tiny, tiny, tiny}, {tiny, tiny, 2 * tiny}, {2 * tiny, tiny, tiny}}) ==
          TrianglePairKind::disjoint);
    CHECK(against_flat({{1, 1, -0.0f}, {1, 1, 1}, {2, 1, 1}}) == TrianglePairKind::touching);
}
