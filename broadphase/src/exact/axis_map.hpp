// Functions from the numbers of boxes to floats that ascend, one for an axis.
#pragma once

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace broadside::broadphase {

/// What was seen while numbers were rounded.
struct RoundingMarks {
    /// Zero while every number can be told from its float.
    std::uint64_t differences = 0;
    /// The top bit is set when a float was infinite or NaN.
    std::uint32_t exponents = 0;

    bool is_lossy() const noexcept { return differences != 0; }
    bool is_beyond() const noexcept { return exponents >> 31 != 0; }
};

/// What an axis does to its numbers: takes off an offset and rounds, or counts the listed numbers that are
/// smaller. Either way a <= b gives at(a) <= at(b), which is all that a filter needs: what overlaps, overlaps
/// as floats. Finite numbers become finite floats, infinities stay, and -0 becomes 0.
template <class Number>
struct AxisMap {
    Number offset = 0;
    /// Ascending, each once; null where the map is by offset.
    const Number* listed = nullptr;
    std::size_t listed_count = 0;

    bool is_by_rank() const noexcept { return listed != nullptr; }
    /// `state_is_lossy` is set unless the number can be told from what was answered, so that numbers that differ
    /// have floats that do.
    float at(Number number, bool& state_is_lossy) const noexcept {
        return is_by_rank() ? rank(number, state_is_lossy) : rounded(number, state_is_lossy);
    }

    float rank(Number number, bool& state_is_lossy) const noexcept {
        std::size_t begin = 0;
        std::size_t count = listed_count;
        while (count != 0) {
            const std::size_t half = count / 2;
            const bool is_below = listed[begin + half] < number;
            begin = is_below ? begin + half + 1 : begin;
            count = is_below ? count - half - 1 : half;
        }
        constexpr std::size_t kExact = std::size_t{1} << FLT_MANT_DIG;
        state_is_lossy |= begin == listed_count || listed[begin] != number || listed_count > kExact;
        return static_cast<float>(begin);
    }

    /// As `rounded` but for numbers beyond the floats, in a form that compilers vectorise.
    float nearest(Number number, RoundingMarks& state_marks) const noexcept {
        if constexpr (std::is_same_v<Number, std::int64_t>) {
            bool is_lossy = false;
            const float answer = rounded(number, is_lossy);
            state_marks.differences |= std::uint64_t{is_lossy};
            return answer;
        } else {
            const double wanted = static_cast<double>(number);
            const float answer = static_cast<float>(wanted - static_cast<double>(offset)) + 0.0f;
            const double back = static_cast<double>(answer) + static_cast<double>(offset);
            // The zeros differ, too, which costs time only.
            state_marks.differences |=
                std::bit_cast<std::uint64_t>(back) ^ std::bit_cast<std::uint64_t>(wanted);
            state_marks.exponents |= (std::bit_cast<std::uint32_t>(answer) & 0x7F800000u) + 0x00800000u;
            return answer;
        }
    }

    float rounded(Number number, bool& state_is_lossy) const noexcept {
        if constexpr (std::is_same_v<Number, std::int64_t>) {
            // The difference of two numbers of 64 bits needs 65: its size and its sign.
            const bool is_above = number >= offset;
            const std::uint64_t from_offset =
                static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(offset);
            const std::uint64_t size = is_above ? from_offset : std::uint64_t{0} - from_offset;
            const std::uint64_t lowest_bit = size & (std::uint64_t{0} - size);
            state_is_lossy |= (size >> FLT_MANT_DIG) >= lowest_bit && size != 0;
            const auto distance = static_cast<float>(size);
            return is_above ? distance : -distance;
        } else {
            // Exact for int32; else rounded once, and once more below, in both cases without changing an order.
            const double wanted = static_cast<double>(number);
            const double from_offset = wanted - static_cast<double>(offset);
            constexpr double kLargest = static_cast<double>(FLT_MAX);
            double clamped = from_offset < kLargest ? from_offset : kLargest;
            clamped = clamped > -kLargest ? clamped : -kLargest;
            if constexpr (std::is_floating_point_v<Number>) {
                constexpr double kInfinity = std::numeric_limits<double>::infinity();
                clamped = std::fabs(wanted) == kInfinity ? wanted : clamped;
            }
            const float answer = static_cast<float>(clamped) + 0.0f;
            state_is_lossy |= !(static_cast<double>(answer) + static_cast<double>(offset) == wanted);
            return answer;
        }
    }
};

}  // namespace broadside::broadphase
