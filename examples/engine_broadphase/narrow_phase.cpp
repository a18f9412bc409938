// Contact points of spheres and boxes; the library finds the axis that separates two boxes.
#include "examples/engine_broadphase/narrow_phase.hpp"

#include <broadside/closest_point.hpp>

#include <algorithm>

namespace engine_example {
namespace {

using broadside::ObbAxis;

// Points of two steps are the same if they are this near on both bodies, squared.
constexpr float kSamePointSq = 0.03f * 0.03f;

struct Points {
    // At most eight corners: those of a face, cut by four planes.
    Vec3 at[8];
    float distance[8];
    std::uint32_t count = 0;
};

Vec3 axis_of(const Obb& box, int axis) {
    return axis == 0 ? box.axis_x : axis == 1 ? box.axis_y : box.axis_z;
}
float extent_of(const Obb& box, int axis) {
    return axis == 0 ? box.half_extent.x : axis == 1 ? box.half_extent.y : box.half_extent.z;
}

// The points replace those of the contact; each inherits the impulses of its predecessor.
void replace_points(const Body& a, const Body& b, Vec3 normal, const Points& points, Contact& state_contact) {
    ContactPoint next[4];
    for (std::uint32_t i = 0; i < points.count; ++i) {
        ContactPoint& point = next[i];
        point.from_a = points.at[i] - a.pose.center;
        point.from_b = points.at[i] - b.pose.center;
        point.distance = points.distance[i];
        for (std::uint32_t k = 0; k < state_contact.point_count; ++k) {
            const ContactPoint& before = state_contact.points[k];
            if (length_sq(before.from_a - point.from_a) > kSamePointSq ||
                length_sq(before.from_b - point.from_b) > kSamePointSq)
                continue;
            std::copy_n(before.impulse, 3, point.impulse);
            break;
        }
    }
    std::copy_n(next, points.count, state_contact.points);
    state_contact.point_count = points.count;
    state_contact.normal = normal;
}

// The four corners of the face of `box` that faces most against `direction`.
void face_against(const Obb& box, Vec3 direction, Points& out_face) {
    int face = 0;
    for (int axis = 1; axis < 3; ++axis) {
        if (std::abs(dot(axis_of(box, axis), direction)) > std::abs(dot(axis_of(box, face), direction)))
            face = axis;
    }
    const float side = dot(axis_of(box, face), direction) > 0 ? -1.0f : 1.0f;
    const Vec3 center = box.center + axis_of(box, face) * (side * extent_of(box, face));
    const Vec3 u = axis_of(box, (face + 1) % 3) * extent_of(box, (face + 1) % 3);
    const Vec3 v = axis_of(box, (face + 2) % 3) * extent_of(box, (face + 2) % 3);
    const Vec3 corners[4] = {center + u + v, center - u + v, center - u - v, center + u - v};
    std::copy_n(corners, 4, out_face.at);
    out_face.count = 4;
}

// Keeps the part of the polygon that is at most `extent` along the direction.
void cut(Points& state_polygon, Vec3 origin, Vec3 direction, float extent) {
    Points kept;
    for (std::uint32_t i = 0; i < state_polygon.count; ++i) {
        const Vec3 from = state_polygon.at[i];
        const Vec3 to = state_polygon.at[(i + 1) % state_polygon.count];
        const float from_over = dot(from - origin, direction) - extent;
        const float to_over = dot(to - origin, direction) - extent;
        if (from_over <= 0 && kept.count < 8) kept.at[kept.count++] = from;
        if ((from_over <= 0) != (to_over <= 0) && kept.count < 8)
            kept.at[kept.count++] = from + (to - from) * (from_over / (from_over - to_over));
    }
    state_polygon = kept;
}

// Keeps the deepest point, the one farthest from it, and the farthest on either side of the line between
// them.
void keep_four(Points& state_points, Vec3 normal) {
    if (state_points.count <= 4) return;
    const auto take_best = [&](std::uint32_t place, auto&& score) {
        std::uint32_t best = place;
        for (std::uint32_t i = place + 1; i < state_points.count; ++i) {
            if (score(i) > score(best)) best = i;
        }
        std::swap(state_points.at[place], state_points.at[best]);
        std::swap(state_points.distance[place], state_points.distance[best]);
    };
    const Vec3* const at = state_points.at;
    take_best(0, [&](std::uint32_t i) { return -state_points.distance[i]; });
    take_best(1, [&](std::uint32_t i) { return length_sq(at[i] - at[0]); });
    const auto side = [&](std::uint32_t i) { return dot(cross(at[i] - at[0], at[1] - at[0]), normal); };
    take_best(2, [&](std::uint32_t i) { return side(i); });
    take_best(3, [&](std::uint32_t i) { return -side(i); });
    state_points.count = 4;
}

// `out` points from the reference box to the other.
Points touch_face(const Obb& reference, int axis, Vec3 out, const Obb& other) {
    Points polygon;
    face_against(other, out, polygon);
    for (int side = 1; side <= 2; ++side) {
        const int along = (axis + side) % 3;
        cut(polygon, reference.center, axis_of(reference, along), extent_of(reference, along));
        cut(polygon, reference.center, -axis_of(reference, along), extent_of(reference, along));
    }
    Points touching;
    for (std::uint32_t i = 0; i < polygon.count; ++i) {
        const float distance = dot(polygon.at[i] - reference.center, out) - extent_of(reference, axis);
        if (distance > kContactDistance) continue;
        touching.at[touching.count] = polygon.at[i] - out * (0.5f * distance);
        touching.distance[touching.count++] = distance;
    }
    keep_four(touching, out);
    return touching;
}

// The middle of the edge along `axis` that is farthest in the direction.
Vec3 edge_towards(const Obb& box, int axis, Vec3 direction) {
    Vec3 point = box.center;
    for (int other = 0; other < 3; ++other) {
        if (other == axis) continue;
        const float side = dot(axis_of(box, other), direction) > 0 ? 1.0f : -1.0f;
        point = point + axis_of(box, other) * (side * extent_of(box, other));
    }
    return point;
}

Points touch_edges(const Obb& a, int axis_a, const Obb& b, int axis_b, Vec3 normal) {
    const Vec3 point_a = edge_towards(a, axis_a, normal);
    const Vec3 point_b = edge_towards(b, axis_b, -normal);
    const Vec3 u = axis_of(a, axis_a);
    const Vec3 v = axis_of(b, axis_b);
    const float along = dot(u, v);
    const Vec3 between = point_b - point_a;
    const float scale = 1 / std::max(1 - along * along, 1e-6f);
    const float s = (dot(u, between) - along * dot(v, between)) * scale;
    const float t = (along * dot(u, between) - dot(v, between)) * scale;
    const Vec3 on_a = point_a + u * std::clamp(s, -extent_of(a, axis_a), extent_of(a, axis_a));
    const Vec3 on_b = point_b + v * std::clamp(t, -extent_of(b, axis_b), extent_of(b, axis_b));
    Points points;
    points.at[0] = (on_a + on_b) * 0.5f;
    points.distance[0] = dot(on_b - on_a, normal);
    points.count = 1;
    return points;
}

// From the box to the center of a sphere inside it: through the nearest face.
Vec3 way_out(const Obb& box, Vec3 center, float& out_distance) {
    const Vec3 local = vector_in_box(box, center - box.center);
    const float parts[3] = {local.x, local.y, local.z};
    int face = 0;
    out_distance = -broadside::kVisitAll;
    for (int axis = 0; axis < 3; ++axis) {
        const float distance = std::abs(parts[axis]) - extent_of(box, axis);
        if (distance > out_distance) out_distance = distance, face = axis;
    }
    return axis_of(box, face) * (parts[face] < 0 ? -1.0f : 1.0f);
}

}  // namespace

void collide_sphere(const Body& a, const Body& b, Contact& state_contact) {
    const Vec3 center = a.pose.center;
    const bool is_box = b.shape == ShapeKind::box;
    const Vec3 nearest = is_box ? closest_point(b.pose, center).point : b.pose.center;
    const Vec3 way = nearest - center;
    const float length = std::sqrt(length_sq(way));
    const float radii = a.pose.half_extent.x + (is_box ? 0 : b.pose.half_extent.x);
    Points points;
    Vec3 normal = {0, 1, 0};
    float distance = length - radii;
    if (length > 1e-6f) {
        normal = way * (1 / length);
    } else if (is_box) {
        float inside = 0;
        normal = -way_out(b.pose, center, inside);
        distance = inside - radii;
    }
    if (distance <= kContactDistance) {
        points.at[0] = center + normal * (a.pose.half_extent.x + 0.5f * distance);
        points.distance[0] = distance;
        points.count = 1;
    }
    replace_points(a, b, normal, points, state_contact);
}

void collide_boxes(const Body& a, const Body& b, ObbAxis axis, float depth, Contact& state_contact) {
    if (axis == ObbAxis::none) {
        state_contact.point_count = 0;
        return;
    }
    const Vec3 normal = -contact_normal(a.pose, b.pose, axis);
    const int index = static_cast<int>(axis);
    Points points;
    if (index < 3) {
        points = touch_face(a.pose, index, normal, b.pose);
    } else if (index < 6) {
        points = touch_face(b.pose, index - 3, -normal, a.pose);
    } else {
        points = touch_edges(a.pose, (index - 6) % 3, b.pose, (index - 6) / 3, normal);
        points.distance[0] = kContactDistance - depth;
    }
    replace_points(a, b, normal, points, state_contact);
}

}  // namespace engine_example
