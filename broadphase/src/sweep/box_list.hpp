// The valid boxes of one set as a scan reads them: copied into columns and sorted along the sweep axis.
#pragma once

#include "broadphase/src/lists/arena.hpp"
#include "broadphase/src/lists/radix_sort.hpp"
#include "broadphase/src/sweep/axis_choice.hpp"
#include "broadphase/src/sweep/row_scan_scalar.hpp"

namespace broadside::broadphase {

/// Two runs, each followed by kPadCount pads: boxes that are tested against everything, in the order of their
/// index, and boxes sorted by min_s, those with equal min_s by index.
struct BoxList {
    BoxColumns columns;
    std::size_t unsorted_count;
    std::size_t sorted_count;

    std::size_t count() const { return unsorted_count + sorted_count; }
    std::size_t sorted_begin() const { return unsorted_count + kPadCount; }
    std::size_t sorted_end() const { return sorted_begin() + sorted_count; }
    /// End of the whole list; the pads between the runs lie before it.
    std::size_t end() const { return sorted_count != 0 ? sorted_end() : unsorted_count; }
};

/// The arrays of a view, in the order of the columns.
struct SweepView {
    const float* min_s;
    const float* max_s;
    const float* min_u;
    const float* max_u;
    const float* min_v;
    const float* max_v;
};

/// Copies box `index` of the view to a position of the columns.
inline void copy_box(const SweepView& boxes, std::size_t index, const BoxColumns& columns,
                     std::size_t position) {
    columns.min_s[position] = boxes.min_s[index];
    columns.max_s[position] = boxes.max_s[index];
    columns.min_u[position] = boxes.min_u[index];
    columns.max_u[position] = boxes.max_u[index];
    columns.min_v[position] = boxes.min_v[index];
    columns.max_v[position] = boxes.max_v[index];
    columns.index[position] = static_cast<std::int32_t>(index);
}

/// Entries of a list of `box_count` boxes, pads included.
constexpr std::size_t padded_count(std::size_t box_count) { return box_count + 2 * kPadCount; }

/// Reserves columns for `box_count` boxes.
BoxColumns take_columns(Arena& arena, std::size_t box_count) noexcept;

/// Copies all valid boxes to the first run. `columns` is of the size of the set.
BoxList make_unsorted_list(const BoxSoaView& boxes, const BoxColumns& columns,
                           InvalidBoxes& out_invalid) noexcept;

/// Copies boxes longer than the choice allows to the first run, and the others, sorted, to the second.
/// `items` and `spare` hold `boxes.count` items each.
BoxList make_sorted_list(const BoxSoaView& boxes, const SweepChoice& choice, const BoxColumns& columns,
                         SortItem* items, SortItem* spare, InvalidBoxes& out_invalid) noexcept;

enum class TieRule : std::uint8_t {
    /// A candidate that begins at the same coordinate as the query belongs to the query's row.
    equal_included,
    /// It does not; the pair is found in the candidate's own row.
    equal_excluded,
};

/// Finds for every sorted box of `queries` the position of the first sorted box of `candidates` that does not
/// begin before it. `out_first_candidates` has padded_count of the queries' set. O(queries + candidates).
void find_first_candidates(const BoxList& queries, const BoxList& candidates, TieRule tie_rule,
                           std::uint32_t* out_first_candidates) noexcept;

}  // namespace broadside::broadphase
