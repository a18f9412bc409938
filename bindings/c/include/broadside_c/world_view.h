/* What questions to a world answer, kept for threads that ask while it goes on. See <broadside/world_view.hpp>. */
#pragma once

#include <broadside_c/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The world as it was when the view was made: objects may be set, added and removed, updates may run, the world may be
   destroyed, and the answers stay. Any number of threads may ask one at once, each with answers of its own. The memory
   that it holds is the world's: its allocator must be callable by the thread that destroys the last view. */
typedef struct broadside_world_view broadside_world_view;

/* By the thread that changes the world. Costs what a question costs before it is asked, and what has changed since.
   invalid_argument, out_of_memory, unsupported_isa. */
BROADSIDE_C_API broadside_status broadside_world_view_create(broadside_world* world,
                                                             const broadside_task_runner* runner,
                                                             const broadside_allocator* allocator,
                                                             broadside_world_view** out_view);
/* Another handle of the same, for a thread of its own; by any thread. O(1). */
BROADSIDE_C_API broadside_status broadside_world_view_copy(const broadside_world_view* view,
                                                           const broadside_allocator* allocator,
                                                           broadside_world_view** out_view);
/* By any thread. */
BROADSIDE_C_API void broadside_world_view_destroy(broadside_world_view* view);

/* The box and the user data of an object then; invalid_argument when the handle named nothing. Either output may be
   null. */
BROADSIDE_C_API broadside_status broadside_world_view_describe(const broadside_world_view* view,
                                                               broadside_object object,
                                                               broadside_aabb* out_box,
                                                               uint64_t* out_user_data);

/* Questions, as those of the world. */

BROADSIDE_C_API broadside_status broadside_world_view_find_overlaps(
    const broadside_world_view* view, const broadside_shapes* shapes,
    const broadside_world_query_settings* settings, broadside_answers* answers,
    const broadside_world_overlap** out_overlaps, size_t* out_count, broadside_result* out_result);
BROADSIDE_C_API broadside_status
broadside_world_view_any_overlap(const broadside_world_view* view, const broadside_shapes* shapes,
                                 const broadside_world_query_settings* settings, uint64_t* out_bits,
                                 size_t word_count, broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_world_view_closest_hits(
    const broadside_world_view* view, const broadside_casts* casts,
    const broadside_world_query_settings* settings, broadside_closest_object_hit* out_closest,
    size_t capacity, broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_world_view_find_hits(
    const broadside_world_view* view, const broadside_casts* casts,
    const broadside_world_query_settings* settings, broadside_answers* answers,
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
