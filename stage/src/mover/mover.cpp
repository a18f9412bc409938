// Movers: the checks around a move, alone and in batches.
#include <broadside/float_environment.hpp>
#include <broadside/mover.hpp>
#include <broadside/run_tasks.hpp>

#include "core/src/argument.hpp"
#include "core/src/zones.hpp"
#include "simd/src/dispatch.hpp"
#include "stage/src/check_meshes.hpp"
#include "stage/src/mover/move.hpp"

namespace broadside {
namespace {

constexpr std::size_t kMoverRun = 16;

bool is_length(float value) { return value >= 0.0f && value <= FLT_MAX; }

bool check_settings(const MoverObstacles& obstacles, const MoverSettings& settings) {
    return check_runner(settings.runner) && stage::check_meshes(obstacles.meshes) &&
           BROADSIDE_ARGUMENT(is_finite(settings.up) && !(settings.up == Vec3{}),
                              "up: not finite or of no length") &&
           BROADSIDE_ARGUMENT(settings.min_ground_cosine > 0.0f && settings.min_ground_cosine <= 1.0f,
                              "min_ground_cosine: not above 0 and at most 1") &&
           BROADSIDE_ARGUMENT(is_length(settings.step_height), "step_height: negative or not finite") &&
           BROADSIDE_ARGUMENT(is_length(settings.stick_distance), "stick_distance: negative or not finite") &&
           BROADSIDE_ARGUMENT(settings.contact_offset > 0.0f && settings.contact_offset <= FLT_MAX,
                              "contact_offset: not above 0 or not finite");
}

stage::MoveRules rules_of(const MoverSettings& settings) {
    const Vec3Double up = widened(settings.up);
    return {up * (1.0 / stage::length(up)),
            static_cast<double>(settings.min_ground_cosine),
            static_cast<double>(settings.step_height),
            static_cast<double>(settings.stick_distance),
            static_cast<double>(settings.contact_offset),
            settings.max_iterations};
}

bool is_legal(const Mover& mover) {
    const MoverShape& shape = mover.shape;
    if (!is_finite(mover.position) || !is_finite(mover.displacement)) return false;
    switch (shape.form) {
        case MoverForm::box:
            return is_length(shape.half_extent.x) && is_length(shape.half_extent.y) &&
                   is_length(shape.half_extent.z);
        case MoverForm::sphere:
            return is_length(shape.radius);
        case MoverForm::capsule:
            return is_length(shape.radius) && is_length(shape.half_length);
    }
    return false;
}

MoverResult result_of(const Mover& mover, const MoverObstacles& obstacles, const stage::MoveRules& rules,
                      const stage::MoverKernels& kernels) {
    if (!is_legal(mover)) {
        MoverResult result;
        result.position = mover.position;
        return result;
    }
    stage::Surroundings surroundings(obstacles, kernels, mover.ignored_box);
    return stage::Move(mover, rules, surroundings).run();
}

}  // namespace

MoverResult step_mover(const Mover& mover, const MoverObstacles& obstacles,
                       const MoverSettings& settings) noexcept {
    const FloatEnvironment environment;
    MoverResult result;
    result.position = mover.position;
    const auto* mesh_kernels = simd::active_kernels<narrowphase::MeshKernels>();
    const auto* reach_kernels = simd::active_kernels<narrowphase::ReachKernels>();
    if (mesh_kernels == nullptr || reach_kernels == nullptr || !check_settings(obstacles, settings))
        return result;
    return FloatEnvironment::result(
        result_of(mover, obstacles, rules_of(settings), {*mesh_kernels, *reach_kernels}));
}

BatchResult step_movers(std::span<const Mover> movers, const MoverObstacles& obstacles,
                        const MoverSettings& settings, std::span<MoverResult> out_results) noexcept {
    const FloatEnvironment environment;
    if (!check_readable(movers, out_results) || !check_settings(obstacles, settings))
        return {Status::invalid_argument};
    if (out_results.size() < movers.size()) return {Status::capacity_exceeded};
    const auto* mesh_kernels = simd::active_kernels<narrowphase::MeshKernels>();
    const auto* reach_kernels = simd::active_kernels<narrowphase::ReachKernels>();
    if (mesh_kernels == nullptr || reach_kernels == nullptr) return {Status::unsupported_isa};
    const stage::MoverKernels kernels = {*mesh_kernels, *reach_kernels};
    const stage::MoveRules rules = rules_of(settings);
    run_chunks(settings.runner, movers.size(), kMoverRun, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("stage/mover task");
        for (std::size_t i = begin; i < end; ++i)
            out_results[i] = result_of(movers[i], obstacles, rules, kernels);
    });
    return {};
}

}  // namespace broadside
