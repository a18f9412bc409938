// Ray against box in batches: every form on every ISA returns the bits of the single function.
#include "tests/narrowphase/ray/centered_cube.hpp"
#include "tests/narrowphase/ray/ray_box_support.hpp"
#include "tests/support/for_each_isa.hpp"

#include <algorithm>
#include <numeric>

using namespace broadside;
using namespace broadside::test;

namespace {

// The closest box by a loop of the single function over all boxes.
TreeHit closest_by_brute_force(const Ray& ray, const std::vector<Aabb>& boxes, const RaySettings& settings) {
    TreeHit closest;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const RaySolidHit hit = ray_box(ray, boxes[i], settings);
        if (!hit.has_hit) continue;
        if (closest.target != kNoBox && !(hit.t_enter < closest.t)) continue;
        closest = {static_cast<std::uint32_t>(i), hit.t_enter, hit.face};
    }
    return closest;
}

bool same(const TreeHit& a, const TreeHit& b) {
    return same_bits(a.t, b.t) && a.target == b.target && a.face == b.face;
}

}  // namespace

TEST_CASE("ray_boxes returns the bits of ray_box on every ISA, count, policy and alignment") {
    for_each_isa([](Isa) {
        Random random(1);
        for (const std::size_t count : awkward_counts()) {
            const std::vector<Aabb> list = adversarial_boxes(random, count);
            const GuardedBoxes boxes(list);
            for (int round = 0; round < 8; ++round) {
                const Ray ray = adversarial_ray(random, list);
                for (const Inside inside : kInsidePolicies) {
                    const RaySettings settings = {inside};
                    RayBoxResults results(count);
                    REQUIRE(ray_boxes(ray, boxes.view(), settings, results.outputs()).status == Status::ok);
                    for (std::size_t i = 0; i < count; ++i) {
                        REQUIRE(results.is(i, ray_box(ray, list[i], settings)));
                    }
                    REQUIRE(results.has_clean_tail());
                    if (count <= 3) continue;
                    // The same boxes from an odd address on.
                    RayBoxResults part(count - 3);
                    REQUIRE(
                        ray_boxes(ray, boxes.view().part(3, count - 3), settings, part.outputs()).status ==
                        Status::ok);
                    for (std::size_t i = 3; i < count; ++i) {
                        REQUIRE(part.is(i - 3, ray_box(ray, list[i], settings)));
                    }
                }
            }
        }
    });
}

TEST_CASE("every subset of the outputs of ray_boxes has the same values as all of them together") {
    for_each_isa([](Isa) {
        Random random(2);
        const std::size_t count = 45;
        const std::vector<Aabb> list = adversarial_boxes(random, count);
        const GuardedBoxes boxes(list);
        for (int round = 0; round < 20; ++round) {
            const Ray ray = adversarial_ray(random, list);
            RayBoxResults all(count);
            REQUIRE(ray_boxes(ray, boxes.view(), {}, all.outputs()).status == Status::ok);
            for (unsigned subset = 0; subset < 16; ++subset) {
                RayBoxResults some(count);
                RayOutputs outputs = some.outputs();
                if ((subset & 1) == 0) outputs.t_enter = {};
                if ((subset & 2) == 0) outputs.t_exit = {};
                if ((subset & 4) == 0) outputs.face = {};
                if ((subset & 8) == 0) outputs.hit_bits = {};
                REQUIRE(ray_boxes(ray, boxes.view(), {}, outputs).status == Status::ok);
                for (std::size_t i = 0; i < count; ++i) {
                    if ((subset & 1) != 0) REQUIRE(same_bits(some.t_enter[i], all.t_enter[i]));
                    if ((subset & 2) != 0) REQUIRE(same_bits(some.t_exit[i], all.t_exit[i]));
                    if ((subset & 4) != 0) REQUIRE(some.face[i] == all.face[i]);
                    if ((subset & 8) != 0) REQUIRE(some.hit_bit(i) == all.hit_bit(i));
                }
            }
        }
    });
}

TEST_CASE("many rays against many boxes give the bits of one ray at a time, also past the ends of tiles") {
    for_each_isa([](Isa) {
        Random random(3);
        const std::size_t shapes[][2] = {{0, 5},  {5, 0},    {1, 1},    {3, 17},   {7, 63},   {7, 64},
                                         {7, 65}, {63, 511}, {64, 512}, {65, 513}, {130, 33}, {2, 1100}};
        for (const auto& [ray_count, box_count] : shapes) {
            const std::vector<Aabb> list = adversarial_boxes(random, box_count);
            const GuardedArray<Ray> rays(adversarial_rays(random, ray_count, list));
            const GuardedBoxes boxes(list);
            const std::size_t row_words = bit_word_count(box_count);
            for (const Inside inside : kInsidePolicies) {
                GuardedArray<std::uint64_t> out_bits(ray_count * row_words);
                GuardedArray<std::uint64_t> row(row_words);
                REQUIRE(ray_boxes({rays.data(), ray_count}, boxes.view(), {inside}, out_bits.span()).status ==
                        Status::ok);
                for (std::size_t r = 0; r < ray_count; ++r) {
                    REQUIRE(
                        ray_boxes(rays.data()[r], boxes.view(), {inside}, {.hit_bits = row.span()}).status ==
                        Status::ok);
                    REQUIRE(std::equal(row.data(), row.data() + row_words, out_bits.data() + r * row_words));
                    // The result must also equal the single function's, on a sample.
                    for (std::size_t i = r % 7; i < box_count; i += 7) {
                        REQUIRE((row[i / 64] >> (i % 64) & 1) ==
                                (ray_box(rays.data()[r], list[i], {inside}).has_hit ? 1u : 0u));
                    }
                }
            }
        }
    });
}

TEST_CASE("the closest box is that of brute force, the lowest index among equals, on every ISA") {
    for_each_isa([](Isa) {
        Random random(4);
        std::size_t tie_count = 0;
        const std::size_t shapes[][2] = {{0, 5}, {5, 0}, {9, 1}, {20, 33}, {257, 700}, {3, 1100}};
        for (const auto& [ray_count, box_count] : shapes) {
            // Integer boxes among them: many share the entry plane and with it the exact t.
            const std::vector<Aabb> list = adversarial_boxes(random, box_count);
            const GuardedArray<Ray> rays(adversarial_rays(random, ray_count, list));
            const GuardedBoxes boxes(list);
            for (const Inside inside : kInsidePolicies) {
                GuardedArray<TreeHit> closest(ray_count);
                REQUIRE(
                    closest_hits({rays.data(), ray_count}, boxes.view(), {inside}, closest.span()).status ==
                    Status::ok);
                for (std::size_t r = 0; r < ray_count; ++r) {
                    REQUIRE(same(closest[r], closest_by_brute_force(rays.data()[r], list, {inside})));
                    for (std::size_t i = 0; i < box_count && closest[r].target != kNoBox; ++i) {
                        const RaySolidHit other = ray_box(rays.data()[r], list[i], {inside});
                        if (other.has_hit && other.t_enter == closest[r].t && i > closest[r].target) {
                            ++tie_count;
                        }
                    }
                }
            }
        }
        CHECK(tie_count > 500);
    });
}

TEST_CASE("equal boxes in every lane and tile: the first one is the closest") {
    for_each_isa([](Isa) {
        const Ray ray = {{-3, 0, 0}, {1, 0, 0}};
        for (const std::size_t first_hit : {0u, 1u, 15u, 16u, 511u, 512u, 600u}) {
            std::vector<Aabb> list(1200, Aabb{{-1, 5, -1}, {1, 6, 1}});
            for (std::size_t i = first_hit; i < list.size(); i += 3) list[i] = kCenteredCube;
            const GuardedBoxes boxes(list);
            TreeHit closest;
            REQUIRE(closest_hits({&ray, 1}, boxes.view(), {}, {&closest, 1}).status == Status::ok);
            CHECK(closest == TreeHit{static_cast<std::uint32_t>(first_hit), 2.0f, Face::min_x});
        }
    });
}

TEST_CASE("ray_boxes of pairs returns the bits of ray_box, for long runs of a ray, short runs and no runs") {
    for_each_isa([](Isa) {
        Random random(5);
        const std::vector<Aabb> list = adversarial_boxes(random, 61);
        const std::vector<Ray> ray_list = adversarial_rays(random, 23, list);
        const GuardedArray<Ray> rays(ray_list);
        const GuardedBoxes boxes(list);
        for (const std::size_t count : awkward_counts()) {
            for (const std::uint32_t run_length : {1u, 2u, 5u, 16u, 40u, 1000u}) {
                GuardedArray<IndexPair> pairs(count);
                std::uint32_t ray_index = 0;
                for (std::size_t i = 0; i < count; ++i) {
                    if (i == 0 || random.chance(run_length)) ray_index = random.below(23);
                    pairs[i] = {ray_index, random.below(61)};
                }
                const Inside inside = kInsidePolicies[run_length % 3];
                RayBoxResults results(count);
                REQUIRE(ray_boxes({rays.data(), 23}, boxes.view(), pairs.span(), {inside}, results.outputs())
                            .status == Status::ok);
                RayBoxResults without_face(count);
                RayOutputs outputs = without_face.outputs();
                outputs.face = {};
                REQUIRE(ray_boxes({rays.data(), 23}, boxes.view(), pairs.span(), {inside}, outputs).status ==
                        Status::ok);
                for (std::size_t i = 0; i < count; ++i) {
                    const RaySolidHit expected =
                        ray_box(ray_list[pairs[i].first], list[pairs[i].second], {inside});
                    REQUIRE(results.is(i, expected));
                    REQUIRE(same_bits(without_face.t_enter[i], expected.t_enter));
                    REQUIRE(same_bits(without_face.t_exit[i], expected.t_exit));
                    REQUIRE(without_face.hit_bit(i) == expected.has_hit);
                }
                REQUIRE(results.has_clean_tail());
            }
        }
    });
}

TEST_CASE("shuffled and split batches of pairs give every pair the same result") {
    for_each_isa([](Isa) {
        Random random(6);
        const std::vector<Aabb> list = adversarial_boxes(random, 50);
        const std::vector<Ray> rays = adversarial_rays(random, 9, list);
        const GuardedBoxes boxes(list);
        std::vector<IndexPair> pairs;
        for (std::uint32_t r = 0; r < 9; ++r) {
            for (std::uint32_t b = 0; b < 50; ++b) pairs.push_back({r, b});
        }
        RayBoxResults whole(pairs.size());
        REQUIRE(ray_boxes(rays, boxes.view(), pairs, {}, whole.outputs()).status == Status::ok);

        std::vector<std::size_t> order(pairs.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        for (std::size_t i = order.size(); i > 1; --i) {
            std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
        }
        std::vector<IndexPair> shuffled(pairs.size());
        for (std::size_t i = 0; i < order.size(); ++i) shuffled[i] = pairs[order[i]];
        for (std::size_t begin = 0; begin < shuffled.size();) {
            const std::size_t end = std::min(shuffled.size(), begin + 1 + random.below(40));
            RayBoxResults part(end - begin);
            REQUIRE(ray_boxes(rays, boxes.view(), std::span(shuffled).subspan(begin, end - begin), {},
                              part.outputs())
                        .status == Status::ok);
            for (std::size_t i = begin; i < end; ++i) {
                REQUIRE(same_bits(part.t_enter[i - begin], whole.t_enter[order[i]]));
                REQUIRE(same_bits(part.t_exit[i - begin], whole.t_exit[order[i]]));
                REQUIRE(part.face[i - begin] == whole.face[order[i]]);
                REQUIRE(part.hit_bit(i - begin) == whole.hit_bit(order[i]));
            }
            begin = end;
        }
    });
}

TEST_CASE("conservative batches return the bits of the conservative single function on every ISA") {
    for_each_isa([](Isa) {
        Random random(8);
        for (const std::size_t count : {1u, 5u, 17u, 64u, 130u}) {
            const std::vector<Aabb> list = adversarial_boxes(random, count);
            const std::vector<Ray> rays = adversarial_rays(random, 20, list);
            const GuardedBoxes boxes(list);
            for (const Inside inside : kInsidePolicies) {
                const RaySettings settings = {inside, true};
                const std::size_t row_words = bit_word_count(count);
                std::vector<std::uint64_t> bits(rays.size() * row_words);
                REQUIRE(ray_boxes(rays, boxes.view(), settings, bits).status == Status::ok);
                std::vector<TreeHit> closest(rays.size());
                REQUIRE(closest_hits(rays, boxes.view(), settings, closest).status == Status::ok);
                std::vector<IndexPair> pairs;
                for (std::uint32_t r = 0; r < rays.size(); ++r) {
                    RayBoxResults results(count);
                    REQUIRE(ray_boxes(rays[r], boxes.view(), settings, results.outputs()).status ==
                            Status::ok);
                    for (std::uint32_t i = 0; i < count; ++i) {
                        const RaySolidHit expected = ray_box(rays[r], list[i], settings);
                        REQUIRE(results.is(i, expected));
                        REQUIRE((bits[r * row_words + i / 64] >> (i % 64) & 1) ==
                                (expected.has_hit ? 1u : 0u));
                        pairs.push_back({(r * 7 + i) % 20, i});
                    }
                    REQUIRE(same(closest[r], closest_by_brute_force(rays[r], list, settings)));
                }
                RayBoxResults results(pairs.size());
                REQUIRE(ray_boxes(rays, boxes.view(), pairs, settings, results.outputs()).status ==
                        Status::ok);
                for (std::size_t i = 0; i < pairs.size(); ++i) {
                    REQUIRE(results.is(i, ray_box(rays[pairs[i].first], list[pairs[i].second], settings)));
                }
            }
        }
    });
}

TEST_CASE(
    "large batches, whose results are streamed to memory, have the bits of small ones at every alignment") {
    // Twice the size from which results are streamed.
    constexpr std::size_t kCount = (std::size_t{1} << 20) + 40;
    Random random(9);
    BoxSoa boxes;
    REQUIRE(boxes.resize(kCount) == Status::ok);
    const std::vector<Aabb> some = adversarial_boxes(random, 509);
    for (std::size_t i = 0; i < kCount; ++i) boxes.set(i, some[i % some.size()]);
    const Ray ray = {{-6, 0.5f, 0.25f}, {1, 0.125f, -0.0625f}};
    for_each_isa([&](Isa) {
        std::vector<float> out(kCount + 5, 7.0f);
        for (const std::size_t offset : {0u, 1u, 4u}) {
            REQUIRE(ray_boxes(ray, boxes, {}, {.t_enter = std::span(out).subspan(offset, kCount)}).status ==
                    Status::ok);
            bool is_same = true;
            std::vector<float> expected;
            for (const Aabb& box : some) expected.push_back(ray_box(ray, box).t_enter);
            for (std::size_t i = 0; i < kCount; ++i) {
                is_same = is_same && same_bits(out[offset + i], expected[i % some.size()]);
            }
            REQUIRE(is_same);
            REQUIRE(out[offset + kCount] == 7.0f);
            out[offset] = 7.0f;
        }
    });
}

TEST_CASE("invalid arguments of the ray batches are reported and nothing is written") {
    const GuardedBoxes boxes(std::vector<Aabb>(3, kCenteredCube));
    const Ray rays[2] = {{{-3, 0, 0}, {1, 0, 0}}, {{0, 0, 0}, {1, 0, 0}}};
    const BoxSoaView null_view = {.count = 2};
    float t[3] = {7, 7, 7};
    Face face[3] = {Face::max_z, Face::max_z, Face::max_z};
    std::uint64_t word = 0xABCD;
    TreeHit closest[1] = {{7, 7.0f, Face::max_z}};

    CHECK(ray_boxes(rays[0], null_view, {}, {}).status == Status::invalid_argument);
    CHECK(ray_boxes(rays[0], boxes.view(), {}, {.t_enter = {t, 2}}).status == Status::capacity_exceeded);
    CHECK(ray_boxes(rays[0], boxes.view(), {}, {.t_enter = t, .t_exit = {t, 2}}).status ==
          Status::capacity_exceeded);
    CHECK(ray_boxes(rays[0], boxes.view(), {}, {.t_enter = t, .face = {face, 1}}).status ==
          Status::capacity_exceeded);
    CHECK(ray_boxes(rays, null_view, {}, {&word, 1}).status == Status::invalid_argument);
    CHECK(ray_boxes(rays, boxes.view(), {}, {&word, 1}).status == Status::capacity_exceeded);
    CHECK(closest_hits(rays, null_view, {}, closest).status == Status::invalid_argument);
    CHECK(closest_hits(rays, boxes.view(), {}, closest).status == Status::capacity_exceeded);
    BoxSoaView too_many = boxes.view();
    too_many.count = kNoBox;
    CHECK(closest_hits({rays, 1}, too_many, {}, closest).status == Status::invalid_argument);

    const IndexPair pairs[] = {{0, 0}, {1, 2}, {2, 0}};
    const BatchResult bad_ray = ray_boxes(rays, boxes.view(), pairs, {}, {.t_enter = t, .face = face});
    CHECK(bad_ray.status == Status::invalid_argument);
    CHECK(bad_ray.bad_index == 2);
    const IndexPair past_boxes[] = {{0, 3}};
    CHECK(ray_boxes(rays, boxes.view(), past_boxes, {}, {.t_enter = t}).bad_index == 0);
    CHECK(ray_boxes(rays, boxes.view(), pairs, {}, {.t_enter = {t, 2}}).status == Status::capacity_exceeded);

    CHECK(word == 0xABCD);
    CHECK(t[0] == 7.0f);
    CHECK(face[0] == Face::max_z);
    CHECK(closest[0].target == 7);
}
