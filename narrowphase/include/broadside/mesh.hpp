// A mesh of triangles that can be queried. Settings and results are in mesh_query.hpp.
#pragma once

#include <broadside/aligned_array.hpp>
#include <broadside/export.hpp>
#include <broadside/mesh_query.hpp>
#include <broadside/reset_on_move.hpp>
#include <broadside/status.hpp>

#include <cstddef>
#include <span>

// Internal to the library; a shared library does not export it.
namespace broadside::narrowphase {
struct MeshView;
}  // namespace broadside::narrowphase

namespace BROADSIDE_API broadside {

/// Why vertices and indices are not a mesh.
enum class MeshFault : std::uint8_t {
    none,
    /// The number of indices is not a multiple of three. Has no `index`.
    incomplete_triangle,
    /// Too many triangles: at or above kMaxTriangleCount. Has no `index`.
    too_many_triangles,
    /// An index is at or past the number of vertices; `index` is its position in the list of indices.
    index_out_of_range,
    /// A vertex has a coordinate that is not finite; `index` is the vertex. Unused vertices count too.
    vertex_not_finite,
};

/// Chooses between a short build and short queries.
enum class MeshBuildQuality : std::uint8_t {
    /// Splits by the surface area heuristic. For meshes that are asked more often than they are built.
    standard,
    /// Sorts triangles by Morton codes (C. Lauterbach et al., "Fast BVH Construction on GPUs", 2009), and only
    /// those of one code by their areas: two fifths to a half of the time, and queries that take up to 1.7 times
    /// as long.
    fast,
};

/// Result of `TriangleMesh::build`.
struct [[nodiscard]] MeshBuildResult {
    /// ok; invalid_argument with a fault; out_of_memory.
    Status status = Status::ok;
    /// The fault of the input.
    MeshFault fault = MeshFault::none;
    /// Index of the first item with the fault; kNoIndex if there is none.
    std::size_t index = kNoIndex;
};

/// Triangles under a tree of boxes, sixteen wide. The mesh keeps a copy of the corners. The index of a
/// triangle is its position in the list that `build` was given. Immutable except for `build` and `clear`.
///
/// Results equal those of testing every triangle in turn. They are the same bits on every ISA, with any
/// number of workers, alone or in a batch. Queries are const and may run on several threads at once. Memory:
/// 50 to 90 bytes a triangle. While it builds, 16 to 33 more, or 75 if most triangles lie in one spot, and up
/// to half a megabyte for each worker of a runner, or for the caller. A call with rays uses up to 60 KB of
/// its thread's stack, however many rays there are.
class TriangleMesh {
public:
    explicit TriangleMesh(const Allocator& allocator = default_allocator()) noexcept;

    /// Replaces all triangles: three indices into `vertices` for each. Both lists need to live for the call
    /// only. On any failure the mesh is unchanged. An invalid runner or quality is a failure too
    /// (invalid_argument without a fault). The same input makes the same bytes everywhere, with any runner.
    /// Memory is allocated on the caller's thread only. O(n log n).
    MeshBuildResult build(std::span<const Vec3> vertices, std::span<const std::uint32_t> indices,
                          const TaskRunner* runner = nullptr,
                          MeshBuildQuality quality = MeshBuildQuality::standard) noexcept;
    void clear() noexcept;

    // The mesh as bytes, tree included; the same mesh makes the same bytes on every machine.

    std::size_t snapshot_bytes() const noexcept;
    /// Writes snapshot_bytes() bytes. If they do not fit, returns capacity_exceeded and writes nothing.
    Status save(std::span<std::byte> out_bytes) const noexcept;
    /// Restores the mesh that was saved. invalid_argument for bytes that are not a complete, undamaged
    /// snapshot of this version; out_of_memory. A checksum and a check of everything that queries rely on
    /// make bytes from any source safe. Unless the status is ok the mesh is unchanged. O(n).
    Status restore(std::span<const std::byte> bytes) noexcept;

    std::size_t triangle_count() const noexcept { return slots_.size(); }
    /// Number of triangles without area: all corners on one line, exactly. No ray hits them; every other
    /// query treats them as the segments or points that they are.
    std::size_t degenerate_count() const noexcept { return shape_.degenerate_count; }
    /// The first triangle of each connected component, ascending. Triangles are connected if they share a
    /// corner, by index or by coordinates.
    std::span<const std::uint32_t> component_triangles() const noexcept {
        return {component_triangles_.data(), component_triangles_.size()};
    }
    /// The box around all triangles; Aabb::empty() if there are none.
    Aabb bounds() const noexcept { return shape_.bounds; }
    /// The triangle at an index below triangle_count().
    Triangle triangle(std::uint32_t triangle_index) const noexcept;
    std::size_t capacity_bytes() const noexcept;

    // Queries. Each function takes one query or many of a kind, which a runner shares in runs. Bits are bit
    // i % 64 of word i / 64, with words for all queries. An invalid query finds nothing.

    // Rays: exactly `ray_triangle` of every triangle, in t, u, v and sides. Casts: exactly `first_impact` of
    // every triangle, up to their t_max.

    /// For every ray the triangle with the smallest t, compared before rounding, and among equals the one
    /// with the smallest index. A ray that meets a shared edge always gets the same one of its triangles.
    BatchResult closest_hits(const MeshRays& rays, const TaskRunner* runner,
                             std::span<MeshHit> out_closest) const noexcept;
    /// For every cast the triangle with the smallest time of impact, and among equals the one with the
    /// smallest index.
    BatchResult closest_hits(const MeshCasts& casts, const TaskRunner* runner,
                             std::span<MeshImpact> out_closest) const noexcept;
    /// All hits of all rays, ascending by ray, then by t before rounding, then by triangle. Hits that do not
    /// fit are counted in `required`.
    WriteResult find_hits(const MeshRays& rays, const TaskRunner* runner, MeshScratch& scratch,
                          std::span<Listed<MeshHit>> out_hits) const noexcept;
    /// All impacts of all casts, ascending by cast, then by t, then by triangle. As above otherwise.
    WriteResult find_hits(const MeshCasts& casts, const TaskRunner* runner, MeshScratch& scratch,
                          std::span<Listed<MeshImpact>> out_hits) const noexcept;
    /// Tests whether each query hits a triangle, as bits.
    BatchResult any_hit(const MeshHitQueries& queries, const TaskRunner* runner,
                        std::span<std::uint64_t> out_bits) const noexcept;

    // One query alone: the same result as in a batch, at the cost of its walk. Bad arguments find nothing.

    MeshHit closest_hit(const MeshRay& ray) const noexcept;
    MeshImpact closest_hit(const MeshCast& cast) const noexcept;
    bool any_hit(const MeshHitQuery& query) const noexcept;

    /// Visits the hits of one query, mostly early ones first, in an order that is a function of the mesh. See
    /// Visitor: it returns the largest t that still matters, and later hits are left out.
    Status visit_hits(const MeshRay& ray, MeshHitVisitor visit) const noexcept;
    Status visit_hits(const MeshCast& cast, MeshImpactVisitor visit) const noexcept;

    /// Number of times an unbounded ray crosses the surface. The ray is taken as shifted slightly aside, the
    /// same way for all triangles. So a crossing at a shared edge or corner counts once, and a mere touch
    /// counts twice or not at all. For a closed mesh the number is even for every origin outside. Degenerate
    /// triangles do not count. 0 if the ray is not finite, or its direction is below FLT_MIN on every axis.
    std::size_t crossing_count(Vec3 origin, Vec3 direction) const noexcept;

    // Shapes.

    /// The triangles that each shape overlaps, exactly those for which `overlap(shape, triangle)` is true:
    /// pairs of shape and triangle, ascending by both. Pairs that do not fit are counted in `required`.
    WriteResult find_overlaps(const MeshShapes& shapes, const TaskRunner* runner, MeshScratch& scratch,
                              std::span<IndexPair> out_pairs) const noexcept;
    /// Tests whether each shape overlaps a triangle, as bits.
    BatchResult any_overlap(const MeshShapes& shapes, const TaskRunner* runner,
                            std::span<std::uint64_t> out_bits) const noexcept;
    /// Finds the first shape of each motion of a body that overlaps a triangle. shapes_per_state consecutive shapes
    /// are the body in one state. Consecutive states are a motion, and all motions have equally many (else
    /// invalid_argument). out_first has one element per motion and receives the index of the shape within the motion,
    /// so that the state is the index divided by shapes_per_state; the number of shapes of a motion if none overlaps.
    /// The result is that of the bits of any_overlap, at less cost if consecutive states are close to each other.
    BatchResult first_overlaps(const MeshShapes& shapes, std::uint32_t shapes_per_state,
                               const TaskRunner* runner, std::span<std::uint32_t> out_first) const noexcept;
    /// A single shape.
    bool any_overlap(const MeshShape& shape) const noexcept;

    // Points. A point that is not finite has no closest point and is not inside.

    /// The triangle with the smallest distance, as `closest_point` of the triangle computes it in double
    /// precision, and among equals the one with the smallest index.
    BatchResult closest_points(std::span<const Vec3> points, const TaskRunner* runner,
                               std::span<MeshClosestPoint> out_closest) const noexcept;
    /// A single point.
    MeshClosestPoint closest_point(Vec3 point) const noexcept;

    // Inside and outside of a closed mesh: one in which, along every edge, as many triangles run one way as
    // the other. On an open mesh the results are just as repeatable but mean little. A point is inside if a
    // ray from it crosses the surface an odd number of times; where the mesh intersects itself, every second
    // region is inside.

    /// Whether the mesh contains each point, its surface included; decided exactly. Bits as for `any_hit`.
    BatchResult contain(std::span<const Vec3> points, const TaskRunner* runner,
                        std::span<std::uint64_t> out_bits) const noexcept;
    /// The distance to the surface, negative inside; 0 on it, or if it rounds to 0; infinity for an empty
    /// mesh.
    BatchResult signed_distances(std::span<const Vec3> points, const TaskRunner* runner,
                                 std::span<float> out_distances) const noexcept;
    /// A single point.
    bool contains(Vec3 point) const noexcept;
    float signed_distance(Vec3 point) const noexcept;

    // Internal to the library.

    narrowphase::MeshView view() const noexcept;

private:
    struct Shape {
        std::size_t degenerate_count = 0;
        std::uint32_t root = 0xFFFFFFFFu;
        Aabb bounds = Aabb::empty();
    };

    /// MeshNode and MeshLeaf of narrowphase/src/mesh/layout.hpp.
    AlignedArray<std::byte> nodes_;
    AlignedArray<std::byte> leaves_;
    /// The slot of each triangle: leaf · 16 + lane.
    AlignedArray<std::uint32_t> slots_;
    AlignedArray<std::uint32_t> component_triangles_;
    ResetOnMove<Shape> shape_;
};

}  // namespace broadside
