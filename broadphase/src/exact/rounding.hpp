// Boxes of floats that overlap whenever boxes of any number do, and the test whether they decide a pair.
#pragma once

#include "broadphase/src/exact/exact_view.hpp"

#include <broadside/aligned_array.hpp>

#include <span>

namespace broadside::broadphase {

template <class Number>
struct AxisMaps {
    AxisMap<Number> axes[3];
};

/// The one or two sets of boxes of a call.
template <class Number>
using ExactSets = std::span<const ExactBoxView<Number>* const>;

/// Chooses the map of each axis by a sample of all sets. If numbers must be listed, `listed` is not null but
/// has no numbers yet: list_numbers fills it.
template <class Number>
void choose_maps(ExactSets<Number> sets, AxisMaps<Number>& out_maps) noexcept;

/// Most numbers that an axis can list, two for each box of the sets.
template <class Number>
std::size_t listed_count_max(ExactSets<Number> sets) noexcept {
    std::size_t count = 0;
    for (const ExactBoxView<Number>* set : sets) count += 2 * set->count;
    return count;
}

/// Lists the numbers of an axis that is mapped by rank in `out_numbers`, which has room for listed_count_max.
template <class Number>
void list_numbers(ExactSets<Number> sets, std::uint32_t axis, Number* out_numbers,
                  AxisMap<Number>& out_map) noexcept;

/// Output for boxes of floats: arrays with an entry for each box.
struct RoundedArrays {
    float* min[3] = {};
    float* max[3] = {};

    BoxSoaView view(std::size_t count) const noexcept {
        return {min[0], min[1], min[2], max[0], max[1], max[2], count};
    }
};

/// Writes the boxes as floats; invalid ones stay invalid. The arrays of a missing axis are not touched, and
/// none is without an active ISA. Returns whether floats leave pairs undecided.
template <class Number>
bool round_boxes(const ExactBoxView<Number>& boxes, const AxisMaps<Number>& maps, const TaskRunner* runner,
                 const RoundedArrays& out_arrays) noexcept;

/// Rounds one of them; a missing axis is zero.
template <class Number>
Aabb rounded_box(const ExactBoxView<Number>& boxes, std::size_t index, const AxisMaps<Number>& maps,
                 bool& state_is_lossy) noexcept {
    if (!is_valid_box(boxes, index)) return Aabb::empty();
    float min[3] = {};
    float max[3] = {};
    for (std::uint32_t axis = 0; axis < boxes.axis_count; ++axis) {
        min[axis] = maps.axes[axis].at(min_side(boxes, axis)[index * boxes.stride], state_is_lossy);
        max[axis] = maps.axes[axis].at(max_side(boxes, axis)[index * boxes.stride], state_is_lossy);
    }
    return {{min[0], min[1], min[2]}, {max[0], max[1], max[2]}};
}

}  // namespace broadside::broadphase
