// Runs scans as tasks, and writes their pairs in an order that does not depend on threads.
#pragma once

#include "broadphase/src/lists/pair_writer.hpp"
#include "broadphase/src/sweep/kernels.hpp"

#include <broadside/task_runner.hpp>

namespace broadside::broadphase {

/// A scan, the rows of its queries, and its kernel.
struct ScanPass {
    RowScan scan;
    std::size_t row_begin;
    std::size_t row_end;
    void (*run_rows)(const RowScan& scan, RowState& state);
    /// Rows of a task, whatever the number of workers.
    std::size_t task_row_count;
};

/// Writes the pairs of all passes: by pass, by row of the pass, by index of the candidate. `block_memory`
/// grows to the needs of the tasks of one round. Adds the tests of the sweeps to `state_tested_count`.
/// Returns ok or out_of_memory.
Status run_passes(std::span<const ScanPass> passes, const TaskRunner* runner,
                  AlignedArray<std::byte>& block_memory, PairWriter& state_writer,
                  std::uint64_t& state_tested_count) noexcept;

}  // namespace broadside::broadphase
