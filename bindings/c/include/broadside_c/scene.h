/* Many placed meshes under one tree, queried as if they were one mesh. See <broadside/mesh_scene.hpp>. */
#pragma once

#include <broadside_c/placed_meshes.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A scene. Keeps copies of the instances. Their meshes must live, and stay unchanged, until the last query. */
typedef struct broadside_scene broadside_scene;

/* A hit on an instance; see broadside_mesh_hit. The instance is BROADSIDE_NO_BOX if there is no hit. */
typedef struct broadside_scene_hit {
    float t, u, v;
    uint32_t instance, triangle;
} broadside_scene_hit;

/* A hit of one of many rays. */
typedef struct broadside_scene_ray_hit {
    uint32_t ray;
    broadside_scene_hit hit;
} broadside_scene_ray_hit;

/* A triangle of an instance that a shape overlaps. */
typedef struct broadside_scene_overlap {
    uint32_t shape, instance, triangle;
} broadside_scene_overlap;

/* The closest point. BROADSIDE_NO_BOX and BROADSIDE_NO_TRIANGLE, infinitely far, if there is none. */
typedef struct broadside_scene_closest_point {
    broadside_vec3 point;
    float distance_sq;
    uint32_t instance, triangle;
} broadside_scene_closest_point;

/* First impact of a moving shape; see broadside_mesh_impact. */
typedef struct broadside_scene_impact {
    float toi;
    uint32_t instance, triangle;
    broadside_vec3 point, normal;
    uint8_t axis;
    uint8_t unused[3];
} broadside_scene_impact;

/* An impact of one of many casts. */
typedef struct broadside_scene_cast_impact {
    /* The index of the cast. */
    uint32_t cast;
    broadside_scene_impact impact;
} broadside_scene_cast_impact;

/* Creates a scene. O(1). invalid_argument, out_of_memory. */
BROADSIDE_C_API broadside_status broadside_scene_create(const broadside_allocator* allocator,
                                                        broadside_scene** out_scene);
BROADSIDE_C_API void broadside_scene_destroy(broadside_scene* scene);

/* Replaces all instances. On failure the scene is unchanged; bad_index is the first bad instance. O(n log n). */
BROADSIDE_C_API broadside_status broadside_scene_build(broadside_scene* scene,
                                                       const broadside_placed_mesh* instances, size_t count,
                                                       const broadside_task_runner* runner,
                                                       broadside_result* out_result);
/* Gives all instances new placements, a transform for each. As above otherwise. O(n). */
BROADSIDE_C_API broadside_status broadside_scene_update(broadside_scene* scene,
                                                        const broadside_transform* world_from_meshes,
                                                        size_t count, const broadside_task_runner* runner,
                                                        broadside_result* out_result);
BROADSIDE_C_API void broadside_scene_clear(broadside_scene* scene);
BROADSIDE_C_API size_t broadside_scene_instance_count(const broadside_scene* scene);
/* The box of all instances; from +infinity to -infinity if there are none. */
BROADSIDE_C_API broadside_aabb broadside_scene_bounds(const broadside_scene* scene);
/* The box that selects the instance for queries. invalid_argument if there is no such instance. */
BROADSIDE_C_API broadside_status broadside_scene_instance_bounds(const broadside_scene* scene,
                                                                 uint32_t instance_index,
                                                                 broadside_aabb* out_bounds);

/* Queries. Statuses, bits and lists as those of broadside_mesh. Shapes and casts are those of meshes. Among equals,
   the instance with the lowest index is reported. */

BROADSIDE_C_API broadside_status broadside_scene_closest_hits(const broadside_scene* scene,
                                                              const broadside_ray* rays, size_t ray_count,
                                                              const broadside_mesh_settings* settings,
                                                              broadside_scene_hit* out_closest,
                                                              size_t capacity, broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_scene_any_hit(const broadside_scene* scene,
                                                         const broadside_ray* rays, size_t ray_count,
                                                         const broadside_mesh_settings* settings,
                                                         uint64_t* out_bits, size_t word_count,
                                                         broadside_result* out_result);
/* By ray, then by t, instance and triangle. */
BROADSIDE_C_API broadside_status broadside_scene_find_hits(const broadside_scene* scene,
                                                           const broadside_ray* rays, size_t ray_count,
                                                           const broadside_mesh_settings* settings,
                                                           broadside_query_lists* lists,
                                                           broadside_scene_ray_hit* out_hits, size_t capacity,
                                                           broadside_result* out_result);
/* By shape, then by instance and triangle. */
BROADSIDE_C_API broadside_status broadside_scene_find_overlaps(const broadside_scene* scene,
                                                               const broadside_shapes* shapes,
                                                               const broadside_mesh_settings* settings,
                                                               broadside_query_lists* lists,
                                                               broadside_scene_overlap* out_overlaps,
                                                               size_t capacity, broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_scene_any_overlap(const broadside_scene* scene,
                                                             const broadside_shapes* shapes,
                                                             const broadside_mesh_settings* settings,
                                                             uint64_t* out_bits, size_t word_count,
                                                             broadside_result* out_result);
/* The first impact of each cast, and all up to its t_max by cast, then by time, instance and triangle. */
BROADSIDE_C_API broadside_status broadside_scene_closest_impacts(
    const broadside_scene* scene, const broadside_casts* casts, const broadside_mesh_settings* settings,
    broadside_scene_impact* out_impacts, size_t capacity, broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_scene_find_impacts(const broadside_scene* scene,
                                                              const broadside_casts* casts,
                                                              const broadside_mesh_settings* settings,
                                                              broadside_query_lists* lists,
                                                              broadside_scene_cast_impact* out_impacts,
                                                              size_t capacity, broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_scene_closest_points(
    const broadside_scene* scene, const broadside_vec3* points, size_t point_count,
    const broadside_mesh_settings* settings, broadside_scene_closest_point* out_closest, size_t capacity,
    broadside_result* out_result);
/* For closed meshes: whether any instance contains each point, as bits, and the least signed distance of all
   instances. Outside all of them, that is the distance to the closest surface. */
BROADSIDE_C_API broadside_status broadside_scene_contain(const broadside_scene* scene,
                                                         const broadside_vec3* points, size_t point_count,
                                                         const broadside_mesh_settings* settings,
                                                         uint64_t* out_bits, size_t word_count,
                                                         broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_scene_signed_distances(const broadside_scene* scene,
                                                                  const broadside_vec3* points,
                                                                  size_t point_count,
                                                                  const broadside_mesh_settings* settings,
                                                                  float* out_distances, size_t capacity,
                                                                  broadside_result* out_result);

#ifdef __cplusplus
}
#endif
