// Makes lists of boxes, and passes over them.
#include "broadphase/src/sweep/find_pairs_by_scans.hpp"

#include "broadphase/src/sweep/box_list.hpp"
#include "broadphase/src/sweep/passes.hpp"
#include "broadphase/src/thresholds.hpp"
#include "core/src/zones.hpp"
#include "simd/src/dispatch.hpp"

namespace broadside::broadphase {
namespace {

// The passes of a complete call, or of a bipartite one, in an array large enough for either.
struct PassList {
    ScanPass passes[4];
    std::size_t count = 0;

    void add(const ScanPass& pass) { passes[count++] = pass; }
    std::span<const ScanPass> span() const { return {passes, count}; }
};

// Data in the scratch during a call.
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

bool reserve_lists(AlignedArray<std::byte>& memory, const BoxSets& sets, bool is_sweep, Lists& out_lists) {
    return reserve_arrays(memory, [&](Arena& arena) {
        const std::size_t count_max = sets.a.count > sets.count_b() ? sets.a.count : sets.count_b();
        out_lists.columns_a = take_columns(arena, sets.a.count);
        if (!sets.is_one()) out_lists.columns_b = take_columns(arena, sets.count_b());
        if (!is_sweep) return;
        out_lists.items = arena.reserve<SortItem>(count_max);
        out_lists.spare = arena.reserve<SortItem>(count_max);
        if (sets.is_one()) return;
        out_lists.first_candidates_a = arena.reserve<std::uint32_t>(padded_count(sets.a.count));
        out_lists.first_candidates_b = arena.reserve<std::uint32_t>(padded_count(sets.count_b()));
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
    if (sets.is_one()) return;
    state_lists.b = make(*sets.b, state_lists.columns_b, state_result.invalid_b);
}

ScanPass test_pass(const ScanKernels& kernels, const RowScan& scan, std::size_t row_end) {
    return {scan, 0, row_end, kernels.test_rows, thresholds().scans.test_rows_per_task};
}
ScanPass sweep_pass(const ScanKernels& kernels, const RowScan& scan, const BoxList& queries) {
    return {scan, queries.sorted_begin(), queries.sorted_end(), kernels.sweep_rows,
            thresholds().scans.sweep_rows_per_task};
}

// Tests each unsorted box against all that follow in the list, each sorted one against those in its sweep.
PassList complete_passes(const ScanKernels& kernels, const BoxList& list, std::uint64_t& out_tested_count) {
    const std::uint64_t unsorted = list.unsorted_count;
    out_tested_count = unsorted * (unsorted - (unsorted != 0)) / 2 + unsorted * list.sorted_count;
    const RowScan scan = {list.columns, list.columns, nullptr, kFollowing, list.end(), PairSides::by_index};
    PassList passes;
    passes.add(test_pass(kernels, scan, list.unsorted_count));
    passes.add(sweep_pass(kernels, scan, list));
    return passes;
}

// Tests the unsorted boxes of a against all of b, and those of b against the sorted ones of a. Two sweeps
// then find a pair in the row of the box that begins first, and in the row of a's box if both begin at once.
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

}  // namespace

Status find_pairs_by_scans(const BoxSets& sets, const FindPairsSettings& settings, BoxScratch::Pairs& scratch,
                           PairWriter& state_writer, FindPairsResult& state_result) noexcept {
    BROADSIDE_ZONE("scans");
    const ScanKernels& kernels = *simd::active_kernels<ScanKernels>();
    FindPairsPlan& plan = state_result.plan;
    const bool is_sweep = plan.algorithm == PairAlgorithm::sweep_and_prune;
    Lists lists;
    if (!reserve_lists(scratch.boxes, sets, is_sweep, lists)) return Status::out_of_memory;
    SweepChoice choice = {};
    if (is_sweep) {
        choice = choose_sweep(sets, settings.sweep_axis);
        plan.sweep_axis = static_cast<SweepAxis>(static_cast<int>(SweepAxis::x) + choice.axis);
    }
    make_lists(sets, is_sweep ? &choice : nullptr, lists, state_result);
    if (is_sweep) plan.oversized_count = lists.a.unsorted_count + lists.b.unsorted_count;
    const PassList passes = sets.is_one() ? complete_passes(kernels, lists.a, plan.tested_count)
                                          : bipartite_passes(kernels, lists, plan.tested_count);
    return run_passes(passes.span(), settings.runner, scratch.blocks, state_writer, plan.tested_count);
}

}  // namespace broadside::broadphase
