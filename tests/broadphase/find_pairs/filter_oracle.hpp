// Pairs that the rules of BoxFilter allow, computed pair by pair from its documentation, and random rules.
#pragma once

#include "tests/support/generators.hpp"
#include "tests/support/guarded_array.hpp"

#include <broadside/box_filter.hpp>
#include <broadside/pair_buffer.hpp>

#include <set>
#include <vector>

namespace broadside::test {

/// Random rules for a set of boxes, in arrays that end at a guard page.
struct Rules {
    GuardedArray<std::uint64_t> categories;
    GuardedArray<std::uint64_t> masks;
    GuardedArray<std::uint32_t> groups;
    GuardedArray<std::uint64_t> subset_bits;
    std::uint32_t ids_per_box;
    GuardedArray<std::uint32_t> ids;

    Rules(Random& random, std::size_t count)
        : categories(count),
          masks(count),
          groups(count),
          subset_bits(bit_word_count(count)),
          ids_per_box(1 + random.below(4)),
          ids(count * ids_per_box) {
        for (std::size_t i = 0; i < count; ++i) {
            categories[i] =
                random.chance(8) ? 0 : std::uint64_t{1} << (random.chance(2) ? 63 : random.below(3));
            masks[i] = random.chance(5) ? 0 : random.next();
            groups[i] = random.below(4);
        }
        for (std::size_t word = 0; word < subset_bits.size(); ++word) subset_bits[word] = random.next();
        for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = random.below(12);
    }
    /// `which` holds a bit per rule, as below.
    BoxFilter filter(unsigned which) {
        BoxFilter filter;
        if ((which & kCategories) != 0) filter.categories = categories.span();
        if ((which & kMasks) != 0) filter.masks = masks.span();
        if ((which & kGroups) != 0) filter.groups = groups.span();
        if ((which & kSubset) != 0) filter.subset_bits = subset_bits.span();
        if ((which & kIds) != 0) filter.ids = ids.span();
        if ((which & kIds) != 0) filter.ids_per_box = ids_per_box;
        return filter;
    }

    static constexpr unsigned kCategories = 1;
    static constexpr unsigned kMasks = 2;
    static constexpr unsigned kGroups = 4;
    static constexpr unsigned kSubset = 8;
    static constexpr unsigned kIds = 16;
    /// All combinations of rules.
    static constexpr unsigned kChoices = 32;
};

/// The contents of a filter for one box, each missing span replaced by its default.
struct RulesOfBox {
    std::uint64_t category = ~std::uint64_t{0};
    std::uint64_t mask = ~std::uint64_t{0};
    std::uint32_t group = 0;
    bool is_in_subset = true;
    std::set<std::uint32_t> ids;

    RulesOfBox(const BoxFilter& filter, std::uint32_t index) {
        if (!filter.categories.empty()) category = filter.categories[index];
        if (!filter.masks.empty()) mask = filter.masks[index];
        if (!filter.groups.empty()) group = filter.groups[index];
        if (!filter.subset_bits.empty())
            is_in_subset = (filter.subset_bits[index / 64] & std::uint64_t{1} << index % 64) != 0;
        for (std::size_t k = 0; !filter.ids.empty() && k < filter.ids_per_box; ++k)
            ids.insert(filter.ids[index * std::size_t{filter.ids_per_box} + k]);
    }
};

/// Box `i` of the set of filter `a`, and box `j` of the set of `b`; both are one filter if there is one set.
inline bool may_pair(const BoxFilter& a, std::uint32_t i, const BoxFilter& b, std::uint32_t j) {
    const RulesOfBox first(a, i);
    const RulesOfBox second(b, j);
    if ((first.category & second.mask) == 0 || (second.category & first.mask) == 0) return false;
    if (first.group != 0 && first.group == second.group) return false;
    for (const std::uint32_t id : first.ids)
        if (second.ids.count(id) != 0) return false;
    return first.is_in_subset || second.is_in_subset;
}

inline std::vector<IndexPair> only_allowed(std::vector<IndexPair> pairs, const BoxFilter& a,
                                           const BoxFilter& b) {
    std::erase_if(pairs, [&](const IndexPair& pair) { return !may_pair(a, pair.first, b, pair.second); });
    return pairs;
}

}  // namespace broadside::test
