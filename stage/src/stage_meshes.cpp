// What CollisionStage asks of meshes: rays, oriented boxes that move, and movers, which move through the bodies too.
#include <broadside/collision_stage.hpp>

#include "core/src/zones.hpp"
#include "stage/src/bad_items.hpp"
#include "stage/src/phase_clock.hpp"

namespace broadside {

// For each ray and each oriented box the first of all meshes; of equals that of the lowest one.
Status CollisionStage::ask_meshes(const StageInput& input, const StageSettings& settings) noexcept {
    if (input.meshes.empty()) return Status::ok;
    BROADSIDE_ZONE("stage/meshes");
    stage::PhaseClock clock;
    const std::size_t ray_count = input.rays.size();
    const std::size_t obb_count = input.obbs.size();
    if (!mesh_closest_.resize(ray_count) || !mesh_hits_.resize(ray_count) || !mesh_first_.resize(obb_count) ||
        !mesh_impacts_.resize(obb_count) || !still_.resize(input.obb_displacements.empty() ? obb_count : 0)) {
        return Status::out_of_memory;
    }
    for (StageMeshHit& hit : mesh_hits_) hit = {};
    for (StageMeshImpact& impact : mesh_impacts_) impact = {};
    for (Vec3& displacement : still_) displacement = {};
    const std::span<const Vec3> displacements = input.obb_displacements.empty()
                                                    ? std::span<const Vec3>(still_.data(), obb_count)
                                                    : input.obb_displacements;
    for (std::uint32_t mesh = 0; mesh < input.meshes.size(); ++mesh) {
        const std::span<MeshHit> hits = {mesh_closest_.data(), ray_count};
        const std::span<MeshImpact> impacts = {mesh_first_.data(), obb_count};
        Status status =
            input.meshes[mesh]->closest_hits(input.rays, {.runner = settings.runner}, hits).status;
        if (status == Status::ok) {
            status = input.meshes[mesh]
                         ->closest_hits(input.obbs, displacements, {settings.runner}, impacts)
                         .status;
        }
        if (status != Status::ok) return status;
        for (std::uint32_t i = 0; i < ray_count; ++i) {
            const bool is_first = hits[i].triangle_index != kNoTriangle && hits[i].t < mesh_hits_[i].hit.t;
            if (is_first) mesh_hits_[i] = {i, mesh, hits[i]};
        }
        for (std::uint32_t i = 0; i < obb_count; ++i) {
            const bool is_first =
                impacts[i].triangle_index != kNoTriangle && impacts[i].toi < mesh_impacts_[i].impact.toi;
            if (is_first) mesh_impacts_[i] = {i, mesh, impacts[i]};
        }
    }
    // Only what was met is kept.
    std::size_t hit_count = 0;
    for (const StageMeshHit& hit : mesh_hits_) {
        if (hit.hit.triangle_index != kNoTriangle) mesh_hits_[hit_count++] = hit;
    }
    std::size_t impact_count = 0;
    for (const StageMeshImpact& impact : mesh_impacts_) {
        if (impact.impact.triangle_index != kNoTriangle) mesh_impacts_[impact_count++] = impact;
    }
    // Smaller than it was, so this cannot fail.
    (void)mesh_hits_.resize(hit_count);
    (void)mesh_impacts_.resize(impact_count);
    times_.meshes_seconds = clock.lap();
    return Status::ok;
}

Status CollisionStage::step_all_movers(const StageInput& input, const StageSettings& settings,
                                       StageResult& state_result) noexcept {
    if (input.movers.empty()) return Status::ok;
    BROADSIDE_ZONE("stage/movers");
    stage::PhaseClock clock;
    if (!mover_results_.resize(input.movers.size())) return Status::out_of_memory;
    MoverSettings mover_settings = settings.movers;
    mover_settings.runner = settings.runner;
    const Status status = step_movers(input.movers, {&body_tree_, input.meshes}, mover_settings,
                                      {mover_results_.data(), mover_results_.size()})
                              .status;
    if (status != Status::ok) {
        mover_results_.clear();
        return status;
    }
    for (std::size_t i = 0; i < mover_results_.size(); ++i) {
        if (mover_results_[i].status != MoverStatus::invalid) continue;
        stage::count_bad(i, state_result.invalid_mover_count, state_result.first_invalid_mover);
    }
    times_.movers_seconds = clock.lap();
    return Status::ok;
}

}  // namespace broadside
