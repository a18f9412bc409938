// The cells one after the other, or shared out to tasks, and their pairs to the output in the order of the cells.
#include "broadphase/src/cells.hpp"

#include "broadphase/src/cells_store.hpp"

#include <broadside/run_tasks.hpp>

#include <algorithm>

namespace broadside::broadphase {
namespace {

// Pairs that the calling thread collects before it passes them on; they stay in the first-level cache.
constexpr std::size_t kBlockPairCount = 4096;
static_assert(kBlockPairCount >= CandidateList::kCapacity + kScanBlock);

// A block that goes to the output whenever it is full.
struct FlushingBlock : PairBlock {
    IndexPair* begin;
    PairWriter* writer;
    Status status;
};

bool flush(PairBlock& block, std::size_t) noexcept {
    FlushingBlock& self = static_cast<FlushingBlock&>(block);
    self.status = self.writer->write({self.begin, static_cast<std::size_t>(self.next - self.begin)});
    self.next = self.begin;
    return self.status == Status::ok;
}

SortedCell take_sorted_cell(Arena& arena, std::uint32_t record_count) {
    const std::size_t places = record_count + kSortedPadding;
    SortedCell cell;
    cell.x0 = arena.take<std::uint8_t>(places);
    cell.x1 = arena.take<std::uint8_t>(places);
    cell.quads = arena.take<std::uint32_t>(places);
    cell.records = arena.take<CellRecord>(places);
    cell.count = 0;
    return cell;
}

class CellScans {
public:
    CellScans(const CellStore& store, std::uint32_t cell_count, const CellsKernels& kernels, const PairRule& rule)
        : store_(store), cell_count_(cell_count), kernels_(kernels), rule_(rule) {}

    Status run(AlignedArray<std::byte>& memory, PairWriter& state_writer) const noexcept {
        SortedCell sorted = {};
        FlushingBlock block = {};
        const bool has_memory = place_in(memory, [&](Arena& arena) {
            sorted = take_sorted_cell(arena, store_.record_count_max());
            block.begin = arena.take<IndexPair>(kBlockPairCount);
        });
        if (!has_memory) return Status::out_of_memory;
        start(block, state_writer);
        for (std::uint32_t cell = 0; cell < cell_count_; ++cell) {
            if (!run_cell(cell, sorted, block)) return block.status;
        }
        flush(block, 0);
        return block.status;
    }

private:
    static void start(FlushingBlock& block, PairWriter& state_writer) {
        block.next = block.begin;
        block.end = block.begin + kBlockPairCount;
        block.make_room = &flush;
        block.writer = &state_writer;
        block.status = Status::ok;
    }
    bool run_cell(std::uint32_t cell, SortedCell& sorted, PairBlock& block) const {
        if (store_.record_counts()[cell] < 2) return true;
        kernels_.sort_cell(store_.source(), cell, sorted);
        return kernels_.scan_cell(sorted, rule_, block);
    }

    const CellStore& store_;
    std::uint32_t cell_count_;
    const CellsKernels& kernels_;
    const PairRule& rule_;
};

}  // namespace

Status find_pairs_by_cells(const BoxSoaView& a, const BoxSoaView* b, const FindPairsSettings& settings,
                           const CellsKernels& kernels, const CellsMemory& memory, PairWriter& state_writer,
                           FindPairsResult& state_result) noexcept {
    CellPlan plan = plan_cells(a, b, settings);
    CellStore store;
    if (!store.fill(a, b, settings.runner, kernels, memory.home, memory.copies, plan)) {
        return Status::out_of_memory;
    }
    state_result.invalid = store.invalid_boxes(false);
    if (b != nullptr) state_result.invalid_b = store.invalid_boxes(true);
    const bool is_bipartite = b != nullptr;
    const PairRule rule = {kHomeAll | (is_bipartite ? kRoleBit : 0u), is_bipartite ? kRoleBit : 0u, 0x7FFFFFFFu};
    const CellScans scans(store, plan.grid.cell_count(), kernels, rule);
    return scans.run(memory.tasks, state_writer);
}

}  // namespace broadside::broadphase
