/* The incremental broadphase: objects are added, move and are removed, and updates report the pairs that begin,
   persist and end. See <broadside/world.hpp>. */
#pragma once

#include <broadside_c/queries.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Handle of an object of one world, never reused: the slot in the lower half, the number of its uses in the upper. 0
   names no object. */
#if defined(__i386__) && defined(__GNUC__)
/* 32-bit x86 aligns 8 bytes in a struct to 4. With 8, the structs below have the same layout as on other machines. */
typedef uint64_t broadside_object __attribute__((aligned(8)));
#else
typedef uint64_t broadside_object;
#endif

/* Kind of an object. */
typedef enum broadside_object_kind BROADSIDE_ENUM_TYPE {
    BROADSIDE_OBJECT_MOVING = 0,
    /* At rest for now. Pairs like a moving one. */
    BROADSIDE_OBJECT_RESTING = 1,
    /* Does not pair with other fixed ones. */
    BROADSIDE_OBJECT_FIXED = 2,
    BROADSIDE_OBJECT_FORCE_32_BITS = 0x7FFFFFFF
} broadside_object_kind;

/* The order of a world's lists. */
typedef enum broadside_world_order BROADSIDE_ENUM_TYPE {
    BROADSIDE_WORLD_ORDER_SLOT = 0,
    /* By user data, so that the order of insertion does not matter. */
    BROADSIDE_WORLD_ORDER_USER_DATA = 1,
    BROADSIDE_WORLD_ORDER_FORCE_32_BITS = 0x7FFFFFFF
} broadside_world_order;

/* Settings that a world keeps for its lifetime. */
typedef struct broadside_world_settings {
    /* sizeof(broadside_world_settings). */
    uint32_t size;
    broadside_world_order order;
    /* Not 0: fixed objects pair with each other. */
    uint32_t do_fixed_objects_pair;
    uint32_t reserved;
    /* The most objects and the most pairs; 0 means no cap but memory (2^31 objects, 2^32 - 1 pairs). */
    size_t max_object_count;
    size_t max_pair_count;
} broadside_world_settings;

/* Properties of an object besides its box. */
typedef struct broadside_object_settings {
    /* sizeof(broadside_object_settings). */
    uint32_t size;
    /* Zero means moving. */
    broadside_object_kind kind;
    /* Two objects pair if each has a category in the other's mask. 0 means all bits, in each field by itself: a mask
       alone selects partners, whatever the object is. An object that pairs with nothing has a mask without a bit of
       any category. */
    uint64_t category;
    uint64_t mask;
    /* 0 means no group. Objects of one positive group pair whatever their masks, those of one negative group never. */
    int32_t group;
    /* Below 65,536; see broadside_world_set_layers_pair. */
    uint32_t layer;
    uint64_t user_data;
    /* The box is swept along this. Must be finite. */
    broadside_vec3 displacement;
    /* Added on every side. Zero or more; infinity is legal. */
    float margin;
} broadside_object_settings;

/* Two objects, in the order of the list. */
typedef struct broadside_world_pair {
    broadside_object a, b;
} broadside_world_pair;

/* A pair that has ended, with its last value. */
typedef struct broadside_ended_pair {
    broadside_object a, b;
    uint64_t value;
} broadside_ended_pair;

/* The user data of the objects of a pair. */
typedef struct broadside_pair_user_data {
    uint64_t a, b;
} broadside_pair_user_data;

/* Result of an update. */
typedef struct broadside_update_result {
    /* sizeof(broadside_update_result). */
    uint32_t size;
    broadside_status status;
    size_t begun_count;
    size_t ended_count;
    size_t pair_count;
    /* Number of objects that have changed since the previous update. */
    size_t changed_count;
} broadside_update_result;

/* A world: objects, their pairs, and the values of pairs. One call at a time. */
typedef struct broadside_world broadside_world;

/* Creates a world. O(1). invalid_argument, out_of_memory. */
BROADSIDE_C_API broadside_status broadside_world_create(const broadside_world_settings* settings,
                                                        const broadside_allocator* allocator,
                                                        broadside_world** out_world);
BROADSIDE_C_API void broadside_world_destroy(broadside_world* world);

/* Objects. A batch is checked as a whole before anything changes: on failure nothing has, and bad_index is the first
   bad item. Boxes may be anything: an invalid one is quarantined until it is set again. Changes take effect at the
   next update, for queries at once. O(items). */

/* Adds objects that share all properties but the box. `out_objects` receives boxes->count handles; `required` says
   as much. capacity_exceeded (max_object_count; no object was added), out_of_memory. */
BROADSIDE_C_API broadside_status broadside_world_add(broadside_world* world, const broadside_boxes* boxes,
                                                     const broadside_object_settings* common,
                                                     broadside_object* out_objects,
                                                     broadside_result* out_result);
/* Adds one object. */
BROADSIDE_C_API broadside_status broadside_world_add_one(broadside_world* world, const broadside_aabb* box,
                                                         const broadside_object_settings* settings,
                                                         broadside_object* out_object);
BROADSIDE_C_API broadside_status broadside_world_remove(broadside_world* world,
                                                        const broadside_object* objects, size_t count,
                                                        broadside_result* out_result);
/* Sets the boxes, or displacements, of as many objects. */
BROADSIDE_C_API broadside_status broadside_world_set_boxes(broadside_world* world,
                                                           const broadside_object* objects, size_t count,
                                                           const broadside_boxes* boxes,
                                                           broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_world_set_box(broadside_world* world, broadside_object object,
                                                         const broadside_aabb* box);
BROADSIDE_C_API broadside_status broadside_world_set_displacements(broadside_world* world,
                                                                   const broadside_object* objects,
                                                                   size_t count,
                                                                   const broadside_vec3s* displacements,
                                                                   broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_world_set_margin(broadside_world* world,
                                                            const broadside_object* objects, size_t count,
                                                            float margin, broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_world_set_kind(broadside_world* world,
                                                          const broadside_object* objects, size_t count,
                                                          broadside_object_kind kind,
                                                          broadside_result* out_result);
/* Sets category, mask, group and layer from `filter`; ignores its other fields. */
BROADSIDE_C_API broadside_status broadside_world_set_filter(broadside_world* world,
                                                            const broadside_object* objects, size_t count,
                                                            const broadside_object_settings* filter,
                                                            broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_world_set_user_data(broadside_world* world,
                                                               const broadside_object* objects, size_t count,
                                                               uint64_t user_data,
                                                               broadside_result* out_result);

/* 1 if the handle names an object, else 0. */
BROADSIDE_C_API uint32_t broadside_world_is_alive(const broadside_world* world, broadside_object object);
/* The properties of an object; invalid_argument if the handle names none. Either output may be null. */
BROADSIDE_C_API broadside_status broadside_world_describe(const broadside_world* world,
                                                          broadside_object object, broadside_aabb* out_box,
                                                          broadside_object_settings* out_settings);
BROADSIDE_C_API size_t broadside_world_object_count(const broadside_world* world);
/* The slots (lower halves of handles) of all living objects are below this. */
BROADSIDE_C_API size_t broadside_world_slot_count(const broadside_world* world);
/* Objects with invalid boxes, by slot. Writes as many as fit and returns how many there are. */
BROADSIDE_C_API size_t broadside_world_quarantined_objects(const broadside_world* world,
                                                           broadside_object* out_objects, size_t capacity);
/* Sets whether objects of two layers may pair; all may at first. invalid_argument if a layer is 65,536 or more. */
BROADSIDE_C_API broadside_status broadside_world_set_layers_pair(broadside_world* world, uint32_t layer_a,
                                                                 uint32_t layer_b, uint32_t may_pair);
/* Subtracts a finite offset from all boxes. */
BROADSIDE_C_API broadside_status broadside_world_shift_origin(broadside_world* world,
                                                              const broadside_vec3* offset);

/* Pairs. */

/* Updates the pairs. On failure they are those of the previous update, and the next one catches up. */
BROADSIDE_C_API broadside_status broadside_world_update(broadside_world* world,
                                                        const broadside_task_runner* runner,
                                                        broadside_update_result* out_result);
/* The lists of the last update, in canonical order, valid until the next one. Each function returns the items and
   writes their number; null and 0 if there are none. `persisting` and `pairs` are built at the first call, and are
   empty if there is no memory for it. */
BROADSIDE_C_API const broadside_world_pair* broadside_world_begun(const broadside_world* world,
                                                                  size_t* out_count);
BROADSIDE_C_API const broadside_ended_pair* broadside_world_ended(const broadside_world* world,
                                                                  size_t* out_count);
BROADSIDE_C_API const broadside_world_pair* broadside_world_persisting(const broadside_world* world,
                                                                       size_t* out_count);
BROADSIDE_C_API const broadside_world_pair* broadside_world_pairs(const broadside_world* world,
                                                                  size_t* out_count);
/* User data of the pairs of `ended`, one for each: that of a removed object is available nowhere else. As it was set
   last or, if user data is the order, as of the previous update. `broadside_world_describe` returns that of living
   objects. Valid as long as `ended`. */
BROADSIDE_C_API const broadside_pair_user_data* broadside_world_ended_user_data(const broadside_world* world,
                                                                                size_t* out_count);
/* The objects that an object pairs with, in canonical order; valid until the next update. The first call after an
   update builds the lists; threads may call it at once. */
BROADSIDE_C_API const broadside_object* broadside_world_pairs_of(const broadside_world* world,
                                                                 broadside_object object, size_t* out_count);
BROADSIDE_C_API size_t broadside_world_pair_count(const broadside_world* world);
/* The caller's value of a pair that is alive, 0 when it began. Null if the pair is not alive or there is no memory
   for values. Valid until the next update. */
BROADSIDE_C_API uint64_t* broadside_world_pair_value(broadside_world* world, broadside_object a,
                                                     broadside_object b);
/* A hash of the set of living pairs. O(1). */
BROADSIDE_C_API uint64_t broadside_world_pairs_hash(const broadside_world* world);
/* 1 if the boxes of two objects overlap, without margin and displacement, else 0. */
BROADSIDE_C_API uint32_t broadside_world_boxes_overlap(const broadside_world* world, broadside_object a,
                                                       broadside_object b);

/* Saving the world as bytes. */

BROADSIDE_C_API size_t broadside_world_snapshot_bytes(const broadside_world* world);
/* Returns capacity_exceeded and writes nothing if the bytes do not fit. */
BROADSIDE_C_API broadside_status broadside_world_save(const broadside_world* world, void* out_bytes,
                                                      size_t capacity);
/* Returns invalid_argument and changes nothing if the bytes are damaged, cut off or of another version. */
BROADSIDE_C_API broadside_status broadside_world_restore(broadside_world* world, const void* bytes,
                                                         size_t count);
/* 1 if all invariants hold, and the pairs of objects that have not changed since the last update are those of a
   plain search. For tests, and to check a suspected defect. Costs a plain search and its memory. */
BROADSIDE_C_API uint32_t broadside_world_is_consistent(const broadside_world* world);
BROADSIDE_C_API size_t broadside_world_capacity_bytes(const broadside_world* world);
/* The box of the boxes of all objects; from +infinity to -infinity if there are none. O(slots). */
BROADSIDE_C_API broadside_aabb broadside_world_bounds(const broadside_world* world);
/* Frees all memory except that of objects, pairs and the events of the last update. Invalidates lists that were
   returned. */
BROADSIDE_C_API void broadside_world_shrink(broadside_world* world);

/* Queries. They see every change so far. They update trees, so they change the world: one thread at a time. Boxes
   are without margin and displacement. Lists are sorted by query, then in the world's order. They belong to
   `lists`; see broadside_tree. */

typedef struct broadside_world_query_settings {
    /* sizeof(broadside_world_query_settings). */
    uint32_t size;
    /* Bits 1 << broadside_object_kind; 0 means all kinds. */
    uint32_t kinds;
    /* Layers that an object must be in one of, as bits; 0 means any. Layers from 64 on have no bit. */
    uint64_t layers;
    /* A word for each query: an object must have one of these categories. Null: no such rule. */
    const uint64_t* masks;
    /* As in broadside_query_settings. */
    broadside_inside inside;
    /* As in broadside_query_settings. */
    uint32_t is_conservative;
    /* As in broadside_query_settings. */
    broadside_touch touch;
    uint32_t reserved;
    const broadside_task_runner* runner;
    /* Called for an object that passes the other rules; 0 rejects it. See WorldQuerySettings of C++. */
    uint32_t (*accepts)(void* user, uint32_t query_index, broadside_object object);
    /* For both functions. */
    void* user;
    /* Called with the layer of an object that is met, any of the 65,536: 0 rejects all objects of that layer. Always
       the same result for a layer, because calls remember it. Null: no such rule. */
    uint32_t (*accepts_layer)(void* user, uint32_t layer);
} broadside_world_query_settings;

/* A query and an object that it overlaps. */
typedef struct broadside_world_overlap {
    uint32_t query;
    uint32_t unused;
    broadside_object object;
} broadside_world_overlap;

/* A query and an object that it hits; see broadside_hit. */
typedef struct broadside_world_hit {
    uint32_t query;
    uint32_t unused;
    broadside_object object;
    float t;
    uint8_t face;
    uint8_t unused_too[3];
} broadside_world_hit;

/* First hit of a cast; object 0 if there is none. */
typedef struct broadside_closest_object_hit {
    broadside_object object;
    float t;
    uint8_t face;
    uint8_t unused[3];
} broadside_closest_object_hit;

/* An object near a point; object 0 if there is none. */
typedef struct broadside_closest_object {
    float distance_sq;
    uint32_t unused;
    broadside_object object;
} broadside_closest_object;

/* All objects that the shapes overlap, as a list. */
BROADSIDE_C_API broadside_status broadside_world_find_overlaps(
    broadside_world* world, const broadside_shapes* shapes, const broadside_world_query_settings* settings,
    broadside_query_lists* lists, const broadside_world_overlap** out_overlaps, size_t* out_count,
    broadside_result* out_result);
/* For every shape, whether it overlaps an object, as bits. */
BROADSIDE_C_API broadside_status broadside_world_any_overlap(broadside_world* world,
                                                             const broadside_shapes* shapes,
                                                             const broadside_world_query_settings* settings,
                                                             uint64_t* out_bits, size_t word_count,
                                                             broadside_result* out_result);
/* The first shape of each motion of a body that overlaps an object; see broadside_tree_first_overlaps. */
BROADSIDE_C_API broadside_status
broadside_world_first_overlaps(broadside_world* world, const broadside_shapes* shapes,
                               uint32_t shapes_per_state, const broadside_world_query_settings* settings,
                               uint32_t* out_first, size_t motion_count, broadside_result* out_result);
/* For every cast, its first hit. */
BROADSIDE_C_API broadside_status broadside_world_closest_hits(broadside_world* world,
                                                              const broadside_casts* casts,
                                                              const broadside_world_query_settings* settings,
                                                              broadside_closest_object_hit* out_closest,
                                                              size_t capacity, broadside_result* out_result);
/* All hits of the casts, as a list. */
BROADSIDE_C_API broadside_status broadside_world_find_hits(broadside_world* world,
                                                           const broadside_casts* casts,
                                                           const broadside_world_query_settings* settings,
                                                           broadside_query_lists* lists,
                                                           const broadside_world_hit** out_hits,
                                                           size_t* out_count, broadside_result* out_result);
/* For every cast, whether it hits an object, as bits. */
BROADSIDE_C_API broadside_status broadside_world_any_hit(broadside_world* world, const broadside_casts* casts,
                                                         const broadside_world_query_settings* settings,
                                                         uint64_t* out_bits, size_t word_count,
                                                         broadside_result* out_result);
/* At most 64 objects a point. */
BROADSIDE_C_API broadside_status broadside_world_closest_objects(
    broadside_world* world, const broadside_vec3* points, size_t point_count, uint32_t object_count,
    float max_distance, const broadside_world_query_settings* settings, broadside_closest_object* out_closest,
    size_t capacity, broadside_result* out_result);

/* Receives hits, unordered, and returns what a visitor of a tree returns. It may query the world, but not change it. */
typedef float (*broadside_object_hit_visitor)(void* user, const broadside_closest_object_hit* hit);
/* The same for overlaps. */
typedef uint32_t (*broadside_object_visitor)(void* user, broadside_object object);
/* All results of one query (count 1), without a list. */
BROADSIDE_C_API broadside_status broadside_world_visit_hits(broadside_world* world,
                                                            const broadside_casts* cast,
                                                            const broadside_world_query_settings* settings,
                                                            broadside_object_hit_visitor visit, void* user);
/* All results of one query (count 1), without a list. */
BROADSIDE_C_API broadside_status broadside_world_visit_overlaps(
    broadside_world* world, const broadside_shapes* shape, const broadside_world_query_settings* settings,
    broadside_object_visitor visit, void* user);

#ifdef __cplusplus
}
#endif
