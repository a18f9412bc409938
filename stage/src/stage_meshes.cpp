// CollisionStage on meshes and on a scene of them: rays, moving oriented boxes, and movers, which also move
// through the bodies.
#include <broadside/collision_stage.hpp>

#include "core/src/zones.hpp"
#include "stage/src/bad_items.hpp"
#include "stage/src/phase_clock.hpp"

namespace broadside {

namespace {

// Keeps only the hits.
template <class Item, class IsMet>
void keep_met(AlignedArray<Item>& state_items, IsMet&& is_met) {
    std::size_t count = 0;
    for (const Item& item : state_items) {
        if (is_met(item)) state_items[count++] = item;
    }
    // Smaller than before, so this cannot fail.
    (void)state_items.resize(count);
}

}  // namespace

// The displacements of the input, or zeros if there are none.
Status CollisionStage::obb_displacements_of(const StageInput& input,
                                            std::span<const Vec3>& out_displacements) noexcept {
    out_displacements = input.obb_displacements;
    if (!out_displacements.empty()) return Status::ok;
    if (!phase_.still.resize(input.obbs.size())) return Status::out_of_memory;
    for (Vec3& displacement : phase_.still) displacement = {};
    out_displacements = {phase_.still.data(), phase_.still.size()};
    return Status::ok;
}

// For each ray and each oriented box, the first hit over all meshes; among equals, the mesh with the lowest
// index.
Status CollisionStage::ask_meshes(const StageInput& input, const StageSettings& settings) noexcept {
    if (input.meshes.empty()) return Status::ok;
    BROADSIDE_ZONE("stage/meshes");
    stage::PhaseClock clock;
    const std::size_t ray_count = input.rays.size();
    const std::size_t obb_count = input.obbs.size();
    std::span<const Vec3> displacements;
    if (!phase_.mesh_closest.resize(ray_count) || !mesh_hits_.resize(ray_count) ||
        !phase_.mesh_first.resize(obb_count) || !mesh_impacts_.resize(obb_count) ||
        obb_displacements_of(input, displacements) != Status::ok) {
        return Status::out_of_memory;
    }
    for (StageMeshHit& hit : mesh_hits_) hit = {};
    for (StageMeshImpact& impact : mesh_impacts_) impact = {};
    for (std::uint32_t mesh = 0; mesh < input.meshes.size(); ++mesh) {
        const std::span<MeshHit> hits = {phase_.mesh_closest.data(), ray_count};
        const std::span<MeshImpact> impacts = {phase_.mesh_first.data(), obb_count};
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
    keep_met(mesh_hits_, [](const StageMeshHit& hit) { return hit.hit.triangle_index != kNoTriangle; });
    keep_met(mesh_impacts_,
             [](const StageMeshImpact& impact) { return impact.impact.triangle_index != kNoTriangle; });
    times_.meshes_seconds = clock.lap();
    return Status::ok;
}

Status CollisionStage::ask_scene(const StageInput& input, const StageSettings& settings) noexcept {
    if (input.scene == nullptr) return Status::ok;
    BROADSIDE_ZONE("stage/scene");
    stage::PhaseClock clock;
    const std::size_t ray_count = input.rays.size();
    const std::size_t obb_count = input.obbs.size();
    std::span<const Vec3> displacements;
    if (!phase_.scene_closest.resize(ray_count) || !scene_hits_.reserve(ray_count) ||
        !phase_.scene_first.resize(obb_count) || !scene_impacts_.reserve(obb_count) ||
        obb_displacements_of(input, displacements) != Status::ok) {
        return Status::out_of_memory;
    }
    Status status = input.scene
                        ->closest_hits(input.rays, {.runner = settings.runner},
                                       {phase_.scene_closest.data(), phase_.scene_closest.size()})
                        .status;
    if (status == Status::ok) {
        status = input.scene
                     ->closest_hits(input.obbs, displacements, {settings.runner},
                                    {phase_.scene_first.data(), phase_.scene_first.size()})
                     .status;
    }
    if (status != Status::ok) return status;
    // Reserved above, so these cannot fail.
    for (std::uint32_t i = 0; i < ray_count; ++i) {
        if (phase_.scene_closest[i].instance_index != kNoInstance)
            (void)scene_hits_.push_back({i, phase_.scene_closest[i]});
    }
    for (std::uint32_t i = 0; i < obb_count; ++i) {
        if (phase_.scene_first[i].instance_index != kNoInstance)
            (void)scene_impacts_.push_back({i, phase_.scene_first[i]});
    }
    times_.meshes_seconds += clock.lap();
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
    const Status status = step_movers(input.movers, {&body_tree_, input.meshes, input.scene}, mover_settings,
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
