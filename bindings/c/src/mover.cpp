// Movers.
#include "bindings/c/src/movers.hpp"

using namespace broadside;
using namespace broadside::c;

namespace {

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
                                       const broadside_mover_settings* settings, broadside_query_lists* lists,
                                       broadside_mover_result* out_results, size_t capacity,
                                       broadside_result* out_result) {
    broadside_mover_settings given;
    const broadside_mover_obstacles in_way = obstacles != nullptr ? *obstacles : broadside_mover_obstacles{};
    if (!is_readable(movers, count) || !is_readable(in_way.meshes, in_way.mesh_count) || lists == nullptr ||
        !is_readable(out_results, capacity) || !is_writable(out_result) || !read_struct(settings, given))
        return refuse(out_result);
    const BatchResult has_meshes = name_meshes(in_way.meshes, in_way.mesh_count, lists->meshes);
    if (has_meshes.status != Status::ok) return finish(out_result, has_meshes);
    const MoverObstacles of = {.boxes = in_way.boxes != nullptr ? &in_way.boxes->tree : nullptr,
                               .meshes = {lists->meshes.data(), in_way.mesh_count},
                               .scene = in_way.scene != nullptr ? &in_way.scene->scene : nullptr};
    const Runner runner(given.runner);
    return finish(out_result,
                  step_movers(span_of<Mover>(movers, count), of, mover_settings(given, runner.get()),
                              span_of<MoverResult>(out_results, capacity)),
                  count);
}
