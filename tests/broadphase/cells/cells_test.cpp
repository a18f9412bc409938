// Weak spots of the cells algorithm: borders of cells, any grid, many parts, overfull cells, memory.
#include <broadside/find_pairs.hpp>

#include "tests/broadphase/pair_oracle.hpp"
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/thread_runner.hpp"

#include <tbb/global_control.h>

#include <cmath>

using namespace broadside;
using namespace broadside::test;

namespace {

FindPairsSettings cells_in(const CellCounts& counts, SweepAxis axis = SweepAxis::automatic) {
    FindPairsSettings settings;
    settings.algorithm = PairAlgorithm::cells;
    settings.order = PairOrder::by_algorithm;
    settings.sweep_axis = axis;
    settings.cell_counts = counts;
    return settings;
}

std::vector<IndexPair> list_of(const BoxSoaView& boxes, const FindPairsSettings& settings,
                               BoxScratch& scratch) {
    PairBuffer pairs;
    REQUIRE(find_pairs(boxes, settings, scratch, pairs).status == Status::ok);
    return {pairs.begin(), pairs.end()};
}

// A digest of a list of any length: FNV-1a of its indices.
struct Digest {
    std::uint64_t hash = 14695981039346656037u;
    std::uint64_t count = 0;

    static bool take(void* user, std::span<const IndexPair> pairs) noexcept {
        auto& self = *static_cast<Digest*>(user);
        for (const IndexPair& pair : pairs) {
            self.hash = (self.hash ^ pair.first) * 1099511628211u;
            self.hash = (self.hash ^ pair.second) * 1099511628211u;
        }
        self.count += pairs.size();
        return true;
    }
    friend bool operator==(const Digest&, const Digest&) = default;
};

Digest digest_of(const BoxSoaView& boxes, const FindPairsSettings& settings, BoxScratch& scratch) {
    Digest digest;
    REQUIRE(find_pairs(boxes, settings, scratch, PairSink{&Digest::take, &digest}).status == Status::ok);
    return digest;
}

}  // namespace

TEST_CASE("any grid along any axis gives the same pairs, each once, in one order on all ISAs" * kLong) {
    BoxScratch scratch;
    Random random(41);
    for (const PairScene& scene : pair_scenes()) {
        INFO("scene " << scene.name);
        const std::vector<Aabb> list = make_scene(scene, 400);
        const std::vector<IndexPair> expected = oracle_pairs(list);
        const GuardedBoxes boxes(list);
        for (int round = 0; round < 12; ++round) {
            const CellCounts counts = {1 + random.below(9), 1 + random.below(9), 1 + random.below(9)};
            INFO("grid " << counts.x << " " << counts.y << " " << counts.z);
            const FindPairsSettings settings = cells_in(counts, static_cast<SweepAxis>(random.below(4)));
            std::vector<IndexPair> on_scalar;
            for_each_isa([&](Isa isa) {
                const std::vector<IndexPair> pairs = list_of(boxes.view(), settings, scratch);
                if (isa == Isa::scalar) {
                    on_scalar = pairs;
                    REQUIRE(sorted(pairs) == expected);
                }
                REQUIRE(pairs == on_scalar);
            });
        }
    }
}

TEST_CASE("boxes that end one ulp on either side of every grid border are paired once") {
    BoxScratch scratch;
    Random random(42);
    for (int round = 0; round < 60; ++round) {
        // Coordinates on a fine lattice whose steps include whole cells and bins, moved by -1, 0 or 1 ulp.
        const float step = random.chance(2) ? 0.25f : 1.0f / 3.0f;
        const auto near = [&](float value) {
            const std::uint32_t side = random.below(3);
            return side == 0 ? value : std::nextafterf(value, side == 1 ? -kInfinity : kInfinity);
        };
        std::vector<Aabb> list(300);
        for (Aabb& box : list) {
            const Vec3 min = {near(random.grid(0, 12) * step), near(random.grid(0, 12) * step),
                              near(random.grid(0, 3) * step)};
            box = {min,
                   {near(min.x + random.grid(0, 2) * step), near(min.y + random.grid(0, 2) * step),
                    near(min.z + random.grid(0, 2) * step)}};
        }
        const std::vector<IndexPair> expected = oracle_pairs(list);
        const GuardedBoxes boxes(list);
        const FindPairsSettings settings = cells_in({1 + random.below(14), 1 + random.below(14), 2});
        for_each_isa([&](Isa) { REQUIRE(sorted(list_of(boxes.view(), settings, scratch)) == expected); });
    }
}

TEST_CASE("tens of thousands of boxes in several parts: one list for every ISA and worker count" * kLong) {
    // One real thread per worker, however few cores there are.
    const tbb::global_control threads_for_all(tbb::global_control::max_allowed_parallelism, 4);
    BoxScratch scratch;
    for (const char* name : {"uniform", "clusters", "wall across y", "far outlier", "infinite"}) {
        const auto scenes = pair_scenes();
        const auto scene =
            std::find_if(scenes.begin(), scenes.end(), [&](const PairScene& s) { return s.name == name; });
        REQUIRE(scene != scenes.end());
        INFO("scene " << scene->name);
        const std::size_t count = scene->name == "clusters" || scene->name == "infinite" ? 9001 : 40001;
        const GuardedBoxes boxes(make_scene(*scene, count));
        FindPairsSettings settings = cells_in({});
        const Digest alone = digest_of(boxes.view(), settings, scratch);
        for_each_isa([&](Isa isa) {
            for (const std::uint32_t worker_count : {1u, 2u, 3u, 5u, 8u}) {
                if (isa != Isa::scalar && worker_count > 3) continue;
                const ShuffledRunner shuffled(worker_count, worker_count);
                settings.runner = shuffled.runner();
                REQUIRE(digest_of(boxes.view(), settings, scratch) == alone);
            }
        });
        const Threads threads(4);
        settings.runner = threads.runner();
        REQUIRE(digest_of(boxes.view(), settings, scratch) == alone);
        settings.runner = nullptr;
        settings.order = PairOrder::canonical;
        FindPairsSettings sweep = settings;
        sweep.algorithm = PairAlgorithm::sweep_and_prune;
        REQUIRE(digest_of(boxes.view(), settings, scratch) == digest_of(boxes.view(), sweep, scratch));
    }
}

TEST_CASE("more than 65,536 boxes in one cell: only memory limits a cell" * kLong) {
    BoxScratch scratch;
    const std::size_t count = 70001;
    // All at one position on the sweep's axis and apart on the others, so that the pairs can be counted in
    // time.
    std::vector<Aabb> list(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto y = static_cast<float>(i % 300) * 2;
        const auto z = static_cast<float>(i / 300) * 2;
        list[i] = {{0, y, z}, {1, y + (i % 7 == 0 ? 2.0f : 1.0f), z + 1}};
    }
    const GuardedBoxes boxes(list);
    FindPairsSettings settings = cells_in({1, 1, 1}, SweepAxis::x);
    const Digest in_one_cell = digest_of(boxes.view(), settings, scratch);
    std::size_t expected = 0;
    for (std::size_t i = 0; i + 1 < count; ++i) expected += i % 7 == 0 && i % 300 != 299;
    CHECK(in_one_cell.count == expected);
}

TEST_CASE("copies are bounded: boxes that all reach everywhere make a coarser grid") {
    CountingAllocator allocator;
    BoxScratch scratch(allocator.hook());
    const std::size_t count = 600;
    Random random(43);
    std::vector<Aabb> list(count);
    for (Aabb& box : list) box = box_of_size(random_vec3(random, 0, 1), {50, 50, 50});
    list[0] = {{-500, -500, -500}, {500, 500, 500}};
    const GuardedBoxes boxes(list);
    PairBuffer pairs;
    FindPairsSettings settings = cells_in({40, 40, 40});
    const FindPairsResult result = find_pairs(boxes.view(), settings, scratch, pairs);
    REQUIRE(result.status == Status::ok);
    CHECK(result.plan.record_count <= 4 * count + 128);
    CHECK(sorted({pairs.begin(), pairs.end()}) == oracle_pairs(list));
}

TEST_CASE(
    "pairs beyond the tasks' blocks are neither lost nor reordered, and the next call has room for them") {
    CountingAllocator allocator;
    BoxScratch scratch(allocator.hook());
    const std::size_t count = 3000;
    std::vector<Aabb> list(count);
    Random random(44);
    for (Aabb& box : list) box = box_of_size(random_vec3(random, 0, 8), random_vec3(random, 1, 4));
    const GuardedBoxes boxes(list);
    FindPairsSettings settings = cells_in({4, 4, 4});
    const Digest alone = digest_of(boxes.view(), settings, scratch);
    CHECK(alone.count > 100 * count);
    const ShuffledRunner shuffled(1, 4);
    settings.runner = shuffled.runner();
    REQUIRE(digest_of(boxes.view(), settings, scratch) == alone);
    REQUIRE(digest_of(boxes.view(), settings, scratch) == alone);
    const std::size_t allocation_count = allocator.allocation_count;
    REQUIRE(digest_of(boxes.view(), settings, scratch) == alone);
    CHECK(allocator.allocation_count == allocation_count);
}

TEST_CASE("a grid of impossible dimensions is refused") {
    const GuardedBoxes boxes(std::vector<Aabb>(3, Aabb{{0, 0, 0}, {1, 1, 1}}));
    BoxScratch scratch;
    PairBuffer pairs;
    for (const CellCounts& counts :
         {CellCounts{1, 0, 1}, CellCounts{65536, 1, 1}, CellCounts{5000, 5000, 1}}) {
        CHECK(find_pairs(boxes.view(), cells_in(counts), scratch, pairs).status == Status::invalid_argument);
    }
}
