// The rows of docs/edge_semantics.md for moving boxes, each tested in every form on every ISA.
#include "tests/narrowphase/moving_box/unit_boxes.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/generators.hpp"
#include "tests/support/motions.hpp"

#include <broadside/moving_aabb_rows.hpp>

#include <cmath>

using namespace broadside;
using namespace broadside::test;

namespace {

// The impact of the single function, after every batch form on every ISA has returned the same bits.
Impact impact(const Aabb& s, const Aabb& m, Vec3 d, Touch touch = Touch::closed) {
    const Impact expected = first_impact(s, m, d, touch);
    BoxSoa resting;
    BoxSoa mover;
    REQUIRE(resting.push_back(s) == Status::ok);
    REQUIRE(mover.push_back(m) == Status::ok);
    const MovingBoxes moving = {mover, {&d.x, &d.y, &d.z, 1}};
    const IndexPair pair = {0, 0};
    for_each_isa([&](Isa) {
        float toi = -1.0f;
        Face face = Face::max_z;
        const auto require_expected = [&](BatchResult result) {
            REQUIRE(result.status == Status::ok);
            REQUIRE(same_bits(toi, expected.toi));
            REQUIRE(face == expected.face);
            toi = -1.0f;
            face = Face::max_z;
        };
        require_expected(times_of_impact({resting, {}}, moving, touch, {&toi, 1}, {&face, 1}));
        require_expected(times_of_impact(m, d, resting, touch, {&toi, 1}, {&face, 1}));
        require_expected(times_of_impact({resting, {}}, moving, {&pair, 1}, touch, {&toi, 1}, {&face, 1}));
        RestingBoxRows resting_rows;
        MovingBoxRows mover_rows;
        BodyBoxRows bodies_s;
        BodyBoxRows bodies_m;
        REQUIRE(resting_rows.prepare(resting) == Status::ok);
        REQUIRE(mover_rows.prepare(moving, touch) == Status::ok);
        REQUIRE(bodies_s.prepare({resting, {}}) == Status::ok);
        REQUIRE(bodies_m.prepare(moving) == Status::ok);
        require_expected(times_of_impact(resting_rows, mover_rows, {&pair, 1}, {&toi, 1}, {&face, 1}));
        require_expected(times_of_impact(bodies_s, bodies_m, {&pair, 1}, touch, {&toi, 1}, {&face, 1}));
    });
    REQUIRE_FALSE(same_bits(expected.toi, -0.0f));
    return expected;
}
float toi(const Aabb& s, const Aabb& m, Vec3 d, Touch touch = Touch::closed) {
    return impact(s, m, d, touch).toi;
}

}  // namespace

TEST_CASE(
    "edge moving_aabb/touching: a touch at the start is an impact at 0; the open policy requires more") {
    const Aabb beside = moved(kUnit, {1, 0.25f, 0.25f});
    const struct {
        Vec3 displacement;
        float closed, open;
    } rows[] = {{{0, 0, 0}, 0, kNoIntersection},     // rest
                {{0, 0.5f, 0}, 0, kNoIntersection},  // slide
                {{1, 0, 0}, 0, kNoIntersection},     // part
                {{-1, 0, 0}, 0, 0}};                 // press on
    for (const auto& row : rows) {
        CHECK(toi(kUnit, beside, row.displacement, Touch::closed) == row.closed);
        CHECK(toi(kUnit, beside, row.displacement, Touch::open) == row.open);
    }
    // An edge and a corner touch as a face does.
    CHECK(toi(kUnit, moved(kUnit, {1, 1, 0}), {0, 0, 0}) == 0.0f);
    CHECK(toi(kUnit, moved(kUnit, {1, 1, 1}), {0, 0, 0}) == 0.0f);
}

TEST_CASE("edge moving_aabb/inside: boxes that overlap at the start meet at 0 and name no face") {
    const Aabb nested = {{0.25f, 0.25f, 0.25f}, {0.75f, 0.75f, 0.75f}};
    for (const Touch touch : kPolicies) {
        for (const Vec3 d : {Vec3{0, 0, 0}, Vec3{8, -8, 1}}) {
            CHECK(same_bits(impact(kUnit, nested, d, touch).toi, 0.0f));
            CHECK(impact(nested, kUnit, d, touch).face == Face::none);
        }
    }
}

TEST_CASE("edge moving_aabb/parallel: an axis without motion decides only if the slabs are apart or touch") {
    for (const float zero : {0.0f, -0.0f}) {
        for (const Touch touch : kPolicies) {
            CHECK(toi(kUnit, moved(kUnit, {-3, 0.5f, 0}), {4, zero, zero}, touch) == 0.5f);
            CHECK(toi(kUnit, moved(kUnit, {-3, 1.5f, 0}), {4, zero, zero}, touch) == kNoIntersection);
            CHECK(toi(kUnit, moved(kUnit, {-3, -1.5f, 0}), {4, zero, zero}, touch) == kNoIntersection);
        }
        for (const float side : {1.0f, -1.0f}) {
            const Aabb slider = moved(kUnit, {-3, side, 0});
            CHECK(toi(kUnit, slider, {4, zero, zero}) == 0.5f);
            CHECK(toi(kUnit, slider, {4, zero, zero}, Touch::open) == kNoIntersection);
        }
        // One float beside the face: apart.
        CHECK(toi(kUnit, {{-3, next_up(1.0f), 0}, {-2, 2, 1}}, {4, zero, zero}) == kNoIntersection);
    }
}

TEST_CASE("edge moving_aabb/zero length: without motion the result is that of overlap, at 0") {
    CHECK(same_bits(toi(kUnit, moved(kUnit, {0.5f, 0.5f, 0.5f}), {0, 0, 0}), 0.0f));
    CHECK(same_bits(toi(kUnit, moved(kUnit, {1, 1, 1}), {-0.0f, 0, -0.0f}), 0.0f));
    CHECK(toi(kUnit, {{next_up(1.0f), 0, 0}, {2, 1, 1}}, {0, 0, 0}) == kNoIntersection);
}

TEST_CASE("edge moving_aabb/zero size: points, segments and rectangles meet like any box") {
    const Aabb point = {{0, 0, 0}, {0, 0, 0}};
    const Aabb wall = {{2, -1, -1}, {2, 1, 1}};
    for (const Touch touch : kPolicies) {
        // A shape without thickness along the motion is entered and left at once: for the open policy a
        // graze.
        const bool is_open = touch == Touch::open;
        CHECK(impact(wall, point, {4, 0, 0}, touch).toi == (is_open ? kNoIntersection : 0.5f));
        CHECK(impact(wall, point, {4, 0, 0}, touch).face == (is_open ? Face::none : Face::min_x));
        CHECK(toi(kUnit, moved(point, {-1, 0.5f, 0.5f}), {2, 0, 0}, touch) == 0.5f);
        CHECK(toi(wall, point, {4, 8, 0}, touch) == kNoIntersection);
        CHECK(toi(point, point, {0, 0, 0}, touch) == (touch == Touch::closed ? 0.0f : kNoIntersection));
    }
    CHECK(toi(point, moved(point, {-2, 0, 0}), {4, 0, 0}) == 0.5f);
    CHECK(toi(point, moved(point, {-2, 0, 0}), {4, 0, 0}, Touch::open) == kNoIntersection);
    const Aabb segment = {{1, 0.5f, 0.5f}, {3, 0.5f, 0.5f}};
    CHECK(toi(kUnit, moved(segment, {1, 0, 0}), {-2, 0, 0}) == 0.5f);
}

TEST_CASE(
    "edge moving_aabb/t = 0: a touched face that is pressed on is named; overlap and parting name none") {
    CHECK(impact(kUnit, moved(kUnit, {1, 0, 0}), {-1, 0, 0}).face == Face::max_x);
    CHECK(impact(kUnit, moved(kUnit, {0, -1, 0}), {0, 1, 0}).face == Face::min_y);
    CHECK(impact(kUnit, moved(kUnit, {1, 0, 0}), {1, 0, 0}).face == Face::none);
    CHECK(impact(kUnit, moved(kUnit, {0.5f, 0, 0}), {-1, 0, 0}).face == Face::none);
}

TEST_CASE("edge moving_aabb/t = 1: a touch at the very end of the step counts, one float less is a miss") {
    const Aabb before = moved(kUnit, {-3, 0, 0});
    CHECK(same_bits(toi(kUnit, before, {2, 0, 0}), 1.0f));
    CHECK(toi(kUnit, before, {2, 0, 0}, Touch::open) == kNoIntersection);
    CHECK(toi(kUnit, before, {next_up(2.0f), 0, 0}, Touch::open) < 1.0f);
    for (const Touch touch : kPolicies)
        CHECK(toi(kUnit, before, {next_down(2.0f), 0, 0}, touch) == kNoIntersection);
}

TEST_CASE("edge moving_aabb/tie of normals: x is named before y before z, and a graze of an edge counts") {
    CHECK(impact(kUnit, moved(kUnit, {-3, -3, -3}), {4, 4, 4}).face == Face::min_x);
    CHECK(impact(kUnit, moved(kUnit, {0, 3, -3}), {1, -4, 4}).face == Face::max_y);
    CHECK(impact(kUnit, moved(kUnit, {1, 1, 1}), {-1, -1, -1}).face == Face::max_x);
    // Enters on x exactly when it leaves on y.
    const Aabb passer = moved(kUnit, {-2, 0, 0});
    CHECK(impact(kUnit, passer, {2, 2, 0}).toi == 0.5f);
    CHECK(impact(kUnit, passer, {2, 2, 0}).face == Face::min_x);
    CHECK(toi(kUnit, passer, {2, 2, 0}, Touch::open) == kNoIntersection);
    CHECK(toi(kUnit, passer, {2, next_up(2.0f), 0}) == kNoIntersection);
}

TEST_CASE("edge moving_aabb/NaN: no impact with a NaN in any field") {
    for (const Touch touch : kPolicies) {
        for (int place = 0; place < 9; ++place) {
            Aabb box = kUnit;
            Vec3 d = {1, 1, 1};
            float* const numbers[] = {&box.min.x, &box.min.y, &box.min.z, &box.max.x, &box.max.y,
                                      &box.max.z, &d.x,       &d.y,       &d.z};
            *numbers[place] = kNaN;
            CHECK(toi(kUnit, box, d, touch) == kNoIntersection);
            CHECK(toi(box, kUnit, d, touch) == kNoIntersection);
            CHECK(toi(box, kUnit, {0, 0, d.z}, touch) == (place == 6 || place == 7 ? 0.0f : kNoIntersection));
        }
    }
}

TEST_CASE(
    "edge moving_aabb/infinity: infinite sides are met, boxes at infinity and infinite motions are not") {
    const Aabb half_space = {{2, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
    const Aabb everything = {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
    const Aabb at_infinity = {{kInfinity, 0, 0}, {kInfinity, 1, 1}};
    for (const Touch touch : kPolicies) {
        CHECK(impact(half_space, kUnit, {4, 1, -3}, touch).toi == 0.25f);
        CHECK(impact(kUnit, half_space, {-4, 0, 0}, touch).face == Face::max_x);
        CHECK(toi(everything, everything, {0, 1, 0}, touch) == 0.0f);
        for (const float speed : {0.0f, 1.0f, -1.0f}) {
            for (const Aabb& other : {kUnit, half_space, everything, at_infinity}) {
                CHECK(toi(at_infinity, other, {speed, 0, 0}, touch) == kNoIntersection);
                CHECK(toi(other, at_infinity, {speed, 0, 0}, touch) == kNoIntersection);
            }
        }
        for (const float endless : {kInfinity, -kInfinity}) {
            CHECK(toi(kUnit, kUnit, {0, endless, 0}, touch) == kNoIntersection);
            CHECK(toi(kUnit, moved(kUnit, {-3, 0, 0}), {endless, 0, 0}, touch) == kNoIntersection);
        }
    }
    // Two finite displacements whose difference is not finite.
    BoxSoa box;
    REQUIRE(box.push_back(kUnit) == Status::ok);
    const float fast = FLT_MAX;
    const float fast_back = -FLT_MAX;
    const float zero = 0;
    BodyBoxRows there;
    BodyBoxRows back;
    for_each_isa([&](Isa) {
        REQUIRE(there.prepare({box, {&fast, &zero, &zero, 1}}) == Status::ok);
        REQUIRE(back.prepare({box, {&fast_back, &zero, &zero, 1}}) == Status::ok);
        const IndexPair pair = {0, 0};
        float out = -1;
        REQUIRE(times_of_impact(there, back, {&pair, 1}, Touch::closed, {&out, 1}).status == Status::ok);
        CHECK(out == kNoIntersection);
        REQUIRE(times_of_impact(there, there, {&pair, 1}, Touch::closed, {&out, 1}).status == Status::ok);
        CHECK(out == 0.0f);
    });
}

TEST_CASE("edge moving_aabb/inverted: no impact, on any axis, by one float or by much") {
    for (const Touch touch : kPolicies) {
        for (int axis = 0; axis < 3; ++axis) {
            for (const float max : {-1.0f, next_down(1e-30f)}) {
                Aabb inverted = {{-1, -1, -1}, {2, 2, 2}};
                float* const min_side = axis == 0   ? &inverted.min.x
                                        : axis == 1 ? &inverted.min.y
                                                    : &inverted.min.z;
                float* const max_side = axis == 0   ? &inverted.max.x
                                        : axis == 1 ? &inverted.max.y
                                                    : &inverted.max.z;
                *min_side = 1e-30f;
                *max_side = max;
                for (const Vec3 d : {Vec3{0, 0, 0}, Vec3{1, 1, 1}, Vec3{-1e6f, -1e6f, -1e6f}}) {
                    CHECK(toi(kUnit, inverted, d, touch) == kNoIntersection);
                    CHECK(toi(inverted, kUnit, d, touch) == kNoIntersection);
                }
            }
        }
        CHECK(toi(kUnit, Aabb::empty(), {1, 0, 0}, touch) == kNoIntersection);
    }
}

TEST_CASE("edge moving_aabb/denormal: a denormal motion counts as none, a denormal gap is a gap, -0 is 0") {
    const Aabb beside = moved(kUnit, {1, 0, 0});
    for (const float tiny : {kDenormal, -kDenormal, next_down(FLT_MIN), -next_down(FLT_MIN)}) {
        for (const Touch touch : kPolicies) {
            CHECK(toi(kUnit, beside, {tiny, 0, 0}, touch) == toi(kUnit, beside, {0, 0, 0}, touch));
        }
    }
    CHECK(toi(kUnit, beside, {-FLT_MIN, 0, 0}, Touch::open) == 0.0f);
    const Aabb left = {{-1, 0, 0}, {-kDenormal, 1, 1}};
    CHECK(toi(kUnit, left, {0, 0, 0}) == kNoIntersection);
    CHECK(toi(kUnit, left, {1, 0, 0}) == kDenormal);
    // So fast that the time of a denormal path is zero.
    for (const float fast : {4.0f, 1e10f, FLT_MAX}) {
        const Aabb within = {{-1, 0, 0}, {kDenormal, 1, 1}};
        for (const Touch touch : kPolicies) {
            CHECK(impact(kUnit, within, {fast, 0, 0}, touch).face == Face::none);
            CHECK(toi(kUnit, within, {fast, 0, 0}, touch) == 0.0f);
            CHECK(toi(kUnit, within, {-fast, 0, 0}, touch) == 0.0f);
            CHECK(toi(kUnit, left, {-fast, 0, 0}, touch) == kNoIntersection);
        }
        CHECK(impact(kUnit, left, {fast, 0, 0}).face == Face::min_x);
    }
    CHECK(toi({{-0.0f, 0, 0}, {1, 1, 1}}, {{-1, 0, 0}, {0.0f, 1, 1}}, {-0.0f, 0, 0}) == 0.0f);
    CHECK(toi({{0.0f, 0, 0}, {1, 1, 1}}, {{-1, 0, 0}, {-0.0f, 1, 1}}, {0.0f, 0, 0}) == 0.0f);
}
