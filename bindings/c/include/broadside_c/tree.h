/* A tree over boxes, for queries. See <broadside/box_tree.hpp>. */
#pragma once

#include <broadside_c/queries.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A tree. Keeps a copy of the boxes, identified by their index. Results are the same bits on every instruction set,
   for any number of workers, alone or in a batch. */
typedef struct broadside_tree broadside_tree;

/* Creates a tree. O(1). invalid_argument, out_of_memory. */
BROADSIDE_C_API broadside_status broadside_tree_create(const broadside_allocator* allocator,
                                                       broadside_tree** out_tree);
BROADSIDE_C_API void broadside_tree_destroy(broadside_tree* tree);

/* Building. On failure the tree is unchanged. `runner` may be null. */

/* Sorts the boxes into a new tree; 110 to 140 bytes a box of some thousands. O(n log n). */
BROADSIDE_C_API broadside_status broadside_tree_build(broadside_tree* tree, const broadside_boxes* boxes,
                                                      const broadside_task_runner* runner);
/* Builds a tree of the boxes whose bit is set: (count + 63) / 64 words. Indices stay those of `boxes`. */
BROADSIDE_C_API broadside_status broadside_tree_build_subset(broadside_tree* tree,
                                                             const broadside_boxes* boxes,
                                                             const uint64_t* subset_bits,
                                                             const broadside_task_runner* runner);
/* Replaces the boxes by as many new ones, and keeps the structure. O(n). */
BROADSIDE_C_API broadside_status broadside_tree_refit(broadside_tree* tree, const broadside_boxes* boxes,
                                                      const broadside_task_runner* runner);
/* Refits if that keeps the tree good, else builds. */
BROADSIDE_C_API broadside_status broadside_tree_update(broadside_tree* tree, const broadside_boxes* boxes,
                                                       const broadside_task_runner* runner);
/* Sets one box, or adds one. invalid_argument for an index of 2^31 or more. O(log n). */
BROADSIDE_C_API broadside_status broadside_tree_set_box(broadside_tree* tree, uint32_t box_index,
                                                        const broadside_aabb* box);
/* Removes one box; its index stays. invalid_argument if it is not in the tree. O(log n). */
BROADSIDE_C_API broadside_status broadside_tree_remove_box(broadside_tree* tree, uint32_t box_index);
/* Removes all boxes and keeps the memory. */
BROADSIDE_C_API void broadside_tree_clear(broadside_tree* tree);

/* Number of indices in use, and of boxes in the tree; 0 for null. */
BROADSIDE_C_API size_t broadside_tree_box_count(const broadside_tree* tree);
BROADSIDE_C_API size_t broadside_tree_member_count(const broadside_tree* tree);
/* Number of invalid boxes, which are not in the tree, and the first of them. */
BROADSIDE_C_API size_t broadside_tree_invalid_count(const broadside_tree* tree, size_t* out_first_index);
/* The box of all valid boxes; from +infinity to -infinity if there are none. */
BROADSIDE_C_API broadside_aabb broadside_tree_bounds(const broadside_tree* tree);
/* The box at an index; from +infinity to -infinity if it is invalid or not in the tree. */
BROADSIDE_C_API broadside_aabb broadside_tree_box(const broadside_tree* tree, uint32_t box_index);
BROADSIDE_C_API size_t broadside_tree_capacity_bytes(const broadside_tree* tree);

/* Queries. Lists belong to `lists` and are valid until its next query; the result has the counts of items too. An
   invalid shape, ray, cast or point finds nothing. Bits are bit i % 64 of word i / 64 for query i, in (count + 63) /
   64 words; bits past the last query are 0. Returns capacity_exceeded if an output is too short, and then writes
   nothing. O(queries · log n + found) for boxes that lie apart. */

/* All boxes that the shapes overlap: pairs of the query and the box. */
BROADSIDE_C_API broadside_status broadside_tree_find_overlaps(
    const broadside_tree* tree, const broadside_shapes* shapes, const broadside_query_settings* settings,
    broadside_query_lists* lists, const broadside_pair** out_pairs, size_t* out_count,
    broadside_result* out_result);
/* For every shape, whether it overlaps a box. */
BROADSIDE_C_API broadside_status broadside_tree_any_overlap(const broadside_tree* tree,
                                                            const broadside_shapes* shapes,
                                                            const broadside_query_settings* settings,
                                                            uint64_t* out_bits, size_t word_count,
                                                            broadside_result* out_result);
/* The first shape of each motion of a body that overlaps a box. shapes_per_state consecutive shapes are the body in one
   state. Consecutive states are a motion, and all motion_count motions have equally many (else invalid_argument).
   out_first receives, per motion, the index of the shape within the motion, so that the state is the index divided by
   shapes_per_state; the number of shapes of a motion if none overlaps. */
BROADSIDE_C_API broadside_status broadside_tree_first_overlaps(const broadside_tree* tree,
                                                               const broadside_shapes* shapes,
                                                               uint32_t shapes_per_state,
                                                               const broadside_query_settings* settings,
                                                               uint32_t* out_first, size_t motion_count,
                                                               broadside_result* out_result);
/* The box with the smallest t for each cast; among equals, the smallest index. */
BROADSIDE_C_API broadside_status broadside_tree_closest_hits(const broadside_tree* tree,
                                                             const broadside_casts* casts,
                                                             const broadside_query_settings* settings,
                                                             broadside_closest_hit* out_closest,
                                                             size_t capacity, broadside_result* out_result);
/* All hits. */
BROADSIDE_C_API broadside_status broadside_tree_find_hits(const broadside_tree* tree,
                                                          const broadside_casts* casts,
                                                          const broadside_query_settings* settings,
                                                          broadside_query_lists* lists,
                                                          const broadside_hit** out_hits, size_t* out_count,
                                                          broadside_result* out_result);
/* For every cast, whether it hits a box. */
BROADSIDE_C_API broadside_status broadside_tree_any_hit(const broadside_tree* tree,
                                                        const broadside_casts* casts,
                                                        const broadside_query_settings* settings,
                                                        uint64_t* out_bits, size_t word_count,
                                                        broadside_result* out_result);
/* The `box_count` boxes nearest to each point and no further away than `max_distance` (INFINITY: no limit), by
   distance, then by index. Each point has box_count slots. */
BROADSIDE_C_API broadside_status broadside_tree_closest_boxes(
    const broadside_tree* tree, const broadside_vec3* points, size_t point_count, uint32_t box_count,
    float max_distance, const broadside_query_settings* settings, broadside_closest_box* out_closest,
    size_t capacity, broadside_result* out_result);
/* The same for boxes or points; other shapes return invalid_argument. */
BROADSIDE_C_API broadside_status broadside_tree_closest_boxes_to(
    const broadside_tree* tree, const broadside_shapes* shapes, uint32_t box_count, float max_distance,
    const broadside_query_settings* settings, broadside_closest_box* out_closest, size_t capacity,
    broadside_result* out_result);

/* All results of one query (count 1), unordered, without a list. A visitor of hits returns the largest t that is
   still of interest: INFINITY for all as before, -INFINITY for no more. A visitor of overlaps returns 0 to end. */
typedef float (*broadside_hit_visitor)(void* user, const broadside_closest_hit* hit);
typedef uint32_t (*broadside_overlap_visitor)(void* user, uint32_t box_index);
BROADSIDE_C_API broadside_status broadside_tree_visit_hits(const broadside_tree* tree,
                                                           const broadside_casts* cast,
                                                           const broadside_query_settings* settings,
                                                           broadside_hit_visitor visit, void* user);
BROADSIDE_C_API broadside_status broadside_tree_visit_overlaps(const broadside_tree* tree,
                                                               const broadside_shapes* shape,
                                                               const broadside_query_settings* settings,
                                                               broadside_overlap_visitor visit, void* user);

/* Two boxes and the smallest float that is no less than their distance. The visitor returns the largest distance
   that is still of interest: INFINITY for all as before, less than 0 for no more. */
typedef float (*broadside_close_pair_visitor)(void* user, const broadside_close_pair* pair);
/* Visits boxes no further than `max_distance` (INFINITY: no limit) from one box or point (count 1; other shapes
   return invalid_argument), mostly near before far. `first` of a pair is 0 and `second` the box. */
BROADSIDE_C_API broadside_status broadside_tree_visit_close_boxes(
    const broadside_tree* tree, const broadside_shapes* shape, float max_distance,
    const broadside_query_settings* settings, broadside_close_pair_visitor visit, void* user);

/* All pairs in the tree or, if `other` is not null, between the two, as broadside_find_pairs returns them. Uses only
   order, runner, filter and filter_b of the settings. */
BROADSIDE_C_API broadside_status broadside_tree_find_pairs(const broadside_tree* tree,
                                                           const broadside_tree* other,
                                                           const broadside_find_pairs_settings* settings,
                                                           broadside_query_lists* lists,
                                                           const broadside_pair** out_pairs,
                                                           size_t* out_count, broadside_result* out_result);
/* Visits the same pairs, unordered, each once, until the visitor returns 0. Uses only filter and filter_b of the
   settings. */
typedef uint32_t (*broadside_pair_visitor)(void* user, const broadside_pair* pair);
BROADSIDE_C_API broadside_status broadside_tree_visit_pairs(const broadside_tree* tree,
                                                            const broadside_tree* other,
                                                            const broadside_find_pairs_settings* settings,
                                                            broadside_pair_visitor visit, void* user);

/* The pair with the smallest distance within `max_distance` (INFINITY: no limit), in the tree or between the two, by
   distance, which is compared exactly, then by first and second. Uses only filter and filter_b of the settings. */
BROADSIDE_C_API broadside_status broadside_tree_closest_pair(const broadside_tree* tree,
                                                             const broadside_tree* other, float max_distance,
                                                             const broadside_find_pairs_settings* settings,
                                                             broadside_close_pair* out_pair);
/* Visits all such pairs, each once, mostly near before far. */
BROADSIDE_C_API broadside_status broadside_tree_visit_close_pairs(
    const broadside_tree* tree, const broadside_tree* other, float max_distance,
    const broadside_find_pairs_settings* settings, broadside_close_pair_visitor visit, void* user);

#ifdef __cplusplus
}
#endif
