// Distances in whole numbers, and the test whether doubles are exact.
#include "core/src/geometry/exact_distance.hpp"

#include "core/src/geometry/whole_number.hpp"

namespace broadside::geometry {
namespace {

// On one axis, the gap between the two boxes: `end` - `begin`, not negative.
struct Gap {
    float begin = 0.0f;
    float end = 0.0f;
};
struct Gaps {
    Gap axes[3];
};

Gap gap_on_axis(float min_a, float max_a, float min_b, float max_b) {
    if (max_b < min_a) return {max_b, min_a};
    if (max_a < min_b) return {max_a, min_b};
    return {};
}
Gaps gaps_of(const Aabb& a, const Aabb& b) {
    return {{gap_on_axis(a.min.x, a.max.x, b.min.x, b.max.x), gap_on_axis(a.min.y, a.max.y, b.min.y, b.max.y),
             gap_on_axis(a.min.z, a.max.z, b.min.z, b.max.z)}};
}

// True if `sum` is the exact sum of two numbers. A rounded sum is off by at least the last digit of one of
// the two, which the difference then lacks.
template <class Float>
bool is_exact_sum(Float a, Float b, Float sum) {
    return (sum - a == b) & (sum - b == a);
}

WholeNumber square_of(const Gaps& gaps) {
    WholeNumber sum;
    for (const Gap& gap : gaps.axes) {
        if (gap.begin == gap.end) continue;
        const WholeNumber length = WholeNumber(gap.end) - WholeNumber(gap.begin);
        sum = sum + length * length;
    }
    return sum;
}

}  // namespace

bool is_distance_sq_exact(const Aabb& a, const Aabb& b) noexcept {
    const Gaps gaps = gaps_of(a, b);
    double squares[3];
    bool is_exact = true;
    for (int axis = 0; axis < 3; ++axis) {
        const auto [begin, end] = gaps.axes[axis];
        // The square of a float takes 48 of a double's 53 bits.
        const float gap = end - begin;
        is_exact &= is_exact_sum(end, -begin, gap);
        squares[axis] = static_cast<double>(gap) * static_cast<double>(gap);
    }
    const double of_two = squares[0] + squares[1];
    return is_exact && is_exact_sum(squares[0], squares[1], of_two) &&
           is_exact_sum(of_two, squares[2], of_two + squares[2]);
}

int compare_distances(const BoxDistance& first, const BoxDistance& second) noexcept {
    return compare(square_of(gaps_of(first.a, first.b)), square_of(gaps_of(second.a, second.b)));
}

int compare_distance(const Aabb& a, const Aabb& b, float distance) noexcept {
    const WholeNumber length(distance);
    return compare(square_of(gaps_of(a, b)), length * length);
}

float distance_above(const Aabb& a, const Aabb& b, double distance_sq) noexcept {
    // Off by less than one float, so the nearest float is the right one or the one below it.
    const double root = __builtin_sqrt(distance_sq);
    const float nearest = root < static_cast<double>(FLT_MAX) ? static_cast<float>(root) : FLT_MAX;
    return Reach(nearest).holds(a, b, distance_sq) ? nearest : next_up(nearest);
}

bool sphere_box_overlap(const Sphere& sphere, const Aabb& box) noexcept {
    return is_valid(sphere) && is_valid(box) &&
           Reach(sphere.radius).holds(box, sphere.center, distance_sq(box, sphere.center));
}

}  // namespace broadside::geometry
