// PreparedObjects: adding in two steps equals adding in one.
#include <broadside/prepared_objects.hpp>

#include "tests/broadphase/world/life.hpp"
#include "tests/broadphase/world/support.hpp"
#include "tests/support/check_moves.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/suites.hpp"

using namespace broadside;
using namespace broadside::test;

namespace {

ObjectDescription any_description(Random& random) {
    ObjectDescription description;
    description.box = random.chance(10) ? adversarial_box(random) : random_box(random, 5, 2);
    description.kind = static_cast<ObjectKind>(random.below(3));
    if (random.chance(2)) {
        description.filter = {std::uint64_t{1} << random.below(3), random.below(8),
                              static_cast<std::int32_t>(random.below(3)) - 1,
                              static_cast<std::uint8_t>(random.below(4))};
    }
    description.user_data = random.below(100);
    if (random.chance(3)) description.margin = any_margin(random);
    if (random.chance(3)) description.displacement = any_displacement(random);
    return description;
}

}  // namespace

TEST_CASE("a world of prepared objects equals one of their descriptions" * kLong) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Random random(seed);
        World prepared_world;
        World plain_world;
        PreparedObjects prepared;
        std::vector<ObjectHandle> alive;
        for (int step = 0; step < 30; ++step) {
            // Free slots, so that some of the new objects reuse one.
            for (std::uint32_t k = random.below(6); k > 0 && !alive.empty(); --k) {
                const std::size_t index = random.below(static_cast<std::uint32_t>(alive.size()));
                REQUIRE(prepared_world.remove(alive[index]) == Status::ok);
                REQUIRE(plain_world.remove(alive[index]) == Status::ok);
                alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(index));
            }
            std::vector<ObjectDescription> descriptions(random.below(20));
            for (ObjectDescription& description : descriptions) description = any_description(random);
            std::vector<ObjectHandle> handles(descriptions.size());
            std::vector<ObjectHandle> plain_handles(descriptions.size());
            if (random.chance(3) && !descriptions.empty()) {
                const ObjectDescription common = descriptions[0];
                std::vector<Aabb> boxes;
                for (ObjectDescription& description : descriptions) {
                    boxes.push_back(description.box);
                    description = common;
                    description.box = boxes.back();
                }
                const GuardedBoxes guarded(boxes);
                REQUIRE(prepared.prepare(guarded.view(), common).status == Status::ok);
            } else {
                REQUIRE(prepared.prepare(descriptions).status == Status::ok);
            }
            REQUIRE(prepared.count() == descriptions.size());
            REQUIRE(prepared_world.add(prepared, handles).status == Status::ok);
            REQUIRE(plain_world.add(descriptions, plain_handles).status == Status::ok);
            REQUIRE((handles == plain_handles));
            alive.insert(alive.end(), handles.begin(), handles.end());
            REQUIRE(prepared_world.is_consistent());
            REQUIRE((bytes_of(prepared_world) == bytes_of(plain_world)));
            if (random.chance(3)) continue;
            const UpdateResult result = prepared_world.update();
            const UpdateResult plain = plain_world.update();
            REQUIRE(result.status == Status::ok);
            REQUIRE(result.begun_count == plain.begun_count);
            REQUIRE(result.changed_count == plain.changed_count);
            REQUIRE(prepared_world.pairs_hash() == plain_world.pairs_hash());
        }
    }
}

TEST_CASE("an invalid description is refused when prepared, and then none is prepared") {
    PreparedObjects prepared;
    std::vector<ObjectDescription> descriptions(3);
    for (ObjectDescription& description : descriptions) description.box = {{0, 0, 0}, {1, 1, 1}};
    REQUIRE(prepared.prepare(descriptions).status == Status::ok);
    descriptions[1].margin = -1;
    const BatchResult result = prepared.prepare(descriptions);
    CHECK(result.status == Status::invalid_argument);
    CHECK(result.bad_index == 1);
    CHECK(prepared.count() == 0);
    BoxSoaView unreadable;
    unreadable.count = 1;
    CHECK(prepared.prepare(unreadable, {}).status == Status::invalid_argument);
    // A description that all share is bad by itself, as in World::add.
    const GuardedBoxes boxes(std::vector<Aabb>(3, descriptions[0].box));
    for (const BoxSoaView& view : {boxes.view(), BoxSoaView()}) {
        const BatchResult shared = prepared.prepare(view, {.margin = -1});
        CHECK(shared.status == Status::invalid_argument);
        CHECK(shared.bad_index == kNoIndex);
        CHECK(prepared.count() == 0);
    }
    descriptions[1].margin = 0;
    REQUIRE(prepared.prepare(descriptions).status == Status::ok);
    World world({.max_object_count = 4});
    std::vector<ObjectHandle> handles(3);
    CHECK(world.add(prepared, std::span(handles).first(2)).status == Status::capacity_exceeded);
    CHECK(world.add(prepared, handles).status == Status::ok);
    CHECK(world.add(prepared, handles).status == Status::capacity_exceeded);
    CHECK(world.object_count() == 3);
    CHECK(world.update().begun_count == 3);
}

TEST_CASE("prepared objects allocate once") {
    CountingAllocator memory;
    {
        PreparedObjects prepared(memory.hook());
        std::vector<ObjectDescription> descriptions(100);
        memory.fail_after = 3;
        CHECK(prepared.prepare(descriptions).status == Status::out_of_memory);
        CHECK(prepared.count() == 0);
        memory.fail_after = static_cast<std::size_t>(-1);
        REQUIRE(prepared.prepare(descriptions).status == Status::ok);
        const std::size_t count = memory.allocation_count;
        for (int i = 0; i < 5; ++i) REQUIRE(prepared.prepare(descriptions).status == Status::ok);
        CHECK(memory.allocation_count == count);
        CHECK(prepared.capacity_bytes() == memory.live_bytes);
    }
    CHECK(memory.live_bytes == 0);
}
