// Mesh against mesh: triangles that meet, first contact of moving meshes, and relations such as containment.
#pragma once

#include <broadside/placed_mesh.hpp>
#include <broadside/triangle_pair.hpp>

namespace BROADSIDE_API broadside {

/// The trees that a search descends. Results are the same.
enum class MeshTreeKind : std::uint8_t {
    /// The trees that meshes have: sixteen boxes at once. Nearly always the faster one; see bench/figures.md.
    aabb,
    /// The trees of PlacedMesh::obb_tree: fewer box tests, each at a higher cost (source_rules.md B32, B34).
    obb,
};

/// How the pairs of two meshes are searched for; no result depends on it.
struct MeshPairSettings {
    MeshTreeKind tree = MeshTreeKind::aabb;
};

/// The work that a search has done, the same on every ISA.
struct MeshPairCounts {
    /// Steps down a tree: sixteen boxes against one, or two oriented boxes.
    std::uint64_t box_tests = 0;
    /// Pairs of leaves, of up to sixteen triangles each.
    std::uint64_t leaf_pairs = 0;
    /// Pairs of triangles whose boxes meet.
    std::uint64_t triangle_tests = 0;

    friend constexpr bool operator==(const MeshPairCounts&, const MeshPairCounts&) = default;
};

/// A triangle of mesh a and one of mesh b that meet.
struct TrianglePair {
    std::uint32_t a = kNoTriangle;
    std::uint32_t b = kNoTriangle;
    /// Never disjoint.
    TrianglePairKind kind = TrianglePairKind::disjoint;

    friend constexpr bool operator==(const TrianglePair&, const TrianglePair&) = default;
};

/// Result of `find_triangle_pairs`.
struct [[nodiscard]] MeshPairResult {
    /// As in a WriteResult.
    Status status = Status::ok;
    std::size_t written = 0;
    std::size_t required = 0;
    MeshPairCounts counts = {};
};
/// Result of `any_triangle_pair`.
struct [[nodiscard]] AnyMeshPairResult {
    /// As in a BatchResult.
    Status status = Status::ok;
    bool has_pair = false;
    MeshPairCounts counts = {};
};
/// First contact of two moving meshes.
struct [[nodiscard]] MeshPairImpact {
    Status status = Status::ok;
    /// Fraction of the step in [0, 1]; kNoIntersection if they do not meet. 0 exactly for contact at its
    /// start.
    float toi = kNoIntersection;
    /// The triangles; kNoTriangle if there are none.
    std::uint32_t a = kNoTriangle;
    std::uint32_t b = kNoTriangle;
    MeshPairCounts counts = {};
};

/// Grow-only memory of a search, kept by the caller between calls. Not for two calls at once.
struct MeshPairScratch {
    MeshPairScratch() noexcept : MeshPairScratch(default_allocator()) {}
    explicit MeshPairScratch(const Allocator& allocator) noexcept : pairs(allocator) {}

    std::size_t capacity_bytes() const noexcept { return pairs.capacity_bytes(); }

    /// Internal to the library.
    AlignedArray<TrianglePair> pairs;
};

// All take placed meshes and work on the triangles `placed(world_from_mesh, triangle)`, whose coordinates are
// floats. For these numbers, kinds are exact (`triangle_pair`). invalid_argument for a null mesh, and for a
// transform that is not a placement or takes the mesh out of the range of floats. With oriented boxes also
// for a missing tree, or one with another number of triangles. An empty mesh meets nothing. Pure,
// thread-safe, the same bits on every ISA.

/// All pairs of triangles that meet, ascending by a, then b. Pairs that do not fit count in `required`.
MeshPairResult find_triangle_pairs(const PlacedMesh& a, const PlacedMesh& b, const MeshPairSettings& settings,
                                   MeshPairScratch& scratch, std::span<TrianglePair> out_pairs) noexcept;
/// Whether any triangles meet.
AnyMeshPairResult any_triangle_pair(const PlacedMesh& a, const PlacedMesh& b,
                                    const MeshPairSettings& settings = {}) noexcept;
/// First contact within a step in which both meshes move by their displacements, linearly and without
/// turning. The result is the pair of triangles with the smallest toi, rounded to float, and among equals the
/// first by a, then by b. The toi of a pair is computed in doubles by separating axes. It is right to 2^-40
/// of the size of the triangles and their distance, divided by the speed at which they close. Triangles that
/// miss or graze each other by less than that may count as either. Contact at the start is decided exactly.
/// Displacements that are not finite are invalid_argument.
MeshPairImpact first_impact(const PlacedMesh& a, Vec3 a_displacement, const PlacedMesh& b,
                            Vec3 b_displacement, const MeshPairSettings& settings = {}) noexcept;

/// How two meshes lie relative to each other. The relation is the highest enumerator that holds.
enum class MeshRelation : std::uint8_t {
    /// None of the others.
    apart = 0,
    /// The distance of their surfaces is at most the clearance.
    near,
    /// No triangles meet, and a is inside b, which is assumed to be closed. One corner of each connected
    /// component of a is tested (TriangleMesh::component_triangles), and all must be inside.
    a_in_b,
    /// As above with a and b exchanged.
    b_in_a,
    /// Triangles touch or are coplanar, and none intersect.
    touching,
    /// Triangles intersect.
    intersecting,
    /// The same number of triangles, each with the same corners, placed, in the same order.
    duplicate,
};

/// Settings of `mesh_relation`.
struct MeshRelationSettings {
    MeshTreeKind tree = MeshTreeKind::aabb;
    /// Surfaces no further apart than this are `near`, decided in doubles to 2^-30 of the size of the
    /// triangles and their distance. Default 0: none are. Negative or infinite: invalid_argument.
    float clearance = 0.0f;
    /// Whether to look for a mesh inside the other; if false, such a mesh is `apart` or `near`. Default on.
    bool find_contained = true;
};
/// Result of `mesh_relation`.
struct [[nodiscard]] MeshRelationResult {
    /// As in a BatchResult.
    Status status = Status::ok;
    MeshRelation relation = MeshRelation::apart;
    MeshPairCounts counts = {};
};
/// How a lies relative to b. invalid_argument for a null mesh, a transform that is not a placement, and
/// settings out of range.
MeshRelationResult mesh_relation(const PlacedMesh& a, const PlacedMesh& b,
                                 const MeshRelationSettings& settings = {}) noexcept;

}  // namespace broadside
