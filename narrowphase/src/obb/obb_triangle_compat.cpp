// The text's seven-axis swept test, in the frame of the box.
#include <broadside/float_environment.hpp>
#include <broadside/obb_triangle_compat.hpp>

#include "core/src/geometry/vec3_double.hpp"
#include "narrowphase/src/obb/obb_triangle_scalar.hpp"

// A triangle that moves by W sweeps a prism. Its axes beyond the 13 static ones are W × edges and W × box
// axes, all perpendicular to W, so nothing travels along them; L = W itself bounds the ends. Source:
// source_rules.md C7-C10, with E0 = ab, E1 = ac, E2 = bc, D = a, N = E0 × E1.
//
// Why a margin. "No" must not contradict the exact test, whose own rounding can call a cap (see
// obb_triangle.hpp) touching that is 2^-11.5 of the operands away, and √3 times that between two corners. So
// a gap counts from 2^-9 of their size on. W and E are rounded to float, so W × E has an error of 2^-22 of
// |W||E|, however short the product is: the second part of the margin is sixteen times that.
namespace broadside {
namespace {

using narrowphase::ObbFrame;
using narrowphase::TriangleInBox;

constexpr double kGapMargin = 0x1p-9;
constexpr double kAxisMargin = 0x1p-18;

double magnitude(double a) { return a < 0.0 ? -a : a; }
Vec3Double magnitude(const Vec3Double& a) { return {magnitude(a.x), magnitude(a.y), magnitude(a.z)}; }
double component_sum(const Vec3Double& a) { return (magnitude(a.x) + magnitude(a.y)) + magnitude(a.z); }

// Along one axis: may the triangle with corners projected to p0, p1 and p2 meet the box projected to
// [-radius, radius]?
bool meets(double p0, double p1, double p2, double radius) {
    const bool is_above = p0 > radius && p1 > radius && p2 > radius;
    const bool is_below = p0 < -radius && p1 < -radius && p2 < -radius;
    return !(is_above || is_below);
}

// False only if the pair does not meet within the step. The frame must be moving.
bool may_meet(const ObbFrame& frame, const TriangleInBox& t) {
    const Vec3Double h = widened(frame.half_extent);
    const Vec3Double w = widened(frame.motion);
    const Vec3Double a = widened(t.a);
    const Vec3Double ab = widened(t.ab);
    const Vec3Double ac = widened(-t.ca);
    const Vec3Double bc = widened(t.bc);
    const double reach = static_cast<double>(t.reach);
    const double size = (component_sum(h) + component_sum(w)) + reach;
    const double axis_error = kAxisMargin * component_sum(w);
    // W × edges.
    const Vec3Double w_ab = cross(w, ab);
    const Vec3Double w_ac = cross(w, ac);
    const Vec3Double w_bc = cross(w, bc);
    const double wn = dot(w, cross(ab, ac));
    const auto edge_radius = [&](const Vec3Double& axis) {
        return dot(magnitude(axis), h) + size * (kGapMargin * component_sum(axis) + axis_error * reach);
    };
    const double p_ab = dot(w_ab, a);
    const double p_ac = dot(w_ac, a);
    const double p_bc = dot(w_bc, a);
    if (!(meets(p_ab, p_ab, p_ab + wn, edge_radius(w_ab)) &&
          meets(p_ac, p_ac - wn, p_ac, edge_radius(w_ac)) &&
          meets(p_bc, p_bc - wn, p_bc - wn, edge_radius(w_bc)))) {
        return false;
    }
    // W × box axes: (W × i)·p = (p × W)_i. No component of w is negative.
    const Vec3Double p0 = cross(a, w);
    const Vec3Double p1 = p0 - w_ab;
    const Vec3Double p2 = p0 - w_ac;
    const auto box_radius = [&](double h_1, double w_2, double h_2, double w_1) {
        return (h_1 * w_2 + h_2 * w_1) + size * (kGapMargin * (w_1 + w_2) + axis_error);
    };
    if (!(meets(p0.x, p1.x, p2.x, box_radius(h.y, w.z, h.z, w.y)) &&
          meets(p0.y, p1.y, p2.y, box_radius(h.x, w.z, h.z, w.x)) &&
          meets(p0.z, p1.z, p2.z, box_radius(h.x, w.y, h.y, w.x)))) {
        return false;
    }
    // W. The motion along it is not negative, so above is tested at the start and below at the end.
    const double q0 = dot(w, a);
    const double q1 = q0 + dot(w, ab);
    const double q2 = q0 + dot(w, ac);
    const double radius = dot(w, h) + size * (kGapMargin * component_sum(w));
    const double travel = dot(w, w);
    const bool is_above = q0 > radius && q1 > radius && q2 > radius;
    const bool is_below = q0 + travel < -radius && q1 + travel < -radius && q2 + travel < -radius;
    return !(is_above || is_below);
}

}  // namespace

bool swept_overlap_7_axes(const Obb& obb, Vec3 obb_displacement, const Triangle& triangle,
                          Vec3 triangle_displacement) noexcept {
    const FloatEnvironment environment(obb_displacement, triangle_displacement);
    const ObbFrame frame = narrowphase::make_obb_frame(obb, triangle_displacement - obb_displacement);
    if (!(largest_component(frame.motion) > 0.0f)) {
        return FloatEnvironment::result(narrowphase::overlap_scalar(frame, triangle));
    }
    const TriangleInBox t = narrowphase::triangle_in_box(frame, triangle);
    return FloatEnvironment::result(t.reach <= frame.max_reach && may_meet(frame, t));
}

}  // namespace broadside
