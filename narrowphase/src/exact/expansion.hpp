// Exact sums of doubles, after J. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust
// Geometric Predicates", Discrete & Computational Geometry 18, 1997.
#pragma once

#include <broadside/compiler.hpp>
#include <broadside/vec3.hpp>

namespace broadside::narrowphase {

inline int sign_of(double value) { return value > 0.0 ? 1 : value < 0.0 ? -1 : 0; }

/// The rounded result of an operation and its rounding error: their sum is exact.
struct ExactResult {
    double rounded;
    double lost;
};
BROADSIDE_FORCE_INLINE ExactResult exact_sum(double a, double b) {
    const double sum = a + b;
    const double b_in_sum = sum - a;
    const double a_in_sum = sum - b_in_sum;
    return {sum, (a - a_in_sum) + (b - b_in_sum)};
}
/// After T. Dekker, 1971: by products of halves, because not every processor has a fused operation. For
/// results between 2^-960 and 2^990 in size, and zeros.
BROADSIDE_FORCE_INLINE ExactResult exact_product(double a, double b) {
    constexpr double kSplitter = 0x1p27 + 1;
    const double product = a * b;
    const double a_scaled = a * kSplitter;
    const double b_scaled = b * kSplitter;
    const double a_high = a_scaled - (a_scaled - a);
    const double b_high = b_scaled - (b_scaled - b);
    const double a_low = a - a_high;
    const double b_low = b - b_high;
    const double lost = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    return {product, lost};
}

/// A number as the sum of doubles that do not overlap, the smallest first and without zeros; no terms for 0.
/// Additions must leave it within `kCapacity` terms.
template <int kCapacity>
class Expansion {
public:
    int count() const { return count_; }
    double term(int index) const { return terms_[index]; }
    int sign() const { return count_ == 0 ? 0 : terms_[count_ - 1] > 0.0 ? 1 : -1; }

    void add(double value) {
        int kept = 0;
        double rest = value;
        for (int i = 0; i < count_; ++i) {
            const ExactResult sum = exact_sum(rest, terms_[i]);
            if (sum.lost != 0.0) terms_[kept++] = sum.lost;
            rest = sum.rounded;
        }
        if (rest != 0.0) terms_[kept++] = rest;
        count_ = kept;
    }
    /// a·b·c for floats, or other numbers whose pairwise products a double holds.
    void add_product(double a, double b, double c) {
        const ExactResult product = exact_product(a * b, c);
        add(product.lost);
        add(product.rounded);
    }
    template <int kOther>
    void add_scaled(const Expansion<kOther>& other, double factor) {
        for (int i = 0; i < other.count(); ++i) {
            const ExactResult product = exact_product(other.term(i), factor);
            add(product.lost);
            add(product.rounded);
        }
    }

    /// Reduces the number to as few terms as possible, each below half of the last digit of the next.
    void compress() {
        if (count_ == 0) return;
        double high = terms_[count_ - 1];
        int bottom = count_ - 1;
        for (int i = count_ - 2; i >= 0; --i) {
            const ExactResult sum = exact_sum(high, terms_[i]);
            high = sum.rounded;
            if (sum.lost != 0.0) {
                terms_[bottom--] = sum.rounded;
                high = sum.lost;
            }
        }
        terms_[bottom] = high;
        int kept = 0;
        for (int i = bottom + 1; i < count_; ++i) {
            const ExactResult sum = exact_sum(terms_[i], high);
            high = sum.rounded;
            if (sum.lost != 0.0) terms_[kept++] = sum.lost;
        }
        terms_[kept++] = high;
        count_ = kept;
    }
    /// The nearest double to within a unit in the last place, once compressed.
    double approximation() const { return count_ == 0 ? 0.0 : terms_[count_ - 1]; }

private:
    double terms_[static_cast<unsigned>(kCapacity)];
    int count_ = 0;
};

// Sums of up to 24 products of three floats. Compressed they have at most 17 terms, because all bits of such
// a sum are from 2^-447 to 2^390.
using Sum = Expansion<48>;
inline constexpr int kCompressedMax = 18;

// Three coordinates of a point or vector, so that axes can be selected by index.
struct Coordinates {
    double at[3];
    Coordinates(Vec3 a) : at{static_cast<double>(a.x), static_cast<double>(a.y), static_cast<double>(a.z)} {}
};

// Adds sign · x·(y × z).
inline void add_determinant(Sum& state_sum, double sign, const Coordinates& x, const Coordinates& y,
                            const Coordinates& z) {
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        state_sum.add_product(sign * x.at[i], y.at[j], z.at[k]);
        state_sum.add_product(-sign * x.at[i], y.at[k], z.at[j]);
    }
}

// The sign of component `axis` of (x - o) × (y - o).
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
