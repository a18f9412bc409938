// Moves of a World and of the scratch of its queries.
#include "tests/broadphase/tree/box_tree_oracle.hpp"
#include "tests/broadphase/world/support.hpp"
#include "tests/support/check_moves.hpp"

#include <broadside/prepared_objects.hpp>
#include <broadside/world_query.hpp>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr std::size_t kMovesCount = 120;

// Settings that differ from the defaults, which both must keep.
WorldSettings some_settings() {
    WorldSettings settings;
    settings.order = WorldOrder::user_data;
    settings.fixed_objects_pair = true;
    settings.max_object_count = kMovesCount + 2;
    return settings;
}

void fill(World& world) {
    const std::vector<Aabb> boxes = make_scene(pair_scenes()[0], kMovesCount);
    std::vector<ObjectDescription> descriptions;
    for (std::size_t i = 0; i < kMovesCount; ++i) {
        descriptions.push_back(described(boxes[i], static_cast<ObjectKind>(i % 3)));
        descriptions.back().user_data = i * 7 % 10;
    }
    descriptions[5].box.min.x = kNaN;
    std::vector<ObjectHandle> handles(kMovesCount);
    REQUIRE(world.add(descriptions, handles).status == Status::ok);
    REQUIRE(world.set_layers_pair(3, 4, false) == Status::ok);
    update(world);
    REQUIRE(world.remove(handles[9]) == Status::ok);
    REQUIRE(world.set_box(handles[1], boxes[2]) == Status::ok);
    update(world);
}

void add_pairs(std::span<const WorldPair> pairs, Answers& out_answers) {
    out_answers.add_all(pairs, [&](const WorldPair& pair) {
        out_answers.add(pair.a.value);
        out_answers.add(pair.b.value);
    });
}

void add_query_answers(const WorldQueries& queries, BoxScratch& scratch, Answers& out_answers) {
    const std::vector<Aabb> scene = make_scene(pair_scenes()[0], kMovesCount);
    const TreeQuestions questions = make_questions(scene, 20, 4);
    out_answers.add(queries.status());
    AlignedArray<Listed<ObjectHandle>> overlaps;
    out_answers.add(
        queries.find_overlaps(std::span<const Aabb>(questions.boxes), {}, scratch, overlaps).status);
    out_answers.add_all(overlaps, [&](const Listed<ObjectHandle>& item) {
        out_answers.add(item.query);
        out_answers.add(item.found.value);
    });
    AlignedArray<Listed<WorldHit>> hits;
    const auto add_hits = [&] {
        out_answers.add_all(hits, [&](const Listed<WorldHit>& hit) {
            out_answers.add(hit.query);
            out_answers.add(hit.found.target.value);
            out_answers.add(hit.found.t);
        });
    };
    out_answers.add(queries.find_hits(questions.rays, {}, scratch, hits).status);
    add_hits();
    out_answers.add(queries.find_hits(questions.sphere_casts, {}, scratch, hits).status);
    add_hits();
    out_answers.add(queries.closest_object({1, 2, 3}).target.value);
    out_answers.add(queries.closest_hit(questions.rays[0]).target.value);
    out_answers.add(queries.closest_hit(questions.casts[0]).target.value);
    out_answers.add(queries.any_overlap(scene[0]));
}

// Everything that can be read from a const world.
void add_state(const World& world, Answers& out_answers) {
    const ObjectHandle first = {std::uint64_t{1} << 32};
    const ObjectHandle second = {first.value + 1};
    out_answers.add(world.object_count());
    out_answers.add(world.slot_count());
    out_answers.add(world.is_alive(first));
    out_answers.add(world.description(first).box);
    out_answers.add(world.quarantined_objects({}));
    out_answers.add(world.layers_pair(3, 4));
    out_answers.add(world.layers_pair(3, 5));
    out_answers.add(world.layers_pair(3, kLayerCount));
    add_pairs(world.begun(), out_answers);
    out_answers.add(world.ended().size());
    out_answers.add(world.pair_count());
    out_answers.add(world.boxes_overlap(first, second));
    out_answers.add(world.pairs_hash());
    out_answers.add(world.is_consistent());
    std::vector<std::byte> bytes(world.snapshot_bytes());
    out_answers.add_all(bytes, [](std::byte) {});
    out_answers.add(world.save({}));
    out_answers.add(world.save(bytes));
    out_answers.add_all(bytes, [&](std::byte byte) { out_answers.add(byte); });
}

}  // namespace

TEST_CASE("moves: World") {
    const BoxSoa no_boxes;
    const auto ask = [&](World& world) {
        Answers answers;
        add_state(world, answers);
        const ObjectHandle first = {std::uint64_t{1} << 32};
        const ObjectHandle second = {first.value + 1};
        add_pairs(world.persisting(), answers);
        add_pairs(world.pairs(), answers);
        answers.add(world.pair_value(first, second) == nullptr);
        answers.add(world.set_box({}, {}));
        answers.add(world.set_boxes({}, no_boxes).status);
        answers.add(world.set_boxes({&first, 1}, no_boxes).status);
        constexpr std::span<const ObjectHandle> kNone;
        answers.add(world.set_margin(kNone, 1).status);
        answers.add(world.set_kind(kNone, ObjectKind::resting).status);
        answers.add(world.set_filter(kNone, {}).status);
        answers.add(world.set_user_data(kNone, 1).status);
        answers.add(world.remove(std::span<const ObjectHandle>()).status);
        answers.add(world.remove(ObjectHandle{}));
        answers.add(world.set_margin(ObjectHandle{}, 1));
        answers.add(world.shift_origin({0, 0, 0}));
        BoxScratch scratch;
        add_query_answers(world.queries(), scratch, answers);
        const UpdateResult result = world.update();
        answers.add(result.status);
        answers.add(result.changed_count);
        answers.add(result.pair_count);
        answers.add(world.begun().size());
        add_state(world, answers);
        return answers;
    };
    check_moves<World>([](const Allocator& allocator) { return World(some_settings(), allocator); }, fill,
                       ask);
}

TEST_CASE("a moved-from world has the settings of its snapshot") {
    World saved(some_settings());
    fill(saved);
    std::vector<std::byte> bytes(saved.snapshot_bytes());
    REQUIRE(saved.save(bytes) == Status::ok);
    World world;
    REQUIRE(world.restore(bytes) == Status::ok);
    const World taken = std::move(world);
    CHECK(taken.object_count() == kMovesCount - 1);
    const std::vector<ObjectDescription> many(kMovesCount + 3);
    std::vector<ObjectHandle> handles(many.size());
    CHECK(world.add(many, handles).status == Status::capacity_exceeded);
}

TEST_CASE("a moved-from world without memory reports it, and works again once there is some") {
    CountingAllocator allocator;
    World world(some_settings(), allocator.hook());
    fill(world);
    const World taken = std::move(world);
    const ObjectDescription cube = described(cube_at({0, 0, 0}));
    allocator.fail_after = allocator.allocation_count;
    CHECK(world.add(cube).is_null());
    CHECK(world.update().status == Status::out_of_memory);
    CHECK(world.queries().status() == Status::out_of_memory);
    CHECK(world.set_layers_pair(1, 2, false) == Status::out_of_memory);
    CHECK(world.object_count() == 0);
    allocator.fail_after = static_cast<std::size_t>(-1);
    CHECK_FALSE(world.add(cube).is_null());
    CHECK(update(world).changed_count == 1);
    CHECK(world.object_count() == 1);
    CHECK(taken.object_count() == kMovesCount - 1);
}

TEST_CASE("moves: BoxScratch") {
    World world(some_settings());
    fill(world);
    const WorldQueries queries = world.queries();
    check_moves<BoxScratch>([](const Allocator& allocator) { return BoxScratch(allocator); },
                            [&](BoxScratch& scratch) {
                                Answers answers;
                                add_query_answers(queries, scratch, answers);
                            },
                            [&](BoxScratch& scratch) {
                                Answers answers;
                                answers.add(scratch.capacity_bytes());
                                add_query_answers(queries, scratch, answers);
                                return answers;
                            });
}

TEST_CASE("moves: PreparedObjects") {
    const std::vector<ObjectDescription> descriptions = {described(cube_at({0, 0, 0})),
                                                         described(cube_at({1, 0, 0}))};
    check_moves<PreparedObjects>(
        [](const Allocator& allocator) { return PreparedObjects(allocator); },
        [&](PreparedObjects& prepared) { REQUIRE(prepared.prepare(descriptions).status == Status::ok); },
        [](PreparedObjects& prepared) {
            Answers answers;
            answers.add(prepared.count());
            answers.add(prepared.capacity_bytes());
            World world;
            std::vector<ObjectHandle> handles(prepared.count());
            answers.add(world.add(prepared, handles).status);
            answers.add(world.update().pair_count);
            return answers;
        });
}
