// Columns of doubles as columns of floats, rounded outwards: round_outwards over many boxes, in loops that compilers make
// wide.
#pragma once

#include <broadside/exact_box_view.hpp>
#include <broadside/round_outwards.hpp>

#include <cstddef>

namespace broadside {

template <float (*round)(double) noexcept>
void round_column(const double* __restrict numbers, std::size_t stride, std::size_t count,
                  float* __restrict out_numbers) {
    if (stride == 1) {
        for (std::size_t i = 0; i < count; ++i) out_numbers[i] = round(numbers[i]);
    } else {
        for (std::size_t i = 0; i < count; ++i) out_numbers[i] = round(numbers[i * stride]);
    }
}

/// `count` boxes from `begin` on, to the beginning of six columns: those of round_outwards, whose third axis is zero where
/// there are two.
inline void round_columns(const ExactBoxView<double>& boxes, std::size_t begin, std::size_t count,
                          float* const (&out_columns)[6]) noexcept {
    const double* const sides[6] = {boxes.min_x, boxes.min_y, boxes.min_z,
                                    boxes.max_x, boxes.max_y, boxes.max_z};
    const std::size_t first = begin * boxes.stride;
    std::uint32_t unordered = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (axis == boxes.axis_count) {
            for (std::size_t i = 0; i < count; ++i) out_columns[axis][i] = out_columns[axis + 3][i] = 0.0f;
            continue;
        }
        const double* const min = sides[axis] + first;
        const double* const max = sides[axis + 3] + first;
        round_column<round_down>(min, boxes.stride, count, out_columns[axis]);
        round_column<round_up>(max, boxes.stride, count, out_columns[axis + 3]);
        for (std::size_t i = 0; i < count; ++i)
            unordered |= min[i * boxes.stride] <= max[i * boxes.stride] ? 0u : 1u;
    }
    if (unordered == 0) return;
    for (std::size_t i = 0; i < count; ++i) {
        bool is_ordered = true;
        for (std::size_t axis = 0; axis < boxes.axis_count; ++axis) {
            const std::size_t at = first + i * boxes.stride;
            is_ordered = is_ordered && sides[axis][at] <= sides[axis + 3][at];
        }
        if (is_ordered) continue;
        const Aabb empty = Aabb::empty();
        const float corners[6] = {empty.min.x, empty.min.y, empty.min.z,
                                  empty.max.x, empty.max.y, empty.max.z};
        for (std::size_t side = 0; side < 6; ++side) out_columns[side][i] = corners[side];
    }
}

}  // namespace broadside
