// The pairs of boxes that nearly all move, from one update to the next.
#pragma once

#include "broadphase/src/candidates/grown_regions.hpp"
#include "broadphase/src/lists/reserve_amply.hpp"
#include "broadphase/src/lists/task_cut.hpp"

#include <broadside/assert.hpp>
#include <broadside/find_pairs.hpp>

#include <bit>
#include <span>

namespace broadside::broadphase {

/// Every box is grown to where it will be in the updates to come if it goes on as it did; the pairs of grown
/// boxes are candidates. An update tests them and compares a bit each with the update before. Boxes are
/// renewed region by region, one after the other, so that updates cost the same: the boxes of the region are
/// grown anew, and one search through it and what borders on it replaces its candidates. Who leaves its grown
/// box before is looked up at once.
///
/// A candidate belongs to the region that was renewed when it was found, and is over when that one or that of
/// the other box is renewed. It may be there twice: copies tell the same, and events are made unique.
///
/// An update that costs more by count than a search for everything is left to that, as are some after it.
class StaggeredPairs {
public:
    explicit StaggeredPairs(const Allocator& allocator) noexcept;
    StaggeredPairs(const StaggeredPairs&) = delete;
    StaggeredPairs& operator=(const StaggeredPairs&) = delete;

    struct Call {
        BoxSoaView boxes;
        /// Boxes that are not where they were at the last update, among them those that are others.
        std::span<const std::uint64_t> changed_bits;
        std::size_t changed_count;
        /// Boxes that are others than at the last update, or may pair with others, or null when none is.
        const std::uint64_t* reborn_bits;
        /// Those of them that are the same and may pair with others, or null when none is.
        const std::uint64_t* reruled_bits;
        /// Null: all may pair. What it says of two boxes that are not reborn changes only with a `clear`.
        bool (*may_pair)(const void* user, std::uint32_t a, std::uint32_t b) noexcept;
        const void* user;
        /// Pairs alive.
        std::size_t pair_count;
        const TaskRunner* runner;
        FindPairsScratch& scratch;
    };

    /// Whether the pairs of the last update are known here.
    bool are_known() const noexcept { return is_known_; }
    /// Whether the next `follow` comes nearer to that: other ways to spare searches are not worth beginning then.
    bool is_starting(const Call& call) const noexcept {
        return !is_known_ && bypass_left_ == 0 && (has_rows_ || call.reborn_bits == nullptr);
    }
    /// Where they are known: those that were and are not, and those that are and were not, both ascending;
    /// what is reborn has ended and begun, unless it only may pair with others. False when a search for
    /// everything is the better way, or memory is short; then that has to follow, and a `clear` before it.
    /// Until `commit` what was known is known.
    [[nodiscard]] bool find(const Call& call, PairBuffer& out_come) noexcept;
    std::span<const IndexPair> gone() const noexcept { return gone_; }
    /// After a search for all pairs by other means: one region more is grown, when it looks worth it.
    void follow(const Call& call) noexcept;
    /// The update is done.
    void commit() noexcept;
    /// Forgets the pairs.
    void clear() noexcept;
    /// The same, because a search was the better way: some updates go by before it is tried again.
    void leave() noexcept;
    /// Who may pair has changed: the pairs of the last update are known, but `find` has nothing to say.
    void forget_candidates() noexcept { is_incomplete_ = true; }

    /// The pairs of the last update, or of the one that is not committed, ascending. False without memory.
    bool write_known(PairBuffer& out_pairs, AlignedArray<std::byte>& scratch) const noexcept {
        return write(bits_, out_pairs, scratch);
    }
    bool write_found(PairBuffer& out_pairs, AlignedArray<std::byte>& scratch) const noexcept {
        return write(next_bits_, out_pairs, scratch);
    }

    std::size_t capacity_bytes() const noexcept;

private:
    using Bits = AlignedArray<std::uint64_t>;
    // Behind a list, for those who read and write ahead.
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
        /// To all sides, of a box of which nobody knows how it moves.
        float unknown;
        float limit;
        float large;
    };
    struct NewCandidate {
        IndexPair pair;
        std::uint32_t key;
    };
    // Tasks of one step at most, each with a list of its own for the candidates that it finds; two steps find
    // those of a renewal.
    static constexpr std::uint32_t kStepTasks = 16;
    static constexpr std::uint32_t kNewListMax = 2 * kStepTasks;
    // Some of the new candidates.
    struct NewList {
        std::size_t begin;
        std::size_t count;
    };
    // By key, of one list.
    using KeyCounts = std::uint32_t[GrownRegions::kRegionMax + 1];
    struct LookUp {
        /// Whether candidates are of the region of the box that is looked up, or of those that it meets.
        bool by_own_region;
        /// In which all that have moved are looked up, or kNone.
        std::uint32_t region;
    };
    // A candidate with a box that is another one now.
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
    /// One for each region, and the spare one while it holds what was found in this update.
    std::uint32_t list_count() const noexcept {
        return regions_.region_count() + (renewed_ != GrownRegions::kNone ? 1 : 0);
    }
    /// Into how many pieces each list is cut for tasks.
    std::uint32_t piece_count(const TaskRunner* runner) const noexcept {
        constexpr std::uint32_t kTaskMax = 64;
        const std::uint32_t workers = worker_count(runner);
        const auto wanted =
            static_cast<std::uint32_t>(std::min<std::size_t>(workers * kChunksPerWorker, kTaskMax));
        return workers > 1 ? wanted / list_count() + 1 : 1;
    }
    /// How many tasks share so many boxes or candidates, each of them `least` or more.
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
    /// `visit(segment)` of every list.
    template <class Visit>
    void for_each_segment(Visit&& visit) const noexcept {
        const std::uint32_t lists = list_count();
        for (std::uint32_t r = 0; r < lists; ++r) for_each_segment_of(slices_[r], visit);
    }
    /// Whole words of a segment, one of so many pieces.
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

    /// `visit(pair, is_come)` of the candidates of a word that tell something else than at the last update.
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
    // Where boxes are and where they were.
    AlignedArray<CellRecord> rows_;
    AlignedArray<CellRecord> next_rows_;
    // Updates in which all rows are written, for those of two updates before are not those of now.
    std::uint32_t refresh_all_left_ = 2;
    Bits changed_before_bits_;
    std::size_t changed_again_count_ = 0;
    Bits escaped_bits_;
    std::size_t escaped_count_ = 0;
    // Boxes that have moved since they were grown.
    Bits stale_bits_;
    // The lists of candidates, each in its slice, the spare one behind those of the regions; by slice and key,
    // segments: by region those with its boxes, then, last, what was looked up one by one.
    PairBuffer candidates_;
    Bits bits_;
    Bits next_bits_;
    AlignedArray<Segment> segments_;
    std::size_t slice_size_ = 0;
    std::size_t slice_words_ = 0;
    std::uint32_t slices_[GrownRegions::kRegionMax + 1] = {};
    // By slice: the regions with a segment that is not empty; the last one's is looked at anyway.
    std::uint64_t used_keys_[GrownRegions::kRegionMax + 1] = {};
    std::uint32_t renewed_ = GrownRegions::kNone;
    // Where in the last segment of each region's list those begin whose bits of the last update are not known
    // yet, while there are some.
    std::size_t new_tail_begins_[GrownRegions::kRegionMax] = {};
    bool has_new_tails_ = false;
    // What an update works with.
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
    // By task, kind and range of first indices; behind them what ranges are sorted with.
    AlignedArray<std::uint32_t> change_counts_;
    // What a search found, then what has changed, by kind and range.
    PairBuffer found_;
    PairBuffer gone_;

    Growth growth_ = {};
    bool has_rows_ = false;
    bool is_known_ = false;
    // A find or follow that is not committed.
    bool is_pending_ = false;
    bool will_be_known_ = false;
    // Some box may meet one that it is no candidate with.
    bool is_incomplete_ = false;
    // Updates that a grown box is to last; updates since the first region was renewed, and in all.
    std::uint32_t life_ = 0;
    std::uint32_t age_ = 0;
    std::uint32_t use_count_ = 0;
    // Of how many a box is known to stay in its grown one.
    std::uint32_t life_limit_ = ~std::uint32_t{0};
    std::uint64_t cost_ = 0;
    std::uint32_t bypass_count_ = 0;
    std::uint32_t bypass_left_ = 0;
};

}  // namespace broadside::broadphase
