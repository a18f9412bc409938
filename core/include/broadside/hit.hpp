// Results of queries. The type of what is found is a parameter: an index in a BoxTree or TriangleMesh, the
// handle of an object of a World, or a triangle of a MeshScene.
#pragma once

#include <broadside/face.hpp>
#include <broadside/no_intersection.hpp>
#include <broadside/pair_buffer.hpp>

#include <cstdint>
#include <limits>

namespace broadside {

/// The value for "nothing found": the largest index, or a null handle.
template <class Target>
inline constexpr Target kNoTarget = {};
template <>
inline constexpr std::uint32_t kNoTarget<std::uint32_t> = 0xFFFFFFFFu;
/// No pair.
template <>
inline constexpr IndexPair kNoTarget<IndexPair> = {0xFFFFFFFFu, 0xFFFFFFFFu};

/// A box that a ray or a moving shape hits.
template <class Target>
struct [[nodiscard]] BoxHit {
    /// kNoTarget if and only if there is none.
    Target target = kNoTarget<Target>;
    /// A ray's t_enter, or a cast's time of impact. kNoIntersection if there is none.
    float t = kNoIntersection;
    /// The face of the box through which it is met; see RaySolidHit and Impact. For a sphere or capsule, the
    /// face that it meets away from its edges; none at an edge or corner and if it overlaps from the start.
    Face face = Face::none;

    friend constexpr bool operator==(const BoxHit&, const BoxHit&) = default;
};

/// A hit on a box of a list or a BoxTree: its index.
using TreeHit = BoxHit<std::uint32_t>;

/// A box that is near a point or box.
template <class Target>
struct [[nodiscard]] Closest {
    /// Squared distance of the query to the box: 0 if they overlap, at most FLT_MAX. Computed in double
    /// precision, then rounded; the boxes found and their order depend on the exact distance, not on this.
    /// kNoIntersection if there is none.
    float distance_sq = kNoIntersection;
    /// kNoTarget if and only if there is none.
    Target target = kNoTarget<Target>;

    friend constexpr bool operator==(const Closest&, const Closest&) = default;
};

/// A box, or a pair of boxes, within reach.
template <class Target>
struct [[nodiscard]] Close {
    /// The smallest float not below the distance of the two closed boxes: 0 exactly if they overlap, infinity
    /// if it is above FLT_MAX or there is no pair. Used as a largest distance it keeps the pair in.
    float distance = std::numeric_limits<float>::infinity();
    /// kNoTarget if there is none, and only then.
    Target target = kNoTarget<Target>;

    friend constexpr bool operator==(const Close&, const Close&) = default;
};

/// An item of a list: the index of a query, and what it has found.
template <class Found>
struct Listed {
    std::uint32_t query;
    Found found;

    friend constexpr bool operator==(const Listed&, const Listed&) = default;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes what is generated for a 0.
    friend constexpr auto operator<=>(const Listed&, const Listed&) = default;
};

}  // namespace broadside
