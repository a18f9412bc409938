// Many placed meshes under one tree, queried as if they were one mesh.
#pragma once

#include <broadside/box_tree.hpp>
#include <broadside/placed_mesh.hpp>

namespace BROADSIDE_API broadside {

/// The index for "no instance" wherever one is reported.
inline constexpr std::uint32_t kNoInstance = 0xFFFFFFFFu;

/// Hit of a ray on a scene: a MeshHit and its instance.
struct [[nodiscard]] SceneHit {
    MeshHit hit = {};
    /// kNoInstance if and only if there is no hit.
    std::uint32_t instance_index = kNoInstance;

    friend constexpr bool operator==(const SceneHit&, const SceneHit&) = default;
};
/// A hit of one of many rays.
struct SceneRayHit {
    std::uint32_t ray_index = 0;
    SceneHit hit = {};

    friend constexpr bool operator==(const SceneRayHit&, const SceneRayHit&) = default;
};
/// A triangle of an instance that one of many shapes overlaps.
struct SceneOverlap {
    std::uint32_t shape_index = 0;
    std::uint32_t instance_index = 0;
    std::uint32_t triangle_index = 0;

    friend constexpr bool operator==(const SceneOverlap&, const SceneOverlap&) = default;
    friend constexpr auto operator<=>(const SceneOverlap&, const SceneOverlap&) = default;
};
/// First impact of a moving oriented box on a scene.
struct [[nodiscard]] SceneImpact {
    MeshImpact impact = {};
    /// kNoInstance if and only if there is no impact.
    std::uint32_t instance_index = kNoInstance;

    friend constexpr bool operator==(const SceneImpact&, const SceneImpact&) = default;
};
/// First impact of a moving sphere or capsule on a scene.
struct [[nodiscard]] SceneShapeImpact {
    /// The impact on the mesh, with point and normal in the world.
    MeshShapeImpact impact = {};
    /// kNoInstance if and only if there is no impact.
    std::uint32_t instance_index = kNoInstance;

    friend constexpr bool operator==(const SceneShapeImpact&, const SceneShapeImpact&) = default;
};
/// The point of a scene that is closest to a given one.
struct [[nodiscard]] SceneClosestPoint {
    /// The placed point of the mesh, in the world.
    Vec3 point = {};
    /// The squared distance of the mesh times the square of the scale, rounded to float.
    float distance_sq = std::numeric_limits<float>::infinity();
    std::uint32_t triangle_index = kNoTriangle;
    std::uint32_t instance_index = kNoInstance;

    friend constexpr bool operator==(const SceneClosestPoint&, const SceneClosestPoint&) = default;
};

/// Grow-only memory for queries that return lists. Not for two calls at once.
struct SceneScratch {
    SceneScratch() noexcept : SceneScratch(default_allocator()) {}
    explicit SceneScratch(const Allocator& allocator) noexcept
        : mesh(allocator), instances(allocator), pairs(allocator), hits(allocator), ray_hits(allocator) {}

    /// Internal.
    MeshScratch mesh;
    /// Internal.
    AlignedArray<std::uint32_t> instances;
    /// Internal.
    PairBuffer pairs;
    /// Internal.
    AlignedArray<SceneRayHit> hits;
    /// Internal.
    AlignedArray<MeshRayHit> ray_hits;
};

/// Instances of meshes, each rotated, scaled by one number and moved. Keeps copies of the instances. The
/// meshes belong to the caller, must outlive all queries, and may be shared.
///
/// A query goes to the mesh of every instance whose box (`bounds(i)`) the shape meets, with the shape as
/// `seen_from_mesh` returns it. Results thus have one more rounding than the mesh's own. Displacements are as
/// `way_seen_from_mesh` returns them, and the box of the whole motion selects the instances. Rays and shapes
/// within 64 times the distance of the furthest corner of an instance from the world's origin miss no box by
/// that rounding. Among equals, the instance with the lowest index is reported. Results are the same bits on
/// every ISA, for any number of workers, alone or in a batch. Queries are const and may run on several
/// threads at once.
class MeshScene {
public:
    explicit MeshScene(const Allocator& allocator = default_allocator()) noexcept
        : instances_(allocator), boxes_(allocator), tree_(allocator) {}

    /// Replaces all instances. Returns ok; invalid_argument, with the first bad one as bad_index, for a null
    /// mesh, a transform that is no placement, or a placed mesh outside the range of floats; or
    /// out_of_memory. On failure the scene is unchanged. O(n log n) in the number of instances.
    BatchResult build(std::span<const PlacedMesh> instances, const TaskRunner* runner = nullptr) noexcept;
    /// Gives all instances new placements, one transform each. Refits the tree if it stays good, else
    /// rebuilds it. As above otherwise. O(n).
    BatchResult update(std::span<const Transform> world_from_meshes,
                       const TaskRunner* runner = nullptr) noexcept;
    void clear() noexcept;

    std::size_t instance_count() const noexcept { return instances_.size(); }
    /// The instance at its present placement.
    const PlacedMesh& instance(std::uint32_t instance_index) const noexcept;
    /// The box that selects the instance for queries.
    Aabb bounds(std::uint32_t instance_index) const noexcept;
    /// The box of all instances.
    Aabb bounds() const noexcept { return tree_.bounds(); }

    /// For every ray, the hit with the smallest t, as rounded to float.
    BatchResult closest_hits(std::span<const Ray> rays, const MeshRaySettings& settings,
                             std::span<SceneHit> out_closest) const noexcept;
    /// For every ray, whether it hits: bit i % 64 of word i / 64.
    BatchResult any_hit(std::span<const Ray> rays, const MeshRaySettings& settings,
                        std::span<std::uint64_t> out_bits) const noexcept;
    /// The same for a single ray, at the cost of its walk. Returns no hit for bad settings.
    SceneHit closest_hit(const Ray& ray, const MeshRaySettings& settings = {}) const noexcept;
    bool any_hit(const Ray& ray, const MeshRaySettings& settings = {}) const noexcept;
    /// All hits, ascending by ray, then by t, instance and triangle. `required` also counts those that do not
    /// fit.
    WriteResult find_hits(std::span<const Ray> rays, const MeshRaySettings& settings, SceneScratch& scratch,
                          std::span<SceneRayHit> out_hits) const noexcept;

    /// All triangles that the shapes overlap, ascending by shape, instance and triangle.
    WriteResult find_overlaps(const MeshShapes& shapes, SceneScratch& scratch,
                              std::span<SceneOverlap> out_overlaps) const noexcept;
    /// For every shape, whether it overlaps: bit i % 64 of word i / 64.
    BatchResult any_overlap(const MeshShapes& shapes, const MeshQuerySettings& settings,
                            std::span<std::uint64_t> out_bits) const noexcept;
    /// The same for a single shape.
    bool any_overlap(const MeshShape& shape) const noexcept;

    /// For every shape, the first impact as it moves by its displacement: the least time of impact, as
    /// rounded to float.
    BatchResult closest_hits(std::span<const Obb> obbs, std::span<const Vec3> displacements,
                             const MeshQuerySettings& settings,
                             std::span<SceneImpact> out_impacts) const noexcept;
    BatchResult closest_hits(std::span<const Sphere> spheres, std::span<const Vec3> displacements,
                             const MeshQuerySettings& settings,
                             std::span<SceneShapeImpact> out_impacts) const noexcept;
    BatchResult closest_hits(std::span<const Capsule> capsules, std::span<const Vec3> displacements,
                             const MeshQuerySettings& settings,
                             std::span<SceneShapeImpact> out_impacts) const noexcept;
    /// The same for a single shape.
    SceneImpact closest_hit(const Obb& obb, Vec3 displacement) const noexcept;
    SceneShapeImpact closest_hit(const Sphere& sphere, Vec3 displacement) const noexcept;
    SceneShapeImpact closest_hit(const Capsule& capsule, Vec3 displacement) const noexcept;

    /// For every point, the closest point of all instances, by distance_sq. None for a point that is not
    /// finite.
    BatchResult closest_points(std::span<const Vec3> points, const MeshQuerySettings& settings,
                               std::span<SceneClosestPoint> out_closest) const noexcept;
    /// The same for a single point.
    SceneClosestPoint closest_point(Vec3 point) const noexcept;

    // For closed meshes (see TriangleMesh): the scene is the union of their volumes.

    /// For every point, whether any instance contains it, surface included. As bits, see above.
    BatchResult contain(std::span<const Vec3> points, const MeshQuerySettings& settings,
                        std::span<std::uint64_t> out_bits) const noexcept;
    /// For every point, the least signed distance of all instances, each times its scale. Outside all of
    /// them, it is the distance to the closest surface. Inside, it is negative: the depth in the instance
    /// that contains the point deepest, which is at most the distance to the outside of all. Infinity without
    /// a triangle, or for a point that is not finite.
    BatchResult signed_distances(std::span<const Vec3> points, const MeshQuerySettings& settings,
                                 std::span<float> out_distances) const noexcept;
    /// The same for a single point.
    bool contains(Vec3 point) const noexcept;
    float signed_distance(Vec3 point) const noexcept;

    /// Internal: the tree over the boxes of the instances.
    const BoxTree& tree() const noexcept { return tree_; }

private:
    AlignedArray<PlacedMesh> instances_;
    BoxSoa boxes_;
    BoxTree tree_;
};

}  // namespace broadside
