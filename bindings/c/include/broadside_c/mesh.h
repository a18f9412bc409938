/* A mesh of triangles with exact queries. See <broadside/mesh.hpp>. */
#pragma once

#include <broadside_c/queries.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A mesh. Keeps a copy of the corners; the index of a triangle is its position in the list of indices. Immutable
   except for build, restore and clear. */
typedef struct broadside_mesh broadside_mesh;

/* Faults in the input of a mesh. */
typedef enum broadside_mesh_fault BROADSIDE_ENUM_TYPE {
    BROADSIDE_MESH_FAULT_NONE = 0,
    /* The number of indices is no multiple of three. */
    BROADSIDE_MESH_FAULT_INCOMPLETE_TRIANGLE = 1,
    /* 2^30 triangles or more. */
    BROADSIDE_MESH_FAULT_TOO_MANY_TRIANGLES = 2,
    /* bad_index is the position in the list of indices. */
    BROADSIDE_MESH_FAULT_INDEX_OUT_OF_RANGE = 3,
    /* bad_index is the vertex. */
    BROADSIDE_MESH_FAULT_VERTEX_NOT_FINITE = 4,
    BROADSIDE_MESH_FAULT_FORCE_32_BITS = 0x7FFFFFFF
} broadside_mesh_fault;

/* Chooses between a short build and short queries. */
typedef enum broadside_mesh_build_quality BROADSIDE_ENUM_TYPE {
    BROADSIDE_MESH_BUILD_STANDARD = 0,
    /* Two fifths to a half of the time, and queries that take up to 1.7 times as long. */
    BROADSIDE_MESH_BUILD_FAST = 1,
    BROADSIDE_MESH_BUILD_FORCE_32_BITS = 0x7FFFFFFF
} broadside_mesh_build_quality;

/* Hit of a ray. The point is a + u·(b - a) + v·(c - a). */
typedef struct broadside_mesh_hit {
    /* BROADSIDE_NO_INTERSECTION and BROADSIDE_NO_TRIANGLE if there is no hit. */
    float t, u, v;
    uint32_t triangle;
} broadside_mesh_hit;

/* A hit of one of many rays. */
typedef struct broadside_mesh_ray_hit {
    uint32_t ray;
    broadside_mesh_hit hit;
} broadside_mesh_ray_hit;

/* The point of a mesh that is closest to a given one. */
typedef struct broadside_mesh_closest_point {
    broadside_vec3 point;
    float distance_sq;
    uint32_t triangle;
} broadside_mesh_closest_point;

/* First impact of a moving shape: the point on the triangle, zero for oriented boxes, and the unit vector from there to
   the shape. Both are zero without impact. */
typedef struct broadside_mesh_impact {
    /* BROADSIDE_NO_INTERSECTION and BROADSIDE_NO_TRIANGLE if there is no impact. */
    float toi;
    uint32_t triangle;
    broadside_vec3 point, normal;
    /* Of oriented boxes, a broadside_contact_axis of kernels.h. */
    uint8_t axis;
    uint8_t unused[3];
} broadside_mesh_impact;

/* Settings of queries. */
typedef struct broadside_mesh_settings {
    /* sizeof(broadside_mesh_settings). */
    uint32_t size;
    /* Not 0: rays hit triangles only on the side where the corners are counter-clockwise. */
    uint32_t do_cull_back_sides;
    const broadside_task_runner* runner;
} broadside_mesh_settings;

/* An impact of one of many casts. */
typedef struct broadside_mesh_cast_impact {
    /* The index of the cast. */
    uint32_t cast;
    broadside_mesh_impact impact;
} broadside_mesh_cast_impact;

/* Creates a mesh. O(1). invalid_argument, out_of_memory. */
BROADSIDE_C_API broadside_status broadside_mesh_create(const broadside_allocator* allocator,
                                                       broadside_mesh** out_mesh);
BROADSIDE_C_API void broadside_mesh_destroy(broadside_mesh* mesh);

/* Replaces all triangles: three indices for each. On failure the mesh is unchanged, and `out_fault` (may be null)
   and bad_index say why. 50 to 90 bytes a triangle; see <broadside/mesh.hpp> for the memory
   while it builds. O(n log n). */
BROADSIDE_C_API broadside_status broadside_mesh_build(broadside_mesh* mesh, const broadside_vec3* vertices,
                                                      size_t vertex_count, const uint32_t* indices,
                                                      size_t index_count, const broadside_task_runner* runner,
                                                      broadside_mesh_build_quality quality,
                                                      broadside_mesh_fault* out_fault,
                                                      broadside_result* out_result);
BROADSIDE_C_API void broadside_mesh_clear(broadside_mesh* mesh);
BROADSIDE_C_API size_t broadside_mesh_snapshot_bytes(const broadside_mesh* mesh);
/* As broadside_world_save and broadside_world_restore. */
BROADSIDE_C_API broadside_status broadside_mesh_save(const broadside_mesh* mesh, void* out_bytes,
                                                     size_t capacity);
BROADSIDE_C_API broadside_status broadside_mesh_restore(broadside_mesh* mesh, const void* bytes,
                                                        size_t count);

BROADSIDE_C_API size_t broadside_mesh_triangle_count(const broadside_mesh* mesh);
/* Number of triangles without area, which no ray hits. */
BROADSIDE_C_API size_t broadside_mesh_degenerate_count(const broadside_mesh* mesh);
BROADSIDE_C_API broadside_aabb broadside_mesh_bounds(const broadside_mesh* mesh);
/* The corners of a triangle; invalid_argument if there is no such triangle. */
BROADSIDE_C_API broadside_status broadside_mesh_triangle(const broadside_mesh* mesh, uint32_t triangle_index,
                                                         broadside_triangle* out_triangle);
BROADSIDE_C_API size_t broadside_mesh_capacity_bytes(const broadside_mesh* mesh);

/* Queries. Statuses, bits and results as those of broadside_tree. */

/* The hit with the smallest t for each ray, decided without rounding; among equals, the smallest index. */
BROADSIDE_C_API broadside_status broadside_mesh_closest_hits(const broadside_mesh* mesh,
                                                             const broadside_ray* rays, size_t ray_count,
                                                             const broadside_mesh_settings* settings,
                                                             broadside_mesh_hit* out_closest, size_t capacity,
                                                             broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_mesh_any_hit(const broadside_mesh* mesh, const broadside_ray* rays,
                                                        size_t ray_count,
                                                        const broadside_mesh_settings* settings,
                                                        uint64_t* out_bits, size_t word_count,
                                                        broadside_result* out_result);
/* All hits by ray, then by t, then by index, into the caller's array. `required` counts also those that do not fit. */
BROADSIDE_C_API broadside_status broadside_mesh_find_hits(const broadside_mesh* mesh,
                                                          const broadside_ray* rays, size_t ray_count,
                                                          const broadside_mesh_settings* settings,
                                                          broadside_query_lists* lists,
                                                          broadside_mesh_ray_hit* out_hits, size_t capacity,
                                                          broadside_result* out_result);
/* Number of times that an endless ray crosses the surface. */
BROADSIDE_C_API size_t broadside_mesh_crossing_count(const broadside_mesh* mesh, const broadside_vec3* origin,
                                                     const broadside_vec3* direction);

/* All triangles that boxes, spheres, oriented boxes or capsules overlap, into the caller's array, as pairs of the
   shape and the triangle. `required` counts also those that do not fit. Other kinds of shapes return
   invalid_argument. */
BROADSIDE_C_API broadside_status broadside_mesh_find_overlaps(
    const broadside_mesh* mesh, const broadside_shapes* shapes, const broadside_mesh_settings* settings,
    broadside_query_lists* lists, broadside_pair* out_pairs, size_t capacity, broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_mesh_any_overlap(const broadside_mesh* mesh,
                                                            const broadside_shapes* shapes,
                                                            const broadside_mesh_settings* settings,
                                                            uint64_t* out_bits, size_t word_count,
                                                            broadside_result* out_result);
/* The first shape of each motion of a body that overlaps a triangle; see broadside_tree_first_overlaps. */
BROADSIDE_C_API broadside_status broadside_mesh_first_overlaps(const broadside_mesh* mesh,
                                                               const broadside_shapes* shapes,
                                                               uint32_t shapes_per_state,
                                                               const broadside_mesh_settings* settings,
                                                               uint32_t* out_first, size_t motion_count,
                                                               broadside_result* out_result);
/* The first impact of each oriented box, sphere or capsule. */
BROADSIDE_C_API broadside_status broadside_mesh_closest_impacts(
    const broadside_mesh* mesh, const broadside_casts* casts, const broadside_mesh_settings* settings,
    broadside_mesh_impact* out_impacts, size_t capacity, broadside_result* out_result);
/* All triangles that each meets up to its t_max, by cast, then by time, then by triangle. `required` counts also those that
   do not fit. */
BROADSIDE_C_API broadside_status broadside_mesh_find_impacts(const broadside_mesh* mesh,
                                                             const broadside_casts* casts,
                                                             const broadside_mesh_settings* settings,
                                                             broadside_query_lists* lists,
                                                             broadside_mesh_cast_impact* out_impacts,
                                                             size_t capacity, broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_mesh_closest_points(const broadside_mesh* mesh,
                                                               const broadside_vec3* points,
                                                               size_t point_count,
                                                               const broadside_mesh_settings* settings,
                                                               broadside_mesh_closest_point* out_closest,
                                                               size_t capacity, broadside_result* out_result);
/* For a closed mesh: whether it contains each point, as bits, and the distance to the surface, negative inside. */
BROADSIDE_C_API broadside_status broadside_mesh_contain(const broadside_mesh* mesh,
                                                        const broadside_vec3* points, size_t point_count,
                                                        const broadside_mesh_settings* settings,
                                                        uint64_t* out_bits, size_t word_count,
                                                        broadside_result* out_result);
BROADSIDE_C_API broadside_status broadside_mesh_signed_distances(const broadside_mesh* mesh,
                                                                 const broadside_vec3* points,
                                                                 size_t point_count,
                                                                 const broadside_mesh_settings* settings,
                                                                 float* out_distances, size_t capacity,
                                                                 broadside_result* out_result);

#ifdef __cplusplus
}
#endif
