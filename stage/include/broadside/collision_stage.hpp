// The whole pipeline in one call a frame: boxes, rays, oriented boxes and meshes in; pairs, impacts, hits and contacts
// out. Built on the public API alone, so it is also the worked example of how the parts fit together.
#pragma once

#include <broadside/find_pairs.hpp>
#include <broadside/moving_aabb.hpp>
#include <broadside/obb_triangle.hpp>
#include <broadside/ray_box.hpp>

#include <cstdint>
#include <span>

namespace broadside {

/// What happens in one step. All views and spans belong to the caller and must live for the call only; all are in
/// one space and one unit of length. Every part may be empty.
struct StageInput {
    /// The bodies' boxes at the start of the step.
    BoxSoaView boxes;
    /// How far each body moves in the step; empty means that none moves.
    Vec3SoaView displacements;
    /// Rays, cast against the boxes at the start of the step.
    std::span<const Ray> rays;
    /// Oriented boxes at the start of the step, moved against the triangles, which stand still.
    std::span<const Obb> obbs;
    /// How far each oriented box moves in the step (no rotation); empty means that none moves.
    std::span<const Vec3> obb_displacements;
    /// The triangles of all meshes, one after the other.
    TriangleSoaView triangles;
    /// The box of each triangle (`triangle_bounds`), computed once by whoever owns the mesh.
    BoxSoaView triangle_bounds;
};

/// Which hits of a ray are reported.
enum class RayReport : std::uint8_t {
    /// The hit with the smallest t; among equals the box with the smallest index.
    closest,
    /// Every box that the ray meets, by index.
    all,
};

struct StageSettings {
    /// Whether a mere touch is an impact. Default: it is.
    Touch touch = Touch::closed;
    /// What a ray that starts inside a box reports. Default: a hit at t = 0.
    Inside inside = Inside::zero;
    RayReport ray_report = RayReport::closest;
    /// Broadphase settings; the order is always canonical here and the runner is the one below, whatever they say.
    FindPairsSettings find_pairs;
    /// Threads; null means the caller's. No result depends on it.
    const TaskRunner* runner = nullptr;
};

/// Two bodies that meet within the step.
struct StageImpact {
    /// Index of the first body, smaller than `second`.
    std::uint32_t first;
    std::uint32_t second;
    /// When, as a fraction of the step in [0, 1]; 0 when they overlap from the start.
    float toi;
    /// The face of the first body's box that the second one reaches; none when they overlap from the start.
    Face face;
};

/// A ray and a box that it meets.
struct StageRayHit {
    std::uint32_t ray;
    std::uint32_t box;
    /// Where, in multiples of the ray's direction.
    float t;
    /// The face through which the ray enters; none when it starts inside.
    Face face;
};

/// An oriented box and a triangle that it meets within the step.
struct StageContact {
    std::uint32_t obb;
    std::uint32_t triangle;
    /// When, as a fraction of the step in [0, 1].
    float toi;
    /// Which of the 13 axes decides the contact; `contact_normal` makes a vector of it.
    ContactAxis axis;
};

/// How much was found, what was wrong with the input.
struct StageResult {
    /// `ok`, or the first failure; the results of the phases before it stand, those after it are empty.
    Status status = Status::ok;
    /// Bodies whose box is invalid: they take part in nothing. The first one's index, or kNoIndex.
    std::size_t invalid_box_count = 0;
    std::size_t first_invalid_box = kNoIndex;
    /// Bodies with a non-finite displacement: they meet nothing, but rays still hit their boxes.
    std::size_t invalid_displacement_count = 0;
    std::size_t first_invalid_displacement = kNoIndex;
    /// Invalid rays hit nothing.
    std::size_t invalid_ray_count = 0;
    std::size_t first_invalid_ray = kNoIndex;
    /// Oriented boxes that are invalid or have a non-finite displacement touch nothing.
    std::size_t invalid_obb_count = 0;
    std::size_t first_invalid_obb = kNoIndex;
};

/// Wall-clock seconds of the last step by phase.
struct StageTimes {
    double swept_bounds_seconds = 0;
    double find_pairs_seconds = 0;
    double impacts_seconds = 0;
    double ray_pairs_seconds = 0;
    double ray_hits_seconds = 0;
    double contact_pairs_seconds = 0;
    double contacts_seconds = 0;
    double total_seconds() const noexcept {
        return swept_bounds_seconds + find_pairs_seconds + impacts_seconds + ray_pairs_seconds +
               ray_hits_seconds + contact_pairs_seconds + contacts_seconds;
    }
};

/// Owns the results and all scratch memory. One `step` at a time; several objects may step at once on several
/// threads. After the first frames of a scene it does not allocate.
class CollisionStage {
public:
    explicit CollisionStage(const Allocator& allocator = default_allocator()) noexcept;

    /// Runs the pipeline. Results are the same bits on every ISA and for every runner. Cost: that of `find_pairs`
    /// for the bodies, for rays against bodies and for oriented boxes against triangles, plus O(1) per candidate.
    StageResult step(const StageInput& input, const StageSettings& settings = {}) noexcept;

    // Results of the last step, valid until the next one.

    /// Bodies whose swept boxes overlap, in canonical order.
    std::span<const IndexPair> candidate_pairs() const noexcept { return body_pairs_.span(); }
    /// Impacts by time, then by first and second index.
    std::span<const StageImpact> impacts() const noexcept { return {impacts_.data(), impacts_.size()}; }
    /// Hits by ray, then by box.
    std::span<const StageRayHit> ray_hits() const noexcept { return {ray_hits_.data(), ray_hits_.size()}; }
    /// Contacts by oriented box, then by triangle.
    std::span<const StageContact> contacts() const noexcept { return {contacts_.data(), contacts_.size()}; }

    const StageTimes& times() const noexcept { return times_; }

    /// 64-bit FNV-1a over all results, number by number: equal on every ISA, thread count and platform.
    std::uint64_t result_hash() const noexcept;

private:
    Status find_impacts(const StageInput& input, const StageSettings& settings,
                        StageResult& state_result) noexcept;
    Status find_ray_hits(const StageInput& input, const StageSettings& settings,
                         StageResult& state_result) noexcept;
    Status find_contacts(const StageInput& input, const StageSettings& settings,
                         StageResult& state_result) noexcept;
    Status keep_impacts() noexcept;
    Status keep_ray_hits(RayReport report) noexcept;

    FindPairsScratch scratch_;
    // Filter boxes of whichever phase runs: bodies, rays, oriented boxes.
    BoxSoa query_bounds_;
    PairBuffer body_pairs_;
    // Candidates of the rays, then of the oriented boxes.
    PairBuffer query_pairs_;
    // One entry per candidate of the phase that runs.
    AlignedArray<float> pair_times_;
    AlignedArray<Face> pair_faces_;
    AlignedArray<ContactAxis> pair_axes_;
    AlignedArray<std::uint64_t> pair_hits_;
    AlignedArray<StageImpact> impacts_;
    AlignedArray<StageRayHit> ray_hits_;
    AlignedArray<StageContact> contacts_;
    StageTimes times_;
};

}  // namespace broadside
