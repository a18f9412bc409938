// find_pairs of boxes of any number: searches among rounded boxes, and tests exactly what floats leave open.
#include <broadside/float_environment.hpp>

#include "broadphase/src/exact/rounding.hpp"
#include "broadphase/src/find_pairs/search.hpp"
#include "broadphase/src/lists/arena.hpp"
#include "broadphase/src/lists/pair_writer.hpp"
#include "core/src/zones.hpp"

#include <broadside/run_tasks.hpp>

#include <algorithm>

namespace broadside {
namespace broadphase {
namespace {

// Number of sides on the missing axis of boxes with two axes, else 0. They are 0 and 1: no boxes touch.
template <class Number>
std::size_t flat_count(ExactSets<Number> sets) {
    return sets[0]->axis_count == 3 ? 0 : std::max(sets.front()->count, sets.back()->count);
}

template <class Number>
bool reserve(ExactSets<Number> sets, const AxisMaps<Number>& maps, AlignedArray<std::byte>& memory,
             RoundedArrays (&out_rounded)[2], Number* (&out_listed)[3]) {
    return reserve_arrays(memory, [&](Arena& arena) {
        // The sides on a missing axis, of both sets.
        float* const zeros = arena.reserve<float>(flat_count(sets));
        float* const ones = arena.reserve<float>(flat_count(sets));
        for (std::size_t set = 0; set < sets.size(); ++set) {
            RoundedArrays& arrays = out_rounded[set];
            const std::size_t count = sets[set]->count;
            for (std::uint32_t axis = 0; axis < 3; ++axis) {
                const bool is_there = axis < sets[0]->axis_count;
                arrays.min[axis] = is_there ? arena.reserve<float>(count) : zeros;
                arrays.max[axis] = is_there ? arena.reserve<float>(count) : ones;
            }
        }
        for (std::uint32_t axis = 0; axis < 3; ++axis) {
            if (maps.axes[axis].is_by_rank())
                out_listed[axis] = arena.reserve<Number>(listed_count_max(sets));
        }
    });
}

template <class Number>
bool check(ExactSets<Number> sets, const FindPairsSettings& settings) {
    return check_exact_boxes(*sets.front()) && check_exact_boxes(*sets.back()) &&
           check_axis_counts(sets.front()->axis_count, sets.back()->axis_count) &&
           check_runner(settings.runner);
}

template <class Number>
FindPairsResult find_exact_pairs(ExactSets<Number> sets, const FindPairsSettings& settings,
                                 BoxScratch::Pairs& scratch, const PairOutput& output) {
    if (!check(sets, settings)) return {Status::invalid_argument};
    AxisMaps<Number> maps;
    choose_maps(sets, maps);
    RoundedArrays rounded[2];
    Number* listed[3] = {};
    if (!reserve(sets, maps, scratch.rounded, rounded, listed)) {
        // Clears an array, as any search does.
        FindPairsResult result;
        PairWriter(output, nullptr).report(Status::out_of_memory, result);
        return result;
    }
    run_tasks(settings.runner, 3, [&](std::uint32_t axis) {
        BROADSIDE_ZONE("exact/list task");
        if (maps.axes[axis].is_by_rank()) list_numbers(sets, axis, listed[axis], maps.axes[axis]);
    });
    bool is_lossy = false;
    for (std::size_t set = 0; set < sets.size(); ++set) {
        is_lossy |= round_boxes(*sets[set], maps, settings.runner, rounded[set]);
    }
    if (const std::size_t count = flat_count(sets); count != 0) {
        std::fill_n(rounded[0].min[2], count, 0.0f);
        std::fill_n(rounded[0].max[2], count, 1.0f);
    }
    const ExactPairs<Number> exact = {*sets.front(), *sets.back()};
    const PairDecision decision = {&ExactPairs<Number>::keep, &exact};
    const BoxSoaView a = rounded[0].view(sets.front()->count);
    const BoxSoaView b = rounded[sets.size() - 1].view(sets.back()->count);
    return search_pairs({a, sets.size() == 2 ? &b : nullptr}, settings, is_lossy ? &decision : nullptr,
                        scratch, output);
}

}  // namespace
}  // namespace broadphase

template <BoxNumber Number>
FindPairsResult find_pairs(const ExactBoxView<Number>& boxes, const FindPairsSettings& settings,
                           BoxScratch& scratch, const PairOutput& out_pairs) noexcept {
    const FloatEnvironment environment;
    const ExactBoxView<Number>* const sets[] = {&boxes};
    return broadphase::find_exact_pairs<Number>(sets, settings, scratch.pairs, out_pairs);
}

template <BoxNumber Number>
FindPairsResult find_pairs(const ExactBoxView<Number>& a, const ExactBoxView<Number>& b,
                           const FindPairsSettings& settings, BoxScratch& scratch,
                           const PairOutput& out_pairs) noexcept {
    const FloatEnvironment environment;
    const ExactBoxView<Number>* const sets[] = {&a, &b};
    return broadphase::find_exact_pairs<Number>(sets, settings, scratch.pairs, out_pairs);
}

template <BoxNumber Number>
FindPairsResult find_pairs(const ExactBoxView<Number>& boxes, const FindPairsSettings& settings,
                           const PairOutput& out_pairs) noexcept {
    const FloatEnvironment environment;
    BoxScratch::Pairs scratch;
    const ExactBoxView<Number>* const sets[] = {&boxes};
    return broadphase::find_exact_pairs<Number>(sets, settings, scratch, out_pairs);
}

template <BoxNumber Number>
FindPairsResult find_pairs(const ExactBoxView<Number>& a, const ExactBoxView<Number>& b,
                           const FindPairsSettings& settings, const PairOutput& out_pairs) noexcept {
    const FloatEnvironment environment;
    BoxScratch::Pairs scratch;
    const ExactBoxView<Number>* const sets[] = {&a, &b};
    return broadphase::find_exact_pairs<Number>(sets, settings, scratch, out_pairs);
}

#define BROADSIDE_EXACT_PAIRS(Number)                                                                     \
    template FindPairsResult find_pairs<Number>(const ExactBoxView<Number>&, const FindPairsSettings&,    \
                                                BoxScratch&, const PairOutput&) noexcept;                 \
    template FindPairsResult find_pairs<Number>(const ExactBoxView<Number>&, const ExactBoxView<Number>&, \
                                                const FindPairsSettings&, BoxScratch&,                    \
                                                const PairOutput&) noexcept;                              \
    template FindPairsResult find_pairs<Number>(const ExactBoxView<Number>&, const FindPairsSettings&,    \
                                                const PairOutput&) noexcept;                              \
    template FindPairsResult find_pairs<Number>(const ExactBoxView<Number>&, const ExactBoxView<Number>&, \
                                                const FindPairsSettings&, const PairOutput&) noexcept;
BROADSIDE_EXACT_PAIRS(float)
BROADSIDE_EXACT_PAIRS(double)
BROADSIDE_EXACT_PAIRS(std::int32_t)
BROADSIDE_EXACT_PAIRS(std::int64_t)

}  // namespace broadside
