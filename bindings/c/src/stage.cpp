// CollisionStage.
#include "bindings/c/src/movers.hpp"

#include <broadside/collision_stage.hpp>

using namespace broadside;
using namespace broadside::c;

struct broadside_stage {
    explicit broadside_stage(const broadside_allocator& hooks)
        : memory(hooks), stage(memory.allocator()), meshes(memory.allocator()) {}

    Memory memory;
    CollisionStage stage;
    // The meshes behind the caller's handles.
    AlignedArray<const TriangleMesh*> meshes;
};

namespace {

bool is_readable_input(const broadside_stage_input& given) {
    return is_readable(given.rays, given.ray_count) && is_readable(given.casts, given.cast_count) &&
           is_readable(given.sphere_casts, given.sphere_cast_count) &&
           is_readable(given.overlap_boxes, given.overlap_box_count) &&
           is_readable(given.overlap_spheres, given.overlap_sphere_count) &&
           is_readable(given.overlap_obbs, given.overlap_obb_count) &&
           is_readable(given.obbs, given.obb_count) && is_readable(given.meshes, given.mesh_count) &&
           is_readable(given.movers, given.mover_count);
}

// The lists of queries of an input.
struct Lists {
    Lists(const broadside_stage_input& given, Touch touch)
        : casts{HitQueries(span_of<BoxCast>(given.casts, given.cast_count), touch),
                HitQueries(span_of<SphereCast>(given.sphere_casts, given.sphere_cast_count))},
          overlaps{OverlapQueries(span_of<Aabb>(given.overlap_boxes, given.overlap_box_count)),
                   OverlapQueries(span_of<Sphere>(given.overlap_spheres, given.overlap_sphere_count)),
                   OverlapQueries(span_of<Obb>(given.overlap_obbs, given.overlap_obb_count))} {}

    HitQueries casts[2];
    OverlapQueries overlaps[3];
};

StageInput input_of(const broadside_stage_input& given, const Lists& lists,
                    std::span<const TriangleMesh* const> meshes) {
    return {.boxes = view_of(given.boxes),
            .displacements = view_of(given.displacements),
            .rays = span_of<Ray>(given.rays, given.ray_count),
            .casts = lists.casts,
            .overlaps = lists.overlaps,
            .obbs = span_of<Obb>(given.obbs, given.obb_count),
            .obb_displacements = span_of<Vec3>(given.obb_displacements, given.obb_count),
            .triangles = view_of(given.triangles),
            .triangle_bounds = view_of(given.triangle_bounds),
            .meshes = meshes,
            .scene = given.scene != nullptr ? &given.scene->scene : nullptr,
            .movers = span_of<Mover>(given.movers, given.mover_count)};
}

bool has_enumerators(const broadside_stage_settings& given) {
    return is_enumerator(given.touch, BROADSIDE_TOUCH_OPEN) &&
           is_enumerator(given.inside, BROADSIDE_INSIDE_NEGATIVE_T) &&
           is_enumerator(given.algorithm, BROADSIDE_ALGORITHM_CELLS);
}

template <class Item, class List>
void show(const List& list, const Item*& out_items, std::size_t& out_count) {
    out_items = list.empty() ? nullptr : same_layout<Item>(list.data());
    out_count = list.size();
}

broadside_stage_result result_of(const CollisionStage& stage, const StageResult& answer) {
    broadside_stage_result result = {};
    result.status = c_status(answer.status);
    show(stage.candidate_pairs(), result.candidate_pairs, result.candidate_pair_count);
    show(stage.impacts(), result.impacts, result.impact_count);
    show(stage.ray_hits(), result.ray_hits, result.ray_hit_count);
    show(stage.cast_hits(0), result.cast_hits, result.cast_hit_count);
    show(stage.cast_hits(1), result.sphere_cast_hits, result.sphere_cast_hit_count);
    show(stage.overlaps(0), result.box_overlaps, result.box_overlap_count);
    show(stage.overlaps(1), result.sphere_overlaps, result.sphere_overlap_count);
    show(stage.overlaps(2), result.obb_overlaps, result.obb_overlap_count);
    show(stage.triangle_impacts(), result.triangle_impacts, result.triangle_impact_count);
    result.invalid_box_count = answer.invalid_box_count;
    result.first_invalid_box = answer.first_invalid_box;
    result.invalid_displacement_count = answer.invalid_displacement_count;
    result.first_invalid_displacement = answer.first_invalid_displacement;
    result.invalid_ray_count = answer.invalid_ray_count;
    result.first_invalid_ray = answer.first_invalid_ray;
    result.invalid_query_count = answer.invalid_query_count;
    result.first_invalid_query = answer.first_invalid_query;
    result.invalid_obb_count = answer.invalid_obb_count;
    result.first_invalid_obb = answer.first_invalid_obb;
    result.hash = stage.result_hash();
    result.total_seconds = stage.times().total_seconds();
    show(stage.mesh_hits(), result.mesh_hits, result.mesh_hit_count);
    show(stage.mesh_impacts(), result.mesh_impacts, result.mesh_impact_count);
    show(stage.scene_hits(), result.scene_hits, result.scene_hit_count);
    show(stage.scene_impacts(), result.scene_impacts, result.scene_impact_count);
    show(stage.mover_results(), result.mover_results, result.mover_result_count);
    result.invalid_mover_count = answer.invalid_mover_count;
    result.first_invalid_mover = answer.first_invalid_mover;
    return result;
}

static_assert(offsetof(StageImpact, face) == offsetof(broadside_stage_impact, face));
static_assert(offsetof(StageTriangleImpact, axis) == offsetof(broadside_stage_triangle_impact, axis));
static_assert(offsetof(Listed<SceneImpact>, found.target) == offsetof(broadside_stage_mesh_impact, instance));
static_assert(offsetof(Listed<SceneImpact>, found.axis) == offsetof(broadside_stage_mesh_impact, axis));

broadside_status refuse_step(Status status, broadside_stage_result* out_result) {
    write_struct(out_result, result_of(CollisionStage(), {.status = status}));
    return c_status(status);
}

}  // namespace

broadside_status broadside_stage_create(const broadside_allocator* allocator, broadside_stage** out_stage) {
    return create(allocator, out_stage);
}
void broadside_stage_destroy(broadside_stage* stage) { destroy(stage); }

broadside_status broadside_stage_step(broadside_stage* stage, const broadside_stage_input* input,
                                      const broadside_stage_settings* settings,
                                      broadside_stage_result* out_result) {
    if (!is_writable(out_result)) return BROADSIDE_INVALID_ARGUMENT;
    broadside_stage_input given;
    broadside_stage_settings rules;
    broadside_mover_settings of_movers;
    if (stage == nullptr || input == nullptr || !read_struct(input, given) || !read_struct(settings, rules) ||
        !read_struct(rules.movers, of_movers) || !is_readable_input(given) || !has_enumerators(rules))
        return refuse_step(Status::invalid_argument, out_result);
    const BatchResult has_meshes = name_meshes(given.meshes, given.mesh_count, stage->meshes);
    if (has_meshes.status != Status::ok) return refuse_step(has_meshes.status, out_result);
    const Runner runner(rules.runner);
    StageSettings of_stage;
    of_stage.touch = enum_of<Touch>(rules.touch);
    of_stage.inside = inside_of(rules.inside);
    of_stage.report_all_ray_hits = rules.do_report_all_ray_hits != 0;
    of_stage.report_all_cast_hits = rules.do_report_all_cast_hits != 0;
    of_stage.algorithm = enum_of<PairAlgorithm>(rules.algorithm);
    of_stage.filter = filter_of(rules.filter, given.boxes.count);
    of_stage.runner = runner.get();
    of_stage.movers = mover_settings(of_movers, nullptr);
    const Lists lists(given, of_stage.touch);
    const StageResult answer =
        stage->stage.step(input_of(given, lists, {stage->meshes.data(), given.mesh_count}), of_stage);
    write_struct(out_result, result_of(stage->stage, answer));
    return c_status(answer.status);
}
