// find_pairs: argument checks, the plan, and the way of the boxes through the parts.
#include <broadside/find_pairs.hpp>
#include <broadside/float_environment.hpp>

#include "broadphase/src/candidates/movers.hpp"
#include "broadphase/src/candidates/pair_cache.hpp"
#include "broadphase/src/cells/find_pairs_by_cells.hpp"
#include "broadphase/src/find_pairs/choice.hpp"
#include "broadphase/src/find_pairs/pair_list_key.hpp"
#include "broadphase/src/find_pairs/scratch_access.hpp"
#include "broadphase/src/find_pairs/subset_reach.hpp"
#include "broadphase/src/kernels.hpp"
#include "broadphase/src/lists/canonical_order.hpp"
#include "broadphase/src/lists/pair_filter.hpp"
#include "broadphase/src/morton/find_pairs_by_morton.hpp"
#include "broadphase/src/sweep/find_pairs_by_scans.hpp"
#include "core/src/zones.hpp"

namespace broadside {
namespace broadphase {
namespace {

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
           settings.algorithm <= PairAlgorithm::morton && settings.order <= PairOrder::by_algorithm &&
           settings.sweep_axis <= SweepAxis::z && are_valid_cell_counts(settings.cell_counts) &&
           is_valid_runner(settings.runner) && is_valid_resting(sets, settings) &&
           (settings.cache == nullptr || (sets.b == nullptr && settings.resting == nullptr));
}

// Says which algorithm runs. `out_cells` is the grid of the cells algorithm wherever one was planned.
void choose_algorithm(const BoxSets& sets, const FindPairsSettings& settings, CellPlan& out_cells,
                      FindPairsPlan& out_plan) {
    BROADSIDE_ZONE("find_pairs/choose");
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

CellsMemory cells_memory(FindPairsScratch& scratch) {
    return {ScratchAccess::boxes(scratch),      ScratchAccess::copies(scratch),
            ScratchAccess::blocks(scratch),     ScratchAccess::inner(scratch),
            ScratchAccess::deferred(scratch),   ScratchAccess::large(scratch),
            ScratchAccess::large_home(scratch), ScratchAccess::large_copies(scratch)};
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
    AlignedArray<std::byte>& boxes = ScratchAccess::boxes(scratch);
    AlignedArray<std::byte>& blocks = ScratchAccess::blocks(scratch);
    switch (state_result.plan.algorithm) {
        case PairAlgorithm::cells:
            return find_pairs_by_cells(sets.a, sets.b, cells, settings.runner, kernels.cells,
                                       cells_memory(scratch), state_writer, state_result);
        case PairAlgorithm::morton:
            return find_pairs_by_morton(sets.a, sets.b, settings.runner, kernels.leaves, boxes, blocks,
                                        state_writer, state_result);
        default:
            return find_pairs_by_scans(sets.a, sets.b, settings, kernels.scan, boxes, blocks, state_writer,
                                       state_result);
    }
}

// The movers against what rests, then among themselves.
Status find_pairs_of_movers(const Call& call, PairWriter& state_writer, FindPairsResult& state_result) {
    const auto& [sets, settings, kernels, scratch, first_count, second_count] = call;
    const BoxSoaView& boxes = sets.a;
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
                                            cells_memory(scratch), state_writer, state_result);
    if (status != Status::ok) return status;

    BROADSIDE_ZONE("movers/among themselves");
    PairBuffer& among = ScratchAccess::among_movers(scratch);
    PairWriter collector(among, nullptr);
    const BoxSoaView view = movers.boxes.view();
    FindPairsResult result_among;
    const FindPairsSettings settings_among = {.order = PairOrder::by_algorithm, .runner = settings.runner};
    const BoxSets movers_alone = {view, nullptr};
    CellPlan cells = {};
    choose_algorithm(movers_alone, settings_among, cells, result_among.plan);
    status = find_pairs_as_found({movers_alone, settings_among, kernels, scratch, view.count, view.count},
                                 cells, collector, result_among);
    if (status != Status::ok) return status;
    state_result.plan.tested_count += result_among.plan.tested_count;
    for (IndexPair& pair : std::span(among.data(), among.size())) {
        pair = {movers.boxes.ids[pair.first], movers.boxes.ids[pair.second]};
    }
    state_writer.set_filter(&filter);
    status = state_writer.write({among.data(), among.size()});
    state_writer.set_filter(nullptr);
    return status;
}

// Writes a complete list, whose end has been counted whether it fits or not.
Status write_counted(const PairBuffer& list, PairWriter& state_writer) {
    BROADSIDE_ZONE("find_pairs/write list");
    const Status status = state_writer.write_filtered(list);
    return status == Status::capacity_exceeded ? Status::ok : status;
}

// Finds the pairs, and writes the list in the order that was asked for.
Status fill_result(const Call& call, PairWriter& state_writer, FindPairsResult& state_result) {
    const auto& [sets, settings, kernels, scratch, first_count, second_count] = call;
    const bool is_cached = settings.cache != nullptr;
    if (is_cached) {
        PairCacheUpdate update(*settings.cache, sets.a, settings, kernels, scratch);
        Status status;
        if (update.begin(state_result, status)) {
            return status == Status::ok ? update.finish(state_writer, state_result) : status;
        }
    }
    const bool has_resting = settings.resting != nullptr;
    CellPlan cells = {};
    if (has_resting) {
        state_result.plan.algorithm = PairAlgorithm::cells;
        state_result.plan.box_count = sets.a.count;
    } else {
        choose_algorithm(sets, settings, cells, state_result.plan);
    }
    const auto find = [&](PairWriter& out_writer) {
        return has_resting ? find_pairs_of_movers(call, out_writer, state_result)
                           : find_pairs_as_found(call, cells, out_writer, state_result);
    };
    PairBuffer& collected = ScratchAccess::collected(scratch);
    // Brute force goes by rising index of the rows, and of the candidates in a row.
    if ((settings.order == PairOrder::by_algorithm && !is_cached) ||
        state_result.plan.algorithm == PairAlgorithm::brute_force) {
        return find(state_writer);
    }
    PairWriter collector(collected, state_writer.filter());
    const Status status = find(collector);
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
    BROADSIDE_ZONE("find_pairs");
    FindPairsResult result;
    result.status = Status::invalid_argument;
    if (!are_valid_sets(sets) || !are_valid_settings(sets, settings) || !is_valid_output(output))
        return result;
    const PairPosition& begin = settings.resume;
    const std::uint64_t key = pair_list_key(sets.a, sets.b, settings);
    result.status = Status::wrong_position;
    if (!is_valid_position(begin, key)) return result;
    result.status = Status::unsupported_isa;
    const std::optional<Kernels> kernels = active_kernels();
    if (!kernels) return result;

    ReachedBoxes reached;
    const PairBuffer* const kept = ScratchAccess::kept(scratch, begin.kept_list);
    const bool may_leave_out =
        kept == nullptr && sets.b == nullptr && settings.resting == nullptr && settings.cache == nullptr;
    const bool has_memory = !may_leave_out || reach_of_subset(sets.a, settings.filter.subset_bits,
                                                              ScratchAccess::reached(scratch), reached);
    const bool is_part = reached.indices != nullptr;
    const BoxSets part = {is_part ? reached.boxes : sets.a, sets.b};
    const PairFilter filter(settings.filter, sets.b != nullptr ? settings.filter_b : settings.filter,
                            reached.indices);
    PairWriter writer(output, &filter, begin);
    Status status = Status::out_of_memory;
    if (kept != nullptr) {
        result.next.kept_list = begin.kept_list;
        status = write_counted(*kept, writer);
    } else if (has_memory) {
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
    const FloatEnvironment environment;
    return broadphase::find_pairs_of({boxes, nullptr}, settings, scratch, out_pairs);
}

FindPairsResult find_pairs(const BoxSoaView& a, const BoxSoaView& b, const FindPairsSettings& settings,
                           FindPairsScratch& scratch, const PairOutput& out_pairs) noexcept {
    const FloatEnvironment environment;
    return broadphase::find_pairs_of({a, &b}, settings, scratch, out_pairs);
}

FindPairsResult find_pairs(const BoxSoaView& boxes, const FindPairsSettings& settings,
                           const PairOutput& out_pairs) noexcept {
    const FloatEnvironment environment;
    FindPairsScratch scratch;
    return find_pairs(boxes, settings, scratch, out_pairs);
}

FindPairsResult find_pairs(const BoxSoaView& a, const BoxSoaView& b, const FindPairsSettings& settings,
                           const PairOutput& out_pairs) noexcept {
    const FloatEnvironment environment;
    FindPairsScratch scratch;
    return find_pairs(a, b, settings, scratch, out_pairs);
}

}  // namespace broadside
