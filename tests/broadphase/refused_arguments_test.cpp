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

template <class Enum>
Enum no_enumerator() {
    return static_cast<Enum>(200);
}

AssertInfo reported;
void note(const AssertInfo& info) { reported = info; }

}  // namespace

TEST_CASE("too many boxes and a sink without a function are refused by every search for pairs") {
    BoxScratch scratch;
    BoxScratch tree_scratch;
    PairBuffer pairs;
    PairCache cache(0.1f);
    RestingBoxes resting;
    BoxTree tree;
    const BoxSoa& boxes = five_boxes();
    REQUIRE(resting.build(boxes, {}) == Status::ok);
    REQUIRE(tree.build(boxes) == Status::ok);
    const auto with_subset = with<FindPairsSettings>([](FindPairsSettings& settings) {
        settings.filter.subset_bits = {kWords, 1};
    });
    const PairSink no_sink;
    const char* const too_many = "boxes: more than kMaxBoxCount";
    const char* const no_function = "output: the sink has no function";
    const BoxSoaView many = unread_boxes(kMaxBoxCount + 1);
    check_refused({
        {too_many, [&] { return find_pairs(many, {}, scratch, pairs).status; }},
        {too_many, [&] { return find_pairs(boxes, many, {}, scratch, pairs).status; }},
        {too_many, [&] { return cache.find_pairs(many, {}, scratch, pairs).status; }},
        {no_function, [&] { return find_pairs(boxes, {}, scratch, no_sink).status; }},
        {no_function, [&] { return cache.find_pairs(boxes, {}, scratch, no_sink).status; }},
        {no_function, [&] { return resting.find_pairs(boxes, with_subset, scratch, no_sink).status; }},
        {no_function, [&] { return tree.find_pairs({}, tree_scratch, no_sink).status; }},
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
    BoxScratch scratch;
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
    const std::span<const std::uint64_t> null_bits(static_cast<const std::uint64_t*>(nullptr), 1);
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
        {"span: null though the count is not 0",
         [&] { return refused_if(resting.find_moved_box(boxes, null_bits) == kNoIndex); }},
        {"span: null though the count is not 0",
         [&] { return refused_if(resting.count_drift(null_bits) == 0); }},
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
    const BoxSoaView many = unread_boxes(kMaxBoxCount + 1);
    const std::span<const std::uint64_t> word = {kWords, 1};
    check_refused({
        {"boxes: more than kMaxBoxCount", [&] { return tree.build(many); }},
        {"boxes: more than kMaxBoxCount", [&] { return tree.build_subset(many, word); }},
        {"subset_bits: not bit_word_count words", [&] { return tree.build_subset(boxes, {}); }},
        {"boxes: not as many as the tree has", [&] { return tree.refit(boxes.view().part(0, 4)); }},
        {"box_index: at or past box_count()",
         [&] { return is_valid(tree.box(5)) ? Status::ok : Status::invalid_argument; }},
        {"box_index: not below kMaxBoxCount", [&] { return tree.set_box(kNoBox, {}); }},
        {"box_index: no member", [&] { return tree.remove_box(5); }},
    });
}

TEST_CASE("exact boxes: every refused argument has its own message") {
    const double numbers[12] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3};
    const ExactBoxView<double> two = ExactBoxView<double>::rows(numbers, 2, 3);
    const ExactBoxView<double> flat = ExactBoxView<double>::rows(numbers, 3, 2);
    BoxScratch scratch;
    BoxScratch tree_scratch;
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
    check_refused({
        {other_axes, [&] { return find_pairs(two, flat, {}, scratch, pairs).status; }},
        {other_axes, [&] { return tree.find_overlaps(flat, {}, tree_scratch, pairs).status; }},
        {other_axes,
         [&] {
             return tree.any_overlap(flat, {}, tree_scratch, {&word, 1}).status;
         }},
    });
    CHECK(tree.box_count() == 2);
}

TEST_CASE("too many queries and a sink without a function are refused by trees and worlds") {
    BoxTree tree;
    REQUIRE(tree.build(five_boxes()) == Status::ok);
    World world;
    add_box(world, cube_at({0, 0, 0}));
    const WorldQueries queries = world.queries();
    REQUIRE(queries.status() == Status::ok);
    BoxScratch scratch;
    const Aabb box;
    std::uint64_t bits = 0;
    ClosestObject near;
    const char* const no_function = "output: the sink has no function";
    const char* const too_many = "queries: more than an index can count";
    check_refused({
        {too_many,
         [&] {
             return tree.any_overlap(std::span(&box, kNoBox), {}, {&bits, 1}).status;
         }},
        {too_many,
         [&] {
             return queries.any_overlap(std::span(&box, kNoBox), {}, {&bits, 1}).status;
         }},
        {no_function, [&] { return tree.find_overlaps(box, {}, scratch, PairSink{}).status; }},
        {no_function, [&] { return tree.find_hits(Ray{}, {}, scratch, ListSink<Listed<TreeHit>>{}).status; }},
        {no_function,
         [&] { return queries.find_overlaps(box, {}, scratch, ListSink<Listed<ObjectHandle>>{}).status; }},
        {no_function,
         [&] { return queries.find_hits(Ray{}, {}, scratch, ListSink<Listed<WorldHit>>{}).status; }},
        {"box_settings: count is more than kClosestObjectsMax",
         [&] {
             return queries.closest_objects(Vec3{}, {65}, {}, {&near, 1}).status;
         }},
    });
    // A single query with invalid arguments finds nothing and is reported too.
    take_refusals();
    CHECK(tree.closest_hit({Ray{}, RaySettings{.inside = no_enumerator<Inside>()}}) == TreeHit{});
    CHECK(take_refusals().count == (library_asserts() ? 1 : 0));
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
