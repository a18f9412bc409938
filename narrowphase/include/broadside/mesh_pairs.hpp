// Mesh against mesh: the triangles that meet, what two moving meshes meet first, and how two meshes lie to each
// other.
#pragma once

#include <broadside/placed_mesh.hpp>
#include <broadside/triangle_pair.hpp>

namespace BROADSIDE_API broadside {

/// Which trees a search goes down. Answers are the same.
enum class MeshTreeKind : std::uint8_t {
    /// The trees that meshes have: sixteen boxes at once. The faster one nearly always; see bench/README.md.
    aabb,
    /// Those of PlacedMesh::obb_tree: fewer boxes are tested, each at a higher price (source_rules.md B32, B34).
    obb,
};

/// How the pairs of two meshes are searched for; no answer depends on it.
struct MeshPairSettings {
    MeshTreeKind tree = MeshTreeKind::aabb;
};

/// What a search has looked at: a measure of its work, the same on every ISA.
struct MeshPairCounts {
    /// Steps down a tree: sixteen boxes against one, or two oriented boxes.
    std::uint64_t box_tests = 0;
    /// Pairs of leaves, of up to sixteen triangles each.
    std::uint64_t leaf_pairs = 0;
    /// Pairs of triangles, those whose boxes meet.
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

/// The answer of `find_triangle_pairs`.
struct [[nodiscard]] MeshPairResult {
    /// As that of a WriteResult.
    Status status = Status::ok;
    std::size_t written = 0;
    std::size_t required = 0;
    MeshPairCounts counts = {};
};
/// The answer of `any_triangle_pair`.
struct [[nodiscard]] MeshPairAnswer {
    /// As that of a BatchResult.
    Status status = Status::ok;
    bool has_pair = false;
    MeshPairCounts counts = {};
};
/// What two moving meshes meet with first.
struct [[nodiscard]] MeshPairImpact {
    Status status = Status::ok;
    /// Fraction of the step in [0, 1]; kNoIntersection when they do not meet. 0 exactly when they meet at its
    /// start.
    float toi = kNoIntersection;
    /// The triangles, kNoTriangle where there are none.
    std::uint32_t a = kNoTriangle;
    std::uint32_t b = kNoTriangle;
    MeshPairCounts counts = {};
};

/// Grow-only memory of a search, kept by the caller between calls. Not for two calls at once.
struct MeshPairScratch {
    MeshPairScratch() noexcept : MeshPairScratch(default_allocator()) {}
    explicit MeshPairScratch(const Allocator& allocator) noexcept : pairs(allocator) {}

    std::size_t capacity_bytes() const noexcept { return pairs.capacity_bytes(); }

    /// For the sources of the library.
    AlignedArray<TrianglePair> pairs;
};

// All take placed meshes and answer for the triangles `placed(world_from_mesh, triangle)`, whose coordinates are
// floats: for these numbers, kinds are exact (`triangle_pair`). invalid_argument for a null mesh, a transform
// that is no placement, one that takes the mesh out of the range of floats, and for oriented boxes without a
// tree of as many triangles. An empty mesh meets nothing. Pure, thread-safe, the same bits on every ISA.

/// All pairs of triangles that meet, ascending by a, then by b. What does not fit is counted in `required`.
MeshPairResult find_triangle_pairs(const PlacedMesh& a, const PlacedMesh& b, const MeshPairSettings& settings,
                                   MeshPairScratch& scratch, std::span<TrianglePair> out_pairs) noexcept;
/// Whether there is one.
MeshPairAnswer any_triangle_pair(const PlacedMesh& a, const PlacedMesh& b,
                                 const MeshPairSettings& settings = {}) noexcept;
/// First contact within a step in which both meshes move by their displacements, linearly and without turning:
/// the pair of triangles of the smallest toi, which is rounded to float, and among equals the first by a, then by
/// b. Of each pair it is worked out in doubles by separating axes, and right to 2^-40 of the size of
/// the triangles and their distance, divided by the speed at which they close; triangles that miss each other,
/// or graze, by less than that may be taken for either. Whether they meet at the start is decided exactly.
/// Displacements that are not finite are invalid_argument.
MeshPairImpact first_impact(const PlacedMesh& a, Vec3 a_displacement, const PlacedMesh& b,
                            Vec3 b_displacement, const MeshPairSettings& settings = {}) noexcept;

/// How two meshes lie to each other; the first of the following that holds, from the last up.
enum class MeshRelation : std::uint8_t {
    /// None of the following.
    apart = 0,
    /// Their surfaces come as near as the clearance.
    near,
    /// No triangles meet, and a is inside of b, which is taken for closed: every connected component of a is
    /// (TriangleMesh::component_triangles), of which one corner is looked at each.
    a_in_b,
    /// As above the other way round.
    b_in_a,
    /// Triangles touch or lie in one plane, and none go through each other.
    touching,
    /// Triangles go through each other.
    intersecting,
    /// The same number of triangles, each with the same corners, placed, in the same order.
    duplicate,
};

/// What `mesh_relation` is to find out.
struct MeshRelationSettings {
    MeshTreeKind tree = MeshTreeKind::aabb;
    /// Surfaces no further apart than this are `near`, decided in doubles to 2^-30 of the size of the triangles
    /// and their distance. Default 0: none are. Not negative, not infinite (else invalid_argument).
    float clearance = 0.0f;
    /// Whether a mesh inside another one is looked for; without, it is `apart` or `near`. Default on.
    bool find_contained = true;
};
/// The answer of `mesh_relation`.
struct [[nodiscard]] MeshRelationAnswer {
    /// As that of a BatchResult.
    Status status = Status::ok;
    MeshRelation relation = MeshRelation::apart;
    MeshPairCounts counts = {};
};
/// How a lies to b. invalid_argument for a null mesh, a transform that is no placement, and settings out of range.
MeshRelationAnswer mesh_relation(const PlacedMesh& a, const PlacedMesh& b,
                                 const MeshRelationSettings& settings = {}) noexcept;

}  // namespace broadside
