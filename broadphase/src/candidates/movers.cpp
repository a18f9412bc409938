// Movers side by side, into the cells of the resting set, and cell by cell against what rests there.
#include "broadphase/src/candidates/movers.hpp"

#include "broadphase/src/cells/tasks.hpp"
#include "core/src/zones.hpp"

namespace broadside::broadphase {
namespace {

// The invalid boxes of the whole set from those among the movers, whose index is the place in `movers`.
InvalidBoxes count_invalid_boxes(const Movers& movers, const InvalidBoxes& among_movers,
                                 const RestingState& resting) {
    InvalidBoxes invalid = among_movers;
    if (invalid.count != 0) invalid.first_index = movers.boxes.ids[invalid.first_index];
    for (std::size_t k = 0; k < resting.invalid_count; ++k) {
        const std::uint32_t index = resting.invalid_indices[k];
        if ((movers.bits[index / 64] >> (index % 64) & 1) != 0) continue;
        ++invalid.count;
        if (index < invalid.first_index) invalid.first_index = index;
    }
    return invalid;
}

}  // namespace

bool gather_movers(const BoxSoaView& boxes, std::span<const std::uint64_t> subset_bits,
                   const RestingState& resting, AlignedArray<std::byte>& memory,
                   Movers& out_movers) noexcept {
    BROADSIDE_ZONE("movers/gather");
    const std::size_t word_count = bit_word_count(boxes.count);
    // The caller's bits behind the last box mean nothing.
    const auto subset_at = [&](std::size_t word) {
        return subset_bits[word] & box_bits_in_word(word, boxes.count);
    };
    std::size_t count = 0;
    std::uint64_t settled = 0;
    std::uint64_t woken = 0;
    for (std::size_t word = 0; word < word_count; ++word) {
        count += static_cast<std::size_t>(std::popcount(subset_at(word) | resting.mover_bits[word]));
        settled |= resting.mover_bits[word] & ~subset_at(word);
        woken |= (subset_at(word) | resting.mover_bits[word]) & ~resting.left_out_bits[word];
    }
    out_movers = {{}, nullptr, settled != 0, woken != 0};
    std::uint64_t* bits = nullptr;
    if (!place_in(memory, [&](Arena& arena) {
            place_gathered(arena, count, out_movers.boxes);
            bits = arena.take<std::uint64_t>(word_count);
        })) {
        return false;
    }
    for (std::size_t word = 0; word < word_count; ++word)
        bits[word] = subset_at(word) | resting.mover_bits[word];
    out_movers.bits = bits;
    for_each_bit(
        word_count, [&](std::size_t word) { return bits[word]; },
        [&](std::size_t index) { gather(boxes, index, out_movers.boxes); });
    return true;
}

Status find_pairs_with_resting(const Movers& movers, const RestingState& resting, const TaskRunner* runner,
                               const CellsKernels& kernels, const CellsMemory& memory,
                               PairWriter& state_writer, FindPairsResult& state_result) noexcept {
    BROADSIDE_ZONE("movers/against what rests");
    const RestingCells& cells = resting.cells;
    CellPlan plan = cells.plan;
    plan.copies_expected = movers.boxes.count / 2;
    CellStore store;
    if (store.fill_fixed(permuted(movers.boxes.view(), plan.axes), ~std::uint64_t{0}, runner, kernels,
                         memory.store(), plan) != FillResult::ok) {
        return Status::out_of_memory;
    }
    store.set_origin(movers.boxes.ids, nullptr);
    report_plan(plan, store, state_result.plan);
    state_result.invalid = count_invalid_boxes(movers, store.invalid_boxes(false), resting);
    const CellWork work = {store, kernels, {kHomeAll, 0, kIndexMask}, &cells, nullptr, ~0u};
    return scan_cells(work, plan.grid.cell_count(), runner, memory.tasks, state_writer,
                      state_result.plan.tested_count);
}

}  // namespace broadside::broadphase
