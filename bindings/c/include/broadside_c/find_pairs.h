/* All overlapping pairs of one set of boxes or between two. See <broadside/find_pairs.hpp>. */
#pragma once

#include <broadside_c/shapes.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Both orders are the same on every instruction set and for any number of workers. */
typedef enum broadside_pair_order BROADSIDE_ENUM_TYPE {
    /* Ascending by first, then by second. */
    BROADSIDE_ORDER_CANONICAL = 0,
    /* Unordered: cheaper, and may change from version to version. Still the same in every run. */
    BROADSIDE_ORDER_BY_ALGORITHM = 1,
    BROADSIDE_ORDER_FORCE_32_BITS = 0x7FFFFFFF
} broadside_pair_order;

/* All find the same pairs. The choice changes the time and the order BY_ALGORITHM. */
typedef enum broadside_pair_algorithm BROADSIDE_ENUM_TYPE {
    BROADSIDE_ALGORITHM_AUTOMATIC = 0,
    BROADSIDE_ALGORITHM_BRUTE_FORCE = 1,
    BROADSIDE_ALGORITHM_SWEEP_AND_PRUNE = 2,
    BROADSIDE_ALGORITHM_CELLS = 3,
    BROADSIDE_ALGORITHM_FORCE_32_BITS = 0x7FFFFFFF
} broadside_pair_algorithm;

/* Rules on the boxes of a set that may pair. A null array omits its rule; any other has an entry for each box,
   except `subset_bits` and `ids`. A struct that never changes. */
typedef struct broadside_box_filter {
    /* Two boxes pair if each has a category in the other's mask. Omitted: all bits. */
    const uint64_t* categories;
    const uint64_t* masks;
    /* Boxes of one group other than 0 do not pair. Omitted: 0. */
    const uint32_t* groups;
    /* A pair must involve a box whose bit is set: bit i % 64 of word i / 64, (count + 63) / 64 words. */
    const uint64_t* subset_bits;
    /* Boxes with an id in common do not pair: `ids_per_box` ids for each box, box after box; a box with fewer
       repeats one. Omitted: none. */
    const uint32_t* ids;
    /* 0 with ids is an invalid argument. */
    uint32_t ids_per_box;
    uint32_t reserved;
} broadside_box_filter;

/* Settings of a search for pairs. */
typedef struct broadside_find_pairs_settings {
    /* sizeof(broadside_find_pairs_settings). */
    uint32_t size;
    broadside_pair_order order;
    broadside_pair_algorithm algorithm;
    /* The axis that a sweep sorts along: 0 automatic, 1 x, 2 y, 3 z. */
    uint32_t sweep_axis;
    /* Cells of the grid along x, y and z; all 0 is automatic. */
    uint32_t cell_counts[3];
    uint32_t reserved;
    const broadside_task_runner* runner;
    broadside_box_filter filter;
    /* Filter of the second set. */
    broadside_box_filter filter_b;
    /* The most pairs that broadside_find_pairs may keep; 0 means no cap but memory. */
    size_t max_pair_count;
} broadside_find_pairs_settings;

/* Result of a search, besides the pairs. */
typedef struct broadside_find_pairs_result {
    /* sizeof(broadside_find_pairs_result). */
    uint32_t size;
    broadside_status status;
    /* Number of pairs written, always a prefix of the list, and of pairs in the complete list; see broadside_result. */
    size_t written;
    size_t required;
    /* Invalid boxes of each set, which take no part: their number, and the smallest index or BROADSIDE_NO_INDEX. */
    size_t invalid_count;
    size_t first_invalid;
    size_t invalid_b_count;
    size_t first_invalid_b;
    /* The algorithm that ran, and the number of pairs of boxes that it compared. */
    broadside_pair_algorithm algorithm;
    uint32_t reserved;
    /* See `algorithm`. */
    uint64_t tested_count;
    /* Bytes of working memory that the finder holds. */
    size_t memory_bytes;
} broadside_find_pairs_result;

/* Working memory and a list of pairs, reused from call to call. Grow-only. One per thread. */
typedef struct broadside_finder broadside_finder;

/* Creates a finder. O(1). invalid_argument, out_of_memory. */
BROADSIDE_C_API broadside_status broadside_finder_create(const broadside_allocator* allocator,
                                                         broadside_finder** out_finder);
BROADSIDE_C_API void broadside_finder_destroy(broadside_finder* finder);

/* Finds all pairs i < j of boxes that overlap or, if `b` is not null, all (i, j) of a box of `boxes` and one of `b`.
   Closed and exact, each pair once. `out_pairs` becomes a list of `out_count` pairs that the finder owns, valid
   until its next call. On capacity_exceeded (max_pair_count) and out_of_memory the list is a prefix. At most 2^31
   boxes a set. O(n log n + pairs) if the density is bounded. */
BROADSIDE_C_API broadside_status broadside_find_pairs(broadside_finder* finder, const broadside_boxes* boxes,
                                                      const broadside_boxes* b,
                                                      const broadside_find_pairs_settings* settings,
                                                      const broadside_pair** out_pairs, size_t* out_count,
                                                      broadside_find_pairs_result* out_result);

/* As above, into the caller's array of `capacity` pairs. Writes nothing past `written`. On capacity_exceeded,
   `required` is the number of pairs. max_pair_count is ignored. */
BROADSIDE_C_API broadside_status broadside_find_pairs_into(broadside_finder* finder,
                                                           const broadside_boxes* boxes,
                                                           const broadside_boxes* b,
                                                           const broadside_find_pairs_settings* settings,
                                                           broadside_pair* out_pairs, size_t capacity,
                                                           broadside_find_pairs_result* out_result);

/* Receives part of a list, in its order and never empty. Called on the thread that called the library; the pairs are
   valid during the call. 0 ends the search with the status BROADSIDE_STOPPED. */
typedef uint32_t (*broadside_pair_sink)(void* user, const broadside_pair* pairs, size_t count);

/* As above to a function, block by block: a list of any length that is never stored. */
BROADSIDE_C_API broadside_status broadside_find_pairs_to(broadside_finder* finder,
                                                         const broadside_boxes* boxes,
                                                         const broadside_boxes* b,
                                                         const broadside_find_pairs_settings* settings,
                                                         broadside_pair_sink sink, void* user,
                                                         broadside_find_pairs_result* out_result);

/* Number types of boxes that are not of floats, or have two axes. */

typedef enum broadside_number BROADSIDE_ENUM_TYPE {
    BROADSIDE_NUMBER_FLOAT = 0,
    BROADSIDE_NUMBER_DOUBLE = 1,
    BROADSIDE_NUMBER_INT32 = 2,
    BROADSIDE_NUMBER_INT64 = 3,
    BROADSIDE_NUMBER_FORCE_32_BITS = 0x7FFFFFFF
} broadside_number;

/* Arrays of such numbers that the caller owns and keeps alive for the call. Never changes. */
typedef struct broadside_exact_boxes {
    const void *min_x, *min_y, *min_z;
    const void *max_x, *max_y, *max_z;
    size_t count;
    /* Distance between the numbers of neighbouring boxes in each array, in numbers; 0 means 1. Rows of six are
       arrays one number apart with a stride of 6. */
    size_t stride;
    /* The type of the numbers. */
    broadside_number number;
    /* 3 (or 0, the same), or 2: the arrays of z are not read. */
    uint32_t axis_count;
} broadside_exact_boxes;

/* As broadside_find_pairs, but compares the numbers themselves, without rounding. Both sets have the same number
   type and number of axes. Takes 32 bytes a box more. */
BROADSIDE_C_API broadside_status broadside_find_exact_pairs(
    broadside_finder* finder, const broadside_exact_boxes* boxes, const broadside_exact_boxes* b,
    const broadside_find_pairs_settings* settings, const broadside_pair** out_pairs, size_t* out_count,
    broadside_find_pairs_result* out_result);

#ifdef __cplusplus
}
#endif
