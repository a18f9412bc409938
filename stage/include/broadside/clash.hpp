// Clash detection: which of many placed meshes come to each other, and how.
#pragma once

#include <broadside/box_soa.hpp>
#include <broadside/find_pairs.hpp>
#include <broadside/list_output.hpp>
#include <broadside/mesh_pairs.hpp>

namespace BROADSIDE_API broadside {

/// A mesh of set a and one of set b, as mesh_relation(a, b) says they lie to each other. Never apart.
struct Clash {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    MeshRelation relation = MeshRelation::apart;

    friend constexpr bool operator==(const Clash&, const Clash&) = default;
};

/// What counts as a clash, and whose threads look for it.
struct ClashSettings {
    /// See MeshRelationSettings.
    MeshTreeKind tree = MeshTreeKind::aabb;
    /// See MeshRelationSettings.
    float clearance = 0.0f;
    /// See MeshRelationSettings.
    bool find_contained = true;
    /// Default null: the caller's thread does everything. Pairs of meshes are shared out; no answer depends on it.
    const TaskRunner* runner = nullptr;
};

/// Where clashes go.
using ClashSink = ListSink<Clash>;
using ClashOutput = ListOutput<Clash>;

/// Grow-only memory, kept by the caller between calls: 24 bytes an instance, 9 a pair whose boxes meet, and that
/// of find_pairs. It holds no state. Not for two calls at once.
struct ClashScratch {
    ClashScratch() noexcept : ClashScratch(default_allocator()) {}
    explicit ClashScratch(const Allocator& allocator) noexcept
        : boxes_a(allocator),
          boxes_b(allocator),
          pairs(allocator),
          candidates(allocator),
          relations(allocator) {}

    /// For the sources of the library.
    BoxSoa boxes_a;
    BoxSoa boxes_b;
    /// For the sources of the library.
    FindPairsScratch pairs;
    /// For the sources of the library.
    PairBuffer candidates;
    /// For the sources of the library.
    AlignedArray<MeshRelation> relations;
};

/// The answer of `find_clashes`.
struct [[nodiscard]] ClashResult {
    /// ok; capacity_exceeded when the array is full; out_of_memory; unsupported_isa; invalid_argument, and nothing
    /// was written, for a mesh that mesh_relation refuses, for settings that it refuses, a sink or a runner without
    /// a function, or kMaxBoxCount meshes or more.
    Status status = Status::ok;
    std::size_t written = 0;
    /// Clashes in the complete list. Meaningless unless the status is ok or capacity_exceeded.
    std::size_t required = 0;
    /// The first mesh of set a, or else of set b, that was refused; kNoIndex where none was.
    std::size_t bad_a = kNoIndex;
    std::size_t bad_b = kNoIndex;
    /// Pairs whose boxes came within the clearance, all of which were decided.
    std::size_t candidate_count = 0;
};

/// All clashes between two sets, ascending by a, then by b. First by boxes (find_pairs), then for each pair of them
/// by trees and exact triangles (mesh_relation). Nothing is left out: there is no cap but the output's. The same
/// mesh may be placed many times. The allocator is called from the calling thread only, and not at all once the
/// scratch has grown. Results do not depend on ISA or workers.
ClashResult find_clashes(std::span<const PlacedMesh> a, std::span<const PlacedMesh> b,
                         const ClashSettings& settings, ClashScratch& scratch,
                         const ClashOutput& out_clashes) noexcept;
/// As above among one set: pairs with a < b. A mesh that was refused is bad_a.
ClashResult find_clashes(std::span<const PlacedMesh> meshes, const ClashSettings& settings,
                         ClashScratch& scratch, const ClashOutput& out_clashes) noexcept;

}  // namespace broadside
