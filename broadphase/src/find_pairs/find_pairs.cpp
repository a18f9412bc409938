// find_pairs, from the arguments to the list.
#include <broadside/find_pairs.hpp>
#include <broadside/float_environment.hpp>

#include "broadphase/src/cells/find_pairs_by_cells.hpp"
#include "broadphase/src/find_pairs/arguments.hpp"
#include "broadphase/src/find_pairs/choice.hpp"
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

// Finds the pairs by the best algorithm, and writes the list in the requested order.
Status write_pairs(const BoxSets& sets, const FindPairsSettings& settings, const IndexBounds& bounds,
                   BoxScratch::Pairs& scratch, PairWriter& state_writer, FindPairsResult& state_result) {
    const CellPlan cells = choose_algorithm(sets, settings, state_result.plan);
    const PairAlgorithm algorithm = state_result.plan.algorithm;
    const auto find = [&](PairWriter& writer) {
        return algorithm == PairAlgorithm::cells
                   ? find_pairs_by_cells(sets, cells, settings.runner, scratch, writer, state_result)
                   : find_pairs_by_scans(sets, settings, scratch, writer, state_result);
    };
    // Brute force goes by ascending index of the rows, and of the candidates in a row.
    if (settings.order == PairOrder::by_algorithm || algorithm == PairAlgorithm::brute_force) {
        return find(state_writer);
    }
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
