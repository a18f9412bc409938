/* The whole pipeline in one call a frame. See <broadside/collision_stage.hpp>. */
#pragma once

#include <broadside_c/mover.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A stage. Owns the results and all memory. One step at a time. */
typedef struct broadside_stage broadside_stage;

/* Input of one step. The caller owns all arrays and keeps them alive for the call; every part may be empty. */
typedef struct broadside_stage_input {
    /* sizeof(broadside_stage_input). */
    uint32_t size;
    uint32_t reserved;
    /* The bodies at the start of the step, and their displacements; empty if none moves. */
    broadside_boxes boxes;
    /* See `boxes`. */
    broadside_vec3s displacements;
    /* Rays, against the boxes at the start of the step. */
    const broadside_ray* rays;
    size_t ray_count;
    /* Moving boxes, against the boxes at the start of the step. */
    const broadside_box_cast* casts;
    size_t cast_count;
    /* Moving spheres, against the boxes at the start of the step. */
    const broadside_sphere_cast* sphere_casts;
    size_t sphere_cast_count;
    /* Tested for overlap with the boxes at the start of the step. */
    const broadside_aabb* overlap_boxes;
    size_t overlap_box_count;
    /* Tested for overlap with the boxes at the start of the step. */
    const broadside_sphere* overlap_spheres;
    size_t overlap_sphere_count;
    /* Tested for overlap with the boxes at the start of the step. */
    const broadside_obb* overlap_obbs;
    size_t overlap_obb_count;
    /* Oriented boxes that move against the triangles. One displacement for each, or null if none moves. */
    const broadside_obb* obbs;
    size_t obb_count;
    /* See `obbs`. */
    const broadside_vec3* obb_displacements;
    /* The triangles that the oriented boxes move against. */
    broadside_triangles triangles;
    /* The box of each triangle, from broadside_triangle_bounds. */
    broadside_boxes triangle_bounds;
    /* Meshes that stand still, for the rays, the oriented boxes and the movers. No pointer may be null. */
    const broadside_mesh* const* meshes;
    size_t mesh_count;
    /* Placed meshes for the same, at their present placement; null for none. */
    const broadside_scene* scene;
    /* Movers through the boxes, which stay where they are at the start of the step, the meshes and the scene. */
    const broadside_mover* movers;
    size_t mover_count;
} broadside_stage_input;

/* Settings of a step. */
typedef struct broadside_stage_settings {
    /* sizeof(broadside_stage_settings). */
    uint32_t size;
    broadside_touch touch;
    broadside_inside inside;
    /* Not 0: reports every hit of a ray or a cast, not only the closest. */
    uint32_t do_report_all_ray_hits;
    uint32_t do_report_all_cast_hits;
    broadside_pair_algorithm algorithm;
    const broadside_task_runner* runner;
    /* Rules on the bodies that may pair. */
    broadside_box_filter filter;
    /* Settings of movers; null means the defaults. Their runner is ignored. */
    const broadside_mover_settings* movers;
} broadside_stage_settings;

/* Two bodies that meet. toi is a fraction of the step, face that of the first one's box. */
typedef struct broadside_stage_impact {
    uint32_t first, second;
    float toi;
    uint8_t face;
    uint8_t unused[3];
} broadside_stage_impact;

/* An oriented box and a triangle that it meets. */
typedef struct broadside_stage_triangle_impact {
    uint32_t obb, triangle;
    float toi;
    /* A broadside_contact_axis. */
    uint8_t axis;
    uint8_t unused[3];
} broadside_stage_triangle_impact;

/* An oriented box and its first impact on the meshes or the scene; see broadside_mesh_impact. */
typedef struct broadside_stage_mesh_impact {
    uint32_t obb;
    float toi;
    /* The mesh, or the instance of the scene. */
    uint32_t instance;
    uint32_t triangle;
    broadside_vec3 point, normal;
    uint8_t axis;
    uint8_t unused[3];
} broadside_stage_mesh_impact;

/* Results of a step. The stage owns the lists, which are valid until its next step. */
typedef struct broadside_stage_result {
    /* sizeof(broadside_stage_result). */
    uint32_t size;
    /* ok, or the first failure. Lists of earlier phases are complete, those of later ones are empty. */
    broadside_status status;
    /* Bodies whose swept boxes overlap, in canonical order. */
    const broadside_pair* candidate_pairs;
    size_t candidate_pair_count;
    /* Impacts, by time, then by first and second. */
    const broadside_stage_impact* impacts;
    size_t impact_count;
    /* Hits of rays, by ray, then by box. */
    const broadside_hit* ray_hits;
    size_t ray_hit_count;
    /* Hits of casts of boxes, by cast, then by box. */
    const broadside_hit* cast_hits;
    size_t cast_hit_count;
    /* Hits of casts of spheres, by cast, then by box. */
    const broadside_hit* sphere_cast_hits;
    size_t sphere_cast_hit_count;
    /* Pairs of a shape and a body that overlap, by shape, then by body. */
    const broadside_pair* box_overlaps;
    size_t box_overlap_count;
    /* Pairs of a shape and a body that overlap, by shape, then by body. */
    const broadside_pair* sphere_overlaps;
    size_t sphere_overlap_count;
    /* Pairs of a shape and a body that overlap, by shape, then by body. */
    const broadside_pair* obb_overlaps;
    size_t obb_overlap_count;
    /* Impacts on triangles, by oriented box, then by triangle. */
    const broadside_stage_triangle_impact* triangle_impacts;
    size_t triangle_impact_count;
    /* Invalid items, which took no part: their number, and the first one's index or BROADSIDE_NO_INDEX. */
    size_t invalid_box_count, first_invalid_box;
    size_t invalid_displacement_count, first_invalid_displacement;
    size_t invalid_ray_count, first_invalid_ray;
    size_t invalid_query_count, first_invalid_query;
    size_t invalid_obb_count, first_invalid_obb;
    /* Hash of all lists; equal on every instruction set and machine. */
    uint64_t hash;
    /* Wall-clock time of the step. */
    double total_seconds;
    /* For each ray that hits a mesh, by ray. The mesh is the instance. */
    const broadside_scene_ray_hit* mesh_hits;
    size_t mesh_hit_count;
    /* For each oriented box that meets a mesh, by oriented box. */
    const broadside_stage_mesh_impact* mesh_impacts;
    size_t mesh_impact_count;
    /* The same for the scene. */
    const broadside_scene_ray_hit* scene_hits;
    size_t scene_hit_count;
    /* The same for the scene. */
    const broadside_stage_mesh_impact* scene_impacts;
    size_t scene_impact_count;
    /* One result for each mover. */
    const broadside_mover_result* mover_results;
    size_t mover_result_count;
    /* Invalid movers, as above. */
    size_t invalid_mover_count, first_invalid_mover;
} broadside_stage_result;

/* Creates a stage. O(1). invalid_argument, out_of_memory. */
BROADSIDE_C_API broadside_status broadside_stage_create(const broadside_allocator* allocator,
                                                        broadside_stage** out_stage);
BROADSIDE_C_API void broadside_stage_destroy(broadside_stage* stage);
/* Runs the pipeline. `input` must not be null. */
BROADSIDE_C_API broadside_status broadside_stage_step(broadside_stage* stage,
                                                      const broadside_stage_input* input,
                                                      const broadside_stage_settings* settings,
                                                      broadside_stage_result* out_result);

#ifdef __cplusplus
}
#endif
