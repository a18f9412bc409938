/* Single queries and batches of the narrowphase. See <broadside/overlap.hpp> and its neighbours.

   All are pure. A batch returns the results of its single queries, bit for bit. Bits are bit i % 64 of word i / 64
   in (items + 63) / 64 words. `out_...` arrays hold one result an item; optional ones may be null. Returns
   capacity_exceeded if `capacity` (or word_count) is smaller. Writes nothing unless the status is ok. A pair with an
   index out of range returns invalid_argument, and bad_index is the pair. Outputs must not overlap inputs. O(items). */
#pragma once

#include <broadside_c/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Boxes against boxes. */

/* 1 if two valid boxes share a point, else 0. */
BROADSIDE_C_API uint32_t broadside_overlap(const broadside_aabb* a, const broadside_aabb* b);
/* One box against many, and pairs by index. */
BROADSIDE_C_API broadside_status broadside_box_overlaps(const broadside_aabb* box,
                                                        const broadside_boxes* boxes, uint64_t* out_bits,
                                                        size_t word_count, broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_pair_overlaps(const broadside_boxes* a, const broadside_boxes* b,
                                                         const broadside_pair* pairs, size_t pair_count,
                                                         uint64_t* out_bits, size_t word_count,
                                                         broadside_result* out_result);

/* Moving boxes. Times are fractions of the step in [0, 1], BROADSIDE_NO_INTERSECTION without impact. */

/* The time at which `moving` touches `stationary` as it moves by `displacement`. The face of `stationary` is written
   to out_face, which may be null. A null box or displacement gives no impact. */
BROADSIDE_C_API float broadside_time_of_impact(const broadside_aabb* stationary, const broadside_aabb* moving,
                                               const broadside_vec3* displacement, broadside_touch touch,
                                               broadside_face* out_face);
/* Boxes and their displacements. Null or empty displacements mean that all are at rest. */
typedef struct broadside_moving_boxes {
    /* At the start of the step. */
    broadside_boxes boxes;
    /* One for each box. */
    broadside_vec3s displacements;
} broadside_moving_boxes;
/* Box i of a against box i of b. `out_faces` (bytes, broadside_face) is optional. */
BROADSIDE_C_API broadside_status broadside_times_of_impact(const broadside_moving_boxes* a,
                                                           const broadside_moving_boxes* b,
                                                           broadside_touch touch, float* out_toi,
                                                           uint8_t* out_faces, size_t capacity,
                                                           broadside_result* out_result);
/* One moving box against many at rest. */
BROADSIDE_C_API broadside_status broadside_mover_times_of_impact(
    const broadside_aabb* mover, const broadside_vec3* displacement, const broadside_boxes* resting,
    broadside_touch touch, float* out_toi, uint8_t* out_faces, size_t capacity, broadside_result* out_result);
/* Pairs by index. */
BROADSIDE_C_API broadside_status broadside_pair_times_of_impact(
    const broadside_moving_boxes* a, const broadside_moving_boxes* b, const broadside_pair* pairs,
    size_t pair_count, broadside_touch touch, float* out_toi, uint8_t* out_faces, size_t capacity,
    broadside_result* out_result);

/* Rays against boxes, by slabs. */

/* Settings of a ray test. */
typedef struct broadside_ray_settings {
    /* sizeof(broadside_ray_settings). */
    uint32_t size;
    broadside_inside inside;
    /* Not 0: rounding loses no hit, at the price of near misses. */
    uint32_t is_conservative;
    uint32_t reserved;
} broadside_ray_settings;

/* Result of a ray against a box; see RaySolidHit in <broadside/ray_hit.hpp>. */
typedef struct broadside_ray_box_hit {
    /* The t at which it enters, and at which it leaves or ends; BROADSIDE_NO_INTERSECTION on a miss. */
    float t_enter, t_exit;
    uint32_t has_hit;
    broadside_face face;
} broadside_ray_box_hit;

/* One ray, one box. Null and refused settings give a miss. */
BROADSIDE_C_API broadside_ray_box_hit broadside_ray_box(const broadside_ray* ray, const broadside_aabb* box,
                                                        const broadside_ray_settings* settings);
/* One ray against many boxes. Each output is optional: entry, exit, faces (bytes) and bits. `capacity` counts items;
   for bits it is (capacity + 63) / 64 words. */
BROADSIDE_C_API broadside_status broadside_ray_boxes(const broadside_ray* ray, const broadside_boxes* boxes,
                                                     const broadside_ray_settings* settings,
                                                     float* out_t_enter, float* out_t_exit,
                                                     uint8_t* out_faces, uint64_t* out_bits, size_t capacity,
                                                     broadside_result* out_result);
/* Pairs by index: `first` a ray, `second` a box. */
BROADSIDE_C_API broadside_status broadside_pair_ray_boxes(
    const broadside_ray* rays, size_t ray_count, const broadside_boxes* boxes, const broadside_pair* pairs,
    size_t pair_count, const broadside_ray_settings* settings, float* out_t_enter, float* out_t_exit,
    uint8_t* out_faces, uint64_t* out_bits, size_t capacity, broadside_result* out_result);
/* For each ray, the box with the smallest t. O(rays · boxes); a broadside_tree is O(rays · log boxes). */
BROADSIDE_C_API broadside_status broadside_ray_closest_hits(const broadside_ray* rays, size_t ray_count,
                                                            const broadside_boxes* boxes,
                                                            const broadside_ray_settings* settings,
                                                            broadside_closest_hit* out_closest,
                                                            size_t capacity, broadside_result* out_result);

/* Oriented boxes against triangles and against each other. */

/* The axis that closed last before the contact. In lists it is a byte. */
typedef enum broadside_contact_axis BROADSIDE_ENUM_TYPE {
    BROADSIDE_AXIS_BOX_X = 0,
    BROADSIDE_AXIS_BOX_Y = 1,
    BROADSIDE_AXIS_BOX_Z = 2,
    BROADSIDE_AXIS_TRIANGLE_NORMAL = 3,
    /* 4 to 12: an edge of the box, x, y, z, against the edge ab, then bc, then ca. */
    BROADSIDE_AXIS_X_AB = 4,
    BROADSIDE_AXIS_Z_CA = 12,
    /* They overlap at the start. */
    BROADSIDE_AXIS_INITIAL = 13,
    BROADSIDE_AXIS_NONE = 14,
    BROADSIDE_AXIS_FORCE_32_BITS = 0x7FFFFFFF
} broadside_contact_axis;

/* 1 if they share a point, else 0. */
BROADSIDE_C_API uint32_t broadside_obb_triangle_overlap(const broadside_obb* obb,
                                                        const broadside_triangle* triangle);
BROADSIDE_C_API uint32_t broadside_obb_obb_overlap(const broadside_obb* a, const broadside_obb* b);
/* First contact as both move. The axis is written to out_axis, which may be null. */
BROADSIDE_C_API float broadside_obb_triangle_time_of_impact(const broadside_obb* obb,
                                                            const broadside_vec3* obb_displacement,
                                                            const broadside_triangle* triangle,
                                                            const broadside_vec3* triangle_displacement,
                                                            broadside_contact_axis* out_axis);
/* One box against many triangles, at rest and as they move. `out_axes` (bytes) is optional. */
BROADSIDE_C_API broadside_status broadside_obb_triangle_overlaps(const broadside_obb* obb,
                                                                 const broadside_triangles* triangles,
                                                                 uint64_t* out_bits, size_t word_count,
                                                                 broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_obb_triangle_times_of_impact(
    const broadside_obb* obb, const broadside_vec3* obb_displacement, const broadside_triangles* triangles,
    const broadside_vec3* triangle_displacement, float* out_toi, uint8_t* out_axes, size_t capacity,
    broadside_result* out_result);
/* Pairs by index. `obb_displacements` has one for each box, or is null if none moves. */
BROADSIDE_C_API broadside_status broadside_pair_obb_triangle_overlaps(
    const broadside_obb* obbs, size_t obb_count, const broadside_triangle* triangles, size_t triangle_count,
    const broadside_pair* pairs, size_t pair_count, uint64_t* out_bits, size_t word_count,
    broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_pair_obb_triangle_times_of_impact(
    const broadside_obb* obbs, const broadside_vec3* obb_displacements, size_t obb_count,
    const broadside_triangle* triangles, size_t triangle_count, const broadside_vec3* triangle_displacement,
    const broadside_pair* pairs, size_t pair_count, float* out_toi, uint8_t* out_axes, size_t capacity,
    broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_pair_obb_overlaps(const broadside_obb* a, size_t a_count,
                                                             const broadside_obb* b, size_t b_count,
                                                             const broadside_pair* pairs, size_t pair_count,
                                                             uint64_t* out_bits, size_t word_count,
                                                             broadside_result* out_result);

/* Triangles. */

/* Hit of a ray on a triangle, decided without rounding; see broadside_mesh_hit, whose triangle is 0 for a hit. */
BROADSIDE_C_API broadside_mesh_hit broadside_ray_triangle(const broadside_ray* ray,
                                                          const broadside_triangle* triangle,
                                                          uint32_t do_cull_back_side);
/* Replaces the boxes of `out_bounds` by that of each triangle. A triangle with a NaN corner gets an invalid box. On
   failure `out_bounds` is unchanged. */
BROADSIDE_C_API broadside_status broadside_triangle_bounds(const broadside_triangles* triangles,
                                                           broadside_box_array* out_bounds);

#ifdef __cplusplus
}
#endif
