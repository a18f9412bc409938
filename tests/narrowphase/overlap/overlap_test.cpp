// Static overlap: the rule itself, and every ISA against it.
#include "tests/support/for_each_isa.hpp"
#include "tests/support/generators.hpp"
#include "tests/support/guarded_boxes.hpp"

#include <broadside/overlap.hpp>

#include <cmath>

using namespace broadside;
using namespace broadside::test;

namespace {

// Independent of the library's formula: the largest min must not pass the smallest max, in doubles, on each
// axis.
bool overlap_in_doubles(const Aabb& a, const Aabb& b) {
    const double mins[2][3] = {{a.min.x, a.min.y, a.min.z}, {b.min.x, b.min.y, b.min.z}};
    const double maxs[2][3] = {{a.max.x, a.max.y, a.max.z}, {b.max.x, b.max.y, b.max.z}};
    for (int axis = 0; axis < 3; ++axis) {
        for (int box = 0; box < 2; ++box) {
            if (std::isnan(mins[box][axis]) || std::isnan(maxs[box][axis])) return false;
            if (mins[box][axis] > maxs[box][axis]) return false;
            if (mins[box][axis] > FLT_MAX || maxs[box][axis] < -FLT_MAX) return false;
        }
        if (std::fmax(mins[0][axis], mins[1][axis]) > std::fmin(maxs[0][axis], maxs[1][axis])) return false;
    }
    return true;
}

constexpr Aabb kUnit = {{0, 0, 0}, {1, 1, 1}};

}  // namespace

TEST_CASE("A1: boxes that share only a face, an edge or a corner overlap, a gap of one ulp does not") {
    const float past_one = std::nextafterf(1.0f, 2.0f);
    for (int touching_axes = 1; touching_axes < 8; ++touching_axes) {
        const auto start = [&](int axis, float at) { return (touching_axes >> axis & 1) != 0 ? at : 0.5f; };
        const Vec3 touch = {start(0, 1.0f), start(1, 1.0f), start(2, 1.0f)};
        const Vec3 apart = {start(0, past_one), start(1, past_one), start(2, past_one)};
        CHECK(overlap(kUnit, {touch, touch + Vec3{1, 1, 1}}));
        CHECK(overlap({touch, touch + Vec3{1, 1, 1}}, kUnit));
        CHECK_FALSE(overlap(kUnit, {apart, apart + Vec3{1, 1, 1}}));
        CHECK_FALSE(overlap({apart, apart + Vec3{1, 1, 1}}, kUnit));
    }
}

TEST_CASE("A2: the common box is written only if there is one, and has zero thickness on touch") {
    Aabb common = {{7, 7, 7}, {8, 8, 8}};
    const Aabb sentinel = common;
    CHECK_FALSE(overlap(kUnit, {{2, 0, 0}, {3, 1, 1}}, &common));
    CHECK(common == sentinel);
    CHECK(overlap(kUnit, {{1, 0.5f, -1}, {3, 2, 0.25f}}, &common));
    CHECK(common == Aabb{{1, 0.5f, 0}, {1, 1, 0.25f}});
    CHECK(overlap(kUnit, kUnit, nullptr));
}

TEST_CASE("A3: each of the six comparisons alone separates two boxes") {
    for (int axis = 0; axis < 3; ++axis) {
        for (const float shift : {-1.5f, 1.5f}) {
            const Vec3 offset = {axis == 0 ? shift : 0, axis == 1 ? shift : 0, axis == 2 ? shift : 0};
            CHECK_FALSE(overlap(kUnit, {kUnit.min + offset, kUnit.max + offset}));
        }
    }
}

TEST_CASE("G1: one disjoint axis is enough to separate; boxes that meet on two axes do not overlap") {
    CHECK_FALSE(overlap(kUnit, {{0, 0, 2}, {1, 1, 3}}));
}

TEST_CASE("G4: a NaN box overlaps nothing; in the texts' reject form it overlaps everything") {
    const auto reject_form = [](const Aabb& a, const Aabb& b) {
        if (a.min.x > b.max.x || a.max.x < b.min.x) return false;
        if (a.min.y > b.max.y || a.max.y < b.min.y) return false;
        if (a.min.z > b.max.z || a.max.z < b.min.z) return false;
        return true;
    };
    const Aabb nan_box = {{kNaN, kNaN, kNaN}, {kNaN, kNaN, kNaN}};
    CHECK(reject_form(nan_box, {{5, 5, 5}, {6, 6, 6}}));
    CHECK_FALSE(overlap(nan_box, {{5, 5, 5}, {6, 6, 6}}));
    CHECK_FALSE(overlap(nan_box, nan_box));
}

TEST_CASE(
    "inverted boxes and boxes at infinity overlap nothing, infinite boxes overlap everything in their "
    "extent") {
    const Aabb everything = {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
    CHECK(overlap(everything, kUnit));
    CHECK(overlap(everything, everything));
    CHECK_FALSE(overlap(everything, Aabb::empty()));
    CHECK_FALSE(overlap(everything, {{1, 0, 0}, {0, 1, 1}}));
    CHECK_FALSE(overlap(everything, {{kInfinity, 0, 0}, {kInfinity, 1, 1}}));
    CHECK_FALSE(overlap(everything, {{0, -kInfinity, 0}, {1, -kInfinity, 1}}));
}

TEST_CASE(
    "overlaps returns the bits of the scalar rule on every ISA, count and alignment, reading nothing "
    "past the end") {
    for_each_isa([](Isa) {
        Random random(1);
        for (const std::size_t count : awkward_counts()) {
            std::vector<Aabb> list(count);
            for (Aabb& box : list) box = adversarial_box(random);
            const GuardedBoxes boxes(list);
            for (int round = 0; round < 4; ++round) {
                const Aabb box = adversarial_box(random);
                GuardedArray<std::uint64_t> out_bits(bit_word_count(count));
                REQUIRE(overlaps(box, boxes.view(), out_bits.span()).status == Status::ok);
                for (std::size_t i = 0; i < out_bits.size() * 64; ++i) {
                    const bool expected = i < count && overlap_in_doubles(box, list[i]);
                    REQUIRE((out_bits[i / 64] >> (i % 64) & 1) == (expected ? 1u : 0u));
                }
                if (count > 3) {
                    // The same boxes from an odd address on.
                    REQUIRE(overlaps(box, boxes.view().part(3, count - 3), out_bits.span()).status ==
                            Status::ok);
                    for (std::size_t i = 3; i < count; ++i) {
                        REQUIRE((out_bits[(i - 3) / 64] >> ((i - 3) % 64) & 1) ==
                                (overlap(box, list[i]) ? 1u : 0u));
                    }
                }
            }
        }
    });
}

TEST_CASE("overlaps of pairs returns the bits of the scalar rule on every ISA and count") {
    for_each_isa([](Isa) {
        Random random(2);
        std::vector<Aabb> list_a(37);
        std::vector<Aabb> list_b(53);
        for (Aabb& box : list_a) box = adversarial_box(random);
        for (Aabb& box : list_b) box = adversarial_box(random);
        const GuardedBoxes a(list_a);
        const GuardedBoxes b(list_b);
        for (const std::size_t count : awkward_counts()) {
            GuardedArray<IndexPair> pairs(count);
            for (IndexPair& pair : pairs.span()) pair = {random.below(37), random.below(53)};
            GuardedArray<std::uint64_t> out_bits(bit_word_count(count));
            REQUIRE(overlaps(a.view(), b.view(), pairs.span(), out_bits.span()).status == Status::ok);
            for (std::size_t i = 0; i < out_bits.size() * 64; ++i) {
                const bool expected =
                    i < count && overlap_in_doubles(list_a[pairs[i].first], list_b[pairs[i].second]);
                REQUIRE((out_bits[i / 64] >> (i % 64) & 1) == (expected ? 1u : 0u));
            }
        }
    });
}

TEST_CASE("invalid arguments of the overlap batches are reported and nothing is written") {
    const GuardedBoxes boxes(std::vector<Aabb>(3, kUnit));
    std::uint64_t word = 0xABCD;
    CHECK(overlaps(kUnit, boxes.view(), {}).status == Status::capacity_exceeded);
    CHECK(overlaps(kUnit, BoxSoaView{.count = 2}, {&word, 1}).status == Status::invalid_argument);
    const IndexPair pairs[] = {{0, 1}, {1, 3}};
    const BatchResult result = overlaps(boxes.view(), boxes.view(), pairs, {&word, 1});
    CHECK(result.status == Status::invalid_argument);
    CHECK(result.bad_index == 1);
    CHECK(word == 0xABCD);
}
