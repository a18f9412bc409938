// The memory of the cells: lists of records and of their copies, by part of the input, filled by the scatter.
#pragma once

#include "broadphase/src/cells/kernels.hpp"
#include "broadphase/src/cells/plan.hpp"
#include "broadphase/src/lists/arena.hpp"
#include "broadphase/src/lists/box_sets.hpp"

#include <broadside/task_runner.hpp>

namespace broadside::broadphase {

/// Consecutive boxes of one set, handled by one task.
struct ScatterPart {
    ScatterInput input;
    std::size_t begin;
    std::size_t end;
    ScatterOutput output;
};

struct CellStoreMemory {
    AlignedArray<std::byte>& home;
    AlignedArray<std::byte>& copies;
};

enum class FillResult : std::uint8_t { ok, out_of_memory, too_many_copies };

class CellStore {
public:
    /// Most parts: two sets, with as many workers as share the memory bandwidth of one machine.
    static constexpr std::uint32_t kPartCountMax = 2 * 16;

    /// Cuts the sets into parts, and puts every box into its cell and copies of it into the others. Makes the
    /// grid coarser if copies would outnumber the boxes three to one. With a list of large boxes, boxes that
    /// cross four borders or more on an axis are in that list and in no cell.
    FillResult fill(const BoxSets& sets, bool has_large_list, const TaskRunner* runner,
                    const CellsKernels& kernels, const CellStoreMemory& memory,
                    CellPlan& state_plan) noexcept;

    /// Fills one set, in the axis order of the grid, into a grid that stays as it is.
    FillResult fill_fixed(const BoxSoaView& boxes, std::uint64_t copies_max, const TaskRunner* runner,
                          const CellsKernels& kernels, const CellStoreMemory& memory,
                          const CellPlan& plan) noexcept;
    /// Sets the caller's ids and tags of the records: see CellSource.
    void set_origin(const std::uint32_t* ids, const std::uint32_t* tags) {
        source_.ids = ids;
        source_.tags = tags;
    }

    /// Number of records of each cell.
    const std::uint32_t* record_counts() const { return record_counts_; }
    std::uint64_t record_count() const { return record_count_; }
    std::uint32_t record_count_max() const { return record_count_max_; }
    /// One flag for each cell, zero at first: see CellWork.
    std::uint8_t* wasteful_cells() const { return wasteful_cells_; }
    const CellSource& source() const { return source_; }
    std::span<const ScatterPart> parts() const { return {parts_, part_count_}; }
    /// Number of boxes in the list of large boxes. `for_each_large` calls `visit(record)`, set by set.
    std::size_t large_count() const noexcept;
    template <class Visit>
    void for_each_large(Visit&& visit) const {
        for (const ScatterPart& part : parts()) {
            part.output.home.for_each_run(
                part.input.grid.cell_count() + kLargeList,
                [&](const StoredRecord* records, std::uint32_t run, const StoredRecord*) {
                    for (std::uint32_t k = 0; k < run; ++k) visit(records[k]);
                });
        }
    }
    /// Boxes of set a or b that are invalid and in no cell.
    InvalidBoxes invalid_boxes(bool of_b) const noexcept;

private:
    void cut(const BoxSoaView& boxes, std::uint32_t id_bits, std::uint32_t tag, std::int32_t large_bit,
             const TaskRunner* runner);
    bool reserve_home(AlignedArray<std::byte>& memory, std::uint32_t cell_count);
    bool reserve_copies(AlignedArray<std::byte>& memory, std::uint32_t cell_count,
                        std::uint64_t copies_expected);
    std::uint64_t scatter(const TaskRunner* runner, const CellsKernels& kernels, const CellGrid& grid);
    FillResult fill_parts(std::uint64_t copies_max, bool may_coarsen, const TaskRunner* runner,
                          const CellsKernels& kernels, const CellStoreMemory& memory, CellPlan& state_plan);
    void count_records(std::uint32_t cell_count, const TaskRunner* runner);

    ScatterPart parts_[kPartCountMax];
    std::uint32_t part_count_ = 0;
    CellLists lists_[2 * kPartCountMax];
    CellSource source_ = {};
    std::uint32_t* record_counts_ = nullptr;
    std::uint8_t* wasteful_cells_ = nullptr;
    std::uint64_t record_count_ = 0;
    std::uint32_t record_count_max_ = 0;
};

}  // namespace broadside::broadphase
