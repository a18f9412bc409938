// Boxes that are long on different axes, which are searched in parts.
#include <broadside/find_pairs.hpp>

#include "tests/broadphase/find_pairs/filter_oracle.hpp"
#include "tests/broadphase/find_pairs/settings.hpp"
#include "tests/broadphase/pair_oracle.hpp"
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/drawn_thresholds.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/shuffled_runner.hpp"

#include <cstring>

using namespace broadside;
using namespace broadside::test;

namespace {

// Within its lifetime boxes are parted whenever some are long on one set of axes and some on another.
class AlwaysParted {
public:
    AlwaysParted() : drawn_(0) {
        tested_thresholds() = {};
        tested_thresholds().cells.brute_force_tests = 1;
        tested_thresholds().cells.crowds_sweep_max = 0;
        tested_thresholds().cells.narrow_sweep_max = 0;
        tested_thresholds().cells.parted_cost_min = 0;
        tested_thresholds().cells.parted_cost_share = 1e9;
    }

private:
    // Restores the thresholds.
    DrawnThresholds drawn_;
};

// Sticks, plates and cubes, and an invalid box now and then.
std::vector<Aabb> beams(std::size_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<Aabb> boxes;
    for (std::size_t i = 0; i < count; ++i) {
        Vec3 size = random_vec3(random, 0.5f, 1.5f);
        const std::uint32_t axes = random.below(8);
        for (int axis = 0; axis < 3; ++axis) {
            if ((axes >> axis & 1) != 0) (&size.x)[axis] = random.uniform(4, 12);
        }
        boxes.push_back(box_of_size(random_vec3(random, 0, 20), size));
        if (random.chance(29)) std::swap(boxes.back().min.y, boxes.back().max.y);
    }
    return boxes;
}

std::vector<IndexPair> list_of(const PairBuffer& pairs) { return {pairs.begin(), pairs.end()}; }

}  // namespace

TEST_CASE("boxes in parts have the pairs of loops under any rules, order, runner and kind of call") {
    const AlwaysParted always_parted;
    Random random(41);
    const ShuffledRunner shuffled(5, 3);
    BoxScratch scratch;
    std::size_t parted_count = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const std::vector<Aabb> list_a = beams(2 + random.below(seed % 4 == 0 ? 1300 : 90), seed);
        const std::vector<Aabb> list_b = beams(2 + random.below(90), seed + 1000);
        const GuardedBoxes a(list_a);
        const GuardedBoxes b(list_b);
        Rules rules_a(random, list_a.size());
        Rules rules_b(random, list_b.size());
        const unsigned which = random.below(Rules::kChoices);
        FindPairsSettings settings;
        settings.filter = rules_a.filter(which);
        settings.filter_b = rules_b.filter(random.below(Rules::kChoices));
        if ((which & Rules::kIds) != 0) settings.filter_b = rules_b.filter(which);
        if ((which & Rules::kIds) == 0) settings.filter_b.ids = {};
        // Few enough that boxes far from them are left out.
        if (seed % 8 == 0) {
            for (std::size_t word = 1; word < rules_a.subset_bits.size(); ++word)
                rules_a.subset_bits[word] = 0;
            settings.filter.subset_bits = rules_a.subset_bits.span();
        }
        settings.runner = seed % 3 == 0 ? shuffled.runner() : nullptr;
        INFO(seed << ": " << list_a.size() << " and " << list_b.size() << ", rules " << which);
        const std::vector<IndexPair> complete =
            only_allowed(oracle_pairs(list_a), settings.filter, settings.filter);
        const std::vector<IndexPair> between =
            only_allowed(oracle_pairs(list_a, list_b), settings.filter, settings.filter_b);
        std::vector<IndexPair> unsorted;
        for_each_isa([&](Isa isa) {
            PairBuffer pairs;
            settings.order = PairOrder::canonical;
            const FindPairsResult result = find_pairs(a.view(), settings, scratch, pairs);
            REQUIRE(result.status == Status::ok);
            CHECK(list_of(pairs) == complete);
            CHECK(result.invalid.first_index == find_invalid_box(a.view()));
            parted_count += result.plan.part_count != 0 ? 1 : 0;
            const FindPairsResult result_b = find_pairs(a.view(), b.view(), settings, scratch, pairs);
            REQUIRE(result_b.status == Status::ok);
            CHECK(list_of(pairs) == between);
            CHECK(result_b.invalid_b.first_index == find_invalid_box(b.view()));
            settings.order = PairOrder::by_algorithm;
            REQUIRE(find_pairs(a.view(), settings, scratch, pairs).status == Status::ok);
            if (isa == Isa::scalar) unsorted = list_of(pairs);
            CHECK(list_of(pairs) == unsorted);
            CHECK(sorted(unsorted) == complete);
        });
    }
    // Lists of a few boxes have none that is long, or too few.
    CHECK(parted_count > 30);
}

TEST_CASE("boxes in parts: every scene of find_pairs") {
    const AlwaysParted always_parted;
    for (const PairScene& scene : pair_scenes()) {
        INFO(scene.name);
        const std::vector<Aabb> list = make_scene(scene, 200);
        const std::vector<IndexPair> expected = oracle_pairs(list);
        const GuardedBoxes boxes(list);
        for_each_isa([&](Isa) {
            PairBuffer pairs;
            const FindPairsResult result = find_pairs(boxes.view(), pairs);
            CHECK(list_of(pairs) == expected);
            std::size_t invalid_count = 0;
            for (const Aabb& box : list) invalid_count += is_valid(box) ? 0 : 1;
            CHECK(result.invalid.count == invalid_count);
        });
    }
}

TEST_CASE("boxes in parts: an allocation that fails is out_of_memory, and a warm call allocates nothing") {
    const AlwaysParted always_parted;
    const GuardedBoxes boxes(beams(300, 5));
    for (const PairOrder order : kOrders) {
        PairBuffer expected;
        REQUIRE(find_pairs(boxes.view(), {.order = order}, expected).plan.part_count > 1);
        bool is_done = false;
        for (std::size_t fail_after = 0; !is_done; ++fail_after) {
            CountingAllocator allocator;
            allocator.fail_after = fail_after;
            BoxScratch scratch(allocator.hook());
            PairBuffer pairs(allocator.hook());
            const FindPairsResult result = find_pairs(boxes.view(), {.order = order}, scratch, pairs);
            is_done = result.status == Status::ok;
            CHECK((is_done || result.status == Status::out_of_memory));
            REQUIRE(result.written == pairs.size());
            CHECK(std::equal(pairs.begin(), pairs.end(), expected.begin()));
            allocator.fail_after = static_cast<std::size_t>(-1);
            REQUIRE(find_pairs(boxes.view(), {.order = order}, scratch, pairs).status == Status::ok);
            CHECK(list_of(pairs) == list_of(expected));
            const std::size_t allocation_count = allocator.allocation_count;
            REQUIRE(find_pairs(boxes.view(), {.order = order}, scratch, pairs).status == Status::ok);
            CHECK(allocator.allocation_count == allocation_count);
        }
    }
}

TEST_CASE("sticks in all directions: parts are chosen, the work is not quadratic, and explain says so") {
    const PairScene& sticks = pair_scenes()[2];
    REQUIRE(sticks.name == "sticks");
    const BoxSoa boxes = soa_of(make_scene(sticks, 20000));
    PairBuffer pairs;
    const FindPairsResult result = find_pairs(boxes, pairs);
    REQUIRE(result.status == Status::ok);
    CHECK(result.plan.part_count == 3);
    CHECK(result.plan.tested_count < 200 * boxes.count());
    CHECK(result.plan.expected_costs.parts < result.plan.expected_costs.sweep_and_prune);
    CHECK(std::strstr(explain(result.plan).c_str(), "3 parts") != nullptr);
    // Nothing is parted if the caller names what to do.
    for (const FindPairsSettings& named : {kSweep, kCells, FindPairsSettings{.sweep_axis = SweepAxis::y}}) {
        CHECK(find_pairs(boxes, named, pairs).plan.part_count == 0);
    }
}
