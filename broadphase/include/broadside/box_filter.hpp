// Which overlapping boxes are not to become pairs.
#pragma once

#include <broadside/bits.hpp>

#include <cstdint>
#include <span>

namespace broadside {

/// Rules for the boxes of one set. Every span is empty, which leaves its rule out, or has the length said;
/// the caller owns the arrays. A pair that a rule forbids is not emitted and not counted.
struct BoxFilter {
    /// One per box: the kinds that the box is of, as bits. Left out: all bits.
    std::span<const std::uint64_t> categories = {};
    /// One per box: the kinds that it pairs with. Two boxes pair when each has a category that the other's
    /// mask holds. Left out: all bits.
    std::span<const std::uint64_t> masks = {};
    /// One per box: boxes of the same group do not pair, parts of one ragdoll for example. Zero is no group.
    std::span<const std::uint32_t> groups = {};
    /// Bit i % 64 of word i / 64 says that box i is in the subset: a pair must involve one that is, movers
    /// for example. bit_word_count words; left out: all boxes are.
    std::span<const std::uint64_t> subset_bits = {};

    bool is_empty() const noexcept {
        return categories.empty() && masks.empty() && groups.empty() && subset_bits.empty();
    }
};

}  // namespace broadside
