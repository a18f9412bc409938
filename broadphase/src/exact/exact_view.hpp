// Shared by the pairs and the tree of boxes of any number: their sides, whether they are valid, and whether
// two overlap. The specification of exact_boxes.hpp.
#pragma once

#include "broadphase/src/exact/axis_map.hpp"
#include "broadphase/src/lists/pair_filter.hpp"
#include "core/src/argument.hpp"

#include <broadside/exact_boxes.hpp>

#include <limits>

namespace broadside::broadphase {

/// Sides in the order of a row: the min ones and the max ones of three axes.
template <class Number>
const Number* min_side(const ExactBoxView<Number>& boxes, std::uint32_t axis) noexcept {
    return axis == 0 ? boxes.min_x : axis == 1 ? boxes.min_y : boxes.min_z;
}
template <class Number>
const Number* max_side(const ExactBoxView<Number>& boxes, std::uint32_t axis) noexcept {
    return axis == 0 ? boxes.max_x : axis == 1 ? boxes.max_y : boxes.max_z;
}

/// One axis of the rule of `is_valid`.
template <class Number>
bool is_valid_side(Number min, Number max) noexcept {
    return min <= max && min <= std::numeric_limits<Number>::max() &&
           max >= std::numeric_limits<Number>::lowest();
}

template <class Number>
bool is_valid_box(const ExactBoxView<Number>& boxes, std::size_t index) noexcept {
    for (std::uint32_t axis = 0; axis < boxes.axis_count; ++axis) {
        const std::size_t at = index * boxes.stride;
        if (!is_valid_side(min_side(boxes, axis)[at], max_side(boxes, axis)[at])) return false;
    }
    return true;
}

/// The rule of `overlap` for valid boxes.
template <class Number>
bool exact_overlap(const ExactBoxView<Number>& a, std::size_t index_a, const ExactBoxView<Number>& b,
                   std::size_t index_b) noexcept {
    const std::size_t at_a = index_a * a.stride;
    const std::size_t at_b = index_b * b.stride;
    bool does = a.min_x[at_a] <= b.max_x[at_b] && b.min_x[at_b] <= a.max_x[at_a] &&  //
                a.min_y[at_a] <= b.max_y[at_b] && b.min_y[at_b] <= a.max_y[at_a];
    if (a.axis_count == 3) does = does && a.min_z[at_a] <= b.max_z[at_b] && b.min_z[at_b] <= a.max_z[at_a];
    return does;
}

/// A PairDecision by the numbers themselves.
template <class Number>
struct ExactPairs {
    const ExactBoxView<Number>& a;
    const ExactBoxView<Number>& b;

    static std::size_t keep(const void* user, const IndexPair* pairs, std::size_t count,
                            IndexPair* out_pairs) noexcept {
        const ExactPairs self = *static_cast<const ExactPairs*>(user);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t first = pairs[i].first & ~kTouchMark;
            const std::uint32_t second = pairs[i].second;
            const bool is_open = first != pairs[i].first;
            out_pairs[kept].first = first;
            out_pairs[kept].second = second;
            kept += !is_open || exact_overlap(self.a, first, self.b, second) ? 1u : 0u;
        }
        return kept;
    }
};

template <class Number>
bool check_exact_boxes(const ExactBoxView<Number>& boxes) noexcept {
    return check_readable(boxes) &&
           BROADSIDE_ARGUMENT(boxes.count <= kMaxBoxCount, "boxes: more of them than kMaxBoxCount");
}
inline bool check_axis_counts(std::uint32_t a, std::uint32_t b) noexcept {
    return BROADSIDE_ARGUMENT(a == b, "axis_count: not that of the other boxes");
}

}  // namespace broadside::broadphase
