// Ascending functions from the numbers of boxes to floats, one for an axis.
#pragma once

#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace broadside::broadphase {

/// A stretch of an axis, from a number on, mapped to a stretch of floats.
template <class Number>
struct AxisPiece {
    Number begin = 0;
    double scale = 0;
    /// Begin of its floats; those of the next piece are no smaller.
    double base = 0;
};

/// Most pieces: clusters of boxes and the gaps between them.
inline constexpr std::uint32_t kAxisPieceMax = 127;

/// The map of an axis: subtracts an offset and rounds; does so in each of a few pieces, one for every cluster
/// of numbers; or counts the listed numbers that are smaller. Either way a <= b gives at(a) <= at(b), which
/// is all that a filter needs: boxes that overlap also overlap as floats. Finite numbers become finite
/// floats, and -0 becomes 0.
template <class Number>
struct AxisMap {
    Number offset = 0;
    /// Ascending, each once; null if the map is not by rank.
    const Number* listed = nullptr;
    std::size_t listed_count = 0;
    /// Zero if the map is not by pieces.
    std::uint32_t piece_count = 0;
    AxisPiece<Number> pieces[kAxisPieceMax] = {};

    bool is_by_rank() const noexcept { return listed != nullptr; }
    /// Sets `state_is_lossy` unless the result tells the number, so that other numbers have other floats.
    float at(Number number, bool& state_is_lossy) const noexcept {
        if (is_by_rank()) return rank(number, state_is_lossy);
        if (piece_count == 0) return rounded(number, state_is_lossy);
        state_is_lossy = true;
        return in_piece(number);
    }

    /// Every operation ascends with the number, and no piece goes beyond the begin of the next one.
    float in_piece(Number number) const noexcept {
        std::uint32_t index = 0;
        for (std::uint32_t count = piece_count; count > 1;) {
            const std::uint32_t half = count / 2;
            index += pieces[index + half].begin <= number ? half : 0;
            count -= half;
        }
        const AxisPiece<Number>& piece = pieces[index];
        constexpr double kLargest = static_cast<double>(FLT_MAX);
        const double end = index + 1 < piece_count ? pieces[index + 1].base : kLargest;
        double place = piece.base + distance(piece.begin, number) * piece.scale;
        place = place < end ? place : end;
        place = place > -kLargest ? place : -kLargest;
        return static_cast<float>(place) + 0.0f;
    }
    static double distance(Number from, Number to) noexcept {
        if constexpr (std::is_same_v<Number, std::int64_t>) {
            // 65 bits: a size and a sign.
            const std::uint64_t size = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
            return to >= from ? static_cast<double>(size) : -static_cast<double>(std::uint64_t{0} - size);
        } else {
            return static_cast<double>(to) - static_cast<double>(from);
        }
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

    float rounded(Number number, bool& state_is_lossy) const noexcept {
        if constexpr (std::is_same_v<Number, std::int64_t>) {
            // The difference of two numbers of 64 bits needs 65: its size and its sign.
            const bool is_above = number >= offset;
            const std::uint64_t from_offset =
                static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(offset);
            const std::uint64_t size = is_above ? from_offset : std::uint64_t{0} - from_offset;
            const std::uint64_t lowest_bit = size & (std::uint64_t{0} - size);
            state_is_lossy |= (size >> FLT_MANT_DIG) >= lowest_bit && size != 0;
            const auto distance = static_cast<float>(static_cast<double>(size));
            return is_above ? distance : -distance;
        } else {
            // Exact for int32; else rounded once, and once more below. Neither changes an order.
            const double wanted = static_cast<double>(number);
            const double from_offset = wanted - static_cast<double>(offset);
            constexpr double kLargest = static_cast<double>(FLT_MAX);
            double clamped = from_offset < kLargest ? from_offset : kLargest;
            clamped = clamped > -kLargest ? clamped : -kLargest;
            if constexpr (std::is_floating_point_v<Number>) {
                clamped = std::isinf(wanted) ? wanted : clamped;
            }
            const float answer = static_cast<float>(clamped) + 0.0f;
            state_is_lossy |= !(static_cast<double>(answer) + static_cast<double>(offset) == wanted);
            return answer;
        }
    }
};

}  // namespace broadside::broadphase
