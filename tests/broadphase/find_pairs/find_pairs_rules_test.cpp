// The rules of the texts about finding candidates.
#include <broadside/find_pairs.hpp>

#include "tests/broadphase/pair_oracle.hpp"
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"

#include <broadside/sphere.hpp>

using namespace broadside;
using namespace broadside::test;

TEST_CASE("B2: candidate pairs are few among all pairs, so the costly test per polygon runs rarely") {
    const std::size_t count = 3000;
    const std::vector<Aabb> list = make_scene(pair_scenes()[0], count);
    const GuardedBoxes boxes(list);
    PairBuffer pairs;
    const FindPairsResult result = find_pairs(boxes.view(), pairs);
    REQUIRE(result.status == Status::ok);
    const std::uint64_t all_pairs = count * (count - 1) / 2;
    CHECK(pairs.size() > count / 2);
    CHECK(pairs.size() * 1000 < all_pairs);
    CHECK(result.plan.tested_count * 8 < all_pairs);
    CHECK(std::vector<IndexPair>(pairs.begin(), pairs.end()) == oracle_pairs(list));
}

TEST_CASE("B28: far objects are never tested, however many there are") {
    Random random(21);
    const std::size_t near_count = 200;
    std::vector<Aabb> closest_only;
    for (std::size_t i = 0; i < near_count; ++i) closest_only.push_back(uniform_box(random, i, near_count));
    const FindPairsSettings sweep = {.algorithm = PairAlgorithm::sweep_and_prune, .sweep_axis = SweepAxis::x};
    const auto tests_with_far_boxes = [&](std::size_t far_count) {
        std::vector<Aabb> list = closest_only;
        // A row of boxes without contact, from far away to further.
        for (std::size_t i = 0; i < far_count; ++i) {
            list.push_back(box_of_size({1000.0f + 2.0f * static_cast<float>(i), 0, 0}, {1, 1, 1}));
        }
        PairBuffer pairs;
        const FindPairsResult result = find_pairs(GuardedBoxes(list).view(), sweep, pairs);
        CHECK(result.plan.oversized_count == 0);
        CHECK(std::vector<IndexPair>(pairs.begin(), pairs.end()) == oracle_pairs(closest_only));
        return result.plan.tested_count;
    };
    const std::uint64_t tests_alone = tests_with_far_boxes(0);
    CHECK(tests_alone > 0);
    CHECK(tests_with_far_boxes(300) == tests_alone);
    CHECK(tests_with_far_boxes(3000) == tests_alone);
}

TEST_CASE("A14: boxes are a cheap filter before the exact test of a shape that is not a box") {
    // Spheres, and the boxes around them.
    Random random(22);
    const std::size_t count = 400;
    std::vector<Sphere> spheres(count);
    std::vector<Aabb> list(count);
    for (std::size_t i = 0; i < count; ++i) {
        const float radius = random.uniform(0.25f, 1.0f);
        spheres[i] = {random_vec3(random, 0, 12), radius};
        list[i] = bounds(spheres[i]);
    }
    std::vector<IndexPair> touching;
    for (std::uint32_t i = 0; i < count; ++i) {
        for (std::uint32_t j = i + 1; j < count; ++j) {
            if (overlap(spheres[i], spheres[j])) touching.push_back({i, j});
        }
    }
    for_each_isa([&](Isa) {
        PairBuffer candidates;
        REQUIRE(find_pairs(GuardedBoxes(list).view(), candidates).status == Status::ok);
        std::vector<IndexPair> filtered;
        for (const IndexPair& pair : candidates) {
            if (overlap(spheres[pair.first], spheres[pair.second])) filtered.push_back(pair);
        }
        CHECK(filtered == touching);
        // The filter leaves some false candidates, and a small part of all pairs.
        CHECK(candidates.size() > touching.size());
        CHECK(candidates.size() * 20 < count * (count - 1) / 2);
    });
}
