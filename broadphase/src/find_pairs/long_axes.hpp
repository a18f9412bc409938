// Boxes that are long on different axes, such as the beams of a frame. No order and no grid separates them all; but those
// that are long on the same axes are short on another one, and most often so are those of two such parts.
#pragma once

#include "broadphase/src/cells/survey.hpp"
#include "broadphase/src/lists/gathered_boxes.hpp"

#include <broadside/aligned_array.hpp>
#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

/// Most parts of a set of boxes: one for each set of axes.
inline constexpr std::size_t kBoxPartCountMax = 8;

/// How boxes are parted by the axes on which they are long: a guess from a sample.
struct LongAxes {
    /// A longer box is long on the axis.
    float extents_max[3] = {};
    /// The part of the boxes that are long on a set of axes: bit 0 for x, 1 for y, 2 for z. Sets of few boxes share
    /// part 0.
    std::uint8_t part_of_set[kBoxPartCountMax] = {};
    /// Parts with boxes of the sample. One is nothing to part.
    std::size_t part_count = 0;
    /// Share of all pairs that meet on the axis on which fewest of their two parts do.
    double met_share = 1;

    /// Any part for an invalid box.
    std::size_t part_of(float extent_x, float extent_y, float extent_z) const noexcept {
        return part_of_set[(extent_x > extents_max[0] ? 1u : 0u) | (extent_y > extents_max[1] ? 2u : 0u) |
                           (extent_z > extents_max[2] ? 4u : 0u)];
    }
};

/// O(sample): some boxes of it are compared.
LongAxes find_long_axes(const BoxSurvey& survey) noexcept;

/// The valid boxes of a set in each part, ascending, and the others.
struct BoxParts {
    GatheredBoxes parts[kBoxPartCountMax];
    InvalidBoxes invalid;
};

/// Parts the sets into `memory`, which gets 28 bytes a box. The ids are `indices[i]` for box `i` of set a, or `i` if that
/// is null, and always `i` in set b. Returns false if out of memory.
[[nodiscard]] bool part_boxes(const BoxSets& sets, const std::uint32_t* indices, const LongAxes& long_axes,
                              AlignedArray<std::byte>& memory, BoxParts& out_a, BoxParts& out_b) noexcept;

}  // namespace broadside::broadphase
