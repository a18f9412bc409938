// The pairs of boxes of which nearly all move, from one update to the next.
#pragma once

#include "broadphase/src/candidates/grown_regions.hpp"
#include "broadphase/src/lists/reserve_amply.hpp"
#include "broadphase/src/lists/task_cut.hpp"

#include <broadside/assert.hpp>
#include <broadside/find_pairs.hpp>

#include <bit>
#include <span>

namespace broadside::broadphase {

/// Every box is grown to where it will be in the updates to come if it goes on as before; the pairs of grown
/// boxes are candidates. An update tests them and compares one bit each with the update before. Boxes are
/// renewed region by region, one after the other, so that updates cost the same: the boxes of the region are
/// grown anew, and one search through it and its surroundings replaces its candidates. A box that leaves its
/// grown box before that is looked up at once.
///
/// A candidate belongs to the region that was renewed when it was found, and ends when that region or the one
/// of the other box is renewed. It may be there twice: copies have the same bits, and events are made unique.
///
/// An update that would cost more, by counts, than a search for everything is left to one, as are some after.
class StaggeredPairs {
public:
    explicit StaggeredPairs(const Allocator& allocator) noexcept;
    StaggeredPairs(const StaggeredPairs&) = delete;
    StaggeredPairs& operator=(const StaggeredPairs&) = delete;

    struct Call {
        BoxSoaView boxes;
        /// Boxes that are not where they were at the last update, including those that are other objects now.
        std::span<const std::uint64_t> changed_bits;
        std::size_t changed_count;
        /// Boxes that are other objects than at the last update, or have other rules; null if there are none.
        const std::uint64_t* reborn_bits;
        /// The boxes among `reborn_bits` that are the same objects under other rules; null if there are none.
        const std::uint64_t* reruled_bits;
        /// Null if all may pair. The result for two boxes outside `reborn_bits` changes only with a `clear`.
        bool (*may_pair)(const void* user, std::uint32_t a, std::uint32_t b) noexcept;
        const void* user;
        /// Pairs alive.
        std::size_t pair_count;
        const TaskRunner* runner;
        FindPairsScratch& scratch;
    };

    /// Whether the pairs of the last update are known here.
    bool are_known() const noexcept { return is_known_; }
    /// Whether the next `follow` is a step towards that. Other ways to save searches should not begin then.
    bool is_starting(const Call& call) const noexcept {
        return !is_known_ && bypass_left_ == 0 && (has_rows_ || call.reborn_bits == nullptr);
    }
    /// If pairs are known, finds those that have ended and those that have begun, both ascending. A pair of a
    /// box in `reborn_bits` counts as ended and begun, unless only rules have changed. Returns false if a
    /// search for everything is better, or memory is short; a `clear` and such a search must follow. The
    /// known pairs stay known until `commit`.
    [[nodiscard]] bool find(const Call& call, PairBuffer& out_come) noexcept;
    std::span<const IndexPair> gone() const noexcept { return gone_; }
    /// Called after a search for all pairs by other means: grows one region more, if it looks worthwhile.
    void follow(const Call& call) noexcept;
    /// Ends the update.
    void commit() noexcept;
    /// Forgets the pairs.
    void clear() noexcept;
    /// The same, because a search was better: some updates pass before it is tried again.
    void leave() noexcept;
    /// Notes that rules have changed: the last pairs are known, but `find` has no candidates for them.
    void forget_candidates() noexcept { is_incomplete_ = true; }

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
    // Room behind a list: kernels read and write ahead.
    static constexpr std::size_t kSliceSpare = kPairsAhead + kKeptPadding;
    // A part of a list: the candidates with boxes of one region.
    struct Segment {
        std::size_t begin;
        std::size_t count;
        std::size_t word;
    };
    struct Growth {
        float calls;
        float slack;
        /// Growth to all sides of a box whose motion is unknown.
        float unknown;
        float limit;
        float large;
    };
    struct NewCandidate {
        IndexPair pair;
        std::uint32_t key;
    };
    // Most tasks of one step, each with its own list for candidates. A renewal has two such steps.
    static constexpr std::uint32_t kStepTasks = 16;
    static constexpr std::uint32_t kNewListMax = 2 * kStepTasks;
    // A part of the new candidates.
    struct NewList {
        std::size_t begin;
        std::size_t count;
    };
    // Counts of one list, by key.
    using KeyCounts = std::uint32_t[GrownRegions::kRegionMax + 1];
    struct LookUp {
        /// Whether candidates are of the region of the looked-up box, or of those of the boxes that it meets.
        bool by_own_region;
        /// The region in which all moved boxes are looked up, or kNone.
        std::uint32_t region;
    };
    // A candidate with a box that is another object now.
    struct Void {
        std::size_t candidate;
        std::size_t bit;
    };

    bool plan(const Call& call) noexcept;
    bool touch_rows(std::size_t count) noexcept;
    bool grow_next(const Call& call) noexcept;
    bool refresh(const Call& call) noexcept;
    void refresh_all(const Call& call) noexcept;
    void refresh_changed(const Call& call) noexcept;
    void note_reborn(const Call& call) noexcept;
    Aabb grown_box(std::uint32_t box) const noexcept;
    bool is_large(const Aabb& grown) const noexcept;
    bool advance(const Call& call) noexcept;
    bool regrow(const Call& call, std::uint64_t due, std::uint32_t* boxes, std::size_t count,
                std::span<const std::uint32_t>& out_grown) noexcept;
    bool regrow_escaped(const Call& call, std::uint64_t due) noexcept;
    bool append_to_tails(const TaskRunner* runner) noexcept;
    bool renew(const Call& call, std::uint32_t region) noexcept;
    bool renew_few(const Call& call, std::uint32_t region) noexcept;
    bool renew_all(const Call& call, std::uint32_t region) noexcept;
    bool repack(std::uint32_t region, const TaskRunner* runner) noexcept;
    bool list_members(std::uint32_t region, const TaskRunner* runner) noexcept;
    template <class IsApart>
    std::size_t part_members(const TaskRunner* runner, Aabb& state_bounds, IsApart&& is_apart) noexcept;
    bool move_members_from(std::size_t first) noexcept;
    bool gather_members(std::size_t member_count, const TaskRunner* runner,
                        GatheredBoxes& out_boxes) noexcept;
    bool are_far() const noexcept;
    bool keep_valid(const Call& call, std::uint32_t region) noexcept;
    bool search(const Call& call, const GatheredBoxes& boxes, std::size_t member_count) noexcept;
    template <class Keep>
    void look_up(const LookUp& what, std::uint32_t box, std::uint32_t question, Keep&& keep) const noexcept;
    bool look_up_each(const Call& call, const LookUp& what, std::span<const std::uint32_t> boxes) noexcept;
    static bool is_candidate(const Call& call, std::uint32_t a, std::uint32_t b, std::uint32_t key,
                             NewCandidate& out_candidate) noexcept;
    void drop_voids() noexcept;
    void take_new_list() noexcept;
    void forget_new() noexcept;
    bool open_new_lists(std::uint32_t count, std::size_t room) noexcept;
    std::size_t new_count() const noexcept;
    void count_keys(const TaskRunner* runner, KeyCounts* out_counts) const noexcept;
    void put_by_key(const TaskRunner* runner, KeyCounts* state_places, const std::size_t* begins) noexcept;
    bool write_new_list(std::uint32_t region, const TaskRunner* runner) noexcept;
    bool reserve_lists(std::size_t candidate_count) noexcept;
    bool reserve_lists_amply() noexcept;
    bool resize_lists(std::size_t size) noexcept;
    void test(const TaskRunner* runner) noexcept;
    void mark_new_tail(std::uint32_t region) noexcept;
    void drop_new_tails() noexcept;
    bool tell_difference(const Call& call, PairBuffer& out_come) noexcept;
    bool tell_alone(const Call& call, PairBuffer& out_come) noexcept;
    void leave_out_lasting(const Call& call, PairBuffer& state_come) noexcept;
    bool tell_in_tasks(const TaskRunner& runner, PairBuffer& out_come) noexcept;
    bool write(const Bits& bits, PairBuffer& out_pairs, AlignedArray<std::byte>& scratch) const noexcept;
    static bool are_few(const Call& call) noexcept;
    static std::uint64_t search_cost(const Call& call) noexcept;
    std::uint64_t cost_of(const Call& call, std::uint64_t candidate_count,
                          std::uint64_t leaver_count) const noexcept;
    bool is_worth_it(const Call& call) noexcept;

    std::uint32_t key_count() const noexcept { return regions_.region_count() + 1; }
    /// One list for each region, and the spare one while it holds results of this update.
    std::uint32_t list_count() const noexcept {
        return regions_.region_count() + (renewed_ != GrownRegions::kNone ? 1 : 0);
    }
    /// Number of pieces into which each list is cut for tasks.
    std::uint32_t piece_count(const TaskRunner* runner) const noexcept {
        constexpr std::uint32_t kTaskMax = 64;
        const std::uint32_t workers = worker_count(runner);
        const auto wanted =
            static_cast<std::uint32_t>(std::min<std::size_t>(workers * kChunksPerWorker, kTaskMax));
        return workers > 1 ? wanted / list_count() + 1 : 1;
    }
    /// Number of tasks that share `count` boxes or candidates, each with `least` or more.
    static std::uint32_t step_tasks(const TaskRunner* runner, std::size_t count, std::size_t least) noexcept {
        const auto most = static_cast<std::uint32_t>(std::min<std::size_t>(count / least, kStepTasks));
        return worker_count(runner) > 1 && most > 1 ? most : 1;
    }
    Segment* list(std::uint32_t slice) noexcept {
        return segments_.data() + std::size_t{slice} * key_count();
    }
    const Segment* list(std::uint32_t slice) const noexcept {
        return segments_.data() + std::size_t{slice} * key_count();
    }
    /// Calls `visit(segment)` for the segments of every list.
    template <class Visit>
    void for_each_segment(Visit&& visit) const noexcept {
        const std::uint32_t lists = list_count();
        for (std::uint32_t r = 0; r < lists; ++r) for_each_segment_of(slices_[r], visit);
    }
    /// Whole words of a segment: one of `pieces` pieces.
    static Segment piece_of(const Segment& segment, std::uint32_t piece, std::uint32_t pieces) noexcept {
        if (pieces == 1) return segment;
        const std::size_t words = bit_word_count(segment.count);
        const std::size_t begin = part_begin(words, piece, pieces);
        const std::size_t end = std::min(part_begin(words, piece + 1, pieces) * 64, segment.count);
        return {segment.begin + begin * 64, end - std::min(begin * 64, end), segment.word + begin};
    }
    template <class Visit>
    void for_each_segment_of(std::uint32_t slice, Visit&& visit) const noexcept {
        const Segment* const segments = list(slice);
        for (std::uint64_t keys = used_keys_[slice]; keys != 0; keys &= keys - 1)
            visit(segments[std::countr_zero(keys)]);
        const Segment& tail = segments[regions_.region_count()];
        if (tail.count != 0) visit(tail);
    }

    /// Calls `visit(pair, is_come)` for the candidates of a word whose bits differ from the last update.
    template <class Visit>
    void for_each_change_in(const Segment& segment, std::size_t word, Visit&& visit) const noexcept {
        const std::uint64_t now = next_bits_.data()[segment.word + word];
        const IndexPair* const pairs = candidates_.begin() + segment.begin + word * 64;
        for (std::uint64_t changed = bits_.data()[segment.word + word] ^ now; changed != 0;
             changed &= changed - 1) {
            const int bit = std::countr_zero(changed);
            BROADSIDE_ASSERT(pairs[bit].first != pairs[bit].second,
                             "candidates: what is void tells something");
            visit(pairs[bit], static_cast<std::size_t>(now >> bit & 1));
        }
    }

    GrownRegions regions_;
    // Rows of the boxes, as of the last update and now.
    AlignedArray<CellRecord> rows_;
    AlignedArray<CellRecord> next_rows_;
    // Updates in which all rows are written, because those of two updates before are not the present ones.
    std::uint32_t refresh_all_left_ = 2;
    Bits changed_before_bits_;
    std::size_t changed_again_count_ = 0;
    Bits escaped_bits_;
    std::size_t escaped_count_ = 0;
    // Boxes that have moved since they were grown.
    Bits stale_bits_;
    // The lists of candidates, each in its slice, the spare one behind those of the regions. Segments are by
    // slice and key: for each region those with its boxes, and last those that were looked up one by one.
    PairBuffer candidates_;
    Bits bits_;
    Bits next_bits_;
    AlignedArray<Segment> segments_;
    std::size_t slice_size_ = 0;
    std::size_t slice_words_ = 0;
    std::uint32_t slices_[GrownRegions::kRegionMax + 1] = {};
    // By slice: the regions with a segment that is not empty; the last segment is read anyway.
    std::uint64_t used_keys_[GrownRegions::kRegionMax + 1] = {};
    std::uint32_t renewed_ = GrownRegions::kNone;
    // In the last segment of each region's list, the begin of candidates whose bits of the last update are
    // not known yet, while there are any.
    std::size_t new_tail_begins_[GrownRegions::kRegionMax] = {};
    bool has_new_tails_ = false;
    // Working memory of an update.
    AlignedArray<NewCandidate> new_candidates_;
    NewList new_lists_[kNewListMax] = {};
    std::uint32_t new_list_count_ = 0;
    AlignedArray<Void> voids_;
    AlignedArray<std::uint32_t> members_;
    AlignedArray<std::uint32_t> near_;
    AlignedArray<std::uint32_t> stale_;
    AlignedArray<std::byte> gathered_memory_;
    std::size_t gathered_most_ = 0;
    // The regions of the gathered boxes.
    AlignedArray<std::uint8_t> gathered_regions_;
    // By task, kind and range of first indices; behind them the memory to sort ranges.
    AlignedArray<std::uint32_t> change_counts_;
    // Results of a search, then the changes, by kind and range.
    PairBuffer found_;
    PairBuffer gone_;

    Growth growth_ = {};
    bool has_rows_ = false;
    bool is_known_ = false;
    // True during a find or follow that is not committed.
    bool is_pending_ = false;
    bool will_be_known_ = false;
    // True if a box may meet one with which it has no candidate.
    bool is_incomplete_ = false;
    // Updates that a grown box should last; updates since the first region was renewed, and in all.
    std::uint32_t life_ = 0;
    std::uint32_t age_ = 0;
    std::uint32_t use_count_ = 0;
    // Number of updates for which boxes are known to stay in their grown ones.
    std::uint32_t life_limit_ = ~std::uint32_t{0};
    std::uint64_t cost_ = 0;
    std::uint32_t bypass_count_ = 0;
    std::uint32_t bypass_left_ = 0;
};

}  // namespace broadside::broadphase
