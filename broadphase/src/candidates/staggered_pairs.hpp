// The pairs of boxes of which nearly all move, from one update to the next.
#pragma once

#include "broadphase/src/candidates/candidate_lists.hpp"
#include "broadphase/src/candidates/grown_regions.hpp"
#include "broadphase/src/candidates/new_candidates.hpp"
#include "broadphase/src/lists/reserve_amply.hpp"
#include "broadphase/src/lists/task_cut.hpp"

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
        BoxScratch& scratch;
    };

    /// Whether the pairs of the last update are known here.
    bool are_known() const noexcept { return is_known_; }
    /// Whether the next `follow` is a step towards that. Other ways to save searches should not begin then.
    bool is_starting(const Call& call) const noexcept {
        return !is_known_ && pace_.bypass_left == 0 && (has_rows_ || call.reborn_bits == nullptr);
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
        return lists_.write_known(out_pairs, scratch);
    }
    bool write_found(PairBuffer& out_pairs, AlignedArray<std::byte>& scratch) const noexcept {
        return lists_.write_found(out_pairs, scratch);
    }

    std::size_t capacity_bytes() const noexcept;

private:
    using Bits = AlignedArray<std::uint64_t>;
    using Segment = CandidateLists::Segment;
    struct Growth {
        float calls;
        float slack;
        /// Growth to all sides of a box whose motion is unknown.
        float unknown;
        float limit;
        float large;
    };
    /// For how long boxes are grown, and whether candidates are tried at all.
    struct Pace {
        /// Updates that a grown box should last; updates since the first region was renewed, and in all.
        std::uint32_t life = 0;
        std::uint32_t age = 0;
        std::uint32_t use_count = 0;
        /// Number of updates for which boxes are known to stay in their grown ones.
        std::uint32_t life_limit = ~std::uint32_t{0};
        /// Mean cost of the last updates.
        std::uint64_t cost = 0;
        /// Updates to pass before the next attempt, and those that are left.
        std::uint32_t bypass_count = 0;
        std::uint32_t bypass_left = 0;

        void clear() noexcept { life = age = use_count = 0; }
        /// Gives up.
        void leave() noexcept;
    };
    /// Memory of a renewal.
    struct Work {
        explicit Work(const Allocator& allocator) noexcept
            : members(allocator),
              stale(allocator),
              near(allocator),
              gathered_memory(allocator),
              gathered_regions(allocator) {}
        std::size_t capacity_bytes() const noexcept {
            return members.capacity_bytes() + near.capacity_bytes() + stale.capacity_bytes() +
                   gathered_memory.capacity_bytes() + gathered_regions.capacity_bytes();
        }

        /// The boxes of the region, and those that have moved since they were grown.
        AlignedArray<std::uint32_t> members;
        AlignedArray<std::uint32_t> stale;
        /// Positions of boxes of other regions that reach into it.
        AlignedArray<std::uint32_t> near;
        AlignedArray<std::byte> gathered_memory;
        std::size_t gathered_most = 0;
        /// The regions of the gathered boxes.
        AlignedArray<std::uint8_t> gathered_regions;
    };
    /// A sample of boxes that is grown on trial, before all are.
    struct Trial {
        struct Sample {
            CellRecord grown;
            std::uint32_t box;
        };
        explicit Trial(const Allocator& allocator) noexcept : samples(allocator) {}
        AlignedArray<Sample> samples;
        /// Updates since then, and those to pass before all are grown.
        std::uint32_t age = 0;
        std::uint32_t updates = 0;
    };
    struct LookUp {
        /// Whether candidates are of the region of the looked-up box, or of those of the boxes that it meets.
        bool by_own_region;
        /// The region in which all moved boxes are looked up, or kNone.
        std::uint32_t region;
    };

    /// Boxes have grown ones, if only the whole of space.
    bool has_regions() const noexcept { return pace_.life != 0 && regions_.are_placed(); }
    bool plan(const Call& call) noexcept;
    bool start_trial(const Call& call) noexcept;
    bool grow_sample(std::size_t box_count) noexcept;
    bool passes_trial(const Call& call) noexcept;
    bool place(const Call& call) noexcept;
    bool touch_rows(std::size_t count) noexcept;
    bool grow_next(const Call& call) noexcept;
    bool refresh(const Call& call) noexcept;
    void refresh_all(const Call& call, std::size_t begin, std::size_t end) noexcept;
    void refresh_changed(const Call& call, std::size_t begin, std::size_t end) noexcept;
    void note_reborn(const Call& call) noexcept;
    Aabb grown_box(std::uint32_t box) const noexcept;
    bool is_large(const Aabb& grown) const noexcept;
    bool advance(const Call& call) noexcept;
    bool regrow(const Call& call, std::uint64_t due, std::uint32_t* boxes, std::size_t count,
                std::span<const std::uint32_t>& out_grown) noexcept;
    bool regrow_escaped(const Call& call, std::uint64_t due) noexcept;
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
    bool keep_valid(const Call& call, std::uint32_t region) noexcept;
    bool search(const Call& call, const GatheredBoxes& boxes, std::size_t member_count) noexcept;
    template <class Keep>
    void look_up(const LookUp& what, std::uint32_t box, std::uint32_t question, Keep&& keep) const noexcept;
    bool look_up_each(const Call& call, const LookUp& what, std::span<const std::uint32_t> boxes) noexcept;
    static bool is_candidate(const Call& call, std::uint32_t a, std::uint32_t b, std::uint32_t key,
                             NewCandidates::Candidate& out_candidate) noexcept;
    bool reserve_renewals() noexcept;
    bool tell_difference(const Call& call, PairBuffer& out_come) noexcept;
    bool tell_alone(const Call& call, PairBuffer& out_come) noexcept;
    void leave_out_lasting(const Call& call, PairBuffer& state_come) noexcept;
    bool tell_in_tasks(const TaskRunner& runner, PairBuffer& out_come) noexcept;
    static bool are_few(const Call& call) noexcept;
    static std::uint64_t search_cost(const Call& call) noexcept;
    std::uint64_t cost_of(const Call& call, std::uint64_t candidate_count,
                          std::uint64_t leaver_count) const noexcept;
    bool is_worth_it(const Call& call) noexcept;

    /// Number of tasks that share `count` boxes or candidates, each with `least` or more.
    static std::uint32_t step_tasks(const TaskRunner* runner, std::size_t count, std::size_t least) noexcept {
        const auto most = static_cast<std::uint32_t>(std::min<std::size_t>(count / least, kStepTasks));
        return worker_count(runner) > 1 && most > 1 ? most : 1;
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
    CandidateLists lists_;
    NewCandidates new_candidates_;
    Work work_;
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
    Pace pace_;
    Trial trial_;
};

}  // namespace broadside::broadphase
