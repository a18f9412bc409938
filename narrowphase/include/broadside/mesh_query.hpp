// Queries to a TriangleMesh or a MeshScene and their results.
#pragma once

#include <broadside/aligned_array.hpp>
#include <broadside/cast.hpp>
#include <broadside/closest_point.hpp>
#include <broadside/hit.hpp>
#include <broadside/obb_triangle.hpp>
#include <broadside/query_list.hpp>
#include <broadside/ray_triangle.hpp>
#include <broadside/shape_triangle.hpp>
#include <broadside/sphere.hpp>
#include <broadside/task_runner.hpp>
#include <broadside/triangle_pair.hpp>
#include <broadside/visitor.hpp>

#include <cstdint>
#include <limits>

namespace broadside {

/// A mesh has fewer triangles than this.
inline constexpr std::uint32_t kMaxTriangleCount = 1u << 30;

/// Shapes that may overlap triangles: one, or many of a kind.
using MeshShapes = QueryList<Aabb, Sphere, Obb, Capsule>;
/// One shape.
using MeshShape = SingleQuery<MeshShapes>;

/// Moving shapes that may hit triangles: one, or many of a kind.
using MeshCasts = QueryList<ObbCast, SphereCast, CapsuleCast>;
/// One moving shape.
using MeshCast = SingleQuery<MeshCasts>;

/// Queries that may hit triangles, with the rule for rays: one, or many of a kind.
template <class... Query>
struct SidedQueries : QueryList<Query...> {
    /// Converts implicitly from a query or a range.
    using QueryList<Query...>::QueryList;
    /// Rays, and the sides from which they hit triangles.
    template <class Rays>
    requires std::convertible_to<const Rays&, QueryList<Ray>> SidedQueries(const Rays& rays, Sides sides_in)
    noexcept : QueryList<Query...>(rays), sides(sides_in) {}

    /// For rays. Default both: culling is off.
    Sides sides = Sides::both;
};
/// Rays.
using MeshRays = SidedQueries<Ray>;
using MeshRay = SingleQuery<MeshRays>;
/// Rays or moving shapes.
using MeshHitQueries = SidedQueries<Ray, ObbCast, SphereCast, CapsuleCast>;
using MeshHitQuery = SingleQuery<MeshHitQueries>;

/// A triangle that a ray hits; see RayTriangleHit.
template <class Target>
struct [[nodiscard]] RayHit {
    /// kNoIntersection if there is none.
    float t = kNoIntersection;
    /// The point is a + u·(b - a) + v·(c - a).
    float u = 0.0f;
    float v = 0.0f;
    /// kNoTarget if and only if there is none.
    Target target = kNoTarget<Target>;

    friend constexpr bool operator==(const RayHit&, const RayHit&) = default;
};
/// A triangle that a moving shape meets first; see TriangleImpact and ShapeImpact.
template <class Target>
struct [[nodiscard]] CastHit {
    /// The time of impact, at most the t_max of the cast. kNoIntersection if there is none.
    float t = kNoIntersection;
    /// kNoTarget if and only if there is none.
    Target target = kNoTarget<Target>;
    /// The point of the triangle that a sphere or capsule touches; zero for an oriented box.
    Vec3 point = {};
    /// Unit vector from the triangle to the shape: that of a ShapeImpact, and for an oriented box
    /// `contact_normal`. Zero if an oriented box overlaps at the start.
    Vec3 normal = {};
    /// The axis that decides the impact of an oriented box; none for other shapes.
    ContactAxis axis = ContactAxis::none;

    friend constexpr bool operator==(const CastHit&, const CastHit&) = default;
};
/// The point of a triangle that is closest to a given one; see ClosestPoint.
template <class Target>
struct [[nodiscard]] ClosestTriangle {
    Vec3 point = {};
    float distance_sq = std::numeric_limits<float>::infinity();
    /// kNoTarget if and only if there is none.
    Target target = kNoTarget<Target>;

    friend constexpr bool operator==(const ClosestTriangle&, const ClosestTriangle&) = default;
};

/// Results of a TriangleMesh, which name a triangle by its index.
using MeshHit = RayHit<std::uint32_t>;
using MeshImpact = CastHit<std::uint32_t>;
using MeshClosestPoint = ClosestTriangle<std::uint32_t>;

/// Take the hits of one query one by one; see Visitor.
using MeshHitVisitor = Visitor<MeshHit, float>;
using MeshImpactVisitor = Visitor<MeshImpact, float>;

/// The index for "no instance" wherever one is reported.
inline constexpr std::uint32_t kNoInstance = kNoTarget<std::uint32_t>;

/// A triangle of an instance: what queries of a MeshScene find. Two kNo... if there is none.
struct SceneTriangle {
    std::uint32_t instance_index = kNoInstance;
    std::uint32_t triangle_index = kNoTriangle;

    friend constexpr bool operator==(const SceneTriangle&, const SceneTriangle&) = default;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes what is generated for a 0.
    friend constexpr auto operator<=>(const SceneTriangle&, const SceneTriangle&) = default;
};

/// Results of a MeshScene: those of a mesh, with points and normals in the world. A squared distance is that
/// of the mesh times the square of the scale, rounded to float.
using SceneHit = RayHit<SceneTriangle>;
using SceneImpact = CastHit<SceneTriangle>;
using SceneClosestPoint = ClosestTriangle<SceneTriangle>;

/// Take the hits of one query one by one; see Visitor.
using SceneHitVisitor = Visitor<SceneHit, float>;
using SceneImpactVisitor = Visitor<SceneImpact, float>;

/// Grow-only memory for calls that return lists, of meshes, scenes and pairs of meshes or sphere trees, kept by
/// the caller between calls; it holds no state.
/// Movable, not copyable. Not for two calls at once.
struct MeshScratch {
    explicit MeshScratch(const Allocator& allocator = default_allocator()) noexcept
        : hits(allocator),
          impacts(allocator),
          pairs(allocator),
          triangle_pairs(allocator),
          instances(allocator),
          scene_hits(allocator),
          scene_impacts(allocator) {}

    std::size_t capacity_bytes() const noexcept {
        return hits.capacity_bytes() + impacts.capacity_bytes() + pairs.capacity_bytes() +
               triangle_pairs.capacity_bytes() + instances.capacity_bytes() + scene_hits.capacity_bytes() +
               scene_impacts.capacity_bytes();
    }

    /// Internal to the library: the hits of one query.
    AlignedArray<std::uint32_t> hits;
    /// See `hits`: the impacts of one cast.
    AlignedArray<MeshImpact> impacts;
    /// Internal to the library: the pairs of two trees, or of a shape and an instance.
    PairBuffer pairs;
    /// See `pairs`.
    AlignedArray<TrianglePair> triangle_pairs;
    /// Internal to the library: the instances that one query meets.
    AlignedArray<std::uint32_t> instances;
    /// See `hits`.
    AlignedArray<SceneHit> scene_hits;
    /// See `impacts`.
    AlignedArray<SceneImpact> scene_impacts;
};

}  // namespace broadside
