// Movers.
#include "bindings/c/src/convert.hpp"
#include "bindings/c/src/handles.hpp"

#include <broadside/mover.hpp>

using namespace broadside;
using namespace broadside::c;

namespace {

MoverSettings settings_of(const broadside_mover_settings& given, const TaskRunner* runner) {
    MoverSettings settings;
    const Vec3 up = value_of<Vec3>(given.up);
    if (up.x != 0 || up.y != 0 || up.z != 0) settings.up = up;
    if (given.min_ground_cosine != 0) settings.min_ground_cosine = given.min_ground_cosine;
    settings.step_height = given.step_height;
    settings.stick_distance = given.stick_distance;
    if (given.contact_offset != 0) settings.contact_offset = given.contact_offset;
    if (given.max_iterations != 0) settings.max_iterations = given.max_iterations;
    settings.runner = runner;
    return settings;
}

static_assert(offsetof(Mover, position) == offsetof(broadside_mover, position) &&
              offsetof(Mover, displacement) == offsetof(broadside_mover, displacement) &&
              offsetof(Mover, ignored_box) == offsetof(broadside_mover, ignored_box));
static_assert(offsetof(MoverShape, half_extent) == offsetof(broadside_mover, half_extent) &&
              offsetof(MoverShape, half_length) == offsetof(broadside_mover, half_length));
static_assert(offsetof(MoverResult, has_stepped) == offsetof(broadside_mover_result, has_stepped) &&
              offsetof(MoverResult, wall_normal) == offsetof(broadside_mover_result, wall_normal));
static_assert(static_cast<int>(MoverForm::capsule) == BROADSIDE_MOVER_CAPSULE);
static_assert(static_cast<int>(MoverStatus::invalid) == BROADSIDE_MOVER_INVALID);

}  // namespace

broadside_status broadside_step_movers(const broadside_mover* movers, size_t count,
                                       const broadside_mover_obstacles* obstacles,
                                       const broadside_mover_settings* settings, broadside_answers* answers,
                                       broadside_mover_result* out_results, size_t capacity,
                                       broadside_result* out_result) {
    broadside_mover_settings given;
    const broadside_mover_obstacles in_way = obstacles != nullptr ? *obstacles : broadside_mover_obstacles{};
    if (!is_readable(movers, count) || !is_readable(in_way.meshes, in_way.mesh_count) || answers == nullptr ||
        !is_readable(out_results, capacity) || !is_writable(out_result) || !read_struct(settings, given))
        return refuse(out_result);
    if (!answers->meshes.resize(in_way.mesh_count))
        return finish(out_result, BatchResult{Status::out_of_memory, kNoIndex});
    for (std::size_t index = 0; index < in_way.mesh_count; ++index) {
        if (in_way.meshes[index] == nullptr)
            return finish(out_result, BatchResult{Status::invalid_argument, index});
        answers->meshes.data()[index] = &in_way.meshes[index]->mesh;
    }
    const MoverObstacles of = {.boxes = in_way.boxes != nullptr ? &in_way.boxes->tree : nullptr,
                               .meshes = {answers->meshes.data(), in_way.mesh_count},
                               .scene = in_way.scene != nullptr ? &in_way.scene->scene : nullptr};
    const Runner runner(given.runner);
    return finish(out_result, step_movers(span_of<Mover>(movers, count), of, settings_of(given, runner.get()),
                                          span_of<MoverResult>(out_results, capacity)));
}
