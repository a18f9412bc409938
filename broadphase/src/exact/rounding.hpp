// Boxes of floats that overlap whenever boxes of any number do, and the test whether they decide a pair.
#pragma once

#include "broadphase/src/exact/exact_view.hpp"

#include <broadside/aligned_array.hpp>

#include <cstring>
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

/// Ten bits of each side of a box, equal for equal sides: the min sides from bit 0 on, the max sides from bit
/// 32 on.
using Signature = std::uint64_t;

inline std::uint32_t side_bits(float side) noexcept {
    std::uint32_t bits;
    std::memcpy(&bits, &side, sizeof bits);
    return (bits ^ bits >> 10 ^ bits >> 21) & 0x3FF;
}

/// Whether a min side of one box may equal the max side of the other, on an axis whose bits are not in
/// `decided`. Uses the usual test for a zero among fields, here of ten bits.
inline bool may_touch(Signature a, Signature b, Signature decided) noexcept {
    constexpr Signature kOnes = 0x00100401'00100401u;
    constexpr Signature kHighs = 0x20080200'20080200u;
    const Signature differences = (a ^ (b << 32 | b >> 32)) | decided;
    return ((differences - kOnes) & ~differences & kHighs) != 0;
}

/// Output for boxes of floats: arrays with an entry for each box.
struct RoundedArrays {
    float* min[3] = {};
    float* max[3] = {};
    /// Null if they are not needed.
    Signature* signatures = nullptr;

    BoxSoaView view(std::size_t count) const noexcept {
        return {min[0], min[1], min[2], max[0], max[1], max[2], count};
    }
};

/// Axes whose floats leave pairs undecided, a bit for each.
using LossyAxes = std::uint32_t;

/// The bits of a signature that belong to axes that floats decide.
inline Signature decided_bits(LossyAxes lossy) noexcept {
    Signature bits = 0;
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
        if ((lossy >> axis & 1) == 0) bits |= Signature{0x3FF'000003FFu} << (10 * axis);
    }
    return bits;
}

/// Writes the boxes as floats; invalid ones stay invalid. The arrays of a missing axis are not touched.
template <class Number>
LossyAxes round_boxes(const ExactBoxView<Number>& boxes, const AxisMaps<Number>& maps,
                      const TaskRunner* runner, const RoundedArrays& out_arrays) noexcept;

/// Rounds one of them; a missing axis is zero.
template <class Number>
Aabb rounded_box(const ExactBoxView<Number>& boxes, std::size_t index, const AxisMaps<Number>& maps,
                 LossyAxes& state_lossy) noexcept {
    if (!is_valid_box(boxes, index)) return Aabb::empty();
    float min[3] = {};
    float max[3] = {};
    for (std::uint32_t axis = 0; axis < boxes.axis_count; ++axis) {
        bool is_lossy = false;
        min[axis] = maps.axes[axis].at(min_side(boxes, axis)[index * boxes.stride], is_lossy);
        max[axis] = maps.axes[axis].at(max_side(boxes, axis)[index * boxes.stride], is_lossy);
        state_lossy |= LossyAxes{is_lossy} << axis;
    }
    return {{min[0], min[1], min[2]}, {max[0], max[1], max[2]}};
}

}  // namespace broadside::broadphase
