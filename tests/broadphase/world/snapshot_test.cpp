// A World as bytes: bit-exact round trips, everything else refused, and a restored world that continues like
// its original.
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/broadphase/world/snapshot_editor.hpp"
#include "tests/broadphase/world/support.hpp"
#include "tests/support/file_bytes.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/suites.hpp"

#include <array>
#include <bit>

using namespace broadside;
using namespace broadside::test;

namespace {

std::vector<std::byte> save(const World& world) {
    std::vector<std::byte> bytes(world.snapshot_bytes());
    REQUIRE(world.save(bytes) == Status::ok);
    return bytes;
}

// A few objects of every kind, a free slot, a value, and changes since the last update.
World small_world() {
    World world;
    for (int k = 0; k < 4; ++k) {
        ObjectDescription description = described(cube_at({0.25f * static_cast<float>(k), 0, 0}));
        description.kind = static_cast<ObjectKind>(k % 3);
        description.user_data = static_cast<std::uint64_t>(k) * 1000;
        if (k == 3) description.margin = 0.5f;
        if (k == 2) description.filter.group = 3;
        add_box(world, description.box);
        REQUIRE(!world.add(description).is_null());
    }
    update(world);
    *world.pair_value(world.pairs()[0].a, world.pairs()[0].b) = 0x0123456789ABCDEF;
    REQUIRE(world.remove(world.pairs()[1].b) == Status::ok);
    add_box(world, cube_at({0, 0.5f, 0}));
    REQUIRE(world.remove(world.pairs()[0].a) == Status::ok);
    return world;
}

}  // namespace

TEST_CASE("a world that is saved, restored and saved again gives the same bytes") {
    for (const PairScene& scene : pair_scenes()) {
        INFO("scene " << scene.name);
        World world;
        const std::vector<ObjectHandle> handles = add_boxes(world, make_scene(scene, 150));
        for (int round = 0; round < 3; ++round) {
            const std::vector<std::byte> bytes = save(world);
            World restored;
            REQUIRE(restored.restore(bytes) == Status::ok);
            REQUIRE(restored.is_consistent());
            REQUIRE(save(restored) == bytes);
            REQUIRE(restored.pairs_hash() == world.pairs_hash());
            REQUIRE(restored.object_count() == world.object_count());
            if (round == 0) update(world);
            if (round == 1) REQUIRE(world.remove(std::span(handles).first(70)).status == Status::ok);
        }
    }
    const std::vector<std::byte> empty = save(World());
    World restored;
    REQUIRE(restored.restore(empty) == Status::ok);
    REQUIRE(save(restored) == empty);
}

TEST_CASE("a restored world has every object, pair and value") {
    World world = small_world();
    World restored;
    REQUIRE(restored.restore(save(world)) == Status::ok);
    REQUIRE(restored.begun().empty());
    REQUIRE(restored.ended().empty());
    REQUIRE(copy_of(restored.pairs()) == copy_of(world.pairs()));
    for (const WorldPair& pair : world.pairs()) {
        REQUIRE(*restored.pair_value(pair.a, pair.b) == *world.pair_value(pair.a, pair.b));
        for (const ObjectHandle handle : {pair.a, pair.b}) {
            REQUIRE(restored.is_alive(handle) == world.is_alive(handle));
            const ObjectDescription a = restored.description(handle);
            const ObjectDescription b = world.description(handle);
            REQUIRE(a.box == b.box);
            REQUIRE(a.kind == b.kind);
            REQUIRE(a.filter == b.filter);
            REQUIRE(a.user_data == b.user_data);
            REQUIRE(a.margin == b.margin);
            REQUIRE(a.displacement == b.displacement);
        }
    }
    // The next object gets the handle that it would have got.
    REQUIRE(add_box(restored, cube_at({5, 5, 5})) == add_box(world, cube_at({5, 5, 5})));
}

TEST_CASE("a snapshot that is too short or too long is refused, at every length") {
    const World world = small_world();
    const std::vector<std::byte> bytes = save(world);
    World victim = small_world();
    const std::vector<std::byte> before = save(victim);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        REQUIRE(victim.restore(std::span(bytes).first(length)) == Status::invalid_argument);
    }
    std::vector<std::byte> longer = bytes;
    longer.push_back(std::byte{0});
    REQUIRE(victim.restore(longer) == Status::invalid_argument);
    REQUIRE(save(victim) == before);
    // A buffer that is too small stays unchanged.
    std::vector<std::byte> room(bytes.size() - 1);
    REQUIRE(world.save(room) == Status::capacity_exceeded);
    REQUIRE(room == std::vector<std::byte>(bytes.size() - 1));
}

TEST_CASE("a snapshot with any one bit flipped is refused" * kLong) {
    std::vector<std::byte> bytes = save(small_world());
    World victim = small_world();
    const std::vector<std::byte> before = save(victim);
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        const std::byte flip{static_cast<unsigned char>(1u << bit % 8)};
        bytes[bit / 8] ^= flip;
        REQUIRE(victim.restore(bytes) == Status::invalid_argument);
        bytes[bit / 8] ^= flip;
    }
    REQUIRE(save(victim) == before);
    REQUIRE(victim.restore(bytes) == Status::ok);
}

TEST_CASE("a snapshot of another version or another program is refused") {
    for (const std::uint32_t version : {0u, 1u, 3u, 0xFFFFFFFFu}) {
        std::vector<std::byte> bytes = save(small_world());
        SnapshotEditor(bytes).write(SnapshotEditor::kVersionOffset, version);
        World world;
        REQUIRE(world.restore(bytes) == Status::invalid_argument);
    }
    std::vector<std::byte> noise(5000);
    Random random(5);
    for (std::byte& byte : noise) byte = static_cast<std::byte>(random.below(256));
    World world;
    REQUIRE(world.restore(noise) == Status::invalid_argument);
}

TEST_CASE("a forged snapshot with a valid checksum is refused if it contradicts itself") {
    const std::vector<std::byte> good = save(small_world());
    std::vector<std::byte> bytes = good;
    SnapshotEditor editor(bytes);
    const auto is_refused = [&] {
        World world;
        const bool refused = world.restore(bytes) == Status::invalid_argument;
        bytes = good;
        return refused;
    };
    const std::size_t pairs = editor.pairs_offset();
    // A pair of missing slots, of an object with itself, out of order, of boxes that do not meet.
    for (const std::uint32_t slot : {0xFFFFFFFFu, 0x7FFFFFFFu, 1000u}) {
        editor.write(pairs + 4, slot);
        REQUIRE(is_refused());
        editor.write(pairs, slot);
        REQUIRE(is_refused());
    }
    editor.write(pairs + 4, editor.read<std::uint32_t>(pairs));
    REQUIRE(is_refused());
    editor.write(pairs, editor.read<std::uint64_t>(pairs + 8));
    REQUIRE(is_refused());
    // Counts that contradict the bytes, also if they overflow.
    for (const std::size_t offset :
         {SnapshotEditor::kSlotCountOffset, SnapshotEditor::kPaddedCountOffset,
          SnapshotEditor::kPairCountOffset, SnapshotEditor::kPairCountOffset + 8}) {
        for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{64}, std::uint64_t{1} << 31,
                                          std::uint64_t{1} << 60, ~std::uint64_t{0}}) {
            if (editor.read<std::uint64_t>(offset) == value) continue;
            editor.write(offset, value);
            REQUIRE(is_refused());
        }
    }
    // A free list that leads nowhere, or to a living object.
    editor.write(SnapshotEditor::kFirstFreeOffset, std::uint32_t{1000});
    REQUIRE(is_refused());
    editor.write(SnapshotEditor::kFirstFreeOffset, std::uint32_t{0});
    const bool is_zero_alive = editor.read<std::uint32_t>(SnapshotEditor::kHeaderBytes) % 2 == 1;
    const bool refused = is_refused();
    REQUIRE(refused == is_zero_alive);
    // An object replaced between two updates without a recorded change.
    editor.write(editor.known_generations_offset() + 4 * sizeof(std::uint32_t), std::uint32_t{77});
    REQUIRE(is_refused());
    World world;
    REQUIRE(world.restore(good) == Status::ok);
}

TEST_CASE("a snapshot that save would not write is refused: flags above one, nonzero unused bytes") {
    const std::vector<std::byte> good = save(small_world());
    constexpr std::size_t kFlagOffset = SnapshotEditor::kFirstFreeOffset + 5;
    for (const std::size_t offset : {kFlagOffset, kFlagOffset + 1, kFlagOffset + 2}) {
        for (const unsigned value : {2u, 16u, 255u}) {
            std::vector<std::byte> bytes = good;
            SnapshotEditor(bytes).write(offset, static_cast<std::uint8_t>(value));
            World world;
            REQUIRE(world.restore(bytes) == Status::invalid_argument);
        }
    }
    std::vector<std::byte> bytes = good;
    SnapshotEditor(bytes).write(kFlagOffset, std::uint8_t{1});
    World world;
    REQUIRE(world.restore(bytes) == Status::ok);
    REQUIRE(save(world) == bytes);
}

// Found by fuzzing: for a body that is only its box, only the box in the columns was read.
TEST_CASE("a forged snapshot is refused if a body differs from the box of its columns by one bit") {
    World saved;
    add_boxes(saved, {cube_at({0, 0, 0}), {{1, 0, 0}, {0, 1, 1}}, cube_at({9, 0, 0})});
    REQUIRE(saved.remove(add_box(saved, cube_at({5, 0, 0}))) == Status::ok);
    update(saved);
    const std::vector<std::byte> good = save(saved);
    for (std::uint32_t slot = 0; slot < saved.slot_count(); ++slot) {
        for (std::size_t number = 0; number < 6; ++number) {
            INFO("slot " << slot << ", number " << number);
            std::vector<std::byte> bytes = good;
            SnapshotEditor editor(bytes);
            const std::size_t offset = editor.body_offset(slot) + number * sizeof(float);
            // The sign of a zero, too.
            editor.write(offset, editor.read<std::uint32_t>(offset) ^ 0x80000000u);
            World world;
            REQUIRE(world.restore(bytes) == Status::invalid_argument);
        }
    }
}

TEST_CASE("a forged snapshot is refused if add would refuse its contents") {
    World saved;
    // An invalid box has the same grown box for any margin, so nothing else reveals the change.
    ObjectDescription shaped = described({{1, 0, 0}, {0, 1, 1}});
    shaped.margin = 2;
    shaped.displacement = {3, 0, 0};
    REQUIRE(saved.add(shaped).slot() == 0);
    add_boxes(saved, {cube_at({0, 0, 0}), cube_at({0, 0, 0})});
    REQUIRE(update(saved).pair_count == 1);
    const std::vector<std::byte> good = save(saved);
    const auto forged = [&](std::size_t offset, auto value) {
        std::vector<std::byte> bytes = good;
        SnapshotEditor(bytes).write(offset, value);
        World world;
        return world.restore(bytes);
    };
    std::vector<std::byte> bytes = good;
    const SnapshotEditor editor(bytes);
    REQUIRE(editor.read<float>(editor.margin_offset(0)) == 2);
    for (const float margin : {0.5f, 1e38f, kInfinity}) {
        REQUIRE(forged(editor.margin_offset(0), margin) == Status::ok);
    }
    for (const float margin : {-1.0f, -kDenormal, -kInfinity, kNaN, -kNaN}) {
        REQUIRE(forged(editor.margin_offset(0), margin) == Status::invalid_argument);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::size_t offset = editor.displacement_offset(0) + axis * sizeof(float);
        REQUIRE(editor.read<float>(offset) == (axis == 0 ? 3.0f : 0.0f));
        REQUIRE(forged(offset, -FLT_MAX) == Status::ok);
        for (const float length : {kInfinity, -kInfinity, kNaN, -kNaN}) {
            REQUIRE(forged(offset, length) == Status::invalid_argument);
        }
    }
    REQUIRE(forged(SnapshotEditor::kMaxObjectCountOffset, std::uint64_t{3}) == Status::ok);
    REQUIRE(forged(SnapshotEditor::kMaxObjectCountOffset, std::uint64_t{2}) == Status::invalid_argument);
    REQUIRE(forged(SnapshotEditor::kMaxPairCountOffset, std::uint64_t{1}) == Status::ok);
    REQUIRE(forged(SnapshotEditor::kMaxPairCountOffset, std::uint64_t{0}) == Status::invalid_argument);
}

TEST_CASE("a snapshot of random bytes with a valid checksum never gives an inconsistent world") {
    const std::vector<std::byte> good = save(small_world());
    Random random(6);
    std::size_t accepted = 0;
    for (int round = 0; round < 20000; ++round) {
        std::vector<std::byte> bytes = good;
        SnapshotEditor editor(bytes);
        const std::size_t change_count = 1 + random.below(3);
        for (std::size_t k = 0; k < change_count; ++k) {
            const std::size_t offset =
                SnapshotEditor::kSlotCountOffset +
                random.below(static_cast<std::uint32_t>(bytes.size() - SnapshotEditor::kSlotCountOffset));
            editor.write(offset, static_cast<std::uint8_t>(random.below(256)));
        }
        World world;
        if (world.restore(bytes) != Status::ok) continue;
        ++accepted;
        REQUIRE(world.is_consistent());
        // A count beyond 32 bits is no limit on a 32-bit machine.
        for (const std::size_t offset :
             {SnapshotEditor::kMaxObjectCountOffset, SnapshotEditor::kMaxPairCountOffset}) {
            const auto limit = editor.read<std::uint64_t>(offset);
            if (limit != static_cast<std::size_t>(limit)) editor.write(offset, ~std::uint64_t{0});
        }
        REQUIRE(save(world) == bytes);
        World other;
        for (std::uint32_t slot = 0; slot < world.slot_count(); ++slot) {
            const ObjectHandle handle{std::uint64_t{editor.generation(slot)} << 32 | slot};
            if (!world.is_alive(handle)) continue;
            const ObjectDescription known = world.description(handle);
            if (other.add(known).is_null()) FAIL("an object that add refuses");
        }
        // Caps may have been forged to be just reached; apart from that, the world works and stays
        // consistent.
        const Status status = world.update().status;
        REQUIRE((status == Status::ok || status == Status::capacity_exceeded));
        (void)world.add(described(cube_at({0, 0, 0})));
        (void)world.update();
        REQUIRE(world.is_consistent());
    }
    REQUIRE(accepted > 100);
}

TEST_CASE(
    "a restored world continues like its original: the same handles, lists and hashes in later frames") {
    for_each_isa([](Isa) {
        for (const WorldOrder order : {WorldOrder::slot, WorldOrder::user_data}) {
            WorldSettings settings;
            settings.order = order;
            constexpr std::size_t kCount = 500;
            World original(settings);
            Random random(12);
            std::vector<ObjectHandle> handles;
            for (std::size_t i = 0; i < kCount; ++i) {
                ObjectDescription description = described(uniform_box(random, i, kCount));
                description.user_data = random.below(300);
                description.kind = static_cast<ObjectKind>(random.below(3));
                if (random.chance(10)) description.margin = 0.25f;
                handles.push_back(original.add(description));
            }
            for (int frame = 0; frame < 5; ++frame) {
                for (std::size_t i = 0; i < kCount; i += 9) {
                    REQUIRE(original.set_box(handles[i], uniform_box(random, i, kCount)) == Status::ok);
                }
                if (frame < 4) update(original);
            }
            World restored;
            REQUIRE(restored.restore(save(original)) == Status::ok);
            for (int frame = 0; frame < 10; ++frame) {
                update(original);
                update(restored);
                REQUIRE(copy_of(restored.begun()) == copy_of(original.begun()));
                REQUIRE(copy_of(restored.ended()) == copy_of(original.ended()));
                REQUIRE(copy_of(restored.pairs()) == copy_of(original.pairs()));
                REQUIRE(copy_of(restored.persisting()) == copy_of(original.persisting()));
                REQUIRE(restored.pairs_hash() == original.pairs_hash());
                REQUIRE(save(restored) == save(original));
                for (int k = 0; k < 40; ++k) {
                    ObjectHandle& handle = handles[random.below(kCount)];
                    const Aabb box = uniform_box(random, 0, kCount);
                    if (random.chance(3)) {
                        REQUIRE(original.remove(handle) == Status::ok);
                        REQUIRE(restored.remove(handle) == Status::ok);
                        handle = add_box(original, box);
                        REQUIRE(add_box(restored, box) == handle);
                    } else {
                        REQUIRE(original.set_box(handle, box) == Status::ok);
                        REQUIRE(restored.set_box(handle, box) == Status::ok);
                    }
                }
            }
        }
    });
}

TEST_CASE("a forged snapshot is refused if any two of its arrays contradict each other") {
    // 0 and 1 overlap and rest; 2 overlaps both and has changed since; 3 and 5 are free, 5 before 3; 4 has a
    // margin.
    World saved;
    add_boxes(saved, {cube_at({0, 0, 0}), cube_at({0.5f, 0, 0}), cube_at({0, 0.5f, 0}), cube_at({50, 0, 0})});
    ObjectDescription shaped = described(cube_at({70, 0, 0}));
    shaped.margin = 2;
    REQUIRE(saved.add(shaped).slot() == 4);
    const ObjectHandle last = add_box(saved, cube_at({90, 0, 0}));
    update(saved);
    REQUIRE(copy_of(saved.pairs()).size() == 3);
    const ObjectHandle second = saved.pairs()[2].b;
    REQUIRE(saved.remove(ObjectHandle{std::uint64_t{1} << 32 | 3}) == Status::ok);
    REQUIRE(saved.remove(last) == Status::ok);
    update(saved);
    REQUIRE(second.slot() == 2);
    REQUIRE(saved.set_box(second, cube_at({0, 0.25f, 0})) == Status::ok);
    const std::vector<std::byte> good = save(saved);
    std::vector<std::byte> bytes = good;
    SnapshotEditor editor(bytes);
    const auto outcome = [&] {
        World world;
        const Status status = world.restore(bytes);
        bytes = good;
        return status;
    };
    const auto forged = [&](std::size_t offset, auto value) {
        editor.write(offset, value);
        return outcome();
    };
    REQUIRE(outcome() == Status::ok);
    REQUIRE(editor.read<std::uint32_t>(SnapshotEditor::kFirstFreeOffset) == 5);
    REQUIRE(editor.read<std::uint32_t>(editor.next_free_offset(5)) == 3);

    // Valid kinds, and the first invalid one.
    constexpr std::size_t kMask = 8;
    constexpr std::size_t kKind = 22;
    REQUIRE(forged(editor.rules_offset(1) + kKind, std::uint8_t{1}) == Status::ok);
    REQUIRE(forged(editor.rules_offset(1) + kKind, std::uint8_t{3}) == Status::invalid_argument);
    // A margin that the grown box does not have; boxes and margins of free slots.
    REQUIRE(forged(editor.margin_offset(4), 3.0f) == Status::invalid_argument);
    REQUIRE(forged(editor.margin_offset(3), 1.0f) == Status::invalid_argument);
    editor.set_box(3, cube_at({0, 0, 0}));
    REQUIRE(outcome() == Status::invalid_argument);
    // Padding that holds a box, or has changed.
    editor.set_box(6, cube_at({0, 0, 0}));
    REQUIRE(outcome() == Status::invalid_argument);
    editor.mark_changed(6);
    REQUIRE(outcome() == Status::invalid_argument);
    editor.mark_changed(0);
    REQUIRE(outcome() == Status::ok);
    for (const std::uint64_t count : {3u, 5u})
        REQUIRE(forged(SnapshotEditor::kObjectCountOffset, count) == Status::invalid_argument);
    // A list of free slots that begins or continues at a missing or a living slot, or has no end.
    for (const std::uint32_t slot : {0u, 4u, 6u, 64u}) {
        REQUIRE(forged(SnapshotEditor::kFirstFreeOffset, slot) == Status::invalid_argument);
        REQUIRE(forged(editor.next_free_offset(5), slot) == Status::invalid_argument);
    }
    REQUIRE(forged(editor.next_free_offset(3), std::uint32_t{5}) == Status::invalid_argument);
    REQUIRE(forged(SnapshotEditor::kFirstFreeOffset, std::uint32_t{3}) == Status::ok);
    // Pairs in another order, reversed, and of slots that were never used.
    const std::size_t pairs = editor.pairs_offset();
    using Slots = std::array<std::uint32_t, 2>;
    const auto with_pair = [&](std::size_t index, Slots slots) {
        editor.write(pairs + index * 8, slots[0]);
        editor.write(pairs + index * 8 + 4, slots[1]);
    };
    with_pair(0, {0, 2});
    with_pair(1, {0, 1});
    REQUIRE(outcome() == Status::invalid_argument);
    for (const Slots slots : {Slots{1, 0}, Slots{0, 0}, Slots{0, 3}, Slots{0, 6}, Slots{6, 7}}) {
        with_pair(0, slots);
        REQUIRE(outcome() == Status::invalid_argument);
    }
    with_pair(2, {2, 3});
    REQUIRE(outcome() == Status::invalid_argument);
    // Objects of a pair lived at the last update, changed or not.
    const auto known_generation = [&](std::uint32_t slot) {
        return editor.known_generations_offset() + slot * 4;
    };
    REQUIRE(forged(known_generation(2), std::uint32_t{2}) == Status::invalid_argument);
    REQUIRE(forged(known_generation(2), std::uint32_t{3}) == Status::ok);
    editor.mark_changed(0);
    REQUIRE(forged(known_generation(0), std::uint32_t{2}) == Status::invalid_argument);
    // Pairs of unchanged objects overlap and may pair; the next update tests the others.
    REQUIRE(forged(editor.rules_offset(1) + kMask, std::uint64_t{0}) == Status::invalid_argument);
    REQUIRE(forged(editor.rules_offset(2) + kMask, std::uint64_t{0}) == Status::ok);
    editor.set_box(1, cube_at({30, 0, 0}));
    REQUIRE(outcome() == Status::invalid_argument);
    editor.set_box(2, cube_at({30, 0, 0}));
    World world;
    REQUIRE(world.restore(bytes) == Status::ok);
    REQUIRE(update(world).ended_count == 2);
}

TEST_CASE("a forged snapshot is refused if it has more or less padding than its slots") {
    for (const float margin : {0.0f, 1.0f}) {
        for (const std::size_t slot_count : {1u, 100u, 1000u}) {
            INFO("margin " << margin << ", slots " << slot_count);
            World original;
            for (std::size_t i = 0; i < slot_count; ++i) {
                ObjectDescription description = described(cube_at({3 * static_cast<float>(i), 0, 0}));
                description.margin = margin;
                REQUIRE_FALSE(original.add(description).is_null());
            }
            const std::vector<std::byte> saved = save(original);
            std::vector<std::byte> read_only = saved;
            const auto padded_count = static_cast<std::size_t>(
                SnapshotEditor(read_only).read<std::uint64_t>(SnapshotEditor::kPaddedCountOffset));
            REQUIRE(repadded(saved, padded_count) == saved);
            for (const std::size_t count : {padded_count + 64, 2 * padded_count, padded_count + 1,
                                            padded_count - 64, padded_count / 128 * 64, padded_count - 1}) {
                World world;
                REQUIRE(world.restore(repadded(saved, count)) == Status::invalid_argument);
            }
        }
    }
}

TEST_CASE(
    "a forged snapshot is refused if its layer rules are not as save writes them: ascending, the lower layer "
    "first") {
    World original;
    (void)add_box(original, cube_at({0, 0, 0}));
    REQUIRE(original.set_layers_pair(1, 2, false) == Status::ok);
    REQUIRE(original.set_layers_pair(2, 5, false) == Status::ok);
    const std::vector<std::byte> saved = save(original);
    // The rules are the end of the bytes: the lower layer in the upper half of each.
    const auto with_rules = [&](std::uint32_t first, std::uint32_t second) {
        std::vector<std::byte> bytes = saved;
        SnapshotEditor editor(bytes);
        editor.write(bytes.size() - 8, first);
        editor.write(bytes.size() - 4, second);
        World world;
        return world.restore(bytes);
    };
    REQUIRE(with_rules(1u << 16 | 2, 2u << 16 | 5) == Status::ok);
    REQUIRE(with_rules(2u << 16 | 5, 1u << 16 | 2) == Status::invalid_argument);
    REQUIRE(with_rules(1u << 16 | 2, 1u << 16 | 2) == Status::invalid_argument);
    REQUIRE(with_rules(2u << 16 | 1, 2u << 16 | 5) == Status::invalid_argument);
    REQUIRE(with_rules(1u << 16 | 2, 5u << 16 | 2) == Status::invalid_argument);
}

TEST_CASE(
    "changes before a snapshot are seen by the restored world's update, and it grows like its original") {
    for (const WorldOrder order : {WorldOrder::slot, WorldOrder::user_data}) {
        WorldSettings settings;
        settings.order = order;
        World original(settings);
        std::vector<ObjectHandle> handles;
        for (std::uint32_t k = 0; k < 40; ++k) {
            ObjectDescription description = described(cube_at({0.75f * static_cast<float>(k), 5, 5}));
            description.user_data = 100 - k;
            description.filter.layer = static_cast<std::uint16_t>(k % 4);
            handles.push_back(original.add(description));
        }
        update(original);
        enum class Change { none, reborn, filter, layers, user_data, count };
        for (int change = 0; change < static_cast<int>(Change::count); ++change) {
            INFO("change " << change);
            switch (static_cast<Change>(change)) {
                case Change::reborn: {
                    const ObjectDescription description = original.description(handles[7]);
                    REQUIRE(original.remove(handles[7]) == Status::ok);
                    handles[7] = original.add(description);
                    break;
                }
                case Change::filter:
                    REQUIRE(original.set_filter(handles[9], {.mask = 0}) == Status::ok);
                    break;
                case Change::layers:
                    REQUIRE(original.set_layers_pair(1, 2, false) == Status::ok);
                    break;
                case Change::user_data:
                    REQUIRE(original.set_user_data(handles[20], 1000) == Status::ok);
                    break;
                default:
                    break;
            }
            World restored;
            REQUIRE(restored.restore(save(original)) == Status::ok);
            REQUIRE(restored.pairs_hash() == original.pairs_hash());
            for (int frame = 0; frame < 2; ++frame) {
                const UpdateResult result = update(original);
                if (frame == 0 && change != 0 && static_cast<Change>(change) != Change::user_data)
                    REQUIRE(result.ended_count > 0);
                update(restored);
                REQUIRE(copy_of(restored.begun()) == copy_of(original.begun()));
                REQUIRE(copy_of(restored.ended()) == copy_of(original.ended()));
                REQUIRE(restored.pairs_hash() == original.pairs_hash());
                REQUIRE(save(restored) == save(original));
                World grown;
                REQUIRE(grown.restore(save(original)) == Status::ok);
                for (int k = 0; k < 70; ++k) {
                    const ObjectHandle handle = add_box(grown, cube_at({static_cast<float>(k), 9, 9}));
                    REQUIRE(grown.description(handle).margin == 0);
                    REQUIRE(grown.description(handle).displacement == Vec3{});
                    REQUIRE(grown.description(handle).filter == ObjectFilter{});
                }
                REQUIRE(grown.is_consistent());
            }
        }
    }
}

TEST_CASE("the fuzzer's seeds are snapshots of this version") {
    for (const char* name : {"world_of_0", "world_of_3", "world_of_20"}) {
        INFO(name);
        const std::vector<std::byte> seed = file_bytes(std::string("tests/fuzz/seeds/snapshot/") + name);
        World world;
        REQUIRE(world.restore(seed) == Status::ok);
        CHECK(save(world) == seed);
    }
}
