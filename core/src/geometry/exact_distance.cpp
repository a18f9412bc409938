// Distances in whole numbers, and when doubles are as good.
#include "core/src/geometry/exact_distance.hpp"

#include "core/src/geometry/whole_number.hpp"

namespace broadside::geometry {
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
    return compare(square_of(gaps_of(a, point)), square_of(gaps_of(b, point)));
}

int compare_distance(const Aabb& box, Vec3 point, float distance) noexcept {
    const WholeNumber length(distance);
    return compare(square_of(gaps_of(box, point)), length * length);
}

bool sphere_box_overlap(const Sphere& sphere, const Aabb& box) noexcept {
    return is_valid(sphere) && is_valid(box) &&
           Reach(sphere.radius).holds(box, sphere.center, distance_sq(box, sphere.center));
}

}  // namespace broadside::geometry
