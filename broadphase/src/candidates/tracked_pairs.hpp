// The pairs of a World in which most things move, from update to update.
#pragma once

#include "broadphase/src/lists/bits.hpp"

#include <broadside/pair_cache.hpp>

#include <bit>

namespace broadside::broadphase {

/// The candidates of a PairCache with a bit each, whether they are pairs, beside the pairs of boxes that have
/// left their grown ones. As long as candidates are not found anew, an update compares bits: it costs the test
/// of each candidate and what has changed, where a list would be written, read and compared as a whole.
class TrackedPairs {
public:
    explicit TrackedPairs(const Allocator& allocator) noexcept
        : cache(0, allocator),
          bits_(allocator),
          next_bits_(allocator),
          escaped_(allocator),
          next_escaped_(allocator),
          before_(allocator) {
        cache.set_stable_filter(true);
    }
    TrackedPairs(const TrackedPairs&) = delete;
    TrackedPairs& operator=(const TrackedPairs&) = delete;

    enum class Found : std::uint8_t { list, difference };

    /// How an update finds its pairs.
    struct Call {
        BoxSoaView boxes;
        /// Canonical order; the filter may not change but with a `clear` of the cache.
        FindPairsSettings settings;
        FindPairsScratch& scratch;
        /// Whether a difference will do.
        bool wants_difference;
        /// Called before known pairs are forgotten; false is out_of_memory, and they are not.
        bool (*keep_known)(void* user) noexcept;
        void* user;
    };

    /// Whether `for_each` tells the pairs of the last update.
    bool are_known() const noexcept { return are_known_; }
    void forget() noexcept { are_known_ = has_next_ = false; }
    /// `visit(pair)` in canonical order.
    template <class Visit>
    void for_each(Visit&& visit) const noexcept;

    /// The same as a list; false when there is no memory.
    bool write_known(AlignedArray<IndexPair>& out_pairs) const noexcept {
        return write_list(bits_, escaped_, out_pairs);
    }

    /// All pairs, or, where pairs are known and candidates need not be found anew, those that are not where
    /// they were: `before()` were pairs of the last update, `out_pairs` are some now, both ascending, and what
    /// is in neither is as before. Until `commit` what was known is known, unless keep_known was called.
    Status find(const Call& call, PairBuffer& out_pairs, Found& out_found) noexcept;
    std::span<const IndexPair> before() const noexcept { return before_; }
    /// What was found is what is known from now on.
    void commit() noexcept;

    std::size_t capacity_bytes() const noexcept {
        return cache.capacity_bytes() + bits_.capacity_bytes() + next_bits_.capacity_bytes() +
               escaped_.capacity_bytes() + next_escaped_.capacity_bytes() + before_.capacity_bytes();
    }

    PairCache cache;

private:
    bool write_list(const AlignedArray<std::uint64_t>& bits, std::span<const IndexPair> escaped,
                    AlignedArray<IndexPair>& out_pairs) const noexcept;
    bool write_difference(AlignedArray<IndexPair>& out_come) noexcept;
    bool keep_escaped(const Call& call) noexcept;
    std::span<const IndexPair> candidates() const noexcept { return cache.candidates_; }

    // By candidate; and the pairs of boxes that are not within their grown ones, which no bit tells.
    AlignedArray<std::uint64_t> bits_;
    AlignedArray<std::uint64_t> next_bits_;
    PairBuffer escaped_;
    PairBuffer next_escaped_;
    PairBuffer before_;
    bool are_known_ = false;
    bool has_next_ = false;
};

template <class Visit>
void TrackedPairs::for_each(Visit&& visit) const noexcept {
    const IndexPair* escaped = escaped_.begin();
    const std::span<const IndexPair> all = candidates();
    for_each_bit(
        bit_word_count(all.size()), [&](std::size_t word) { return bits_.data()[word]; },
        [&](std::size_t k) {
            while (escaped != escaped_.end() && *escaped < all[k]) visit(*escaped++);
            visit(all[k]);
        });
    while (escaped != escaped_.end()) visit(*escaped++);
}

}  // namespace broadside::broadphase
