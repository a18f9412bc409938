// find_pairs in pieces: a list taken with outputs of any size is the list, and a position of another list is
// refused.
#include <broadside/find_pairs.hpp>
#include <broadside/resting_boxes.hpp>

#include "tests/broadphase/pair_oracle.hpp"
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/shuffled_runner.hpp"

#include <limits>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr PairAlgorithm kAlgorithms[] = {PairAlgorithm::automatic, PairAlgorithm::brute_force,
                                         PairAlgorithm::sweep_and_prune, PairAlgorithm::cells,
                                         PairAlgorithm::morton};
constexpr PairOrder kOrders[] = {PairOrder::canonical, PairOrder::by_algorithm};

// One set, or two.
struct Sets {
    BoxSoaView a;
    const BoxSoaView* b = nullptr;

    FindPairsResult find(const FindPairsSettings& settings, FindPairsScratch& scratch,
                         const PairOutput& out_pairs) const {
        return b != nullptr ? find_pairs(a, *b, settings, scratch, out_pairs)
                            : find_pairs(a, settings, scratch, out_pairs);
    }
    std::vector<IndexPair> list(const FindPairsSettings& settings) const {
        FindPairsScratch scratch;
        PairBuffer pairs;
        REQUIRE(find(settings, scratch, pairs).status == Status::ok);
        return {pairs.begin(), pairs.end()};
    }
};

// Whether the calls share a scratch or have one each.
enum class Scratches { shared, new_ones };

std::vector<IndexPair> list_in_pieces(const Sets& sets, FindPairsSettings settings, std::size_t cap,
                                      Scratches scratches) {
    FindPairsScratch shared;
    std::vector<IndexPair> list;
    for (;;) {
        FindPairsScratch new_one;
        GuardedArray<IndexPair> piece(cap);
        const FindPairsResult result =
            sets.find(settings, scratches == Scratches::shared ? shared : new_one, piece.span());
        REQUIRE((result.status == Status::ok || result.status == Status::capacity_exceeded));
        list.insert(list.end(), piece.span().begin(),
                    piece.span().begin() + static_cast<std::ptrdiff_t>(result.written));
        REQUIRE(result.next.pair_count == list.size());
        REQUIRE(result.next.list_length == result.required);
        if (result.status == Status::ok) {
            REQUIRE(list.size() == result.required);
            return list;
        }
        REQUIRE(result.written == cap);
        REQUIRE(result.required > list.size());
        settings.resume = result.next;
    }
}

FindPairsResult call(const BoxSoaView& boxes, const FindPairsSettings& settings, FindPairsScratch& scratch,
                     std::size_t cap, std::vector<IndexPair>& out_piece) {
    out_piece.assign(cap, IndexPair{7, 7});
    const FindPairsResult result =
        find_pairs(boxes, settings, scratch, std::span<IndexPair>(out_piece.data(), cap));
    out_piece.resize(result.written);
    return result;
}

}  // namespace

TEST_CASE("pieces of any size make up the list, by every algorithm, in both orders, on every ISA") {
    const ShuffledRunner shuffled(3, 3);
    for (const PairScene& scene : pair_scenes()) {
        INFO("scene " << scene.name);
        const std::size_t count = scene.name == "all identical" ? 40 : 150;
        const GuardedBoxes a(make_scene(scene, count, 1));
        const GuardedBoxes b(make_scene(scene, count / 2, 2));
        const BoxSoaView view_b = b.view();
        for (const Sets& sets : {Sets{a.view()}, Sets{a.view(), &view_b}}) {
            for (const PairAlgorithm algorithm : kAlgorithms) {
                for (const PairOrder order : kOrders) {
                    FindPairsSettings settings = {.algorithm = algorithm, .order = order};
                    const std::vector<IndexPair> list = sets.list(settings);
                    for (const std::size_t cap :
                         {list.size() / 9 + 1, list.size() / 2 + 1, list.size() + 1}) {
                        INFO("algorithm " << static_cast<int>(algorithm) << ", pieces of " << cap << " of "
                                          << list.size());
                        settings.runner = cap % 2 == 0 ? shuffled.runner() : nullptr;
                        for_each_isa([&](Isa) {
                            REQUIRE(list_in_pieces(sets, settings, cap, Scratches::shared) == list);
                            REQUIRE(list_in_pieces(sets, settings, cap, Scratches::new_ones) == list);
                        });
                    }
                }
            }
        }
    }
}

TEST_CASE("pieces of one pair, and pieces under a filter") {
    Random random(51);
    const GuardedBoxes boxes(make_scene(pair_scenes()[0], 200));
    std::vector<std::uint32_t> groups(200);
    for (std::uint32_t& group : groups) group = random.below(3);
    for (const PairAlgorithm algorithm : kAlgorithms) {
        for (const PairOrder order : kOrders) {
            FindPairsSettings settings = {.algorithm = algorithm, .order = order};
            settings.filter.groups = groups;
            const Sets sets = {boxes.view()};
            const std::vector<IndexPair> list = sets.list(settings);
            REQUIRE(list.size() > 50);
            REQUIRE(list_in_pieces(sets, settings, 1, Scratches::shared) == list);
            REQUIRE(list_in_pieces(sets, settings, 7, Scratches::new_ones) == list);
        }
    }
}

TEST_CASE("thousands of boxes on tasks of several workers: a piece may begin and end in any task") {
    const GuardedBoxes boxes(make_scene(pair_scenes()[0], 9000));
    const ShuffledRunner shuffled(4, 4);
    for (const PairAlgorithm algorithm :
         {PairAlgorithm::sweep_and_prune, PairAlgorithm::cells, PairAlgorithm::morton}) {
        for (const PairOrder order : kOrders) {
            FindPairsSettings settings = {.algorithm = algorithm, .order = order};
            const Sets sets = {boxes.view()};
            const std::vector<IndexPair> list = sets.list(settings);
            REQUIRE(list.size() > 5000);
            settings.runner = shuffled.runner();
            for (const std::size_t cap : {std::size_t{1499}, std::size_t{4096}}) {
                REQUIRE(list_in_pieces(sets, settings, cap, Scratches::shared) == list);
            }
        }
    }
}

TEST_CASE("a capped buffer holds one piece after the other, and a sink takes the rest") {
    const GuardedBoxes boxes(make_scene(pair_scenes()[0], 400));
    for (const PairAlgorithm algorithm : kAlgorithms) {
        for (const PairOrder order : kOrders) {
            FindPairsSettings settings = {.algorithm = algorithm, .order = order};
            const std::vector<IndexPair> list = Sets{boxes.view()}.list(settings);
            FindPairsScratch scratch;
            PairBuffer piece;
            piece.set_max_size(100);
            std::vector<IndexPair> taken;
            for (int round = 0; round < 2; ++round) {
                const FindPairsResult result = find_pairs(boxes.view(), settings, scratch, piece);
                REQUIRE(result.status == Status::capacity_exceeded);
                REQUIRE(piece.size() == 100);
                taken.insert(taken.end(), piece.begin(), piece.end());
                settings.resume = result.next;
            }
            const PairSink sink = {[](void* user, std::span<const IndexPair> pairs) noexcept {
                                       auto& all = *static_cast<std::vector<IndexPair>*>(user);
                                       all.insert(all.end(), pairs.begin(), pairs.end());
                                   },
                                   &taken};
            const FindPairsResult rest = find_pairs(boxes.view(), settings, scratch, sink);
            CHECK(rest.status == Status::ok);
            CHECK(rest.written == list.size() - 200);
            CHECK(rest.required == list.size());
            CHECK(taken == list);
            // The end of a list is a position too.
            settings.resume = rest.next;
            const FindPairsResult end = find_pairs(boxes.view(), settings, scratch, piece);
            CHECK(end.status == Status::ok);
            CHECK(end.written == 0);
            CHECK(piece.is_empty());
        }
    }
}

TEST_CASE(
    "a position of other counts or settings, or one that no call gave, is refused and nothing is written") {
    const std::vector<Aabb> list = make_scene(pair_scenes()[0], 300);
    const GuardedBoxes boxes(list);
    const GuardedBoxes fewer(std::vector<Aabb>(list.begin(), list.end() - 1));
    std::vector<std::uint32_t> groups(300);
    for (const PairAlgorithm algorithm : kAlgorithms) {
        for (const PairOrder order : kOrders) {
            FindPairsScratch scratch;
            FindPairsSettings settings = {.algorithm = algorithm, .order = order};
            std::vector<IndexPair> piece;
            const FindPairsResult first = call(boxes.view(), settings, scratch, 10, piece);
            REQUIRE(first.status == Status::capacity_exceeded);
            settings.resume = first.next;
            const auto is_refused = [&](const BoxSoaView& view, const FindPairsSettings& other) {
                IndexPair untouched[1] = {{7, 7}};
                const FindPairsResult result =
                    find_pairs(view, other, scratch, std::span<IndexPair>(untouched));
                return result.status == Status::wrong_position && result.written == 0 &&
                       untouched[0] == IndexPair{7, 7};
            };
            CHECK(is_refused(fewer.view(), settings));
            FindPairsSettings other = settings;
            other.order = order == PairOrder::canonical ? PairOrder::by_algorithm : PairOrder::canonical;
            CHECK(is_refused(boxes.view(), other));
            other = settings;
            other.algorithm =
                algorithm == PairAlgorithm::cells ? PairAlgorithm::morton : PairAlgorithm::cells;
            CHECK(is_refused(boxes.view(), other));
            other = settings;
            other.sweep_axis = SweepAxis::z;
            CHECK(is_refused(boxes.view(), other));
            other = settings;
            other.cell_counts = {2, 2, 2};
            CHECK(is_refused(boxes.view(), other));
            other = settings;
            other.filter.groups = groups;
            CHECK(is_refused(boxes.view(), other));
            other = settings;
            other.resume.pair_count = first.required + 1;
            CHECK(is_refused(boxes.view(), other));
            other.resume = {.pair_count = 3};
            CHECK(is_refused(boxes.view(), other));
            const BoxSoaView view = boxes.view();
            IndexPair pair[1];
            CHECK(find_pairs(view, view, settings, scratch, std::span<IndexPair>(pair)).status ==
                  Status::wrong_position);
            // And none of that has spoilt the position.
            CHECK(call(boxes.view(), settings, scratch, 10, piece).status == Status::capacity_exceeded);
            CHECK(piece.size() == 10);
        }
    }
}

TEST_CASE("boxes that moved so that the list has another length are noticed at its end") {
    std::vector<Aabb> list = make_scene(pair_scenes()[0], 300);
    const GuardedBoxes before(list);
    list[17] = {{0, 0, 0}, {1e6f, 1e6f, 1e6f}};
    const GuardedBoxes after(list);
    for (const PairAlgorithm algorithm : kAlgorithms) {
        for (const PairOrder order : kOrders) {
            FindPairsSettings settings = {.algorithm = algorithm, .order = order};
            std::vector<IndexPair> piece;
            FindPairsScratch scratch;
            settings.resume = call(before.view(), settings, scratch, 10, piece).next;
            FindPairsScratch new_one;
            CHECK(call(after.view(), settings, new_one, 100000, piece).status == Status::wrong_position);
        }
    }
}

TEST_CASE("every piece of a list tells of the invalid boxes and of the search, not only the last") {
    std::vector<Aabb> list = make_scene(pair_scenes()[0], 20000);
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    list[70] = {{kNan, 0, 0}, {1, 1, 1}};
    list[2900] = {{2, 0, 0}, {1, 1, 1}};
    const GuardedBoxes boxes(list);
    RestingBoxes resting;
    std::vector<std::uint64_t> movers((list.size() + 63) / 64);
    for (std::size_t i = 0; i < list.size(); i += 3) movers[i / 64] |= std::uint64_t{1} << i % 64;
    REQUIRE(resting.build(boxes.view(), movers) == Status::ok);
    for (const PairAlgorithm algorithm : kAlgorithms) {
        if (algorithm == PairAlgorithm::brute_force) continue;  // 20,000 boxes take it seconds
        for (const bool has_resting : {false, true}) {
            if (has_resting && algorithm != PairAlgorithm::automatic) continue;
            FindPairsSettings settings = {.algorithm = algorithm, .order = PairOrder::by_algorithm};
            if (has_resting) {
                settings.resting = &resting;
                settings.filter.subset_bits = movers;
            }
            INFO("algorithm " << static_cast<int>(algorithm) << ", resting " << has_resting);
            FindPairsScratch scratch;
            std::vector<IndexPair> piece;
            const FindPairsResult first = call(boxes.view(), settings, scratch, 10, piece);
            settings.resume = first.next;
            const FindPairsResult second = call(boxes.view(), settings, scratch, 10, piece);
            REQUIRE(second.status == Status::capacity_exceeded);
            for (const FindPairsResult& result : {first, second}) {
                CHECK(result.invalid.count == 2);
                CHECK(result.invalid.first_index == 70);
                CHECK(result.plan.algorithm == first.plan.algorithm);
                CHECK(result.plan.record_count == first.plan.record_count);
                CHECK(result.plan.overfull_cell_count == first.plan.overfull_cell_count);
                CHECK(result.plan.large_count == first.plan.large_count);
            }
        }
    }
}

TEST_CASE("a sorted list stays in the scratch for its later pieces, and only until another call") {
    const GuardedBoxes boxes(make_scene(pair_scenes()[0], 500));
    const GuardedBoxes others(make_scene(pair_scenes()[0], 500, 9));
    CountingAllocator allocator;
    FindPairsScratch scratch(allocator.hook());
    FindPairsSettings settings = {.algorithm = PairAlgorithm::cells};
    const std::vector<IndexPair> list = Sets{boxes.view()}.list(settings);
    std::vector<IndexPair> piece;
    const FindPairsResult first = call(boxes.view(), settings, scratch, 100, piece);
    settings.resume = first.next;
    const std::size_t allocation_count = allocator.allocation_count;
    const FindPairsResult second = call(boxes.view(), settings, scratch, 100, piece);
    CHECK(second.plan.algorithm == PairAlgorithm::automatic);
    CHECK(allocator.allocation_count == allocation_count);
    CHECK(std::equal(piece.begin(), piece.end(), list.begin() + 100));
    // Another list in the same scratch, resumed by neither position of the first.
    settings.resume = {};
    CHECK(call(others.view(), settings, scratch, 100, piece).written == 100);
    settings.resume = second.next;
    const FindPairsResult third = call(boxes.view(), settings, scratch, 100, piece);
    CHECK(third.plan.algorithm == PairAlgorithm::cells);
    CHECK(std::equal(piece.begin(), piece.end(), list.begin() + 200));
    scratch.release();
    CHECK(call(boxes.view(), settings, scratch, 100, piece).plan.algorithm == PairAlgorithm::cells);
}

TEST_CASE("out of memory leaves a position from which the list goes on") {
    const GuardedBoxes boxes(make_scene(pair_scenes()[0], 20000));
    const FindPairsSettings whole = {.algorithm = PairAlgorithm::cells, .order = PairOrder::by_algorithm};
    const std::vector<IndexPair> list = Sets{boxes.view()}.list(whole);
    CountingAllocator allocator;
    FindPairsScratch scratch;
    PairBuffer first(allocator.hook());
    allocator.fail_after = 1;
    FindPairsSettings settings = whole;
    const FindPairsResult failed = find_pairs(boxes.view(), settings, scratch, first);
    REQUIRE(failed.status == Status::out_of_memory);
    REQUIRE(failed.written > 0);
    settings.resume = failed.next;
    PairBuffer rest;
    REQUIRE(find_pairs(boxes.view(), settings, scratch, rest).status == Status::ok);
    std::vector<IndexPair> both(first.begin(), first.end());
    both.insert(both.end(), rest.begin(), rest.end());
    CHECK(both == list);
}
