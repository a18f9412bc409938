// All overlapping pairs of boxes of other numbers than float, or with two axes, by the original numbers.
#pragma once

#include <broadside/exact_box_view.hpp>
#include <broadside/export.hpp>
#include <broadside/find_pairs.hpp>

namespace BROADSIDE_API broadside {

/// Finds all pairs i < j of boxes that overlap: closed intervals of valid boxes, compared exactly as the
/// numbers that they are, none of which is ever rounded in a decision. Settings, outputs, order, results and
/// promises are those of find_pairs of floats; the plan is that of the search among the rounded boxes.
///
/// How: an ascending function maps each axis to floats, so the overlapping boxes are among those that overlap
/// as floats; if two compared floats are equal, the numbers themselves are compared. The function subtracts
/// an offset common to all boxes if that separates what floats do not, for example 10^15 far from the origin;
/// else one offset for each of up to 64 clusters. If a sample says that this does not help either (numbers of
/// all sizes), it counts the different numbers below. That is never wrong and never slow to search, but with
/// the sorting a call takes five to twenty times as long. Faces that touch exactly in numbers that are no
/// floats, for example a grid with steps of 0.1, are compared again one by one.
///
/// Memory beyond that of find_pairs: 24 bytes a box with three or two axes; two numbers a box more for each
/// axis whose numbers are counted. The allocator is not called once scratch and output have grown to their
/// size. Also invalid_argument for an unreadable view, an axis_count that is neither 2 nor 3, a stride of
/// zero, and sets of different axis_count.
template <BoxNumber Number>
FindPairsResult find_pairs(const ExactBoxView<Number>& boxes, const FindPairsSettings& settings,
                           BoxScratch& scratch, const PairOutput& out_pairs) noexcept;

/// Finds all pairs (i, j) of a box of `a` and one of `b` that overlap. Otherwise as above.
template <BoxNumber Number>
FindPairsResult find_pairs(const ExactBoxView<Number>& a, const ExactBoxView<Number>& b,
                           const FindPairsSettings& settings, BoxScratch& scratch,
                           const PairOutput& out_pairs) noexcept;

/// As above, with memory that is allocated for the one call.
template <BoxNumber Number>
FindPairsResult find_pairs(const ExactBoxView<Number>& boxes, const FindPairsSettings& settings,
                           const PairOutput& out_pairs) noexcept;
template <BoxNumber Number>
FindPairsResult find_pairs(const ExactBoxView<Number>& a, const ExactBoxView<Number>& b,
                           const FindPairsSettings& settings, const PairOutput& out_pairs) noexcept;

/// As above, with default settings.
template <BoxNumber Number>
FindPairsResult find_pairs(const ExactBoxView<Number>& boxes, const PairOutput& out_pairs) noexcept {
    return find_pairs(boxes, FindPairsSettings{}, out_pairs);
}
template <BoxNumber Number>
FindPairsResult find_pairs(const ExactBoxView<Number>& a, const ExactBoxView<Number>& b,
                           const PairOutput& out_pairs) noexcept {
    return find_pairs(a, b, FindPairsSettings{}, out_pairs);
}

#define BROADSIDE_EXACT_PAIRS(Number)                                                                    \
    extern template FindPairsResult find_pairs<Number>(                                                  \
        const ExactBoxView<Number>&, const FindPairsSettings&, BoxScratch&, const PairOutput&) noexcept; \
    extern template FindPairsResult find_pairs<Number>(                                                  \
        const ExactBoxView<Number>&, const ExactBoxView<Number>&, const FindPairsSettings&, BoxScratch&, \
        const PairOutput&) noexcept;                                                                     \
    extern template FindPairsResult find_pairs<Number>(                                                  \
        const ExactBoxView<Number>&, const FindPairsSettings&, const PairOutput&) noexcept;              \
    extern template FindPairsResult find_pairs<Number>(                                                  \
        const ExactBoxView<Number>&, const ExactBoxView<Number>&, const FindPairsSettings&,              \
        const PairOutput&) noexcept;
BROADSIDE_EXACT_PAIRS(float)
BROADSIDE_EXACT_PAIRS(double)
BROADSIDE_EXACT_PAIRS(std::int32_t)
BROADSIDE_EXACT_PAIRS(std::int64_t)
#undef BROADSIDE_EXACT_PAIRS

}  // namespace broadside
