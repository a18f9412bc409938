/* A snapshot of a world, for threads that query it while the world goes on. See <broadside/world_view.hpp>. */
#pragma once

#include <broadside_c/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The world at the time when the view was made. Objects may be set, added and removed, updates may run, the world
   may be destroyed, and the results stay the same. Any number of threads may query a view at once, each with its own
   broadside_query_lists. It uses the world's allocator, which the thread that destroys the last view must be able to
   call. */
typedef struct broadside_world_view broadside_world_view;

/* Creates a view, on the thread that changes the world. Costs the update of trees that a query needs, and the
   changes since. invalid_argument, out_of_memory, unsupported_isa. */
BROADSIDE_C_API broadside_status broadside_world_view_create(broadside_world* world,
                                                             const broadside_task_runner* runner,
                                                             const broadside_allocator* allocator,
                                                             broadside_world_view** out_view);
/* Another handle of the same view, for another thread; callable on any thread. O(1). */
BROADSIDE_C_API broadside_status broadside_world_view_copy(const broadside_world_view* view,
                                                           const broadside_allocator* allocator,
                                                           broadside_world_view** out_view);
/* Callable on any thread. */
BROADSIDE_C_API void broadside_world_view_destroy(broadside_world_view* view);

/* The box and the user data of an object in the view; invalid_argument if the handle named no object then. Either
   output may be null. */
BROADSIDE_C_API broadside_status broadside_world_view_describe(const broadside_world_view* view,
                                                               broadside_object object,
                                                               broadside_aabb* out_box,
                                                               uint64_t* out_user_data);

/* Queries, as those of the world. */

BROADSIDE_C_API broadside_status broadside_world_view_find_overlaps(
    const broadside_world_view* view, const broadside_shapes* shapes,
    const broadside_world_query_settings* settings, broadside_query_lists* lists,
    const broadside_world_overlap** out_overlaps, size_t* out_count, broadside_result* out_result);
BROADSIDE_C_API broadside_status
broadside_world_view_any_overlap(const broadside_world_view* view, const broadside_shapes* shapes,
                                 const broadside_world_query_settings* settings, uint64_t* out_bits,
                                 size_t word_count, broadside_result* out_result);
BROADSIDE_C_API broadside_status
broadside_world_view_first_overlaps(const broadside_world_view* view, const broadside_shapes* shapes,
                                    uint32_t shapes_per_state, const broadside_world_query_settings* settings,
                                    uint32_t* out_first, size_t motion_count, broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_world_view_closest_hits(
    const broadside_world_view* view, const broadside_casts* casts,
    const broadside_world_query_settings* settings, broadside_closest_object_hit* out_closest,
    size_t capacity, broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_world_view_find_hits(
    const broadside_world_view* view, const broadside_casts* casts,
    const broadside_world_query_settings* settings, broadside_query_lists* lists,
    const broadside_world_hit** out_hits, size_t* out_count, broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_world_view_any_hit(const broadside_world_view* view,
                                                              const broadside_casts* casts,
                                                              const broadside_world_query_settings* settings,
                                                              uint64_t* out_bits, size_t word_count,
                                                              broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_world_view_closest_objects(
    const broadside_world_view* view, const broadside_vec3* points, size_t point_count, uint32_t object_count,
    float max_distance, const broadside_world_query_settings* settings, broadside_closest_object* out_closest,
    size_t capacity, broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_world_view_visit_hits(
    const broadside_world_view* view, const broadside_casts* cast,
    const broadside_world_query_settings* settings, broadside_object_hit_visitor visit, void* user);
BROADSIDE_C_API broadside_status broadside_world_view_visit_overlaps(
    const broadside_world_view* view, const broadside_shapes* shape,
    const broadside_world_query_settings* settings, broadside_object_visitor visit, void* user);

#ifdef __cplusplus
}
#endif
