// Oriented box against triangle, static, against exact arithmetic.
#include "tests/narrowphase/obb_triangle_oracle.hpp"

#include <doctest/doctest.h>

#include <gmpxx.h>

#include <cstdio>

using namespace broadside;
using namespace broadside::test;

namespace {

mpz_class scaled(float number, int exponent) { return mpz_class(std::ldexp(double{number}, exponent)); }

// The question in whole numbers: coordinates times 2^coordinate_bits, axes times 2^axis_bits, both exact.
InBox<mpz_class> exact_in_box(const Obb& obb, const Triangle& triangle) {
    const auto lowest_bit = [](std::initializer_list<Vec3> all) {
        int lowest = 0;
        for (const Vec3& v : all) {
            for (const float number : {v.x, v.y, v.z}) {
                int exponent = 0;
                std::frexp(number, &exponent);
                if (number != 0.0f) lowest = std::min(lowest, exponent - 24);
            }
        }
        return lowest;
    };
    const int axis_bits = -lowest_bit({obb.axis_x, obb.axis_y, obb.axis_z});
    const int bits = -lowest_bit({obb.center, obb.half_extent, triangle.a, triangle.b, triangle.c});
    const auto whole = [](const Vec3& v, int exponent) -> V3<mpz_class> {
        return {scaled(v.x, exponent), scaled(v.y, exponent), scaled(v.z, exponent)};
    };
    const V3<mpz_class> axes[3] = {whole(obb.axis_x, axis_bits), whole(obb.axis_y, axis_bits),
                                   whole(obb.axis_z, axis_bits)};
    const V3<mpz_class> center = whole(obb.center, bits);
    InBox<mpz_class> q;
    q.h = whole(obb.half_extent, bits) * mpz_class(mpz_class(1) << static_cast<unsigned>(axis_bits));
    const Vec3 corners[3] = {triangle.a, triangle.b, triangle.c};
    for (std::size_t i = 0; i < 3; ++i) {
        const V3<mpz_class> d = whole(corners[i], bits) - center;
        q.v[i] = {dot_of(axes[0], d), dot_of(axes[1], d), dot_of(axes[2], d)};
    }
    q.w = {0, 0, 0};
    return q;
}
}  // namespace
