// Collects, sorts and gathers boxes.
#include "broadphase/src/sweep/box_list.hpp"
#include "core/src/zones.hpp"

#include <limits>

namespace broadside::broadphase {
namespace {

SweepView view_along(const BoxSoaView& boxes, int axis) {
    const float* const mins[3] = {boxes.min_x, boxes.min_y, boxes.min_z};
    const float* const maxs[3] = {boxes.max_x, boxes.max_y, boxes.max_z};
    const int next = (axis + 1) % 3;
    const int last = (axis + 2) % 3;
    return {mins[axis], maxs[axis], mins[next], maxs[next], mins[last], maxs[last]};
}

void write_pads(const BoxColumns& columns, std::size_t position) {
    for (float* column :
         {columns.min_s, columns.max_s, columns.min_u, columns.max_u, columns.min_v, columns.max_v}) {
        for (std::size_t pad = 0; pad < kPadCount; ++pad)
            column[position + pad] = std::numeric_limits<float>::quiet_NaN();
    }
    for (std::size_t pad = 0; pad < kPadCount; ++pad) columns.index[position + pad] = 0;
}

void count_invalid(std::size_t index, InvalidBoxes& state_invalid) {
    if (state_invalid.count++ == 0) state_invalid.first_index = index;
}

}  // namespace

BoxColumns take_columns(Arena& arena, std::size_t box_count) noexcept {
    const std::size_t capacity = padded_count(box_count);
    BoxColumns columns;
    columns.min_s = arena.reserve<float>(capacity);
    columns.max_s = arena.reserve<float>(capacity);
    columns.min_u = arena.reserve<float>(capacity);
    columns.max_u = arena.reserve<float>(capacity);
    columns.min_v = arena.reserve<float>(capacity);
    columns.max_v = arena.reserve<float>(capacity);
    columns.index = arena.reserve<std::int32_t>(capacity);
    return columns;
}

BoxList make_unsorted_list(const BoxSoaView& boxes, const BoxColumns& columns,
                           InvalidBoxes& out_invalid) noexcept {
    BROADSIDE_ZONE("scans/unsorted list");
    const SweepView view = view_along(boxes, 0);
    BoxList list = {columns, 0, 0};
    out_invalid = {};
    for (std::size_t index = 0; index < boxes.count; ++index) {
        if (is_valid(boxes[index])) {
            copy_box(view, index, columns, list.unsorted_count++);
        } else {
            count_invalid(index, out_invalid);
        }
    }
    write_pads(columns, list.unsorted_count);
    write_pads(columns, list.sorted_end());
    return list;
}

BoxList make_sorted_list(const BoxSoaView& boxes, const SweepChoice& choice, const BoxColumns& columns,
                         SortItem* items, SortItem* spare, InvalidBoxes& out_invalid) noexcept {
    BROADSIDE_ZONE("scans/sorted list");
    const SweepView view = view_along(boxes, choice.axis);
    BoxList list = {columns, 0, 0};
    out_invalid = {};
    for (std::size_t index = 0; index < boxes.count; ++index) {
        if (!is_valid(boxes[index])) {
            count_invalid(index, out_invalid);
        } else if (view.max_s[index] - view.min_s[index] > choice.size_max) {
            copy_box(view, index, columns, list.unsorted_count++);
        } else {
            items[list.sorted_count++] = {sort_key(view.min_s[index]), static_cast<std::uint32_t>(index)};
        }
    }
    const SortItem* sorted = radix_sort(items, spare, list.sorted_count);
    for (std::size_t i = 0; i < list.sorted_count; ++i) {
        copy_box(view, sorted[i].index, columns, list.sorted_begin() + i);
    }
    write_pads(columns, list.unsorted_count);
    write_pads(columns, list.sorted_end());
    return list;
}

void find_first_candidates(const BoxList& queries, const BoxList& candidates, TieRule tie_rule,
                           std::uint32_t* out_first_candidates) noexcept {
    BROADSIDE_ZONE("scans/first candidates");
    const float* const starts = candidates.columns.min_s;
    std::size_t position = candidates.sorted_begin();
    for (std::size_t row = queries.sorted_begin(); row < queries.sorted_end(); ++row) {
        const float start = queries.columns.min_s[row];
        // Both loops end at a pad at the latest.
        if (tie_rule == TieRule::equal_included) {
            while (starts[position] < start) ++position;
        } else {
            while (starts[position] <= start) ++position;
        }
        out_first_candidates[row] = static_cast<std::uint32_t>(position);
    }
}

}  // namespace broadside::broadphase
