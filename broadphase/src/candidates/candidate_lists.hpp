// The candidates of all regions, with a bit each for the last update and for this one.
#pragma once

#include "broadphase/src/candidates/grown_regions.hpp"
#include "broadphase/src/candidates/kernels.hpp"
#include "broadphase/src/candidates/new_candidates.hpp"
#include "broadphase/src/lists/bits.hpp"
#include "broadphase/src/lists/task_cut.hpp"

#include <broadside/assert.hpp>
#include <broadside/pair_buffer.hpp>

#include <bit>

namespace broadside::broadphase {

/// One list for each region, and a spare one, which holds the new list of the region that this update renews.
/// Each list is a slice of the same arrays. Within a list, candidates lie by the region of their other box; the
/// last segment holds those that were looked up one by one.
class CandidateLists {
public:
    /// A part of a list: the candidates with boxes of one region.
    struct Segment {
        std::size_t begin;
        std::size_t count;
        std::size_t word;
    };

    /// `regions` must live as long as the lists.
    CandidateLists(const GrownRegions& regions, const Allocator& allocator) noexcept;

    /// Begins with empty lists for the present regions. Each has room for `size` candidates, or for more if there
    /// is memory. Returns false if out of memory.
    [[nodiscard]] bool start(std::size_t size) noexcept;
    /// Forgets the renewed list, the void and the appended candidates of an update that was not committed.
    void begin_update() noexcept;
    /// Ends an update: its bits become those of the last one.
    void commit() noexcept;

    /// Notes the candidates with a box in `reborn_bits`, which are void. Returns false if out of memory.
    [[nodiscard]] bool note_voids(const std::uint64_t* reborn_bits) noexcept;
    /// Makes void candidates name no box.
    void drop_voids() noexcept;
    /// Writes new candidates to the spare list, as those of the region.
    [[nodiscard]] bool write_new_list(std::uint32_t region, const NewCandidates& found,
                                      const TaskRunner* runner) noexcept;
    /// The spare list replaces the one before, and the candidates of other lists with boxes of its region.
    void take_new_list() noexcept;
    /// Appends each new candidate to the list that its key names. The test adds its bit of the last update.
    [[nodiscard]] bool append_to_tails(const NewCandidates& found, const TaskRunner* runner) noexcept;
    /// Drops the renewed list and the appended candidates of this update, which will not be tested.
    void drop_update() noexcept;
    /// Makes room for the next renewals. Returns false if out of memory.
    [[nodiscard]] bool reserve_amply() noexcept;

    /// Sets the bit of each candidate whose rows overlap. `are_known` says that bits of the last update are
    /// known, so that appended candidates need theirs, from `rows`.
    void test(const CellRecord* rows, const CellRecord* next_rows, bool are_known,
              const TaskRunner* runner) noexcept;

    /// Room of a list, in candidates.
    std::size_t list_capacity() const noexcept { return slice_size_; }
    /// One list for each region, and the spare one while it holds results of this update.
    std::uint32_t list_count() const noexcept {
        return regions_.region_count() + (renewed_ != GrownRegions::kNone ? 1 : 0);
    }
    /// Number of pieces into which each list is cut for tasks.
    std::uint32_t piece_count(const TaskRunner* runner) const noexcept;
    /// Whether rows are too many for a near cache.
    bool are_rows_far() const noexcept;
    const IndexPair* pairs_of(const Segment& segment) const noexcept {
        return candidates_.begin() + segment.begin;
    }

    /// Calls `visit(segment)` for the segments of a list.
    template <class Visit>
    void for_each_segment_of(std::uint32_t list_index, Visit&& visit) const noexcept {
        const std::uint32_t slice = slices_[list_index];
        const Segment* const segments = list(slice);
        for (std::uint64_t keys = used_keys_[slice]; keys != 0; keys &= keys - 1)
            visit(segments[std::countr_zero(keys)]);
        const Segment& tail = segments[regions_.region_count()];
        if (tail.count != 0) visit(tail);
    }
    /// The same of every list.
    template <class Visit>
    void for_each_segment(Visit&& visit) const noexcept {
        const std::uint32_t lists = list_count();
        for (std::uint32_t r = 0; r < lists; ++r) for_each_segment_of(r, visit);
    }
    /// The same for the segments with boxes of a region: those of its list, and one of each other list.
    template <class Visit>
    void for_each_segment_with(std::uint32_t region, Visit&& visit) const noexcept {
        for_each_segment_of(region, visit);
        for (std::uint32_t r = 0; r < regions_.region_count(); ++r) {
            const std::uint32_t slice = slices_[r];
            if (r != region && (used_keys_[slice] >> region & 1) != 0) visit(list(slice)[region]);
        }
    }
    /// Whole words of a segment: one of `pieces` pieces.
    static Segment piece_of(const Segment& segment, std::uint32_t piece, std::uint32_t pieces) noexcept {
        if (pieces == 1) return segment;
        const std::size_t words = bit_word_count(segment.count);
        const std::size_t begin = part_begin(words, piece, pieces);
        const std::size_t end = std::min(part_begin(words, piece + 1, pieces) * 64, segment.count);
        return {segment.begin + begin * 64, end - std::min(begin * 64, end), segment.word + begin};
    }
    /// Calls `visit(pair, is_come)` for the candidates of a word whose bits differ from the last update.
    template <class Visit>
    void for_each_change_in(const Segment& segment, std::size_t word, Visit&& visit) const noexcept {
        const std::uint64_t now = next_bits_.data()[segment.word + word];
        const IndexPair* const pairs = pairs_of(segment) + word * 64;
        for (std::uint64_t changed = bits_.data()[segment.word + word] ^ now; changed != 0;
             changed &= changed - 1) {
            const int bit = std::countr_zero(changed);
            BROADSIDE_ASSERT(pairs[bit].first != pairs[bit].second,
                             "candidates: what is void tells something");
            visit(pairs[bit], static_cast<std::size_t>(now >> bit & 1));
        }
    }
    /// Calls `visit(segment, word)` for the words that have such candidates.
    template <class Visit>
    void for_each_changed_word(Visit&& visit) const noexcept {
        for_each_segment([&](const Segment& segment) {
            const std::uint64_t* const bits = bits_.data() + segment.word;
            const std::uint64_t* const next_bits = next_bits_.data() + segment.word;
            for (std::size_t word = 0; word < bit_word_count(segment.count); ++word)
                if (bits[word] != next_bits[word]) visit(segment, word);
        });
    }

    /// Writes the pairs of the last update, committed or not, ascending. Returns false if out of memory.
    bool write_known(PairBuffer& out_pairs, AlignedArray<std::byte>& scratch) const noexcept {
        return write(bits_, out_pairs, scratch);
    }
    bool write_found(PairBuffer& out_pairs, AlignedArray<std::byte>& scratch) const noexcept {
        return write(next_bits_, out_pairs, scratch);
    }

    std::size_t capacity_bytes() const noexcept;

private:
    using Bits = AlignedArray<std::uint64_t>;
    // A candidate with a box that is another object now.
    struct Void {
        std::size_t candidate;
        std::size_t bit;
    };

    std::uint32_t key_count() const noexcept { return regions_.region_count() + 1; }
    Segment* list(std::uint32_t slice) noexcept {
        return segments_.data() + std::size_t{slice} * key_count();
    }
    const Segment* list(std::uint32_t slice) const noexcept {
        return segments_.data() + std::size_t{slice} * key_count();
    }
    bool reserve(std::size_t candidate_count) noexcept;
    bool resize(std::size_t size) noexcept;
    void mark_new_tail(std::uint32_t region, const CellRecord* rows) noexcept;
    bool write(const Bits& bits, PairBuffer& out_pairs, AlignedArray<std::byte>& scratch) const noexcept;

    const GrownRegions& regions_;
    PairBuffer candidates_;
    Bits bits_;
    Bits next_bits_;
    // By slice and key.
    AlignedArray<Segment> segments_;
    std::size_t slice_size_ = 0;
    std::size_t slice_words_ = 0;
    // The slice of each list; last that of the spare one.
    std::uint32_t slices_[GrownRegions::kRegionMax + 1] = {};
    // By slice: the regions with a segment that is not empty; the last segment is read anyway.
    std::uint64_t used_keys_[GrownRegions::kRegionMax + 1] = {};
    std::uint32_t renewed_ = GrownRegions::kNone;
    // In the last segment of each region's list, the begin of candidates whose bits of the last update are
    // not known yet, while there are any.
    std::size_t new_tail_begins_[GrownRegions::kRegionMax] = {};
    bool has_new_tails_ = false;
    AlignedArray<Void> voids_;
};

}  // namespace broadside::broadphase
