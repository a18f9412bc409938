// Checks of arguments that several rooms share: boxes, filters, orders and outputs of pairs.
#pragma once

#include "core/src/argument.hpp"
#include "core/src/list_writer.hpp"

#include <broadside/bits.hpp>
#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

/// Checks boxes that are to be searched or sorted.
inline bool check_boxes(const BoxSoaView& boxes) noexcept {
    return check_readable(boxes) &&
           BROADSIDE_ARGUMENT(boxes.count <= kMaxBoxCount, "boxes: more than kMaxBoxCount");
}

/// Checks a filter of a set of `box_count` boxes.
inline bool check_filter(const BoxFilter& filter, std::size_t box_count) noexcept {
    const auto fits = [](std::size_t size, std::size_t wanted) { return size == 0 || size == wanted; };
    return check_readable(filter.categories, filter.masks, filter.groups, filter.subset_bits, filter.ids) &&
           BROADSIDE_ARGUMENT(fits(filter.categories.size(), box_count),
                              "filter: categories are neither none nor one per box") &&
           BROADSIDE_ARGUMENT(fits(filter.masks.size(), box_count),
                              "filter: masks are neither none nor one per box") &&
           BROADSIDE_ARGUMENT(fits(filter.groups.size(), box_count),
                              "filter: groups are neither none nor one per box") &&
           BROADSIDE_ARGUMENT(fits(filter.subset_bits.size(), bit_word_count(box_count)),
                              "filter: subset_bits are neither none nor bit_word_count words") &&
           BROADSIDE_ARGUMENT(filter.ids.empty() ||
                                  (filter.ids_per_box != 0 && filter.ids.size() % filter.ids_per_box == 0 &&
                                   filter.ids.size() / filter.ids_per_box == box_count),
                              "filter: ids are neither none nor ids_per_box per box");
}

inline bool check_order(PairOrder order) noexcept {
    return BROADSIDE_ARGUMENT(order <= PairOrder::by_algorithm, "order: no enumerator");
}

}  // namespace broadside::broadphase
