// A sink that has enough ends the call of any search: it is not called again, and it got a prefix.
#include <broadside/exact_boxes.hpp>
#include <broadside/pair_cache.hpp>
#include <broadside/resting_boxes.hpp>
#include <broadside/world_query.hpp>

#include "tests/broadphase/pair_scenes.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/shuffled_runner.hpp"

using namespace broadside;
using namespace broadside::test;

namespace {

template <class Item>
struct Taker {
    std::size_t block_count_max = ~std::size_t{0};
    std::vector<std::size_t> blocks;
    std::vector<Item> items;

    ListSink<Item> sink() {
        const auto take = [](void* user, std::span<const Item> block) noexcept {
            auto& self = *static_cast<Taker*>(user);
            self.blocks.push_back(block.size());
            self.items.insert(self.items.end(), block.begin(), block.end());
            return self.blocks.size() < self.block_count_max;
        };
        return {take, this};
    }
};

// `find(output)` gives its list to any output.
template <class Item, class Find>
void check_stops(const char* what, const Find& find) {
    INFO(what);
    Taker<Item> whole;
    const auto complete = find(ListOutput<Item>(whole.sink()));
    REQUIRE(complete.status == Status::ok);
    REQUIRE(!whole.blocks.empty());
    const std::size_t block_count = whole.blocks.size();
    for (const std::size_t most : {std::size_t{1}, std::size_t{2}, block_count / 2, block_count}) {
        if (most == 0 || most > block_count) continue;
        Taker<Item> some;
        some.block_count_max = most;
        const auto result = find(ListOutput<Item>(some.sink()));
        REQUIRE(result.status == Status::stopped);
        REQUIRE(some.blocks.size() == most);
        REQUIRE(result.written == some.items.size());
        REQUIRE(some.items.size() <= whole.items.size());
        REQUIRE(std::equal(some.items.begin(), some.items.end(), whole.items.begin()));
    }
}

}  // namespace

TEST_CASE("a sink that stops ends a search for pairs by any algorithm, in both orders, with any runner") {
    std::vector<Aabb> dense(300, Aabb{{0, 0, 0}, {1, 1, 1}});
    Random random(5);
    for (int i = 0; i < 400; ++i) dense.push_back(random_box(random, 10, 3));
    const GuardedBoxes boxes(dense);
    const BoxSoaView all = boxes.view();
    const ShuffledRunner shuffled(12, 4);
    for_each_isa([&](Isa) {
        for (const PairAlgorithm algorithm :
             {PairAlgorithm::brute_force, PairAlgorithm::sweep_and_prune, PairAlgorithm::cells}) {
            for (const PairOrder order : {PairOrder::canonical, PairOrder::by_algorithm}) {
                for (const TaskRunner* runner :
                     {static_cast<const TaskRunner*>(nullptr), shuffled.runner()}) {
                    const FindPairsSettings settings = {
                        .algorithm = algorithm, .order = order, .runner = runner};
                    BoxScratch scratch;
                    check_stops<IndexPair>("find_pairs", [&](const PairOutput& output) {
                        return find_pairs(all, settings, scratch, output);
                    });
                    check_stops<IndexPair>("find_pairs of two sets", [&](const PairOutput& output) {
                        return find_pairs(all.part(0, 500), all.part(300, 400), settings, scratch, output);
                    });
                }
            }
        }
    });
}

TEST_CASE("a sink that stops ends the search of a cache and of a resting set, too") {
    Random random(6);
    std::vector<Aabb> list;
    for (int i = 0; i < 600; ++i) list.push_back(random_box(random, 8, 2));
    const GuardedBoxes boxes(list);
    const BoxSoaView all = boxes.view();
    const ShuffledRunner shuffled(3, 4);
    std::vector<std::uint64_t> movers(bit_word_count(list.size()), 0x0F0F);
    for (const PairOrder order : {PairOrder::canonical, PairOrder::by_algorithm}) {
        for (const TaskRunner* runner : {static_cast<const TaskRunner*>(nullptr), shuffled.runner()}) {
            FindPairsSettings settings = {.order = order, .runner = runner};
            BoxScratch scratch;
            PairCache cache(0.1f);
            check_stops<IndexPair>("PairCache", [&](const PairOutput& output) {
                return cache.find_pairs(all, settings, scratch, output);
            });
            settings.filter.subset_bits = movers;
            RestingBoxes resting;
            REQUIRE(resting.build(all, movers, runner, scratch) == Status::ok);
            check_stops<IndexPair>("RestingBoxes", [&](const PairOutput& output) {
                return resting.find_pairs(all, settings, scratch, output);
            });
            settings.filter = {};
            std::vector<double> columns[6];
            for (const Aabb& box : list) {
                const float sides[6] = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z};
                for (int side = 0; side < 6; ++side) columns[side].push_back(double{sides[side]});
            }
            const ExactBoxView<double> exact = {.min_x = columns[0].data(),
                                                .min_y = columns[1].data(),
                                                .min_z = columns[2].data(),
                                                .max_x = columns[3].data(),
                                                .max_y = columns[4].data(),
                                                .max_z = columns[5].data(),
                                                .count = list.size()};
            BoxScratch exact_scratch;
            check_stops<IndexPair>("exact boxes", [&](const PairOutput& output) {
                return find_pairs(exact, settings, exact_scratch, output);
            });
        }
    }
}

TEST_CASE("a sink that stops ends lists of trees and worlds") {
    Random random(7);
    std::vector<Aabb> list;
    for (int i = 0; i < 900; ++i) list.push_back(random_box(random, 10, 2));
    const GuardedBoxes boxes(list);
    BoxTree tree;
    REQUIRE(tree.build(boxes.view()) == Status::ok);
    World world;
    for (const Aabb& box : list) (void)world.add({.box = box});
    std::vector<Aabb> shapes;
    std::vector<Ray> rays;
    for (int i = 0; i < 300; ++i) {
        shapes.push_back(random_box(random, 10, 3));
        rays.push_back({random_vec3(random, -10, 10), random_vec3(random, -1, 1)});
    }
    const ShuffledRunner shuffled(3, 4);
    BoxScratch scratch;
    BoxScratch world_scratch;
    for (const PairOrder order : {PairOrder::canonical, PairOrder::by_algorithm}) {
        for (const TaskRunner* runner : {static_cast<const TaskRunner*>(nullptr), shuffled.runner()}) {
            const FindPairsSettings of_pairs = {.order = order, .runner = runner};
            check_stops<IndexPair>("tree pairs", [&](const PairOutput& output) {
                return tree.find_pairs(of_pairs, scratch, output);
            });
            check_stops<IndexPair>("pairs of two trees", [&](const PairOutput& output) {
                return tree.find_pairs(tree, of_pairs, scratch, output);
            });
            TreeQuerySettings settings;
            settings.runner = runner;
            settings.order = order;
            check_stops<IndexPair>("overlaps", [&](const PairOutput& output) {
                return tree.find_overlaps(shapes, settings, scratch, output);
            });
            check_stops<Listed<TreeHit>>("hits", [&](const TreeHitOutput& output) {
                return tree.find_hits(rays, settings, scratch, output);
            });
            WorldQuerySettings of_world;
            of_world.runner = runner;
            of_world.order = order;
            const WorldQueries queries = world.queries();
            check_stops<Listed<ObjectHandle>>("overlaps of a world", [&](const WorldOverlapOutput& output) {
                return queries.find_overlaps(shapes, of_world, world_scratch, output);
            });
            check_stops<Listed<WorldHit>>("hits of a world", [&](const WorldHitOutput& output) {
                return queries.find_hits(rays, of_world, world_scratch, output);
            });
        }
    }
}
