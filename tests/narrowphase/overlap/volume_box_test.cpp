// Convex volumes against boxes: compared with integers of any size, by another formula than the library's.
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/support/exact_squares.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/box_tree.hpp>
#include <broadside/volume_box.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

using namespace broadside;
using namespace broadside::test;

namespace {

// a·x + b·y + c·z + d·w, no less than 0 inside, in units of the smallest float.
using HalfSpace = std::array<mpz_class, 4>;

// The common point of three planes, w first made positive; w is 0 if there is none.
HalfSpace vertex_of(const HalfSpace& a, const HalfSpace& b, const HalfSpace& c) {
    const auto minor = [&](std::size_t i, std::size_t j, std::size_t k) -> mpz_class {
        return a[i] * (b[j] * c[k] - b[k] * c[j]) - a[j] * (b[i] * c[k] - b[k] * c[i]) +
               a[k] * (b[i] * c[j] - b[j] * c[i]);
    };
    HalfSpace point = {minor(1, 2, 3), -minor(0, 2, 3), minor(0, 1, 3), -minor(0, 1, 2)};
    if (point[3] < 0) {
        for (mpz_class& number : point) number = -number;
    }
    return point;
}

// A box with a point in common with the volume has one in which three sides or planes meet. An infinite side
// is so far away that no three others meet there.
bool has_common_point(std::span<const Plane> planes, const Aabb& box) {
    mpz_class far_away = 1;
    far_away <<= 3000;
    std::vector<HalfSpace> sides;
    const float min[3] = {box.min.x, box.min.y, box.min.z};
    const float max[3] = {box.max.x, box.max.y, box.max.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        HalfSpace above_min = {0, 0, 0, 0};
        HalfSpace below_max = {0, 0, 0, 0};
        above_min[axis] = 1;
        below_max[axis] = -1;
        above_min[3] = is_finite(min[axis]) ? mpz_class(-in_units(min[axis])) : far_away;
        below_max[3] = is_finite(max[axis]) ? in_units(max[axis]) : far_away;
        sides.push_back(above_min);
        sides.push_back(below_max);
    }
    for (const Plane& plane : planes) {
        sides.push_back({in_units(plane.normal.x), in_units(plane.normal.y), in_units(plane.normal.z),
                         in_units(plane.offset) << 149});
    }
    const auto holds = [&](const HalfSpace& point) {
        for (const HalfSpace& side : sides) {
            if (side[0] * point[0] + side[1] * point[1] + side[2] * point[2] + side[3] * point[3] < 0)
                return false;
        }
        return true;
    };
    for (std::size_t i = 0; i < sides.size(); ++i) {
        for (std::size_t j = i + 1; j < sides.size(); ++j) {
            for (std::size_t k = j + 1; k < sides.size(); ++k) {
                const HalfSpace point = vertex_of(sides[i], sides[j], sides[k]);
                if (point[3] != 0 && holds(point)) return true;
            }
        }
    }
    return false;
}

// The result for a plane alone, exactly: the usual test for frustums.
bool is_cut_off_by_one(std::span<const Plane> planes, const Aabb& box) {
    for (const Plane& plane : planes) {
        if (!has_common_point({&plane, 1}, box)) return true;
    }
    return false;
}

Vec3 grid_point(Random& random, int size) {
    return {random.grid(-size, size), random.grid(-size, size), random.grid(-size, size)};
}

// Six planes that form a pyramid without its top.
std::vector<Plane> frustum(Random& random, bool is_grid) {
    const Vec3 eye = is_grid ? grid_point(random, 6) : random_vec3(random, -6, 6);
    const float width = is_grid ? random.grid(1, 3) : random.uniform(0.3f, 3);
    const float height = is_grid ? random.grid(1, 3) : random.uniform(0.3f, 3);
    std::vector<Plane> planes;
    const auto add = [&](Vec3 normal, float offset) {
        // Looking along any axis.
        const Vec3 turned = is_grid ? normal : Vec3{normal.y, normal.z, normal.x};
        planes.push_back({turned, offset - dot(turned, eye)});
    };
    add({0, 0, 1}, -1);
    add({0, 0, -1}, 8);
    add({1, 0, width}, 0);
    add({-1, 0, width}, 0);
    add({0, 1, height}, 0);
    add({0, -1, height}, 0);
    return planes;
}

struct Counts {
    int met = 0;
    int apart_by_several = 0;
};

void check(std::span<const Plane> planes, const Aabb& box, Counts& state_counts) {
    const bool is_met = has_common_point(planes, box);
    CHECK(overlap(ConvexVolume{planes}, box) == is_met);
    // The node test of a tree walk never rejects a box that meets.
    BoxTree tree;
    REQUIRE(tree.set_box(0, box) == Status::ok);
    for_each_isa([&](Isa) { CHECK(tree.any_overlap(ConvexVolume{planes}) == is_met); });
    state_counts.met += is_met ? 1 : 0;
    state_counts.apart_by_several += !is_met && !is_cut_off_by_one(planes, box) ? 1 : 0;
}

}  // namespace

TEST_CASE("volumes overlap boxes if integers say so, also in a touch of a face, an edge or a corner" *
          kLong) {
    Random random(61);
    Counts counts;
    for (int i = 0; i < 3000 * test_scale(); ++i) {
        INFO("pair " << i);
        const bool is_grid = random.chance(2);
        Aabb box = is_grid ? grid_box(random) : random_box(random, 6, 5);
        if (random.chance(8)) box.min.x = -kInfinity;
        if (random.chance(8)) box.max.y = kInfinity;
        if (random.chance(3)) {
            check(frustum(random, is_grid), box, counts);
            continue;
        }
        std::vector<Plane> planes;
        for (std::uint32_t count = random.below(6); count > 0; --count) {
            const Vec3 normal = is_grid ? grid_point(random, 2) : random_vec3(random, -1, 1);
            // Through a point near the box, often a corner.
            const Vec3 at = is_grid ? grid_point(random, 5) : random_vec3(random, -6, 6);
            planes.push_back({normal, -dot(normal, at)});
        }
        check(planes, box, counts);
    }
    CHECK(counts.met > 500);
    CHECK(counts.apart_by_several > 50);
}

TEST_CASE("volumes are decided exactly over the whole float range" * kLong) {
    Random random(62);
    Counts counts;
    const auto any_point = [&] { return Vec3{any_float(random), any_float(random), any_float(random)}; };
    for (int i = 0; i < 2000 * test_scale(); ++i) {
        INFO("pair " << i);
        const Aabb box = include(include(Aabb::empty(), any_point()), any_point());
        std::vector<Plane> planes;
        for (std::uint32_t count = random.below(6); count > 0; --count) {
            Plane plane = {any_point(), any_float(random)};
            if (random.chance(2)) {
                // Near a corner as closely as a float can tell.
                const Vec3 corner = {random.chance(2) ? box.min.x : box.max.x,
                                     random.chance(2) ? box.min.y : box.max.y,
                                     random.chance(2) ? box.min.z : box.max.z};
                const float at = -dot(plane.normal, corner);
                if (is_finite(at)) plane.offset = moved_by_ulps(random, at);
            }
            for (const auto axis : {&Vec3::x, &Vec3::y, &Vec3::z}) {
                if (random.chance(4)) plane.normal.*axis = 0.0f;
            }
            planes.push_back(plane);
        }
        check(planes, box, counts);
    }
    CHECK(counts.met > 200);
    CHECK(counts.apart_by_several > 10);
}

TEST_CASE("planes near an edge or a corner are told apart by their last digits" * kLong) {
    Random random(63);
    Counts counts;
    for (int i = 0; i < 1500 * test_scale(); ++i) {
        INFO("pair " << i);
        // Planes through about the same point, just outside a corner of the box or just inside.
        const Vec3 corner = random_vec3(random, -3, 3);
        const Aabb box = {corner - Vec3{1, 2, 3}, corner};
        std::vector<Plane> planes;
        for (std::uint32_t count = 2 + random.below(3); count > 0; --count) {
            const Vec3 normal = random_vec3(random, -1, 1);
            planes.push_back({normal, moved_by_ulps(random, -dot(normal, corner))});
        }
        check(planes, box, counts);
    }
    CHECK(counts.met > 200);
    CHECK(counts.apart_by_several > 50);
}

TEST_CASE("a plane that passes a corner closer than doubles can tell is on the right side of it" * kLong) {
    Random random(65);
    int close_count = 0;
    for (int i = 0; i < 4000 * test_scale(); ++i) {
        INFO("pair " << i);
        // Component by component the rest of the side gets smaller, by a float's digits each time.
        Plane plane = {random_vec3(random, 0.5f, 2), 0};
        Vec3 corner = random_vec3(random, 0.5f, 2);
        const auto product = [](float a, float b) {
            return static_cast<long double>(a) * static_cast<long double>(b);
        };
        const auto side = [&] {
            return product(plane.normal.x, corner.x) + product(plane.normal.y, corner.y) +
                   product(plane.normal.z, corner.z) + static_cast<long double>(plane.offset);
        };
        corner.z = 0;
        corner.z = static_cast<float>(-side() / static_cast<long double>(plane.normal.z));
        plane.offset = static_cast<float>(-side());
        close_count += std::fabs(side()) < 0x1p-47L ? 1 : 0;
        const Aabb box = {corner - Vec3{1, 2, 3}, corner};
        CHECK(overlap(ConvexVolume{{&plane, 1}}, box) == has_common_point({&plane, 1}, box));
    }
    CHECK(close_count > 1000);
}

TEST_CASE("four planes that leave no point, or one, are decided where doubles cannot tell") {
    const Aabb box = {{-10, -10, -10}, {10, 10, 10}};
    for (const float more : {-0x1p-60f, 0.0f, 0x1p-60f}) {
        for (const float sign : {-1.0f, 1.0f}) {
            INFO("more " << more << ", sign " << sign);
            // Above 1, 1 and `more`; and the sum of the coordinates is no more than 2.
            Plane planes[] = {
                {{sign, 0, 0}, -1}, {{0, sign, 0}, -1}, {{0, 0, sign}, -more}, {{-sign, -sign, -sign}, 2}};
            for (int turn = 0; turn < 4; ++turn) {
                CHECK(overlap(ConvexVolume{planes}, box) == (more <= 0));
                CHECK(has_common_point(planes, box) == (more <= 0));
                std::rotate(std::begin(planes), std::begin(planes) + 1, std::end(planes));
            }
        }
    }
}

TEST_CASE("volumes without planes, without points, and invalid ones") {
    const Aabb unit = {{0, 0, 0}, {1, 1, 1}};
    CHECK(overlap(ConvexVolume{}, unit));
    CHECK(overlap(ConvexVolume{}, {{-kInfinity, 0, 0}, {kInfinity, 1, 1}}));
    CHECK_FALSE(overlap(ConvexVolume{}, Aabb::empty()));
    const Plane apart[] = {{{1, 0, 0}, -0.5f}, {{-1, 0, 0}, 0.25f}};
    CHECK_FALSE(overlap(ConvexVolume{apart}, unit));
    const Plane one_point[] = {{{1, 0, 0}, -0.5f}, {{-1, 0, 0}, 0.5f}};
    CHECK(overlap(ConvexVolume{one_point}, unit));
    const Plane all = {{0, 0, 0}, 0};
    CHECK(overlap(ConvexVolume{{&all, 1}}, unit));
    const Plane none = {{0, 0, 0}, -kDenormal};
    CHECK_FALSE(overlap(ConvexVolume{{&none, 1}}, unit));
    const Plane invalid = {{0, 0, kInfinity}, 0};
    CHECK_FALSE(overlap(ConvexVolume{{&invalid, 1}}, unit));
}

TEST_CASE("a tree finds for a volume of any number of planes what the single function finds, on every ISA") {
    for_each_isa([](Isa) {
        Random random(64);
        BoxSoa boxes;
        for (int i = 0; i < 300; ++i) {
            REQUIRE(boxes.push_back(random.chance(16) ? adversarial_box(random) : random_box(random, 9, 2)) ==
                    Status::ok);
        }
        BoxTree tree;
        REQUIRE(tree.build(boxes.view()) == Status::ok);
        BoxScratch scratch;
        PairBuffer found;
        for (std::size_t count = 0; count < 24; ++count) {
            std::vector<Plane> planes;
            for (std::size_t i = 0; i < count; ++i) {
                const Vec3 normal = random_vec3(random, -1, 1);
                planes.push_back({normal, random.uniform(2, 9)});
            }
            const ConvexVolume volume = {planes};
            REQUIRE(tree.find_overlaps(volume, {}, scratch, found).status == Status::ok);
            std::size_t next = 0;
            for (std::uint32_t i = 0; i < boxes.view().count; ++i) {
                if (!overlap(volume, boxes.view()[i])) continue;
                REQUIRE(next < found.size());
                REQUIRE(found[next++].second == i);
            }
            REQUIRE(next == found.size());
        }
    });
}
