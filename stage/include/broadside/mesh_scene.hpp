// Many placed meshes under one tree, asked as if they were one mesh.
#pragma once

#include <broadside/box_tree.hpp>
#include <broadside/placed_mesh.hpp>

namespace BROADSIDE_API broadside {

/// Stands for "no instance" wherever one is reported.
inline constexpr std::uint32_t kNoInstance = 0xFFFFFFFFu;

/// Where a ray hits a scene: a MeshHit and its instance.
struct [[nodiscard]] SceneHit {
    MeshHit hit = {};
    /// kNoInstance when there is none, and only then.
    std::uint32_t instance_index = kNoInstance;

    friend constexpr bool operator==(const SceneHit&, const SceneHit&) = default;
};
/// One of the hits of one of many rays.
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
/// What a moving oriented box meets first of a scene.
struct [[nodiscard]] SceneImpact {
    MeshImpact impact = {};
    /// kNoInstance when there is none, and only then.
    std::uint32_t instance_index = kNoInstance;

    friend constexpr bool operator==(const SceneImpact&, const SceneImpact&) = default;
};
/// What a moving sphere or capsule touches first of a scene.
struct [[nodiscard]] SceneShapeImpact {
    /// Its point and normal are those of the mesh, placed in the world.
    MeshShapeImpact impact = {};
    /// kNoInstance when there is none, and only then.
    std::uint32_t instance_index = kNoInstance;

    friend constexpr bool operator==(const SceneShapeImpact&, const SceneShapeImpact&) = default;
};
/// The point of a scene that is closest to a given one.
struct [[nodiscard]] SceneClosestPoint {
    /// In the world: the point of the mesh, placed.
    Vec3 point = {};
    /// That of the mesh times the square of the scale, rounded to float.
    float distance_sq = std::numeric_limits<float>::infinity();
    std::uint32_t triangle_index = kNoTriangle;
    std::uint32_t instance_index = kNoInstance;

    friend constexpr bool operator==(const SceneClosestPoint&, const SceneClosestPoint&) = default;
};

/// Grow-only memory for questions that give lists. Not for two calls at once.
struct SceneScratch {
    SceneScratch() noexcept : SceneScratch(default_allocator()) {}
    explicit SceneScratch(const Allocator& allocator) noexcept
        : mesh(allocator), instances(allocator), pairs(allocator), hits(allocator), ray_hits(allocator) {}

    /// For the sources of the library.
    MeshScratch mesh;
    /// For the sources of the library.
    AlignedArray<std::uint32_t> instances;
    /// For the sources of the library.
    PairBuffer pairs;
    /// For the sources of the library.
    AlignedArray<SceneRayHit> hits;
    /// For the sources of the library.
    AlignedArray<MeshRayHit> ray_hits;
};

/// Instances of meshes, each turned, scaled by one number and moved. It keeps copies of the instances; the meshes
/// are the caller's, must live as long as the scene is asked, and may be shared.
///
/// An answer is that of asking the mesh of every instance whose box (`bounds(i)`) the shape meets, with the
/// shape as `seen_from_mesh` has it, so with one more rounding than the mesh's own answer. What moves is as
/// `way_seen_from_mesh` has it, and asks whatever its box meets on the way. Rays and shapes no
/// further from the world's origin than 64 times the furthest corner of an instance miss no box for that rounding.
/// Among equals the instance of the lowest index is named. The same bits on every ISA, for any number of workers,
/// alone or in a batch. Questions are const and may run on several threads at once.
class MeshScene {
public:
    explicit MeshScene(const Allocator& allocator = default_allocator()) noexcept
        : instances_(allocator), boxes_(allocator), tree_(allocator) {}

    /// Replaces all instances. ok; invalid_argument, with the first at fault as bad_index, for a null mesh, a
    /// transform that is no placement, or a mesh out of the range of floats once placed; out_of_memory. Under any
    /// but ok the scene is as before. O(n log n) in the number of instances.
    BatchResult build(std::span<const PlacedMesh> instances, const TaskRunner* runner = nullptr) noexcept;
    /// Places all instances anew, one transform each; the tree is refitted where that keeps it good. As above
    /// otherwise. O(n).
    BatchResult update(std::span<const Transform> world_from_meshes,
                       const TaskRunner* runner = nullptr) noexcept;
    void clear() noexcept;

    std::size_t instance_count() const noexcept { return instances_.size(); }
    /// As it was placed last.
    const PlacedMesh& instance(std::uint32_t instance_index) const noexcept;
    /// The box that decides whether an instance is asked.
    Aabb bounds(std::uint32_t instance_index) const noexcept;
    /// The box around all instances.
    Aabb bounds() const noexcept { return tree_.bounds(); }

    /// For every ray the hit of the smallest t, as rounded to float.
    BatchResult closest_hits(std::span<const Ray> rays, const MeshRaySettings& settings,
                             std::span<SceneHit> out_closest) const noexcept;
    /// Whether there is one: bit i % 64 of word i / 64.
    BatchResult any_hit(std::span<const Ray> rays, const MeshRaySettings& settings,
                        std::span<std::uint64_t> out_bits) const noexcept;
    /// One ray alone, at the cost of its walk. Bad settings find nothing.
    SceneHit closest_hit(const Ray& ray, const MeshRaySettings& settings = {}) const noexcept;
    bool any_hit(const Ray& ray, const MeshRaySettings& settings = {}) const noexcept;
    /// All hits, ascending by ray, then by t, instance and triangle. What does not fit is counted in `required`.
    WriteResult find_hits(std::span<const Ray> rays, const MeshRaySettings& settings, SceneScratch& scratch,
                          std::span<SceneRayHit> out_hits) const noexcept;

    /// All triangles that shapes overlap, ascending by shape, instance and triangle.
    WriteResult find_overlaps(std::span<const Sphere> spheres, SceneScratch& scratch,
                              std::span<SceneOverlap> out_overlaps) const noexcept;
    WriteResult find_overlaps(std::span<const Obb> obbs, SceneScratch& scratch,
                              std::span<SceneOverlap> out_overlaps) const noexcept;
    WriteResult find_overlaps(std::span<const Aabb> boxes, SceneScratch& scratch,
                              std::span<SceneOverlap> out_overlaps) const noexcept;
    WriteResult find_overlaps(std::span<const Capsule> capsules, SceneScratch& scratch,
                              std::span<SceneOverlap> out_overlaps) const noexcept;
    /// Whether there is one: bit i % 64 of word i / 64.
    BatchResult any_overlap(std::span<const Sphere> spheres, const MeshQuerySettings& settings,
                            std::span<std::uint64_t> out_bits) const noexcept;
    BatchResult any_overlap(std::span<const Obb> obbs, const MeshQuerySettings& settings,
                            std::span<std::uint64_t> out_bits) const noexcept;
    BatchResult any_overlap(std::span<const Aabb> boxes, const MeshQuerySettings& settings,
                            std::span<std::uint64_t> out_bits) const noexcept;
    BatchResult any_overlap(std::span<const Capsule> capsules, const MeshQuerySettings& settings,
                            std::span<std::uint64_t> out_bits) const noexcept;
    /// One alone.
    bool any_overlap(const Sphere& sphere) const noexcept;
    bool any_overlap(const Obb& obb) const noexcept;
    bool any_overlap(const Aabb& box) const noexcept;
    bool any_overlap(const Capsule& capsule) const noexcept;

    /// What each shape meets first as it moves by its displacement: the least time of impact, as rounded to float.
    BatchResult closest_hits(std::span<const Obb> obbs, std::span<const Vec3> displacements,
                             const MeshQuerySettings& settings,
                             std::span<SceneImpact> out_impacts) const noexcept;
    BatchResult closest_hits(std::span<const Sphere> spheres, std::span<const Vec3> displacements,
                             const MeshQuerySettings& settings,
                             std::span<SceneShapeImpact> out_impacts) const noexcept;
    BatchResult closest_hits(std::span<const Capsule> capsules, std::span<const Vec3> displacements,
                             const MeshQuerySettings& settings,
                             std::span<SceneShapeImpact> out_impacts) const noexcept;
    /// One alone.
    SceneImpact closest_hit(const Obb& obb, Vec3 displacement) const noexcept;
    SceneShapeImpact closest_hit(const Sphere& sphere, Vec3 displacement) const noexcept;
    SceneShapeImpact closest_hit(const Capsule& capsule, Vec3 displacement) const noexcept;

    /// For every point the closest point of all instances, by distance_sq. None for a point that is not finite.
    BatchResult closest_points(std::span<const Vec3> points, const MeshQuerySettings& settings,
                               std::span<SceneClosestPoint> out_closest) const noexcept;
    /// One alone.
    SceneClosestPoint closest_point(Vec3 point) const noexcept;

    // Of closed meshes, see TriangleMesh: the scene is what any of them holds.

    /// Whether any instance holds a point, its surface included. As bits, see above.
    BatchResult contain(std::span<const Vec3> points, const MeshQuerySettings& settings,
                        std::span<std::uint64_t> out_bits) const noexcept;
    /// The least of the signed distances of all instances, each times its scale: outside of all of them that to the
    /// closest surface, and inside how deep the point is in the instance that holds it deepest, negative. That is no
    /// more than it is from leaving all of them. Infinity without a triangle, or for a point that is not finite.
    BatchResult signed_distances(std::span<const Vec3> points, const MeshQuerySettings& settings,
                                 std::span<float> out_distances) const noexcept;
    /// One alone.
    bool contains(Vec3 point) const noexcept;
    float signed_distance(Vec3 point) const noexcept;

    /// For the sources of the library: over the boxes of the instances.
    const BoxTree& tree() const noexcept { return tree_; }

private:
    AlignedArray<PlacedMesh> instances_;
    BoxSoa boxes_;
    BoxTree tree_;
};

}  // namespace broadside
