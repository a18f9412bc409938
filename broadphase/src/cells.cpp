// The steps in their order, and what a call says of them.
#include "broadphase/src/cells.hpp"

#include "broadphase/src/cells_scans.hpp"

namespace broadside::broadphase {

void report_plan(const CellPlan& plan, const CellStore& store, FindPairsPlan& out_plan) noexcept {
    out_plan.sweep_axis = static_cast<SweepAxis>(static_cast<int>(SweepAxis::x) + plan.axes[0]);
    std::uint32_t counts[3];
    for (int axis = 0; axis < 3; ++axis)
        counts[plan.axes[axis]] = static_cast<std::uint32_t>(plan.grid.cells[axis]);
    out_plan.cell_counts = {counts[0], counts[1], counts[2]};
    out_plan.record_count = store.record_count();
}

Status find_pairs_by_cells(const BoxSoaView& a, const BoxSoaView* b, const FindPairsSettings& settings,
                           const CellsKernels& kernels, const CellsMemory& memory, PairWriter& state_writer,
                           FindPairsResult& state_result) noexcept {
    CellPlan plan = plan_cells(a, b, settings);
    CellStore store;
    if (!store.fill(a, b, settings.runner, kernels, memory.home, memory.copies, plan)) {
        return Status::out_of_memory;
    }
    report_plan(plan, store, state_result.plan);
    state_result.invalid = store.invalid_boxes(false);
    if (b != nullptr) state_result.invalid_b = store.invalid_boxes(true);
    const std::uint32_t role = b != nullptr ? kRoleBit : 0;
    const CellWork work = {store, kernels, {kHomeAll | role, role, 0x7FFFFFFFu}, nullptr};
    return scan_cells(work, plan.grid.cell_count(), settings.runner, memory.tasks, state_writer,
                      state_result.plan.tested_count);
}

}  // namespace broadside::broadphase
