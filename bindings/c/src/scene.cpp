// MeshScene.
#include "bindings/c/src/placed.hpp"

using namespace broadside;
using namespace broadside::c;

namespace {

// Runs a query after the checks of its arguments: `ask` gets the scene, the side of triangles that rays hit,
// and the runner.
template <class Query, class Output, class Ask>
broadside_status with_scene(const broadside_scene* scene, const Query* queries, std::size_t query_count,
                            const broadside_mesh_settings* settings, const Output* output,
                            std::size_t capacity, broadside_result* out_result, const Ask& ask) {
    broadside_mesh_settings given;
    if (scene == nullptr || !is_readable(queries, query_count) || !is_readable(output, capacity) ||
        !is_writable(out_result) || !read_struct(settings, given))
        return refuse(out_result);
    const Runner runner(given.runner);
    const Sides sides = given.do_cull_back_sides != 0 ? Sides::front : Sides::both;
    return finish(out_result, ask(scene->scene, sides, {.runner = runner.get()}),
                  room_for<Output>(query_count));
}

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
    return with_scene(scene, rays, ray_count, settings, out_closest, capacity, out_result,
                      [&](const MeshScene& of, Sides sides, const MeshQuerySettings& with) {
                          return of.closest_hits({span_of<Ray>(rays, ray_count), sides}, with,
                                                 span_of<SceneHit>(out_closest, capacity));
                      });
}
broadside_status broadside_scene_any_hit(const broadside_scene* scene, const broadside_ray* rays,
                                         size_t ray_count, const broadside_mesh_settings* settings,
                                         uint64_t* out_bits, size_t word_count,
                                         broadside_result* out_result) {
    return with_scene(
        scene, rays, ray_count, settings, out_bits, word_count, out_result,
        [&](const MeshScene& of, Sides sides, const MeshQuerySettings& with) {
            return of.any_hit({span_of<Ray>(rays, ray_count), sides}, with, std::span(out_bits, word_count));
        });
}
broadside_status broadside_scene_find_hits(const broadside_scene* scene, const broadside_ray* rays,
                                           size_t ray_count, const broadside_mesh_settings* settings,
                                           broadside_query_lists* lists, broadside_scene_ray_hit* out_hits,
                                           size_t capacity, broadside_result* out_result) {
    if (lists == nullptr) return refuse(out_result);
    return with_scene(scene, rays, ray_count, settings, out_hits, capacity, out_result,
                      [&](const MeshScene& of, Sides sides, const MeshQuerySettings& with) {
                          return of.find_hits({span_of<Ray>(rays, ray_count), sides}, with, lists->scene,
                                              span_of<Listed<SceneHit>>(out_hits, capacity));
                      });
}
broadside_status broadside_scene_find_overlaps(const broadside_scene* scene, const broadside_shapes* shapes,
                                               broadside_query_lists* lists,
                                               broadside_scene_overlap* out_overlaps, size_t capacity,
                                               broadside_result* out_result) {
    if (scene == nullptr || lists == nullptr || !is_readable(out_overlaps, capacity) ||
        !is_writable(out_result))
        return refuse(out_result);
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const auto ask = [&](auto queries) {
        status = finish(out_result,
                        scene->scene.find_overlaps(queries, {}, lists->scene,
                                                   span_of<Listed<SceneTriangle>>(out_overlaps, capacity)));
    };
    return with_mesh_shapes(shapes, ask) ? status : refuse(out_result);
}
broadside_status broadside_scene_any_overlap(const broadside_scene* scene, const broadside_shapes* shapes,
                                             const broadside_mesh_settings* settings, uint64_t* out_bits,
                                             size_t word_count, broadside_result* out_result) {
    broadside_mesh_settings given;
    if (scene == nullptr || !is_readable(out_bits, word_count) || !is_writable(out_result) ||
        !read_struct(settings, given))
        return refuse(out_result);
    const Runner runner(given.runner);
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const auto ask = [&](auto queries) {
        status = finish(
            out_result,
            scene->scene.any_overlap(queries, {.runner = runner.get()}, std::span(out_bits, word_count)),
            bit_word_count(queries.size()));
    };
    return with_mesh_shapes(shapes, ask) ? status : refuse(out_result);
}
broadside_status broadside_scene_closest_impacts(const broadside_scene* scene, const broadside_casts* casts,
                                                 const broadside_mesh_settings* settings,
                                                 broadside_scene_impact* out_impacts, size_t capacity,
                                                 broadside_result* out_result) {
    return with_mesh_casts(casts, out_result, [&](const auto& queries) {
        return with_scene(scene, queries.data(), queries.size(), settings, out_impacts, capacity, out_result,
                          [&](const MeshScene& of, Sides, const MeshQuerySettings& with) {
                              return of.closest_hits(queries, with,
                                                     span_of<SceneImpact>(out_impacts, capacity));
                          });
    });
}
broadside_status broadside_scene_find_impacts(const broadside_scene* scene, const broadside_casts* casts,
                                              const broadside_mesh_settings* settings,
                                              broadside_query_lists* lists,
                                              broadside_scene_cast_impact* out_impacts, size_t capacity,
                                              broadside_result* out_result) {
    if (lists == nullptr) return refuse(out_result);
    return with_mesh_casts(casts, out_result, [&](const auto& queries) {
        return with_scene(scene, queries.data(), queries.size(), settings, out_impacts, capacity, out_result,
                          [&](const MeshScene& of, Sides, const MeshQuerySettings& with) {
                              return of.find_hits(queries, with, lists->scene,
                                                  span_of<Listed<SceneImpact>>(out_impacts, capacity));
                          });
    });
}
broadside_status broadside_scene_closest_points(const broadside_scene* scene, const broadside_vec3* points,
                                                size_t point_count, const broadside_mesh_settings* settings,
                                                broadside_scene_closest_point* out_closest, size_t capacity,
                                                broadside_result* out_result) {
    return with_scene(scene, points, point_count, settings, out_closest, capacity, out_result,
                      [&](const MeshScene& of, Sides, const MeshQuerySettings& with) {
                          return of.closest_points(span_of<Vec3>(points, point_count), with,
                                                   span_of<SceneClosestPoint>(out_closest, capacity));
                      });
}
broadside_status broadside_scene_contain(const broadside_scene* scene, const broadside_vec3* points,
                                         size_t point_count, const broadside_mesh_settings* settings,
                                         uint64_t* out_bits, size_t word_count,
                                         broadside_result* out_result) {
    return with_scene(scene, points, point_count, settings, out_bits, word_count, out_result,
                      [&](const MeshScene& of, Sides, const MeshQuerySettings& with) {
                          return of.contain(span_of<Vec3>(points, point_count), with,
                                            std::span(out_bits, word_count));
                      });
}
broadside_status broadside_scene_signed_distances(const broadside_scene* scene, const broadside_vec3* points,
                                                  size_t point_count, const broadside_mesh_settings* settings,
                                                  float* out_distances, size_t capacity,
                                                  broadside_result* out_result) {
    return with_scene(scene, points, point_count, settings, out_distances, capacity, out_result,
                      [&](const MeshScene& of, Sides, const MeshQuerySettings& with) {
                          return of.signed_distances(span_of<Vec3>(points, point_count), with,
                                                     std::span(out_distances, capacity));
                      });
}
