// The whole pipeline in one call a frame: boxes, rays, oriented boxes and meshes in; pairs, impacts, hits and
// triangle impacts out. Built on the public API alone, so it is also the worked example of how the parts fit
// together.
#pragma once

#include <broadside/box_tree.hpp>
#include <broadside/export.hpp>
#include <broadside/find_pairs.hpp>
#include <broadside/mesh_scene.hpp>
#include <broadside/mover.hpp>
#include <broadside/moving_aabb_rows.hpp>
#include <broadside/obb_triangle.hpp>
#include <broadside/reset_on_move.hpp>

#include <cstdint>
#include <span>

namespace BROADSIDE_API broadside {

/// Input of one step. All views and spans belong to the caller and need to live for the call only. All are in
/// one space and one unit of length. Every part may be empty.
struct StageInput {
    /// The bodies' boxes at the start of the step.
    BoxSoaView boxes = {};
    /// Motion of each body in the step; empty if none moves.
    Vec3SoaView displacements = {};
    /// Rays, cast against the boxes at the start of the step.
    std::span<const Ray> rays = {};
    /// Lists of shapes that move against the bodies' boxes, which stay where they are at the start of the
    /// step. Each list is of one kind and has its own rule.
    std::span<const HitQueries> casts = {};
    /// Lists of shapes to test for overlaps with the bodies' boxes at the start of the step.
    std::span<const OverlapQueries> overlaps = {};
    /// Oriented boxes at the start of the step, which move against the triangles, which stand still.
    std::span<const Obb> obbs = {};
    /// Motion of each oriented box in the step (no rotation); empty if none moves.
    std::span<const Vec3> obb_displacements = {};
    /// The triangles of all meshes, one after the other.
    TriangleSoaView triangles = {};
    /// The box of each triangle (`triangle_bounds`), computed once by the owner of the mesh. Sorted once, and
    /// again only if a bit of them changes from one step to the next.
    BoxSoaView triangle_bounds = {};
    /// Meshes that stand still, for the rays, the oriented boxes and the movers. No pointer may be null.
    std::span<const TriangleMesh* const> meshes = {};
    /// Placed meshes, for the rays, the oriented boxes and the movers, at their placement in this step: move
    /// them with `MeshScene::update` before. Null for none.
    const MeshScene* scene = nullptr;
    /// Movers through the bodies' boxes, which stay where they are at the start of the step, and through the
    /// meshes and those of the scene.
    std::span<const Mover> movers = {};
};

/// Settings of a step.
struct StageSettings {
    /// Whether a mere touch of two bodies is an impact. Default: it is.
    Touch touch = Touch::closed;
    /// The result of a ray that starts inside a box. Default: a hit at t = 0.
    Inside inside = Inside::zero;
    /// True reports every box that a ray hits, by index; false (default) only the hit with the smallest t, and
    /// among equals the box with the smallest index.
    bool report_all_ray_hits = false;
    /// True reports every box that a cast hits, by index; false (default) only its first impact.
    bool report_all_cast_hits = false;
    /// Algorithm for candidate pairs, and filter of bodies that may pair: as the fields of FindPairsSettings.
    PairAlgorithm algorithm = PairAlgorithm::automatic;
    SweepAxis sweep_axis = SweepAxis::automatic;
    CellCounts cell_counts = {};
    BoxFilter filter = {};
    /// Settings of movers. Their runner is ignored.
    MoverSettings movers = {};
    /// Threads; null means the caller's thread. No result depends on it.
    const TaskRunner* runner = nullptr;
};

/// Two bodies that meet within the step: their pair; the time of impact as a fraction of the step in [0, 1], 0
/// if they overlap at the start; and the face of the first body's box that the second one reaches, none if they
/// overlap at the start.
using StageImpact = BoxHit<IndexPair>;

/// An oriented box and a triangle that it meets within the step.
struct StageTriangleImpact {
    std::uint32_t obb;
    std::uint32_t triangle;
    /// Time of impact as a fraction of the step in [0, 1].
    float toi;
    /// The one of the 13 axes that decides the impact; `contact_normal` makes a vector of it.
    ContactAxis axis;
};

/// Outcome of a step, with counts of invalid input.
struct [[nodiscard]] StageResult {
    /// `ok`, or the first failure. The results of earlier phases are complete, those of later ones are empty.
    Status status = Status::ok;
    /// Number of bodies with an invalid box, which take part in nothing. Index of the first one, or kNoIndex.
    std::size_t invalid_box_count = 0;
    std::size_t first_invalid_box = kNoIndex;
    /// Number of bodies with a non-finite displacement. They meet nothing, but rays still hit their boxes.
    std::size_t invalid_displacement_count = 0;
    std::size_t first_invalid_displacement = kNoIndex;
    /// Number of invalid rays, which hit nothing.
    std::size_t invalid_ray_count = 0;
    std::size_t first_invalid_ray = kNoIndex;
    /// Number of invalid casts, which hit nothing, and of invalid shapes, which overlap nothing. Counted over
    /// all lists; the first one's index is that in its own list.
    std::size_t invalid_query_count = 0;
    std::size_t first_invalid_query = kNoIndex;
    /// Number of oriented boxes that are invalid or have a non-finite displacement, which touch nothing.
    std::size_t invalid_obb_count = 0;
    std::size_t first_invalid_obb = kNoIndex;
    /// Number of movers whose status is invalid.
    std::size_t invalid_mover_count = 0;
    std::size_t first_invalid_mover = kNoIndex;
};

/// Wall-clock seconds of the last step by phase.
struct StageTimes {
    double swept_bounds_seconds = 0;
    double find_pairs_seconds = 0;
    double impacts_seconds = 0;
    /// Update of the bodies' tree for this step's rays and queries.
    double body_tree_seconds = 0;
    double ray_hits_seconds = 0;
    /// Casts and overlaps.
    double queries_seconds = 0;
    double triangle_pairs_seconds = 0;
    double triangle_impacts_seconds = 0;
    /// Meshes and the scene.
    double meshes_seconds = 0;
    double movers_seconds = 0;
    /// Sum of all phases.
    double total_seconds() const noexcept {
        return swept_bounds_seconds + find_pairs_seconds + impacts_seconds + body_tree_seconds +
               ray_hits_seconds + queries_seconds + triangle_pairs_seconds + triangle_impacts_seconds +
               meshes_seconds + movers_seconds;
    }
};

/// Owns the results and all scratch memory. One `step` at a time; several objects may step at once on several
/// threads. A frame that needs no more memory than earlier ones allocates nothing.
class CollisionStage {
public:
    explicit CollisionStage(const Allocator& allocator = default_allocator()) noexcept;

    /// Runs the pipeline. Results are the same bits on every ISA and for every runner. Cost: `find_pairs` of
    /// the bodies and O(1) per pair; a BoxTree of the bodies, kept from step to step, if there are rays or
    /// queries; and a BoxTree of the triangles, which costs one comparison while they stay the same.
    StageResult step(const StageInput& input, const StageSettings& settings = {}) noexcept;

    // Results of the last step, valid until the next one.

    /// Bodies whose swept boxes overlap, in canonical order.
    std::span<const IndexPair> candidate_pairs() const noexcept { return body_pairs_; }
    /// Impacts by time, then by first and second index.
    std::span<const StageImpact> impacts() const noexcept { return {impacts_.data(), impacts_.size()}; }
    /// Hits, by ray, then by box.
    std::span<const Listed<TreeHit>> ray_hits() const noexcept {
        return {ray_hits_.data(), ray_hits_.size()};
    }
    /// Impacts of one of the lists of casts, by cast, then by box.
    std::span<const Listed<TreeHit>> cast_hits(std::size_t list) const noexcept {
        return part_of(cast_hits_, cast_ends_, list);
    }
    /// Pairs of a shape of one of the lists and a body's box that it overlaps, by shape, then by box.
    std::span<const IndexPair> overlaps(std::size_t list) const noexcept {
        return part_of(overlaps_, overlap_ends_, list);
    }
    /// Impacts on triangles, by oriented box, then by triangle.
    std::span<const StageTriangleImpact> triangle_impacts() const noexcept {
        return {triangle_impacts_.data(), triangle_impacts_.size()};
    }

    /// The first hit of each ray that hits a mesh, by ray, and the first impact of each oriented box that
    /// meets one. The index of the mesh is that of the instance.
    std::span<const Listed<SceneHit>> mesh_hits() const noexcept {
        return {mesh_hits_.data(), mesh_hits_.size()};
    }
    std::span<const Listed<SceneImpact>> mesh_impacts() const noexcept {
        return {mesh_impacts_.data(), mesh_impacts_.size()};
    }
    /// The same for the scene. Its instances are one set, the meshes above another.
    std::span<const Listed<SceneHit>> scene_hits() const noexcept {
        return {scene_hits_.data(), scene_hits_.size()};
    }
    std::span<const Listed<SceneImpact>> scene_impacts() const noexcept {
        return {scene_impacts_.data(), scene_impacts_.size()};
    }
    /// One result for each mover.
    std::span<const MoverResult> mover_results() const noexcept {
        return {mover_results_.data(), mover_results_.size()};
    }

    const StageTimes& times() const noexcept { return times_; }

    /// 64-bit FNV-1a over all results, number by number: equal on every ISA, thread count and platform.
    std::uint64_t result_hash() const noexcept;

private:
    Status find_impacts(const StageInput& input, const StageSettings& settings,
                        StageResult& state_result) noexcept;
    Status find_ray_hits(const StageInput& input, const StageSettings& settings,
                         StageResult& state_result) noexcept;
    Status find_queries(const StageInput& input, const StageSettings& settings,
                        StageResult& state_result) noexcept;
    Status find_triangle_impacts(const StageInput& input, const StageSettings& settings,
                                 StageResult& state_result) noexcept;
    Status ask_meshes(const StageInput& input, const StageSettings& settings) noexcept;
    Status ask_scene(const StageInput& input, const StageSettings& settings) noexcept;
    Status list_obb_casts(const StageInput& input) noexcept;
    Status step_all_movers(const StageInput& input, const StageSettings& settings,
                           StageResult& state_result) noexcept;
    Status keep_impacts() noexcept;
    Status take_triangles(const BoxSoaView& triangle_bounds, const TaskRunner* runner) noexcept;
    void clear_results() noexcept;

    // The items of one of several lists, which lie one after the other.
    template <class Item>
    static std::span<const Item> part_of(const AlignedArray<Item>& items,
                                         const AlignedArray<std::size_t>& ends, std::size_t list) noexcept {
        if (list >= ends.size()) return {};
        const std::size_t begin = list == 0 ? 0 : ends[list - 1];
        return {items.data() + begin, ends[list] - begin};
    }

    // Memory of the phase that runs: results before their conversion, and displacements.
    struct PhaseMemory {
        // One entry per candidate.
        AlignedArray<float> times;
        AlignedArray<Face> faces;
        AlignedArray<ContactAxis> axes;
        AlignedArray<TreeHit> closest;
        // Results of one list.
        AlignedArray<Listed<TreeHit>> tree_hits;
        PairBuffer tree_pairs;
        // Results of one mesh, and of the scene.
        AlignedArray<MeshHit> mesh_closest;
        AlignedArray<MeshImpact> mesh_first;
        AlignedArray<SceneHit> scene_closest;
        AlignedArray<SceneImpact> scene_first;
        // The oriented boxes and their displacements.
        AlignedArray<ObbCast> obb_casts;
    };

    BoxScratch scratch_;
    PhaseMemory phase_;
    BoxTree body_tree_;
    BoxTree triangle_tree_;
    // The triangles' boxes in that tree.
    BoxSoa known_triangle_bounds_;
    // The bodies' swept boxes.
    BoxSoa query_bounds_;
    // The bodies in rows, if they have enough pairs to pay for it.
    BodyBoxRows body_rows_;
    AlignedArray<Aabb> obb_bounds_;
    PairBuffer body_pairs_;
    // Candidates of the oriented boxes.
    PairBuffer query_pairs_;
    AlignedArray<StageImpact> impacts_;
    AlignedArray<Listed<TreeHit>> ray_hits_;
    // The lists one after the other, and the end of each.
    AlignedArray<Listed<TreeHit>> cast_hits_;
    AlignedArray<std::size_t> cast_ends_;
    PairBuffer overlaps_;
    AlignedArray<std::size_t> overlap_ends_;
    AlignedArray<StageTriangleImpact> triangle_impacts_;
    AlignedArray<Listed<SceneHit>> mesh_hits_;
    AlignedArray<Listed<SceneImpact>> mesh_impacts_;
    AlignedArray<Listed<SceneHit>> scene_hits_;
    AlignedArray<Listed<SceneImpact>> scene_impacts_;
    AlignedArray<MoverResult> mover_results_;
    ResetOnMove<StageTimes> times_;
};

}  // namespace broadside
