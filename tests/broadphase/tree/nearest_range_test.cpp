// Nearest boxes over the whole float range: those within the largest distance, and their order, against
// integers of any size.
#include <broadside/box_tree.hpp>
#include <broadside/world_query.hpp>

#include "tests/broadphase/tree/box_tree_oracle.hpp"
#include "tests/support/exact_squares.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

#include <algorithm>
#include <cmath>

using namespace broadside;
using namespace broadside::test;

namespace {

// A point, boxes around it, and the search distance.
struct NearScene {
    Vec3 point;
    std::vector<Aabb> boxes;
    float max_distance;
};

Vec3 any_point(Random& random) { return {any_float(random), any_float(random), any_float(random)}; }
Aabb around(Vec3 a, Vec3 b) { return include(include(Aabb::empty(), a), b); }

// Usually nearest to `point` in its corner there.
Aabb box_from(Random& random, Vec3 point, Vec3 corner) {
    const auto away = [&](float from, float to) {
        if (random.chance(4)) return to;
        if (random.chance(8)) return from <= to ? kInfinity : -kInfinity;
        return from <= to ? max_keep(any_float(random), to) : min_keep(any_float(random), to);
    };
    const Vec3 other = {away(point.x, corner.x), away(point.y, corner.y), away(point.z, corner.z)};
    return around(corner, other);
}

// Nearly equal distances: a whole diagonal of any size from a point that is zero, a few of the smallest
// floats or a small part of the size, with ends that are some floats off.
NearScene diagonal_scene(Random& random) {
    NearScene scene;
    const WholeDiagonal diagonal = any_whole_diagonal(random);
    const float scale = any_power_of_two(random);
    const float dust = random.chance(2) ? std::numeric_limits<float>::denorm_min() : scale * 0x1p-40f;
    const auto place = [&] { return random.chance(2) ? 0.0f : random.grid(-2, 2) * dust; };
    scene.point = {place(), place(), place()};
    for (int i = 0; i < 12; ++i) {
        // Turned: the same distance in other numbers.
        Vec3 sides = diagonal.sides;
        if (random.chance(2)) sides = {sides.y, sides.z, sides.x};
        if (random.chance(2)) sides = {-sides.y, sides.x, sides.z};
        if (random.chance(4)) sides = {0, 0, random.chance(2) ? diagonal.length : -diagonal.length};
        Vec3 corner = sides * scale;
        if (random.chance(2)) corner.x = moved_by_ulps(random, corner.x);
        if (random.chance(2)) corner.z = moved_by_ulps(random, corner.z);
        scene.boxes.push_back(box_from(random, scene.point, corner));
    }
    scene.max_distance = moved_by_ulps(random, diagonal.length * scale);
    return scene;
}

// Everything anywhere; the limit is the distance to one of the boxes, or a float or two more or less.
NearScene any_near_scene(Random& random) {
    NearScene scene;
    scene.point = any_point(random);
    for (int i = 0; i < 12; ++i) {
        const bool is_near = random.chance(3);
        const Vec3 corner = {is_near ? moved_by_ulps(random, scene.point.x) : any_float(random),
                             random.chance(3) ? scene.point.y : any_float(random),
                             random.chance(3) ? scene.point.z : any_float(random)};
        scene.boxes.push_back(box_from(random, scene.point, corner));
    }
    const mpz_class distance_sq = exact_distance_sq(scene.boxes[random.below(12)], scene.point);
    const double root = std::ldexp(mpz_class(sqrt(distance_sq)).get_d(), -149);
    scene.max_distance = root < static_cast<double>(FLT_MAX) ? static_cast<float>(root) : FLT_MAX;
    scene.max_distance = moved_by_ulps(random, scene.max_distance);
    return scene;
}

// Squares that lie between two floats, nearer to their middle than a double tells: the order of the sum
// decides which of the two is reported.
NearScene midpoint_scene(Random& random) {
    NearScene scene;
    // From 2^24 to 2^25 the floats are the even numbers.
    const double middle = 0x1p24 + 2.0 * random.below(1u << 23) + 1.0;
    const float scale = std::ldexp(1.0f, static_cast<int>(random.below(80)) - 40);
    for (int i = 0; i < 12; ++i) {
        const Vec3 corner = sides_of_square(random, middle) * scale;
        scene.boxes.push_back(box_from(random, scene.point, corner));
    }
    scene.max_distance = kInfinity;
    return scene;
}

// Distances that are the largest up to what a double cannot tell.
NearScene reach_scene(Random& random) {
    NearScene scene;
    const float reach = 1.0f + random.unit();
    const float scale = std::ldexp(1.0f, static_cast<int>(random.below(200)) - 100);
    for (int i = 0; i < 12; ++i) {
        const double square = static_cast<double>(reach) * static_cast<double>(reach);
        scene.boxes.push_back(box_from(random, scene.point, sides_of_square(random, square) * scale));
    }
    scene.max_distance = reach * scale;
    return scene;
}

// Squares that a double cannot tell apart: exactly that, a little more and a little less. They differ along
// one axis, which is any of the three: a tree visits boxes along its axes.
NearScene rounded_tie_scene(Random& random) {
    NearScene scene;
    const std::uint32_t first = random.below(3);
    const auto turned = [&](Vec3 v) {
        return first == 0 ? v : first == 1 ? Vec3{v.y, v.z, v.x} : Vec3{v.z, v.x, v.y};
    };
    scene.point = turned({0, 0, std::ldexp(1.0f, -60)});
    for (int i = 0; i < 120; ++i) {
        float sides[3] = {0, 3, 4};
        for (std::uint32_t k = 3; k > 1; --k) std::swap(sides[k - 1], sides[random.below(k)]);
        for (float& side : sides) side = random.chance(2) ? side : -side;
        const Vec3 corner = {sides[0], sides[1], sides[2]};
        Vec3 other = corner;
        // Along z there is no distance then, and nothing to round.
        if (corner.z == 0.0f && random.chance(2)) other.z = 1.0f;
        scene.boxes.push_back(around(turned(corner), turned(other)));
    }
    scene.max_distance = kInfinity;
    return scene;
}

NearScene make_near_scene(Random& random) {
    NearScene scene = random.chance(3)   ? reach_scene(random)
                      : random.chance(2) ? diagonal_scene(random)
                                         : any_near_scene(random);
    if (random.chance(12)) scene.max_distance = random.chance(2) ? 0.0f : kInfinity;
    scene.max_distance = max_keep(scene.max_distance, 0.0f);
    // Enough for a tree of two levels, and some that are never found.
    for (int i = 0; i < 8; ++i) scene.boxes.push_back(around(any_point(random), any_point(random)));
    scene.boxes.push_back({{kNaN, 0, 0}, {1, 1, 1}});
    scene.boxes.push_back({{1, 0, 0}, {-1, 1, 1}});
    for (std::size_t i = scene.boxes.size(); i > 1; --i) {
        std::swap(scene.boxes[i - 1], scene.boxes[random.below(static_cast<std::uint32_t>(i))]);
    }
    return scene;
}

struct ExactNear {
    mpz_class distance_sq;
    std::uint32_t box_index;
};

// The expected list, by the definition.
std::vector<ExactNear> exact_nearest(const NearScene& scene) {
    std::vector<ExactNear> near;
    for (std::uint32_t i = 0; i < scene.boxes.size(); ++i) {
        if (!is_valid(scene.boxes[i])) continue;
        const mpz_class distance_sq = exact_distance_sq(scene.boxes[i], scene.point);
        if (scene.max_distance <= FLT_MAX && distance_sq > exact_square(scene.max_distance)) continue;
        near.push_back({distance_sq, i});
    }
    std::sort(near.begin(), near.end(), [](const ExactNear& a, const ExactNear& b) {
        return a.distance_sq != b.distance_sq ? a.distance_sq < b.distance_sq : a.box_index < b.box_index;
    });
    return near;
}

// Rounded to one of the two adjacent floats, FLT_MAX beyond that; a float shows little of a double's
// rounding.
bool is_rounded_from(float reported, const mpz_class& distance_sq) {
    const auto in_squares = [](float square) { return mpz_class(in_units(square) << 149); };
    const bool is_not_above = reported == 0.0f || in_squares(next_down(reported)) < distance_sq;
    const bool is_not_below = reported == FLT_MAX || distance_sq < in_squares(next_up(reported));
    return is_not_above && is_not_below;
}

// The beginning of the exact list, and `none` behind it.
template <class Near, class IndexOf>
void check_nearest(const std::vector<Near>& found, const std::vector<ExactNear>& expected, const Near& none,
                   const IndexOf& index_of) {
    for (std::size_t k = 0; k < found.size(); ++k) {
        INFO("number " << k);
        if (k >= expected.size()) {
            REQUIRE((found[k] == none));
            continue;
        }
        REQUIRE(index_of(found[k]) == expected[k].box_index);
        REQUIRE(is_rounded_from(found[k].distance_sq, expected[k].distance_sq));
    }
}

// Queried `point_count` times in a batch, which tasks cut at 64.
void check_in_tree(const NearScene& scene, std::uint32_t count, std::size_t point_count,
                   const TaskRunner* runner) {
    const std::vector<ExactNear> expected = exact_nearest(scene);
    const BoxSoa soa = soa_of(scene.boxes);
    INFO("max_distance " << scene.max_distance << ", " << count << " wanted");
    for_each_isa([&](Isa) {
        BoxTree tree;
        REQUIRE(tree.build(soa) == Status::ok);
        const std::vector<Vec3> points(point_count, scene.point);
        std::vector<ClosestBox> found(points.size() * count, ClosestBox{7, 7});
        TreeQuerySettings settings;
        settings.runner = runner;
        REQUIRE(tree.closest_boxes(points, {count, scene.max_distance}, settings, found).status ==
                Status::ok);
        for (std::size_t i = 0; i < point_count; i += 64) {
            const auto first = found.begin() + static_cast<std::ptrdiff_t>(i * count);
            check_nearest(std::vector<ClosestBox>(first, first + count), expected, ClosestBox{},
                          [](const ClosestBox& near) { return near.target; });
        }
    });
}

}  // namespace

TEST_CASE("boxes further away than max_distance are not found, at either end of the range of float") {
    struct {
        float at, max_distance;
        bool is_found;
    } const cases[] = {
        {1e-23f, 0, false},
        {1e-23f, 1e-40f, false},
        {2e-23f, 1e-30f, false},
        {1e-20f, 1e-21f, false},
        {5e19f, 2e19f, false},
        {3e38f, 2e19f, false},
        {1e19f, 0.9e19f, false},
        {1.0000001f, 1, false},
        {1e-45f, 0, false},
        {0, 0, true},
        {1e-45f, 1e-45f, true},
        {3e38f, 3e38f, true},
        {FLT_MAX, 3.4e38f, false},
        {FLT_MAX, FLT_MAX, true},
        {1e-23f, 1e-23f, true},
        {2e19f, 2e19f, true},
        {0.1f, next_down(0.1f), false},
        {0.1f, 0.1f, true},
    };
    for_each_isa([&](Isa) {
        for (const auto& [at, max_distance, is_found] : cases) {
            INFO("a box at " << at << ", looked for up to " << max_distance);
            BoxTree tree;
            REQUIRE(tree.build(soa_of({{{at, 0, 0}, {at, 0, 0}}})) == Status::ok);
            const Vec3 origin;
            ClosestBox near;
            REQUIRE(tree.closest_boxes(origin, {1, max_distance}, {}, {&near, 1}).status == Status::ok);
            CHECK((near.target == 0) == is_found);
        }
        // A point that is off by less than a double can tell from where the box would be at exactly one.
        const float tiny = std::numeric_limits<float>::denorm_min();
        BoxTree tree;
        REQUIRE(tree.build(soa_of({{{1, 0, 0}, {1, 0, 0}}})) == Status::ok);
        for (const float x : {-tiny, 0.0f, tiny}) {
            const Vec3 point = {x, 0, 0};
            ClosestBox near;
            REQUIRE(tree.closest_boxes(point, {1, 1.0f}, {}, {&near, 1}).status == Status::ok);
            CHECK((near.target == 0) == (x >= 0));
        }
        // Without a limit no box is too far, even beyond the largest distance that a float can express.
        const Vec3 far_point = {-FLT_MAX, 0, 0};
        REQUIRE(tree.build(soa_of({{{FLT_MAX, 0, 0}, {FLT_MAX, 0, 0}}})) == Status::ok);
        CHECK(tree.closest_box(far_point) == ClosestBox{FLT_MAX, 0});
        ClosestBox near;
        REQUIRE(tree.closest_boxes(far_point, {1, FLT_MAX}, {}, {&near, 1}).status == Status::ok);
        CHECK(near == ClosestBox{});
    });
}

TEST_CASE("the nearest box is right at any scale, even if its squared distance is no float") {
    for_each_isa([](Isa) {
        for (const float scale : {0x1p-149f, 0x1p-140f, 0x1p-80f, 1.0f, 0x1p80f, 0x1p120f}) {
            INFO("scale " << scale);
            std::vector<Aabb> boxes;
            for (const float at : {9.0f, 7.0f, 3.0f, 5.0f})
                boxes.push_back({{at * scale, 0, 0}, {at * scale, 0, 0}});
            BoxTree tree;
            REQUIRE(tree.build(soa_of(boxes)) == Status::ok);
            CHECK(tree.closest_box({0, 0, 0}).target == 2);
            const Vec3 origin;
            ClosestBox near[3];
            REQUIRE(tree.closest_boxes(origin, {3, kInfinity}, {}, near).status == Status::ok);
            CHECK(near[1].target == 3);
            CHECK(near[2].target == 1);
        }
    });
}

TEST_CASE("nearest boxes match exact arithmetic, in its order, over the whole range, on every ISA" * kLong) {
    Random random(91);
    const ShuffledRunner runner(92, 3);
    for (int round = 0; round < 1000 * test_scale(); ++round) {
        INFO("round " << round);
        const std::uint32_t count = 1 + random.below(random.chance(2) ? 3 : 30);
        check_in_tree(make_near_scene(random), count, random.chance(4) ? 65 : 1, runner.runner());
    }
}

TEST_CASE(
    "nearest boxes are in exact order even if doubles round their squares to the wrong side of a float") {
    Random random(94);
    for (int round = 0; round < 2000 * test_scale(); ++round) {
        INFO("round " << round);
        check_in_tree(midpoint_scene(random), 1 + random.below(4), 1, nullptr);
    }
}

TEST_CASE("nearest boxes whose squares round to one double are in exact order, anywhere in the list") {
    Random random(95);
    for (int round = 0; round < 100 * test_scale(); ++round) {
        INFO("round " << round);
        check_in_tree(rounded_tie_scene(random), 2 + random.below(60), 1, nullptr);
    }
}

TEST_CASE("long lists of nearest boxes are also in exact order, equal distances by index") {
    Random random(96);
    for (int round = 0; round < 20; ++round) {
        NearScene scene;
        scene.point = {random.grid(-3, 3), random.grid(-3, 3), random.grid(-3, 3)};
        scene.max_distance = round % 2 == 0 ? kInfinity : 6.0f;
        const float scale = round % 4 < 2 ? 1.0f : 0.1f;
        for (int i = 0; i < 300; ++i) {
            const Aabb box = grid_box(random, 8);
            scene.boxes.push_back({box.min * scale, box.max * scale});
        }
        check_in_tree(scene, 50 + random.below(300), 1, nullptr);
    }
}

TEST_CASE("nearest objects of a world match exact arithmetic, for any mix of kinds") {
    Random random(93);
    for (int round = 0; round < 300 * test_scale(); ++round) {
        const NearScene scene = make_near_scene(random);
        const std::vector<ExactNear> expected = exact_nearest(scene);
        const std::uint32_t count = 1 + random.below(random.chance(2) ? 3 : 30);
        INFO("round " << round << ", max_distance " << scene.max_distance << ", " << count << " wanted");
        World world;
        for (const Aabb& box : scene.boxes) {
            REQUIRE_FALSE(
                world.add({.box = box, .kind = static_cast<ObjectKind>(random.below(3))}).is_null());
        }
        for_each_isa([&](Isa) {
            std::vector<ClosestObject> found(count);
            REQUIRE(
                world.queries().closest_objects(scene.point, {count, scene.max_distance}, {}, found).status ==
                Status::ok);
            check_nearest(found, expected, ClosestObject{},
                          [](const ClosestObject& near) { return near.target.slot(); });
        });
    }
}
