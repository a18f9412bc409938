#include "core/src/geometry/volume_box.hpp"

#include "core/src/geometry/box_distance.hpp"
#include "core/src/geometry/whole_number.hpp"

#include <type_traits>

namespace broadside::geometry {
namespace {

// Half spaces have no point in common if and only if some of them, at most four, contradict each other: a sum
// with nonnegative factors says 0 <= c for a negative c (Farkas; Carathéodory). On each axis a box adds at
// most one side, and takes the furthest corner. So the cases are
// - one plane,
// - two planes whose sum is free of one axis,
// - three planes whose sum is free of two axes,
// - four planes whose sum is free of all three: the volume is empty,
// each at the corner that is furthest inside. The factors are minors of the normals.

enum class Sign { minus, zero, plus, unknown };

// A number in double precision, and its error bound.
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
        const double of_factors = (magnitude(a.value) + a.doubt) * b.doubt + magnitude(b.value) * a.doubt;
        return {product, (of_factors + magnitude(product) * 0x1p-53) * (1.0 + 0x1p-50)};
    }
};

struct Exact {
    WholeNumber value;

    static Exact coordinate(float a) { return {WholeNumber(a)}; }
    /// Matches the unit of products of a normal and a coordinate.
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

// Whether half spaces separate the volume from the box: their sum is negative everywhere in it.
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

// Separation by a sum of half spaces with this normal and offset.
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

// Factors are legal if no two have opposite signs. `out_is_negative` is their sign.
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
    // All are products of equally many numbers, so the offsets need no unit.
    const Number total =
        (factors[0] * Number::coordinate(a.offset) + factors[1] * Number::coordinate(b.offset)) +
        (factors[2] * Number::coordinate(c.offset) + factors[3] * Number::coordinate(d.offset));
    return separation_of_sign(is_negative ? -total : total);
}

// Tests whether some of the planes separate. With approximate numbers the result is unknown if one of the
// tests is.
template <class Number>
class Search {
public:
    Search(std::span<const Plane> planes, const Aabb& box) : planes_(planes), box_(box) {}

    Apart by_one_or_two() {
        for_each([&](std::size_t i) {
            const Columns a(planes_[i]);
            take([&](auto number) { return separation_of_one<decltype(number)>(a, box_); });
        });
        for_each_pair([&](const Columns& a, const Columns& b, std::size_t) {
            for (int axis = 0; axis < 3; ++axis)
                take([&](auto number) { return separation_of_two<decltype(number)>(a, b, axis, box_); });
        });
        return answer();
    }
    Apart by_three() {
        for_each_pair([&](const Columns& a, const Columns& b, std::size_t next) {
            for (std::size_t k = next; k < planes_.size() && !is_apart_; ++k) {
                const Columns c(planes_[k]);
                for (int axis = 0; axis < 3; ++axis)
                    take([&](auto number) {
                        return separation_of_three<decltype(number)>(a, b, c, axis, box_);
                    });
            }
        });
        return answer();
    }
    // Ignores the box: whether the volume is empty.
    Apart by_four() {
        for_each_pair([&](const Columns& a, const Columns& b, std::size_t next) {
            for (std::size_t k = next; k < planes_.size(); ++k) {
                for (std::size_t l = k + 1; l < planes_.size() && !is_apart_; ++l) {
                    const Columns c(planes_[k]);
                    const Columns d(planes_[l]);
                    take([&](auto number) { return separation_of_four<decltype(number)>(a, b, c, d); });
                }
            }
        });
        return answer();
    }

private:
    template <class Visit>
    void for_each(const Visit& visit) {
        for (std::size_t i = 0; i < planes_.size() && !is_apart_; ++i) visit(i);
    }
    // Also passes the index after the second one.
    template <class Visit>
    void for_each_pair(const Visit& visit) {
        for_each([&](std::size_t i) {
            const Columns a(planes_[i]);
            for (std::size_t j = i + 1; j < planes_.size() && !is_apart_; ++j)
                visit(a, Columns(planes_[j]), j + 1);
        });
    }
    // Whole numbers decide what doubles leave open, on the second pass.
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
    Apart answer() const { return is_apart_ ? Apart::yes : is_open_ ? Apart::unknown : Apart::no; }

    std::span<const Plane> planes_;
    BoxSides box_;
    bool is_apart_ = false;
    bool is_open_ = false;
};

struct Point {
    double at[3];
};

// Height of a point of floats or doubles above a plane, inwards, with its error bound.
Approximate height(const Plane& plane, const Point& point) {
    const double x = static_cast<double>(plane.normal.x) * point.at[0];
    const double y = static_cast<double>(plane.normal.y) * point.at[1];
    const double z = static_cast<double>(plane.normal.z) * point.at[2];
    const auto offset = static_cast<double>(plane.offset);
    const double size = ((magnitude(x) + magnitude(y)) + magnitude(z)) + magnitude(offset);
    return {((x + y) + z) + offset, size * 0x1p-50};
}

bool is_exactly_inside(std::span<const Plane> planes, Vec3 point) {
    if (!is_finite(point)) return false;
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

namespace {

// A point of the box, found by moving back inside the planes that it is outside of.
class NearPoint {
public:
    explicit NearPoint(const Aabb& box) : sides_(box) {
        for (int axis = 0; axis < 3; ++axis) {
            const bool is_bounded = is_finite(sides_.min[axis]) && is_finite(sides_.max[axis]);
            const double sum = static_cast<double>(sides_.min[axis]) + static_cast<double>(sides_.max[axis]);
            move_to(axis, is_bounded ? 0.5 * sum : 0.0);
        }
    }
    /// True if it becomes surely inside all planes within the rounds.
    bool is_found(std::span<const Plane> planes, int round_count) {
        for (int round = 0; round < round_count; ++round) {
            bool is_inside = true;
            for (const Plane& plane : planes) is_inside = go_inside(plane) && is_inside;
            if (is_inside) return true;
        }
        return false;
    }
    Vec3 rounded() const { return {rounded(0), rounded(1), rounded(2)}; }

private:
    void move_to(int axis, double place) {
        const double above_min = max_keep(static_cast<double>(sides_.min[axis]), place);
        point_.at[axis] = min_keep(static_cast<double>(sides_.max[axis]), above_min);
    }
    // Returns false if the point was not surely inside. Moves it beyond the plane by a quarter of the
    // distance, along the axes on which the box has room that way. If the room on one axis ends, the other
    // axes go on.
    bool go_inside(const Plane& plane) {
        const double normal[3] = {static_cast<double>(plane.normal.x), static_cast<double>(plane.normal.y),
                                  static_cast<double>(plane.normal.z)};
        bool was_inside = true;
        for (int step = 0; step < 3; ++step) {
            const Approximate above = height(plane, point_);
            if (above.sign() == Sign::plus) break;
            was_inside = false;
            double free[3];
            double length_sq = 0.0;
            for (int axis = 0; axis < 3; ++axis) {
                const double side =
                    static_cast<double>(normal[axis] > 0.0 ? sides_.max[axis] : sides_.min[axis]);
                free[axis] = point_.at[axis] == side ? 0.0 : normal[axis];
                length_sq += free[axis] * free[axis];
            }
            if (!(length_sq > 0.0)) break;
            const double by = (2.0 * above.doubt - 1.25 * above.value) / length_sq;
            for (int axis = 0; axis < 3; ++axis) move_to(axis, point_.at[axis] + by * free[axis]);
        }
        return was_inside;
    }
    float rounded(int axis) const {
        const double limit = static_cast<double>(FLT_MAX);
        const auto place = static_cast<float>(min_keep(max_keep(point_.at[axis], -limit), limit));
        return min_keep(max_keep(place, sides_.min[axis]), sides_.max[axis]);
    }

    BoxSides sides_;
    Point point_;
};

}  // namespace

bool VolumeOverlaps::is_empty() const noexcept {
    if (emptiness_ == Emptiness::unknown) {
        constexpr Aabb kNoBox = Aabb::empty();
        Apart found = Search<Approximate>(planes_, kNoBox).by_four();
        if (found == Apart::unknown) found = Search<Exact>(planes_, kNoBox).by_four();
        emptiness_ = found == Apart::yes ? Emptiness::yes : Emptiness::no;
    }
    return emptiness_ == Emptiness::yes;
}

bool VolumeOverlaps::holds(const Aabb& box) const noexcept {
    // The usual case comes first, the slowest last.
    NearPoint point(box);
    if (point.is_found(planes_, 2)) return true;
    Search<Approximate> search(planes_, box);
    if (search.by_one_or_two() == Apart::yes) return false;
    if (point.is_found(planes_, 10)) return true;
    const Apart found = search.by_three();
    if (found == Apart::yes) return false;
    if (found == Apart::no) return !is_empty();
    // A touch, or nearly one.
    if (is_exactly_inside(planes_, point.rounded())) return true;
    Search<Exact> exact_search(planes_, box);
    return exact_search.by_one_or_two() == Apart::no && exact_search.by_three() == Apart::no && !is_empty();
}

}  // namespace broadside::geometry
