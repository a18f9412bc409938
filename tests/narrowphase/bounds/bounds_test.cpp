// Bounds of spheres, oriented boxes and transformed boxes: every ISA against the specification, that against
// core and against 113-bit arithmetic, and the edge cases of docs/edge_semantics.md.
#include "tests/narrowphase/sphere/closest_point_oracle.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/guarded_columns.hpp"

#include <broadside/bounds.hpp>
#include <broadside/transform.hpp>

#include <algorithm>

using namespace broadside;
using namespace broadside::test;
using namespace broadside::test::solids;

namespace {

constexpr Rounding kRoundings[] = {Rounding::nearest, Rounding::outward};

// Six guarded arrays for boxes.
struct Target {
    GuardedArray<float> min_x, min_y, min_z, max_x, max_y, max_z;

    explicit Target(std::size_t count)
        : min_x(count), min_y(count), min_z(count), max_x(count), max_y(count), max_z(count) {}
    BoxSoaSpan span() {
        return {min_x.data(), min_y.data(), min_z.data(), max_x.data(),
                max_y.data(), max_z.data(), min_x.size()};
    }
    Aabb operator[](std::size_t i) {
        return {{min_x[i], min_y[i], min_z[i]}, {max_x[i], max_y[i], max_z[i]}};
    }
};

bool same_box(const Aabb& a, const Aabb& b) {
    return same_bits(a.min.x, b.min.x) && same_bits(a.min.y, b.min.y) && same_bits(a.min.z, b.min.z) &&
           same_bits(a.max.x, b.max.x) && same_bits(a.max.y, b.max.y) && same_bits(a.max.z, b.max.z);
}

Transform adversarial_transform(Random& random) {
    const auto element = [&] {
        if (random.chance(4)) return random.chance(2) ? 0.0f : -0.0f;
        if (random.chance(24)) return special_float(random);
        return random.uniform(-2, 2);
    };
    const auto row = [&] {
        const float x = element();
        const float y = element();
        return Vec3{x, y, element()};
    };
    const Vec3 x = row(), y = row(), z = row();
    return {x, y, z, adversarial_vector(random)};
}

// One item, as a batch of one.
template <class Call>
Aabb one_by(Call call) {
    float sides[6] = {};
    REQUIRE(call(BoxSoaSpan{sides, sides + 1, sides + 2, sides + 3, sides + 4, sides + 5, 1}).status ==
            Status::ok);
    return {{sides[0], sides[1], sides[2]}, {sides[3], sides[4], sides[5]}};
}
Aabb one(const Sphere& s, Rounding rounding) {
    const SphereSoaView view = {&s.center.x, &s.center.y, &s.center.z, &s.radius, 1};
    return one_by([&](const BoxSoaSpan& out) { return bounds(view, rounding, out); });
}
Aabb one(const Obb& obb, Rounding rounding) {
    return one_by([&](const BoxSoaSpan& out) { return bounds({&obb, 1}, rounding, out); });
}
Aabb one(const Transform& transform, const Aabb& box, Rounding rounding) {
    const BoxSoaView view = {&box.min.x, &box.min.y, &box.min.z, &box.max.x, &box.max.y, &box.max.z, 1};
    return one_by([&](const BoxSoaSpan& out) { return transformed_bounds(transform, view, rounding, out); });
}

bool is_empty_box(const Aabb& box) { return same_box(box, Aabb::empty()); }

// True if `box` holds min and max, and is at most `slack` larger.
bool holds(const Aabb& box, QuadVector min, QuadVector max, QuadVector slack) {
    return box.min.x <= min.x && box.min.y <= min.y && box.min.z <= min.z && box.max.x >= max.x &&
           box.max.y >= max.y && box.max.z >= max.z && min.x - box.min.x <= slack.x &&
           min.y - box.min.y <= slack.y && min.z - box.min.z <= slack.z && box.max.x - max.x <= slack.x &&
           box.max.y - max.y <= slack.y && box.max.z - max.z <= slack.z;
}

QuadVector absolute(QuadVector a) {
    return {a.x < 0 ? -a.x : a.x, a.y < 0 ? -a.y : a.y, a.z < 0 ? -a.z : a.z};
}

constexpr Transform kIdentity = {};
constexpr Sphere kUnit = {{1, 2, 3}, 1};

}  // namespace

TEST_CASE("batched bounds have the same bits on every ISA and count, and nearest ones those of core") {
    Random random(1);
    for (const std::size_t count : awkward_counts()) {
        const std::vector<Sphere> sphere_list = list_of<Sphere>(random, count, adversarial_sphere);
        const std::vector<Obb> obb_list = list_of<Obb>(random, count, adversarial_obb);
        const std::vector<Aabb> box_list = list_of<Aabb>(random, count, adversarial_box);
        const std::vector<Transform> transforms = list_of<Transform>(random, count, adversarial_transform);
        const GuardedSpheres spheres(sphere_list);
        const GuardedArray<Obb> obbs(obb_list);
        const GuardedBoxes boxes(box_list);
        const GuardedArray<Transform> transform_array(transforms);
        const Transform transform = adversarial_transform(random);
        for (const Rounding rounding : kRoundings) {
            std::vector<Aabb> expected;
            for_each_isa([&](Isa isa) {
                std::vector<Aabb> results;
                const auto take = [&](Target& out) {
                    for (std::size_t i = 0; i < count; ++i) results.push_back(out[i]);
                };
                Target out(count);
                REQUIRE(bounds(spheres.view(), rounding, out.span()).status == Status::ok);
                take(out);
                REQUIRE(bounds({obbs.data(), count}, rounding, out.span()).status == Status::ok);
                take(out);
                REQUIRE(transformed_bounds(transform, boxes.view(), rounding, out.span()).status ==
                        Status::ok);
                take(out);
                REQUIRE(
                    transformed_bounds({transform_array.data(), count}, boxes.view(), rounding, out.span())
                        .status == Status::ok);
                take(out);
                if (isa == Isa::scalar) expected = results;
                for (std::size_t i = 0; i < results.size(); ++i) {
                    REQUIRE(same_box(results[i], expected[i]));
                    REQUIRE_FALSE(std::isnan(results[i].min.x + 0.0f));
                    REQUIRE((is_empty_box(results[i]) || !is_empty(results[i])));
                }
            });
            if (rounding != Rounding::nearest) continue;
            for (std::size_t i = 0; i < count; ++i) {
                if (is_valid(sphere_list[i])) REQUIRE(same_box(expected[i], bounds(sphere_list[i])));
                if (is_valid(obb_list[i])) REQUIRE(same_box(expected[count + i], bounds(obb_list[i])));
                const Aabb box = expected[3 * count + i];
                if (!is_empty_box(box))
                    REQUIRE(same_box(box, transformed_bounds(transforms[i], box_list[i])));
            }
        }
    }
}

TEST_CASE("B18: outward bounds hold the exact box, and are larger only by the documented pad") {
    Random random(2);
    for (int round = 0; round < 60000; ++round) {
        const float scale = std::ldexp(1.0f, static_cast<int>(random.below(16)) * 16 - 144);
        const Vec3 away = random.chance(3) ? random_vector(random, 1e3f * scale) : Vec3{};
        const auto relative = [](QuadVector size) {
            return size * 0x1p-20 + QuadVector{0x1p-145, 0x1p-145, 0x1p-145};
        };
        const Vec3 h = Vec3{random.unit(), random.unit(), random.unit()} * scale;

        const Sphere sphere = {random_vector(random, scale) + away, h.x};
        const QuadVector c = quad(sphere.center), r = QuadVector{1, 1, 1} * sphere.radius;
        REQUIRE(holds(one(sphere, Rounding::outward), c - r, c + r, relative(absolute(c) + r)));

        const Obb obb = turned_box(random, random_vector(random, scale) + away, h);
        const QuadVector reach = absolute(quad(obb.axis_x)) * obb.half_extent.x +
                                 absolute(quad(obb.axis_y)) * obb.half_extent.y +
                                 absolute(quad(obb.axis_z)) * obb.half_extent.z;
        const QuadVector center = quad(obb.center);
        REQUIRE(holds(one(obb, Rounding::outward), center - reach, center + reach,
                      relative(absolute(center) + reach)));

        const Vec3 x = random_vector(random, 2), y = random_vector(random, 2), z = random_vector(random, 2);
        const Transform t = {x, y, z, random_vector(random, scale) + away};
        const Vec3 corner = random_vector(random, scale);
        const Aabb box = {corner, corner + h};
        QuadVector min = {1e38, 1e38, 1e38}, max = {-1e38, -1e38, -1e38}, size = {0, 0, 0};
        for (unsigned i = 0; i < 8; ++i) {
            const QuadVector p = {(i & 1u) != 0 ? box.max.x : box.min.x,
                                  (i & 2u) != 0 ? box.max.y : box.min.y,
                                  (i & 4u) != 0 ? box.max.z : box.min.z};
            const QuadVector q =
                QuadVector{dot(quad(x), p), dot(quad(y), p), dot(quad(z), p)} + quad(t.translation);
            min = {std::min(min.x, q.x), std::min(min.y, q.y), std::min(min.z, q.z)};
            max = {std::max(max.x, q.x), std::max(max.y, q.y), std::max(max.z, q.z)};
            const QuadVector s = {dot(absolute(quad(x)), absolute(p)), dot(absolute(quad(y)), absolute(p)),
                                  dot(absolute(quad(z)), absolute(p))};
            size = {std::max(size.x, s.x), std::max(size.y, s.y), std::max(size.z, s.z)};
        }
        REQUIRE(
            holds(one(t, box, Rounding::outward), min, max, relative(size + absolute(quad(t.translation)))));
    }
}

TEST_CASE("batches of bounds write nothing if their arguments are invalid") {
    Random random(3);
    const GuardedBoxes boxes(list_of<Aabb>(random, 4, adversarial_box));
    Target out(3);
    out.min_x[0] = 42;
    CHECK(transformed_bounds(kIdentity, boxes.view(), Rounding::nearest, out.span()).status ==
          Status::capacity_exceeded);
    const Transform transforms[3];
    Target enough(4);
    CHECK(transformed_bounds(transforms, boxes.view(), Rounding::nearest, enough.span()).status ==
          Status::invalid_argument);
    CHECK(bounds({nullptr, nullptr, nullptr, nullptr, 1}, Rounding::nearest, out.span()).status ==
          Status::invalid_argument);
    CHECK(out.min_x[0] == 42.0f);
    BoxSoa owner;
    REQUIRE(owner.resize(4) == Status::ok);
    CHECK(transformed_bounds(kIdentity, boxes.view(), Rounding::nearest, owner).status == Status::ok);
}

TEST_CASE(
    "edge transforms/touching: a box under the identity keeps its faces, so touching boxes still touch") {
    const Aabb box = {{0, -1, 0.5f}, {1, 0, 2}};
    CHECK(one(kIdentity, box, Rounding::nearest) == box);
    CHECK(overlap(one(kIdentity, box, Rounding::nearest), Aabb{{1, 0, 2}, {2, 2, 3}}));
    CHECK(one(kUnit, Rounding::nearest) == Aabb{{0, 1, 2}, {2, 3, 4}});
}

TEST_CASE("edge transforms/inside: the outward box holds the nearest one") {
    Random random(4);
    for (int round = 0; round < 2000; ++round) {
        const Transform t = {random_vector(random, 2), random_vector(random, 2), random_vector(random, 2),
                             random_vector(random, 9)};
        const Aabb box = random_box(random, 4, 3);
        REQUIRE(contains(one(t, box, Rounding::outward), one(t, box, Rounding::nearest)));
        const Obb obb = turned_box(random, random_vector(random, 4), random_box(random, 0, 3).max);
        REQUIRE(contains(one(obb, Rounding::outward), one(obb, Rounding::nearest)));
    }
}

TEST_CASE("edge transforms/parallel: a quarter turn maps axes to axes and is exact") {
    const Transform quarter = {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}, {10, 0, 0}};
    CHECK(one(quarter, Aabb{{1, 2, 3}, {4, 6, 8}}, Rounding::nearest) == Aabb{{4, 1, 3}, {8, 4, 8}});
    const Obb obb = {{1, 1, 0}, {0, 1, 0}, {-1, 0, 0}, {0, 0, 1}, {2, 1, 0.5f}};
    CHECK(one(obb, Rounding::nearest) == Aabb{{0, -1, -0.5f}, {2, 3, 0.5f}});
}

TEST_CASE("edge transforms/zero length: a zero row flattens its axis to the translation") {
    const Transform flat = {{1, 0, 0}, {0, -0.0f, 0}, {0, 0, 1}, {0, 7, 0}};
    CHECK(one(flat, Aabb{{1, 2, 3}, {4, 6, 8}}, Rounding::nearest) == Aabb{{1, 7, 3}, {4, 7, 8}});
}

TEST_CASE("edge transforms/zero size: points, segments and rectangles keep their size") {
    const Transform moved = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    CHECK(one(moved, Aabb{{1, 2, 3}, {1, 2, 3}}, Rounding::nearest) == Aabb{{2, 3, 4}, {2, 3, 4}});
    CHECK(one(Sphere{{1, 2, 3}, 0}, Rounding::nearest) == Aabb{{1, 2, 3}, {1, 2, 3}});
    CHECK(one(Obb{{1, 2, 3}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}}, Rounding::nearest) ==
          Aabb{{1, 2, 3}, {1, 2, 3}});
}

TEST_CASE("edge transforms/NaN: a NaN in shape or transform gives the empty box, never a NaN") {
    for (const Rounding rounding : kRoundings) {
        CHECK(is_empty_box(one(Sphere{{0, kNaN, 0}, 1}, rounding)));
        CHECK(is_empty_box(one(Sphere{{0, 0, 0}, kNaN}, rounding)));
        Obb obb;
        obb.axis_y.z = kNaN;
        CHECK(is_empty_box(one(obb, rounding)));
        CHECK(is_empty_box(one(kIdentity, Aabb{{0, 0, 0}, {1, kNaN, 1}}, rounding)));
        Transform transform;
        transform.row_y.x = kNaN;
        CHECK(is_empty_box(one(transform, Aabb{{0, 0, 0}, {1, 1, 1}}, rounding)));
    }
}

TEST_CASE(
    "edge transforms/infinity: infinite sides stay on the axes that they reach, other infinities give the "
    "empty box") {
    const Aabb half = {{0, 0, 0}, {kInfinity, 1, 1}};
    const Transform quarter = {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}, {}};
    for (const Rounding rounding : kRoundings) {
        const Aabb turned = one(quarter, half, rounding);
        CHECK(turned.max.y == kInfinity);
        CHECK(turned.min.y <= 0);
        CHECK(turned.min.y >= -1e-6f);
        CHECK(turned.max.x <= 1e-6f);
        Transform infinite;
        infinite.translation.x = kInfinity;
        CHECK(is_empty_box(one(infinite, Aabb{{0, 0, 0}, {1, 1, 1}}, rounding)));
        CHECK(is_empty_box(one(Sphere{{0, 0, 0}, kInfinity}, rounding)));
    }
    // An overflow of the true box is not lost: the outward box has the inner side.
    const Transform huge = {{1e30f, 0, 0}, {0, 1, 0}, {0, 0, 1}, {}};
    CHECK(one(huge, Aabb{{1e20f, 0, 0}, {2e20f, 1, 1}}, Rounding::outward).min.x <= FLT_MAX);
    CHECK(one(huge, Aabb{{1e20f, 0, 0}, {2e20f, 1, 1}}, Rounding::outward).max.x == kInfinity);
}

TEST_CASE("edge transforms/inverted: inverted boxes, negative radii and half extents give the empty box") {
    for (const Rounding rounding : kRoundings) {
        CHECK(is_empty_box(one(kIdentity, Aabb{{1, 0, 0}, {0, 1, 1}}, rounding)));
        CHECK(is_empty_box(one(Sphere{{0, 0, 0}, -1}, rounding)));
        CHECK(is_empty_box(one(Obb{{}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, -1, 1}}, rounding)));
    }
    // A mirror turns the interval round, not the box inside out.
    const Transform mirror = {{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {}};
    CHECK(one(mirror, Aabb{{1, 0, 0}, {2, 1, 1}}, Rounding::nearest) == Aabb{{-2, 0, 0}, {-1, 1, 1}});
}

TEST_CASE("edge transforms/denormal: denormal boxes are ordinary, and -0 is 0") {
    const float tiny = 0x1p-149f;
    CHECK(one(kIdentity, Aabb{{0, 0, 0}, {tiny, tiny, tiny}}, Rounding::nearest) ==
          Aabb{{0, 0, 0}, {tiny, tiny, tiny}});
    // Half the smallest number rounds to zero; the outward box holds it all the same.
    const Transform half = {{0.5f, 0, 0}, {0, 0.5f, 0}, {0, 0, 0.5f}, {}};
    CHECK(one(half, Aabb{{0, 0, 0}, {tiny, tiny, tiny}}, Rounding::outward).max.x >= tiny);
    CHECK(one(Transform{{-0.0f, 1, -0.0f}, {1, -0.0f, 0}, {0, 0, 1}, {}}, Aabb{{1, 2, 3}, {4, 6, 8}},
              Rounding::nearest) == Aabb{{2, 1, 3}, {6, 4, 8}});
}
