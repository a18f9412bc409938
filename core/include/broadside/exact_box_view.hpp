// Views of boxes with double or integer corners, and of boxes with two axes, in the caller's memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace broadside {

/// The number types of corners. For float, the views below serve boxes with two axes or in rows.
template <class Number>
concept BoxNumber = std::same_as<Number, float> || std::same_as<Number, double> ||
    std::same_as<Number, std::int32_t> || std::same_as<Number, std::int64_t>;

/// `count` boxes that the caller owns and keeps alive for the call, one array for each side. As with
/// BoxSoaView, the arrays need no alignment and may alias each other; points pass the same arrays as both
/// corners.
///
/// A box is valid by the rule of `is_valid`, applied to its own numbers: min <= max on every axis and, in
/// floating point, no NaN, min below +infinity and max above -infinity.
template <BoxNumber Number>
struct ExactBoxView {
    const Number* min_x = nullptr;
    const Number* min_y = nullptr;
    /// Not read if `axis_count` is 2.
    const Number* min_z = nullptr;
    const Number* max_x = nullptr;
    const Number* max_y = nullptr;
    /// Not read if `axis_count` is 2.
    const Number* max_z = nullptr;
    std::size_t count = 0;
    /// Distance between the numbers of neighbouring boxes in each array, in numbers. Default 1: columns.
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
    /// False if `count` is not 0 and a pointer that is read is null.
    bool is_readable() const noexcept {
        return count == 0 || (min_x != nullptr && min_y != nullptr && max_x != nullptr && max_y != nullptr &&
                              (axis_count == 2 || (min_z != nullptr && max_z != nullptr)));
    }
};

}  // namespace broadside
