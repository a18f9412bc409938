// find_pairs: argument checks, the plan, and the way of the boxes through the parts.
#include <broadside/find_pairs.hpp>

#include "broadphase/src/algorithm_choice.hpp"
#include "broadphase/src/box_list.hpp"
#include "broadphase/src/canonical_order.hpp"
#include "broadphase/src/cells.hpp"
#include "broadphase/src/kernel_table.hpp"
#include "broadphase/src/morton_leaves.hpp"
#include "broadphase/src/pair_list_key.hpp"
#include "broadphase/src/scan_passes.hpp"
#include "broadphase/src/scratch_access.hpp"
#include "broadphase/src/subset_reach.hpp"

namespace broadside {
namespace broadphase {

namespace {

// The passes of a complete call, or of a bipartite one, in an array large enough for either.
struct PassList {
    ScanPass passes[4];
    std::size_t count = 0;

    void add(const ScanPass& pass) { passes[count++] = pass; }
    std::span<const ScanPass> span() const { return {passes, count}; }
};

// The sets of a call: `b` is null when there is one.
struct BoxSets {
    const BoxSoaView& a;
    const BoxSoaView* b;

    std::size_t count_b() const { return b != nullptr ? b->count : 0; }
    std::uint64_t test_count() const {
        const std::uint64_t count = a.count;
        return b != nullptr ? count * b->count : count * (count - (count != 0)) / 2;
    }
};

// What stands in the scratch while a call runs.
struct Lists {
    BoxColumns columns_a = {};
    BoxColumns columns_b = {};
    SortItem* items = nullptr;
    SortItem* spare = nullptr;
    std::uint32_t* first_candidates_a = nullptr;
    std::uint32_t* first_candidates_b = nullptr;
    BoxList a = {};
    BoxList b = {};
};

bool place_lists(AlignedArray<std::byte>& memory, const BoxSets& sets, bool is_sweep, Lists& out_lists) {
    return place_in(memory, [&](Arena& arena) {
        const std::size_t count_max = sets.a.count > sets.count_b() ? sets.a.count : sets.count_b();
        out_lists.columns_a = take_columns(arena, sets.a.count);
        if (sets.b != nullptr) out_lists.columns_b = take_columns(arena, sets.count_b());
        if (!is_sweep) return;
        out_lists.items = arena.take<SortItem>(count_max);
        out_lists.spare = arena.take<SortItem>(count_max);
        if (sets.b == nullptr) return;
        out_lists.first_candidates_a = arena.take<std::uint32_t>(place_count(sets.a.count));
        out_lists.first_candidates_b = arena.take<std::uint32_t>(place_count(sets.count_b()));
    });
}

void make_lists(const BoxSets& sets, const SweepChoice* sweep, Lists& state_lists,
                FindPairsResult& state_result) {
    const auto make = [&](const BoxSoaView& boxes, const BoxColumns& columns, InvalidBoxes& out_invalid) {
        return sweep == nullptr ? make_unsorted_list(boxes, columns, out_invalid)
                                : make_sorted_list(boxes, *sweep, columns, state_lists.items,
                                                   state_lists.spare, out_invalid);
    };
    state_lists.a = make(sets.a, state_lists.columns_a, state_result.invalid);
    if (sets.b == nullptr) return;
    state_lists.b = make(*sets.b, state_lists.columns_b, state_result.invalid_b);
}

ScanPass test_pass(const ScanKernels& kernels, const RowScan& scan, std::size_t row_end) {
    return {scan, 0, row_end, kernels.test_rows, kTestTaskRowCount};
}
ScanPass sweep_pass(const ScanKernels& kernels, const RowScan& scan, const BoxList& queries) {
    return {scan, queries.sorted_begin(), queries.sorted_end(), kernels.sweep_rows, kSweepTaskRowCount};
}

// Each unsorted box against all that follow it in the list, each sorted one against those that it meets in the sweep.
PassList complete_passes(const ScanKernels& kernels, const BoxList& list, std::uint64_t& out_tested_count) {
    const std::uint64_t unsorted = list.unsorted_count;
    out_tested_count = unsorted * (unsorted - (unsorted != 0)) / 2 + unsorted * list.sorted_count;
    const RowScan scan = {list.columns, list.columns, nullptr, kFollowing, list.end(), PairSides::by_index};
    PassList passes;
    passes.add(test_pass(kernels, scan, list.unsorted_count));
    passes.add(sweep_pass(kernels, scan, list));
    return passes;
}

// The unsorted boxes of a against all of b, those of b against the sorted ones of a; then two sweeps, which find a pair
// in the row of that box which begins first, and in the row of a's box when both begin at once.
PassList bipartite_passes(const ScanKernels& kernels, Lists& state_lists, std::uint64_t& out_tested_count) {
    const BoxList& a = state_lists.a;
    const BoxList& b = state_lists.b;
    out_tested_count =
        std::uint64_t{a.unsorted_count} * b.count() + std::uint64_t{b.unsorted_count} * a.sorted_count;
    PassList passes;
    passes.add(
        test_pass(kernels, {a.columns, b.columns, nullptr, 0, b.end(), PairSides::query}, a.unsorted_count));
    passes.add(test_pass(kernels,
                         {b.columns, a.columns, nullptr, a.sorted_begin(), a.end(), PairSides::candidate},
                         b.unsorted_count));
    if (a.sorted_count == 0 || b.sorted_count == 0) return passes;
    find_first_candidates(a, b, TieRule::equal_included, state_lists.first_candidates_a);
    find_first_candidates(b, a, TieRule::equal_excluded, state_lists.first_candidates_b);
    passes.add(sweep_pass(kernels,
                          {a.columns, b.columns, state_lists.first_candidates_a, 0, 0, PairSides::query}, a));
    passes.add(sweep_pass(
        kernels, {b.columns, a.columns, state_lists.first_candidates_b, 0, 0, PairSides::candidate}, b));
    return passes;
}

bool is_valid_output(const PairOutput& output) { return !output.is_sink() || output.sink().take != nullptr; }
bool are_valid_sets(const BoxSets& sets) {
    return sets.a.is_readable() && sets.a.count <= kMaxBoxCount &&
           (sets.b == nullptr || (sets.b->is_readable() && sets.b->count <= kMaxBoxCount));
}
// All automatic or none, and bins of an axis that a float counts exactly.
bool are_valid_cell_counts(const CellCounts& counts) {
    constexpr std::uint32_t kMax = 65535;
    const int given = (counts.x != 0) + (counts.y != 0) + (counts.z != 0);
    return given == 0 || (given == 3 && counts.x <= kMax && counts.y <= kMax && counts.z <= kMax &&
                          std::uint64_t{counts.x} * counts.y * counts.z <= kMaxCellCount);
}
bool is_valid_filter(const BoxFilter& filter, std::size_t box_count) {
    const auto fits = [](std::size_t size, std::size_t wanted) { return size == 0 || size == wanted; };
    return fits(filter.categories.size(), box_count) && fits(filter.masks.size(), box_count) &&
           fits(filter.groups.size(), box_count) && fits(filter.subset_bits.size(), (box_count + 63) / 64);
}
bool are_valid_settings(const BoxSets& sets, const FindPairsSettings& settings) {
    return is_valid_filter(settings.filter, sets.a.count) &&
           (sets.b == nullptr || is_valid_filter(settings.filter_b, sets.b->count)) &&
           settings.algorithm <= PairAlgorithm::morton && settings.order <= PairOrder::by_algorithm &&
           settings.sweep_axis <= SweepAxis::z && are_valid_cell_counts(settings.cell_counts) &&
           (settings.runner == nullptr || settings.runner->parallel_for != nullptr);
}

// Says which algorithm runs. `out_cells` is the grid of the cells algorithm wherever one was planned.
void choose_algorithm(const BoxSets& sets, const FindPairsSettings& settings, CellPlan& out_cells,
                      FindPairsPlan& out_plan) {
    out_plan.algorithm = settings.algorithm;
    out_plan.is_forced = settings.algorithm != PairAlgorithm::automatic;
    out_plan.box_count = sets.a.count + sets.count_b();
    if (!out_plan.is_forced && is_brute_force_best(sets.test_count(), out_plan.box_count)) {
        out_plan.algorithm = PairAlgorithm::brute_force;
        return;
    }
    if (out_plan.is_forced && settings.algorithm != PairAlgorithm::cells) return;
    out_cells = plan_cells(sets.a, sets.b, settings);
    out_plan.expected_costs = expected_costs(sets.a, sets.b, out_cells, sets.test_count());
    if (!out_plan.is_forced) out_plan.algorithm = cheapest(out_plan.expected_costs);
    if (out_plan.algorithm != PairAlgorithm::cells) return;
    out_plan.expected_records_per_box = out_cells.expected.records_per_box;
    out_plan.expected_window = out_cells.expected.window;
}

// Brute force and sweep-and-prune: lists of boxes, and passes over them.
Status find_pairs_by_scans(const BoxSets& sets, const FindPairsSettings& settings, const Kernels& kernels,
                           FindPairsScratch& scratch, PairWriter& state_writer,
                           FindPairsResult& state_result) {
    FindPairsPlan& plan = state_result.plan;
    const bool is_sweep = plan.algorithm == PairAlgorithm::sweep_and_prune;
    Lists lists;
    if (!place_lists(ScratchAccess::boxes(scratch), sets, is_sweep, lists)) return Status::out_of_memory;
    SweepChoice choice = {};
    if (is_sweep) {
        choice = choose_sweep(sets.a, sets.b, settings.sweep_axis);
        plan.sweep_axis = static_cast<SweepAxis>(static_cast<int>(SweepAxis::x) + choice.axis);
    }
    make_lists(sets, is_sweep ? &choice : nullptr, lists, state_result);
    if (is_sweep) plan.oversized_count = lists.a.unsorted_count + lists.b.unsorted_count;
    const PassList passes = sets.b == nullptr ? complete_passes(kernels.scan, lists.a, plan.tested_count)
                                              : bipartite_passes(kernels.scan, lists, plan.tested_count);
    return run_passes(passes.span(), settings.runner, ScratchAccess::blocks(scratch), state_writer,
                      plan.tested_count);
}

// What a call works with. `sets` are the boxes that take part; pairs leave the filter with indices below the
// two counts.
struct Call {
    const BoxSets& sets;
    const FindPairsSettings& settings;
    const Kernels& kernels;
    FindPairsScratch& scratch;
    std::size_t first_count;
    std::size_t second_count;
};

Status find_pairs_as_found(const Call& call, const CellPlan& cells, PairWriter& state_writer,
                           FindPairsResult& state_result) {
    const auto& [sets, settings, kernels, scratch, first_count, second_count] = call;
    switch (state_result.plan.algorithm) {
        case PairAlgorithm::cells:
            return find_pairs_by_cells(sets.a, sets.b, cells, settings.runner, kernels.cells,
                                       {ScratchAccess::boxes(scratch), ScratchAccess::copies(scratch),
                                        ScratchAccess::blocks(scratch)},
                                       state_writer, state_result);
        case PairAlgorithm::morton:
            return find_pairs_by_morton(sets.a, sets.b, settings.runner, kernels.leaves,
                                        ScratchAccess::boxes(scratch), ScratchAccess::blocks(scratch),
                                        state_writer, state_result);
        default:
            return find_pairs_by_scans(sets, settings, kernels, scratch, state_writer, state_result);
    }
}

// Writes a complete list, whose end has been counted whether it fits or not.
Status write_counted(const PairBuffer& list, PairWriter& state_writer) {
    const Status status = state_writer.write_filtered(list);
    return status == Status::capacity_exceeded ? Status::ok : status;
}

// Finds the pairs, and writes the list in the order that was asked for.
Status fill_result(const Call& call, PairWriter& state_writer, FindPairsResult& state_result) {
    const auto& [sets, settings, kernels, scratch, first_count, second_count] = call;
    CellPlan cells = {};
    choose_algorithm(sets, settings, cells, state_result.plan);
    PairBuffer& collected = ScratchAccess::collected(scratch);
    // Brute force goes by rising index of the rows, and of the candidates in a row.
    if (settings.order == PairOrder::by_algorithm ||
        state_result.plan.algorithm == PairAlgorithm::brute_force) {
        return find_pairs_as_found(call, cells, state_writer, state_result);
    }
    PairWriter collector(collected, state_writer.filter());
    const Status status = find_pairs_as_found(call, cells, collector, state_result);
    if (status != Status::ok) return status;
    if (!sort_pairs({collected.data(), collected.size()}, first_count, second_count,
                    ScratchAccess::order(scratch))) {
        return Status::out_of_memory;
    }
    const Status written = write_counted(collected, state_writer);
    if (settings.resume.pair_count + state_writer.written() < collected.size()) {
        state_result.next.kept_list = ScratchAccess::keep_collected(scratch);
    }
    return written;
}

// A position fits the call if it is the beginning, or comes from one that asked for the same.
bool is_valid_position(const PairPosition& position, std::uint64_t key) {
    if (position.pair_count == 0 && position.call_key == 0) return true;
    return position.call_key == key && position.pair_count <= position.list_length;
}

// The status of a search that ended with `status`, now that the length of the list is known.
Status final_status(Status status, const PairPosition& begin, FindPairsResult& state_result) {
    const bool is_length_known = begin.list_length != PairPosition::kUnknown;
    if (status == Status::capacity_exceeded) state_result.required = begin.list_length;
    if (status != Status::ok) return status;
    if (is_length_known && state_result.required != begin.list_length) return Status::wrong_position;
    if (begin.pair_count > state_result.required) return Status::wrong_position;
    return begin.pair_count + state_result.written < state_result.required ? Status::capacity_exceeded
                                                                           : Status::ok;
}

FindPairsResult find_pairs_of(const BoxSets& sets, const FindPairsSettings& settings,
                              FindPairsScratch& scratch, const PairOutput& output) {
    FindPairsResult result;
    result.status = Status::invalid_argument;
    if (!are_valid_sets(sets) || !are_valid_settings(sets, settings) || !is_valid_output(output))
        return result;
    const PairPosition& begin = settings.resume;
    const std::uint64_t key = pair_list_key(sets.a, sets.b, settings);
    result.status = Status::wrong_position;
    if (!is_valid_position(begin, key)) return result;
    result.status = Status::unsupported_isa;
    const Kernels* kernels = active_kernels();
    if (kernels == nullptr) return result;

    result.status = Status::out_of_memory;
    ReachedBoxes reached;
    const PairBuffer* const kept = ScratchAccess::kept(scratch, begin.kept_list);
    if (kept == nullptr && sets.b == nullptr &&
        !reach_of_subset(sets.a, settings.filter.subset_bits, ScratchAccess::reached(scratch), reached)) {
        return result;
    }
    const bool is_part = reached.indices != nullptr;
    const BoxSets part = {is_part ? reached.boxes : sets.a, sets.b};
    const PairFilter filter(settings.filter, sets.b != nullptr ? settings.filter_b : settings.filter,
                            reached.indices);
    PairWriter writer(output, &filter, begin);
    Status status = Status::ok;
    if (kept != nullptr) {
        result.next.kept_list = begin.kept_list;
        status = write_counted(*kept, writer);
    } else {
        const std::size_t second_count = sets.b != nullptr ? sets.b->count : sets.a.count;
        status = fill_result({part, settings, *kernels, scratch, sets.a.count, second_count}, writer, result);
    }
    if (is_part) {
        result.invalid = reached.invalid;
        result.plan.left_out_count = sets.a.count - reached.boxes.count - reached.invalid.count;
    }
    result.written = writer.written();
    result.required = writer.required();
    result.status = final_status(status, begin, result);
    const bool is_length_known = result.status == Status::ok || result.status == Status::capacity_exceeded;
    result.next.pair_count = begin.pair_count + result.written;
    result.next.list_length = is_length_known ? result.required : begin.list_length;
    result.next.call_key = key;
    result.plan.memory_bytes = scratch.capacity_bytes();
    return result;
}

}  // namespace
}  // namespace broadphase

FindPairsResult find_pairs(const BoxSoaView& boxes, const FindPairsSettings& settings,
                           FindPairsScratch& scratch, const PairOutput& out_pairs) noexcept {
    return broadphase::find_pairs_of({boxes, nullptr}, settings, scratch, out_pairs);
}

FindPairsResult find_pairs(const BoxSoaView& a, const BoxSoaView& b, const FindPairsSettings& settings,
                           FindPairsScratch& scratch, const PairOutput& out_pairs) noexcept {
    return broadphase::find_pairs_of({a, &b}, settings, scratch, out_pairs);
}

FindPairsResult find_pairs(const BoxSoaView& boxes, const FindPairsSettings& settings,
                           const PairOutput& out_pairs) noexcept {
    FindPairsScratch scratch;
    return find_pairs(boxes, settings, scratch, out_pairs);
}

FindPairsResult find_pairs(const BoxSoaView& a, const BoxSoaView& b, const FindPairsSettings& settings,
                           const PairOutput& out_pairs) noexcept {
    FindPairsScratch scratch;
    return find_pairs(a, b, settings, scratch, out_pairs);
}

}  // namespace broadside
