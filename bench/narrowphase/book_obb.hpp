// The straightforward code of the books for oriented boxes, one pair at a time: the baseline of the kernels.
#pragma once

#include <broadside/obb.hpp>
#include <broadside/triangle.hpp>

#include <cmath>

namespace broadside::bench {

/// Oriented box against oriented box as in C. Ericson, "Real-Time Collision Detection", 4.4.1, after S.
/// Gottschalk: single elements of the rotation matrix, an absolute epsilon, and a return at the first
/// separating axis.
inline bool book_overlap(const Obb& a, const Obb& b) {
    const Vec3 axes_a[3] = {a.axis_x, a.axis_y, a.axis_z};
    const Vec3 axes_b[3] = {b.axis_x, b.axis_y, b.axis_z};
    const float ea[3] = {a.half_extent.x, a.half_extent.y, a.half_extent.z};
    const float eb[3] = {b.half_extent.x, b.half_extent.y, b.half_extent.z};
    constexpr float kEpsilon = 1e-6f;
    float r[3][3];
    float abs_r[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            r[i][j] = dot(axes_a[i], axes_b[j]);
            abs_r[i][j] = std::fabs(r[i][j]) + kEpsilon;
        }
    }
    const Vec3 between = b.center - a.center;
    const float t[3] = {dot(between, a.axis_x), dot(between, a.axis_y), dot(between, a.axis_z)};
    for (int i = 0; i < 3; ++i) {
        const float rb = eb[0] * abs_r[i][0] + eb[1] * abs_r[i][1] + eb[2] * abs_r[i][2];
        if (std::fabs(t[i]) > ea[i] + rb) return false;
    }
    for (int i = 0; i < 3; ++i) {
        const float ra = ea[0] * abs_r[0][i] + ea[1] * abs_r[1][i] + ea[2] * abs_r[2][i];
        if (std::fabs(t[0] * r[0][i] + t[1] * r[1][i] + t[2] * r[2][i]) > ra + eb[i]) return false;
    }
    for (int i = 0; i < 3; ++i) {
        const int i1 = (i + 1) % 3;
        const int i2 = (i + 2) % 3;
        for (int j = 0; j < 3; ++j) {
            const int j1 = (j + 1) % 3;
            const int j2 = (j + 2) % 3;
            const float ra = ea[i1] * abs_r[i2][j] + ea[i2] * abs_r[i1][j];
            const float rb = eb[j1] * abs_r[i][j2] + eb[j2] * abs_r[i][j1];
            if (std::fabs(t[i2] * r[i1][j] - t[i1] * r[i2][j]) > ra + rb) return false;
        }
    }
    return true;
}

/// Oriented box against triangle as in T. Akenine-Möller, "Fast 3D Triangle-Box Overlap Testing", 2001: into
/// the frame of the box, nine edge axes, the box's faces, the triangle's plane; a return at the first
/// separating axis.
inline bool book_overlap(const Obb& obb, const Triangle& triangle) {
    const Vec3 v[3] = {vector_in_box(obb, triangle.a - obb.center),
                       vector_in_box(obb, triangle.b - obb.center),
                       vector_in_box(obb, triangle.c - obb.center)};
    const Vec3 h = obb.half_extent;
    for (int i = 0; i < 3; ++i) {
        const Vec3 e = v[(i + 1) % 3] - v[i];
        const Vec3 abs_e = absolute(e);
        // The two ends of an edge project to one point.
        const Vec3 p = v[i];
        const Vec3 q = v[(i + 2) % 3];
        const auto is_apart = [](float p0, float p1, float radius) {
            return std::fmin(p0, p1) > radius || std::fmax(p0, p1) < -radius;
        };
        if (is_apart(e.z * p.y - e.y * p.z, e.z * q.y - e.y * q.z, abs_e.z * h.y + abs_e.y * h.z))
            return false;
        if (is_apart(e.x * p.z - e.z * p.x, e.x * q.z - e.z * q.x, abs_e.z * h.x + abs_e.x * h.z))
            return false;
        if (is_apart(e.y * p.x - e.x * p.y, e.y * q.x - e.x * q.y, abs_e.y * h.x + abs_e.x * h.y))
            return false;
    }
    const auto is_beyond = [](float a, float b, float c, float half_extent) {
        const float min = a < b ? (a < c ? a : c) : (b < c ? b : c);
        const float max = a > b ? (a > c ? a : c) : (b > c ? b : c);
        return min > half_extent || max < -half_extent;
    };
    if (is_beyond(v[0].x, v[1].x, v[2].x, h.x) || is_beyond(v[0].y, v[1].y, v[2].y, h.y) ||
        is_beyond(v[0].z, v[1].z, v[2].z, h.z))
        return false;
    const Vec3 normal = cross(v[1] - v[0], v[2] - v[1]);
    return std::fabs(dot(normal, v[0])) <= dot(absolute(normal), h);
}

}  // namespace broadside::bench
