// Moving boxes: the worked scenes of text B, and an engine's use of a time of impact: no tunnelling, sliding.
#include "tests/narrowphase/moving_box/literal_moving_aabb.hpp"
#include "tests/support/generators.hpp"
#include "tests/support/motions.hpp"

#include <doctest/doctest.h>

#include <broadside/moving_aabb.hpp>
#include <broadside/moving_aabb_compat.hpp>
#include <broadside/overlap.hpp>
#include <broadside/transform.hpp>
#include <broadside/triangle.hpp>

#include <bit>
#include <cmath>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr Aabb kCube = {{-1, -1, -1}, {1, 1, 1}};

// The two boxes of text B's scene, made from the cube of side 2 as the text makes them.
Aabb scene_box_1() {
    const Transform translated = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
    const Transform turned_about_y = {{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}, {}};
    const Transform halved = {{0.5f, 0, 0}, {0, 0.5f, 0}, {0, 0, 0.5f}, {}};
    return transformed_bounds(translated * turned_about_y * halved, kCube);
}
Aabb scene_box_2() {
    const Transform halved_and_translated = {{0.5f, 0, 0}, {0, 0.5f, 0}, {0, 0, 0.5f}, {-0.5f, 0, 0}};
    return transformed_bounds(halved_and_translated, kCube);
}

// The body put exactly against the face of the wall that it reached, without the gap or overlap of a few ulps
// that the rounded time leaves.
Aabb placed_against(Aabb body, const Aabb& wall, Face face) {
    const Vec3 edges = size(body);
    switch (face) {
        case Face::min_x:
            body.max.x = wall.min.x, body.min.x = wall.min.x - edges.x;
            break;
        case Face::max_x:
            body.min.x = wall.max.x, body.max.x = wall.max.x + edges.x;
            break;
        case Face::min_y:
            body.max.y = wall.min.y, body.min.y = wall.min.y - edges.y;
            break;
        case Face::max_y:
            body.min.y = wall.max.y, body.max.y = wall.max.y + edges.y;
            break;
        case Face::min_z:
            body.max.z = wall.min.z, body.min.z = wall.min.z - edges.z;
            break;
        case Face::max_z:
            body.min.z = wall.max.z, body.max.z = wall.max.z + edges.z;
            break;
        case Face::none:
            break;
    }
    return body;
}

// Moves `body` by `displacement` against `walls`: to the first impact, then on along the hit face, at most
// four times. Under the open policy a body slides along the boxes that it touches, and parts from them.
Aabb slide(Aabb body, Vec3 displacement, const std::vector<Aabb>& walls) {
    for (int bounce = 0; bounce < 4; ++bounce) {
        Impact first;
        Aabb hit_wall;
        for (const Aabb& wall : walls) {
            const Impact impact = first_impact(wall, body, displacement, Touch::open);
            if (impact.toi < first.toi) {
                first = impact;
                hit_wall = wall;
            }
        }
        if (first.toi == kNoIntersection) return moved(body, displacement);
        body = placed_against(moved(body, displacement * first.toi), hit_wall, first.face);
        const Vec3 normal = outward_normal(first.face);
        const Vec3 rest = displacement * (1.0f - first.toi);
        displacement = rest - normal * dot(rest, normal);
    }
    return body;
}

bool have_common_volume(const Aabb& a, const Aabb& b) {
    Aabb common;
    return overlap(a, b, &common) && volume(common) > 0.0f;
}

}  // namespace

TEST_CASE(
    "B1: a body slides along an obstacle: it loses the motion into the face, keeps the rest, and never "
    "enters") {
    const std::vector<Aabb> walls = {{{-64, -64, -1}, {64, 64, 0}},  // floor
                                     {{8, -64, 0}, {9, 64, 16}},     // wall across x
                                     {{-64, 12, 0}, {64, 13, 16}}};  // wall across y
    // Dyadic numbers, so every position is exact: down to the floor, along it to the wall, along the wall.
    Aabb body = {{0, 0, 1}, {1, 1, 2}};
    body = slide(body, {2, 2, -2}, walls);
    CHECK(body == Aabb{{2, 2, 0}, {3, 3, 1}});
    body = slide(body, {8, 2, -1}, walls);
    CHECK(body == Aabb{{7, 4, 0}, {8, 5, 1}});
    // Smooth: pushing on into wall and floor, every frame advances by the same tangential step.
    for (int frame = 1; frame <= 5; ++frame) {
        body = slide(body, {1, 0.5f, -4}, walls);
        CHECK(body == Aabb{{7, 4 + 0.5f * static_cast<float>(frame), 0},
                           {8, 5 + 0.5f * static_cast<float>(frame), 1}});
    }
    // Into the corner: stopped by all three, and stable there; then away without sticking.
    for (int frame = 0; frame < 20; ++frame) body = slide(body, {1, 1, -1}, walls);
    CHECK(body == Aabb{{7, 11, 0}, {8, 12, 1}});
    body = slide(body, {-1, -1, 1}, walls);
    CHECK(body == Aabb{{6, 10, 1}, {7, 11, 2}});

    Random random(1);
    for (int frame = 0; frame < 20000; ++frame) {
        const Vec3 displacement = {random.grid(-64, 64) / 8, random.grid(-64, 64) / 8,
                                   random.grid(-64, 64) / 8};
        body = slide(body, displacement, walls);
        for (const Aabb& wall : walls) {
            REQUIRE_FALSE(have_common_volume(wall, body));
        }
        if (std::fabs(body.min.x) > 32 || std::fabs(body.min.y) > 32 || body.min.z > 16)
            body = {{0, 0, 1}, {1, 1, 2}};
    }
}

TEST_CASE("B2: boxes around the parts of a mesh leave few triangles to test, and lose none that matters") {
    // A wavy field of 64 x 64 squares, in blocks of 8 x 8 squares.
    std::vector<Triangle> triangles;
    std::vector<Aabb> triangle_boxes;
    BoxSoa blocks;
    const auto point = [](int x, int y) {
        return Vec3{static_cast<float>(x), static_cast<float>(y), static_cast<float>((x * 7 + y * 3) % 5)};
    };
    for (int block = 0; block < 64; ++block) {
        Aabb box = Aabb::empty();
        for (int square = 0; square < 64; ++square) {
            const int x = block % 8 * 8 + square % 8;
            const int y = block / 8 * 8 + square / 8;
            const Triangle both[] = {{point(x, y), point(x + 1, y), point(x, y + 1)},
                                     {point(x + 1, y), point(x + 1, y + 1), point(x, y + 1)}};
            for (const Triangle& triangle : both) {
                triangles.push_back(triangle);
                triangle_boxes.push_back(bounds(triangle));
                box = include(box, triangle_boxes.back());
            }
        }
        REQUIRE(blocks.push_back(box) == Status::ok);
    }
    const Aabb swept_body = swept({{20, 20, 1}, {21, 21, 2}}, {2, 2, 0});
    std::uint64_t block_bits = 0;
    REQUIRE(overlaps(swept_body, blocks, {&block_bits, 1}).status == Status::ok);
    const int examined_count = std::popcount(block_bits) * 128;
    CHECK(examined_count == 128);
    CHECK(triangles.size() == 8192);
    int wanted_count = 0;
    for (std::size_t i = 0; i < triangles.size(); ++i) {
        if (!overlap(swept_body, triangle_boxes[i])) continue;
        ++wanted_count;
        REQUIRE((block_bits >> (i / 128) & 1) == 1);
    }
    CHECK(wanted_count > 0);
}

TEST_CASE(
    "B3: a fast body tunnels through a wall if only its end positions are tested; sweep and time find the "
    "wall") {
    const Aabb wall = {{10, -5, -5}, {10.25f, 5, 5}};
    const Aabb bullet = {{0, 0, 0}, {0.125f, 0.125f, 0.125f}};
    const Vec3 displacement = {32, 0, 0};
    CHECK_FALSE(overlap(wall, bullet));
    CHECK_FALSE(overlap(wall, moved(bullet, displacement)));
    CHECK(overlap(wall, swept(bullet, displacement)));
    CHECK(time_of_impact(wall, bullet, displacement) == doctest::Approx(9.875 / 32));
    // The reverse: a pair that the sweep rejects has no impact.
    Random random(3);
    for (int round = 0; round < 50000; ++round) {
        const Aabb a = grid_box(random);
        const Aabb b = grid_box(random);
        const Vec3 d = {random.grid(-4, 4), random.grid(-4, 4), random.grid(-4, 4)};
        if (!overlap(a, swept(b, d))) REQUIRE(time_of_impact(a, b, d) == kNoIntersection);
    }
}

TEST_CASE(
    "B20: the worked scene: a turned, shifted half-size cube and a shifted one, from the same cube of side "
    "2") {
    CHECK(scene_box_1() == Aabb{{0.5f, -0.5f, -0.5f}, {1.5f, 0.5f, 0.5f}});
    CHECK(scene_box_2() == Aabb{{-1, -0.5f, -0.5f}, {0, 0.5f, 0.5f}});
}

TEST_CASE("B21: the two boxes of the scene do not overlap at rest, in motion they meet") {
    CHECK_FALSE(overlap(scene_box_1(), scene_box_2()));
    CHECK(time_of_impact(scene_box_1(), scene_box_2(), {3, 0, 0}) <= 1.0f);
    CHECK(time_of_impact(scene_box_1(), scene_box_2(), {0.25f, 0, 0}) == kNoIntersection);
    CHECK(time_of_impact(scene_box_1(), scene_box_2(), {0, 0, 0}) == kNoIntersection);
}

TEST_CASE("B22: both boxes of the scene may move; the relative displacement decides") {
    // Towards each other with 2 and 1: like one of them with 3. The train of B5, with boxes.
    const Vec3 displacement_1 = {-1, 0.25f, 0};
    const Vec3 displacement_2 = {2, 0.25f, 0};
    CHECK(time_of_impact(scene_box_1(), scene_box_2(), displacement_2 - displacement_1) ==
          time_of_impact(scene_box_1(), scene_box_2(), {3, 0, 0}));
}

TEST_CASE(
    "B23: time runs from 0 to 1 over the step: at the time of impact the boxes touch, and before it they do "
    "not") {
    Random random(23);
    int impact_count = 0;
    for (int round = 0; round < 20000; ++round) {
        const Aabb s = grid_box(random);
        const Aabb m = grid_box(random);
        const Vec3 d = {random.chance(2) ? 4.0f : -8.0f, random.chance(2) ? 2.0f : -4.0f,
                        random.chance(2) ? 8.0f : 0};
        const float toi = time_of_impact(s, m, d);
        if (toi > 1) continue;
        ++impact_count;
        REQUIRE(overlap(s, moved(m, d * toi)));  // exact: all numbers are dyadic
        if (toi == 0) continue;
        for (const float part : {0.0f, 0.5f, 0.9375f}) REQUIRE_FALSE(overlap(s, moved(m, d * (toi * part))));
    }
    CHECK(impact_count > 2000);
}

TEST_CASE(
    "B24: no motion means always or never, entering comes before leaving, and no time is outside the step") {
    const Aabb s = scene_box_1();
    const Aabb m = scene_box_2();
    CHECK(time_of_impact(s, moved(m, {1, 0, 0}), {0, 0, 0}) == 0.0f);
    CHECK(time_of_impact(s, m, {0, 0, 0}) == kNoIntersection);
    // The same path there and back: entering by the near face both times.
    CHECK(time_of_impact(s, m, {1, 0, 0}) == 0.5f);
    CHECK(time_of_impact(s, moved(m, {3, 0, 0}), {-1, 0, 0}) == 0.5f);
    CHECK(time_of_impact(s, m, {0.25f, 0, 0}) == kNoIntersection);
    CHECK(time_of_impact(s, m, {-4, 0, 0}) == kNoIntersection);
}

TEST_CASE("B25: time_of_impact_text_a returns what the code of both texts returns, to the bit") {
    Random random(25);
    int impact_count = 0;
    for (int round = 0; round < 200000; ++round) {
        const bool is_grid = random.chance(2);
        const Aabb s = is_grid ? grid_box(random) : random_box(random, 4, 3);
        const Aabb m = is_grid ? grid_box(random) : random_box(random, 4, 3);
        const auto component = [&] { return is_grid ? random.grid(-3, 3) : random.uniform(-4, 4); };
        const Vec3 d = {component(), component(), component()};
        const float expected = literal_moving_aabb(s, m, d);
        REQUIRE(same_bits(time_of_impact_text_a(s, m, d), expected));
        impact_count += expected <= 1 ? 1 : 0;
    }
    CHECK(impact_count > 15000);
}

TEST_CASE("B26: the worked example: gap 0.5 at speed 3 gives 0.16666667163") {
    const float toi = time_of_impact(scene_box_1(), scene_box_2(), {3, 0, 0});
    CHECK(same_bits(toi, 0.16666667163f));
    CHECK(same_bits(literal_moving_aabb(scene_box_1(), scene_box_2(), {3, 0, 0}), 0.16666667163f));
    CHECK(first_impact(scene_box_1(), scene_box_2(), {3, 0, 0}).face == Face::min_x);
}

TEST_CASE(
    "B27: text B divides by the displacement and text A multiplies by its reciprocal; they differ in the "
    "last place") {
    // In the worked example they agree, because the gap is a power of two.
    CHECK(0.5f / 3.0f == 0.5f * (1.0f / 3.0f));
    Random random(27);
    int difference_count = 0;
    for (int round = 0; round < 100000; ++round) {
        const float gap = random.uniform(0.01f, 1);
        const float displacement = random.uniform(1.25f, 8);
        const Aabb s = {{gap, 0, 0}, {gap + 1, 1, 1}};
        const float toi = time_of_impact(s, {{-1, 0, 0}, {0, 1, 1}}, {displacement, 0, 0});
        REQUIRE(same_bits(toi, gap * (1.0f / displacement)));
        const float quotient = gap / displacement;
        REQUIRE(std::fabs(toi - quotient) <= 1.5f * FLT_EPSILON * quotient);
        difference_count += toi != quotient ? 1 : 0;
    }
    CHECK(difference_count > 10000);
}

TEST_CASE("B28: far objects need no test: what the swept box does not reach has no impact") {
    Random random(28);
    BoxSoa objects;
    for (int i = 0; i < 2000; ++i) REQUIRE(objects.push_back(random_box(random, 20, 2)) == Status::ok);
    const Aabb mover = {{0, 0, 0}, {1, 1, 1}};
    const Vec3 displacement = {6, -4, 2};
    std::vector<std::uint64_t> near_bits(bit_word_count(objects.count()));
    // One part in a million for the rounding of the swept box.
    const Aabb reach = expanded(swept(mover, displacement), 1e-5f);
    REQUIRE(overlaps(reach, objects, near_bits).status == Status::ok);
    int near_count = 0;
    int impact_count = 0;
    for (std::size_t i = 0; i < objects.count(); ++i) {
        const bool is_near = (near_bits[i / 64] >> (i % 64) & 1) != 0;
        const bool has_impact = time_of_impact(objects[i], mover, displacement) <= 1;
        REQUIRE((is_near || !has_impact));
        near_count += is_near ? 1 : 0;
        impact_count += has_impact ? 1 : 0;
    }
    CHECK(impact_count > 0);
    CHECK(near_count < 200);
}
