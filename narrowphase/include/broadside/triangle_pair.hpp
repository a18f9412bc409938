// Triangle against triangle: how they meet, decided exactly.
#pragma once

#include <broadside/export.hpp>
#include <broadside/hit.hpp>
#include <broadside/triangle.hpp>

#include <cstdint>

namespace BROADSIDE_API broadside {

/// How two triangles meet. The inside of a triangle is its face without its edges, in its plane.
enum class TrianglePairKind : std::uint8_t {
    /// They share no point.
    disjoint = 0,
    /// They share a point, but none that is inside both.
    touching,
    /// They share a point that is inside both, and lie in different planes.
    intersecting,
    /// They share a point that is inside both, and lie in one plane.
    coplanar,
};

/// Stands for "no triangle" wherever one is reported.
inline constexpr std::uint32_t kNoTriangle = kNoTarget<std::uint32_t>;

/// One of a and one of b, by index, and their relation.
template <class Relation>
struct RelatedPair {
    std::uint32_t a = kNoTarget<std::uint32_t>;
    std::uint32_t b = kNoTarget<std::uint32_t>;
    Relation relation = {};

    friend constexpr bool operator==(const RelatedPair&, const RelatedPair&) = default;
};
/// A triangle of mesh a and one of mesh b that meet. Never disjoint.
using TrianglePair = RelatedPair<TrianglePairKind>;

/// How two triangles meet, decided for the exact values of their coordinates, as if nothing were rounded,
/// over the whole range of floats. The order of the triangles and of their corners does not matter. A
/// degenerate triangle is treated as the segment or the point that it is; it has no inside and at most
/// touches. A triangle that is not finite meets nothing. Pure and thread-safe.
///
/// Signs of the 3 + 3 distances to planes first (T. Möller, "A Fast Triangle-Triangle Intersection Test",
/// 1997), then two orientations of edges (P. Guigue, O. Devillers, "Fast and Robust Triangle-Triangle Overlap
/// Test Using Orientation Predicates", Journal of Graphics Tools 8, 2003): in doubles where these are
/// certain, else in whole numbers or sums of doubles without rounding.
TrianglePairKind triangle_pair(const Triangle& a, const Triangle& b) noexcept;

}  // namespace broadside
