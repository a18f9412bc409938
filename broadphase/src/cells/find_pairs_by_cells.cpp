// Runs the steps of the cells algorithm, from the outermost grid inwards, and reports them.
#include "broadphase/src/cells/find_pairs_by_cells.hpp"

#include "broadphase/src/cells/deferred.hpp"
#include "broadphase/src/cells/tasks.hpp"
#include "broadphase/src/sweep/find_pairs_by_scans.hpp"
#include "broadphase/src/thresholds.hpp"
#include "core/src/zones.hpp"
#include "simd/src/dispatch.hpp"

#include <algorithm>

namespace broadside::broadphase {
namespace {

// A cell is overfull if it has more records than the threshold, and than this many times the mean cell.
constexpr std::uint64_t kOverfullFactor = 6;
// Large boxes are set apart if at most one box in this many is large.
constexpr std::size_t kLargeShare = 8;
// With more copies than this per box of the set, large boxes are copied into cells like all others.
constexpr std::uint64_t kLargeCopiesPerBoxMax = 3;

// The home bits of a record in the grid at `depth`, moved to where its tag keeps them for the inner grids.
std::uint32_t outer_homes(std::uint32_t tag, std::uint32_t depth) {
    return (tag >> kHomeShift & 7) << (kOuterShift + 3 * depth);
}
// The bits of a tag that inner grids keep.
constexpr std::uint32_t kInherited = kRoleBit | ~((std::uint32_t{1} << kOuterShift) - 1);

// Handles one grid after the other, the outermost first.
class CellGrids {
public:
    CellGrids(const TaskRunner* runner, BoxScratch::Pairs& scratch, PairWriter& state_writer,
              std::uint32_t role)
        : runner_(runner),
          kernels_(*simd::active_kernels<CellsKernels>()),
          scratch_(scratch),
          writer_(state_writer),
          queue_(scratch.deferred),
          role_(role) {}

    std::uint64_t tested_count() const { return tested_count_; }
    bool has_deferred() const { return !queue_.is_empty(); }
    // Takes the boxes of the next grid. Returns false if out of memory.
    [[nodiscard]] bool pop(DeferredBoxes& out_boxes) { return queue_.pop(scratch_.inner, out_boxes); }

    void report(const BoxSets& sets, FindPairsResult& state_result) const {
        report_plan(plan_, store_, state_result.plan);
        state_result.plan.large_count = large_count_;
        state_result.plan.overfull_cell_count = overfull_count();
        state_result.invalid = store_.invalid_boxes(false);
        if (!sets.is_one()) state_result.invalid_b = store_.invalid_boxes(true);
    }

    // Fills the boxes into cells, and the large ones into cells of their own if they are set apart. `inner`
    // is null for the outermost grid.
    Status fill(const BoxSets& sets, const CellPlan& plan, const DeferredBoxes* inner) {
        BROADSIDE_ZONE("cells/fill");
        const std::uint64_t box_count = sets.box_count();
        plan_ = plan;
        has_large_ = false;
        for (bool has_large_list = true;; has_large_list = false) {
            if (store_.fill(sets, has_large_list, runner_, kernels_, {scratch_.boxes, scratch_.copies},
                            plan_) != FillResult::ok) {
                return Status::out_of_memory;
            }
            if (inner != nullptr) store_.set_origin(inner->ids, inner->tags);
            large_count_ = has_large_list ? store_.large_count() : 0;
            if (large_count_ == 0) break;
            if (large_count_ > box_count / kLargeShare) continue;
            const FillResult filled = fill_large(box_count);
            if (filled == FillResult::out_of_memory) return Status::out_of_memory;
            has_large_ = filled == FillResult::ok;
            if (has_large_) break;
        }
        record_count_max_ = overfull_bound();
        return Status::ok;
    }

    // Scans the cells of the grid, compares its large boxes with their records, and queues what is left.
    Status scan(std::uint32_t depth) {
        const CellStore* const large = has_large_ ? &large_store_ : nullptr;
        const CellWork work = {
            store_, kernels_, rule(depth), nullptr, large, record_count_max_, store_.wasteful_cells()};
        std::uint64_t tested_count = 0;
        const Status status =
            scan_cells(work, plan_.grid.cell_count(), runner_, scratch_.blocks, writer_, tested_count);
        tested_count_ += tested_count;
        if (status != Status::ok) return status;
        return defer(depth) ? Status::ok : Status::out_of_memory;
    }

    // The last resort: sweeps the boxes of a run along one axis. Maps pairs of indices in the run to ids.
    Status sweep(const DeferredBoxes& run) {
        BROADSIDE_ZONE("cells/sweep");
        FindPairsResult result;
        result.plan.algorithm = PairAlgorithm::sweep_and_prune;
        PairWriter among(scratch_.swept, nullptr);
        const Status status = find_pairs_by_scans({run.boxes}, {.runner = runner_}, scratch_, among, result);
        if (status != Status::ok) return status;
        tested_count_ += result.plan.tested_count;
        const PairRule applied = rule(run.depth);
        IndexPair* end = scratch_.swept.data();
        for (const IndexPair& pair : scratch_.swept) {
            const IndexPair named = make_pair(run.ids[pair.first], run.ids[pair.second], applied);
            // All boxes of a run have their home in it.
            if (tags_pair(run.tags[pair.first] | kHomeAll, run.tags[pair.second] | kHomeAll, applied))
                *end++ = named;
        }
        return writer_.write({scratch_.swept.data(), static_cast<std::size_t>(end - scratch_.swept.data())});
    }

private:
    PairRule rule(std::uint32_t depth) const {
        const std::uint32_t outer = ((std::uint32_t{1} << 3 * depth) - 1) << kOuterShift;
        const PairFilter* const filter = writer_.filter();
        const bool is_decided = filter != nullptr && filter->has_decision();
        return {kHomeAll | role_ | outer, role_, kIndexMask, is_decided ? kTouchMark : 0,
                thresholds().cells.dense_lanes_min};
    }

    std::uint32_t overfull_bound() const {
        const std::uint64_t records = store_.record_count();
        const std::uint64_t mean = records / plan_.grid.cell_count();
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(
            std::max(thresholds().cells.overfull_records_min, kOverfullFactor * mean), ~0u));
    }

    template <class Take>
    void for_each_large(std::uint32_t added_tag, Take&& take) const {
        store_.for_each_large([&](const StoredRecord& stored) {
            CellRecord record;
            std::memcpy(&record, &stored, sizeof record);
            record.tag &= kInherited;
            store_.source().resolve(record);
            record.tag |= added_tag;
            take(record);
        });
    }

    FillResult fill_large(std::uint64_t box_count) {
        BROADSIDE_ZONE("cells/large boxes");
        DeferredBoxes large;
        const bool has_memory = gather_records(
            scratch_.large, large_count_, 0, [&](auto&& take) { for_each_large(0, take); }, large);
        if (!has_memory) return FillResult::out_of_memory;
        CellPlan plan = plan_;
        plan.copies_expected = large_count_ * 8;
        const FillResult filled =
            large_store_.fill_fixed(large.boxes, kLargeCopiesPerBoxMax * box_count, runner_, kernels_,
                                    {scratch_.large_home, scratch_.large_copies}, plan);
        large_store_.set_origin(large.ids, large.tags);
        return filled;
    }

    // Calls `visit(cell, record_count)` for every cell that is overfull or wasteful, until it returns false.
    template <class Visit>
    bool for_each_overfull(Visit&& visit) const {
        const std::uint32_t cell_count = plan_.grid.cell_count();
        for (std::uint32_t cell = 0; cell < cell_count; ++cell) {
            const std::uint32_t count = store_.record_counts()[cell];
            const bool is_cut = count > record_count_max_ || store_.wasteful_cells()[cell] != 0;
            if (is_cut && !visit(cell, count)) return false;
        }
        return true;
    }
    std::size_t overfull_count() const {
        std::size_t count = 0;
        for_each_overfull([&](std::uint32_t, std::uint32_t) {
            ++count;
            return true;
        });
        return count;
    }

    // Queues the overfull cells and the large boxes.
    bool defer(std::uint32_t depth) {
        BROADSIDE_ZONE("cells/defer");
        const bool has_memory = for_each_overfull([&](std::uint32_t cell, std::uint32_t count) {
            return queue_.push(depth + 1, count, [&](auto&& take) {
                store_.source().for_each_run(
                    cell, [&](const StoredRecord* records, std::uint32_t run, const StoredRecord*) {
                        for (std::uint32_t k = 0; k < run; ++k) {
                            CellRecord record;
                            std::memcpy(&record, records + k, sizeof record);
                            record.tag = (record.tag & kInherited) | outer_homes(record.tag, depth);
                            store_.source().resolve(record);
                            take(record);
                        }
                    });
            });
        });
        if (!has_memory || !has_large_) return has_memory;
        return queue_.push(depth + 1, large_count_,
                           [&](auto&& take) { for_each_large(outer_homes(kHomeAll, depth), take); });
    }

    const TaskRunner* runner_;
    const CellsKernels& kernels_;
    BoxScratch::Pairs& scratch_;
    PairWriter& writer_;
    DeferredQueue queue_;
    std::uint32_t role_;
    CellPlan plan_ = {};
    CellStore store_;
    CellStore large_store_;
    bool has_large_ = false;
    std::size_t large_count_ = 0;
    // A cell with more records is overfull.
    std::uint32_t record_count_max_ = ~0u;
    std::uint64_t tested_count_ = 0;
};

}  // namespace

void report_plan(const CellPlan& plan, const CellStore& store, FindPairsPlan& out_plan) noexcept {
    out_plan.sweep_axis = static_cast<SweepAxis>(static_cast<int>(SweepAxis::x) + plan.axes[0]);
    std::uint32_t counts[3];
    for (int axis = 0; axis < 3; ++axis)
        counts[plan.axes[axis]] = static_cast<std::uint32_t>(plan.grid.cells[axis]);
    out_plan.cell_counts = {counts[0], counts[1], counts[2]};
    out_plan.record_count = store.record_count();
}

Status find_pairs_by_cells(const BoxSets& sets, const CellPlan& plan, const TaskRunner* runner,
                           BoxScratch::Pairs& scratch, PairWriter& state_writer,
                           FindPairsResult& state_result) noexcept {
    BROADSIDE_ZONE("cells");
    CellGrids grids(runner, scratch, state_writer, sets.is_one() ? 0 : kRoleBit);
    Status status = grids.fill(sets, plan, nullptr);
    if (status != Status::ok) return status;
    status = grids.scan(0);
    grids.report(sets, state_result);
    while (status == Status::ok && grids.has_deferred()) {
        DeferredBoxes inner;
        if (!grids.pop(inner)) return Status::out_of_memory;
        BoxSurvey survey({inner.boxes});
        if (inner.depth == kDepthMax || survey.is_for_sweep()) {
            status = grids.sweep(inner);
            continue;
        }
        if (survey.has_crowds()) survey.fit_to_crowds({inner.boxes});
        status = grids.fill({inner.boxes}, plan_cells(survey, {}), &inner);
        if (status == Status::ok) status = grids.scan(inner.depth);
    }
    state_result.plan.tested_count = grids.tested_count();
    return status;
}

}  // namespace broadside::broadphase
