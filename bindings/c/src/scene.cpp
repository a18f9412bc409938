// MeshScene.
#include "bindings/c/src/placed.hpp"
#include "bindings/c/src/query.hpp"

using namespace broadside;
using namespace broadside::c;

namespace {

using Call = MeshCall<MeshScene>;

static_assert(kNoInstance == BROADSIDE_NO_BOX);
static_assert(offsetof(SceneHit, target) == offsetof(broadside_scene_hit, instance));
static_assert(offsetof(Listed<SceneHit>, found) == offsetof(broadside_scene_ray_hit, hit));
static_assert(offsetof(Listed<SceneTriangle>, found.triangle_index) ==
              offsetof(broadside_scene_overlap, triangle));
static_assert(offsetof(SceneClosestPoint, target) == offsetof(broadside_scene_closest_point, instance));
static_assert(offsetof(SceneImpact, axis) == offsetof(broadside_scene_impact, axis));
static_assert(offsetof(Listed<SceneImpact>, found) == offsetof(broadside_scene_cast_impact, impact));

}  // namespace

broadside_status broadside_scene_create(const broadside_allocator* allocator, broadside_scene** out_scene) {
    return create(allocator, out_scene);
}
void broadside_scene_destroy(broadside_scene* scene) { destroy(scene); }

broadside_status broadside_scene_build(broadside_scene* scene, const broadside_placed_mesh* instances,
                                       size_t count, const broadside_task_runner* runner,
                                       broadside_result* out_result) {
    if (scene == nullptr || !is_readable(instances, count) || !is_writable(out_result))
        return refuse(out_result);
    if (!place_all(instances, count, scene->placed))
        return finish(out_result, BatchResult{Status::out_of_memory, kNoIndex});
    const Runner own_runner(runner);
    return finish(out_result, scene->scene.build(std::span<const PlacedMesh>(scene->placed.data(), count),
                                                 own_runner.get()));
}
broadside_status broadside_scene_update(broadside_scene* scene, const broadside_transform* world_from_meshes,
                                        size_t count, const broadside_task_runner* runner,
                                        broadside_result* out_result) {
    if (scene == nullptr || !is_readable(world_from_meshes, count) || !is_writable(out_result))
        return refuse(out_result);
    const Runner own_runner(runner);
    return finish(out_result,
                  scene->scene.update(span_of<Transform>(world_from_meshes, count), own_runner.get()));
}
void broadside_scene_clear(broadside_scene* scene) {
    if (scene != nullptr) scene->scene.clear();
}
size_t broadside_scene_instance_count(const broadside_scene* scene) {
    return scene == nullptr ? 0 : scene->scene.instance_count();
}
broadside_aabb broadside_scene_bounds(const broadside_scene* scene) {
    return value_of<broadside_aabb>(scene == nullptr ? Aabb::empty() : scene->scene.bounds());
}
broadside_status broadside_scene_instance_bounds(const broadside_scene* scene, uint32_t instance_index,
                                                 broadside_aabb* out_bounds) {
    if (scene == nullptr || out_bounds == nullptr || instance_index >= scene->scene.instance_count())
        return BROADSIDE_INVALID_ARGUMENT;
    *out_bounds = value_of<broadside_aabb>(scene->scene.bounds(instance_index));
    return BROADSIDE_OK;
}

broadside_status broadside_scene_closest_hits(const broadside_scene* scene, const broadside_ray* rays,
                                              size_t ray_count, const broadside_mesh_settings* settings,
                                              broadside_scene_hit* out_closest, size_t capacity,
                                              broadside_result* out_result) {
    return query<Call>(scene, settings, Rays<MeshRays>{rays, ray_count},
                       batch_output<SceneHit>(out_closest, capacity), out_result, kClosestHits);
}
broadside_status broadside_scene_any_hit(const broadside_scene* scene, const broadside_ray* rays,
                                         size_t ray_count, const broadside_mesh_settings* settings,
                                         uint64_t* out_bits, size_t word_count,
                                         broadside_result* out_result) {
    return query<Call>(scene, settings, Rays<MeshHitQueries>{rays, ray_count},
                       BitOutput{out_bits, word_count}, out_result, kAnyHit);
}
broadside_status broadside_scene_find_hits(const broadside_scene* scene, const broadside_ray* rays,
                                           size_t ray_count, const broadside_mesh_settings* settings,
                                           broadside_query_lists* lists, broadside_scene_ray_hit* out_hits,
                                           size_t capacity, broadside_result* out_result) {
    return query<Call>(
        scene, settings, Rays<MeshRays>{rays, ray_count},
        array_output<Listed<SceneHit>>(lists, &broadside_query_lists::mesh, out_hits, capacity), out_result,
        kFindHits);
}
broadside_status broadside_scene_find_overlaps(const broadside_scene* scene, const broadside_shapes* shapes,
                                               const broadside_mesh_settings* settings,
                                               broadside_query_lists* lists,
                                               broadside_scene_overlap* out_overlaps, size_t capacity,
                                               broadside_result* out_result) {
    return query<Call>(
        scene, settings, Shapes<MeshShapes>{shapes},
        array_output<Listed<SceneTriangle>>(lists, &broadside_query_lists::mesh, out_overlaps, capacity),
        out_result, kFindOverlaps);
}
broadside_status broadside_scene_any_overlap(const broadside_scene* scene, const broadside_shapes* shapes,
                                             const broadside_mesh_settings* settings, uint64_t* out_bits,
                                             size_t word_count, broadside_result* out_result) {
    return query<Call>(scene, settings, Shapes<MeshShapes>{shapes}, BitOutput{out_bits, word_count},
                       out_result, kAnyOverlap);
}
broadside_status broadside_scene_closest_impacts(const broadside_scene* scene, const broadside_casts* casts,
                                                 const broadside_mesh_settings* settings,
                                                 broadside_scene_impact* out_impacts, size_t capacity,
                                                 broadside_result* out_result) {
    return query<Call>(scene, settings, Casts<MeshCasts>{casts},
                       batch_output<SceneImpact>(out_impacts, capacity), out_result, kClosestHits);
}
broadside_status broadside_scene_find_impacts(const broadside_scene* scene, const broadside_casts* casts,
                                              const broadside_mesh_settings* settings,
                                              broadside_query_lists* lists,
                                              broadside_scene_cast_impact* out_impacts, size_t capacity,
                                              broadside_result* out_result) {
    return query<Call>(
        scene, settings, Casts<MeshCasts>{casts},
        array_output<Listed<SceneImpact>>(lists, &broadside_query_lists::mesh, out_impacts, capacity),
        out_result, kFindHits);
}
broadside_status broadside_scene_closest_points(const broadside_scene* scene, const broadside_vec3* points,
                                                size_t point_count, const broadside_mesh_settings* settings,
                                                broadside_scene_closest_point* out_closest, size_t capacity,
                                                broadside_result* out_result) {
    return query<Call>(scene, settings, Points{points, point_count},
                       batch_output<SceneClosestPoint>(out_closest, capacity), out_result, kClosestPoints);
}
broadside_status broadside_scene_contain(const broadside_scene* scene, const broadside_vec3* points,
                                         size_t point_count, const broadside_mesh_settings* settings,
                                         uint64_t* out_bits, size_t word_count,
                                         broadside_result* out_result) {
    return query<Call>(scene, settings, Points{points, point_count}, BitOutput{out_bits, word_count},
                       out_result, kContain);
}
broadside_status broadside_scene_signed_distances(const broadside_scene* scene, const broadside_vec3* points,
                                                  size_t point_count, const broadside_mesh_settings* settings,
                                                  float* out_distances, size_t capacity,
                                                  broadside_result* out_result) {
    return query<Call>(scene, settings, Points{points, point_count},
                       batch_output<float>(out_distances, capacity), out_result, kSignedDistances);
}
