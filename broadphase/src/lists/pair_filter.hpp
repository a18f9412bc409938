// Applies the filters of a call to pairs that were found.
#pragma once

#include "broadphase/src/lists/bits.hpp"

#include <broadside/box_filter.hpp>
#include <broadside/compiler.hpp>
#include <broadside/pair_buffer.hpp>

#include <cstring>

namespace broadside::broadphase {

/// Marks a pair whose boxes may have a side in common, in its first index; no index has this bit.
inline constexpr std::uint32_t kTouchMark = 0x80000000u;

/// Decides about the marked pairs among found ones, in blocks; others are accepted unasked. Moves accepted
/// pairs without their marks to `out_pairs`, which may be `pairs`, in order, and returns how many.
struct PairDecision {
    std::size_t (*keep)(const void* user, const IndexPair* pairs, std::size_t count,
                        IndexPair* out_pairs) noexcept = nullptr;
    const void* user = nullptr;
};

class PairFilter {
public:
    /// `a` is for the first index of a pair, `b` for the second; pass the same rules twice for one set.
    /// `indices` holds, ascending, the caller's index of every box that takes part; null if all do.
    PairFilter(const BoxFilter& a, const BoxFilter& b, const std::uint32_t* indices = nullptr) noexcept
        : a_(a),
          b_(b),
          indices_(indices),
          second_indices_(indices),
          has_masks_(!a.categories.empty() || !a.masks.empty() || !b.categories.empty() || !b.masks.empty()),
          has_groups_(!a.groups.empty() && !b.groups.empty()),
          has_subset_(!a.subset_bits.empty() && !b.subset_bits.empty()),
          has_ids_(!a.ids.empty() && !b.ids.empty()) {}

    /// Pairs have the indices of two parts of one set (`are_of_one`) or of two: the caller's are in these lists.
    void rename(const std::uint32_t* first_indices, const std::uint32_t* second_indices,
                bool are_of_one) noexcept {
        indices_ = first_indices;
        second_indices_ = second_indices;
        are_of_one_ = are_of_one;
    }
    /// The list of the caller's indices, or null.
    const std::uint32_t* indices() const noexcept { return indices_; }

    /// Also drops pairs of two boxes that both have their bit set here.
    void exclude_both(const std::uint64_t* bits) noexcept { excluded_both_ = bits; }

    /// Also drops pairs that `decision` rejects; it is called with the caller's indices.
    void decide_by(const PairDecision* decision) noexcept { decision_ = decision; }
    bool has_decision() const noexcept { return decision_ != nullptr; }

    /// Whether every pair passes unchanged: there may be spans, but no rule.
    bool is_empty() const noexcept {
        return !has_masks_ && !has_groups_ && !has_subset_ && !has_ids_ && indices_ == nullptr &&
               excluded_both_ == nullptr && decision_ == nullptr;
    }

    /// Moves the pairs that pass to `out_pairs`, in order and with the caller's indices, and returns how
    /// many. `out_pairs` has room for all and may be `pairs`. Makes one pass for each active rule; no pass
    /// branches on a pair, whose outcome is as good as random. A decision is asked first, of all pairs or
    /// only of those with kTouchMark.
    BROADSIDE_NEVER_INLINE std::size_t keep(const IndexPair* pairs, std::size_t count, IndexPair* out_pairs,
                                            bool are_marked = false) const noexcept {
        const std::uint32_t added_mark = decision_ == nullptr || are_marked ? 0 : kTouchMark;
        if (indices_ != nullptr || added_mark != 0) {
            for (std::size_t i = 0; i < count; ++i) {
                const std::uint32_t first = pairs[i].first & ~kTouchMark;
                const std::uint32_t mark = (pairs[i].first & kTouchMark) | added_mark;
                const std::uint32_t a = indices_ == nullptr ? first : indices_[first];
                const std::uint32_t b =
                    indices_ == nullptr ? pairs[i].second : second_indices_[pairs[i].second];
                out_pairs[i].first = (are_of_one_ && b < a ? b : a) | mark;
                out_pairs[i].second = are_of_one_ && b < a ? a : b;
            }
            pairs = out_pairs;
        }
        if (decision_ != nullptr) {
            count = decision_->keep(decision_->user, pairs, count, out_pairs);
            pairs = out_pairs;
        }
        const auto apply = [&](auto&& passes) {
            std::size_t kept = 0;
            for (std::size_t i = 0; i < count; ++i) {
                const IndexPair pair = pairs[i];
                out_pairs[kept] = pair;
                kept += passes(pair) ? 1u : 0u;
            }
            count = kept;
            pairs = out_pairs;
        };
        if (has_masks_) {
            apply([&](const IndexPair& pair) {
                const std::uint64_t wanted = value(a_.categories, pair.first) & value(b_.masks, pair.second);
                const std::uint64_t wanted_too =
                    value(b_.categories, pair.second) & value(a_.masks, pair.first);
                return (wanted != 0) & (wanted_too != 0);
            });
        }
        if (has_groups_) {
            apply([&](const IndexPair& pair) {
                const std::uint32_t group = a_.groups[pair.first];
                const bool is_other = group != b_.groups[pair.second];
                return (group == 0) | is_other;
            });
        }
        if (has_subset_) {
            apply([&](const IndexPair& pair) {
                const bool has_first = has_bit(a_.subset_bits, pair.first);
                const bool has_second = has_bit(b_.subset_bits, pair.second);
                return has_first | has_second;
            });
        }
        if (has_ids_) {
            apply([&](const IndexPair& pair) {
                const std::uint32_t* const ids_a = a_.ids.data() + std::size_t{pair.first} * a_.ids_per_box;
                const std::uint32_t* const ids_b = b_.ids.data() + std::size_t{pair.second} * b_.ids_per_box;
                bool has_common = false;
                for (std::uint32_t i = 0; i < a_.ids_per_box; ++i)
                    for (std::uint32_t j = 0; j < b_.ids_per_box; ++j) has_common |= ids_a[i] == ids_b[j];
                return !has_common;
            });
        }
        if (excluded_both_ != nullptr) {
            apply([&](const IndexPair& pair) {
                const bool excludes_first = has_bit(excluded_both_, pair.first);
                const bool excludes_second = has_bit(excluded_both_, pair.second);
                return !(excludes_first & excludes_second);
            });
        }
        // An empty filter moves the pairs too.
        if (pairs != out_pairs && count != 0) std::memcpy(out_pairs, pairs, count * sizeof(IndexPair));
        return count;
    }

private:
    // All bits if the span is left out.
    static std::uint64_t value(std::span<const std::uint64_t> bits, std::uint32_t index) noexcept {
        return bits.empty() ? ~std::uint64_t{0} : bits[index];
    }

    BoxFilter a_;
    BoxFilter b_;
    const std::uint32_t* indices_;
    const std::uint32_t* second_indices_;
    const std::uint64_t* excluded_both_ = nullptr;
    const PairDecision* decision_ = nullptr;
    // A category or mask that is left out has all bits, so a span on one side makes a rule. Boxes without
    // groups are in none, and without a subset all are in it: those rules take a span on each side.
    bool has_masks_;
    bool has_groups_;
    bool has_subset_;
    bool has_ids_;
    // A pair of two parts of one set may have its boxes in either order.
    bool are_of_one_ = false;
};

}  // namespace broadside::broadphase
