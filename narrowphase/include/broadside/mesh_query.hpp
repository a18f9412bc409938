// What a question to a TriangleMesh is made of, and what it is answered with.
#pragma once

#include <broadside/aligned_array.hpp>
#include <broadside/closest_point.hpp>
#include <broadside/obb_triangle.hpp>
#include <broadside/ray_triangle.hpp>
#include <broadside/shape_triangle.hpp>
#include <broadside/sphere.hpp>
#include <broadside/task_runner.hpp>

#include <cstdint>
#include <limits>

namespace broadside {

/// Stands for "no triangle" wherever one is reported.
inline constexpr std::uint32_t kNoTriangle = 0xFFFFFFFFu;
/// Triangles of a mesh are fewer than this.
inline constexpr std::uint32_t kMaxTriangleCount = 1u << 30;

/// How rays are asked of a mesh.
struct MeshRaySettings {
    /// Default both: culling is off.
    Sides sides = Sides::both;
    /// Default null: the caller's thread does everything. Rays are shared out in runs; no answer depends on it.
    const TaskRunner* runner = nullptr;
};

/// How shapes and points are asked of a mesh.
struct MeshQuerySettings {
    /// Default null: the caller's thread does everything. No answer depends on it.
    const TaskRunner* runner = nullptr;
};

/// Where a ray hits a mesh: a RayTriangleHit and its triangle.
struct [[nodiscard]] MeshHit {
    /// kNoIntersection when there is none.
    float t = kNoIntersection;
    /// The point is a + u·(b - a) + v·(c - a).
    float u = 0.0f;
    float v = 0.0f;
    /// kNoTriangle when there is none, and only then.
    std::uint32_t triangle_index = kNoTriangle;

    friend constexpr bool operator==(const MeshHit&, const MeshHit&) = default;
};

/// One of the hits of one of many rays.
struct MeshRayHit {
    std::uint32_t ray_index = 0;
    MeshHit hit = {};

    friend constexpr bool operator==(const MeshRayHit&, const MeshRayHit&) = default;
};

/// The point of a mesh that is closest to a given one; see ClosestPoint.
struct [[nodiscard]] MeshClosestPoint {
    Vec3 point = {};
    float distance_sq = std::numeric_limits<float>::infinity();
    /// kNoTriangle when there is none, and only then.
    std::uint32_t triangle_index = kNoTriangle;

    friend constexpr bool operator==(const MeshClosestPoint&, const MeshClosestPoint&) = default;
};

/// What a moving oriented box meets first; see TriangleImpact.
struct [[nodiscard]] MeshImpact {
    float toi = kNoIntersection;
    /// kNoTriangle when there is none, and only then.
    std::uint32_t triangle_index = kNoTriangle;
    ContactAxis axis = ContactAxis::none;

    friend constexpr bool operator==(const MeshImpact&, const MeshImpact&) = default;
};

/// What a moving sphere or capsule touches first; see ShapeImpact.
struct [[nodiscard]] MeshShapeImpact {
    float toi = kNoIntersection;
    /// kNoTriangle when there is none, and only then.
    std::uint32_t triangle_index = kNoTriangle;
    Vec3 point = {};
    Vec3 normal = {};

    friend constexpr bool operator==(const MeshShapeImpact&, const MeshShapeImpact&) = default;
};

/// Grow-only memory for questions that give lists, kept by the caller between calls; it holds no state.
/// Movable, not copyable. Not for two calls at once.
struct MeshScratch {
    MeshScratch() noexcept : MeshScratch(default_allocator()) {}
    explicit MeshScratch(const Allocator& allocator) noexcept : hits(allocator) {}

    std::size_t capacity_bytes() const noexcept { return hits.capacity_bytes(); }

    /// For the sources of the library: what one shape meets.
    AlignedArray<std::uint32_t> hits;
};

}  // namespace broadside
