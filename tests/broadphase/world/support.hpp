// Shared by the tests of World: worlds made of lists of boxes, and their pairs by the oracle.
#pragma once

#include "tests/broadphase/pair_oracle.hpp"

#include <broadside/world.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace broadside::test {

inline Aabb cube_at(Vec3 center, float half = 0.5f) {
    return {{center.x - half, center.y - half, center.z - half},
            {center.x + half, center.y + half, center.z + half}};
}

inline ObjectDescription described(const Aabb& box, ObjectKind kind = ObjectKind::moving) {
    ObjectDescription description;
    description.box = box;
    description.kind = kind;
    return description;
}

inline ObjectHandle add_box(World& world, const Aabb& box, ObjectKind kind = ObjectKind::moving) {
    const ObjectHandle handle = world.add(described(box, kind));
    REQUIRE(!handle.is_null());
    return handle;
}

inline std::vector<ObjectHandle> add_boxes(World& world, const std::vector<Aabb>& boxes,
                                           ObjectKind kind = ObjectKind::moving) {
    std::vector<ObjectDescription> descriptions;
    for (const Aabb& box : boxes) descriptions.push_back(described(box, kind));
    std::vector<ObjectHandle> handles(boxes.size());
    REQUIRE(world.add(descriptions, handles).status == Status::ok);
    return handles;
}

inline void set_all(World& world, const std::vector<ObjectHandle>& handles, const std::vector<Aabb>& boxes) {
    REQUIRE(handles.size() == boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) REQUIRE(world.set_box(handles[i], boxes[i]) == Status::ok);
}

// The result of a successful update, which may be ignored.
struct GoodUpdate : UpdateResult {};

inline GoodUpdate update(World& world, const TaskRunner* runner = nullptr) {
    const UpdateResult result = world.update(runner);
    REQUIRE(result.status == Status::ok);
    REQUIRE(result.begun_count == world.begun().size());
    REQUIRE(result.ended_count == world.ended().size());
    REQUIRE(result.pair_count == world.pair_count());
    return {result};
}

inline std::vector<WorldPair> copy_of(std::span<const WorldPair> pairs) {
    return {pairs.begin(), pairs.end()};
}
inline std::vector<WorldPair> copy_of(std::span<const EndedPair> pairs) {
    std::vector<WorldPair> copy;
    for (const EndedPair& pair : pairs) copy.push_back({pair.a, pair.b});
    return copy;
}

/// The pairs of a world without rules, by the oracle: object i is handles[i] and has boxes[i].
inline std::vector<WorldPair> expected_pairs(const std::vector<ObjectHandle>& handles,
                                             const std::vector<Aabb>& boxes) {
    std::vector<WorldPair> pairs;
    for (const IndexPair& pair : oracle_pairs(boxes)) {
        const ObjectHandle a = handles[pair.first];
        const ObjectHandle b = handles[pair.second];
        pairs.push_back(a.slot() < b.slot() ? WorldPair{a, b} : WorldPair{b, a});
    }
    std::sort(pairs.begin(), pairs.end(), [](const WorldPair& x, const WorldPair& y) {
        return std::pair(x.a.slot(), x.b.slot()) < std::pair(y.a.slot(), y.b.slot());
    });
    return pairs;
}

/// The bytes that `world` saves.
inline std::vector<std::byte> bytes_of(const World& world) {
    std::vector<std::byte> bytes(world.snapshot_bytes());
    REQUIRE(world.save(bytes) == Status::ok);
    return bytes;
}

}  // namespace broadside::test
