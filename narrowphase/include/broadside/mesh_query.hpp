// Settings and results of queries to a TriangleMesh.
#pragma once

#include <broadside/aligned_array.hpp>
#include <broadside/closest_point.hpp>
#include <broadside/obb_triangle.hpp>
#include <broadside/query_list.hpp>
#include <broadside/ray_triangle.hpp>
#include <broadside/shape_triangle.hpp>
#include <broadside/sphere.hpp>
#include <broadside/task_runner.hpp>

#include <cstdint>
#include <limits>

namespace broadside {

/// Stands for "no triangle" wherever one is reported.
inline constexpr std::uint32_t kNoTriangle = 0xFFFFFFFFu;
/// A mesh has fewer triangles than this.
inline constexpr std::uint32_t kMaxTriangleCount = 1u << 30;

/// Settings of ray queries to a mesh.
struct MeshRaySettings {
    /// Default both: culling is off.
    Sides sides = Sides::both;
    /// Default null: the caller's thread does everything. Rays are split into runs; no result depends on it.
    const TaskRunner* runner = nullptr;
};

/// Settings of shape and point queries to a mesh.
struct MeshQuerySettings {
    /// Default null: the caller's thread does everything. No result depends on it.
    const TaskRunner* runner = nullptr;
};

/// Shapes that may overlap triangles: one, or many of a kind.
using MeshShapes = QueryList<Aabb, Sphere, Obb, Capsule>;
/// One shape.
using MeshShape = SingleQuery<MeshShapes>;

/// The hit of a ray on a mesh: a RayTriangleHit and its triangle.
struct [[nodiscard]] MeshHit {
    /// kNoIntersection if there is none.
    float t = kNoIntersection;
    /// The point is a + u·(b - a) + v·(c - a).
    float u = 0.0f;
    float v = 0.0f;
    /// kNoTriangle if there is none, and only then.
    std::uint32_t triangle_index = kNoTriangle;

    friend constexpr bool operator==(const MeshHit&, const MeshHit&) = default;
};

/// One hit of one of many rays.
struct MeshRayHit {
    std::uint32_t ray_index = 0;
    MeshHit hit = {};

    friend constexpr bool operator==(const MeshRayHit&, const MeshRayHit&) = default;
};

/// The point of a mesh that is closest to a given one; see ClosestPoint.
struct [[nodiscard]] MeshClosestPoint {
    Vec3 point = {};
    float distance_sq = std::numeric_limits<float>::infinity();
    /// kNoTriangle if there is none, and only then.
    std::uint32_t triangle_index = kNoTriangle;

    friend constexpr bool operator==(const MeshClosestPoint&, const MeshClosestPoint&) = default;
};

/// First contact of a moving oriented box; see TriangleImpact.
struct [[nodiscard]] MeshImpact {
    float toi = kNoIntersection;
    /// kNoTriangle if there is none, and only then.
    std::uint32_t triangle_index = kNoTriangle;
    ContactAxis axis = ContactAxis::none;

    friend constexpr bool operator==(const MeshImpact&, const MeshImpact&) = default;
};

/// First contact of a moving sphere or capsule; see ShapeImpact.
struct [[nodiscard]] MeshShapeImpact {
    float toi = kNoIntersection;
    /// kNoTriangle if there is none, and only then.
    std::uint32_t triangle_index = kNoTriangle;
    Vec3 point = {};
    Vec3 normal = {};

    friend constexpr bool operator==(const MeshShapeImpact&, const MeshShapeImpact&) = default;
};

/// Grow-only memory for queries that return lists, kept by the caller between calls; it holds no state.
/// Movable, not copyable. Not for two calls at once.
struct MeshScratch {
    MeshScratch() noexcept : MeshScratch(default_allocator()) {}
    explicit MeshScratch(const Allocator& allocator) noexcept : hits(allocator) {}

    std::size_t capacity_bytes() const noexcept { return hits.capacity_bytes(); }

    /// Internal to the library: the hits of one shape.
    AlignedArray<std::uint32_t> hits;
};

}  // namespace broadside
