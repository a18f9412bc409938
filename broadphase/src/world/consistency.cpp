// Checks of a World: its arrays beside each other, and its pairs beside a plain search.
#include "broadphase/src/world/data.hpp"

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

bool WorldData::is_sound() const noexcept {
    const std::size_t slot_count = objects.slot_count();
    if (!objects.is_sound()) return false;
    if (pair_count() > max_pair_count()) return false;
    if (pairs_are_tracked && (!pairs.is_empty() || has_values || !tracked.are_known())) return false;
    // Without memory for them as a list those are believed.
    AlignedArray<IndexPair> tracked_pairs(allocator);
    AlignedArray<std::byte> sort_memory(allocator);
    const bool is_told = !pairs_are_tracked || tracked.write_known(tracked_pairs, sort_memory);
    std::size_t counted = tracked_pairs.size();
    for_each_pair([&](const IndexPair&, std::uint64_t) { ++counted; });
    if (is_told && counted != pair_count()) return false;
    if (pairs_are_by_object ? !pairs.is_empty() || !object_pairs.is_consistent()
                            : object_pairs.pair_count() != 0) {
        return false;
    }
    bool is_good = true;
    IndexPair before = {0, 0};
    const auto check = [&](const IndexPair& pair, std::uint64_t) {
        // No pair begins with two equal slots, so the first one is above what stands before it.
        const bool is_pair = pair.first < pair.second && pair.second < slot_count && before < pair;
        before = pair;
        is_good = is_good && is_pair;
        if (!is_good) return;
        is_good =
            objects.known_generations[pair.first] % 2 == 1 && objects.known_generations[pair.second] % 2 == 1;
        const bool is_settled = !objects.changes.holds(pair.first) && !objects.changes.holds(pair.second);
        if (is_settled && (!overlap(objects.boxes(false)[pair.first], objects.boxes(false)[pair.second]) ||
                           !objects.may_pair(pair.first, pair.second))) {
            is_good = false;
        }
    };
    for (const IndexPair& pair : tracked_pairs) check(pair, 0);
    for_each_pair(check);
    return is_good;
}

// Objects that have changed since the last update are left out: their boxes as of then are not kept.
bool WorldData::are_pairs_complete() const noexcept {
    FindPairsScratch scratch(allocator);
    PairBuffer found(allocator);
    // Without memory or an ISA the pairs are believed.
    if (find_pairs(objects.boxes(true), {}, scratch, found).status != Status::ok) return true;
    AlignedArray<IndexPair> alive(allocator);
    AlignedArray<std::byte> sort_memory(allocator);
    if (pairs_are_tracked ? !tracked.write_known(alive, sort_memory) : !alive.reserve(pair_count()))
        return true;
    for_each_pair([&](const IndexPair& pair, std::uint64_t) { (void)alive.push_back(pair); });
    const auto is_settled = [&](const IndexPair& pair) {
        return !objects.changes.holds(pair.first) && !objects.changes.holds(pair.second);
    };
    const IndexPair* next = alive.begin();
    const auto skip_changed = [&] {
        while (next != alive.end() && !is_settled(*next)) ++next;
    };
    for (const IndexPair& pair : found) {
        if (!is_settled(pair) || !objects.may_pair(pair.first, pair.second)) continue;
        skip_changed();
        if (next == alive.end() || *next++ != pair) return false;
    }
    skip_changed();
    return next == alive.end();
}

}  // namespace broadside::broadphase
