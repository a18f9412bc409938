// A ray and triangles in integers of 64 bits: exact results usually fit, and this is the fastest way to them.
#pragma once

#include "narrowphase/src/exact/int128.hpp"

#include <broadside/ray.hpp>
#include <broadside/triangle.hpp>

#include <cstdint>
#include <initializer_list>

namespace broadside::narrowphase {

/// A number of 192 bits: high · 2^64 + low.
struct Int192 {
    Int128 high = 0;
    std::uint64_t low = 0;

    int sign() const { return high < 0 ? -1 : high > 0 || low != 0 ? 1 : 0; }
    Int192 operator-() const { return {~high + (low == 0 ? 1 : 0), ~low + 1}; }
    Int192& operator+=(const Int192& other) {
        low += other.low;
        high += other.high + (low < other.low ? 1 : 0);
        return *this;
    }
    /// Right to 2^-51 of itself.
    double approximation() const {
        if (high < 0) return -(-*this).approximation();
        return static_cast<double>(high) * 0x1p64 + static_cast<double>(low);
    }
};
/// For at most 126 and 63 bits.
inline Int192 product(Int128 a, std::int64_t b) {
    const auto low = static_cast<std::uint64_t>(a);
    const auto high = static_cast<std::int64_t>(a >> 64);
    // The low word is not negative, the factor may be.
    const Int128 of_low =
        b < 0 ? -static_cast<Int128>(static_cast<UInt128>(low) * static_cast<std::uint64_t>(-b))
              : static_cast<Int128>(static_cast<UInt128>(low) * static_cast<std::uint64_t>(b));
    return {static_cast<Int128>(high) * b + (of_low >> 64), static_cast<std::uint64_t>(of_low)};
}

struct WholeVec3 {
    std::int64_t x, y, z;
};
inline WholeVec3 operator-(const WholeVec3& a, const WholeVec3& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
/// d·(a × b) for components below 2^62.
inline Int192 triple_product(const WholeVec3& d, const WholeVec3& a, const WholeVec3& b) {
    const auto minor = [](std::int64_t p, std::int64_t q, std::int64_t r, std::int64_t s) {
        return static_cast<Int128>(p) * q - static_cast<Int128>(r) * s;
    };
    Int192 sum = product(minor(a.y, b.z, a.z, b.y), d.x);
    sum += product(minor(a.z, b.x, a.x, b.z), d.y);
    sum += product(minor(a.x, b.y, a.y, b.x), d.z);
    return sum;
}

/// A unit for some floats: all of them are multiples of it below 2^61, if there is one.
class WholeUnit {
public:
    void add(Vec3 a) {
        for (const float number : {a.x, a.y, a.z}) {
            if (number == 0.0f) continue;
            const int exponent = exponent_of(number);
            min_ = exponent < min_ ? exponent : min_;
            max_ = exponent > max_ ? exponent : max_;
        }
    }
    bool fits() const { return max_ - min_ <= 61 - 24; }
    WholeVec3 in_units(Vec3 a) const { return {in_units(a.x), in_units(a.y), in_units(a.z)}; }
    /// The unit is 2 to this power, except for a constant factor.
    int exponent() const { return min_ <= max_ ? min_ : 0; }

private:
    static int exponent_of(float number) {
        const auto exponent = static_cast<int>(__builtin_bit_cast(std::uint32_t, number) >> 23 & 0xFF);
        return exponent == 0 ? 1 : exponent;
    }
    std::int64_t in_units(float number) const {
        if (number == 0.0f) return 0;
        const std::uint32_t pattern = __builtin_bit_cast(std::uint32_t, number);
        const std::int64_t significand = (pattern & 0x7FFFFF) | ((pattern >> 23 & 0xFF) != 0 ? 0x800000 : 0);
        const std::int64_t size = significand << (exponent_of(number) - min_);
        return pattern >> 31 != 0 ? -size : size;
    }

    int min_ = 255;
    int max_ = 1;
};

/// The edge functions of a ray and a triangle, see EdgeFunctions, in units that cancel except in t.
struct WholeEdges {
    Int192 of_a, of_b, of_c, sum, numerator;
    /// t is numerator / sum times this.
    double t_unit;
};
struct WholeScene {
    WholeVec3 origin, direction;
    WholeUnit places, directions;
    bool fits;

    WholeScene(Vec3 origin_in, Vec3 direction_in, std::initializer_list<const Triangle*> triangles) {
        places.add(origin_in);
        directions.add(direction_in);
        for (const Triangle* triangle : triangles) {
            places.add(triangle->a);
            places.add(triangle->b);
            places.add(triangle->c);
        }
        fits = places.fits() && directions.fits();
        if (!fits) return;
        origin = places.in_units(origin_in);
        direction = directions.in_units(direction_in);
    }
    /// The sign of d·((x - o) × (y - o)).
    int edge_sign(Vec3 x, Vec3 y) const {
        return triple_product(direction, places.in_units(x) - origin, places.in_units(y) - origin).sign();
    }
    WholeEdges edges(const Triangle& triangle) const {
        const WholeVec3 a = places.in_units(triangle.a) - origin;
        const WholeVec3 b = places.in_units(triangle.b) - origin;
        const WholeVec3 c = places.in_units(triangle.c) - origin;
        WholeEdges edges;
        edges.of_a = triple_product(direction, c, b);
        edges.of_b = triple_product(direction, a, c);
        edges.of_c = triple_product(direction, b, a);
        edges.sum = edges.of_a;
        edges.sum += edges.of_b;
        edges.sum += edges.of_c;
        // -a·n is c·(b × a).
        edges.numerator = triple_product(c, b, a);
        const auto exponent = static_cast<std::uint64_t>(1023 + places.exponent() - directions.exponent());
        edges.t_unit = __builtin_bit_cast(double, exponent << 52);
        return edges;
    }
};

/// The sign of a·b - c·d.
inline int compare_products(const Int192& a, const Int192& b, const Int192& c, const Int192& d) {
    struct Size {
        std::uint64_t words[6] = {};
        int sign;
        Size(const Int192& p, const Int192& q) : sign(p.sign() * q.sign()) {
            const Int192 x = p.sign() < 0 ? -p : p;
            const Int192 y = q.sign() < 0 ? -q : q;
            const std::uint64_t in_x[3] = {x.low, static_cast<std::uint64_t>(x.high),
                                           static_cast<std::uint64_t>(x.high >> 64)};
            const std::uint64_t in_y[3] = {y.low, static_cast<std::uint64_t>(y.high),
                                           static_cast<std::uint64_t>(y.high >> 64)};
            for (int i = 0; i < 3; ++i) {
                UInt128 carry = 0;
                for (int k = 0; k < 3; ++k) {
                    carry += static_cast<UInt128>(in_x[i]) * in_y[k] + words[i + k];
                    words[i + k] = static_cast<std::uint64_t>(carry);
                    carry >>= 64;
                }
                words[i + 3] = static_cast<std::uint64_t>(carry);
            }
        }
    };
    const Size left(a, b);
    const Size right(c, d);
    if (left.sign != right.sign) return left.sign < right.sign ? -1 : 1;
    for (int i = 5; i >= 0; --i) {
        if (left.words[i] != right.words[i]) return (left.words[i] < right.words[i] ? -1 : 1) * left.sign;
    }
    return 0;
}

}  // namespace broadside::narrowphase
