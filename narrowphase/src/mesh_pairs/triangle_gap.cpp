// The closest points of two triangles.
#include <broadside/float_environment.hpp>

#include "narrowphase/src/mesh_pairs/triangle_gap.hpp"
#include "narrowphase/src/mesh_pairs/triangle_pair_scalar.hpp"

#include <initializer_list>

namespace broadside {
namespace narrowphase {
namespace {

// The smallest float whose square, exact in doubles, is no less.
float distance_above(double distance_sq) {
    const auto distance = static_cast<float>(__builtin_sqrt(distance_sq));
    const double square = static_cast<double>(distance) * static_cast<double>(distance);
    return square < distance_sq ? next_up(distance) : distance;
}

// The points at which edges cross the plane of a face, each with the nearest point of the face.
void keep_crossings(TriangleGap& state_nearest, const TriangleParts& face, const TriangleParts& other,
                    bool is_face_of_a) {
    const Vec3Double ab = face.edge[0];
    const Vec3Double ac = face.corner[2] - face.corner[0];
    const Vec3Double normal = cross(ab, ac);
    for (int i = 0; i < 3; ++i) {
        const double from = dot(other.corner[i] - face.corner[0], normal);
        const double to = dot(other.corner[(i + 1) % 3] - face.corner[0], normal);
        if ((from > 0.0) == (to > 0.0)) continue;
        const Vec3Double crossing = other.corner[i] + other.edge[i] * clamped(from / (from - to), 0.0, 1.0);
        const TriangleGap gap = face_gap(face, crossing);
        keep_nearer(state_nearest, is_face_of_a ? gap : swapped(gap));
    }
}

}  // namespace

TriangleGap gap_of(const Triangle& a, const Triangle& b) noexcept {
    return gap_scalar(TriangleParts(a), TriangleParts(b));
}

ClosestTrianglePoints reported(const TriangleGap& gap) noexcept {
    const Vec3 zero = {0.0f, 0.0f, 0.0f};
    return {narrowed(gap.point_a) + zero, narrowed(gap.point_b) + zero, distance_above(gap.distance_sq)};
}

ClosestTrianglePoints meeting_point(const Triangle& a, const Triangle& b) noexcept {
    const TriangleParts of_a(a), of_b(b);
    TriangleGap nearest = gap_scalar(of_a, of_b);
    keep_crossings(nearest, of_a, of_b, true);
    keep_crossings(nearest, of_b, of_a, false);
    const Vec3 point = narrowed(nearest.point_a) + Vec3{0.0f, 0.0f, 0.0f};
    return {point, point, 0.0f};
}

}  // namespace narrowphase

ClosestTrianglePoints closest_points(const Triangle& a, const Triangle& b) noexcept {
    const FloatEnvironment environment;
    using namespace narrowphase;
    for (const Triangle* t : {&a, &b}) {
        if (!is_finite(t->a) || !is_finite(t->b) || !is_finite(t->c)) return {};
    }
    return FloatEnvironment::result(judge_pair(a, b) == TrianglePairKind::disjoint ? reported(gap_of(a, b))
                                                                                   : meeting_point(a, b));
}

}  // namespace broadside
