// The filters of a call applied to pairs that were found.
#pragma once

#include <broadside/box_filter.hpp>
#include <broadside/pair_buffer.hpp>

namespace broadside::broadphase {

class PairFilter {
public:
    /// `a` for the first index of a pair, `b` for the second; the same rules twice where there is one set.
    PairFilter(const BoxFilter& a, const BoxFilter& b) noexcept
        : a_(a), b_(b), is_empty_(a.is_empty() && b.is_empty()) {}

    /// Drops, besides, the pairs of two boxes that both have their bit here.
    void exclude_both(const std::uint64_t* bits) noexcept {
        excluded_both_ = bits;
        is_empty_ = false;
    }

    bool is_empty() const noexcept { return is_empty_; }

    bool passes(const IndexPair& pair) const noexcept {
        const std::uint64_t wanted = category(a_, pair.first) & mask(b_, pair.second);
        const std::uint64_t wanted_too = category(b_, pair.second) & mask(a_, pair.first);
        const std::uint32_t group_a = group(a_, pair.first);
        const bool is_same_group = (group_a != 0) & (group_a == group(b_, pair.second));
        const bool is_excluded = excluded_both_ != nullptr && has_bit(excluded_both_, pair.first) &&
                                 has_bit(excluded_both_, pair.second);
        return !is_excluded & (wanted != 0) & (wanted_too != 0) & !is_same_group &
               (is_in_subset(a_, pair.first) || is_in_subset(b_, pair.second));
    }

    /// Moves the pairs that pass to `out_pairs`, in order, and returns how many. `out_pairs` has room for all
    /// and may be `pairs`.
    std::size_t keep(const IndexPair* pairs, std::size_t count, IndexPair* out_pairs) const noexcept {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const IndexPair pair = pairs[i];
            out_pairs[kept] = pair;
            kept += passes(pair) ? 1u : 0u;
        }
        return kept;
    }

private:
    static std::uint64_t category(const BoxFilter& filter, std::uint32_t index) noexcept {
        return filter.categories.empty() ? ~std::uint64_t{0} : filter.categories[index];
    }
    static std::uint64_t mask(const BoxFilter& filter, std::uint32_t index) noexcept {
        return filter.masks.empty() ? ~std::uint64_t{0} : filter.masks[index];
    }
    static std::uint32_t group(const BoxFilter& filter, std::uint32_t index) noexcept {
        return filter.groups.empty() ? 0u : filter.groups[index];
    }
    static bool is_in_subset(const BoxFilter& filter, std::uint32_t index) noexcept {
        return filter.subset_bits.empty() || has_bit(filter.subset_bits.data(), index);
    }
    static bool has_bit(const std::uint64_t* bits, std::uint32_t index) noexcept {
        return (bits[index / 64] >> (index % 64) & 1) != 0;
    }

    BoxFilter a_;
    BoxFilter b_;
    const std::uint64_t* excluded_both_ = nullptr;
    bool is_empty_;
};

}  // namespace broadside::broadphase
