/* Boxes, spheres and capsules that move through boxes and meshes. See <broadside/mover.hpp> and docs/movers.md. */
#pragma once

#include <broadside_c/mesh.h>
#include <broadside_c/scene.h>
#include <broadside_c/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The form of a mover. */
typedef enum broadside_mover_form BROADSIDE_ENUM_TYPE {
    BROADSIDE_MOVER_BOX = 0,
    BROADSIDE_MOVER_SPHERE = 1,
    /* Aligned with `up` of the settings. */
    BROADSIDE_MOVER_CAPSULE = 2,
    BROADSIDE_MOVER_FORM_FORCE_32_BITS = 0x7FFFFFFF
} broadside_mover_form;

/* A moving shape and its wanted displacement. */
typedef struct broadside_mover {
    /* A broadside_mover_form; any other number makes the mover invalid. */
    uint8_t form;
    uint8_t unused[3];
    /* Half extent of a box. */
    broadside_vec3 half_extent;
    /* Radius of a sphere or a capsule. */
    float radius;
    /* Half length of a capsule: from its center to the center of the sphere at an end. */
    float half_length;
    /* The center. */
    broadside_vec3 position;
    /* The wanted displacement in this step, gravity included. */
    broadside_vec3 displacement;
    /* A box that the mover passes through; BROADSIDE_NO_BOX for none. */
    uint32_t ignored_box;
} broadside_mover;

/* The obstacles. Each kind may be omitted. */
typedef struct broadside_mover_obstacles {
    /* Solid boxes. */
    const broadside_tree* boxes;
    /* Meshes. No pointer may be null. */
    const broadside_mesh* const* meshes;
    size_t mesh_count;
    /* Placed meshes, as if their triangles belonged to one more mesh. */
    const broadside_scene* scene;
} broadside_mover_obstacles;

/* Settings for all movers of a call. */
typedef struct broadside_mover_settings {
    /* sizeof(broadside_mover_settings). */
    uint32_t size;
    /* Direction away from the ground, of any length; zero means +z. */
    broadside_vec3 up;
    /* Cosine of the steepest slope that counts as ground; 0 means 45 degrees. */
    float min_ground_cosine;
    /* The highest step up, and the distance down to ground that a mover sticks to; 0 means none. */
    float step_height;
    float stick_distance;
    /* The distance that movers keep from everything; 0 means 0.01. */
    float contact_offset;
    /* The most deflections in a step; 0 means 16. */
    uint32_t max_iterations;
    uint32_t reserved;
    const broadside_task_runner* runner;
} broadside_mover_settings;

/* Outcome of a mover's step. */
typedef enum broadside_mover_status BROADSIDE_ENUM_TYPE {
    BROADSIDE_MOVER_FINISHED = 0,
    BROADSIDE_MOVER_ITERATIONS_USED_UP = 1,
    /* It began inside something and has not moved. */
    BROADSIDE_MOVER_STARTED_INSIDE = 2,
    /* There is too much within its reach. It went as far as it could. */
    BROADSIDE_MOVER_CROWDED = 3,
    /* The mover is invalid; it has not moved. */
    BROADSIDE_MOVER_INVALID = 4,
    BROADSIDE_MOVER_STATUS_FORCE_32_BITS = 0x7FFFFFFF
} broadside_mover_status;

/* Result of a step. */
typedef struct broadside_mover_result {
    /* The center at the end of the step. */
    broadside_vec3 position;
    /* A broadside_mover_status. */
    uint8_t status;
    /* 0 or 1. */
    uint8_t is_grounded;
    uint8_t has_stepped;
    uint8_t unused;
    uint32_t iteration_count;
    /* Normals of the ground that it stands on and of the last wall that deflected it; zero without one. */
    broadside_vec3 ground_normal, wall_normal;
} broadside_mover_result;

/* Moves many movers by one step, each as if alone. Null obstacles mean none. invalid_argument for settings that are
   not finite or are negative, and for a null mesh, whose index is bad_index. `lists` lends memory. */
BROADSIDE_C_API broadside_status broadside_step_movers(const broadside_mover* movers, size_t count,
                                                       const broadside_mover_obstacles* obstacles,
                                                       const broadside_mover_settings* settings,
                                                       broadside_query_lists* lists,
                                                       broadside_mover_result* out_results, size_t capacity,
                                                       broadside_result* out_result);

#ifdef __cplusplus
}
#endif
