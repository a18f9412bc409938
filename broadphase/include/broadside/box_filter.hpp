// Rules that keep overlapping boxes from becoming pairs.
#pragma once

#include <broadside/bits.hpp>

#include <cstdint>
#include <span>

namespace broadside {

/// Rules for the boxes of one set. Each span is empty, which leaves its rule out, or has the stated length;
/// the caller owns the arrays. A pair that a rule forbids is neither emitted nor counted.
///
/// A span that is left out stands for one with the stated value in every entry. Between two sets this holds
/// for each filter on its own: the rules look up the box of each set in the filter of that set, and either
/// filter may have spans that the other lacks.
struct BoxFilter {
    /// One per box: the kinds of the box, as bits. Left out: all bits.
    std::span<const std::uint64_t> categories = {};
    /// One per box: the kinds that it pairs with. Two boxes pair if each has a category that the other's mask
    /// holds. Left out: all bits, so that a box pairs with all that have any category.
    std::span<const std::uint64_t> masks = {};
    /// One per box: boxes of the same group do not pair, for example parts of one ragdoll. Zero is no group.
    /// Left out: zero, so between two sets the groups of one set alone forbid nothing.
    std::span<const std::uint32_t> groups = {};
    /// Bit i % 64 of word i / 64 puts box i into the subset: a pair must involve a box of the subset, for
    /// example a mover. bit_word_count words. Left out: all boxes are in it, so between two sets the subset
    /// of one set alone forbids nothing. If every pair must involve a mover of one set, make the other's
    /// subset all zeros.
    std::span<const std::uint64_t> subset_bits = {};
    /// `ids_per_box` ids for each box, box after box: boxes with a common id do not pair, for example edges
    /// or triangles of one vertex. A box with fewer ids repeats one of them. Between two sets the number per
    /// box may differ. Left out: none, so between two sets the ids of one set alone forbid nothing. An
    /// overlapping pair costs ids_per_box comparisons for each id of the other box.
    std::span<const std::uint32_t> ids = {};
    /// At least one if there are ids; not read otherwise.
    std::uint32_t ids_per_box = 1;

    bool is_empty() const noexcept {
        return categories.empty() && masks.empty() && groups.empty() && subset_bits.empty() && ids.empty();
    }
};

}  // namespace broadside
