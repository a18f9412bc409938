// Many placed meshes under one tree, queried as if they were one mesh.
#pragma once

#include <broadside/box_tree.hpp>
#include <broadside/placed_mesh.hpp>

namespace BROADSIDE_API broadside {

/// Instances of meshes, each rotated, scaled by one number and moved. Keeps copies of the instances. The
/// meshes belong to the caller, must outlive all queries, and may be shared.
///
/// A query goes to the mesh of every instance whose box (`bounds(i)`) the shape meets, with the shape as
/// `seen_from_mesh` returns it. Results thus have one more rounding than the mesh's own. The box
/// of a cast's whole motion selects the instances. Rays and shapes within 64 times the distance of the
/// furthest corner of an instance from the world's origin miss no box by that rounding; of the others, a hit
/// before the box of its instance counts as late as that box. Among equals, the instance with the lowest index
/// is reported. Results are the same bits on every ISA, for any number of workers, alone or in a batch. Queries
/// are const and may run on several threads at once.
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

    // Queries; see TriangleMesh.

    /// For every ray, the hit with the smallest t, as rounded to float. Sixteen rays in a row, from 0, 16, 32
    /// and so on, of similar origins and directions ask each instance together; so does any_hit.
    BatchResult closest_hits(const MeshRays& rays, const TaskRunner* runner,
                             std::span<SceneHit> out_closest) const noexcept;
    /// For every cast, the impact with the smallest time, as rounded to float.
    BatchResult closest_hits(const MeshCasts& casts, const TaskRunner* runner,
                             std::span<SceneImpact> out_closest) const noexcept;
    /// All hits, ascending by ray, then by t, instance and triangle. `required` also counts those that do not
    /// fit.
    WriteResult find_hits(const MeshRays& rays, const TaskRunner* runner, MeshScratch& scratch,
                          std::span<Listed<SceneHit>> out_hits) const noexcept;
    /// All impacts, ascending by cast, then by t, instance and triangle.
    WriteResult find_hits(const MeshCasts& casts, const TaskRunner* runner, MeshScratch& scratch,
                          std::span<Listed<SceneImpact>> out_hits) const noexcept;
    /// Tests whether each query hits a triangle, as bits.
    BatchResult any_hit(const MeshHitQueries& queries, const TaskRunner* runner,
                        std::span<std::uint64_t> out_bits) const noexcept;
    /// One query alone, at the cost of its walk. Bad arguments find nothing.
    SceneHit closest_hit(const MeshRay& ray) const noexcept;
    SceneImpact closest_hit(const MeshCast& cast) const noexcept;
    bool any_hit(const MeshHitQuery& query) const noexcept;
    /// Visits the hits of one query, instance by instance, mostly near ones first.
    Status visit_hits(const MeshRay& ray, SceneHitVisitor visit) const noexcept;
    Status visit_hits(const MeshCast& cast, SceneImpactVisitor visit) const noexcept;

    /// All triangles that the shapes overlap, ascending by shape, instance and triangle.
    WriteResult find_overlaps(const MeshShapes& shapes, const TaskRunner* runner, MeshScratch& scratch,
                              std::span<Listed<SceneTriangle>> out_overlaps) const noexcept;
    /// Tests whether each shape overlaps a triangle, as bits.
    BatchResult any_overlap(const MeshShapes& shapes, const TaskRunner* runner,
                            std::span<std::uint64_t> out_bits) const noexcept;
    /// A single shape.
    bool any_overlap(const MeshShape& shape) const noexcept;

    /// For every point, the closest point of all instances, by distance_sq. None for a point that is not
    /// finite.
    BatchResult closest_points(std::span<const Vec3> points, const TaskRunner* runner,
                               std::span<SceneClosestPoint> out_closest) const noexcept;
    /// The same for a single point.
    SceneClosestPoint closest_point(Vec3 point) const noexcept;

    // For closed meshes (see TriangleMesh): the scene is the union of their volumes.

    /// For every point, whether any instance contains it, surface included. As bits, see above.
    BatchResult contain(std::span<const Vec3> points, const TaskRunner* runner,
                        std::span<std::uint64_t> out_bits) const noexcept;
    /// For every point, the least signed distance of all instances, each times its scale. Outside all of
    /// them, it is the distance to the closest surface. Inside, it is negative: the depth in the instance
    /// that contains the point deepest, which is at most the distance to the outside of all. Infinity without
    /// a triangle, or for a point that is not finite.
    BatchResult signed_distances(std::span<const Vec3> points, const TaskRunner* runner,
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
