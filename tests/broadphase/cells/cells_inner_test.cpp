// Nested grids: overfull cells, large boxes, and both at once, within one set and between two.
#include <broadside/find_pairs.hpp>

#include "tests/broadphase/pair_oracle.hpp"
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::test;

namespace {

// Nested clumps: every second box of a level is in a world a hundredth as wide, and is as much smaller.
std::vector<Aabb> nested_clumps(std::size_t count, std::uint32_t level_count) {
    Random random(21);
    std::vector<Aabb> boxes;
    for (std::size_t i = 0; i < count; ++i) {
        float scale = 1;
        for (std::uint32_t level = 1; level < level_count && random.chance(2); ++level) scale *= 0.01f;
        const float edge = world_edge(count) * scale;
        const Vec3 corner = {7.3f * edge, 3.1f * edge, 5.7f * edge};
        const Vec3 min = corner + random_vec3(random, 0, edge);
        boxes.push_back(box_of_size(min, random_vec3(random, 0.5f * scale, 1.5f * scale)));
    }
    return boxes;
}

// Distant positions, each of which is several positions: more than an axis has ramps, and clusters in a bin,
// twice.
std::vector<Aabb> places_of_places(std::size_t count) {
    Random random(25);
    const auto centers = [&](std::size_t center_count, float reach) {
        std::vector<Vec3> list;
        for (std::size_t i = 0; i < center_count; ++i) list.push_back(random_vec3(random, -reach, reach));
        return list;
    };
    const std::vector<Vec3> outer = centers(24, 1e6f);
    const std::vector<Vec3> inner = centers(24 * 20, 1e3f);
    std::vector<Aabb> boxes;
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 center = outer[i % 24] + inner[i % inner.size()];
        boxes.push_back(box_of_size(center + random_vec3(random, 0, 8), random_vec3(random, 0.5f, 1.5f)));
    }
    return boxes;
}

// Sizes over six powers of ten, mostly small.
std::vector<Aabb> all_sizes(std::size_t count) {
    Random random(24);
    std::vector<Aabb> boxes;
    const float edge = world_edge(count);
    for (std::size_t i = 0; i < count; ++i) {
        float size = 0.05f;
        while (size < 4 * edge && random.chance(9)) size *= 9;
        boxes.push_back(box_of_size(random_vec3(random, 0, edge), random_vec3(random, 0.2f * size, size)));
    }
    return boxes;
}

// One box in sixty extends across most of the world, and every second of those lies in a clump of its own.
std::vector<Aabb> big_and_small(std::size_t count) {
    Random random(23);
    std::vector<Aabb> boxes;
    const float edge = world_edge(count);
    for (std::size_t i = 0; i < count; ++i) {
        const bool is_big = i % 60 == 7;
        boxes.push_back(is_big ? box_of_size(random_vec3(random, -0.5f * edge, 0.2f * edge),
                                             random_vec3(random, 0.5f * edge, 2 * edge))
                               : uniform_box(random, i, count));
    }
    boxes[count / 2] = {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, 0.5f * edge}};
    return boxes;
}

struct InnerScene {
    std::string name;
    std::vector<Aabb> boxes;
    bool has_overfull;
    bool has_large;
};

std::vector<InnerScene> inner_scenes() {
    return {{"nested clumps", nested_clumps(60000, 4), false, false},
            {"places of places", places_of_places(60000), true, false},
            {"all sizes", all_sizes(30000), false, true},
            {"big and small", big_and_small(20000), false, true}};
}

struct Found {
    std::vector<IndexPair> pairs;
    FindPairsResult result;
};

Found find(const BoxSoaView& boxes, const FindPairsSettings& settings, BoxScratch& scratch,
           bool is_bipartite = false) {
    PairBuffer pairs;
    const std::size_t half = boxes.count / 2;
    const FindPairsResult result =
        is_bipartite
            ? find_pairs(boxes.part(0, half), boxes.part(half, boxes.count - half), settings, scratch, pairs)
            : find_pairs(boxes, settings, scratch, pairs);
    REQUIRE(result.status == Status::ok);
    return {{pairs.begin(), pairs.end()}, result};
}

FindPairsSettings settings_of(PairAlgorithm algorithm, PairOrder order = PairOrder::canonical) {
    FindPairsSettings settings;
    settings.algorithm = algorithm;
    settings.order = order;
    return settings;
}

}  // namespace

TEST_CASE(
    "overfull cells and large boxes get grids of their own, and every pair is found once, on every ISA" *
    kLong) {
    BoxScratch scratch;
    for (const InnerScene& scene : inner_scenes()) {
        INFO("scene " << scene.name);
        const GuardedBoxes boxes(scene.boxes);
        for (const bool is_bipartite : {false, true}) {
            INFO("bipartite " << is_bipartite);
            const Found expected =
                find(boxes.view(), settings_of(PairAlgorithm::sweep_and_prune), scratch, is_bipartite);
            std::vector<IndexPair> on_scalar;
            for_each_isa([&](Isa isa) {
                const Found found =
                    find(boxes.view(), settings_of(PairAlgorithm::cells, PairOrder::by_algorithm), scratch,
                         is_bipartite);
                CHECK((found.result.plan.overfull_cell_count != 0) == scene.has_overfull);
                CHECK((found.result.plan.large_count != 0) == scene.has_large);
                if (isa == Isa::scalar) {
                    on_scalar = found.pairs;
                    REQUIRE(sorted(found.pairs) == expected.pairs);
                }
                REQUIRE(found.pairs == on_scalar);
            });
        }
    }
}

TEST_CASE("nested grids give one list for any worker count, with filters too" * kLong) {
    BoxScratch scratch;
    Random random(4);
    for (const InnerScene& scene : inner_scenes()) {
        INFO("scene " << scene.name);
        const GuardedBoxes boxes(scene.boxes);
        FindPairsSettings settings = settings_of(PairAlgorithm::cells, PairOrder::by_algorithm);
        std::vector<std::uint32_t> groups(scene.boxes.size());
        for (std::uint32_t& group : groups) group = random.below(3);
        for (const bool has_filter : {false, true}) {
            settings.filter.groups =
                has_filter ? std::span<const std::uint32_t>(groups) : std::span<const std::uint32_t>();
            settings.runner = nullptr;
            const Found expected = find(boxes.view(), settings, scratch);
            for (const std::uint32_t workers : {2u, 8u}) {
                ShuffledRunner runner(workers, workers);
                settings.runner = runner.runner();
                for (int call = 0; call < 2; ++call)
                    CHECK(find(boxes.view(), settings, scratch).pairs == expected.pairs);
            }
        }
    }
}

TEST_CASE("large boxes beyond the limit of their own set are copied, and none is lost") {
    BoxScratch scratch;
    Random random(24);
    const std::size_t count = 4000;
    std::vector<Aabb> list;
    for (std::size_t i = 0; i < count; ++i) {
        list.push_back(random.chance(3) ? stick_box(random, i, count) : uniform_box(random, i, count));
    }
    const GuardedBoxes boxes(list);
    FindPairsSettings settings = settings_of(PairAlgorithm::cells);
    settings.cell_counts = {9, 9, 9};
    const Found found = find(boxes.view(), settings, scratch);
    CHECK(found.result.plan.large_count == 0);
    CHECK(found.pairs == oracle_pairs(list));
}

TEST_CASE("warm nested grids allocate nothing, and out of memory at any allocation is reported" * kLong) {
    for (const InnerScene& scene : inner_scenes()) {
        INFO("scene " << scene.name);
        const GuardedBoxes boxes(scene.boxes);
        const FindPairsSettings settings = settings_of(PairAlgorithm::cells, PairOrder::by_algorithm);
        CountingAllocator allocator;
        BoxScratch scratch(allocator.hook());
        const Found first = find(boxes.view(), settings, scratch);
        const std::size_t warm = allocator.allocation_count;
        find(boxes.view(), settings, scratch);
        CHECK(allocator.allocation_count == warm);
        for (std::size_t fail_after = 0; fail_after < warm; ++fail_after) {
            CountingAllocator failing;
            failing.fail_after = fail_after;
            BoxScratch small(failing.hook());
            PairBuffer pairs;
            const FindPairsResult result = find_pairs(boxes.view(), settings, small, pairs);
            REQUIRE(result.status == Status::out_of_memory);
            REQUIRE(result.written == pairs.size());
            REQUIRE(std::equal(pairs.begin(), pairs.end(), first.pairs.begin()));
        }
    }
}
