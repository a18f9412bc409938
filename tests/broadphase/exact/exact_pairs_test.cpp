// find_pairs and ExactBoxTree of doubles, integers and boxes with two axes against fractions.
#include "tests/broadphase/exact/exact_oracle.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/drawn_thresholds.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"

#include <broadside/bits.hpp>

#include <algorithm>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr std::size_t kCount = 70;

template <class Number>
void check_pairs(const ExactBoxView<Number>& boxes) {
    const ExactBoxView<Number> some = {boxes.min_x,     boxes.min_y,  boxes.min_z,
                                       boxes.max_x,     boxes.max_y,  boxes.max_z,
                                       boxes.count / 3, boxes.stride, boxes.axis_count};
    const ExactOracle<Number> oracle(boxes);
    const ExactOracle<Number> oracle_some(some);
    const std::vector<IndexPair> expected = oracle.pairs();
    const std::vector<IndexPair> expected_two = oracle_some.pairs(oracle);
    ShuffledRunner threads(7, 3);
    BoxScratch scratch;
    PairBuffer pairs;
    for (const PairAlgorithm algorithm : {PairAlgorithm::automatic, PairAlgorithm::brute_force,
                                          PairAlgorithm::sweep_and_prune, PairAlgorithm::cells}) {
        for (const TaskRunner* runner : {static_cast<const TaskRunner*>(nullptr), threads.runner()}) {
            FindPairsSettings settings;
            settings.algorithm = algorithm;
            settings.runner = runner;
            const FindPairsResult found = find_pairs(boxes, settings, scratch, pairs);
            CHECK(found.status == Status::ok);
            CHECK(found.required == expected.size());
            CHECK(found.invalid.count == oracle.invalid_count());
            CHECK(listed(pairs) == expected);
            CHECK(find_pairs(some, boxes, settings, scratch, pairs).status == Status::ok);
            CHECK(listed(pairs) == expected_two);
            settings.order = PairOrder::by_algorithm;
            CHECK(find_pairs(boxes, settings, scratch, pairs).required == expected.size());
            std::sort(pairs.data(), pairs.data() + pairs.size());
            CHECK(listed(pairs) == expected);
        }
    }
}

template <class Number>
void check_tree(const ExactBoxView<Number>& boxes, const ExactBoxView<Number>& queries) {
    ShuffledRunner threads(8, 3);
    ExactBoxTree<Number> tree;
    BoxScratch scratch;
    PairBuffer pairs;
    const ExactOracle<Number> oracle(boxes);
    const std::vector<IndexPair> overlaps = ExactOracle<Number>(queries).pairs(oracle);
    for (const TaskRunner* runner : {static_cast<const TaskRunner*>(nullptr), threads.runner()}) {
        REQUIRE(tree.build(boxes, runner) == Status::ok);
        CHECK(tree.box_count() == boxes.count);
        CHECK(tree.invalid_boxes().count == oracle.invalid_count());
        CHECK(tree.find_pairs({.runner = runner}, scratch, pairs).status == Status::ok);
        CHECK(listed(pairs) == oracle.pairs());
        TreeQuerySettings settings;
        settings.runner = runner;
        CHECK(tree.find_overlaps(queries, settings, scratch, pairs).status == Status::ok);
        CHECK(listed(pairs) == overlaps);
        std::vector<std::uint64_t> bits(bit_word_count(queries.count));
        CHECK(tree.any_overlap(queries, settings, scratch, bits).status == Status::ok);
        std::vector<std::uint64_t> expected_bits(bits.size());
        for (const IndexPair& pair : overlaps)
            expected_bits[pair.first / 64] |= std::uint64_t{1} << (pair.first % 64);
        CHECK(bits == expected_bits);
    }
}

template <class Number>
void check_scenes() {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        const auto scenes = exact_scenes<Number>(kCount, seed);
        const auto others = exact_scenes<Number>(kCount / 2, seed + 100);
        for (std::size_t i = 0; i < scenes.size(); ++i) {
            INFO(scenes[i].name << ", seed " << seed);
            check_pairs(scenes[i].view());
            check_pairs(scenes[i].flat());
            check_tree(scenes[i].view(), others[i].view());
            check_tree(scenes[i].flat(), others[i].flat());
        }
    }
}

}  // namespace

TEST_CASE_TEMPLATE("boxes of any numbers overlap exactly if fractions say so" * kLong, Number, float, double,
                   std::int32_t, std::int64_t) {
    for_each_isa([](Isa) { check_scenes<Number>(); });
}

namespace {

// Random boxes, every `every`-th of which touches the next one, or misses it by a step that no float shows,
// so that a search must see each such pair; some are large, and half of all are far away.
template <class Number>
ExactScene<Number> touching_scene(std::size_t count, Number unit, Number step, Number far,
                                  std::size_t every) {
    Random random(11 + every);
    ExactScene<Number> scene{"touching", {}};
    const auto number = [&](double of_units) {
        return static_cast<Number>(of_units * static_cast<double>(unit));
    };
    const auto random_unit = [&] { return static_cast<double>(random.next() >> 11) * 0x1p-53; };
    for (std::size_t i = 0; i < count; ++i) {
        const bool is_beside = i % every == 1;
        const bool is_large = i % (3 * every) == 0;
        Number box[6];
        for (int axis = 0; axis < 3; ++axis) {
            const double size = is_large ? 20 + 20 * random_unit() : 1 + 2 * random_unit();
            box[axis] = number(100 * random_unit()) + (i / 2 % 2 == 0 ? Number{0} : far);
            if (is_beside) box[axis] = scene.rows[6 * (i - 1) + static_cast<std::size_t>(axis)];
            box[axis + 3] = box[axis] + number(size);
        }
        if (is_beside) {
            const auto axis = random.below(3);
            const Number off = static_cast<Number>(random.below(3)) * step - step;
            const Number size = box[axis + 3] - box[axis];
            const Number* const other = scene.rows.data() + 6 * (i - 1);
            const bool is_above = random.chance(2);
            box[axis] = is_above ? other[axis + 3] + off : other[axis] - size + off;
            box[axis + 3] = is_above ? box[axis] + size : other[axis] + off;
        }
        scene.rows.insert(scene.rows.end(), box, box + 6);
    }
    return scene;
}

// Compares the numbers directly.
template <class Number>
std::vector<IndexPair> compared_pairs(const ExactScene<Number>& scene, int axis_count) {
    std::vector<IndexPair> pairs;
    for (std::uint32_t i = 0; i < scene.count(); ++i) {
        for (std::uint32_t j = i + 1; j < scene.count(); ++j) {
            const Number* const a = scene.rows.data() + 6 * i;
            const Number* const b = scene.rows.data() + 6 * j;
            bool does = true;
            for (int axis = 0; axis < axis_count; ++axis)
                does = does && a[axis] <= b[axis + 3] && b[axis] <= a[axis + 3];
            if (does) pairs.push_back({i, j});
        }
    }
    return pairs;
}

template <class Number>
void check_touching(const ExactScene<Number>& scene) {
    ShuffledRunner threads(9, 4);
    BoxScratch scratch;
    PairBuffer pairs;
    for (const int axis_count : {2, 3}) {
        const std::vector<IndexPair> expected = compared_pairs(scene, axis_count);
        REQUIRE(expected.size() > 100);
        for (const PairAlgorithm algorithm :
             {PairAlgorithm::automatic, PairAlgorithm::cells, PairAlgorithm::sweep_and_prune}) {
            for (const TaskRunner* runner : {static_cast<const TaskRunner*>(nullptr), threads.runner()}) {
                FindPairsSettings settings;
                settings.algorithm = algorithm;
                settings.runner = runner;
                CHECK(find_pairs(axis_count == 2 ? scene.flat() : scene.view(), settings, scratch, pairs)
                          .status == Status::ok);
                CHECK(listed(pairs) == expected);
            }
        }
    }
}

}  // namespace

TEST_CASE("exact pairs of many boxes that touch as floats, in tasks, cells and clusters" * kLong) {
    constexpr std::size_t kMany = 3000;
    const std::uint32_t dense_lanes_min = tested_thresholds().cells.dense_lanes_min;
    // With candidates of cells compared one by one where they are few, and always over lanes.
    for_each_isa([&](Isa isa) {
        for (const std::size_t every : {3u, 20u, 150u}) {
            check_touching(touching_scene<double>(kMany, 1.0, 0x1p-40, 0.0, every));
            // So far away that one offset for both does not keep numbers apart.
            check_touching(touching_scene<double>(kMany, 1.0, 0x1p-20, 0x1p31, every));
            check_touching(touching_scene<std::int64_t>(kMany, std::int64_t{1} << 40, 1, 0, every));
            check_touching(
                touching_scene<std::int64_t>(kMany, std::int64_t{1} << 20, 1, std::int64_t{1} << 60, every));
            check_touching(touching_scene<std::int32_t>(kMany, 1 << 23, 1, 1 << 28, every));
            if (isa == Isa::scalar) continue;
            tested_thresholds().cells.dense_lanes_min = 0;
            check_touching(touching_scene<double>(kMany, 1.0, 0x1p-40, 0.0, every));
            tested_thresholds().cells.dense_lanes_min = dense_lanes_min;
        }
    });
}

TEST_CASE("two boxes that touch, or miss by less than a float can tell, are decided exactly") {
    for_each_isa([](Isa) {
        for (int axes = 0; axes < 9; ++axes) {
            const int axis = axes % 3;
            for (const int off : {-1, 0, 1}) {
                for (const bool is_first_below : {false, true}) {
                    // Below 1000, and from there on; others in a row that rises most along one axis, so that
                    // a search does not go by these two alone.
                    constexpr int kOthers = 100;
                    double rows[2 + kOthers][6] = {{0, 0, 0, 1000, 1000, 1000}, {1, 1, 1, 999, 999, 999}};
                    for (int i = 0; i < kOthers; ++i) {
                        for (int k = 0; k < 3; ++k) {
                            rows[2 + i][k] = 5000 + (k == axes / 3 ? 3000.0 : 1000.0) * i;
                            rows[2 + i][k + 3] = rows[2 + i][k] + 900;
                        }
                    }
                    double* const above = rows[is_first_below ? 1 : 0];
                    double* const below = rows[is_first_below ? 0 : 1];
                    below[axis + 3] = 1000;
                    above[axis] = 1000 + off * 0x1p-40;
                    above[axis + 3] = 2000;
                    for (const PairAlgorithm algorithm :
                         {PairAlgorithm::brute_force, PairAlgorithm::sweep_and_prune, PairAlgorithm::cells}) {
                        PairBuffer pairs;
                        const FindPairsSettings settings = {.algorithm = algorithm};
                        REQUIRE(
                            find_pairs(ExactBoxView<double>::rows(rows[0], 2 + kOthers, 3), settings, pairs)
                                .status == Status::ok);
                        CHECK(pairs.size() == (off <= 0 ? 1 : 0));
                    }
                }
            }
        }
    });
}

TEST_CASE("a box in many cells that only doubles tell apart from its neighbours has exact pairs" * kLong) {
    constexpr std::uint32_t kMany = 1200;
    Random random(1711);
    std::vector<double> others;
    for (std::uint32_t i = 0; i < kMany; ++i) {
        double box[6];
        for (int axis = 0; axis < 3; ++axis) {
            box[axis] = (axis == 0 ? 1000.0 : 10.0) * random.unit();
            box[axis + 3] = static_cast<float>(box[axis] + 1 + 2 * random.unit());
        }
        others.insert(others.end(), box, box + 6);
    }
    const auto check = [&](int axis, int off, bool is_above, bool is_large) {
        INFO("axis " << axis << ", off " << off << ", above " << is_above << ", large " << is_large);
        std::vector<double> rows = others;
        double* const box = rows.data();
        double* const beside = rows.data() + 6;
        for (int k = 0; k < 3; ++k) {
            // A large box holds all others, so that no box of whole cells is tested on its own.
            box[k] = is_large ? -1 : 40 + k;
            box[k + 3] = is_large ? 1100 : 50 + k;
            beside[k] = 44;
            beside[k + 3] = 46;
        }
        beside[axis] = is_above ? box[axis + 3] + off * 0x1p-40 : box[axis] - 4;
        beside[axis + 3] = is_above ? beside[axis] + 4 : box[axis] - off * 0x1p-40;
        const auto view = ExactBoxView<double>::rows(rows.data(), kMany, 3);
        const auto first = ExactBoxView<double>::rows(box, 1, 3);
        const auto rest = ExactBoxView<double>::rows(beside, kMany - 1, 3);
        PairBuffer expected;
        REQUIRE(find_pairs(view, {.algorithm = PairAlgorithm::brute_force}, expected).status == Status::ok);
        CHECK(std::binary_search(expected.begin(), expected.end(), IndexPair{0, 1}) == (off <= 0));
        for (const PairAlgorithm algorithm : {PairAlgorithm::sweep_and_prune, PairAlgorithm::cells}) {
            FindPairsSettings settings;
            settings.algorithm = algorithm;
            // So many that a large box crosses enough of them to be separated.
            settings.cell_counts = {16, 4, 4};
            PairBuffer pairs;
            const FindPairsResult found = find_pairs(view, settings, pairs);
            REQUIRE(found.status == Status::ok);
            CHECK(listed(pairs) == listed(expected));
            if (algorithm == PairAlgorithm::cells) CHECK(found.plan.large_count == (is_large ? 1 : 0));
            REQUIRE(find_pairs(first, rest, settings, pairs).status == Status::ok);
            CHECK((!pairs.is_empty() && pairs[0] == IndexPair{0, 0}) == (off <= 0));
        }
    };
    for_each_isa([&](Isa) {
        for (int axis = 0; axis < 3; ++axis) {
            for (const int off : {-1, 0, 1}) {
                for (const bool is_above : {false, true}) {
                    check(axis, off, is_above, false);
                    check(axis, off, is_above, true);
                }
            }
        }
    });
}

TEST_CASE("an integer that no double holds differs from the nearest float") {
    // All others are distinct floats, so that nothing else needs a comparison.
    constexpr std::int64_t kUnit = std::int64_t{1} << 40;
    constexpr std::int64_t kFar = std::int64_t{1} << 53;
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 0; i < 600; ++i) {
        const std::int64_t row[] = {i * kUnit, i, i, i * kUnit + kUnit / 2, i, i};
        rows.insert(rows.end(), row, row + 6);
    }
    const std::int64_t last[] = {kFar - kUnit, 0, 0, kFar, 600, 600, kFar + 1, 0, 0, kFar + kUnit, 600, 600};
    rows.insert(rows.end(), last, last + 12);
    for (const std::int64_t begin : {kFar + 1, kFar}) {
        rows[601 * 6] = begin;
        PairBuffer pairs;
        REQUIRE(find_pairs(ExactBoxView<std::int64_t>::rows(rows.data(), 602, 3), pairs).status ==
                Status::ok);
        CHECK(pairs.size() == (begin == kFar ? 1 : 0));
    }
}

TEST_CASE("boxes that floats cannot tell apart are told apart") {
    // As floats, and with their middle as origin, all of these touch.
    const double far = 0x1p53;
    const std::int64_t beyond = (std::int64_t{1} << 53) + 1;
    const double doubles[] = {far,     0, 0, far + 2, 1, 1,  //
                              far + 4, 0, 0, far + 6, 1, 1, -far, 0, 0, far + 2, 1, 1};
    PairBuffer pairs;
    REQUIRE(find_pairs(ExactBoxView<double>::rows(doubles, 3, 3), pairs).status == Status::ok);
    CHECK(listed(pairs) == std::vector<IndexPair>{{0, 2}});
    const std::int64_t whole[] = {0, 0, beyond - 1, 1, beyond, 0, beyond + 1, 1, -beyond, 0, beyond, 1};
    REQUIRE(find_pairs(ExactBoxView<std::int64_t>::rows(whole, 3, 2), pairs).status == Status::ok);
    CHECK(listed(pairs) == std::vector<IndexPair>{{0, 2}, {1, 2}});
}

TEST_CASE("columns, rows and any stride describe the same boxes") {
    const auto scene = exact_scenes<double>(300, 5)[0];
    std::vector<double> columns[6];
    for (std::size_t i = 0; i < scene.rows.size(); ++i) columns[i % 6].push_back(scene.rows[i]);
    const ExactBoxView<double> view = {columns[0].data(),
                                       columns[1].data(),
                                       columns[2].data(),
                                       columns[3].data(),
                                       columns[4].data(),
                                       columns[5].data(),
                                       300};
    PairBuffer of_rows;
    PairBuffer of_columns;
    REQUIRE(find_pairs(scene.view(), of_rows).status == Status::ok);
    REQUIRE(find_pairs(view, of_columns).status == Status::ok);
    CHECK(of_rows.size() > 0);
    CHECK(listed(of_rows) == listed(of_columns));
}

TEST_CASE("exact pairs: outputs, filters and caps work as in find_pairs") {
    const auto scene = exact_scenes<double>(400, 6)[3];
    const ExactBoxView<double> boxes = scene.view();
    const std::vector<IndexPair> all = ExactOracle<double>(boxes).pairs();
    REQUIRE(all.size() > 20);
    std::vector<IndexPair> room(10);
    const FindPairsResult cut = find_pairs(boxes, std::span<IndexPair>(room));
    CHECK(cut.status == Status::capacity_exceeded);
    CHECK(cut.written == 10);
    CHECK(cut.required == all.size());
    CHECK(std::equal(room.begin(), room.end(), all.begin()));

    std::vector<IndexPair> sunk;
    const PairSink sink = {[](void* user, std::span<const IndexPair> pairs) noexcept {
                               auto& list = *static_cast<std::vector<IndexPair>*>(user);
                               list.insert(list.end(), pairs.begin(), pairs.end());
                               return true;
                           },
                           &sunk};
    CHECK(find_pairs(boxes, sink).required == all.size());
    CHECK(sunk == all);

    std::vector<std::uint64_t> subset(bit_word_count(400), 0x11);
    FindPairsSettings settings;
    settings.filter.subset_bits = subset;
    PairBuffer pairs;
    CHECK(find_pairs(boxes, settings, pairs).status == Status::ok);
    std::vector<IndexPair> kept;
    for (const IndexPair& pair : all) {
        const auto is_in = [&](std::uint32_t i) { return (subset[i / 64] >> (i % 64) & 1) != 0; };
        if (is_in(pair.first) || is_in(pair.second)) kept.push_back(pair);
    }
    CHECK(listed(pairs) == kept);

    // A caller's filter with the exact decision of a tree.
    ExactBoxTree<double> tree;
    REQUIRE(tree.build(boxes) == Status::ok);
    TreeQuerySettings queries;
    queries.accepts = [](void*, std::uint32_t query, std::uint32_t box) noexcept { return query < box; };
    BoxScratch scratch;
    CHECK(tree.find_overlaps(boxes, queries, scratch, pairs).status == Status::ok);
    CHECK(listed(pairs) == all);
}

TEST_CASE_TEMPLATE("warm exact pairs and trees allocate nothing" * kLong, Number, double, std::int64_t) {
    for (const auto& scene : exact_scenes<Number>(900, 9)) {
        INFO(scene.name);
        CountingAllocator allocator;
        BoxScratch scratch(allocator.hook());
        BoxScratch tree_scratch(allocator.hook());
        ExactBoxTree<Number> tree(allocator.hook());
        PairBuffer pairs(allocator.hook());
        const auto frame = [&] {
            REQUIRE(find_pairs(scene.view(), {}, scratch, pairs).status == Status::ok);
            REQUIRE(tree.build(scene.view()) == Status::ok);
            REQUIRE(tree.find_overlaps(scene.view(), {}, tree_scratch, pairs).status == Status::ok);
        };
        frame();
        frame();
        const std::size_t allocation_count = allocator.allocation_count;
        frame();
        CHECK(allocator.allocation_count == allocation_count);
    }
}

TEST_CASE("an exact search without memory leaves no pairs of an earlier one in its output") {
    const auto scene = exact_scenes<double>(60, 3)[2];
    ExactBoxTree<double> tree;
    REQUIRE(tree.build(scene.view()) == Status::ok);
    std::size_t failure_count = 0;
    const auto check = [&](auto&& search) {
        for (std::size_t fail_after = 0;; ++fail_after) {
            CountingAllocator allocator;
            allocator.fail_after = fail_after;
            BoxScratch scratch(allocator.hook());
            PairBuffer pairs;
            REQUIRE(find_pairs(scene.view(), pairs).status == Status::ok);
            REQUIRE(!pairs.is_empty());
            const auto found = search(scratch, pairs);
            if (found.status == Status::ok) break;
            CHECK(found.status == Status::out_of_memory);
            CHECK(pairs.size() == found.written);
            ++failure_count;
        }
    };
    check(
        [&](BoxScratch& scratch, PairBuffer& pairs) { return find_pairs(scene.view(), {}, scratch, pairs); });
    check([&](BoxScratch& scratch, PairBuffer& pairs) {
        return find_pairs(scene.view(), scene.view(), {}, scratch, pairs);
    });
    check([&](BoxScratch& scratch, PairBuffer& pairs) {
        return tree.find_overlaps(scene.view(), {}, scratch, pairs);
    });
    CHECK(failure_count > 3);
}

TEST_CASE("an empty or cleared exact tree finds nothing") {
    ExactBoxTree<double> tree;
    BoxScratch scratch;
    PairBuffer pairs;
    const auto scene = exact_scenes<double>(40, 3)[2];
    CHECK(tree.find_overlaps(scene.flat(), {}, scratch, pairs).status == Status::ok);
    CHECK(pairs.is_empty());
    REQUIRE(tree.build(scene.view()) == Status::ok);
    CHECK(tree.find_pairs({}, scratch, pairs).required == 40 * 39 / 2);
    tree.clear();
    CHECK(tree.box_count() == 0);
    CHECK(tree.find_pairs({}, scratch, pairs).required == 0);
}
