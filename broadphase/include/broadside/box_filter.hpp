// Which overlapping boxes are not to become pairs.
#pragma once

#include <broadside/bits.hpp>

#include <cstdint>
#include <span>

namespace broadside {

/// Rules for the boxes of one set. Every span is empty, which leaves its rule out, or has the length said;
/// the caller owns the arrays. A pair that a rule forbids is not emitted and not counted.
///
/// A span that is left out stands for one with the value said in every entry. Between two sets that holds for
/// each filter by itself: a rule asks the box of one set by the one filter, the box of the other set by the
/// other, and either may have spans that the other lacks.
struct BoxFilter {
    /// One per box: the kinds that the box is of, as bits. Left out: all bits.
    std::span<const std::uint64_t> categories = {};
    /// One per box: the kinds that it pairs with. Two boxes pair when each has a category that the other's
    /// mask holds. Left out: all bits, so that a box pairs with all that have any category.
    std::span<const std::uint64_t> masks = {};
    /// One per box: boxes of the same group do not pair, parts of one ragdoll for example. Zero is no group.
    /// Left out: zero, so between two sets the groups of one alone forbid nothing.
    std::span<const std::uint32_t> groups = {};
    /// Bit i % 64 of word i / 64 says that box i is in the subset: a pair must involve one that is, movers
    /// for example. bit_word_count words. Left out: all boxes are, so between two sets the subset of one
    /// alone forbids nothing; where every pair is to involve a mover of one set, the other's subset is all
    /// zeros.
    std::span<const std::uint64_t> subset_bits = {};
    /// `ids_per_box` for each box, one box after the other: boxes with an id in common do not pair, as edges or
    /// triangles of one vertex. A box with fewer ids has one of them twice. Between two sets the numbers per box may
    /// differ. Left out: none, so between two sets the ids of one alone forbid nothing. Costs ids_per_box comparisons
    /// for each id of the other box, of the pairs that overlap.
    std::span<const std::uint32_t> ids = {};
    /// At least one where there are ids; not read where there are none.
    std::uint32_t ids_per_box = 1;

    bool is_empty() const noexcept {
        return categories.empty() && masks.empty() && groups.empty() && subset_bits.empty() && ids.empty();
    }
};

}  // namespace broadside
