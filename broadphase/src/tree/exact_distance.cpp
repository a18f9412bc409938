// Distances in whole numbers, and when doubles are as good.
#include "broadphase/src/tree/exact_distance.hpp"

#include <cstdint>

namespace broadside::broadphase {
namespace {

// On one axis, the way from the point to the box or back, not negative: `end` - `begin`.
struct Gap {
    float begin = 0.0f;
    float end = 0.0f;
};
struct Gaps {
    Gap axes[3];
};

Gap gap_on_axis(float min, float max, float place) {
    if (place < min) return {place, min};
    if (max < place) return {max, place};
    return {};
}
Gaps gaps_of(const Aabb& box, Vec3 point) {
    return {{gap_on_axis(box.min.x, box.max.x, point.x), gap_on_axis(box.min.y, box.max.y, point.y),
             gap_on_axis(box.min.z, box.max.z, point.z)}};
}

// Whether `sum` is that of two numbers and no rounding of it. Else it is off by no less than the last digit
// of one of the two, which is then missed in the difference.
template <class Float>
bool is_exact_sum(Float a, Float b, Float sum) {
    return (sum - a == b) & (sum - b == a);
}

// Finite floats are whole numbers of the smallest one, 2^-149, less than 2^277 of them. Numbers below are in
// that unit or its square, as words of 32 bits, the lowest first.
constexpr int kGapWords = 9;
constexpr int kSquareWords = 2 * kGapWords;

// Adds a float, or takes it away, modulo 2^(32·kGapWords).
void add_float(float value, bool is_taken_away, std::uint32_t (&state_words)[kGapWords]) {
    const std::uint32_t pattern = __builtin_bit_cast(std::uint32_t, value);
    const std::uint32_t exponent = pattern >> 23 & 0xFF;
    const std::uint32_t significand = (pattern & 0x7FFFFF) | (exponent != 0 ? 0x800000u : 0u);
    const std::uint32_t shift = exponent != 0 ? exponent - 1 : 0;
    const std::uint64_t shifted = std::uint64_t{significand} << shift % 32;
    // A negative number is its complement and one more.
    const bool is_complement = (pattern >> 31 != 0) != is_taken_away;
    std::uint64_t carry = is_complement ? 1 : 0;
    for (std::uint32_t i = 0; i < kGapWords; ++i) {
        const std::uint32_t word = i == shift / 32       ? static_cast<std::uint32_t>(shifted)
                                   : i == shift / 32 + 1 ? static_cast<std::uint32_t>(shifted >> 32)
                                                         : 0u;
        carry += std::uint64_t{state_words[i]} + (is_complement ? ~word : word);
        state_words[i] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
    }
}

struct WholeSquare {
    std::uint32_t words[kSquareWords] = {};

    explicit WholeSquare(const Gaps& gaps) {
        for (const Gap& gap : gaps.axes) {
            if (gap.begin == gap.end) continue;
            std::uint32_t length[kGapWords] = {};
            add_float(gap.end, false, length);
            add_float(gap.begin, true, length);
            add_square(length);
        }
    }

private:
    void add_square(const std::uint32_t (&length)[kGapWords]) {
        for (int i = 0; i < kGapWords; ++i) {
            std::uint64_t carry = 0;
            for (int j = 0; j < kGapWords; ++j) {
                carry += std::uint64_t{length[i]} * length[j] + words[i + j];
                words[i + j] = static_cast<std::uint32_t>(carry);
                carry >>= 32;
            }
            for (int k = i + kGapWords; carry != 0; ++k) {
                carry += words[k];
                words[k] = static_cast<std::uint32_t>(carry);
                carry >>= 32;
            }
        }
    }
};

int compare(const Gaps& a, const Gaps& b) {
    const WholeSquare square_a(a);
    const WholeSquare square_b(b);
    for (int i = kSquareWords - 1; i >= 0; --i) {
        if (square_a.words[i] != square_b.words[i]) return square_a.words[i] < square_b.words[i] ? -1 : 1;
    }
    return 0;
}

}  // namespace

bool is_distance_sq_exact(const Aabb& box, Vec3 point) noexcept {
    const Gaps gaps = gaps_of(box, point);
    double squares[3];
    bool is_exact = true;
    for (int axis = 0; axis < 3; ++axis) {
        const auto [begin, end] = gaps.axes[axis];
        // The square of a float takes 48 bits of a double's 53.
        const float gap = end - begin;
        is_exact &= is_exact_sum(end, -begin, gap);
        squares[axis] = static_cast<double>(gap) * static_cast<double>(gap);
    }
    const double of_two = squares[0] + squares[1];
    return is_exact && is_exact_sum(squares[0], squares[1], of_two) &&
           is_exact_sum(of_two, squares[2], of_two + squares[2]);
}

int compare_distances(const Aabb& a, const Aabb& b, Vec3 point) noexcept {
    return compare(gaps_of(a, point), gaps_of(b, point));
}

int compare_distance(const Aabb& box, Vec3 point, float distance) noexcept {
    return compare(gaps_of(box, point), {{{0.0f, distance}, {}, {}}});
}

}  // namespace broadside::broadphase
