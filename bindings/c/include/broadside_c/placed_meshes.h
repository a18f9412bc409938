/* Meshes that are rotated, scaled and moved: the relation of two, and clashes among many. See
   <broadside/mesh_pairs.hpp> and <broadside/clash.hpp>. */
#pragma once

#include <broadside_c/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Maps a point p of the mesh to the world: (dot(row_x, p), dot(row_y, p), dot(row_z, p)) + translation. A placement
   is a rotation or a reflection, times one scale for all directions, and a translation. */
typedef struct broadside_transform {
    broadside_vec3 row_x, row_y, row_z, translation;
} broadside_transform;

/* A placed mesh. The mesh must live for the call; it may be placed many times. */
typedef struct broadside_placed_mesh {
    const broadside_mesh* mesh;
    broadside_transform world_from_mesh;
} broadside_placed_mesh;

/* Relation of a to b: the last of these that holds. */
typedef enum broadside_mesh_relation_kind BROADSIDE_ENUM_TYPE {
    BROADSIDE_MESHES_APART = 0,
    /* The surfaces come within the clearance. */
    BROADSIDE_MESHES_NEAR = 1,
    BROADSIDE_MESHES_A_IN_B = 2,
    BROADSIDE_MESHES_B_IN_A = 3,
    BROADSIDE_MESHES_TOUCHING = 4,
    BROADSIDE_MESHES_INTERSECTING = 5,
    /* The same triangles in the same order. */
    BROADSIDE_MESHES_DUPLICATE = 6,
    BROADSIDE_MESHES_FORCE_32_BITS = 0x7FFFFFFF
} broadside_mesh_relation_kind;

/* Settings of a search for clashes. */
typedef struct broadside_clash_settings {
    /* sizeof(broadside_clash_settings). */
    uint32_t size;
    /* Surfaces no further apart are near; 0 means none are. Neither negative nor infinite. */
    float clearance;
    /* Not 0: does not look for a mesh inside another one. */
    uint32_t do_ignore_contained;
    uint32_t reserved;
    const broadside_task_runner* runner;
} broadside_clash_settings;

/* A mesh of a and one of b, never apart. */
typedef struct broadside_clash {
    /* Their indices. */
    uint32_t a, b;
    broadside_mesh_relation_kind relation;
} broadside_clash;

/* The relation of two meshes. invalid_argument for a null mesh, a transform that is no placement or moves the mesh
   out of the range of floats, and for settings out of range; then nothing is written. O(pairs of triangles whose boxes
   meet). */
BROADSIDE_C_API broadside_status broadside_mesh_relation(const broadside_placed_mesh* a,
                                                         const broadside_placed_mesh* b,
                                                         const broadside_clash_settings* settings,
                                                         broadside_mesh_relation_kind* out_relation);

/* All clashes among the meshes of one set, a < b, or between two sets if `b` is not null; ascending by a, then by b.
   The list belongs to `lists` and is valid until its next query. bad_index is the first mesh that is refused: its
   index in a, or a_count plus its index in b. */
BROADSIDE_C_API broadside_status broadside_find_clashes(const broadside_placed_mesh* a, size_t a_count,
                                                        const broadside_placed_mesh* b, size_t b_count,
                                                        const broadside_clash_settings* settings,
                                                        broadside_query_lists* lists,
                                                        const broadside_clash** out_clashes,
                                                        size_t* out_count, broadside_result* out_result);

/* Kinds of intersections of two triangles. */
typedef enum broadside_triangle_pair_kind BROADSIDE_ENUM_TYPE {
    BROADSIDE_TRIANGLES_DISJOINT = 0,
    BROADSIDE_TRIANGLES_TOUCHING = 1,
    BROADSIDE_TRIANGLES_INTERSECTING = 2,
    BROADSIDE_TRIANGLES_COPLANAR = 3,
    BROADSIDE_TRIANGLES_FORCE_32_BITS = 0x7FFFFFFF
} broadside_triangle_pair_kind;

/* A triangle of mesh a and one of mesh b that meet. */
typedef struct broadside_triangle_pair {
    uint32_t a, b;
    /* A broadside_triangle_pair_kind, never disjoint. */
    uint8_t kind;
    uint8_t unused[3];
} broadside_triangle_pair;

/* First impact of two moving meshes. */
typedef struct broadside_triangle_impact {
    /* A fraction of the step; BROADSIDE_NO_INTERSECTION, and BROADSIDE_NO_TRIANGLE twice, if they do not meet. */
    float toi;
    uint32_t a, b;
} broadside_triangle_impact;

/* All pairs of triangles that meet, ascending by a, then by b, into the caller's array. `required` counts also those
   that do not fit. Exact. invalid_argument as for broadside_mesh_relation. */
BROADSIDE_C_API broadside_status broadside_find_triangle_pairs(const broadside_placed_mesh* a,
                                                               const broadside_placed_mesh* b,
                                                               broadside_query_lists* lists,
                                                               broadside_triangle_pair* out_pairs,
                                                               size_t capacity, broadside_result* out_result);
/* Writes 1 if there is such a pair, else 0. */
BROADSIDE_C_API broadside_status broadside_any_triangle_pair(const broadside_placed_mesh* a,
                                                             const broadside_placed_mesh* b,
                                                             uint32_t* out_has_pair);
/* The first impact as both move by their displacements, without rotation. */
BROADSIDE_C_API broadside_status broadside_first_triangle_impact(const broadside_placed_mesh* a,
                                                                 const broadside_vec3* a_displacement,
                                                                 const broadside_placed_mesh* b,
                                                                 const broadside_vec3* b_displacement,
                                                                 broadside_triangle_impact* out_impact);

/* The closest triangles of two meshes, and the points where they are closest. */
typedef struct broadside_closest_triangles {
    /* The smallest float not below the distance of the points before they were rounded: 0 exactly if triangles meet.
       BROADSIDE_NO_TRIANGLE twice if there are none, and only then; the distance is infinite. */
    float distance;
    uint32_t a, b;
    /* In the world. */
    broadside_vec3 point_a, point_b;
} broadside_closest_triangles;

/* The closest triangles, and among equals the first by a, then by b; any that meet if some do. Those further apart than
   `max_distance` are not found; INFINITY means no limit, and a number that is negative or NaN finds none.
   invalid_argument as for broadside_mesh_relation. */
BROADSIDE_C_API broadside_status broadside_closest_triangle_pair(const broadside_placed_mesh* a,
                                                                 const broadside_placed_mesh* b,
                                                                 float max_distance,
                                                                 broadside_closest_triangles* out_closest);

#ifdef __cplusplus
}
#endif
