// find_pairs: argument checks, the plan, and the way of the boxes through the parts.
#include <broadside/find_pairs.hpp>

#include "broadphase/src/box_list.hpp"
#include "broadphase/src/canonical_order.hpp"
#include "broadphase/src/cells.hpp"
#include "broadphase/src/kernel_table.hpp"
#include "broadphase/src/movers.hpp"
#include "broadphase/src/pair_cache.hpp"
#include "broadphase/src/scan_passes.hpp"
#include "broadphase/src/scratch_access.hpp"

namespace broadside {
namespace broadphase {

namespace {

// Brute force wins while it tests fewer than this many boxes per box (bench_find_pairs, uniform and pile, avx2 and
// avx512): 129 boxes among themselves, or 64 against any number.
constexpr std::uint64_t kBruteForceTestsPerBox = 64;

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
           fits(filter.groups.size(), box_count) &&
           fits(filter.subset_bits.size(), bit_word_count(box_count));
}
// The boxes of the one set, of which the subset says which ones move.
bool is_valid_resting(const BoxSets& sets, const FindPairsSettings& settings) {
    const RestingBoxes* resting = settings.resting;
    return resting == nullptr ||
           (sets.b == nullptr && resting->is_built() && resting->box_count() == sets.a.count &&
            (sets.a.count == 0 || !settings.filter.subset_bits.empty()));
}
bool are_valid_settings(const BoxSets& sets, const FindPairsSettings& settings) {
    return is_valid_filter(settings.filter, sets.a.count) &&
           (sets.b == nullptr || is_valid_filter(settings.filter_b, sets.b->count)) &&
           settings.algorithm <= PairAlgorithm::cells && settings.order <= PairOrder::by_algorithm &&
           settings.sweep_axis <= SweepAxis::z && are_valid_cell_counts(settings.cell_counts) &&
           (settings.runner == nullptr || settings.runner->parallel_for != nullptr) &&
           is_valid_resting(sets, settings) &&
           (settings.cache == nullptr || (sets.b == nullptr && settings.resting == nullptr));
}

PairAlgorithm choose_algorithm(const BoxSets& sets, PairAlgorithm asked) {
    if (asked != PairAlgorithm::automatic) return asked;
    const std::uint64_t box_count = std::uint64_t{sets.a.count} + sets.count_b();
    return sets.test_count() <= kBruteForceTestsPerBox * box_count ? PairAlgorithm::brute_force
                                                                   : PairAlgorithm::cells;
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

CellsMemory cells_memory(FindPairsScratch& scratch) {
    return {ScratchAccess::boxes(scratch),      ScratchAccess::copies(scratch),
            ScratchAccess::blocks(scratch),     ScratchAccess::inner(scratch),
            ScratchAccess::deferred(scratch),   ScratchAccess::large(scratch),
            ScratchAccess::large_home(scratch), ScratchAccess::large_copies(scratch)};
}

Status find_pairs_as_found(const BoxSets& sets, const FindPairsSettings& settings, const Kernels& kernels,
                           FindPairsScratch& scratch, PairWriter& state_writer,
                           FindPairsResult& state_result) {
    if (state_result.plan.algorithm != PairAlgorithm::cells) {
        return find_pairs_by_scans(sets, settings, kernels, scratch, state_writer, state_result);
    }
    return find_pairs_by_cells(sets.a, sets.b, settings, kernels.cells, cells_memory(scratch), state_writer,
                               state_result);
}

// The movers against what rests, then among themselves.
Status find_pairs_of_movers(const BoxSoaView& boxes, const FindPairsSettings& settings,
                            const Kernels& kernels, FindPairsScratch& scratch, PairWriter& state_writer,
                            FindPairsResult& state_result) {
    const RestingState& resting = RestingAccess::state(*settings.resting);
    Movers movers;
    if (!gather_movers(boxes, settings.filter.subset_bits, resting, ScratchAccess::movers(scratch), movers)) {
        return Status::out_of_memory;
    }
    // The subset is what was asked for, unless some movers are outside it.
    BoxFilter rules = settings.filter;
    if (!movers.has_settled) rules.subset_bits = {};
    const PairFilter filter(rules, rules);
    PairFilter filter_resting = filter;
    if (movers.has_woken) filter_resting.exclude_both(movers.bits);
    state_writer.set_filter(&filter_resting);
    Status status = find_pairs_with_resting(movers, resting, settings.runner, kernels.cells,
                                            cells_memory(scratch), state_writer, state_result.plan);
    if (status != Status::ok) return status;

    PairBuffer& among = ScratchAccess::among_movers(scratch);
    PairWriter collector(among, nullptr);
    const BoxSoaView view = movers.boxes.view();
    FindPairsResult result_among;
    result_among.plan.algorithm = choose_algorithm({view, nullptr}, PairAlgorithm::automatic);
    const FindPairsSettings settings_among = {.order = PairOrder::by_algorithm, .runner = settings.runner};
    status = find_pairs_as_found({view, nullptr}, settings_among, kernels, scratch, collector, result_among);
    if (status != Status::ok) return status;
    state_result.plan.tested_count += result_among.plan.tested_count;
    state_result.invalid = count_invalid_boxes(movers, result_among.invalid, resting);
    for (IndexPair& pair : std::span(among.data(), among.size())) {
        pair = {movers.boxes.ids[pair.first], movers.boxes.ids[pair.second]};
    }
    state_writer.set_filter(&filter);
    status = state_writer.write({among.data(), among.size()});
    state_writer.set_filter(nullptr);
    return status;
}

// Finds the pairs, and writes the list in the order that was asked for.
Status fill_result(const BoxSets& sets, const FindPairsSettings& settings, const Kernels& kernels,
                   FindPairsScratch& scratch, PairWriter& state_writer, FindPairsResult& state_result) {
    const bool is_cached = settings.cache != nullptr;
    if (is_cached) {
        PairCacheUpdate update(*settings.cache, sets.a, settings, kernels, scratch);
        Status status;
        if (update.begin(state_result, status)) {
            return status == Status::ok ? update.finish(state_writer, state_result) : status;
        }
    }
    const bool has_resting = settings.resting != nullptr;
    const PairAlgorithm algorithm =
        has_resting ? PairAlgorithm::cells : choose_algorithm(sets, settings.algorithm);
    state_result.plan.algorithm = algorithm;
    const auto find = [&](PairWriter& out_writer) {
        return has_resting
                   ? find_pairs_of_movers(sets.a, settings, kernels, scratch, out_writer, state_result)
                   : find_pairs_as_found(sets, settings, kernels, scratch, out_writer, state_result);
    };
    // Brute force goes by rising index of the rows, and of the candidates in a row.
    if ((settings.order == PairOrder::by_algorithm && !is_cached) ||
        algorithm == PairAlgorithm::brute_force) {
        return find(state_writer);
    }
    PairBuffer& collected = ScratchAccess::collected(scratch);
    PairWriter collector(collected, state_writer.filter());
    const Status status = find(collector);
    if (status != Status::ok) return status;
    const std::size_t second_count = sets.b != nullptr ? sets.b->count : sets.a.count;
    if (!sort_pairs({collected.data(), collected.size()}, sets.a.count, second_count,
                    ScratchAccess::order(scratch))) {
        return Status::out_of_memory;
    }
    return state_writer.write_filtered(collected);
}

FindPairsResult find_pairs_of(const BoxSets& sets, const FindPairsSettings& settings,
                              FindPairsScratch& scratch, const PairOutput& output) {
    FindPairsResult result;
    result.status = Status::invalid_argument;
    if (!are_valid_sets(sets) || !are_valid_settings(sets, settings) || !is_valid_output(output))
        return result;
    result.status = Status::unsupported_isa;
    const Kernels* kernels = active_kernels();
    if (kernels == nullptr) return result;

    const PairFilter filter(settings.filter, sets.b != nullptr ? settings.filter_b : settings.filter);
    PairWriter writer(output, &filter);
    result.status = fill_result(sets, settings, *kernels, scratch, writer, result);
    result.written = writer.written();
    result.required = writer.required();
    if (result.status == Status::ok && result.written < result.required) {
        result.status = Status::capacity_exceeded;
    }
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
