// Spheres over the whole range of float, against integers of any size: the error of a decision by squares in
// double precision, and that all functions agree.
#include <broadside/box_tree.hpp>
#include <broadside/capsule_box.hpp>
#include <broadside/moving_sphere.hpp>
#include <broadside/sphere_overlap.hpp>

#include "tests/support/exact_squares.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/guarded_columns.hpp"
#include "tests/support/test_scale.hpp"

using namespace broadside;
using namespace broadside::test;
using namespace broadside::test::solids;

namespace {

// A decision is right, or distance and reach differ by less than 2^-`bits` of the reach.
bool is_right(bool is_within, const mpz_class& distance_sq, const mpz_class& reach, unsigned bits) {
    const mpz_class reach_sq = reach * reach;
    if (is_within == (distance_sq <= reach_sq)) return true;
    const mpz_class difference = abs(distance_sq - reach_sq);
    return (difference << (bits - 1)) <= reach_sq;
}

bool bit(std::span<const std::uint64_t> bits, std::size_t index) {
    return (bits[index / 64] >> index % 64 & 1) != 0;
}

// A center, and a corner about a reach away from it.
struct Case {
    Vec3 center;
    Vec3 corner;
    float reach;
};
Case any_case(Random& random) {
    Case made;
    const WholeDiagonal diagonal = any_whole_diagonal(random);
    const float scale = any_power_of_two(random);
    const float dust = random.chance(2) ? std::numeric_limits<float>::denorm_min() : scale * 0x1p-40f;
    const auto place = [&] { return random.chance(2) ? 0.0f : random.grid(-2, 2) * dust; };
    made.center = {place(), place(), place()};
    made.corner = diagonal.sides * scale;
    made.corner.x = moved_by_ulps(random, made.corner.x);
    made.reach = max_keep(moved_by_ulps(random, diagonal.length * scale), 0.0f);
    if (random.chance(2)) {
        const float reach = 1.0f + random.unit();
        const float size = std::ldexp(1.0f, static_cast<int>(random.below(200)) - 100);
        made.center = {};
        made.corner = sides_of_square(random, static_cast<double>(reach) * static_cast<double>(reach)) * size;
        made.reach = reach * size;
    }
    if (random.chance(4)) made.corner = {any_float(random), any_float(random), any_float(random)};
    if (random.chance(8)) made.reach = absolute(any_float(random));
    return made;
}

}  // namespace

TEST_CASE("spheres overlap spheres and hold points correctly to 2^-51 at every scale, by every function") {
    Random random(81);
    constexpr std::size_t kCount = 500;
    std::vector<Sphere> spheres;
    std::vector<Sphere> others;
    for (std::size_t i = 0; i < kCount * static_cast<std::size_t>(test_scale()); ++i) {
        const Case made = any_case(random);
        const float part = random.chance(2) ? 0.0f : made.reach * random.unit();
        const Sphere sphere = {made.center, made.reach - part};
        const Sphere other = {made.corner, part};
        INFO("case " << i);
        const mpz_class distance_sq = exact_distance_sq({made.corner, made.corner}, made.center);
        const bool is_overlap = overlap(sphere, other);
        REQUIRE(is_right(is_overlap, distance_sq, in_units(sphere.radius) + in_units(part), 51));
        REQUIRE(is_right(contains(sphere, made.corner), distance_sq, in_units(sphere.radius), 51));
        REQUIRE((time_of_impact(sphere, other, {}, {}) == 0.0f) == is_overlap);
        spheres.push_back(sphere);
        others.push_back(other);
    }
    for_each_isa([&](Isa) {
        const GuardedSpheres arrays(others);
        std::vector<std::uint64_t> bits(bit_word_count(others.size()));
        for (std::size_t i = 0; i < spheres.size(); i += 50) {
            REQUIRE(overlaps(spheres[i], arrays.view(), bits).status == Status::ok);
            for (std::size_t k = 0; k < others.size(); ++k) {
                REQUIRE(bit(bits, k) == overlap(spheres[i], others[k]));
            }
        }
    });
}

TEST_CASE("spheres overlap boxes exactly at every scale, and a tree's spheres and casts do the same") {
    Random random(82);
    constexpr std::size_t kCount = 300;
    std::vector<Aabb> boxes;
    std::vector<Sphere> spheres;
    for (std::size_t i = 0; i < kCount; ++i) {
        const Case made = any_case(random);
        const auto away = [&](float from, float to) {
            if (random.chance(2)) return to;
            return from <= to ? max_keep(any_float(random), to) : min_keep(any_float(random), to);
        };
        const Vec3 end = {away(made.center.x, made.corner.x), away(made.center.y, made.corner.y),
                          away(made.center.z, made.corner.z)};
        boxes.push_back(include(include(Aabb::empty(), made.corner), end));
        spheres.push_back({made.center, made.reach});
    }
    const GuardedBoxes arrays(boxes);
    for_each_isa([&](Isa isa) {
        BoxTree tree;
        REQUIRE(tree.build(arrays.view()) == Status::ok);
        BoxScratch scratch;
        PairBuffer found;
        REQUIRE(tree.find_overlaps(spheres, {}, scratch, found).status == Status::ok);
        std::vector<SphereCast> casts;
        for (const Sphere& sphere : spheres) casts.push_back({sphere, {}});
        AlignedArray<Listed<TreeHit>> hits;
        REQUIRE(tree.find_hits(casts, {}, scratch, hits).status == Status::ok);
        std::vector<std::uint64_t> bits(bit_word_count(boxes.size()));
        std::size_t next = 0;
        for (std::uint32_t i = 0; i < spheres.size(); ++i) {
            REQUIRE(overlaps(spheres[i], arrays.view(), bits).status == Status::ok);
            for (std::uint32_t k = 0; k < boxes.size(); ++k) {
                INFO("sphere " << i << ", box " << k);
                const bool is_overlap = overlap(spheres[i], boxes[k]);
                REQUIRE(bit(bits, k) == is_overlap);
                if (isa == Isa::scalar && (k == i || random.chance(16))) {
                    const mpz_class distance_sq = exact_distance_sq(boxes[k], spheres[i].center);
                    REQUIRE(is_overlap == (distance_sq <= exact_square(spheres[i].radius)));
                }
                const Vec3 center = spheres[i].center;
                REQUIRE(overlap(Capsule{center, center, spheres[i].radius}, boxes[k]) == is_overlap);
                if (!is_overlap) continue;
                REQUIRE(next < found.size());
                REQUIRE((found[next] == IndexPair{i, k}));
                REQUIRE((hits[next] == Listed<TreeHit>{i, {k, 0.0f, Face::none}}));
                ++next;
            }
        }
        REQUIRE(next == found.size());
        REQUIRE(next == hits.size());
    });
}
