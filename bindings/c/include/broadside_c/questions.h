/* What questions to a broadside_tree, a broadside_world and a broadside_mesh are made of, and their answers. */
#pragma once

#include <broadside_c/find_pairs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kind of the items of a broadside_shapes. */
typedef enum broadside_shape_kind {
    /* broadside_aabb, broadside_vec3, broadside_sphere, broadside_obb, broadside_volume, broadside_capsule. */
    BROADSIDE_SHAPE_BOX = 0,
    BROADSIDE_SHAPE_POINT = 1,
    BROADSIDE_SHAPE_SPHERE = 2,
    BROADSIDE_SHAPE_OBB = 3,
    BROADSIDE_SHAPE_VOLUME = 4,
    BROADSIDE_SHAPE_CAPSULE = 5,
    BROADSIDE_SHAPE_FORCE_32_BITS = 0x7FFFFFFF
} broadside_shape_kind;

/* Shapes of one kind, in a row; the caller's, alive for the call. Never changes. */
typedef struct broadside_shapes {
    /* The first one. */
    const void* items;
    size_t count;
    /* What they are. */
    broadside_shape_kind kind;
    uint32_t reserved;
} broadside_shapes;

/* The kind of the items of a broadside_casts. */
typedef enum broadside_cast_kind {
    /* broadside_ray, broadside_box_cast, broadside_sphere_cast, broadside_capsule_cast. */
    BROADSIDE_CAST_RAY = 0,
    BROADSIDE_CAST_BOX = 1,
    BROADSIDE_CAST_SPHERE = 2,
    BROADSIDE_CAST_CAPSULE = 3,
    BROADSIDE_CAST_FORCE_32_BITS = 0x7FFFFFFF
} broadside_cast_kind;

/* Rays, or boxes, spheres or capsules in motion, in a row; as above. */
typedef struct broadside_casts {
    /* The first one. */
    const void* items;
    size_t count;
    /* What they are. */
    broadside_cast_kind kind;
    uint32_t reserved;
} broadside_casts;

/* What one cast meets; `query` is its index. */
typedef struct broadside_hit {
    uint32_t query;
    uint32_t box;
    /* A ray's t, or a time of impact as a fraction of the way. */
    float t;
    /* A broadside_face. */
    uint8_t face;
    uint8_t unused[3];
} broadside_hit;

/* What a cast meets first. */
typedef struct broadside_closest_hit {
    /* BROADSIDE_NO_INTERSECTION and BROADSIDE_NO_BOX when there is none. */
    float t;
    uint32_t box;
    uint8_t face;
    uint8_t unused[3];
} broadside_closest_hit;

/* A box near a point or box. */
typedef struct broadside_closest_box {
    /* Squared distance, 0 where they overlap; BROADSIDE_NO_INTERSECTION and BROADSIDE_NO_BOX when there is none. */
    float distance_sq;
    uint32_t box;
} broadside_closest_box;

/* Two boxes that are near each other. */
typedef struct broadside_close_pair {
    /* The smallest float that is no less than the distance of the closed boxes: 0 exactly where they overlap, INFINITY
       above FLT_MAX and where there is no pair. */
    float distance;
    /* BROADSIDE_NO_BOX twice where there is no such pair. */
    broadside_pair pair;
} broadside_close_pair;

/* Settings of all questions to a tree. */
typedef struct broadside_query_settings {
    /* sizeof(broadside_query_settings). */
    uint32_t size;
    /* Of lists: by query and then by box, or of each query's boxes as found. */
    broadside_pair_order order;
    /* Of rays; and not 0 so that no hit is lost to rounding, at the price of near misses. */
    broadside_inside inside;
    /* See `inside`. */
    uint32_t is_conservative;
    /* Of moving boxes. */
    broadside_touch touch;
    uint32_t reserved;
    const broadside_task_runner* runner;
    /* A word for each box of the tree: what it is, as bits. Null: all bits. */
    const uint64_t* categories;
    /* A word for each query: it finds boxes that have a category that its mask holds. Null: all bits. */
    const uint64_t* masks;
    /* Asked of a box that is met and passes the rest: 0 leaves it out. Must always answer the same; in which order
       and how often is not defined. With a runner on its threads. Null: no question. */
    uint32_t (*accepts)(void* user, uint32_t query_index, uint32_t box_index);
    void* user;
} broadside_query_settings;

/* The list of the last question that gave one, and memory for the next. Grow-only. One for each thread that asks. Its
   allocator is called from threads of a runner. */
typedef struct broadside_answers broadside_answers;

/* O(1). invalid_argument, out_of_memory. */
BROADSIDE_C_API broadside_status broadside_answers_create(const broadside_allocator* allocator,
                                                          broadside_answers** out_answers);
BROADSIDE_C_API void broadside_answers_destroy(broadside_answers* answers);

#ifdef __cplusplus
}
#endif
