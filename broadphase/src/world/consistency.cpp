// Checks of a World: its arrays beside each other, and its pairs beside a plain search.
#include "broadphase/src/world/data.hpp"

#include <broadside/find_pairs.hpp>

#include <bit>

namespace broadside::broadphase {

bool WorldData::is_sound() const noexcept {
    const std::size_t slot_count = generations.size();
    std::size_t alive = 0;
    for (std::uint32_t slot = 0; slot < slot_count; ++slot) {
        const bool is_living = generations[slot] % 2 == 1;
        alive += is_living ? 1u : 0u;
        if (rules[slot].kind > ObjectKind::fixed) return false;
        const WorldBody body = body_at(slot);
        if (!is_legal(body)) return false;
        if (object_boxes.is_shaped(slot) != is_shaped(body)) return false;
        if (is_shaped(body) && !is_same(boxes(false)[slot], grown_box(body))) return false;
        if (!is_living && (is_shaped(body) || is_valid(boxes(false)[slot]))) return false;
        if (has_bit(mobile_bits, slot) == (rules[slot].kind == ObjectKind::fixed)) return false;
        if (known_generations[slot] != generations[slot] &&
            !(is_marked(slot) && has_newcomers && has_bit(newcomer_bits, slot))) {
            return false;
        }
    }
    for (std::size_t slot = slot_count; slot < object_boxes.size(); ++slot) {
        if (is_valid(boxes(true)[slot]) || is_marked(static_cast<std::uint32_t>(slot))) return false;
    }
    if (alive != object_count || alive > settings.max_object_count) return false;
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
    std::size_t marked = 0;
    for (const std::uint64_t word : changed_bits) marked += static_cast<std::size_t>(std::popcount(word));
    if (marked != changed_count) return false;
    std::size_t marked_words = 0;
    for (const std::uint64_t word : changed_bits) marked_words += word != 0 ? 1u : 0u;
    if (marked_words != changed_word_count) return false;
    for (std::size_t i = 0; i < changed_word_count; ++i) {
        if (changed_words[i] >= changed_bits.size() || changed_bits[changed_words[i]] == 0) return false;
    }
    std::size_t free_count = 0;
    for (std::uint32_t slot = first_free; slot != kNoObjectSlot; slot = next_free[slot]) {
        if (slot >= slot_count || generations[slot] % 2 == 1 || ++free_count > slot_count - alive)
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
        is_good = known_generations[pair.first] % 2 == 1 && known_generations[pair.second] % 2 == 1;
        const bool is_settled = !is_marked(pair.first) && !is_marked(pair.second);
        if (is_settled && (!overlap(boxes(false)[pair.first], boxes(false)[pair.second]) ||
                           !may_pair(pair.first, pair.second))) {
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
    if (find_pairs(boxes(true), {}, scratch, found).status != Status::ok) return true;
    AlignedArray<IndexPair> alive(allocator);
    AlignedArray<std::byte> sort_memory(allocator);
    if (pairs_are_tracked ? !tracked.write_known(alive, sort_memory) : !alive.reserve(pair_count()))
        return true;
    for_each_pair([&](const IndexPair& pair, std::uint64_t) { (void)alive.push_back(pair); });
    const auto is_settled = [&](const IndexPair& pair) {
        return !is_marked(pair.first) && !is_marked(pair.second);
    };
    const IndexPair* next = alive.begin();
    const auto skip_changed = [&] {
        while (next != alive.end() && !is_settled(*next)) ++next;
    };
    for (const IndexPair& pair : found) {
        if (!is_settled(pair) || !may_pair(pair.first, pair.second)) continue;
        skip_changed();
        if (next == alive.end() || *next++ != pair) return false;
    }
    skip_changed();
    return next == alive.end();
}

}  // namespace broadside::broadphase
