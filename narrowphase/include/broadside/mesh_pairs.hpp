// Mesh against mesh: triangles that meet, first contact of moving meshes, and relations such as containment.
#pragma once

#include <broadside/placed_mesh.hpp>
#include <broadside/triangle_pair.hpp>

namespace BROADSIDE_API broadside {

/// The work that a search has done, the same on every ISA.
struct PairSearchCounts {
    /// Steps down a tree: sixteen boxes against one, or two oriented boxes, or two spheres.
    std::uint64_t node_tests = 0;
    /// Pairs of leaves, of up to sixteen triangles each, or of one sphere.
    std::uint64_t leaf_pairs = 0;
    /// Pairs of triangles whose boxes meet; zero for trees of spheres.
    std::uint64_t triangle_tests = 0;

    friend constexpr bool operator==(const PairSearchCounts&, const PairSearchCounts&) = default;
};

/// Result of a search of two meshes or trees of spheres: one value.
template <class Found>
struct [[nodiscard]] MeshPairResult {
    /// As in a BatchResult.
    Status status = Status::ok;
    Found found = {};
    PairSearchCounts counts = {};
};
/// Result of `any_triangle_pair` and `any_part_pair`: whether there is a pair.
using AnyPairResult = MeshPairResult<bool>;
/// First contact of two moving meshes.
struct [[nodiscard]] MeshPairImpact {
    Status status = Status::ok;
    /// Fraction of the step in [0, 1]; kNoIntersection if they do not meet. 0 exactly for contact at its
    /// start.
    float toi = kNoIntersection;
    /// The triangles; kNoTriangle if there are none.
    std::uint32_t a = kNoTriangle;
    std::uint32_t b = kNoTriangle;
    PairSearchCounts counts = {};
};

// All take placed meshes and work on the triangles `placed(world_from_mesh, triangle)`, whose coordinates are
// floats. For these numbers, kinds are exact (`triangle_pair`). If both have a PlacedMesh::obb_tree, the
// search descends those: fewer tests, each at a higher cost (source_rules.md B32, B34). Without them, which
// is nearly always faster (bench/figures.md), it tests sixteen boxes at once. Results are the same.
// invalid_argument for a null mesh, a transform that is not a placement or takes the mesh out of the range of
// floats, and an obb_tree with another number of triangles. An empty mesh meets nothing. Pure, thread-safe,
// the same bits on every ISA.

/// All pairs of triangles that meet, ascending by a, then b. Pairs that do not fit count in `required`.
/// `out_counts` is optional.
WriteResult find_triangle_pairs(const PlacedMesh& a, const PlacedMesh& b, MeshScratch& scratch,
                                std::span<TrianglePair> out_pairs,
                                PairSearchCounts* out_counts = nullptr) noexcept;
/// Whether any triangles meet.
AnyPairResult any_triangle_pair(const PlacedMesh& a, const PlacedMesh& b) noexcept;
/// First contact within a step in which both meshes move by their displacements, linearly and without
/// turning. The result is the pair of triangles with the smallest toi, rounded to float, and among equals the
/// first by a, then by b. The toi of a pair is computed in doubles by separating axes. It is right to 2^-40
/// of the size of the triangles and their distance, divided by the speed at which they close. Triangles that
/// miss or graze each other by less than that may count as either. Contact at the start is decided exactly.
/// Displacements that are not finite are invalid_argument.
MeshPairImpact first_impact(const PlacedMesh& a, Vec3 a_displacement, const PlacedMesh& b,
                            Vec3 b_displacement) noexcept;

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

/// Settings of `mesh_relation` and `find_clashes`.
struct MeshRelationSettings {
    /// Surfaces no further apart than this are `near`, decided in doubles to 2^-30 of the size of the
    /// triangles and their distance. Default 0: none are. Negative or infinite: invalid_argument.
    float clearance = 0.0f;
    /// Whether to look for a mesh inside the other; if false, such a mesh is `apart` or `near`. Default on.
    bool find_contained = true;
    /// Threads of `find_clashes`. Default null: the caller's thread does everything. Pairs of meshes are
    /// distributed; no result depends on it.
    const TaskRunner* runner = nullptr;
};
/// Result of `mesh_relation`: the relation.
using MeshRelationResult = MeshPairResult<MeshRelation>;
/// How a lies relative to b. invalid_argument for a null mesh, a transform that is not a placement, and
/// settings out of range or with a runner without a function.
MeshRelationResult mesh_relation(const PlacedMesh& a, const PlacedMesh& b,
                                 const MeshRelationSettings& settings = {}) noexcept;

}  // namespace broadside
