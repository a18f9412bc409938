// Figures in the public headers that need no clock: memory, and candidate pairs.
#include <broadside/bits.hpp>
#include <broadside/box_soa.hpp>
#include <broadside/pair_cache.hpp>
#include <broadside/scenes/box_scene.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace broadside;

namespace {

BoxSoa uniform_scene(std::size_t count) {
    const std::vector<Aabb> boxes = scenes::make_boxes(scenes::Layout::uniform, count);
    BoxSoa soa;
    REQUIRE(soa.assign({.data = boxes.data(), .stride_bytes = sizeof(Aabb), .count = count}) == Status::ok);
    return soa;
}

}  // namespace

TEST_CASE("RestingBoxes uses the memory that its documentation states") {
    for (const std::size_t count : {std::size_t{10'000}, std::size_t{100'000}}) {
        CAPTURE(count);
        const BoxSoa boxes = uniform_scene(count);
        RestingBoxes resting;
        REQUIRE(resting.build(boxes, {}) == Status::ok);

        // Its grid, and the records in such a grid.
        std::vector<std::uint64_t> mover_bits(bit_word_count(count));
        mover_bits[0] = 1;
        FindPairsSettings settings;
        settings.filter.subset_bits = mover_bits;
        BoxScratch scratch;
        PairBuffer pairs;
        FindPairsResult result = resting.find_pairs(boxes, settings, scratch, pairs);
        REQUIRE(result.status == Status::ok);
        settings = {};
        settings.algorithm = PairAlgorithm::cells;
        settings.cell_counts = result.plan.cell_counts;
        result = find_pairs(boxes, settings, scratch, pairs);
        REQUIRE(result.status == Status::ok);
        const CellCounts cells = result.plan.cell_counts;
        const auto cell_count = static_cast<double>(cells.x * cells.y * cells.z);
        const auto record_count = static_cast<double>(result.plan.record_count);
        const auto box_count = static_cast<double>(count);
        REQUIRE(record_count > box_count);

        const double kept = 38 * record_count + 5e3 * cell_count;
        const double building = 64 * box_count + 36 * (record_count - box_count) + 9e3 * cell_count;
        const double taken = static_cast<double>(resting.capacity_bytes());
        CHECK(taken < 1.1 * (kept + building));
        CHECK(taken > 0.85 * (kept + building));
    }
}

TEST_CASE("the margin of a cache adds the candidate pairs that its documentation states") {
    const BoxSoa boxes = uniform_scene(10'000);
    BoxScratch scratch;
    PairBuffer pairs;
    REQUIRE(find_pairs(boxes, {}, scratch, pairs).status == Status::ok);
    const auto pair_count = static_cast<double>(pairs.size());
    const auto tests_with_margin = [&](float margin) {
        PairCache cache(margin);
        const FindPairsResult result = cache.find_pairs(boxes, {}, scratch, pairs);
        REQUIRE(result.plan.cache_use == CacheUse::found_anew);
        return static_cast<double>(result.plan.tested_count);
    };
    // The mean extent is 1.
    CHECK(tests_with_margin(0.05f) / pair_count == doctest::Approx(1 + 1.0 / 3).epsilon(0.05));
    CHECK(tests_with_margin(0.1f) / pair_count == doctest::Approx(1.7).epsilon(0.05));
}
