// Every argument that the broadphase refuses: the call, and the report to the assert handler.
#include "broadphase/src/lists/canonical_order.hpp"
#include "tests/broadphase/tree/box_tree_oracle.hpp"
#include "tests/broadphase/world/support.hpp"
#include "tests/support/refusals.hpp"

#include <broadside/bits.hpp>
#include <broadside/exact_box_tree.hpp>
#include <broadside/pair_cache.hpp>
#include <broadside/world_query.hpp>

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::test;

namespace {

const TaskRunner kNoFunction = {nullptr, nullptr, 4};
constexpr float kZero[1] = {};

// Claims boxes that nobody reads, since the count is refused first.
BoxSoaView unread_boxes(std::size_t count) { return {kZero, kZero, kZero, kZero, kZero, kZero, count}; }

// The settings of a call with one field changed.
template <class Settings, class Change>
Settings with(Change&& change) {
    Settings settings;
    change(settings);
    return settings;
}

// Five boxes, for which every span of a refused call has the wrong length.
const BoxSoa& five_boxes() {
    static const BoxSoa boxes = soa_of(std::vector<Aabb>(5, cube_at({0, 0, 0})));
    return boxes;
}

const std::uint64_t kWords[9] = {};
const std::uint32_t kGroups[9] = {};

template <class Enum>
Enum no_enumerator() {
    return static_cast<Enum>(200);
}

AssertInfo reported;
void note(const AssertInfo& info) { reported = info; }

}  // namespace

TEST_CASE("find_pairs: every refused argument has its own message") {
    FindPairsScratch scratch;
    PairBuffer pairs;
    PairCache cache(0.1f);
    RestingBoxes resting;
    REQUIRE(resting.build(five_boxes(), {}) == Status::ok);
    // Refusals for one set, for either of two, with a cache and with resting boxes.
    const auto each = [&](const char* message, auto&& change) {
        const auto settings = with<FindPairsSettings>(change);
        auto of_b = settings;
        std::swap(of_b.filter, of_b.filter_b);
        auto of_movers = settings;
        if (of_movers.filter.subset_bits.empty()) of_movers.filter.subset_bits = {kWords, 1};
        const BoxSoa& boxes = five_boxes();
        check_refused({
            {message, [&] { return find_pairs(boxes, settings, scratch, pairs).status; }},
            {message, [&] { return find_pairs(boxes, boxes, settings, scratch, pairs).status; }},
            {message, [&] { return find_pairs(boxes, boxes, of_b, scratch, pairs).status; }},
            {message, [&] { return find_pairs(boxes, settings, pairs).status; }},
            {message, [&] { return cache.find_pairs(boxes, settings, scratch, pairs).status; }},
            {message, [&] { return resting.find_pairs(boxes, of_movers, scratch, pairs).status; }},
        });
    };
    using Settings = FindPairsSettings;
    each("filter: categories are neither none nor one per box", [](Settings& settings) {
        settings.filter.categories = {kWords, 4};
    });
    each("filter: masks are neither none nor one per box", [](Settings& settings) {
        settings.filter.masks = {kWords, 6};
    });
    each("filter: groups are neither none nor one per box", [](Settings& settings) {
        settings.filter.groups = {kGroups, 1};
    });
    each("filter: subset_bits are neither none nor bit_word_count words", [](Settings& settings) {
        settings.filter.subset_bits = {kWords, 2};
    });
    const char* const bad_ids = "filter: ids are neither none nor ids_per_box per box";
    each(bad_ids, [](Settings& settings) { settings.filter.ids = {kGroups, 1}; });
    each(bad_ids, [](Settings& settings) {
        settings.filter.ids = {kGroups, 1};
        settings.filter.ids_per_box = 0;
    });
    each("algorithm: no enumerator",
         [](Settings& settings) { settings.algorithm = no_enumerator<PairAlgorithm>(); });
    each("order: no enumerator", [](Settings& settings) { settings.order = no_enumerator<PairOrder>(); });
    each("sweep_axis: no enumerator",
         [](Settings& settings) { settings.sweep_axis = no_enumerator<SweepAxis>(); });
    each("cell_counts: neither all zero nor none", [](Settings& settings) {
        settings.cell_counts = {4, 0, 4};
    });
    each("cell_counts: more than 65,535 on an axis", [](Settings& settings) {
        settings.cell_counts = {1, 65536, 1};
    });
    each("cell_counts: more than kMaxCellCount", [](Settings& settings) {
        settings.cell_counts = {4096, 4096, 2};
    });
    each("runner: parallel_for is null", [](Settings& settings) { settings.runner = &kNoFunction; });

    const BoxSoa& boxes = five_boxes();
    const auto with_subset = with<Settings>([](Settings& settings) {
        settings.filter.subset_bits = {kWords, 1};
    });
    const PairSink no_sink;
    const char* const null_column = "boxes: a column is null though the count is not 0";
    const char* const too_many = "boxes: more than kMaxBoxCount";
    const BoxSoaView null = {.count = 5};
    const BoxSoaView many = unread_boxes(kMaxBoxCount + 1);
    check_refused({
        {null_column, [&] { return find_pairs(null, {}, scratch, pairs).status; }},
        {null_column, [&] { return find_pairs(boxes, null, {}, scratch, pairs).status; }},
        {null_column, [&] { return cache.find_pairs(null, {}, scratch, pairs).status; }},
        {null_column, [&] { return resting.find_pairs(null, with_subset, scratch, pairs).status; }},
        {too_many, [&] { return find_pairs(many, {}, scratch, pairs).status; }},
        {too_many, [&] { return find_pairs(boxes, many, {}, scratch, pairs).status; }},
        {too_many, [&] { return cache.find_pairs(many, {}, scratch, pairs).status; }},
        {"output: the sink has no function", [&] { return find_pairs(boxes, {}, scratch, no_sink).status; }},
        {"output: the sink has no function",
         [&] { return cache.find_pairs(boxes, {}, scratch, no_sink).status; }},
        {"output: the sink has no function",
         [&] { return resting.find_pairs(boxes, with_subset, scratch, no_sink).status; }},
    });
}

TEST_CASE("a pair that a search finds twice is reported as a broken invariant" *
          doctest::skip(!kHasAsserts)) {
    const auto write = [](std::vector<IndexPair> found) {
        PairBuffer list;
        PairBuffer sorted;
        AlignedArray<std::byte> scratch;
        broadphase::PairWriter writer(sorted, nullptr);
        reported = {};
        const AssertHandler before = set_assert_handler(&note);
        const Status status = broadphase::find_sorted(
            9, 9, nullptr, list, scratch, writer,
            [&](broadphase::PairWriter& collector) { return collector.write(found); });
        set_assert_handler(before);
        CHECK(status == Status::ok);
        CHECK_FALSE(reported.is_refused_argument);
        return std::string(reported.message != nullptr ? reported.message : "");
    };
    CHECK(write({{3, 4}, {1, 2}, {1, 4}}) == "");
    CHECK(write({{3, 4}, {1, 2}, {3, 4}}) == "pairs: one was found twice");
}

TEST_CASE("RestingBoxes: every refused argument has its own message") {
    FindPairsScratch scratch;
    PairBuffer pairs;
    RestingBoxes nothing;
    RestingBoxes resting;
    const BoxSoa& boxes = five_boxes();
    REQUIRE(resting.build(boxes, {}) == Status::ok);
    const auto with_subset = with<FindPairsSettings>([](FindPairsSettings& settings) {
        settings.filter.subset_bits = {kWords, 1};
    });
    const std::span<const std::uint64_t> word = {kWords, 1};
    const std::span<const std::uint64_t> words = {kWords, 2};
    const BoxSoaView null = {.count = 5};
    // Calls that return a number report the refusal by their value.
    const auto refused_if = [](bool is_refused) {
        return is_refused ? Status::invalid_argument : Status::ok;
    };
    check_refused({
        {"RestingBoxes: nothing is built",
         [&] { return nothing.find_pairs(boxes, with_subset, scratch, pairs).status; }},
        {"RestingBoxes: nothing is built", [&] { return nothing.remove({}); }},
        {"boxes: not as many as were built",
         [&] { return resting.find_pairs(boxes.view().part(0, 4), with_subset, scratch, pairs).status; }},
        {"boxes: not as many as were built",
         [&] { return refused_if(resting.find_moved_box(unread_boxes(4), {}) == kNoIndex); }},
        {"boxes: a column is null though the count is not 0",
         [&] { return refused_if(resting.find_moved_box(null, {}) == kNoIndex); }},
        {"filter: subset_bits must name the movers",
         [&] { return resting.find_pairs(boxes, {}, scratch, pairs).status; }},
        {"moved_bits: not bit_word_count words", [&] { return resting.remove(words); }},
        {"moved_bits: not bit_word_count words", [&] { return resting.remove({}); }},
        {"mover_bits: neither none nor bit_word_count words",
         [&] { return refused_if(resting.find_moved_box(boxes, words) == kNoIndex); }},
        {"mover_bits: neither none nor bit_word_count words",
         [&] { return refused_if(resting.count_drift(words) == 0); }},
        {"mover_bits: neither none nor bit_word_count words", [&] { return nothing.build(boxes, words); }},
        {"boxes: a column is null though the count is not 0", [&] { return nothing.build(null, word); }},
        {"boxes: more than kMaxBoxCount",
         [&] { return nothing.build(unread_boxes(kMaxBoxCount + 1), word); }},
        {"runner: parallel_for is null", [&] { return nothing.build(boxes, word, &kNoFunction); }},
    });
    // An empty tree is a valid argument.
    take_refusals();
    CHECK(nothing.find_moved_box(boxes, {}) == kNoIndex);
    CHECK(nothing.count_drift(word) == 0);
    CHECK(take_refusals().count == 0);
}

TEST_CASE("BoxTree: every refused argument of a change has its own message") {
    BoxTree tree;
    const BoxSoa& boxes = five_boxes();
    REQUIRE(tree.build(boxes) == Status::ok);
    const BoxSoaView null = {.count = 5};
    const BoxSoaView many = unread_boxes(kMaxBoxCount + 1);
    const std::span<const std::uint64_t> word = {kWords, 1};
    const char* const null_column = "boxes: a column is null though the count is not 0";
    const char* const no_function = "runner: parallel_for is null";
    check_refused({
        {null_column, [&] { return tree.build(null); }},
        {null_column, [&] { return tree.build_subset(null, word); }},
        {null_column, [&] { return tree.refit(null); }},
        {null_column, [&] { return tree.update(null); }},
        {"boxes: more than kMaxBoxCount", [&] { return tree.build(many); }},
        {"boxes: more than kMaxBoxCount", [&] { return tree.build_subset(many, word); }},
        {no_function, [&] { return tree.build(boxes, &kNoFunction); }},
        {no_function, [&] { return tree.build_subset(boxes, word, &kNoFunction); }},
        {no_function, [&] { return tree.refit(boxes, &kNoFunction); }},
        {no_function, [&] { return tree.update(boxes, &kNoFunction); }},
        {"subset_bits: not bit_word_count words", [&] { return tree.build_subset(boxes, {}); }},
        {"boxes: not as many as the tree has", [&] { return tree.refit(boxes.view().part(0, 4)); }},
        {"box_index: at or past box_count()",
         [&] { return is_valid(tree.box(5)) ? Status::ok : Status::invalid_argument; }},
        {"box_index: not below kMaxBoxCount", [&] { return tree.set_box(kNoBox, {}); }},
        {"box_index: no member", [&] { return tree.remove_box(5); }},
    });
}

namespace {

// One query of each kind for a tree or a world.
struct Asked {
    Ray ray;
    BoxCast cast;
    SphereCast sphere_cast;
    Aabb box;
    Vec3 point;
    template <class Query>
    static std::span<const Query> one(const Query& query) {
        return {&query, 1};
    }
};

// Every kind of query with the same settings: each reports what is wrong with them.
template <class Hit, class First, class Near, class Tree, class Settings, class Scratch, class Overlaps>
std::vector<RefusedCall> all_queries(const char* message, const Tree& tree, const Settings& settings,
                                     Scratch& scratch, Overlaps& overlaps, AlignedArray<Hit>& hits,
                                     std::uint64_t* bits, First* first, Near* near) {
    static const Asked q;
    const std::span<std::uint64_t> out_bits(bits, 1);
    const std::span<First> out_first(first, 1);
    std::vector<RefusedCall> calls = {
        {message, [&, out_bits] { return tree.any_overlap(q.one(q.box), settings, out_bits).status; }},
        {message, [&] { return tree.find_overlaps(q.one(q.box), settings, scratch, overlaps).status; }},
        {message, [&] { return tree.find_hits(q.one(q.ray), settings, scratch, hits).status; }},
        {message, [&, out_bits] { return tree.any_hit(q.one(q.ray), settings, out_bits).status; }},
        {message, [&, out_first] { return tree.closest_hits(q.one(q.ray), settings, out_first).status; }},
        {message,
         [&] {
             return tree.find_hits({q.one(q.cast), Touch::closed}, settings, scratch, hits).status;
         }},
        {message,
         [&, out_bits] {
             return tree.any_hit({q.one(q.cast), Touch::closed}, settings, out_bits).status;
         }},
        {message,
         [&, out_first] {
             return tree.closest_hits({q.one(q.cast), Touch::closed}, settings, out_first).status;
         }},
        {message, [&] { return tree.find_hits(q.one(q.sphere_cast), settings, scratch, hits).status; }},
        {message, [&, out_bits] { return tree.any_hit(q.one(q.sphere_cast), settings, out_bits).status; }},
        {message,
         [&, out_first] { return tree.closest_hits(q.one(q.sphere_cast), settings, out_first).status; }},
    };
    const std::span<Near> out_near(near, 1);
    const auto no_near = [](const auto&) {
        FAIL("called");
        return kVisitNoMore;
    };
    if constexpr (std::is_same_v<Tree, BoxTree>) {
        calls.push_back({message, [&, out_near] {
                             return tree.closest_boxes(q.one(q.point), {}, settings, out_near).status;
                         }});
        calls.push_back({message, [&] { return tree.visit_close_boxes(q.point, {}, settings, no_near); }});
    } else {
        calls.push_back({message, [&, out_near] {
                             return tree.closest_objects(q.one(q.point), {}, settings, out_near).status;
                         }});
        calls.push_back({message, [&] { return tree.visit_close_objects(q.point, {}, settings, no_near); }});
    }
    return calls;
}

// Contradictory settings of a query, and more queries than an index counts.
template <class Hit, class First, class Tree, class Settings, class Scratch>
std::vector<RefusedCall> bad_questions(const Tree& tree, const Settings& settings, Scratch& scratch,
                                       AlignedArray<Hit>& hits, std::uint64_t* bits, First* first) {
    static const Asked q;
    static const RaySettings no_inside = {.inside = no_enumerator<Inside>()};
    const auto no_touch = no_enumerator<Touch>();
    const std::span<std::uint64_t> out_bits(bits, 1);
    const std::span<First> out_first(first, 1);
    return {
        {"inside: no enumerator",
         [&] {
             return tree.find_hits({q.one(q.ray), no_inside}, settings, scratch, hits).status;
         }},
        {"inside: no enumerator",
         [&, out_bits] {
             return tree.any_hit({q.one(q.ray), no_inside}, settings, out_bits).status;
         }},
        {"inside: no enumerator",
         [&, out_first] {
             return tree.closest_hits({q.one(q.ray), no_inside}, settings, out_first).status;
         }},
        {"touch: no enumerator",
         [&, no_touch] {
             return tree.find_hits({q.one(q.cast), no_touch}, settings, scratch, hits).status;
         }},
        {"touch: no enumerator",
         [&, no_touch, out_bits] {
             return tree.any_hit({q.one(q.cast), no_touch}, settings, out_bits).status;
         }},
        {"touch: no enumerator",
         [&, no_touch, out_first] {
             return tree.closest_hits({q.one(q.cast), no_touch}, settings, out_first).status;
         }},
        {"queries: more than an index can count",
         [&, out_bits] { return tree.any_overlap(std::span(&q.box, kNoBox), settings, out_bits).status; }},
    };
}

}  // namespace

TEST_CASE("exact boxes: every refused argument has its own message") {
    const double numbers[12] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3};
    const ExactBoxView<double> two = ExactBoxView<double>::rows(numbers, 2, 3);
    const ExactBoxView<double> flat = ExactBoxView<double>::rows(numbers, 3, 2);
    FindPairsScratch scratch;
    QueryScratch tree_scratch;
    PairBuffer pairs;
    std::uint64_t word = 0;
    ExactBoxTree<double> tree;
    REQUIRE(tree.build(two) == Status::ok);
    const auto each = [&](const char* message, const ExactBoxView<double>& boxes) {
        check_refused({
            {message, [&] { return find_pairs(boxes, {}, scratch, pairs).status; }},
            {message, [&] { return find_pairs(two, boxes, {}, scratch, pairs).status; }},
            {message, [&] { return find_pairs(boxes, two, {}, scratch, pairs).status; }},
            {message, [&] { return tree.build(boxes); }},
            {message, [&] { return tree.find_overlaps(boxes, {}, tree_scratch, pairs).status; }},
            {message,
             [&] {
                 return tree.any_overlap(boxes, {}, tree_scratch, {&word, 1}).status;
             }},
        });
    };
    const auto changed = [&](auto&& change) {
        ExactBoxView<double> boxes = two;
        change(boxes);
        return boxes;
    };
    each("axis_count: neither 2 nor 3", changed([](auto& boxes) { boxes.axis_count = 4; }));
    each("stride: zero", changed([](auto& boxes) { boxes.stride = 0; }));
    each("boxes: a side is null though the count is not 0",
         changed([](auto& boxes) { boxes.max_z = nullptr; }));
    each("boxes: more of them than kMaxBoxCount",
         changed([](auto& boxes) { boxes.count = kMaxBoxCount + 1; }));
    const char* const other_axes = "axis_count: not that of the other boxes";
    const char* const no_function = "runner: parallel_for is null";
    check_refused({
        {other_axes, [&] { return find_pairs(two, flat, {}, scratch, pairs).status; }},
        {other_axes, [&] { return tree.find_overlaps(flat, {}, tree_scratch, pairs).status; }},
        {other_axes,
         [&] {
             return tree.any_overlap(flat, {}, tree_scratch, {&word, 1}).status;
         }},
        {no_function, [&] { return tree.build(two, &kNoFunction); }},
        {no_function, [&] { return find_pairs(two, {.runner = &kNoFunction}, scratch, pairs).status; }},
        {no_function,
         [&] { return tree.find_overlaps(two, {.runner = &kNoFunction}, tree_scratch, pairs).status; }},
        {no_function, [&] { return tree.find_pairs({.runner = &kNoFunction}, tree_scratch, pairs).status; }},
    });
    CHECK(tree.box_count() == 2);
}

TEST_CASE("BoxTree: every refused argument of a query has its own message") {
    BoxTree tree;
    REQUIRE(tree.build(five_boxes()) == Status::ok);
    QueryScratch scratch;
    PairBuffer pairs;
    AlignedArray<Listed<TreeHit>> hits;
    std::uint64_t bits = 0;
    TreeHit first;
    ClosestBox near;
    const auto each = [&](const char* message, auto&& change) {
        const auto settings = with<TreeQuerySettings>(change);
        check_refused(all_queries(message, tree, settings, scratch, pairs, hits, &bits, &first, &near));
    };
    each("filter: categories are neither none nor one per box of the tree", [](TreeQuerySettings& settings) {
        settings.filter.categories = {kWords, 4};
    });
    each("masks: neither none nor one per query", [](TreeQuerySettings& settings) {
        settings.filter.masks = {kWords, 2};
    });
    each("order: no enumerator",
         [](TreeQuerySettings& settings) { settings.order = no_enumerator<PairOrder>(); });
    each("runner: parallel_for is null", [](TreeQuerySettings& settings) { settings.runner = &kNoFunction; });
    check_refused(bad_questions(tree, TreeQuerySettings{}, scratch, hits, &bits, &first));
    const PairSink no_sink;
    static const Asked q;
    check_refused({{"output: the sink has no function",
                    [&] { return tree.find_overlaps(q.one(q.box), {}, scratch, no_sink).status; }},
                   {"output: the sink has no function", [&] {
                        return tree.find_hits(q.one(q.ray), {}, scratch, ListSink<Listed<TreeHit>>{}).status;
                    }}});
    // A single query with invalid arguments finds nothing and is reported too.
    take_refusals();
    CHECK(tree.closest_hit({Ray{}, {.inside = no_enumerator<Inside>()}}) == TreeHit{});
    CHECK(take_refusals().count == (library_asserts() ? 1 : 0));
}

TEST_CASE("BoxTree::find_pairs: every refused argument has its own message") {
    BoxTree tree;
    REQUIRE(tree.build(five_boxes()) == Status::ok);
    QueryScratch scratch;
    PairBuffer pairs;
    const PairSink no_sink;
    const auto no_pair = [](const IndexPair&) {
        FAIL("called");
        return true;
    };
    const auto each = [&](const char* message, auto&& change) {
        const auto settings = with<FindPairsSettings>(change);
        auto of_b = settings;
        std::swap(of_b.filter, of_b.filter_b);
        check_refused({
            {message, [&] { return tree.find_pairs(settings, scratch, pairs).status; }},
            {message, [&] { return tree.find_pairs(tree, settings, scratch, pairs).status; }},
            {message, [&] { return tree.find_pairs(tree, of_b, scratch, pairs).status; }},
            {message, [&] { return tree.visit_pairs(settings, no_pair); }},
            {message, [&] { return tree.visit_pairs(tree, of_b, no_pair); }},
            {message, [&] { return tree.any_pair(settings) ? Status::ok : Status::invalid_argument; }},
            {message, [&] { return tree.any_pair(tree, of_b) ? Status::ok : Status::invalid_argument; }},
        });
    };
    const auto each_filter = [&](const char* message, auto&& change) {
        each(message, change);
        const BoxFilter filter = with<FindPairsSettings>(change).filter;
        const ClosePairSettings of_a = {.filter = filter};
        const ClosePairSettings of_b = {.filter_b = filter};
        const auto no_near = [](const ClosePair&) {
            FAIL("called");
            return kVisitNoMore;
        };
        const auto status_of = [](const ClosePair& near) {
            return near == ClosePair{} ? Status::invalid_argument : Status::ok;
        };
        check_refused({
            {message, [&] { return tree.visit_close_pairs(of_a, no_near); }},
            {message, [&] { return tree.visit_close_pairs(tree, of_b, no_near); }},
            {message, [&] { return status_of(tree.closest_pair(of_a)); }},
            {message, [&] { return status_of(tree.closest_pair(tree, of_b)); }},
        });
    };
    each_filter("filter: categories are neither none nor one per box", [](FindPairsSettings& settings) {
        settings.filter.categories = {kWords, 4};
    });
    each_filter("filter: masks are neither none nor one per box", [](FindPairsSettings& settings) {
        settings.filter.masks = {kWords, 6};
    });
    each_filter("filter: groups are neither none nor one per box", [](FindPairsSettings& settings) {
        settings.filter.groups = {kGroups, 1};
    });
    each_filter("filter: subset_bits are neither none nor bit_word_count words",
                [](FindPairsSettings& settings) {
                    settings.filter.subset_bits = {kWords, 2};
                });
    each("order: no enumerator",
         [](FindPairsSettings& settings) { settings.order = no_enumerator<PairOrder>(); });
    each("runner: parallel_for is null", [](FindPairsSettings& settings) { settings.runner = &kNoFunction; });
    check_refused(
        {{"output: the sink has no function", [&] { return tree.find_pairs({}, scratch, no_sink).status; }}});
}

TEST_CASE("World: every refused argument has its own message") {
    World world;
    const ObjectHandle handle = add_box(world, cube_at({0, 0, 0}));
    const ObjectHandle dead = add_box(world, cube_at({0, 0, 0}));
    REQUIRE(world.remove(dead) == Status::ok);
    ObjectHandle out_handles[2];
    const ObjectHandle both[2] = {handle, dead};
    const ObjectHandle twice[2] = {handle, handle};
    const auto one = std::span(&handle, 1);
    const BoxSoa& boxes = five_boxes();
    const BoxSoaView box = boxes.view().part(0, 1);
    const float zeros[2] = {};
    const float infinite[1] = {kInfinity};
    const Vec3SoaView displacement = {zeros, zeros, zeros, 1};

    const auto descriptions = [&](const char* message, auto&& change) {
        const auto description = with<ObjectDescription>(change);
        check_refused({
            {message, [&] { return world.add(std::span(&description, 1), out_handles).status; }},
            {message, [&] { return world.add(box, description, out_handles).status; }},
            {message,
             [&] { return world.add(description).is_null() ? Status::invalid_argument : Status::ok; }},
        });
    };
    const char* const no_kind = "kind: no enumerator";
    const char* const no_layer = "layer: not below kLayerCount";
    const char* const bad_margin = "margin: negative or no number";
    const char* const bad_displacement = "displacement: not finite";
    descriptions(no_kind, [](ObjectDescription& d) { d.kind = no_enumerator<ObjectKind>(); });
    descriptions(bad_margin, [](ObjectDescription& d) { d.margin = -1; });
    descriptions(bad_margin, [](ObjectDescription& d) { d.margin = kNaN; });
    descriptions(bad_displacement, [](ObjectDescription& d) { d.displacement.y = kInfinity; });

    const char* const null_boxes = "boxes: a column is null though the count is not 0";
    const char* const no_object = "handle: names no object";
    check_refused({
        {null_boxes, [&] { return world.add({.count = 1}, {}, out_handles).status; }},
        {null_boxes, [&] { return world.set_boxes(one, BoxSoaView{.count = 1}).status; }},
        {"boxes: data is null though the count is not 0",
         [&] { return world.set_boxes(one, BoxAosView{.count = 1}).status; }},
        {"boxes: not one per handle", [&] { return world.set_boxes(one, BoxAosView{.data = zeros}).status; }},
        {"boxes: a side is null though the count is not 0",
         [&] { return world.set_boxes(one, ExactBoxView<double>{.count = 1}).status; }},
        {"stride: zero", [&] { return world.set_boxes(one, ExactBoxView<double>{.stride = 0}).status; }},
        {"axis_count: neither 2 nor 3",
         [&] { return world.set_boxes(one, ExactBoxView<double>{.axis_count = 1}).status; }},
        {"boxes: not one per handle", [&] { return world.set_boxes(one, ExactBoxView<double>{}).status; }},
        {"descriptions: not one per handle", [&] { return world.set(one, {}).status; }},
        {bad_margin, [&] { return world.set(handle, {.margin = -1}); }},
        {no_object, [&] { return world.set(dead, {}); }},
        {no_object, [&] { return world.set_box_shared(dead, {}); }},
        {"runner: parallel_for is null", [&] { return world.publish(&kNoFunction); }},
        {"boxes: not one per handle", [&] { return world.set_boxes(one, boxes).status; }},
        {"displacements: a column is null though the count is not 0",
         [&] { return world.set_displacements(one, {.count = 1}).status; }},
        {"displacements: not one per handle", [&] { return world.set_displacements(one, {}).status; }},
        {bad_displacement,
         [&] {
             return world.set_displacements(one, {zeros, zeros, infinite, 1}).status;
         }},
        {bad_margin, [&] { return world.set_margin(one, -1).status; }},
        {no_kind, [&] { return world.set_kind(one, no_enumerator<ObjectKind>()).status; }},
        {no_layer, [&] { return world.set_layers_pair(kLayerCount, 0, false); }},
        {no_layer, [&] { return world.set_layers_pair(0, kLayerCount, false); }},
        {no_layer, [&] { return world.layers_pair(0, kLayerCount) ? Status::ok : Status::invalid_argument; }},
        {"offset: not finite",
         [&] {
             return world.shift_origin({0, kNaN, 0});
         }},
        {"runner: parallel_for is null", [&] { return world.update(&kNoFunction).status; }},
        {"runner: parallel_for is null", [&] { return world.queries(&kNoFunction).status(); }},
        {no_object, [&] { return world.set_boxes(both, boxes.view().part(0, 2)).status; }},
        {no_object,
         [&] {
             return world.set_displacements(both, {zeros, zeros, zeros, 2}).status;
         }},
        {no_object, [&] { return world.set_margin(both, 1).status; }},
        {no_object, [&] { return world.set_kind(both, ObjectKind::fixed).status; }},
        {no_object, [&] { return world.set_filter(both, {}).status; }},
        {no_object, [&] { return world.set_user_data(both, 1).status; }},
        {no_object, [&] { return world.set_box(dead, {}); }},
        {no_object, [&] { return world.remove(both).status; }},
        {"handles: one is there twice", [&] { return world.remove(twice).status; }},
        {no_object,
         [&] { return world.description(dead).user_data == 0 ? Status::invalid_argument : Status::ok; }},
        {no_object,
         [&] { return world.boxes_overlap(handle, dead) ? Status::ok : Status::invalid_argument; }},
        {no_object,
         [&] { return world.boxes_overlap(dead, handle) ? Status::ok : Status::invalid_argument; }},
    });
    REQUIRE(world.set_displacements(one, displacement).status == Status::ok);

    // Damaged bytes are data and no mistake of the caller.
    std::vector<std::byte> bytes(world.snapshot_bytes());
    REQUIRE(world.save(bytes) == Status::ok);
    bytes[bytes.size() / 2] ^= std::byte{1};
    take_refusals();
    CHECK(world.restore(bytes) == Status::invalid_argument);
    CHECK(world.restore({}) == Status::invalid_argument);
    CHECK(take_refusals().count == 0);
    CHECK(world.object_count() == 1);
    CHECK(world.is_consistent());
}

TEST_CASE("a world that rests, moves and grows passes no refused argument internally") {
    World world;
    Random random(7);
    std::vector<ObjectHandle> handles;
    take_refusals();
    for (int frame = 0; frame < 12; ++frame) {
        // From many objects to more, past the padding of the arrays, with few movers in between.
        if (frame % 4 == 0) {
            const std::vector<Aabb> boxes = make_scene(pair_scenes()[0], 300, static_cast<unsigned>(frame));
            for (const ObjectHandle handle : add_boxes(world, boxes)) handles.push_back(handle);
        }
        const ObjectHandle mover = handles[random.below(static_cast<std::uint32_t>(handles.size()))];
        REQUIRE(world.set_box(mover, cube_at({0, 0, 0})) == Status::ok);
        update(world);
        REQUIRE(world.queries().status() == Status::ok);
    }
    CHECK(take_refusals().count == 0);
}

TEST_CASE("WorldQueries: every refused argument has its own message") {
    World world;
    add_box(world, cube_at({0, 0, 0}));
    const WorldQueries queries = world.queries();
    REQUIRE(queries.status() == Status::ok);
    QueryScratch scratch;
    AlignedArray<Listed<ObjectHandle>> overlaps;
    AlignedArray<Listed<WorldHit>> hits;
    std::uint64_t bits = 0;
    WorldHit first;
    ClosestObject near;
    const auto each = [&](const char* message, auto&& change) {
        const auto settings = with<WorldQuerySettings>(change);
        check_refused(all_queries(message, queries, settings, scratch, overlaps, hits, &bits, &first, &near));
    };
    each("kinds: a bit that is no kind's", [](WorldQuerySettings& settings) { settings.kinds = 8; });
    each("masks: neither none nor one per query", [](WorldQuerySettings& settings) {
        settings.masks = {kWords, 2};
    });
    each("runner: parallel_for is null",
         [](WorldQuerySettings& settings) { settings.runner = &kNoFunction; });
    each("order: no enumerator",
         [](WorldQuerySettings& settings) { settings.order = no_enumerator<PairOrder>(); });
    check_refused(
        {{"output: the sink has no function",
          [&] {
              return queries.find_overlaps(Vec3{}, {}, scratch, ListSink<Listed<ObjectHandle>>{}).status;
          }},
         {"output: the sink has no function",
          [&] { return queries.find_hits(Ray{}, {}, scratch, ListSink<Listed<WorldHit>>{}).status; }}});
    check_refused(bad_questions(queries, WorldQuerySettings{}, scratch, hits, &bits, &first));
    const Vec3 point;
    check_refused({{"box_settings: count is more than kClosestObjectsMax", [&] {
                        return queries.closest_objects(point, {65}, {}, {&near, 1}).status;
                    }}});
}

TEST_CASE("World: a batch names the refused item, and none for a shared argument") {
    World world;
    const ObjectHandle living = world.add(ObjectDescription{});
    const std::vector<ObjectHandle> handles = {living, ObjectHandle{}};
    std::vector<ObjectHandle> out_handles(5);
    const auto bad = with<ObjectDescription>([](ObjectDescription& description) { description.margin = -1; });
    const std::vector<ObjectDescription> descriptions = {ObjectDescription{}, bad};
    const std::span<const ObjectHandle> one(handles.data(), 1);
    const struct {
        BatchResult result;
        std::size_t bad_index;
    } batches[] = {
        {world.add(descriptions, out_handles), 1},
        {world.add(five_boxes(), bad, out_handles), kNoIndex},
        {world.set_margin(handles, 1), 1},
        {world.set_margin(one, -1), kNoIndex},
        {world.set_kind(handles, ObjectKind::fixed), 1},
        {world.set_kind(one, no_enumerator<ObjectKind>()), kNoIndex},
    };
    for (const auto& batch : batches) {
        CHECK(batch.result.status == Status::invalid_argument);
        CHECK(batch.result.bad_index == batch.bad_index);
    }
    CHECK(world.object_count() == 1);
    CHECK(world.description(living).margin == 0);
}
