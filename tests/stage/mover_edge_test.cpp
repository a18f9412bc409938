// The rows of docs/edge_semantics.md about movers.
#include "tests/support/generators.hpp"

#include <broadside/mover.hpp>

#include <doctest/doctest.h>

#include <cfloat>
#include <cmath>
#include <vector>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr float kExactOffset = 0.0625f;
constexpr MoverShape kBox = {MoverForm::box, {1, 1, 1}};
constexpr MoverShape kBall = {MoverForm::sphere, {}, 1};
constexpr MoverShape kCapsule = {MoverForm::capsule, {}, 1, 1};

// Boxes, and the same in the form of a call.
class Level {
public:
    explicit Level(const std::vector<Aabb>& boxes) {
        BoxSoa soa;
        REQUIRE(soa.resize(boxes.size()) == Status::ok);
        for (std::size_t i = 0; i < boxes.size(); ++i) soa.set(i, boxes[i]);
        REQUIRE(tree_.build(soa) == Status::ok);
    }
    MoverResult step(const MoverShape& shape, Vec3 position, Vec3 displacement) const {
        MoverSettings settings;
        settings.contact_offset = kExactOffset;
        const Mover mover = {shape, position, displacement};
        const MoverResult result = step_mover(mover, {&tree_, {}}, settings);
        MoverResult of_batch;
        REQUIRE(step_movers({&mover, 1}, {&tree_, {}}, settings, {&of_batch, 1}).status == Status::ok);
        if (is_finite(position)) CHECK(of_batch == result);
        return result;
    }

private:
    BoxTree tree_;
};

// Its face is the plane x = 0.
const Aabb kWall = {{0, -50, -50}, {50, 50, 50}};

bool is_invalid(const MoverResult& result, Vec3 position) {
    return result.status == MoverStatus::invalid && result.position.y == position.y && !result.is_grounded &&
           result.iteration_count == 0;
}

}  // namespace

TEST_CASE("edge mover/touching: a mover that touches at the start is pushed out, and continues") {
    const Level world({kWall});
    for (const MoverShape& shape : {kBox, kBall, kCapsule}) {
        const MoverResult result = world.step(shape, {-1, 0, 0}, {0, 1, 0});
        CHECK(result.status == MoverStatus::finished);
        CHECK(result.position.x <= -1 - 0.25f * kExactOffset);
        CHECK(result.position.x >= -1 - 2 * kExactOffset);
        CHECK(result.position.y == doctest::Approx(1));
    }
}

TEST_CASE(
    "edge mover/inside: a mover up to the offset deep is pushed out; a deeper one stays and reports it") {
    const Level world({kWall});
    for (const MoverShape& shape : {kBox, kBall, kCapsule}) {
        const MoverResult shallow = world.step(shape, {-1 + 0.5f * kExactOffset, 0, 0}, {});
        CHECK(shallow.status == MoverStatus::finished);
        CHECK(shallow.position.x < -1);
        const MoverResult deep = world.step(shape, {-0.5f, 0, 0}, {-9, 0, 0});
        CHECK(deep.status == MoverStatus::started_inside);
        CHECK(deep.position == Vec3{-0.5f, 0, 0});
        CHECK(world.step(shape, {20, 0, 0}, {-90, 0, 0}).status == MoverStatus::started_inside);
    }
}

TEST_CASE("edge mover/parallel: a wall at the contact offset does not deflect a mover along it") {
    const Level world({kWall});
    for (const MoverShape& shape : {kBox, kBall, kCapsule}) {
        const MoverResult result = world.step(shape, {-1 - kExactOffset, 0, 0}, {0, 7, 0});
        CHECK(result.status == MoverStatus::finished);
        CHECK(result.iteration_count == 0);
        CHECK(result.position == Vec3{-1 - kExactOffset, 7, 0});
        CHECK(result.wall_normal == Vec3{});
    }
}

TEST_CASE(
    "edge mover/zero length: a mover without a wish keeps its position, bit for bit, and is told its "
    "ground") {
    const Level world({Aabb{{-50, -50, -50}, {50, 50, 0}}});
    for (const MoverShape& shape : {kBox, kBall}) {
        const Vec3 place = {0.1f, 0.2f, 1.0f + kExactOffset};
        const MoverResult result = world.step(shape, place, {});
        CHECK(result.status == MoverStatus::finished);
        CHECK(result.position == place);
        CHECK(result.is_grounded);
        CHECK(result.ground_normal == Vec3{0, 0, 1});
    }
}

TEST_CASE(
    "edge mover/zero size: a point moves like any sphere, a capsule of no length is one, a box may be flat") {
    const Level world({kWall});
    const MoverShape point = {MoverForm::sphere, {}, 0};
    const MoverResult of_point = world.step(point, {-9, 0, 0}, {90, 0, 0});
    CHECK(of_point.status == MoverStatus::finished);
    CHECK(of_point.position.x == doctest::Approx(-kExactOffset).epsilon(0.02));
    CHECK(world.step({MoverForm::capsule, {}, 0, 0}, {-9, 0, 0}, {90, 0, 0}) == of_point);
    CHECK(world.step({MoverForm::capsule, {}, 1, 0}, {-9, 0, 0}, {90, 3, 1}) ==
          world.step(kBall, {-9, 0, 0}, {90, 3, 1}));
    for (const Vec3 half : {Vec3{0, 0, 0}, Vec3{0, 1, 1}}) {
        const MoverResult flat = world.step({MoverForm::box, half}, {-9, 0, 0}, {90, 0, 0});
        CHECK(flat.position.x == doctest::Approx(-kExactOffset).epsilon(0.02));
    }
    // Obstacles may be without size, too.
    const Level thin({Aabb{{0, -50, -50}, {0, 50, 50}}});
    CHECK(thin.step(point, {-9, 0, 0}, {90, 0, 0}).position.x ==
          doctest::Approx(-kExactOffset).epsilon(0.02));
}

TEST_CASE("edge mover/t = 0: a wish into the touching wall does not move it") {
    const Level world({kWall});
    for (const MoverShape& shape : {kBox, kBall, kCapsule}) {
        const Vec3 place = {-1 - kExactOffset, 0.5f, 0};
        const MoverResult result = world.step(shape, place, {5, 0, 0});
        CHECK(result.status == MoverStatus::finished);
        CHECK(result.position.x == doctest::Approx(place.x).epsilon(0.002));
        CHECK(result.position.y == 0.5f);
        CHECK(result.wall_normal == Vec3{-1, 0, 0});
    }
}

TEST_CASE("edge mover/t = 1: a wish that ends at the contact offset is fulfilled") {
    const Level world({kWall});
    for (const MoverShape& shape : {kBox, kBall, kCapsule}) {
        const MoverResult result = world.step(shape, {-9 - kExactOffset, 0, 0}, {8, 0, 0});
        CHECK(result.status == MoverStatus::finished);
        CHECK(result.position == Vec3{-1 - kExactOffset, 0, 0});
    }
}

TEST_CASE("edge mover/tie of normals: walls met at once give the same in either order") {
    const Aabb other = {{-50, 0, -50}, {50, 50, 50}};
    const Level one({kWall, other}), two({other, kWall});
    for (const MoverShape& shape : {kBox, kBall, kCapsule}) {
        const MoverResult result = one.step(shape, {-5, -5, 0}, {9, 9, 1});
        CHECK(two.step(shape, {-5, -5, 0}, {9, 9, 1}) == result);
        CHECK(result.position.x == doctest::Approx(-1 - kExactOffset).epsilon(0.002));
        CHECK(result.position.y == doctest::Approx(-1 - kExactOffset).epsilon(0.002));
        CHECK(result.position.z == doctest::Approx(1));
    }
}

TEST_CASE(
    "edge mover/NaN: a mover with a NaN is invalid and does not move; a box with a NaN blocks nothing") {
    const Level world({Aabb{{kNaN, -50, -50}, {50, 50, 50}}});
    CHECK(world.step(kBall, {-9, 0, 0}, {90, 0, 0}).position == Vec3{81, 0, 0});
    CHECK(is_invalid(world.step(kBall, {0, 1, 0}, {0, 0, kNaN}), {0, 1, 0}));
    CHECK(is_invalid(world.step(kBall, {kNaN, 1, 0}, {0, 0, 1}), {0, 1, 0}));
    CHECK(is_invalid(world.step({MoverForm::sphere, {}, kNaN}, {0, 1, 0}, {0, 0, 1}), {0, 1, 0}));
}

TEST_CASE("edge mover/infinity: boxes may have infinite sides, a mover must be finite") {
    const Level world({Aabb{{0, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}}});
    CHECK(world.step(kBall, {-9, 0, 0}, {90, 0, 0}).position.x ==
          doctest::Approx(-1 - kExactOffset).epsilon(0.002));
    CHECK(is_invalid(world.step(kBall, {-9, 1, 0}, {kInfinity, 0, 0}), {0, 1, 0}));
    CHECK(is_invalid(world.step({MoverForm::box, {1, kInfinity, 1}}, {-9, 1, 0}, {1, 0, 0}), {0, 1, 0}));
}

TEST_CASE("edge mover/inverted: a negative size is invalid, an inverted box blocks nothing") {
    const Level world({Aabb{{1, -50, -50}, {0, 50, 50}}});
    CHECK(world.step(kBall, {-9, 0, 0}, {90, 0, 0}).position == Vec3{81, 0, 0});
    CHECK(is_invalid(world.step({MoverForm::sphere, {}, -1}, {0, 1, 0}, {}), {0, 1, 0}));
    CHECK(is_invalid(world.step({MoverForm::capsule, {}, 1, -1}, {0, 1, 0}, {}), {0, 1, 0}));
    CHECK(is_invalid(world.step({MoverForm::box, {1, -1, 1}}, {0, 1, 0}, {}), {0, 1, 0}));
}

TEST_CASE("edge mover/denormal: a denormal wish is a wish, and sizes may be denormal") {
    const Level world({kWall});
    const MoverResult from_zero = world.step(kBall, {-5, 0, 0}, {0, FLT_TRUE_MIN, -0.0f});
    CHECK(from_zero.status == MoverStatus::finished);
    CHECK(from_zero.position == Vec3{-5, FLT_TRUE_MIN, 0});
    CHECK_FALSE(std::signbit(from_zero.position.z));
    const MoverResult small = world.step({MoverForm::sphere, {}, FLT_TRUE_MIN}, {-9, 0, 0}, {90, 0, 0});
    CHECK(small.position.x == doctest::Approx(-kExactOffset).epsilon(0.02));
}
