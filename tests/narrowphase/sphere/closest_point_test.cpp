// Closest points: every ISA against the specification, and the edge cases of docs/edge_semantics.md.
#include "tests/narrowphase/obb/guarded_triangles.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/guarded_columns.hpp"

#include <broadside/closest_point.hpp>

using namespace broadside;
using namespace broadside::test;
using namespace broadside::test::solids;

namespace {

// Guarded outputs of a batch, compared with the single function.
struct Outputs {
    GuardedArray<float> x, y, z, distance_sq;

    explicit Outputs(std::size_t count) : x(count), y(count), z(count), distance_sq(count) {}
    ClosestPointOutputs spans() { return {x.span(), y.span(), z.span(), distance_sq.span()}; }
    bool holds(std::size_t i, const ClosestPoint& expected) {
        return same_bits(x[i], expected.point.x) && same_bits(y[i], expected.point.y) &&
               same_bits(z[i], expected.point.z) && same_bits(distance_sq[i], expected.distance_sq);
    }
};

bool is_nothing(const ClosestPoint& closest) {
    return closest.distance_sq == kInfinity && closest.point == Vec3{};
}

constexpr Aabb kBox = {{-1, -2, -3}, {1, 2, 3}};
constexpr Triangle kTriangle = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
const Obb kObb = {{1, 1, 0}, {0, 1, 0}, {-1, 0, 0}, {0, 0, 1}, {2, 1, 0.5f}};

}  // namespace

TEST_CASE(
    "closest points of one shape have the bits of the single function on every ISA, count and alignment") {
    for_each_isa([](Isa) {
        Random random(1);
        for (const std::size_t count : awkward_counts()) {
            const std::vector<Vec3> list = list_of<Vec3>(random, count, adversarial_vector);
            const GuardedPoints points(list);
            const Aabb box = adversarial_box(random);
            const Obb obb = adversarial_obb(random);
            const Triangle triangle = adversarial_triangle(random);
            for (const std::size_t skipped : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
                if (skipped > count) continue;
                const Vec3SoaView view = points.view(skipped);
                Outputs out(view.count);
                REQUIRE(closest_points(box, view, out.spans()).status == Status::ok);
                for (std::size_t i = 0; i < view.count; ++i)
                    REQUIRE(out.holds(i, closest_point(box, view[i])));
                REQUIRE(closest_points(obb, view, out.spans()).status == Status::ok);
                for (std::size_t i = 0; i < view.count; ++i)
                    REQUIRE(out.holds(i, closest_point(obb, view[i])));
                REQUIRE(closest_points(triangle, view, out.spans()).status == Status::ok);
                for (std::size_t i = 0; i < view.count; ++i)
                    REQUIRE(out.holds(i, closest_point(triangle, view[i])));
            }
        }
    });
}

TEST_CASE("closest points on many shapes have the bits of the single function on every ISA and count") {
    for_each_isa([](Isa) {
        Random random(2);
        for (const std::size_t count : awkward_counts()) {
            const std::vector<Aabb> boxes = list_of<Aabb>(random, count, adversarial_box);
            const std::vector<Triangle> triangles = list_of<Triangle>(random, count, adversarial_triangle);
            const GuardedArray<Obb> obbs(list_of<Obb>(random, count, adversarial_obb));
            const GuardedBoxes box_arrays(boxes);
            const GuardedTriangles triangle_arrays(triangles);
            const Vec3 point = adversarial_vector(random);
            Outputs out(count);
            REQUIRE(closest_points(box_arrays.view(), point, out.spans()).status == Status::ok);
            for (std::size_t i = 0; i < count; ++i) REQUIRE(out.holds(i, closest_point(boxes[i], point)));
            REQUIRE(closest_points(triangle_arrays.view(), point, out.spans()).status == Status::ok);
            for (std::size_t i = 0; i < count; ++i) REQUIRE(out.holds(i, closest_point(triangles[i], point)));
            REQUIRE(closest_points(std::span(obbs.data(), count), point, out.spans()).status == Status::ok);
            for (std::size_t i = 0; i < count; ++i)
                REQUIRE(out.holds(i, closest_point(obbs.data()[i], point)));
        }
    });
}

TEST_CASE(
    "a batch of closest points writes only the requested outputs, and nothing if its arguments are invalid") {
    Random random(3);
    const GuardedPoints points(list_of<Vec3>(random, 9, adversarial_vector));
    std::vector<float> distances(9, -7.0f);
    std::vector<float> short_output(8, -7.0f);
    CHECK(closest_points(kBox, points.view(), {.distance_sq = distances}).status == Status::ok);
    CHECK(distances[8] != -7.0f);
    distances.assign(9, -7.0f);
    CHECK(closest_points(kBox, points.view(), {.x = short_output, .distance_sq = distances}).status ==
          Status::capacity_exceeded);
    CHECK(closest_points(kBox, {nullptr, nullptr, nullptr, 3}, {.distance_sq = distances}).status ==
          Status::invalid_argument);
    CHECK(distances == std::vector<float>(9, -7.0f));
    CHECK(short_output == std::vector<float>(8, -7.0f));
}

TEST_CASE("edge closest_point/touching: a point on the surface is its own closest point, at distance 0") {
    CHECK(closest_point(kBox, {1, 0.5f, 3}) == ClosestPoint{{1, 0.5f, 3}, 0});
    CHECK(closest_point(kTriangle, {1, 1, 0}) == ClosestPoint{{1, 1, 0}, 0});
    CHECK(closest_point(kTriangle, {2, 2, 0}) == ClosestPoint{{2, 2, 0}, 0});
    CHECK(closest_point(kTriangle, {4, 0, 0}) == ClosestPoint{{4, 0, 0}, 0});
    CHECK(closest_point(kObb, {0, 3, 0.5f}) == ClosestPoint{{0, 3, 0.5f}, 0});
}

TEST_CASE(
    "edge closest_point/inside: shapes are solid, a point inside is its own closest point, bit for bit") {
    CHECK(closest_point(kBox, {0.1f, 0.2f, 0.3f}) == ClosestPoint{{0.1f, 0.2f, 0.3f}, 0});
    Random random(4);
    for (int round = 0; round < 1000; ++round) {
        const Obb obb = turned_box(random, random_vector(random, 9), {2, 2, 2});
        const Vec3 point = obb.center + random_vector(random, 1);
        REQUIRE(closest_point(obb, point) == ClosestPoint{point + Vec3{}, 0});
    }
}

TEST_CASE("edge closest_point/zero length: a triangle without area is its longest edge, or a point") {
    const Triangle segment = {{0, 0, 0}, {1, 0, 0}, {4, 0, 0}};
    CHECK(closest_point(segment, {3, 2, 0}) == ClosestPoint{{3, 0, 0}, 4});
    CHECK(closest_point(segment, {9, 0, 0}) == ClosestPoint{{4, 0, 0}, 25});
    CHECK(closest_point(Triangle{{4, 0, 0}, {4, 0, 0}, {0, 0, 0}}, {3, 2, 0}) == ClosestPoint{{3, 0, 0}, 4});
    const Triangle point = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    CHECK(closest_point(point, {1, 4, 5}) == ClosestPoint{{1, 1, 1}, 25});
    CHECK(closest_point(point, {1, 1, 1}) == ClosestPoint{{1, 1, 1}, 0});
}

TEST_CASE("edge closest_point/zero size: a box without extent is a rectangle, a segment or a point") {
    CHECK(closest_point(Aabb{{1, 1, 1}, {1, 1, 1}}, {1, 4, 5}) == ClosestPoint{{1, 1, 1}, 25});
    CHECK(closest_point(Aabb{{0, 0, 0}, {4, 0, 0}}, {3, 2, 0}) == ClosestPoint{{3, 0, 0}, 4});
    Obb flat = kObb;
    flat.half_extent = {2, 0, 0.5f};
    CHECK(closest_point(flat, {4, 1, 0}) == ClosestPoint{{1, 1, 0}, 9});
}

TEST_CASE("edge closest_point/tie of normals: one of equally near points is returned, the same everywhere") {
    const Triangle needle = {{-1, 0, 0}, {1, 0, 0}, {0, 0, 0}};
    CHECK(closest_point(needle, {0, 1, 0}) == ClosestPoint{{0, 0, 0}, 1});
    CHECK(closest_point(kBox, {4, 6, 3}) == ClosestPoint{{1, 2, 3}, 25});
    CHECK(closest_point(kTriangle, {-3, -4, 0}) == ClosestPoint{{0, 0, 0}, 25});
}

TEST_CASE("edge closest_point/NaN: neither a NaN point nor a shape with a NaN has a closest point") {
    CHECK(is_nothing(closest_point(kBox, {0, kNaN, 0})));
    CHECK(is_nothing(closest_point(kObb, {0, kNaN, 0})));
    CHECK(is_nothing(closest_point(kTriangle, {kNaN, 0, 0})));
    CHECK(is_nothing(closest_point(Aabb{{0, 0, 0}, {1, kNaN, 1}}, {0, 0, 0})));
    CHECK(is_nothing(closest_point(Triangle{{0, 0, 0}, {1, kNaN, 1}, {1, 0, 0}}, {0, 0, 0})));
    Obb bad = kObb;
    bad.axis_y.z = kNaN;
    CHECK(is_nothing(closest_point(bad, {0, 0, 0})));
}

TEST_CASE("edge closest_point/infinity: infinite sides are legal, infinite points and corners have none") {
    const Aabb half_space = {{-kInfinity, -kInfinity, -kInfinity}, {2, kInfinity, kInfinity}};
    CHECK(closest_point(half_space, {5, 7, 9}) == ClosestPoint{{2, 7, 9}, 9});
    CHECK(is_nothing(closest_point(half_space, {0, -kInfinity, 0})));
    CHECK(is_nothing(closest_point(Aabb{{kInfinity, 0, 0}, {kInfinity, 1, 1}}, {0, 0, 0})));
    CHECK(is_nothing(closest_point(Triangle{{0, 0, 0}, {kInfinity, 0, 0}, {0, 1, 0}}, {0, 0, 0})));
    // A square that no float holds is not infinity, which means "none".
    CHECK(closest_point(kBox, {FLT_MAX, 0, 0}) == ClosestPoint{{1, 0, 0}, FLT_MAX});
    CHECK(closest_point(kTriangle, {0, 0, -FLT_MAX}) == ClosestPoint{{0, 0, 0}, FLT_MAX});
}

TEST_CASE("edge closest_point/inverted: a box with min above max, or a negative half extent, has none") {
    CHECK(is_nothing(closest_point(Aabb{{1, 0, 0}, {0, 1, 1}}, {0.5f, 0.5f, 0.5f})));
    Obb bad = kObb;
    bad.half_extent.x = -1;
    CHECK(is_nothing(closest_point(bad, {1, 1, 0})));
}

TEST_CASE("edge closest_point/denormal: denormal shapes are ordinary, and no result is -0") {
    const float tiny = 0x1p-140f;
    CHECK(closest_point(Triangle{{0, 0, 0}, {4 * tiny, 0, 0}, {0, 4 * tiny, 0}}, {tiny, tiny, 9 * tiny}) ==
          ClosestPoint{{tiny, tiny, 0}, 0});  // the square, 2^-274, is below every float
    CHECK(closest_point(Aabb{{0, 0, 0}, {tiny, tiny, tiny}}, {1, 0, 0}).point == Vec3{tiny, 0, 0});
    for (const ClosestPoint& closest :
         {closest_point(Aabb{{-0.0f, -0.0f, -0.0f}, {-0.0f, -0.0f, -0.0f}}, {-1, -0.0f, 0}),
          closest_point(Triangle{{-0.0f, -0.0f, -0.0f}, {-0.0f, 1, 0}, {1, -0.0f, 0}}, {-1, -1, -0.0f}),
          closest_point(kTriangle, {-0.0f, -0.0f, -0.0f}),
          closest_point(kTriangle, {-0x1p-149f, -0x1p-149f, 1})}) {
        CHECK(same_bits(closest.point.x, 0.0f));
        CHECK(same_bits(closest.point.y, 0.0f));
        CHECK(same_bits(closest.point.z, 0.0f));
    }
}

TEST_CASE("boxes at either end of the range are valid on every axis, beyond it on none, on every ISA") {
    std::vector<Aabb> boxes;
    for (int axis = 0; axis < 3; ++axis) {
        for (const float place : {FLT_MAX, -FLT_MAX, kInfinity, -kInfinity}) {
            Aabb box = kBox;
            const auto set = [&](Vec3& corner) {
                (axis == 0 ? corner.x : axis == 1 ? corner.y : corner.z) = place;
            };
            set(box.min);
            set(box.max);
            boxes.push_back(box);
        }
    }
    const GuardedBoxes guarded(boxes);
    const Vec3 point = {1, 2, 3};
    for_each_isa([&](Isa) {
        Outputs out(boxes.size());
        REQUIRE(closest_points(guarded.view(), point, out.spans()).status == Status::ok);
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            INFO("box " << i);
            CHECK(out.holds(i, closest_point(boxes[i], point)));
            CHECK((out.distance_sq[i] == kInfinity) == is_nothing(closest_point(boxes[i], point)));
            CHECK(is_nothing(closest_point(boxes[i], point)) == (i % 4 >= 2));
        }
    });
}
