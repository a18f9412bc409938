/* The parts of queries of a broadside_tree, a broadside_world and a broadside_mesh, and their results. */
#pragma once

#include <broadside_c/find_pairs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kind of the items of a broadside_shapes. */
typedef enum broadside_shape_kind BROADSIDE_ENUM_TYPE {
    /* broadside_aabb, broadside_vec3, broadside_sphere, broadside_obb, broadside_volume, broadside_capsule. */
    BROADSIDE_SHAPE_BOX = 0,
    BROADSIDE_SHAPE_POINT = 1,
    BROADSIDE_SHAPE_SPHERE = 2,
    BROADSIDE_SHAPE_OBB = 3,
    BROADSIDE_SHAPE_VOLUME = 4,
    BROADSIDE_SHAPE_CAPSULE = 5,
    BROADSIDE_SHAPE_FORCE_32_BITS = 0x7FFFFFFF
} broadside_shape_kind;

/* An array of shapes of one kind, which the caller owns and keeps alive for the call. Never changes. */
typedef struct broadside_shapes {
    /* The first shape. */
    const void* items;
    size_t count;
    /* The kind of all items. */
    broadside_shape_kind kind;
    uint32_t reserved;
} broadside_shapes;

/* The kind of the items of a broadside_casts. */
typedef enum broadside_cast_kind BROADSIDE_ENUM_TYPE {
    /* broadside_ray, broadside_box_cast, broadside_sphere_cast, broadside_capsule_cast, broadside_obb_cast. Trees and
       worlds take no oriented boxes, meshes no boxes. */
    BROADSIDE_CAST_RAY = 0,
    BROADSIDE_CAST_BOX = 1,
    BROADSIDE_CAST_SPHERE = 2,
    BROADSIDE_CAST_CAPSULE = 3,
    BROADSIDE_CAST_OBB = 4,
    BROADSIDE_CAST_FORCE_32_BITS = 0x7FFFFFFF
} broadside_cast_kind;

/* An array of rays, or of moving shapes; as above. */
typedef struct broadside_casts {
    /* The first cast. */
    const void* items;
    size_t count;
    /* The kind of all items. */
    broadside_cast_kind kind;
    uint32_t reserved;
} broadside_casts;

/* A hit of one cast; `query` is the cast's index. */
typedef struct broadside_hit {
    uint32_t query;
    uint32_t box;
    /* A ray's t, or a time of impact as a fraction of the displacement. */
    float t;
    /* A broadside_face. */
    uint8_t face;
    uint8_t unused[3];
} broadside_hit;

/* First hit of a cast. */
typedef struct broadside_closest_hit {
    /* BROADSIDE_NO_BOX and BROADSIDE_NO_INTERSECTION if there is no hit. */
    uint32_t box;
    float t;
    uint8_t face;
    uint8_t unused[3];
} broadside_closest_hit;

/* A box near a point or box. */
typedef struct broadside_closest_box {
    /* Squared distance, 0 if they overlap; BROADSIDE_NO_INTERSECTION and BROADSIDE_NO_BOX if there is none. */
    float distance_sq;
    uint32_t box;
} broadside_closest_box;

/* Two boxes that are near each other, and their distance. */
typedef struct broadside_close_pair {
    /* The smallest float that is no less than the distance of the closed boxes: 0 if and only if they overlap,
       INFINITY above FLT_MAX and if there is no pair. */
    float distance;
    /* BROADSIDE_NO_BOX twice if there is no such pair. */
    broadside_pair pair;
} broadside_close_pair;

/* Settings of all queries of a tree. */
typedef struct broadside_query_settings {
    /* sizeof(broadside_query_settings). */
    uint32_t size;
    /* Order of lists: by query and then by box, or by query with its boxes unordered. */
    broadside_pair_order order;
    /* For rays. is_conservative not 0: rounding loses no hit, at the price of near misses. */
    broadside_inside inside;
    /* See `inside`. */
    uint32_t is_conservative;
    /* For moving boxes. */
    broadside_touch touch;
    uint32_t reserved;
    const broadside_task_runner* runner;
    /* The categories of each box of the tree, one word a box. Null: all bits. */
    const uint64_t* categories;
    /* The mask of each query, one word a query: it finds boxes that have a category in its mask. Null: all bits. */
    const uint64_t* masks;
    /* Called for a box that is hit and passes the other filters; 0 rejects it. Must return the same for the same
       arguments; the order and number of calls are unspecified. With a runner, called on its threads. Null: accepts
       all. */
    uint32_t (*accepts)(void* user, uint32_t query_index, uint32_t box_index);
    void* user;
} broadside_query_settings;

/* The list of the last query that returned one, and memory for the next. Grow-only. One for each thread that
   queries. Threads of a runner call its allocator. */
typedef struct broadside_query_lists broadside_query_lists;

/* Creates an object for lists. O(1). invalid_argument, out_of_memory. */
BROADSIDE_C_API broadside_status broadside_query_lists_create(const broadside_allocator* allocator,
                                                              broadside_query_lists** out_lists);
BROADSIDE_C_API void broadside_query_lists_destroy(broadside_query_lists* lists);

#ifdef __cplusplus
}
#endif
