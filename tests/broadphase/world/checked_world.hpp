// A world whose pairs, events and values are compared with the oracle after every update.
#pragma once

#include "tests/broadphase/pair_scenes.hpp"
#include "tests/broadphase/world/support.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace broadside::test {

using PairKey = std::pair<std::uint64_t, std::uint64_t>;
inline PairKey key_of(const WorldPair& pair) { return {pair.a.value, pair.b.value}; }

inline std::set<PairKey> keys_of(const std::vector<WorldPair>& pairs) {
    std::set<PairKey> keys;
    for (const WorldPair& pair : pairs) keys.insert(key_of(pair));
    return keys;
}

/// A world beside the oracle: pairs, begun and ended pairs, and the callers' values.
struct CheckedWorld {
    /// `count` boxes in the room of `room_count`.
    CheckedWorld(Random& random_in, std::size_t count, std::size_t room_count,
                 const Allocator& allocator = default_allocator())
        : random(random_in), world({}, allocator) {
        for (std::size_t i = 0; i < count; ++i) boxes.push_back(uniform_box(random, i, room_count));
        handles = add_boxes(world, boxes);
    }

    void set(std::size_t i, const Aabb& box) {
        boxes[i] = box;
        REQUIRE(world.set_box(handles[i], box) == Status::ok);
    }
    /// Two fixed objects do not pair. The slot of an object is its index as long as none has been removed.
    void fix(std::size_t i) {
        is_fixed.resize(boxes.size());
        is_fixed[i] = true;
        REQUIRE(world.set_kind({&handles[i], 1}, ObjectKind::fixed).status == Status::ok);
    }
    UpdatePath check(const TaskRunner* runner = nullptr) {
        std::vector<WorldPair> expected = expected_pairs(handles, boxes);
        if (!is_fixed.empty()) {
            std::erase_if(expected, [&](const WorldPair& pair) {
                return is_fixed[pair.a.slot()] && is_fixed[pair.b.slot()];
            });
        }
        const UpdatePath path = update(world, runner).path;
        REQUIRE(world.is_consistent());
        const std::set<PairKey> now = keys_of(expected);
        std::vector<PairKey> begun;
        std::vector<PairKey> ended;
        std::set_difference(now.begin(), now.end(), before.begin(), before.end(), std::back_inserter(begun));
        std::set_difference(before.begin(), before.end(), now.begin(), now.end(), std::back_inserter(ended));
        REQUIRE(keys_of(copy_of(world.begun())) == std::set<PairKey>(begun.begin(), begun.end()));
        REQUIRE(keys_of(copy_of(world.ended())) == std::set<PairKey>(ended.begin(), ended.end()));
        for (const EndedPair& pair : world.ended())
            REQUIRE(pair.value == values[{pair.a.value, pair.b.value}]);
        for (const PairKey& key : ended) values.erase(key);
        for (const WorldPair& pair : expected) {
            if (!has_values) break;
            std::uint64_t* const value = world.pair_value(pair.a, pair.b);
            REQUIRE(value != nullptr);
            REQUIRE(*value == values[key_of(pair)]);
            if (random.chance(5)) values[key_of(pair)] = *value = random.below(1000);
        }
        if (random.chance(3)) REQUIRE(copy_of(world.pairs()) == expected);
        before = now;
        return path;
    }

    Random& random;
    World world;
    std::vector<ObjectHandle> handles;
    std::vector<Aabb> boxes;
    std::vector<bool> is_fixed;
    std::set<PairKey> before;
    // Accesses the values, which the world keeps from then on.
    bool has_values = true;
    std::map<PairKey, std::uint64_t> values;
};

}  // namespace broadside::test
