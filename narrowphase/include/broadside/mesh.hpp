// A mesh of triangles that answers questions. Their settings and answers are in mesh_query.hpp.
#pragma once

#include <broadside/aligned_array.hpp>
#include <broadside/export.hpp>
#include <broadside/mesh_query.hpp>
#include <broadside/reset_on_move.hpp>
#include <broadside/status.hpp>

#include <cstddef>
#include <span>

// For the sources of the library; a shared one does not show them.
namespace broadside::narrowphase {
struct MeshView;
}  // namespace broadside::narrowphase

namespace BROADSIDE_API broadside {

/// What made vertices and indices no mesh.
enum class MeshFault : std::uint8_t {
    none,
    /// The number of indices is no multiple of three. There is no index of it.
    incomplete_triangle,
    /// Too many triangles: at or above kMaxTriangleCount. There is no index of it.
    too_many_triangles,
    /// An index is at or past the number of vertices; `index` is its place among the indices.
    index_out_of_range,
    /// A vertex has a coordinate that is no finite number; `index` is the vertex. Unused vertices count too.
    vertex_not_finite,
};

/// The answer of `TriangleMesh::build`.
struct [[nodiscard]] MeshBuildResult {
    /// ok; invalid_argument with a fault; out_of_memory.
    Status status = Status::ok;
    /// What is wrong with the input.
    MeshFault fault = MeshFault::none;
    /// What the fault is at, the first in its list; kNoIndex where there is none.
    std::size_t index = kNoIndex;
};

/// Triangles under a tree of boxes, sixteen wide. It keeps a copy of the corners; a triangle is named by its
/// place in the list of indices. Immutable but for `build` and `clear`.
///
/// Answers are the same bits on every ISA, for any number of workers and way of asking, alone or in a batch:
/// those of asking every triangle in turn. Questions are const and may run on several threads at once.
/// Memory: 50 to 90 bytes a triangle; while it builds 16 to 32 more, 60 where most triangles lie in one place, and up to
/// half a megabyte for each worker of a runner, or for the caller. A call with rays takes up to 60 KB of its thread's
/// stack, one ray as much as many.
class TriangleMesh {
public:
    explicit TriangleMesh(const Allocator& allocator = default_allocator()) noexcept;

    /// Replaces all triangles: three indices into `vertices` for each, which need live for the call only. On
    /// any failure the mesh is as before, and so it is for a runner that is none (invalid_argument without a
    /// fault). The same input makes the same bytes everywhere, for any runner. Memory is taken on the caller's thread
    /// alone. O(n log n).
    MeshBuildResult build(std::span<const Vec3> vertices, std::span<const std::uint32_t> indices,
                          const TaskRunner* runner = nullptr) noexcept;
    void clear() noexcept;

    // As bytes, tree and all; the same mesh makes the same bytes on every machine.

    std::size_t snapshot_bytes() const noexcept;
    /// Writes snapshot_bytes() bytes; capacity_exceeded, and nothing is written, when they do not fit.
    Status save(std::span<std::byte> out_bytes) const noexcept;
    /// Becomes the mesh that was saved. invalid_argument for bytes that are no whole and undamaged snapshot of
    /// this version, found by a checksum and by a look at everything that questions rely on, so that bytes from
    /// anywhere do no harm; out_of_memory. Under any but ok the mesh is as before. O(n).
    Status restore(std::span<const std::byte> bytes) noexcept;

    std::size_t triangle_count() const noexcept { return slots_.size(); }
    /// Triangles without an area: all corners on one line, exactly. No ray hits them; every other question
    /// takes them for the segments or points that they are.
    std::size_t degenerate_count() const noexcept { return shape_.degenerate_count; }
    /// The first triangle of each connected component, ascending. Triangles hang together that share a corner, whether by
    /// its index or by its place.
    std::span<const std::uint32_t> component_triangles() const noexcept {
        return {component_triangles_.data(), component_triangles_.size()};
    }
    /// The box around all triangles; Aabb::empty() without one.
    Aabb bounds() const noexcept { return shape_.bounds; }
    /// The triangle at an index below triangle_count().
    Triangle triangle(std::uint32_t triangle_index) const noexcept;
    std::size_t capacity_bytes() const noexcept;

    // Rays: exactly `ray_triangle` of every triangle, in t, u, v and sides.

    /// For every ray the triangle of the smallest t, which is compared before rounding, and among equals the
    /// one of the smallest index: a ray that meets a shared edge is answered by one of its triangles, always
    /// the same.
    BatchResult closest_hits(std::span<const Ray> rays, const MeshRaySettings& settings,
                             std::span<MeshHit> out_closest) const noexcept;
    /// Whether there is a hit: bit i % 64 of word i / 64, and words for all rays.
    BatchResult any_hit(std::span<const Ray> rays, const MeshRaySettings& settings,
                        std::span<std::uint64_t> out_bits) const noexcept;
    /// All triangles that rays hit, ascending by ray, then by t before rounding, then by index. What does not
    /// fit is counted in `required`.
    WriteResult find_hits(std::span<const Ray> rays, const MeshRaySettings& settings, MeshScratch& scratch,
                          std::span<MeshRayHit> out_hits) const noexcept;

    // One ray alone, at the cost of its walk. Bad settings find nothing.

    MeshHit closest_hit(const Ray& ray, const MeshRaySettings& settings = {}) const noexcept;
    bool any_hit(const Ray& ray, const MeshRaySettings& settings = {}) const noexcept;

    /// How often a ray without end goes through the surface: as it would if it started and went a little
    /// aside, the same way for all triangles, so that one through an edge or a corner that triangles share
    /// counts once, and one that only touches counts twice or not at all. For a closed mesh it is even for every
    /// origin outside. Degenerate triangles do not count, nor does a ray that is not finite or of no length, which
    /// one is whose direction is below FLT_MIN on every axis.
    std::size_t crossing_count(Vec3 origin, Vec3 direction) const noexcept;

    // Shapes. An invalid one meets nothing.

    /// The triangles that each shape overlaps, exactly those of which `overlap(shape, triangle)` is true:
    /// pairs of the shape and the triangle, ascending by both. What does not fit is counted in `required`.
    WriteResult find_overlaps(std::span<const Sphere> spheres, MeshScratch& scratch,
                              std::span<IndexPair> out_pairs) const noexcept;
    WriteResult find_overlaps(std::span<const Obb> obbs, MeshScratch& scratch,
                              std::span<IndexPair> out_pairs) const noexcept;
    WriteResult find_overlaps(std::span<const Aabb> boxes, MeshScratch& scratch,
                              std::span<IndexPair> out_pairs) const noexcept;
    WriteResult find_overlaps(std::span<const Capsule> capsules, MeshScratch& scratch,
                              std::span<IndexPair> out_pairs) const noexcept;
    /// Whether there is one: bit i % 64 of word i / 64, and words for all shapes.
    BatchResult any_overlap(std::span<const Sphere> spheres, const MeshQuerySettings& settings,
                            std::span<std::uint64_t> out_bits) const noexcept;
    BatchResult any_overlap(std::span<const Obb> obbs, const MeshQuerySettings& settings,
                            std::span<std::uint64_t> out_bits) const noexcept;
    BatchResult any_overlap(std::span<const Aabb> boxes, const MeshQuerySettings& settings,
                            std::span<std::uint64_t> out_bits) const noexcept;
    BatchResult any_overlap(std::span<const Capsule> capsules, const MeshQuerySettings& settings,
                            std::span<std::uint64_t> out_bits) const noexcept;
    // One alone.

    bool any_overlap(const Sphere& sphere) const noexcept;
    bool any_overlap(const Obb& obb) const noexcept;
    bool any_overlap(const Aabb& box) const noexcept;
    bool any_overlap(const Capsule& capsule) const noexcept;

    /// What each shape meets first as it moves by its displacement: the triangle of the smallest time of
    /// `first_impact`, and among equals the one of the smallest index.
    BatchResult closest_hits(std::span<const Obb> obbs, std::span<const Vec3> displacements,
                             const MeshQuerySettings& settings,
                             std::span<MeshImpact> out_impacts) const noexcept;
    BatchResult closest_hits(std::span<const Sphere> spheres, std::span<const Vec3> displacements,
                             const MeshQuerySettings& settings,
                             std::span<MeshShapeImpact> out_impacts) const noexcept;
    BatchResult closest_hits(std::span<const Capsule> capsules, std::span<const Vec3> displacements,
                             const MeshQuerySettings& settings,
                             std::span<MeshShapeImpact> out_impacts) const noexcept;
    /// One alone.
    MeshImpact closest_hit(const Obb& obb, Vec3 displacement) const noexcept;
    MeshShapeImpact closest_hit(const Sphere& sphere, Vec3 displacement) const noexcept;
    MeshShapeImpact closest_hit(const Capsule& capsule, Vec3 displacement) const noexcept;

    // Points. One that is not finite is nowhere.

    /// The triangle of the smallest distance, as `closest_point` of the triangle works it out in double
    /// precision, and among equals the one of the smallest index.
    BatchResult closest_points(std::span<const Vec3> points, const MeshQuerySettings& settings,
                               std::span<MeshClosestPoint> out_closest) const noexcept;
    /// One alone.
    MeshClosestPoint closest_point(Vec3 point) const noexcept;

    // Of a closed mesh: one whose every edge has as many triangles that run along it one way as the other. Of
    // another one the answers are as repeatable, and mean little. A point is inside when a ray from it crosses
    // the surface an odd number of times; where the mesh meets itself, that is every second part.

    /// Whether the mesh holds a point, its surface included; decided exactly. As bits, see above.
    BatchResult contain(std::span<const Vec3> points, const MeshQuerySettings& settings,
                        std::span<std::uint64_t> out_bits) const noexcept;
    /// The distance to the surface, negative inside, 0 exactly on it or where it rounds to that; infinity for
    /// an empty mesh.
    BatchResult signed_distances(std::span<const Vec3> points, const MeshQuerySettings& settings,
                                 std::span<float> out_distances) const noexcept;
    /// One alone.
    bool contains(Vec3 point) const noexcept;
    float signed_distance(Vec3 point) const noexcept;

    // For the sources of the library.

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
    /// Where each triangle is: leaf · 16 + lane.
    AlignedArray<std::uint32_t> slots_;
    AlignedArray<std::uint32_t> component_triangles_;
    ResetOnMove<Shape> shape_;
};

}  // namespace broadside
