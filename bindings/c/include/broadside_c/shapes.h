/* Shapes and views of the caller's arrays. Units of length and the space are the caller's, the same in all arguments
   of a call. None of these structs ever changes, so none has a size field. */
#pragma once

#include <broadside_c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A point or a vector. */
typedef struct broadside_vec3 {
    float x, y, z;
} broadside_vec3;

/* A closed box. Valid if it holds a finite point; an invalid one (NaN, inverted, at infinity) overlaps nothing.
   Infinite sides are legal. */
typedef struct broadside_aabb {
    broadside_vec3 min, max;
} broadside_aabb;

/* A closed sphere. Valid if all numbers are finite and the radius is not negative. */
typedef struct broadside_sphere {
    broadside_vec3 center;
    float radius;
} broadside_sphere;

/* All points within `radius` of the segment from a to b, which may be one point. Valid as a sphere is. */
typedef struct broadside_capsule {
    broadside_vec3 a, b;
    float radius;
} broadside_capsule;

/* A closed oriented box. The axes must be orthonormal, which is not checked. Valid if all numbers are finite and no
   half extent is negative. */
typedef struct broadside_obb {
    broadside_vec3 center, axis_x, axis_y, axis_z, half_extent;
} broadside_obb;

/* Corners a, b and c in any winding; degenerate ones are legal. */
typedef struct broadside_triangle {
    broadside_vec3 a, b, c;
} broadside_triangle;

/* The points origin + t·direction for 0 <= t <= t_max, with t in multiples of the direction. FLT_MAX or infinity
   makes it endless; 0, the result of zeroing the struct, is a ray of no length, so set it. */
typedef struct broadside_ray {
    broadside_vec3 origin, direction;
    float t_max;
} broadside_ray;

/* A half space: its inner side is dot(normal, p) + offset >= 0. The normal need not have unit length. */
typedef struct broadside_plane {
    broadside_vec3 normal;
    float offset;
} broadside_plane;

/* The points on the inner side of all planes; without planes, all of space. The caller owns the planes. */
typedef struct broadside_volume {
    const broadside_plane* planes;
    size_t plane_count;
} broadside_volume;

/* A box that moves by `displacement`. Impacts after t_max (0 to 1, a fraction of the displacement) are not found. */
typedef struct broadside_box_cast {
    broadside_aabb box;
    broadside_vec3 displacement;
    float t_max;
} broadside_box_cast;

/* A sphere that moves; see broadside_box_cast. */
typedef struct broadside_sphere_cast {
    broadside_sphere sphere;
    broadside_vec3 displacement;
    float t_max;
} broadside_sphere_cast;

/* A capsule that moves without rotation; see broadside_box_cast. */
typedef struct broadside_capsule_cast {
    broadside_capsule capsule;
    broadside_vec3 displacement;
    float t_max;
} broadside_capsule_cast;

/* An oriented box that moves without rotation; see broadside_box_cast. */
typedef struct broadside_obb_cast {
    broadside_obb obb;
    broadside_vec3 displacement;
    float t_max;
} broadside_obb_cast;

/* Two indices. Within one set first < second; between two sets, `first` is of a and `second` of b. */
typedef struct broadside_pair {
    uint32_t first, second;
} broadside_pair;

/* A face of a box: twice the number of its axis, plus one on the max side. In lists it is a byte. */
typedef enum broadside_face BROADSIDE_ENUM_TYPE {
    BROADSIDE_FACE_MIN_X = 0,
    BROADSIDE_FACE_MAX_X = 1,
    BROADSIDE_FACE_MIN_Y = 2,
    BROADSIDE_FACE_MAX_Y = 3,
    BROADSIDE_FACE_MIN_Z = 4,
    BROADSIDE_FACE_MAX_Z = 5,
    BROADSIDE_FACE_NONE = 6,
    BROADSIDE_FACE_FORCE_32_BITS = 0x7FFFFFFF
} broadside_face;

/* Meaning of contact without common volume while boxes move. */
typedef enum broadside_touch BROADSIDE_ENUM_TYPE {
    /* An impact. */
    BROADSIDE_TOUCH_CLOSED = 0,
    /* No impact: for bodies that rest on, or slide along, what they hit. */
    BROADSIDE_TOUCH_OPEN = 1,
    BROADSIDE_TOUCH_FORCE_32_BITS = 0x7FFFFFFF
} broadside_touch;

/* The result of a ray that starts inside a box. */
typedef enum broadside_inside BROADSIDE_ENUM_TYPE {
    /* A hit at t = 0 without a face. */
    BROADSIDE_INSIDE_ZERO = 0,
    BROADSIDE_INSIDE_MISS = 1,
    /* A hit at the t <= 0 where the line behind the start entered. */
    BROADSIDE_INSIDE_NEGATIVE_T = 2,
    BROADSIDE_INSIDE_FORCE_32_BITS = 0x7FFFFFFF
} broadside_inside;

/* Six arrays of `count` floats that the caller owns and keeps alive for the call. They need no alignment and no
   padding, and may be null if `count` is 0. */
typedef struct broadside_boxes {
    const float *min_x, *min_y, *min_z;
    const float *max_x, *max_y, *max_z;
    size_t count;
} broadside_boxes;

/* Three arrays of `count` floats, as above. */
typedef struct broadside_vec3s {
    const float *x, *y, *z;
    size_t count;
} broadside_vec3s;

/* Nine arrays of `count` floats, as above: the corners of triangles. */
typedef struct broadside_triangles {
    const float *a_x, *a_y, *a_z;
    const float *b_x, *b_y, *b_z;
    const float *c_x, *c_y, *c_z;
    size_t count;
    /* Optional, with count 0 if omitted: the box of each run of 16 triangles. Queries of one oriented box use them
       to skip runs. */
    broadside_boxes group_bounds;
} broadside_triangles;

/* Boxes as six arrays, for callers that keep them in structs. Grow-only. */
typedef struct broadside_box_array broadside_box_array;

/* Creates an empty array. O(1). invalid_argument for a null `out_array` or an allocator that lacks a function;
   out_of_memory. */
BROADSIDE_C_API broadside_status broadside_box_array_create(const broadside_allocator* allocator,
                                                            broadside_box_array** out_array);
BROADSIDE_C_API void broadside_box_array_destroy(broadside_box_array* array);
/* Replaces all boxes by those in the caller's structs: `stride_bytes` from one to the next, three floats at each of
   the offsets. One pass. On out_of_memory the array is unchanged. */
BROADSIDE_C_API broadside_status broadside_box_array_assign(broadside_box_array* array, const void* structs,
                                                            size_t count, size_t stride_bytes,
                                                            size_t min_offset_bytes, size_t max_offset_bytes);
/* The arrays, until the next assign or destroy; empty for null. */
BROADSIDE_C_API broadside_boxes broadside_box_array_view(const broadside_box_array* array);

/* The index of the first invalid box at or after `begin`, or BROADSIDE_NO_INDEX, also for a view that cannot be
   read. O(count). */
BROADSIDE_C_API size_t broadside_find_invalid_box(const broadside_boxes* boxes, size_t begin);

#ifdef __cplusplus
}
#endif
