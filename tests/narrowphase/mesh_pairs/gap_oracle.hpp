// The distance of two triangles in rational numbers: of points, lines and planes, without clamping.
#pragma once

#include "tests/narrowphase/mesh_pairs/pair_oracle.hpp"

#include <optional>

namespace broadside::test {

/// The smallest of the squared distances so far.
class LeastSquare {
public:
    void add(const RationalVector& gap) {
        const mpq_class square = dot(gap, gap);
        if (!least_ || square < *least_) least_ = square;
    }
    const mpq_class& value() const { return *least_; }

private:
    std::optional<mpq_class> least_;
};

/// A part counts if its nearest points are inside: a point of the line between the ends of an edge, or of the
/// plane within the face. If these are not unique, the bounds of the part have points that are as near.
inline void add_edge_and_corner(LeastSquare& state_least, const RationalVector& from,
                                const RationalVector& to, const RationalVector& corner) {
    const RationalVector along = to - from;
    const mpq_class length_sq = dot(along, along);
    if (length_sq == 0) return;
    const mpq_class t = dot(corner - from, along) / length_sq;
    if (t > 0 && t < 1) state_least.add(corner - (from + along * t));
}
inline void add_edges(LeastSquare& state_least, const RationalVector& p, const RationalVector& p_end,
                      const RationalVector& q, const RationalVector& q_end) {
    const RationalVector d = p_end - p, e = q_end - q;
    const RationalVector normal = cross(d, e);
    const mpq_class normal_sq = dot(normal, normal);
    if (normal_sq == 0) return;
    const mpq_class s = dot(cross(q - p, e), normal) / normal_sq;
    const mpq_class t = dot(cross(q - p, d), normal) / normal_sq;
    if (s > 0 && s < 1 && t > 0 && t < 1) state_least.add((q + e * t) - (p + d * s));
}
inline void add_face_and_corner(LeastSquare& state_least, const RationalTriangle& face,
                                const RationalVector& corner) {
    if (face.is_degenerate()) return;
    for (int edge = 0; edge < 3; ++edge) {
        if (face.within(edge, corner) <= 0) return;
    }
    state_least.add(face.normal * mpq_class(face.side(corner) / dot(face.normal, face.normal)));
}

/// Of two triangles that do not meet.
inline mpq_class exact_gap_sq(const Triangle& first, const Triangle& second) {
    const RationalTriangle a(first), b(second);
    LeastSquare least;
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
            const RationalVector &p = a.corners[i], &p_end = a.corners[(i + 1) % 3];
            const RationalVector &q = b.corners[k], &q_end = b.corners[(k + 1) % 3];
            least.add(q - p);
            add_edge_and_corner(least, p, p_end, q);
            add_edge_and_corner(least, q, q_end, p);
            add_edges(least, p, p_end, q, q_end);
        }
        add_face_and_corner(least, a, b.corners[i]);
        add_face_and_corner(least, b, a.corners[i]);
    }
    return least.value();
}

/// The unit of WholeVector is the smallest float.
inline double root_in_floats(const mpq_class& square) {
    const mpf_class root = sqrt(mpf_class(square, 512));
    mpf_class in_floats(0, 512);
    mpf_div_2exp(in_floats.get_mpf_t(), root.get_mpf_t(), 149);
    return in_floats.get_d();
}

}  // namespace broadside::test
