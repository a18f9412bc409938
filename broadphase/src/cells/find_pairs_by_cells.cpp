// The steps in their order, from the outermost grid inwards, and what a call says of them.
#include "broadphase/src/cells/find_pairs_by_cells.hpp"

#include "broadphase/src/cells/deferred.hpp"
#include "broadphase/src/cells/tasks.hpp"
#include "core/src/zones.hpp"

#include <algorithm>

namespace broadside::broadphase {
namespace {

// A cell is overfull with this many times the records of the mean cell, and at least as many as make the work
// for another grid small beside a scan of them.
constexpr std::uint64_t kOverfullFactor = 6;
constexpr std::uint64_t kOverfullMin = 4096;
// Large boxes are set apart when they are at most one in so many.
constexpr std::size_t kLargeShare = 8;
// Copies of large boxes for each box of the set beyond which they are copied like all others.
constexpr std::uint64_t kLargeCopiesPerBoxMax = 3;

// The homes of a record in the grid at `depth`, where its tag keeps them for the grids inside.
std::uint32_t outer_homes(std::uint32_t tag, std::uint32_t depth) {
    return (tag >> kHomeShift & 7) << (kOuterShift + 3 * depth);
}
// The bits of a tag that are kept as they are.
constexpr std::uint32_t kInherited = kRoleBit | ~((std::uint32_t{1} << kOuterShift) - 1);

class CellsCall {
public:
    CellsCall(const TaskRunner* runner, const CellsKernels& kernels, const CellsMemory& memory,
              PairWriter& state_writer, std::uint32_t role)
        : runner_(runner),
          kernels_(kernels),
          memory_(memory),
          writer_(state_writer),
          queue_(memory.deferred),
          role_(role) {}

    Status run(const BoxSoaView& a, const BoxSoaView* b, const CellPlan& plan,
               FindPairsResult& state_result) {
        CellStore large_store;
        bool has_large = false;
        Status status = fill_level(a, b, plan, nullptr, large_store, has_large);
        if (status != Status::ok) return status;
        // Before the scan, which ends early when no more pairs are wanted.
        report(b != nullptr, state_result);
        status = scan_level(0, has_large ? &large_store : nullptr);
        const FindPairsSettings automatic;
        while (status == Status::ok && !queue_.is_empty()) {
            DeferredBoxes inner;
            if (!queue_.pop(memory_.inner, inner)) return Status::out_of_memory;
            status = fill_level(inner.boxes, nullptr, plan_cells(inner.boxes, nullptr, automatic), &inner,
                                large_store, has_large);
            if (status == Status::ok) status = scan_level(inner.depth, has_large ? &large_store : nullptr);
        }
        state_result.plan.tested_count = tested_count_;
        return status;
    }

private:
    void report(bool has_b, FindPairsResult& state_result) const {
        report_plan(plan_, store_, state_result.plan);
        state_result.plan.large_count = large_count_;
        state_result.plan.overfull_cell_count = overfull_count();
        state_result.invalid = store_.invalid_boxes(false);
        if (has_b) state_result.invalid_b = store_.invalid_boxes(true);
    }

    // One grid, and its large boxes in it where they are set apart.
    Status fill_level(const BoxSoaView& a, const BoxSoaView* b, const CellPlan& plan,
                      const DeferredBoxes* inner, CellStore& out_large_store, bool& out_has_large) {
        BROADSIDE_ZONE("cells/fill");
        const std::uint32_t depth = inner != nullptr ? inner->depth : 0;
        const std::uint64_t box_count = a.count + (b != nullptr ? b->count : 0);
        plan_ = plan;
        out_has_large = false;
        for (bool has_large_list = depth < kDepthMax;; has_large_list = false) {
            if (store_.fill(a, b, has_large_list, runner_, kernels_, memory_.store(), plan_) !=
                FillResult::ok) {
                return Status::out_of_memory;
            }
            if (inner != nullptr) store_.set_origin(inner->ids, inner->tags);
            large_count_ = has_large_list ? store_.large_count() : 0;
            if (large_count_ == 0) break;
            if (large_count_ > box_count / kLargeShare) continue;
            const FillResult filled = fill_large(box_count, out_large_store);
            if (filled == FillResult::out_of_memory) return Status::out_of_memory;
            out_has_large = filled == FillResult::ok;
            if (out_has_large) break;
        }
        record_count_max_ = depth < kDepthMax ? overfull_bound() : ~0u;
        return Status::ok;
    }

    // The cells of the grid, its large boxes against them; what is left goes to the queue.
    Status scan_level(std::uint32_t depth, const CellStore* large_store) {
        const CellWork work = {store_, kernels_, rule(depth), nullptr, large_store, record_count_max_};
        std::uint64_t tested_count = 0;
        const Status status =
            scan_cells(work, plan_.grid.cell_count(), runner_, memory_.tasks, writer_, tested_count);
        tested_count_ += tested_count;
        if (status != Status::ok) return status;
        return defer(large_store != nullptr, depth) ? Status::ok : Status::out_of_memory;
    }

    PairRule rule(std::uint32_t depth) const {
        const std::uint32_t outer = ((std::uint32_t{1} << 3 * depth) - 1) << kOuterShift;
        return {kHomeAll | role_ | outer, role_, kIndexMask};
    }

    std::uint32_t overfull_bound() const {
        const std::uint64_t records = store_.record_count();
        const std::uint64_t mean = records / plan_.grid.cell_count();
        return static_cast<std::uint32_t>(
            std::min<std::uint64_t>(std::max(kOverfullMin, kOverfullFactor * mean), ~0u));
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

    FillResult fill_large(std::uint64_t box_count, CellStore& out_store) {
        BROADSIDE_ZONE("cells/large boxes");
        DeferredBoxes large;
        const bool has_memory = place_records(
            memory_.large, large_count_, 0, [&](auto&& take) { for_each_large(0, take); }, large);
        if (!has_memory) return FillResult::out_of_memory;
        CellPlan plan = plan_;
        plan.copies_expected = large_count_ * 8;
        const FillResult filled = out_store.fill_fixed(large.boxes, kLargeCopiesPerBoxMax * box_count,
                                                       runner_, kernels_, memory_.large_store(), plan);
        out_store.set_origin(large.ids, large.tags);
        return filled;
    }

    // Calls `visit(cell, record_count)` for every overfull cell, until it answers false.
    template <class Visit>
    bool for_each_overfull(Visit&& visit) const {
        const std::uint32_t cell_count = plan_.grid.cell_count();
        for (std::uint32_t cell = 0; cell < cell_count && store_.record_count_max() > record_count_max_;
             ++cell) {
            const std::uint32_t count = store_.record_counts()[cell];
            if (count > record_count_max_ && !visit(cell, count)) return false;
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

    // Overfull cells, and the large boxes, to the queue.
    bool defer(bool has_large, std::uint32_t depth) {
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
        if (!has_memory || !has_large) return has_memory;
        return queue_.push(depth + 1, large_count_,
                           [&](auto&& take) { for_each_large(outer_homes(kHomeAll, depth), take); });
    }

    const TaskRunner* runner_;
    const CellsKernels& kernels_;
    const CellsMemory& memory_;
    PairWriter& writer_;
    DeferredQueue queue_;
    std::uint32_t role_;
    CellPlan plan_ = {};
    CellStore store_;
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

Status find_pairs_by_cells(const BoxSoaView& a, const BoxSoaView* b, const CellPlan& plan,
                           const TaskRunner* runner, const CellsKernels& kernels, const CellsMemory& memory,
                           PairWriter& state_writer, FindPairsResult& state_result) noexcept {
    BROADSIDE_ZONE("cells");
    CellsCall call(runner, kernels, memory, state_writer, b != nullptr ? kRoleBit : 0);
    return call.run(a, b, plan, state_result);
}

}  // namespace broadside::broadphase
