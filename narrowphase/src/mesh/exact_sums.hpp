// Determinants of coordinates as sums of doubles that are exact: what all exact decisions of triangles share.
#pragma once

#include "narrowphase/src/mesh/expansion.hpp"

#include <broadside/vec3.hpp>

namespace broadside::narrowphase {

// Sums of up to 24 products of three floats; compressed they have at most 17 terms, since all bits of such a
// sum are from 2^-447 to 2^390.
using Sum = Expansion<48>;
inline constexpr int kCompressedMax = 18;

// Three coordinates of a point or vector, so that axes can be chosen.
struct Coordinates {
    double at[3];
    Coordinates(Vec3 a) : at{static_cast<double>(a.x), static_cast<double>(a.y), static_cast<double>(a.z)} {}
};

// sign · x·(y × z).
inline void add_determinant(Sum& state_sum, double sign, const Coordinates& x, const Coordinates& y,
                            const Coordinates& z) {
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        state_sum.add_product(sign * x.at[i], y.at[j], z.at[k]);
        state_sum.add_product(-sign * x.at[i], y.at[k], z.at[j]);
    }
}

// The sign of the component at an axis of (x - o) × (y - o).
inline int exact_cross_sign(const Coordinates& o, const Coordinates& x, const Coordinates& y, int axis) {
    const int j = (axis + 1) % 3;
    const int k = (axis + 2) % 3;
    Expansion<6> sum;
    sum.add(x.at[j] * y.at[k]);
    sum.add(-x.at[j] * o.at[k]);
    sum.add(-o.at[j] * y.at[k]);
    sum.add(-x.at[k] * y.at[j]);
    sum.add(x.at[k] * o.at[j]);
    sum.add(o.at[k] * y.at[j]);
    return sum.sign();
}

}  // namespace broadside::narrowphase
