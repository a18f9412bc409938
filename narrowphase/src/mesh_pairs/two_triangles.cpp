// Two moving triangles in doubles: separating axes over time.
#include "narrowphase/src/mesh_pairs/two_triangles.hpp"

#include <initializer_list>

namespace broadside::narrowphase {
namespace {

// Corners and edges, relative to the first corner of a.
struct Corners {
    Vec3Double corner[3];
    Vec3Double edge[3];

    Corners(const Triangle& t, const Vec3Double& origin)
        : corner{widened(t.a) - origin, widened(t.b) - origin, widened(t.c) - origin},
          edge{widened(t.b) - widened(t.a), widened(t.c) - widened(t.b), widened(t.a) - widened(t.c)} {}
};

bool is_zero(const Vec3Double& a) { return a.x == 0.0 && a.y == 0.0 && a.z == 0.0; }

// The times at which no axis so far separates two triangles; empty once enter > leave.
class CommonTime {
public:
    CommonTime(const Corners& a, const Corners& b, const Vec3Double& motion, double limit)
        : a_(a), b_(b), motion_(motion), leave_(limit) {}

    double enter() const { return enter_ <= leave_ ? enter_ : __builtin_inf(); }

    // Returns false once there is no such time.
    bool clip(const Vec3Double& axis) {
        if (is_zero(axis)) return true;
        const Range of_a(a_, axis);
        const Range of_b(b_, axis);
        const double speed = dot(motion_, axis);
        // The distance by which b lies ahead of a, or behind it.
        const double ahead = of_b.min - of_a.max;
        const double behind = of_a.min - of_b.max;
        if (speed == 0.0) {
            if (ahead > 0.0 || behind > 0.0) leave_ = -1.0;
        } else if (speed < 0.0) {
            enter_ = max_keep(enter_, ahead / -speed);
            leave_ = min_keep(leave_, behind / speed);
        } else {
            enter_ = max_keep(enter_, behind / speed);
            leave_ = min_keep(leave_, ahead / -speed);
        }
        return enter_ <= leave_;
    }

private:
    struct Range {
        double min, max;
        Range(const Corners& corners, const Vec3Double& axis) {
            const double first = dot(corners.corner[0], axis);
            const double second = dot(corners.corner[1], axis);
            const double third = dot(corners.corner[2], axis);
            min = min_keep(min_keep(first, second), third);
            max = max_keep(max_keep(first, second), third);
        }
    };

    const Corners& a_;
    const Corners& b_;
    Vec3Double motion_;
    double enter_ = 0.0;
    double leave_;
};

}  // namespace

double impact_time(const Triangle& a, const Triangle& b, const Vec3Double& motion, double limit) noexcept {
    const Vec3Double origin = widened(a.a);
    const Corners of_a(a, origin);
    const Corners of_b(b, origin);
    CommonTime time(of_a, of_b, motion, limit);
    const Vec3Double normal_a = cross(of_a.edge[0], of_a.edge[1]);
    const Vec3Double normal_b = cross(of_b.edge[0], of_b.edge[1]);
    // The faces of the difference of the triangles: their own, and those spanned by two edges.
    if (!time.clip(normal_a) || !time.clip(normal_b)) return __builtin_inf();
    Vec3Double plane = is_zero(normal_a) ? normal_b : normal_a;
    for (const Vec3Double& edge_a : of_a.edge) {
        for (const Vec3Double& edge_b : of_b.edge) {
            const Vec3Double axis = cross(edge_a, edge_b);
            if (!time.clip(axis)) return __builtin_inf();
            if (is_zero(plane)) plane = axis;
        }
    }
    // If the difference is flat, its edges bound it. If all edges lie on one line, any plane through it does.
    Vec3Double line = {0.0, 0.0, 0.0};
    for (const Corners* corners : {&of_a, &of_b}) {
        for (const Vec3Double& edge : corners->edge) {
            if (!is_zero(edge)) line = edge;
        }
    }
    if (is_zero(plane)) {
        const Vec3Double x = cross(line, {1.0, 0.0, 0.0});
        plane = is_zero(x) ? cross(line, {0.0, 1.0, 0.0}) : x;
        for (const Vec3Double& axis : {plane, cross(plane, line), line, Vec3Double{1.0, 0.0, 0.0},
                                       Vec3Double{0.0, 1.0, 0.0}, Vec3Double{0.0, 0.0, 1.0}}) {
            if (!time.clip(axis)) return __builtin_inf();
        }
        return time.enter();
    }
    for (const Corners* corners : {&of_a, &of_b}) {
        for (const Vec3Double& edge : corners->edge) {
            if (!time.clip(cross(plane, edge))) return __builtin_inf();
        }
    }
    return time.enter();
}

}  // namespace broadside::narrowphase
