/* Boxes, spheres and capsules that move through boxes and meshes. See <broadside/mover.hpp> and docs/movers.md. */
#pragma once

#include <broadside_c/mesh.h>
#include <broadside_c/scene.h>
#include <broadside_c/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The form of a mover. */
typedef enum broadside_mover_form {
    BROADSIDE_MOVER_BOX = 0,
    BROADSIDE_MOVER_SPHERE = 1,
    /* Along `up` of the settings. */
    BROADSIDE_MOVER_CAPSULE = 2,
    BROADSIDE_MOVER_FORM_FORCE_32_BITS = 0x7FFFFFFF
} broadside_mover_form;

/* Something that moves, and where it wants to be. */
typedef struct broadside_mover {
    /* A broadside_mover_form; another number is an invalid mover. */
    uint8_t form;
    uint8_t unused[3];
    /* Of a box. */
    broadside_vec3 half_extent;
    /* Of a sphere or a capsule. */
    float radius;
    /* Of a capsule: from its center to the center of the sphere at an end. */
    float half_length;
    /* Its center. */
    broadside_vec3 position;
    /* What it wants to do in this step, gravity included. */
    broadside_vec3 displacement;
    /* A box that it passes through; BROADSIDE_NO_BOX for none. */
    uint32_t ignored_box;
} broadside_mover;

/* What is in the way. Each may be left out. */
typedef struct broadside_mover_obstacles {
    /* Solid. */
    const broadside_tree* boxes;
    /* None of them null. */
    const broadside_mesh* const* meshes;
    size_t mesh_count;
    /* Placed meshes: as if their triangles were those of one more mesh. */
    const broadside_scene* scene;
} broadside_mover_obstacles;

/* How movers move; common to all movers of a call. */
typedef struct broadside_mover_settings {
    /* sizeof(broadside_mover_settings). */
    uint32_t size;
    /* Away from the ground, of any length; zero is +z. */
    broadside_vec3 up;
    /* The cosine of the steepest slope that is ground; 0 is 45 degrees. */
    float min_ground_cosine;
    /* How far it steps up, and how far down it stays on the ground; 0: not at all. */
    float step_height;
    float stick_distance;
    /* How far it stays away from everything; 0 is 0.01. */
    float contact_offset;
    /* 0 is 16. */
    uint32_t max_iterations;
    uint32_t reserved;
    const broadside_task_runner* runner;
} broadside_mover_settings;

/* How the step of a mover ended. */
typedef enum broadside_mover_status {
    BROADSIDE_MOVER_FINISHED = 0,
    BROADSIDE_MOVER_ITERATIONS_USED_UP = 1,
    /* It began inside of something and has not moved. */
    BROADSIDE_MOVER_STARTED_INSIDE = 2,
    /* Too much is within its reach: it went as far as it could. */
    BROADSIDE_MOVER_CROWDED = 3,
    /* It is none; it has not moved. */
    BROADSIDE_MOVER_INVALID = 4,
    BROADSIDE_MOVER_STATUS_FORCE_32_BITS = 0x7FFFFFFF
} broadside_mover_status;

/* Where a step ended. */
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
    /* Of the ground it stands on and of the last wall that it was deflected by; zero without. */
    broadside_vec3 ground_normal, wall_normal;
} broadside_mover_result;

/* One step of many movers, each as if alone. Null obstacles are none. invalid_argument for settings that are not finite
   or negative, and for a mesh that is null; bad_index says which one. `answers` lends memory. */
BROADSIDE_C_API broadside_status broadside_step_movers(const broadside_mover* movers, size_t count,
                                                       const broadside_mover_obstacles* obstacles,
                                                       const broadside_mover_settings* settings,
                                                       broadside_answers* answers,
                                                       broadside_mover_result* out_results, size_t capacity,
                                                       broadside_result* out_result);

#ifdef __cplusplus
}
#endif
