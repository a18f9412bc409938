// Ray against triangle without rounding if doubles do not decide: in integers if 64 bits hold the floats,
// else by sums of doubles. Also rounds the reported hits.
#include <broadside/float_environment.hpp>
#include <broadside/ray_triangle.hpp>

#include "narrowphase/src/exact/expansion.hpp"
#include "narrowphase/src/mesh/ray_triangle_scalar.hpp"
#include "narrowphase/src/mesh/whole_numbers.hpp"

namespace broadside {
namespace narrowphase {
namespace {

// d·((x - o) × (y - o)).
Sum exact_edge(const Coordinates& d, const Coordinates& o, const Coordinates& x, const Coordinates& y) {
    Sum sum;
    add_determinant(sum, 1.0, d, x, y);
    add_determinant(sum, -1.0, d, x, o);
    add_determinant(sum, -1.0, d, o, y);
    return sum;
}
Sum exact_edge(Vec3 d, Vec3 o, Vec3 x, Vec3 y) {
    return exact_edge(Coordinates(d), Coordinates(o), Coordinates(x), Coordinates(y));
}

// Adds sign · -v·n, with n = (b - a) × (c - a) = a × b + b × c + c × a.
void add_against_normal(Sum& state_sum, double sign, Vec3 v, const Triangle& triangle) {
    const Coordinates vector(v), a(triangle.a), b(triangle.b), c(triangle.c);
    add_determinant(state_sum, -sign, vector, a, b);
    add_determinant(state_sum, -sign, vector, b, c);
    add_determinant(state_sum, -sign, vector, c, a);
}
Sum exact_sum_of_edges(Vec3 direction, const Triangle& triangle) {
    Sum sum;
    add_against_normal(sum, 1.0, direction, triangle);
    sum.compress();
    return sum;
}
// -(a - o)·n; a·n is a·(b × c).
Sum exact_numerator(Vec3 origin, const Triangle& triangle) {
    Sum sum;
    add_against_normal(sum, -1.0, origin, triangle);
    add_determinant(sum, -1.0, Coordinates(triangle.a), Coordinates(triangle.b), Coordinates(triangle.c));
    sum.compress();
    return sum;
}

// The sign of component `axis` of (x - y) × d.
int exact_cross_sign_of_edge(const Coordinates& x, const Coordinates& y, const Coordinates& d, int axis) {
    const int j = (axis + 1) % 3;
    const int k = (axis + 2) % 3;
    Expansion<4> sum;
    sum.add(x.at[j] * d.at[k]);
    sum.add(-y.at[j] * d.at[k]);
    sum.add(-x.at[k] * d.at[j]);
    sum.add(y.at[k] * d.at[j]);
    return sum.sign();
}

// The sign of a / b - c / d. a and b have the same sign, and so have c and d.
int compare_quotients(const Sum& a, const Sum& b, const Sum& c, const Sum& d) {
    Expansion<4 * kCompressedMax * kCompressedMax> difference;
    for (int i = 0; i < d.count(); ++i) difference.add_scaled(a, d.term(i));
    for (int i = 0; i < b.count(); ++i) difference.add_scaled(c, -b.term(i));
    return difference.sign() * b.sign() * d.sign();
}
// The sign of a / b - c.
int compare_quotient(const Sum& a, const Sum& b, double c) {
    Expansion<4 * kCompressedMax> difference;
    difference.add_scaled(a, 1.0);
    difference.add_scaled(b, -c);
    return difference.sign() * b.sign();
}

// Certain bounds of the quotient of two compressed sums.
HitTime bounds_of_quotient(const Sum& a, const Sum& b) {
    const double quotient = a.approximation() / b.approximation();
    const double error = absolute_double(quotient) * 0x1p-50;
    return {quotient - error, quotient + error};
}

// The nearest float to a / b, which is not negative. If the bounds round to neighbours, the middle decides.
float rounded_quotient(const Sum& a, const Sum& b) {
    if (a.sign() == 0) return 0.0f;
    const HitTime bounds = bounds_of_quotient(a, b);
    const auto below = static_cast<float>(bounds.min);
    const auto above = static_cast<float>(bounds.max);
    if (below == above) return below;
    const double middle = (static_cast<double>(below) + static_cast<double>(above)) * 0.5;
    const int side = compare_quotient(a, b, middle);
    // In the middle the even one, to which a conversion rounds.
    return side < 0 ? below : side > 0 ? above : static_cast<float>(middle);
}

// The sum of the edge functions as a divisor.
struct Divisor {
    double inverse;
    double error;
    bool is_certain;

    explicit Divisor(const EdgeFunctions& edges)
        : inverse(1.0 / edges.sum),
          error(edges.sum_error),
          is_certain(absolute_double(edges.sum) > 2.0 * edges.sum_error) {}
};
// A quotient of two doubles that have error bounds, as a float if that is certain; see judge.
struct Rounded {
    float value;
    bool is_certain;
};
Rounded rounded_if_certain(double a, double a_error, const Divisor& divisor) {
    const double quotient = a * divisor.inverse;
    const double size = absolute_double(quotient);
    const double error =
        2.0 * absolute_double(divisor.inverse) * (a_error + size * divisor.error) + size * 0x1p-51;
    const auto below = static_cast<float>(quotient - error);
    const auto above = static_cast<float>(quotient + error);
    return {below + 0.0f, divisor.is_certain && below == above && below >= 0.0f};
}

// As above for integers with a quotient that is not negative.
HitTime bounds_of_quotient(const Int192& a, const Int192& b, double unit) {
    const double quotient = a.approximation() / b.approximation() * unit;
    return {quotient * (1.0 - 0x1p-49), quotient * (1.0 + 0x1p-49)};
}
Rounded rounded_if_certain(const Int192& a, const Int192& b, double unit) {
    const HitTime bounds = bounds_of_quotient(a, b, unit);
    const auto below = static_cast<float>(bounds.min);
    return {below + 0.0f, below == static_cast<float>(bounds.max)};
}

// Whether the signs of the edge functions mean that the line hits the triangle.
bool is_met(const TriangleRay& ray, int of_a, int of_b, int of_c) {
    const bool is_any_positive = of_a > 0 || of_b > 0 || of_c > 0;
    const bool is_any_negative = of_a < 0 || of_b < 0 || of_c < 0;
    return is_any_positive != is_any_negative && !(ray.sides == Sides::front && is_any_negative);
}

TriangleVerdict judge_by_sums(const TriangleRay& ray, const Triangle& triangle) {
    const Vec3 d = ray.direction;
    const Vec3 o = ray.origin;
    if (!is_met(ray, exact_edge(d, o, triangle.c, triangle.b).sign(),
                exact_edge(d, o, triangle.a, triangle.c).sign(),
                exact_edge(d, o, triangle.b, triangle.a).sign())) {
        return {Verdict::miss, {}};
    }
    const Sum sum = exact_sum_of_edges(d, triangle);
    const Sum numerator = exact_numerator(o, triangle);
    if (numerator.sign() * sum.sign() < 0) return {Verdict::miss, {}};
    if (compare_quotient(numerator, sum, static_cast<double>(ray.t_max)) > 0) return {Verdict::miss, {}};
    return {Verdict::hit, bounds_of_quotient(numerator, sum)};
}

TriangleVerdict judge_whole(const TriangleRay& ray, const Triangle& triangle, const WholeScene& scene) {
    const WholeEdges edges = scene.edges(triangle);
    if (!is_met(ray, edges.of_a.sign(), edges.of_b.sign(), edges.of_c.sign())) return {Verdict::miss, {}};
    if (edges.numerator.sign() * edges.sum.sign() < 0) return {Verdict::miss, {}};
    const HitTime t = bounds_of_quotient(edges.numerator, edges.sum, edges.t_unit);
    const auto t_max = static_cast<double>(ray.t_max);
    if (t.min > t_max) return {Verdict::miss, {}};
    // t_max may have any unit.
    return t.max <= t_max ? TriangleVerdict{Verdict::hit, t} : judge_by_sums(ray, triangle);
}

bool is_finite(const Triangle& triangle) {
    return broadside::is_finite(triangle.a) && broadside::is_finite(triangle.b) &&
           broadside::is_finite(triangle.c);
}

// The sign of the edge function of the line, moved a little aside, and an edge; 0 only if the edge is a
// point. See crossing().
int moved_edge_sign(Vec3 direction, Vec3 origin, Vec3 x, Vec3 y) {
    const Coordinates d(direction), o(origin), from(x), to(y);
    const Triangle edge_triangle = {x, y, x};
    const WholeScene scene(origin, direction, {&edge_triangle});
    const int unmoved = scene.fits ? scene.edge_sign(x, y) : exact_edge(d, o, from, to).sign();
    if (unmoved != 0) return unmoved;
    for (int axis = 0; axis < 3; ++axis) {
        if (const int sign = exact_cross_sign_of_edge(from, to, d, axis); sign != 0) return sign;
    }
    const int edge[3] = {sign_of(static_cast<double>(x.x) - static_cast<double>(y.x)),
                         sign_of(static_cast<double>(x.y) - static_cast<double>(y.y)),
                         sign_of(static_cast<double>(x.z) - static_cast<double>(y.z))};
    const int by_offset[3][2] = {{edge[2], -edge[1]}, {-edge[2], edge[0]}, {edge[1], -edge[0]}};
    for (int axis = 0; axis < 3; ++axis) {
        if (const int sign = exact_cross_sign(o, from, to, axis); sign != 0) return sign;
        for (const int sign : by_offset[axis]) {
            if (sign != 0) return sign;
        }
    }
    return 0;
}

}  // namespace

TriangleVerdict judge_exactly(const TriangleRay& ray, const Triangle& triangle) noexcept {
    if (ray.t_max < 0.0f) return {Verdict::miss, {}};
    const WholeScene scene(ray.origin, ray.direction, {&triangle});
    return scene.fits ? judge_whole(ray, triangle, scene) : judge_by_sums(ray, triangle);
}

int compare_hit_times(const TriangleRay& ray, const Triangle& a, const Triangle& b) noexcept {
    const WholeScene scene(ray.origin, ray.direction, {&a, &b});
    if (scene.fits) {
        const WholeEdges of_a = scene.edges(a);
        const WholeEdges of_b = scene.edges(b);
        return compare_products(of_a.numerator, of_b.sum, of_b.numerator, of_a.sum) * of_a.sum.sign() *
               of_b.sum.sign();
    }
    return compare_quotients(exact_numerator(ray.origin, a), exact_sum_of_edges(ray.direction, a),
                             exact_numerator(ray.origin, b), exact_sum_of_edges(ray.direction, b));
}

RayTriangleHit rounded_hit(const TriangleRay& ray, const Triangle& triangle,
                           const EdgeFunctions& edges) noexcept {
    const Divisor sum_of_edges(edges);
    const Rounded t = rounded_if_certain(edges.numerator, edges.numerator_error, sum_of_edges);
    const Rounded u = rounded_if_certain(edges.of_b, edges.edge_error, sum_of_edges);
    const Rounded v = rounded_if_certain(edges.of_c, edges.edge_error, sum_of_edges);
    if (t.is_certain && u.is_certain && v.is_certain) {
        return {t.value, u.value, v.value, true, edges.sum > 0.0};
    }
    const WholeScene scene(ray.origin, ray.direction, {&triangle});
    if (scene.fits) {
        const WholeEdges whole = scene.edges(triangle);
        const Rounded whole_t = rounded_if_certain(whole.numerator, whole.sum, whole.t_unit);
        const Rounded whole_u = rounded_if_certain(whole.of_b, whole.sum, 1.0);
        const Rounded whole_v = rounded_if_certain(whole.of_c, whole.sum, 1.0);
        if (whole_t.is_certain && whole_u.is_certain && whole_v.is_certain)
            return {whole_t.value, whole_u.value, whole_v.value, true, whole.sum.sign() > 0};
    }
    const Sum sum = exact_sum_of_edges(ray.direction, triangle);
    const auto weight = [&](Vec3 from, Vec3 to) {
        Sum edge = exact_edge(ray.direction, ray.origin, from, to);
        edge.compress();
        return rounded_quotient(edge, sum);
    };
    return {t.is_certain ? t.value : rounded_quotient(exact_numerator(ray.origin, triangle), sum),
            u.is_certain ? u.value : weight(triangle.a, triangle.c),
            v.is_certain ? v.value : weight(triangle.b, triangle.a), true, sum.sign() > 0};
}

int crossing(Vec3 origin, Vec3 direction, const Triangle& triangle) noexcept {
    const int of_a = moved_edge_sign(direction, origin, triangle.c, triangle.b);
    if (of_a == 0 || moved_edge_sign(direction, origin, triangle.a, triangle.c) != of_a ||
        moved_edge_sign(direction, origin, triangle.b, triangle.a) != of_a) {
        return 0;
    }
    // The side of its plane on which the moved point lies, by -(a - o)·n and then the components of n.
    int side = exact_numerator(origin, triangle).sign();
    const Coordinates a(triangle.a), b(triangle.b), c(triangle.c);
    for (int axis = 0; axis < 3 && side == 0; ++axis) side = exact_cross_sign(a, b, c, axis);
    return side == of_a ? of_a : 0;
}

bool is_degenerate(const Triangle& triangle) noexcept {
    // Twice the error bound of a component of the product; see EdgeFunctions.
    const Vec3Double corner = widened(triangle.a);
    const Vec3Double e1 = widened(triangle.b) - corner;
    const Vec3Double e2 = widened(triangle.c) - corner;
    const double edge = max_keep(largest_size(e1), largest_size(e2));
    if (largest_size(cross(e1, e2)) > 0x1p-49 * (edge * edge)) return false;
    const Coordinates a(triangle.a), b(triangle.b), c(triangle.c);
    return exact_cross_sign(a, b, c, 0) == 0 && exact_cross_sign(a, b, c, 1) == 0 &&
           exact_cross_sign(a, b, c, 2) == 0;
}

}  // namespace narrowphase

RayTriangleHit ray_triangle(const Ray& ray, const Triangle& triangle, Sides sides) noexcept {
    const FloatEnvironment environment;
    if (!narrowphase::is_finite(triangle)) return {};
    const narrowphase::TriangleRay prepared = narrowphase::triangle_ray(ray, sides);
    if (prepared.t_max < 0.0f) return {};
    if (narrowphase::judge_surely(prepared, triangle).verdict != narrowphase::Verdict::hit) return {};
    return FloatEnvironment::result(narrowphase::rounded_hit(prepared, triangle));
}

}  // namespace broadside
