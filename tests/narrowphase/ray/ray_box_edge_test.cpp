// The rows of docs/edge_semantics.md for rays and boxes, each tested in every form on every ISA.
#include "tests/narrowphase/ray/centered_cube.hpp"
#include "tests/narrowphase/ray/ray_box_support.hpp"
#include "tests/support/for_each_isa.hpp"

#include <broadside/ray_box4.hpp>

using namespace broadside;
using namespace broadside::test;

namespace {

// The hit of the single function, after every batch form on every ISA has returned the same bits.
RaySolidHit hit(const Ray& ray, const Aabb& box, Inside inside = Inside::zero) {
    const RaySettings settings = {inside};
    const RaySolidHit expected = ray_box(ray, box, settings);
    const GuardedBoxes boxes(std::vector<Aabb>{box});
    for_each_isa([&](Isa) {
        RayBoxResults one(1);
        REQUIRE(ray_boxes(ray, boxes.view(), settings, one.outputs()).status == Status::ok);
        REQUIRE(one.is(0, expected));
        float t_enter = -7;
        REQUIRE(ray_boxes(ray, boxes.view(), settings, {.t_enter = {&t_enter, 1}}).status == Status::ok);
        REQUIRE(same_bits(t_enter, expected.t_enter));
        std::uint64_t bits = 0;
        REQUIRE(ray_boxes({&ray, 1}, boxes.view(), settings, {&bits, 1}).status == Status::ok);
        REQUIRE(bits == (expected.has_hit ? 1u : 0u));
        TreeHit closest;
        REQUIRE(closest_hits({&ray, 1}, boxes.view(), settings, {&closest, 1}).status == Status::ok);
        REQUIRE(same_bits(closest.t, expected.t_enter));
        REQUIRE(closest.face == expected.face);
        RayBoxResults pairs(1);
        const IndexPair pair = {0, 0};
        REQUIRE(ray_boxes({&ray, 1}, boxes.view(), {&pair, 1}, settings, pairs.outputs()).status ==
                Status::ok);
        REQUIRE(pairs.is(0, expected));
        Box4 node;
        node.set(1, box);
        const RayBoxHit4 of_node = ray_box(prepare_ray(ray, settings), node);
        REQUIRE(of_node.hits == Mask4{static_cast<std::uint8_t>(expected.has_hit ? 2 : 0)});
        REQUIRE(same_bits(of_node.t_enter[1], expected.t_enter));
        const RayBoxHit4 of_packet = ray_box(prepare_ray4({&ray, 1}, settings), box);
        REQUIRE(of_packet.hits == Mask4{static_cast<std::uint8_t>(expected.has_hit ? 1 : 0)});
        REQUIRE(same_bits(of_packet.t_enter[0], expected.t_enter));
    });
    REQUIRE_FALSE(same_bits(expected.t_enter, -0.0f));
    REQUIRE_FALSE(same_bits(expected.t_exit, -0.0f));
    return expected;
}

}  // namespace

TEST_CASE("edge ray_box/touching: a ray that grazes an edge or a corner enters and leaves at one t") {
    CHECK(hit({{-2, 0, 0}, {1, 1, 0}}, kCenteredCube) == RaySolidHit{1, 1, true, Face::min_x});
    CHECK(hit({{-2, 0, 0}, {1, 1, 1}}, kCenteredCube) == RaySolidHit{1, 1, true, Face::min_x});
    CHECK(hit({{-2, 1e-6f, 0}, {1, 1, 0}}, kCenteredCube) == RaySolidHit{});
}

TEST_CASE("edge ray_box/inside: a start inside is a hit at 0, at a negative t, or none") {
    const Ray ray = {{0.5f, 0, 0}, {1, 0, 0}};
    CHECK(hit(ray, kCenteredCube, Inside::zero) == RaySolidHit{0, 0.5f, true, Face::none});
    CHECK(hit(ray, kCenteredCube, Inside::negative_t) == RaySolidHit{-1.5f, 0.5f, true, Face::min_x});
    CHECK(hit(ray, kCenteredCube, Inside::miss) == RaySolidHit{});
}

TEST_CASE(
    "edge ray_box/parallel: within the slab or on a plane it decides nothing, one float outside it misses") {
    for (const float zero : {0.0f, -0.0f}) {
        for (const float y : {-1.0f, 0.0f, 1.0f}) {
            CHECK(hit({{-3, y, 0}, {1, zero, zero}}, kCenteredCube) == RaySolidHit{2, 4, true, Face::min_x});
        }
        for (const float y : {next_down(-1.0f), next_up(1.0f)}) {
            CHECK(hit({{-3, y, 0}, {1, zero, zero}}, kCenteredCube) == RaySolidHit{});
        }
    }
}

TEST_CASE("edge ray_box/zero length: a ray without direction is its origin for every t") {
    const Vec3 none = {0.0f, -0.0f, 0.0f};
    for (const float x : {0.0f, 1.0f, -1.0f}) {
        CHECK(hit({{x, 0, 0}, none, 5}, kCenteredCube) == RaySolidHit{0, 5, true, Face::none});
        CHECK(hit({{x, 0, 0}, none, 5}, kCenteredCube, Inside::negative_t) ==
              RaySolidHit{-FLT_MAX, 5, true, Face::none});
        CHECK(hit({{x, 0, 0}, none, 5}, kCenteredCube, Inside::miss) == RaySolidHit{});
    }
    for (const Inside inside : kInsidePolicies)
        CHECK(hit({{2, 0, 0}, none}, kCenteredCube, inside) == RaySolidHit{});
}

TEST_CASE("edge ray_box/zero size: rectangles, segments and points are hit if the ray meets them") {
    const Aabb flat = {{-1, 0, -1}, {1, 0, 1}};
    CHECK(hit({{3, 0, 0}, {-1, 0, 0}}, flat) == RaySolidHit{2, 4, true, Face::max_x});
    CHECK(hit({{0, 3, 0}, {0, -1, 0}}, flat) == RaySolidHit{3, 3, true, Face::max_y});
    CHECK(hit({{-3, 0.5f, 0}, {1, 0, 0}}, flat) == RaySolidHit{});
    const Aabb point = {{1, 1, 1}, {1, 1, 1}};
    CHECK(hit({{0, 0, 0}, {1, 1, 1}}, point) == RaySolidHit{1, 1, true, Face::min_x});
    CHECK(hit({{0, 0, 0}, {1, 1, 0.5f}}, point) == RaySolidHit{});
    CHECK(hit({{0, 1, 1}, {1, 0, 0}}, {{1, 1, 1}, {2, 1, 1}}) == RaySolidHit{1, 2, true, Face::min_x});
}

TEST_CASE(
    "edge ray_box/t = 0: a start on a face moving in hits at 0 by it, moving out it is a start inside") {
    for (const Inside inside : kInsidePolicies) {
        CHECK(hit({{-1, 0, 0}, {1, 0, 0}}, kCenteredCube, inside) == RaySolidHit{0, 2, true, Face::min_x});
    }
    CHECK(hit({{1, 0, 0}, {1, 0, 0}}, kCenteredCube) == RaySolidHit{0, 0, true, Face::none});
    CHECK(hit({{1, 0, 0}, {1, 0, 0}}, kCenteredCube, Inside::negative_t) ==
          RaySolidHit{-2, 0, true, Face::min_x});
    CHECK(hit({{1, 0, 0}, {1, 0, 0}}, kCenteredCube, Inside::miss) == RaySolidHit{});
    CHECK(hit({{next_up(1.0f), 0, 0}, {1, 0, 0}}, kCenteredCube) == RaySolidHit{});
}

TEST_CASE("edge ray_box/t = 1: a ray that ends exactly on a face hits, one float before it misses") {
    CHECK(hit({{-3, 0, 0}, {2, 0, 0}, 1}, kCenteredCube) == RaySolidHit{1, 1, true, Face::min_x});
    CHECK(hit({{-3, 0, 0}, {2, 0, 0}, next_down(1.0f)}, kCenteredCube) == RaySolidHit{});
    CHECK(hit({{-2, 0, 0}, {2, 0, 0}, 1}, kCenteredCube) == RaySolidHit{0.5f, 1, true, Face::min_x});
}

TEST_CASE("edge ray_box/tie of normals: the first axis names the face, the smallest index the closest box") {
    CHECK(hit({{-2, -2, -2}, {1, 1, 1}}, kCenteredCube).face == Face::min_x);
    CHECK(hit({{0, 2, -2}, {0, -1, 1}}, kCenteredCube).face == Face::max_y);
    const GuardedBoxes boxes(std::vector<Aabb>{{{3, -1, -1}, {4, 1, 1}}, kCenteredCube, kCenteredCube});
    const Ray ray = {{-3, 0, 0}, {1, 0, 0}};
    for_each_isa([&](Isa) {
        TreeHit closest;
        REQUIRE(closest_hits({&ray, 1}, boxes.view(), {}, {&closest, 1}).status == Status::ok);
        CHECK(closest == TreeHit{1, 2, Face::min_x});
    });
}

TEST_CASE("edge ray_box/NaN: no hit with a NaN in any field") {
    for (int place = 0; place < 13; ++place) {
        Aabb box = kCenteredCube;
        Ray ray = {{0, 0, 0}, {1, 1, 1}, 5};
        float* const numbers[] = {&box.min.x,    &box.min.y,       &box.min.z,       &box.max.x,
                                  &box.max.y,    &box.max.z,       &ray.origin.x,    &ray.origin.y,
                                  &ray.origin.z, &ray.direction.x, &ray.direction.y, &ray.direction.z,
                                  &ray.t_max};
        *numbers[place] = kNaN;
        for (const Inside inside : kInsidePolicies) CHECK(hit(ray, box, inside) == RaySolidHit{});
    }
}

TEST_CASE(
    "edge ray_box/infinity: infinite sides are legal, infinite rays and boxes at infinity hit nothing") {
    const Aabb everything = {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
    CHECK(hit({{3, -2, 7}, {1, 0.0f, -0.0f}}, everything) == RaySolidHit{0, FLT_MAX, true, Face::none});
    CHECK(hit({{0, 0, 0}, {1, 0, 0}}, {{1, -1, -1}, {kInfinity, 1, 1}}) ==
          RaySolidHit{1, FLT_MAX, true, Face::min_x});
    CHECK(hit({{0, 0, 0}, {1, 0, 0}}, {{-kInfinity, -1, -1}, {-1, 1, 1}}) == RaySolidHit{});
    CHECK(hit({{-3, 0, 0}, {1, 0, 0}, kInfinity}, kCenteredCube) == RaySolidHit{2, 4, true, Face::min_x});
    CHECK(hit({{-kInfinity, 0, 0}, {1, 0, 0}}, kCenteredCube) == RaySolidHit{});
    CHECK(hit({{-3, 0, 0}, {kInfinity, 0, 0}}, kCenteredCube) == RaySolidHit{});
    for (const float side : {kInfinity, -kInfinity}) {
        CHECK(hit({{0, 0, 0}, {1, 0, 0}}, {{side, -1, -1}, {side, 1, 1}}) == RaySolidHit{});
    }
}

TEST_CASE("edge ray_box/inverted: no hit, by one float or by much, and none with a negative reach") {
    for (const Inside inside : kInsidePolicies) {
        CHECK(hit({{-3, 0, 0}, {1, 0, 0}}, {{1, -1, -1}, {-1, 1, 1}}, inside) == RaySolidHit{});
        CHECK(hit({{-3e7f, 0, 0}, {1, 0, 0}}, {{next_up(1.0f), -1, -1}, {1, 1, 1}}, inside) == RaySolidHit{});
        CHECK(hit({{-3, 0, 0}, {1, 0, 0}}, {{-1, next_up(0.0f), -1}, {1, 0, 1}}, inside) == RaySolidHit{});
        CHECK(hit({{-3, 0, 0}, {1, 0, 0}}, Aabb::empty(), inside) == RaySolidHit{});
        CHECK(hit({{0, 0, 0}, {1, 0, 0}, -1}, kCenteredCube, inside) == RaySolidHit{});
    }
}

TEST_CASE(
    "edge ray_box/denormal: denormal directions are zero, denormal coordinates are not, and no t is -0") {
    CHECK(hit({{-3, 0, 0}, {kDenormal, 0, 0}}, kCenteredCube) == RaySolidHit{});
    CHECK(hit({{-3, 1, 0}, {1, -kDenormal, 0}}, kCenteredCube) == RaySolidHit{2, 4, true, Face::min_x});
    CHECK(hit({{-3, 0, 0}, {next_down(FLT_MIN), 0, 0}}, kCenteredCube) == RaySolidHit{});
    CHECK(hit({{-1.5f, 0, 0}, {FLT_MIN, 0, 0}}, kCenteredCube).has_hit);
    CHECK(hit({{0, 0, 0}, {1, 0, 0}}, {{kDenormal, -1, -1}, {1, 1, 1}}).t_enter == kDenormal);
    CHECK(hit({{-0.0f, 0, 0}, {-1, 0, 0}}, {{-1, -1, -1}, {-0.0f, 1, 1}}) ==
          RaySolidHit{0, 1, true, Face::max_x});
    CHECK(hit({{0.0f, 0, 0}, {-1, 0, 0}}, {{0.0f, -1, -1}, {1, 1, 1}}) ==
          RaySolidHit{0, 0, true, Face::none});
    // So fast that the t of a denormal path is zero.
    for (const float fast : {4.0f, 1e10f, FLT_MAX}) {
        const Aabb within = {{-kDenormal, -1, -1}, {1, 1, 1}};
        CHECK(hit({{0, 0, 0}, {fast, 0, 0}}, within) == RaySolidHit{0, 1 / fast, true, Face::none});
        CHECK(hit({{0, 0, 0}, {fast, 0, 0}}, within, Inside::miss) == RaySolidHit{});
        CHECK(hit({{0, 0, 0}, {fast, 0, 0}}, within, Inside::negative_t).t_enter < 0.0f);
        CHECK(hit({{0, 0, 0}, {-fast, 0, 0}}, within).t_enter == 0.0f);
        CHECK(hit({{0, 0, 0}, {-fast, 0, 0}}, within).face == Face::none);
        CHECK(hit({{0, 0, 0}, {fast, 0, 0}}, {{-1, -1, -1}, {-kDenormal, 1, 1}}) == RaySolidHit{});
        CHECK(hit({{0, 0, 0}, {fast, 0, 0}}, {{kDenormal, -1, -1}, {1, 1, 1}}).face == Face::min_x);
    }
}
