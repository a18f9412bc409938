// find_pairs, from the arguments to the list.
#include <broadside/find_pairs.hpp>
#include <broadside/float_environment.hpp>

#include "broadphase/src/cells/find_pairs_by_cells.hpp"
#include "broadphase/src/find_pairs/arguments.hpp"
#include "broadphase/src/find_pairs/choice.hpp"
#include "broadphase/src/find_pairs/long_axes.hpp"
#include "broadphase/src/find_pairs/search.hpp"
#include "broadphase/src/find_pairs/shadow.hpp"
#include "broadphase/src/find_pairs/subset_reach.hpp"
#include "broadphase/src/lists/canonical_order.hpp"
#include "broadphase/src/lists/pair_filter.hpp"
#include "broadphase/src/sweep/find_pairs_by_scans.hpp"
#include "core/src/zones.hpp"

namespace broadside {
namespace broadphase {
namespace {

// Upper bounds of the caller's indices in a pair, whichever boxes take part.
struct IndexBounds {
    std::size_t first;
    std::size_t second;
};

// Finds the pairs of all boxes at once.
Status find_at_once(const BoxSets& sets, const FindPairsSettings& settings, const CellPlan& cells,
                    BoxScratch::Pairs& scratch, PairWriter& state_writer, FindPairsResult& state_result) {
    return state_result.plan.algorithm == PairAlgorithm::cells
               ? find_pairs_by_cells(sets, cells, settings.runner, scratch, state_writer, state_result)
               : find_pairs_by_scans(sets, settings, scratch, state_writer, state_result);
}

// Finds the pairs of each two parts of the boxes, each with the algorithm that suits it.
Status find_in_parts(const BoxSets& sets, const FindPairsSettings& settings, const LongAxes& long_axes,
                     BoxScratch::Pairs& scratch, PairWriter& state_writer, FindPairsResult& state_result) {
    const PairFilter* const outer_filter = state_writer.filter();
    PairFilter filter = outer_filter != nullptr ? *outer_filter : PairFilter(BoxFilter{}, BoxFilter{});
    BoxParts parts_a;
    BoxParts parts_b;
    if (!part_boxes(sets, filter.indices(), long_axes, scratch.parted, parts_a, parts_b)) {
        return Status::out_of_memory;
    }
    state_result.invalid = parts_a.invalid;
    state_result.invalid_b = parts_b.invalid;
    Status status = Status::ok;
    const auto find = [&](const GatheredBoxes& a, const GatheredBoxes& b, bool is_one) {
        const BoxSoaView boxes_a = a.view();
        const BoxSoaView boxes_b = b.view();
        if (status != Status::ok || a.count == 0 || b.count == 0) return;
        const BoxSets part = {boxes_a, is_one ? nullptr : &boxes_b};
        filter.rename(a.ids, b.ids, sets.is_one());
        state_writer.set_filter(&filter);
        FindPairsResult result;
        const PairChoice choice = choose_algorithm(part, settings, false, result.plan);
        status = find_at_once(part, settings, choice.cells, scratch, state_writer, result);
        state_result.plan.tested_count += result.plan.tested_count;
    };
    for (std::size_t i = 0; i < kBoxPartCountMax; ++i) {
        const GatheredBoxes& a = parts_a.parts[i];
        if (sets.is_one()) find(a, a, true);
        for (std::size_t j = sets.is_one() ? i + 1 : 0; j < kBoxPartCountMax; ++j)
            find(a, sets.is_one() ? parts_a.parts[j] : parts_b.parts[j], false);
    }
    state_writer.set_filter(outer_filter);
    return status;
}

// Finds the pairs by the best algorithm, and writes the list in the requested order.
Status write_pairs(const BoxSets& sets, const FindPairsSettings& settings, const IndexBounds& bounds,
                   BoxScratch::Pairs& scratch, PairWriter& state_writer, FindPairsResult& state_result) {
    // Each two parts are short on an axis of their own; one that the caller names suits few of them.
    const bool may_part = settings.sweep_axis == SweepAxis::automatic;
    const PairChoice choice = choose_algorithm(sets, settings, may_part, state_result.plan);
    const FindPairsPlan& plan = state_result.plan;
    const auto find = [&](PairWriter& writer) {
        return plan.part_count != 0
                   ? find_in_parts(sets, settings, choice.long_axes, scratch, writer, state_result)
                   : find_at_once(sets, settings, choice.cells, scratch, writer, state_result);
    };
    // Brute force goes by ascending index of the rows, and of the candidates in a row.
    const bool is_ascending = plan.algorithm == PairAlgorithm::brute_force && plan.part_count == 0;
    if (settings.order == PairOrder::by_algorithm || is_ascending) return find(state_writer);
    return find_sorted(bounds.first, bounds.second, settings.runner, scratch.collected, scratch.order,
                       state_writer, find);
}

}  // namespace

FindPairsResult search_pairs(const BoxSets& sets, const FindPairsSettings& settings,
                             const PairDecision* decision, BoxScratch::Pairs& scratch,
                             const PairOutput& output) noexcept {
    BROADSIDE_ZONE("find_pairs");
    FindPairsResult result;
    result.status = check_arguments(sets, settings, output);
    if (result.status != Status::ok) return result;

    ReachedBoxes reached;
    const bool has_memory =
        !sets.is_one() || reach_of_subset(sets.a, settings.filter.subset_bits, scratch.reached, reached);
    const bool is_part = reached.indices != nullptr;
    PairFilter filter(settings.filter, sets.is_one() ? settings.filter : settings.filter_b, reached.indices);
    filter.decide_by(decision);
    PairWriter writer(output, &filter);
    Status status = Status::out_of_memory;
    if (has_memory) {
        const BoxSets part = {is_part ? reached.boxes : sets.a, sets.b};
        status = write_pairs(part, settings, {sets.a.count, sets.second().count}, scratch, writer, result);
    }
    if (is_part) {
        result.invalid = reached.invalid;
        result.plan.left_out_count = sets.a.count - reached.boxes.count - reached.invalid.count;
    }
    writer.report(status, result);
    result.plan.memory_bytes = scratch.capacity_bytes();
    if (decision == nullptr) verify_pairs(sets, settings, output, result);
    return result;
}

}  // namespace broadphase

FindPairsResult find_pairs(const BoxSoaView& boxes, const FindPairsSettings& settings, BoxScratch& scratch,
                           const PairOutput& out_pairs) noexcept {
    const FloatEnvironment environment;
    return broadphase::search_pairs({boxes}, settings, nullptr, scratch.pairs, out_pairs);
}

FindPairsResult find_pairs(const BoxSoaView& a, const BoxSoaView& b, const FindPairsSettings& settings,
                           BoxScratch& scratch, const PairOutput& out_pairs) noexcept {
    const FloatEnvironment environment;
    return broadphase::search_pairs({a, &b}, settings, nullptr, scratch.pairs, out_pairs);
}

FindPairsResult find_pairs(const BoxSoaView& boxes, const FindPairsSettings& settings,
                           const PairOutput& out_pairs) noexcept {
    const FloatEnvironment environment;
    BoxScratch::Pairs scratch;
    return broadphase::search_pairs({boxes}, settings, nullptr, scratch, out_pairs);
}

FindPairsResult find_pairs(const BoxSoaView& a, const BoxSoaView& b, const FindPairsSettings& settings,
                           const PairOutput& out_pairs) noexcept {
    const FloatEnvironment environment;
    BoxScratch::Pairs scratch;
    return broadphase::search_pairs({a, &b}, settings, nullptr, scratch, out_pairs);
}

}  // namespace broadside
