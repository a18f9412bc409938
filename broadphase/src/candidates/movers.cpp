// Gathers the movers, puts them into the cells of the resting set, and compares them cell by cell with the
// resting boxes, and then with each other.
#include "broadphase/src/candidates/resting_checks.hpp"
#include "broadphase/src/cells/find_pairs_by_cells.hpp"
#include "broadphase/src/cells/resting_cells.hpp"
#include "broadphase/src/cells/tasks.hpp"
#include "broadphase/src/find_pairs/arguments.hpp"
#include "broadphase/src/lists/bits.hpp"
#include "broadphase/src/lists/canonical_order.hpp"
#include "broadphase/src/lists/gathered_boxes.hpp"
#include "broadphase/src/lists/pair_writer.hpp"
#include "core/src/zones.hpp"
#include "simd/src/dispatch.hpp"

#include <broadside/float_environment.hpp>

namespace broadside {
namespace broadphase {
namespace {

// Boxes that are in the subset of the call, or are movers by the resting set.
struct Movers {
    GatheredBoxes boxes;
    // The same as bits, as in BoxFilter::subset_bits.
    const std::uint64_t* bits;
    // True if movers are outside the subset, because they came to rest since.
    bool has_stopped;
    // True if movers are in the resting set as well, void there, because they began to move since.
    bool has_started;
};

// Counts the invalid boxes of the whole set. Invalid movers are given by their index in `movers`.
InvalidBoxes count_invalid_boxes(const Movers& movers, const InvalidBoxes& among_movers,
                                 const RestingState& resting) {
    InvalidBoxes invalid = among_movers;
    if (invalid.count != 0) invalid.first_index = movers.boxes.ids[invalid.first_index];
    for (std::size_t k = 0; k < resting.invalid_count; ++k) {
        const std::uint32_t index = resting.invalid_indices[k];
        if (has_bit(movers.bits, index)) continue;
        ++invalid.count;
        if (index < invalid.first_index) invalid.first_index = index;
    }
    return invalid;
}

// Returns false if out of memory. O(boxes / 64 + movers).
bool gather_movers(const BoxSoaView& boxes, std::span<const std::uint64_t> subset_bits,
                   const RestingState& resting, AlignedArray<std::byte>& memory, Movers& out_movers) {
    BROADSIDE_ZONE("movers/gather");
    const std::size_t word_count = bit_word_count(boxes.count);
    // Ignores the caller's bits behind the last box.
    const auto subset_at = [&](std::size_t word) {
        return subset_bits[word] & item_bits_in_word(word, boxes.count);
    };
    std::size_t count = 0;
    std::uint64_t stopped = 0;
    std::uint64_t started = 0;
    for (std::size_t word = 0; word < word_count; ++word) {
        count += static_cast<std::size_t>(std::popcount(subset_at(word) | resting.mover_bits[word]));
        stopped |= resting.mover_bits[word] & ~subset_at(word);
        started |= (subset_at(word) | resting.mover_bits[word]) & ~resting.left_out_bits[word];
    }
    out_movers = {{}, nullptr, stopped != 0, started != 0};
    std::uint64_t* bits = nullptr;
    if (!reserve_arrays(memory, [&](Arena& arena) {
            reserve_gathered(arena, count, out_movers.boxes);
            bits = arena.reserve<std::uint64_t>(word_count);
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

// Writes the pairs of a mover and a resting box, in the order of the cells, the movers of a cell, and the
// resting records. Also writes pairs of two movers that the resting set still holds: `Movers::bits`
// identifies them. Fills the plan and the invalid boxes of the whole set. Returns ok or out_of_memory.
Status find_pairs_with_resting(const Movers& movers, const RestingState& resting, const TaskRunner* runner,
                               BoxScratch& scratch, PairWriter& state_writer, FindPairsResult& state_result) {
    BROADSIDE_ZONE("movers/against what rests");
    const CellsKernels& kernels = *simd::active_kernels<CellsKernels>();
    const RestingCells& cells = resting.cells;
    CellPlan plan = cells.plan;
    plan.copies_expected = movers.boxes.count / 2;
    CellStore store;
    if (store.fill_fixed(permuted(movers.boxes.view(), plan.axes), ~std::uint64_t{0}, runner, kernels,
                         {scratch.pairs.boxes, scratch.pairs.copies}, plan) != FillResult::ok) {
        return Status::out_of_memory;
    }
    store.set_origin(movers.boxes.ids, nullptr);
    report_plan(plan, store, state_result.plan);
    state_result.invalid = count_invalid_boxes(movers, store.invalid_boxes(false), resting);
    const CellWork work = {store, kernels, {kHomeAll, 0, kIndexMask}, &cells, nullptr, ~0u, nullptr};
    return scan_cells(work, plan.grid.cell_count(), runner, scratch.pairs.blocks, state_writer,
                      state_result.plan.tested_count);
}

// Compares the movers with the resting boxes, then with each other.
Status write_mover_pairs(const Movers& movers, const FindPairsSettings& settings, const RestingState& resting,
                         BoxScratch& scratch, PairWriter& state_writer, FindPairsResult& state_result) {
    // All movers are in the subset, unless some have stopped.
    BoxFilter rules = settings.filter;
    if (!movers.has_stopped) rules.subset_bits = {};
    const PairFilter filter(rules, rules);
    PairFilter filter_resting = filter;
    if (movers.has_started) filter_resting.exclude_both(movers.bits);
    state_writer.set_filter(&filter_resting);
    Status status =
        find_pairs_with_resting(movers, resting, settings.runner, scratch, state_writer, state_result);
    if (status != Status::ok) return status;

    BROADSIDE_ZONE("movers/among themselves");
    PairBuffer& among = scratch.pairs.among_movers;
    const FindPairsResult found_among = find_pairs(
        movers.boxes.view(), {.order = PairOrder::by_algorithm, .runner = settings.runner}, scratch, among);
    if (found_among.status != Status::ok) return found_among.status;
    state_result.plan.tested_count += found_among.plan.tested_count;
    for (IndexPair& pair : among) {
        pair = {movers.boxes.ids[pair.first], movers.boxes.ids[pair.second]};
    }
    state_writer.set_filter(&filter);
    status = state_writer.write(among);
    state_writer.set_filter(nullptr);
    return status;
}

}  // namespace
}  // namespace broadphase

FindPairsResult RestingBoxes::find_pairs(const BoxSoaView& boxes, const FindPairsSettings& settings,
                                         BoxScratch& scratch, const PairOutput& out_pairs) const noexcept {
    const FloatEnvironment environment;
    using namespace broadphase;
    BROADSIDE_ZONE("RestingBoxes::find_pairs");
    const std::span<const std::uint64_t> subset_bits = settings.filter.subset_bits;
    const bool fits = check_built(*this) && check_same_boxes(*this, boxes) &&
                      BROADSIDE_ARGUMENT(boxes.count == 0 || !subset_bits.empty(),
                                         "filter: subset_bits must name the movers");
    FindPairsResult result;
    result.status = fits ? check_arguments({boxes}, settings, out_pairs) : Status::invalid_argument;
    if (result.status != Status::ok) return result;
    result.plan.algorithm = PairAlgorithm::cells;
    result.plan.box_count = boxes.count;

    PairWriter writer(out_pairs, nullptr);
    Movers movers;
    Status status = Status::out_of_memory;
    if (gather_movers(boxes, subset_bits, state(), scratch.pairs.movers, movers)) {
        const auto find = [&](PairWriter& out_writer) {
            return write_mover_pairs(movers, settings, state(), scratch, out_writer, result);
        };
        status = settings.order == PairOrder::by_algorithm
                     ? find(writer)
                     : find_sorted(boxes.count, boxes.count, settings.runner, scratch.pairs.collected,
                                   scratch.pairs.order, writer, find);
    }
    writer.report(status, result);
    result.plan.memory_bytes = scratch.pairs.capacity_bytes();
    return result;
}

}  // namespace broadside
