// CollisionStage on meshes and on a scene of them: rays, moving oriented boxes, and movers, which also move
// through the bodies.
#include <broadside/collision_stage.hpp>

#include "core/src/zones.hpp"
#include "stage/src/bad_items.hpp"
#include "stage/src/phase_clock.hpp"

namespace broadside {

namespace {

SceneHit of_mesh(const MeshHit& hit, std::uint32_t mesh) { return {hit.t, hit.u, hit.v, {mesh, hit.target}}; }
SceneImpact of_mesh(const MeshImpact& impact, std::uint32_t mesh) {
    return {impact.t, {mesh, impact.target}, impact.point, impact.normal, impact.axis};
}

// For each query the first hit over all meshes; among equals, the mesh with the lowest index. Only queries
// that hit one are listed.
template <class Queries, class OfMesh, class Found>
Status list_first(std::span<const TriangleMesh* const> meshes, const Queries& queries,
                  const TaskRunner* runner, AlignedArray<OfMesh>& scratch,
                  AlignedArray<Listed<Found>>& out_hits) {
    const auto query_count = static_cast<std::uint32_t>(queries.size());
    if (!scratch.resize(query_count) || !out_hits.resize(query_count)) return Status::out_of_memory;
    for (std::uint32_t i = 0; i < query_count; ++i) out_hits[i] = {i, {}};
    for (std::uint32_t mesh = 0; mesh < meshes.size(); ++mesh) {
        const Status status =
            meshes[mesh]->closest_hits(queries, runner, {scratch.data(), scratch.size()}).status;
        if (status != Status::ok) return status;
        for (std::uint32_t i = 0; i < query_count; ++i) {
            Found& first = out_hits[i].found;
            const bool is_first = first.target == kNoTarget<SceneTriangle> || scratch[i].t < first.t;
            if (scratch[i].target != kNoTriangle && is_first) first = of_mesh(scratch[i], mesh);
        }
    }
    std::size_t count = 0;
    for (const Listed<Found>& hit : out_hits) {
        if (hit.found.target != kNoTarget<SceneTriangle>) out_hits[count++] = hit;
    }
    // Smaller than before, so this cannot fail.
    (void)out_hits.resize(count);
    return Status::ok;
}
// The same for a scene.
template <class Queries, class Found>
Status list_first(const MeshScene& scene, const Queries& queries, const TaskRunner* runner,
                  AlignedArray<Found>& scratch, AlignedArray<Listed<Found>>& out_hits) {
    if (!scratch.resize(queries.size()) || !out_hits.reserve(queries.size())) return Status::out_of_memory;
    const Status status = scene.closest_hits(queries, runner, {scratch.data(), scratch.size()}).status;
    if (status != Status::ok) return status;
    for (std::uint32_t i = 0; i < scratch.size(); ++i) {
        // Reserved above, so this cannot fail.
        if (scratch[i].target != kNoTarget<SceneTriangle>) (void)out_hits.push_back({i, scratch[i]});
    }
    return Status::ok;
}

}  // namespace

// The oriented boxes with their displacements, which are zero if the input has none.
Status CollisionStage::list_obb_casts(const StageInput& input) noexcept {
    if (input.meshes.empty() && input.scene == nullptr) return Status::ok;
    stage::PhaseClock clock;
    if (!phase_.obb_casts.resize(input.obbs.size())) return Status::out_of_memory;
    for (std::size_t i = 0; i < input.obbs.size(); ++i) {
        const Vec3 displacement = input.obb_displacements.empty() ? Vec3{} : input.obb_displacements[i];
        phase_.obb_casts[i] = {input.obbs[i], displacement};
    }
    times_.meshes_seconds = clock.lap();
    return Status::ok;
}

Status CollisionStage::ask_meshes(const StageInput& input, const StageSettings& settings) noexcept {
    if (input.meshes.empty()) return Status::ok;
    BROADSIDE_ZONE("stage/meshes");
    stage::PhaseClock clock;
    Status status =
        list_first(input.meshes, MeshRays(input.rays), settings.runner, phase_.mesh_closest, mesh_hits_);
    if (status == Status::ok) {
        status = list_first(input.meshes, MeshCasts(phase_.obb_casts), settings.runner, phase_.mesh_first,
                            mesh_impacts_);
    }
    times_.meshes_seconds += clock.lap();
    return status;
}

Status CollisionStage::ask_scene(const StageInput& input, const StageSettings& settings) noexcept {
    if (input.scene == nullptr) return Status::ok;
    BROADSIDE_ZONE("stage/scene");
    stage::PhaseClock clock;
    Status status =
        list_first(*input.scene, MeshRays(input.rays), settings.runner, phase_.scene_closest, scene_hits_);
    if (status == Status::ok) {
        status = list_first(*input.scene, MeshCasts(phase_.obb_casts), settings.runner, phase_.scene_first,
                            scene_impacts_);
    }
    times_.meshes_seconds += clock.lap();
    return status;
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
