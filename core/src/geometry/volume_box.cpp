#include "core/src/geometry/volume_box.hpp"

#include "core/src/geometry/box_distance.hpp"
#include "core/src/geometry/whole_number.hpp"

#include <type_traits>

namespace broadside::geometry {
namespace {

// Half spaces have no point in common exactly when some of them, at most four, contradict each other: sums of them,
// with factors of zero or more, that say 0 <= c for a c below zero (Farkas; Carathéodory). Of a box each axis adds at
// most one side, and takes the furthest corner. So there is nothing to look at but
// - one plane,
// - two planes whose sum is free of one axis,
// - three planes whose sum is free of two axes,
// - four planes whose sum is free of all three: the volume is empty,
// each at the corner that is furthest inside. The factors are minors of the normals.

enum class Sign { minus, zero, plus, unknown };

// A number in double precision, and by how much it may be wrong.
struct Approximate {
    double value;
    double doubt;

    static Approximate coordinate(float a) { return {static_cast<double>(a), 0.0}; }
    static Approximate offset(float a) { return coordinate(a); }

    Sign sign() const {
        if (value > doubt) return Sign::plus;
        if (value < -doubt) return Sign::minus;
        return doubt == 0.0 ? Sign::zero : Sign::unknown;
    }
    Approximate operator-() const { return {-value, doubt}; }
    friend Approximate operator+(const Approximate& a, const Approximate& b) {
        const double sum = a.value + b.value;
        return {sum, ((a.doubt + b.doubt) + magnitude(sum) * 0x1p-53) * (1.0 + 0x1p-50)};
    }
    friend Approximate operator-(const Approximate& a, const Approximate& b) { return a + -b; }
    friend Approximate operator*(const Approximate& a, const Approximate& b) {
        const double product = a.value * b.value;
        const double doubt = (magnitude(a.value) + a.doubt) * b.doubt + magnitude(b.value) * a.doubt;
        return {product, (doubt + magnitude(product) * 0x1p-53) * (1.0 + 0x1p-50)};
    }
};

struct Exact {
    WholeNumber value;

    static Exact coordinate(float a) { return {WholeNumber(a)}; }
    /// To be added to products of a normal and a coordinate.
    static Exact offset(float a) { return {WholeNumber(a) * WholeNumber::one_to(1)}; }

    Sign sign() const {
        const int sign = value.sign();
        return sign < 0 ? Sign::minus : sign > 0 ? Sign::plus : Sign::zero;
    }
    Exact operator-() const { return {-value}; }
    friend Exact operator+(const Exact& a, const Exact& b) { return {a.value + b.value}; }
    friend Exact operator-(const Exact& a, const Exact& b) { return {a.value - b.value}; }
    friend Exact operator*(const Exact& a, const Exact& b) { return {a.value * b.value}; }
};

struct Columns {
    float normal[3];
    float offset;

    explicit Columns(const Plane& plane)
        : normal{plane.normal.x, plane.normal.y, plane.normal.z}, offset(plane.offset) {}
};

// Whether the half spaces leave nothing of the box: where their sum is below zero everywhere in it.
enum class Apart { no, yes, unknown };

struct BoxSides {
    float min[3];
    float max[3];

    explicit BoxSides(const Aabb& box)
        : min{box.min.x, box.min.y, box.min.z}, max{box.max.x, box.max.y, box.max.z} {}
};

template <class Number>
Apart separation_of_sign(const Number& furthest) {
    const Sign sign = furthest.sign();
    return sign == Sign::minus ? Apart::yes : sign == Sign::unknown ? Apart::unknown : Apart::no;
}

// By the sum of half spaces with this normal and offset.
template <class Number>
Apart separation(const Number (&normal)[3], const Number& offset, const BoxSides& box) {
    Number furthest = offset;
    for (int axis = 0; axis < 3; ++axis) {
        const Sign sign = normal[axis].sign();
        if (sign == Sign::unknown) return Apart::unknown;
        if (sign == Sign::zero) continue;
        const float side = sign == Sign::plus ? box.max[axis] : box.min[axis];
        if (!is_finite(side)) return Apart::no;
        furthest = furthest + normal[axis] * Number::coordinate(side);
    }
    return separation_of_sign(furthest);
}

template <class Number>
Apart separation_of_one(const Columns& a, const BoxSides& box) {
    const Number normal[3] = {Number::coordinate(a.normal[0]), Number::coordinate(a.normal[1]),
                              Number::coordinate(a.normal[2])};
    return separation(normal, Number::offset(a.offset), box);
}

template <class Number>
Apart separation_of_two(const Columns& a, const Columns& b, int free_axis, const BoxSides& box) {
    const float along_a = a.normal[free_axis];
    const float along_b = b.normal[free_axis];
    const bool is_opposite = (along_a < 0.0f && along_b > 0.0f) || (along_a > 0.0f && along_b < 0.0f);
    if (!is_opposite) return Apart::no;
    const Number factor_a = Number::coordinate(absolute(along_b));
    const Number factor_b = Number::coordinate(absolute(along_a));
    Number normal[3] = {Number::coordinate(0.0f), Number::coordinate(0.0f), Number::coordinate(0.0f)};
    for (int step = 1; step < 3; ++step) {
        const int axis = (free_axis + step) % 3;
        normal[axis] =
            factor_a * Number::coordinate(a.normal[axis]) + factor_b * Number::coordinate(b.normal[axis]);
    }
    return separation(normal, factor_a * Number::offset(a.offset) + factor_b * Number::offset(b.offset), box);
}

// Factors as they come count if no two are on different sides of zero; `is_negative` says on which they are.
template <class Number, std::size_t kCount>
Apart check_factors(const Number (&factors)[kCount], bool& out_is_negative) {
    bool has_minus = false;
    bool has_plus = false;
    for (const Number& factor : factors) {
        const Sign sign = factor.sign();
        if (sign == Sign::unknown) return Apart::unknown;
        has_minus = has_minus || sign == Sign::minus;
        has_plus = has_plus || sign == Sign::plus;
    }
    out_is_negative = has_minus;
    return has_minus != has_plus ? Apart::yes : Apart::no;
}

template <class Number>
Apart separation_of_three(const Columns& a, const Columns& b, const Columns& c, int kept_axis,
                          const BoxSides& box) {
    const int u = (kept_axis + 1) % 3;
    const int v = (kept_axis + 2) % 3;
    const auto minor = [&](const Columns& p, const Columns& q) {
        return Number::coordinate(p.normal[u]) * Number::coordinate(q.normal[v]) -
               Number::coordinate(p.normal[v]) * Number::coordinate(q.normal[u]);
    };
    const Number factors[3] = {minor(b, c), minor(c, a), minor(a, b)};
    bool is_negative = false;
    if (const Apart legal = check_factors(factors, is_negative); legal != Apart::yes) return legal;
    const auto sum = [&](const Number& of_a, const Number& of_b, const Number& of_c) {
        const Number total = (factors[0] * of_a + factors[1] * of_b) + factors[2] * of_c;
        return is_negative ? -total : total;
    };
    Number normal[3] = {Number::coordinate(0.0f), Number::coordinate(0.0f), Number::coordinate(0.0f)};
    normal[kept_axis] = sum(Number::coordinate(a.normal[kept_axis]), Number::coordinate(b.normal[kept_axis]),
                            Number::coordinate(c.normal[kept_axis]));
    return separation(normal,
                      sum(Number::offset(a.offset), Number::offset(b.offset), Number::offset(c.offset)), box);
}

template <class Number>
Apart separation_of_four(const Columns& a, const Columns& b, const Columns& c, const Columns& d) {
    const auto minor = [&](const Columns& p, const Columns& q, int u, int v) {
        return Number::coordinate(p.normal[u]) * Number::coordinate(q.normal[v]) -
               Number::coordinate(p.normal[v]) * Number::coordinate(q.normal[u]);
    };
    const auto determinant = [&](const Columns& p, const Columns& q, const Columns& r) {
        return (Number::coordinate(p.normal[0]) * minor(q, r, 1, 2) +
                Number::coordinate(p.normal[1]) * minor(q, r, 2, 0)) +
               Number::coordinate(p.normal[2]) * minor(q, r, 0, 1);
    };
    const Number factors[4] = {determinant(b, c, d), -determinant(a, c, d), determinant(a, b, d),
                               -determinant(a, b, c)};
    bool is_negative = false;
    if (const Apart legal = check_factors(factors, is_negative); legal != Apart::yes) return legal;
    // All are products of as many numbers, so offsets go in as they are.
    const Number total =
        (factors[0] * Number::coordinate(a.offset) + factors[1] * Number::coordinate(b.offset)) +
        (factors[2] * Number::coordinate(c.offset) + factors[3] * Number::coordinate(d.offset));
    return separation_of_sign(is_negative ? -total : total);
}

// Whether some of the planes separate. By approximate numbers it is unknown where one of the answers is.
template <class Number>
class Search {
public:
    Search(std::span<const Plane> planes, const Aabb& box) : planes_(planes), box_(box) {}

    Apart answer() {
        for (std::size_t i = 0; i < planes_.size() && !is_apart_; ++i) look_from(i);
        return is_apart_ ? Apart::yes : is_open_ ? Apart::unknown : Apart::no;
    }

private:
    // At those whose first plane is this one.
    void look_from(std::size_t i) {
        const Columns a(planes_[i]);
        take([&](auto number) { return separation_of_one<decltype(number)>(a, box_); });
        for (std::size_t j = i + 1; j < planes_.size() && !is_apart_; ++j) {
            const Columns b(planes_[j]);
            for (int axis = 0; axis < 3; ++axis)
                take([&](auto number) { return separation_of_two<decltype(number)>(a, b, axis, box_); });
            for (std::size_t k = j + 1; k < planes_.size() && !is_apart_; ++k) {
                const Columns c(planes_[k]);
                for (int axis = 0; axis < 3; ++axis)
                    take([&](auto number) {
                        return separation_of_three<decltype(number)>(a, b, c, axis, box_);
                    });
                for (std::size_t l = k + 1; l < planes_.size() && !is_apart_; ++l) {
                    const Columns d(planes_[l]);
                    take([&](auto number) { return separation_of_four<decltype(number)>(a, b, c, d); });
                }
            }
        }
    }
    // What doubles leave open is decided in whole numbers, on the second way through.
    template <class Test>
    void take(const Test& test) {
        if (is_apart_) return;
        const Apart found = test(Approximate{});
        if (found == Apart::no) return;
        if (found == Apart::unknown && std::is_same_v<Number, Approximate>) {
            is_open_ = true;
            return;
        }
        is_apart_ = found == Apart::yes || test(Exact{}) == Apart::yes;
    }

    std::span<const Plane> planes_;
    BoxSides box_;
    bool is_apart_ = false;
    bool is_open_ = false;
};

struct Point {
    double at[3];
};

// How far inside a plane a point of floats or doubles is, certainly above zero or not.
Approximate height(const Plane& plane, const Point& point) {
    const double x = static_cast<double>(plane.normal.x) * point.at[0];
    const double y = static_cast<double>(plane.normal.y) * point.at[1];
    const double z = static_cast<double>(plane.normal.z) * point.at[2];
    const auto offset = static_cast<double>(plane.offset);
    const double size = ((magnitude(x) + magnitude(y)) + magnitude(z)) + magnitude(offset);
    return {((x + y) + z) + offset, size * 0x1p-50};
}

bool is_exactly_inside(std::span<const Plane> planes, Vec3 point) {
    const WholeNumber coordinates[3] = {WholeNumber(point.x), WholeNumber(point.y), WholeNumber(point.z)};
    const WholeNumber unit = WholeNumber::one_to(1);
    for (const Plane& plane : planes) {
        const WholeNumber height =
            (WholeNumber(plane.normal.x) * coordinates[0] + WholeNumber(plane.normal.y) * coordinates[1]) +
            (WholeNumber(plane.normal.z) * coordinates[2] + WholeNumber(plane.offset) * unit);
        if (height.sign() < 0) return false;
    }
    return true;
}

}  // namespace

VolumeOverlaps::VolumeOverlaps(std::span<const Plane> planes) noexcept : planes_(planes), query_{} {
    for (const Plane& plane : planes) {
        if (query_.count == nodes::PlanesQuery::kMaxCount || !is_valid(plane)) break;
        query_.planes[query_.count++] = nodes::scaled_plane(plane);
    }
}

// A point of the box that is inside all planes, looked for by going back to the planes that it is outside of.
bool VolumeOverlaps::is_surely_met(const Aabb& box) const noexcept {
    const BoxSides sides(box);
    Point point;
    const auto clamp = [&](int axis, double place) {
        const double above_min = max_keep(static_cast<double>(sides.min[axis]), place);
        point.at[axis] = min_keep(static_cast<double>(sides.max[axis]), above_min);
    };
    for (int axis = 0; axis < 3; ++axis) {
        const bool is_bounded = is_finite(sides.min[axis]) && is_finite(sides.max[axis]);
        clamp(axis, is_bounded
                        ? 0.5 * (static_cast<double>(sides.min[axis]) + static_cast<double>(sides.max[axis]))
                        : 0.0);
    }
    constexpr int kRounds = 8;
    for (int round = 0; round < kRounds; ++round) {
        bool is_inside = true;
        for (const Plane& plane : planes_) {
            const Approximate above = height(plane, point);
            if (above.sign() == Sign::plus) continue;
            is_inside = false;
            const double normal[3] = {static_cast<double>(plane.normal.x),
                                      static_cast<double>(plane.normal.y),
                                      static_cast<double>(plane.normal.z)};
            const double length_sq = (normal[0] * normal[0] + normal[1] * normal[1]) + normal[2] * normal[2];
            if (!(length_sq > 0.0)) continue;
            // Beyond the plane, by half of the way to it.
            const double by = (above.doubt - 1.5 * above.value) / length_sq;
            for (int axis = 0; axis < 3; ++axis) clamp(axis, point.at[axis] + by * normal[axis]);
        }
        if (is_inside) return true;
    }
    const auto rounded = [&](int axis) {
        const float place = static_cast<float>(
            min_keep(max_keep(point.at[axis], -static_cast<double>(FLT_MAX)), static_cast<double>(FLT_MAX)));
        return min_keep(max_keep(place, sides.min[axis]), sides.max[axis]);
    };
    const Vec3 near_it = {rounded(0), rounded(1), rounded(2)};
    return is_finite(near_it) && is_exactly_inside(planes_, near_it);
}

bool VolumeOverlaps::holds(const Aabb& box) const noexcept {
    if (is_surely_met(box)) return true;
    const Apart found = Search<Approximate>(planes_, box).answer();
    if (found != Apart::unknown) return found == Apart::no;
    return Search<Exact>(planes_, box).answer() == Apart::no;
}

}  // namespace broadside::geometry
