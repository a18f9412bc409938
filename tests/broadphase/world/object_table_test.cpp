// The table of objects and the store of pairs, each on its own.
#include "broadphase/src/world/pairs/pair_lookup.hpp"
#include "broadphase/src/world/pairs/pair_store.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace broadside;
using namespace broadside::broadphase;

namespace {

ObjectDescription unit_box_at(float x) {
    ObjectDescription description;
    description.box = {{x, 0, 0}, {x + 1, 1, 1}};
    return description;
}

std::vector<std::uint32_t> changed_slots(const ObjectTable& objects) {
    std::vector<std::uint32_t> slots;
    objects.changes.for_each([&](std::uint32_t slot) { slots.push_back(slot); });
    std::sort(slots.begin(), slots.end());
    return slots;
}

}  // namespace

TEST_CASE("changes list the objects set, added, removed and given new rules since the table was settled") {
    ObjectTable objects({}, default_allocator());
    REQUIRE(objects.reserve_objects(130, false) == Status::ok);
    std::vector<ObjectHandle> handles;
    for (int i = 0; i < 130; ++i) handles.push_back(objects.add(unit_box_at(static_cast<float>(i) * 2)));
    CHECK(objects.changes.count() == 130);
    CHECK(objects.changes.has_newcomer(0, 129));
    objects.settle();
    CHECK(objects.is_sound());
    CHECK(objects.changes.count() == 0);
    CHECK_FALSE(objects.changes.has_newcomers());

    CHECK(objects.set_box(3, objects.body_at(3).box) == Status::ok);
    CHECK(objects.changes.count() == 0);
    CHECK(objects.set_box(70, unit_box_at(1000).box) == Status::ok);
    CHECK(objects.set_box(70, unit_box_at(1001).box) == Status::ok);
    PairRules rule = objects.rules[5];
    rule.kind = ObjectKind::fixed;
    objects.change_rules(5, rule);
    CHECK(objects.remove({&handles[128], 1}).status == Status::ok);
    CHECK(changed_slots(objects) == std::vector<std::uint32_t>{5, 70, 128});
    CHECK(objects.changes.have_rules_changed());
    CHECK_FALSE(objects.changes.has_newcomer(5, 70));
    CHECK(objects.changes.has_newcomer(5, 128));
    const std::uint64_t* reborn = nullptr;
    const std::uint64_t* reruled = nullptr;
    REQUIRE(objects.changes.find_reborn(reborn, reruled));
    CHECK((has_bit(reborn, 5) && has_bit(reborn, 128) && !has_bit(reborn, 70)));
    CHECK((has_bit(reruled, 5) && !has_bit(reruled, 128)));
    CHECK(objects.is_known(handles[128]));
    objects.settle();
    CHECK_FALSE(objects.is_known(handles[128]));
    CHECK_FALSE(objects.changes.have_rules_changed());
    CHECK(objects.is_sound());
}

TEST_CASE("a pair store returns the same pairs, values and events in each form") {
    ObjectTable objects({}, default_allocator());
    BoxScratch scratch;
    PairStore pairs(objects, scratch, default_allocator());
    PairLookup lookup(objects, pairs, default_allocator());
    REQUIRE(objects.reserve_objects(4, false) == Status::ok);
    std::vector<ObjectHandle> handles;
    for (int i = 0; i < 4; ++i) handles.push_back(objects.add(unit_box_at(static_cast<float>(i))));
    const auto replace = [&](const std::vector<IndexPair>& now) {
        PairBuffer found;
        for (const IndexPair& pair : now) REQUIRE(found.push_back(pair));
        UpdateResult result;
        REQUIRE(pairs.put_in_list());
        REQUIRE(pairs.replace(Found::all, nullptr, found, result) == Status::ok);
        CHECK(result.pair_count == now.size());
        objects.settle();
    };
    replace({{0, 1}, {1, 2}, {2, 3}});
    CHECK(pairs.begun().size() == 3);
    std::uint64_t* const value = pairs.value_of(handles[2], handles[1]);
    REQUIRE(value != nullptr);
    *value = 7;
    const std::uint64_t hash = pairs.hash();
    const auto told = [&] {
        std::vector<std::uint64_t> numbers;
        CHECK(pairs.for_each([&](const IndexPair& pair, std::uint64_t of_pair) {
            numbers.insert(numbers.end(), {pair.first, pair.second, of_pair});
        }));
        return numbers;
    };
    const std::vector<std::uint64_t> in_list = told();
    CHECK(in_list == std::vector<std::uint64_t>{0, 1, 0, 1, 2, 7, 2, 3, 0});
    CHECK(lookup.pairs_of(handles[1]).size() == 2);
    REQUIRE(pairs.put_by_object());
    CHECK(told() == in_list);
    CHECK(lookup.pairs_of(handles[1]).size() == 2);
    CHECK(pairs.is_sound());
    pairs.rehash();
    CHECK(pairs.hash() == hash);

    replace({{0, 1}, {2, 3}});
    REQUIRE(pairs.ended().size() == 1);
    CHECK(pairs.ended()[0].a == handles[1]);
    CHECK(pairs.ended()[0].value == 7);
    CHECK(pairs.begun().empty());
    CHECK(pairs.hash() != hash);
    CHECK(lookup.pairs_of(handles[1]).size() == 1);
    CHECK(lookup.list(true).size() == 2);
}
