// Rounds columns of doubles outwards to columns of floats: round_outwards over many boxes.
#pragma once

#include "core/src/directed_rounding.hpp"

#include <broadside/exact_box_view.hpp>
#include <broadside/round_outwards.hpp>

#include <algorithm>
#include <cstddef>

namespace broadside {

/// round_down, or round_up, of `count` numbers with a stride. If the processor has rounding directions, one
/// conversion does it.
template <DirectedRounding::Direction direction>
BROADSIDE_FORCE_INLINE void round_column(const double* __restrict numbers, std::size_t stride,
                                         std::size_t count, float* __restrict out_numbers) {
    const auto rounded = [](double number) {
        if constexpr (DirectedRounding::kIsPossible) return static_cast<float>(number);
        return direction == DirectedRounding::Direction::down ? round_down(number) : round_up(number);
    };
    if (stride == 1) {
        for (std::size_t i = 0; i < count; ++i) out_numbers[i] = rounded(numbers[i]);
    } else {
        for (std::size_t i = 0; i < count; ++i, numbers += stride) out_numbers[i] = rounded(*numbers);
    }
}

/// Writes `count` boxes from `begin` on to the beginning of six columns, as round_outwards does. With two
/// axes, the third is zero. Call inside a FloatEnvironment.
inline void round_columns(const ExactBoxView<double>& boxes, std::size_t begin, std::size_t count,
                          float* const (&out_columns)[6]) noexcept {
    // This many stay in the first-level cache for all passes.
    constexpr std::size_t kAtOnce = 256;
    const double* const sides[6] = {boxes.min_x, boxes.min_y, boxes.min_z,
                                    boxes.max_x, boxes.max_y, boxes.max_z};
    for (std::size_t done = 0; done < count; done += kAtOnce) {
        const std::size_t some = std::min(kAtOnce, count - done);
        const std::size_t first = (begin + done) * boxes.stride;
        const auto side = [&](std::size_t number) { return sides[number] + first; };
        const auto out = [&](std::size_t number) { return out_columns[number] + done; };
        {
            const DirectedRounding rounding(DirectedRounding::Direction::down);
            for (std::size_t axis = 0; axis < boxes.axis_count; ++axis)
                round_column<DirectedRounding::Direction::down>(side(axis), boxes.stride, some, out(axis));
        }
        {
            const DirectedRounding rounding(DirectedRounding::Direction::up);
            for (std::size_t axis = 3; axis < 3 + boxes.axis_count; ++axis)
                round_column<DirectedRounding::Direction::up>(side(axis), boxes.stride, some, out(axis));
        }
        if (boxes.axis_count == 2) {
            std::fill_n(out(2), some, 0.0f);
            std::fill_n(out(5), some, 0.0f);
        }
        const auto is_ordered = [&](std::size_t axis, std::size_t i) {
            return side(axis)[i * boxes.stride] <= side(axis + 3)[i * boxes.stride];
        };
        bool is_all_ordered = true;
        for (std::size_t axis = 0; axis < boxes.axis_count; ++axis)
            for (std::size_t i = 0; i < some; ++i) is_all_ordered &= is_ordered(axis, i);
        if (is_all_ordered) continue;
        for (std::size_t i = 0; i < some; ++i) {
            bool is_box = true;
            for (std::size_t axis = 0; axis < boxes.axis_count; ++axis) is_box &= is_ordered(axis, i);
            if (is_box) continue;
            const Aabb empty = Aabb::empty();
            const float corners[6] = {empty.min.x, empty.min.y, empty.min.z,
                                      empty.max.x, empty.max.y, empty.max.z};
            for (std::size_t number = 0; number < 6; ++number) out(number)[i] = corners[number];
        }
    }
}

}  // namespace broadside
