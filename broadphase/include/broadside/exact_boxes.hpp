// Boxes of other numbers than float, and boxes with two axes: how they come in, and all their overlapping pairs,
// decided on the numbers as they are given.
#pragma once

#include <broadside/export.hpp>
#include <broadside/find_pairs.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace BROADSIDE_API broadside {

/// What corners may be made of. Of float the views below are for boxes with two axes or in rows.
template <class Number>
concept BoxNumber = std::same_as<Number, float> || std::same_as<Number, double> ||
    std::same_as<Number, std::int32_t> || std::same_as<Number, std::int64_t>;

/// `count` boxes that the caller owns and keeps alive for the call: an array for each side. As with
/// BoxSoaView no alignment is asked for and the arrays may alias each other; a point has the same arrays for
/// both corners.
///
/// A box is valid by the rule of `is_valid`, asked of its own numbers: min <= max on every axis, in floating
/// point neither corner NaN, min below +infinity and max above -infinity.
template <BoxNumber Number>
struct ExactBoxView {
    const Number* min_x = nullptr;
    const Number* min_y = nullptr;
    /// Not read where there are two axes.
    const Number* min_z = nullptr;
    const Number* max_x = nullptr;
    const Number* max_y = nullptr;
    /// Not read where there are two axes.
    const Number* max_z = nullptr;
    std::size_t count = 0;
    /// Numbers from that of one box to that of the next in each array. Default 1: columns.
    std::size_t stride = 1;
    /// 3, the default, or 2: x and y only.
    std::uint32_t axis_count = 3;

    /// Boxes in rows: min x y z max x y z, or min x y max x y, one row after the other.
    static ExactBoxView rows(const Number* numbers, std::size_t count, std::uint32_t axis_count) noexcept {
        const std::size_t axes = axis_count;
        if (count == 0 || numbers == nullptr) {
            return {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, count, 2 * axes, axis_count};
        }
        const Number* const max = numbers + axes;
        const bool has_z = axis_count == 3;
        return {numbers, numbers + 1, has_z ? numbers + 2 : nullptr,
                max,     max + 1,     has_z ? max + 2 : nullptr,
                count,   2 * axes,    axis_count};
    }
    /// False when boxes are announced that a null pointer cannot deliver.
    bool is_readable() const noexcept {
        return count == 0 || (min_x != nullptr && min_y != nullptr && max_x != nullptr && max_y != nullptr &&
                              (axis_count == 2 || (min_z != nullptr && max_z != nullptr)));
    }
};

/// The working memory of find_pairs of such boxes: see FindPairsScratch, which it holds.
struct ExactPairsScratch {
    explicit ExactPairsScratch(const Allocator& allocator = default_allocator()) noexcept
        : search(allocator), rounded(allocator) {}

    std::size_t capacity_bytes() const noexcept { return search.capacity_bytes() + rounded.capacity_bytes(); }
    /// Gives all memory back.
    void release() noexcept {
        search.release();
        rounded.release();
    }

    /// What find_pairs of floats works in.
    FindPairsScratch search;
    /// The boxes as floats; to a caller it means nothing.
    AlignedArray<std::byte> rounded;
};

/// All pairs i < j of boxes that overlap: closed intervals between valid boxes, compared as the numbers that
/// they are, none of which is ever rounded in a decision. Settings, outputs, order, answers and promises are
/// those of find_pairs of floats; the plan is that of the search among the rounded boxes.
///
/// How: each axis is mapped to floats by a function that ascends, so the overlapping boxes are among those that
/// overlap as floats; where two floats that were compared are equal, the numbers themselves are compared. The
/// function takes off an offset common to all boxes where that keeps apart what floats do not, as 10^15 far
/// from the origin; else one offset for each of up to 64 clusters, and where a sample says that this does not
/// help either (numbers of all sizes), it counts the different numbers below. That is never wrong and never slow
/// to search, but with the sorting a call takes five to twenty times as long. Faces that touch exactly in numbers
/// that are no floats, a grid with steps of 0.1 for example, are compared again one by one.
///
/// Memory beyond that of find_pairs: 32 bytes a box with three or two axes; for each axis whose numbers are
/// counted two numbers a box more. The allocator is not called once scratch and output have grown to their
/// size. invalid_argument besides for a view that is unreadable, an axis_count that is neither 2 nor 3, a
/// stride of zero, and sets of different axis_count.
template <BoxNumber Number>
FindPairsResult find_pairs(const ExactBoxView<Number>& boxes, const FindPairsSettings& settings,
                           ExactPairsScratch& scratch, const PairOutput& out_pairs) noexcept;

/// All pairs (i, j) of a box of `a` and one of `b` that overlap. As above otherwise.
template <BoxNumber Number>
FindPairsResult find_pairs(const ExactBoxView<Number>& a, const ExactBoxView<Number>& b,
                           const FindPairsSettings& settings, ExactPairsScratch& scratch,
                           const PairOutput& out_pairs) noexcept;

/// As above with memory that is allocated for the one call.
template <BoxNumber Number>
FindPairsResult find_pairs(const ExactBoxView<Number>& boxes, const FindPairsSettings& settings,
                           const PairOutput& out_pairs) noexcept {
    ExactPairsScratch scratch;
    return find_pairs(boxes, settings, scratch, out_pairs);
}
template <BoxNumber Number>
FindPairsResult find_pairs(const ExactBoxView<Number>& a, const ExactBoxView<Number>& b,
                           const FindPairsSettings& settings, const PairOutput& out_pairs) noexcept {
    ExactPairsScratch scratch;
    return find_pairs(a, b, settings, scratch, out_pairs);
}

/// As above with default settings.
template <BoxNumber Number>
FindPairsResult find_pairs(const ExactBoxView<Number>& boxes, const PairOutput& out_pairs) noexcept {
    return find_pairs(boxes, FindPairsSettings{}, out_pairs);
}
template <BoxNumber Number>
FindPairsResult find_pairs(const ExactBoxView<Number>& a, const ExactBoxView<Number>& b,
                           const PairOutput& out_pairs) noexcept {
    return find_pairs(a, b, FindPairsSettings{}, out_pairs);
}

#define BROADSIDE_EXACT_PAIRS(Number)                                                                \
    extern template FindPairsResult find_pairs<Number>(const ExactBoxView<Number>&,                  \
                                                       const FindPairsSettings&, ExactPairsScratch&, \
                                                       const PairOutput&) noexcept;                  \
    extern template FindPairsResult find_pairs<Number>(                                              \
        const ExactBoxView<Number>&, const ExactBoxView<Number>&, const FindPairsSettings&,          \
        ExactPairsScratch&, const PairOutput&) noexcept;
BROADSIDE_EXACT_PAIRS(float)
BROADSIDE_EXACT_PAIRS(double)
BROADSIDE_EXACT_PAIRS(std::int32_t)
BROADSIDE_EXACT_PAIRS(std::int64_t)
#undef BROADSIDE_EXACT_PAIRS

}  // namespace broadside
