// Clash detection: the pairs of many placed meshes that touch, cross or contain each other or come within a
// clearance.
#pragma once

#include <broadside/find_pairs.hpp>
#include <broadside/list_output.hpp>
#include <broadside/mesh_pairs.hpp>

namespace BROADSIDE_API broadside {

/// A mesh of set a and a mesh of set b with their relation, as mesh_relation(a, b) returns it. Never apart.
using Clash = RelatedPair<MeshRelation>;

/// Output of clashes in blocks.
using ClashSink = ListSink<Clash>;
using ClashOutput = ListOutput<Clash>;

/// The result of `find_clashes`.
struct [[nodiscard]] ClashResult {
    /// ok; capacity_exceeded if the array is full; out_of_memory; unsupported_isa; or invalid_argument, with
    /// nothing written, for a mesh or settings that mesh_relation refuses, a sink or a runner without a
    /// function, or kMaxBoxCount meshes or more.
    Status status = Status::ok;
    std::size_t written = 0;
    /// Number of clashes in the complete list. Meaningless unless the status is ok or capacity_exceeded.
    std::size_t required = 0;
    /// The first mesh of set a, or else of set b, that was refused; kNoIndex if none was.
    std::size_t bad_a = kNoIndex;
    std::size_t bad_b = kNoIndex;
    /// Number of pairs whose boxes come within the clearance. All of them were decided.
    std::size_t candidate_count = 0;
};

/// Finds all clashes between two sets, ascending by a, then by b. Boxes give the candidate pairs
/// (find_pairs), and trees and exact triangles decide each (mesh_relation). Nothing is left out: only the
/// output has a limit. The same mesh may be placed many times. Calls the allocator from the calling thread
/// only, and not at all once the scratch has grown: 24 bytes an instance, 9 a pair whose boxes meet, and that
/// of find_pairs. Results do not depend on ISA or workers.
ClashResult find_clashes(std::span<const PlacedMesh> a, std::span<const PlacedMesh> b,
                         const MeshRelationSettings& settings, BoxScratch& scratch,
                         const ClashOutput& out_clashes) noexcept;
/// Finds all clashes within one set: pairs with a < b. A refused mesh is bad_a.
ClashResult find_clashes(std::span<const PlacedMesh> meshes, const MeshRelationSettings& settings,
                         BoxScratch& scratch, const ClashOutput& out_clashes) noexcept;

}  // namespace broadside
