/* One step of everything against its single parts. */
#include "support.h"

/* A step with meshes, a scene and movers against their own calls. */
static void check_meshes(void) {
    enum { COUNT = 30, MESH_COUNT = 2, TRIANGLE_COUNT = 20 };
    broadside_mesh* meshes[MESH_COUNT];
    broadside_placed_mesh placed[MESH_COUNT];
    for (size_t m = 0; m < MESH_COUNT; ++m) {
        broadside_vec3 corners[3 * TRIANGLE_COUNT];
        uint32_t indices[3 * TRIANGLE_COUNT];
        for (uint32_t i = 0; i < 3 * TRIANGLE_COUNT; ++i) {
            corners[i] = random_point();
            indices[i] = i;
        }
        CHECK(broadside_mesh_create(NULL, &meshes[m]) == BROADSIDE_OK);
        CHECK(broadside_mesh_build(meshes[m], corners, 3 * TRIANGLE_COUNT, indices, 3 * TRIANGLE_COUNT, NULL,
                                   BROADSIDE_MESH_BUILD_STANDARD, NULL, NULL) == BROADSIDE_OK);
        placed[m] =
            (broadside_placed_mesh){meshes[m], {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {(float)m * 3, 2, 1}}};
    }
    broadside_scene* scene = NULL;
    broadside_query_lists* lists = NULL;
    broadside_stage* stage = NULL;
    CHECK(broadside_scene_create(NULL, &scene) == BROADSIDE_OK);
    CHECK(broadside_query_lists_create(NULL, &lists) == BROADSIDE_OK);
    CHECK(broadside_stage_create(NULL, &stage) == BROADSIDE_OK);
    CHECK(broadside_scene_build(scene, placed, MESH_COUNT, NULL, NULL) == BROADSIDE_OK);
    broadside_ray rays[COUNT];
    broadside_obb obbs[COUNT];
    broadside_vec3 ways[COUNT];
    broadside_mover movers[COUNT];
    for (size_t i = 0; i < COUNT; ++i) {
        rays[i] = (broadside_ray){random_point(), random_point(), INFINITY};
        obbs[i] = (broadside_obb){random_point(), {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5f, 1, 0.5f}};
        ways[i] = random_point();
        movers[i] = (broadside_mover){.form = BROADSIDE_MOVER_SPHERE,
                                      .radius = i == 7 ? -1 : 0.25f,
                                      .position = random_point(),
                                      .displacement = random_point(),
                                      .ignored_box = BROADSIDE_NO_BOX};
    }
    SIZED(broadside_mover_settings, mover_settings);
    mover_settings.step_height = 0.5f;
    SIZED(broadside_stage_input, input);
    input.rays = rays;
    input.ray_count = COUNT;
    input.obbs = obbs;
    input.obb_count = COUNT;
    input.obb_displacements = ways;
    input.meshes = (const broadside_mesh* const*)meshes;
    input.mesh_count = MESH_COUNT;
    input.scene = scene;
    input.movers = movers;
    input.mover_count = COUNT;
    SIZED(broadside_stage_settings, settings);
    settings.movers = &mover_settings;
    SIZED(broadside_stage_result, result);
    CHECK(broadside_stage_step(stage, &input, &settings, &result) == BROADSIDE_OK);

    broadside_mesh_hit hits[MESH_COUNT][COUNT];
    broadside_mesh_impact impacts[MESH_COUNT][COUNT];
    broadside_scene_hit of_scene[COUNT];
    broadside_obb_cast obb_casts[COUNT];
    for (size_t i = 0; i < COUNT; ++i) obb_casts[i] = (broadside_obb_cast){obbs[i], ways[i], 1};
    const broadside_casts obb_list = {obb_casts, COUNT, BROADSIDE_CAST_OBB, 0};
    for (size_t m = 0; m < MESH_COUNT; ++m) {
        CHECK(broadside_mesh_closest_hits(meshes[m], rays, COUNT, NULL, hits[m], COUNT, NULL) ==
              BROADSIDE_OK);
        CHECK(broadside_mesh_closest_impacts(meshes[m], &obb_list, NULL, impacts[m], COUNT, NULL) ==
              BROADSIDE_OK);
    }
    CHECK(broadside_scene_closest_hits(scene, rays, COUNT, NULL, of_scene, COUNT, NULL) == BROADSIDE_OK);
    size_t hit_count = 0, impact_count = 0, scene_hit_count = 0;
    for (uint32_t i = 0; i < COUNT; ++i) {
        const uint32_t first = hits[1][i].t < hits[0][i].t;
        if (hits[first][i].triangle != BROADSIDE_NO_TRIANGLE) {
            CHECK(hit_count < result.mesh_hit_count && result.mesh_hits[hit_count].ray == i &&
                  result.mesh_hits[hit_count].hit.instance == first &&
                  result.mesh_hits[hit_count].hit.triangle == hits[first][i].triangle &&
                  memcmp(&result.mesh_hits[hit_count].hit, &hits[first][i], 3 * sizeof(float)) == 0);
            ++hit_count;
        }
        const uint32_t met = impacts[1][i].toi < impacts[0][i].toi;
        if (impacts[met][i].triangle != BROADSIDE_NO_TRIANGLE) {
            CHECK(impact_count < result.mesh_impact_count && result.mesh_impacts[impact_count].obb == i &&
                  result.mesh_impacts[impact_count].instance == met &&
                  result.mesh_impacts[impact_count].toi == impacts[met][i].toi &&
                  result.mesh_impacts[impact_count].axis == impacts[met][i].axis);
            ++impact_count;
        }
        if (of_scene[i].instance != BROADSIDE_NO_BOX) {
            CHECK(scene_hit_count < result.scene_hit_count && result.scene_hits[scene_hit_count].ray == i &&
                  memcmp(&result.scene_hits[scene_hit_count].hit, &of_scene[i], sizeof of_scene[i]) == 0);
            ++scene_hit_count;
        }
    }
    CHECK(hit_count == result.mesh_hit_count && hit_count > 0);
    CHECK(impact_count == result.mesh_impact_count && impact_count > 0);
    CHECK(scene_hit_count == result.scene_hit_count && scene_hit_count > 0);
    CHECK(result.scene_impact_count > 0);
    for (size_t i = 0; i < result.scene_impact_count; ++i)
        CHECK(result.scene_impacts[i].instance < MESH_COUNT && result.scene_impacts[i].toi <= 1);
    const broadside_mover_obstacles obstacles = {NULL, input.meshes, MESH_COUNT, scene};
    broadside_mover_result moved[COUNT];
    CHECK(broadside_step_movers(movers, COUNT, &obstacles, &mover_settings, lists, moved, COUNT, NULL) ==
          BROADSIDE_OK);
    CHECK(result.mover_result_count == COUNT);
    broadside_mover_result by_stage[COUNT];
    memcpy(by_stage, result.mover_results, sizeof by_stage);
    /* Unused bytes have no value. */
    for (size_t i = 0; i < COUNT; ++i) by_stage[i].unused = moved[i].unused = 0;
    CHECK(memcmp(moved, by_stage, sizeof moved) == 0);
    CHECK(result.invalid_mover_count == 1 && result.first_invalid_mover == 7);

    const broadside_mesh* const null_mesh[1] = {NULL};
    input.meshes = null_mesh;
    input.mesh_count = 1;
    CHECK(broadside_stage_step(stage, &input, &settings, &result) == BROADSIDE_INVALID_ARGUMENT);
    input.meshes = NULL;
    CHECK(broadside_stage_step(stage, &input, &settings, &result) == BROADSIDE_INVALID_ARGUMENT);
    broadside_stage_destroy(stage);
    broadside_query_lists_destroy(lists);
    broadside_scene_destroy(scene);
    for (size_t m = 0; m < MESH_COUNT; ++m) broadside_mesh_destroy(meshes[m]);
}

void test_stage(void) {
    check_meshes();
    static box_set set;
    fill_boxes(&set);
    static float ways[3][BOX_COUNT];
    for (size_t i = 0; i < BOX_COUNT; ++i) {
        const broadside_vec3 way = random_point();
        ways[0][i] = way.x / 8;
        ways[1][i] = way.y / 8;
        ways[2][i] = way.z / 8;
    }
    ways[1][3] = INFINITY;
    const broadside_vec3s displacements = {ways[0], ways[1], ways[2], BOX_COUNT};
    enum { COUNT = 20 };
    broadside_ray rays[COUNT];
    broadside_box_cast casts[COUNT];
    broadside_sphere_cast sphere_casts[COUNT];
    broadside_aabb boxes[COUNT];
    broadside_sphere spheres[COUNT];
    broadside_obb obbs[COUNT];
    broadside_vec3 obb_ways[COUNT];
    float corners[9][COUNT];
    for (size_t i = 0; i < COUNT; ++i) {
        rays[i] = (broadside_ray){random_point(), random_point(), INFINITY};
        boxes[i] = random_box();
        casts[i] = (broadside_box_cast){boxes[i], random_point(), 1};
        spheres[i] = (broadside_sphere){random_point(), 2};
        sphere_casts[i] = (broadside_sphere_cast){spheres[i], random_point(), 1};
        obbs[i] = (broadside_obb){random_point(), {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 3, 1}};
        obb_ways[i] = random_point();
        for (size_t column = 0; column < 9; ++column) corners[column][i] = (float)random_below(40) - 20.0f;
    }
    rays[4].t_max = NAN;
    const broadside_triangles triangles = {corners[0], corners[1], corners[2], corners[3],
                                           corners[4], corners[5], corners[6], corners[7],
                                           corners[8], COUNT,      {0}};
    broadside_box_array* bounds = NULL;
    CHECK(broadside_box_array_create(NULL, &bounds) == BROADSIDE_OK);
    CHECK(broadside_triangle_bounds(&triangles, bounds) == BROADSIDE_OK);

    SIZED(broadside_stage_input, input);
    input.boxes = set.view;
    input.displacements = displacements;
    input.rays = rays;
    input.ray_count = COUNT;
    input.casts = casts;
    input.cast_count = COUNT;
    input.sphere_casts = sphere_casts;
    input.sphere_cast_count = COUNT;
    input.overlap_boxes = boxes;
    input.overlap_box_count = COUNT;
    input.overlap_spheres = spheres;
    input.overlap_sphere_count = COUNT;
    input.overlap_obbs = obbs;
    input.overlap_obb_count = COUNT;
    input.obbs = obbs;
    input.obb_count = COUNT;
    input.obb_displacements = obb_ways;
    input.triangles = triangles;
    input.triangle_bounds = broadside_box_array_view(bounds);
    int call_count = 0;
    const broadside_task_runner runner = backward_runner(&call_count);
    SIZED(broadside_stage_settings, settings);
    settings.do_report_all_ray_hits = 1;
    settings.do_report_all_cast_hits = 1;
    settings.runner = &runner;
    SIZED(broadside_stage_result, result);
    broadside_stage* stage = NULL;
    CHECK(broadside_stage_create(NULL, &stage) == BROADSIDE_OK);
    CHECK(broadside_stage_step(stage, &input, &settings, &result) == BROADSIDE_OK);
    CHECK(result.first_invalid_box == broadside_find_invalid_box(&set.view, 0) &&
          result.invalid_box_count > 0);
    CHECK(result.invalid_displacement_count == 1 && result.first_invalid_displacement == 3);
    CHECK(result.invalid_ray_count == 1 && result.first_invalid_ray == 4);
    CHECK(result.total_seconds > 0);

    /* Impacts: every pair with a time of impact, sorted by it. */
    size_t impact_count = 0;
    for (size_t i = 0; i < BOX_COUNT; ++i) {
        for (size_t j = i + 1; j < BOX_COUNT; ++j) {
            const broadside_vec3 way = {ways[0][j] - ways[0][i], ways[1][j] - ways[1][i],
                                        ways[2][j] - ways[2][i]};
            const float toi =
                broadside_time_of_impact(&set.boxes[i], &set.boxes[j], &way, BROADSIDE_TOUCH_CLOSED, NULL);
            impact_count += toi != BROADSIDE_NO_INTERSECTION;
        }
    }
    CHECK(result.impact_count == impact_count && impact_count > 0);
    CHECK(result.candidate_pair_count >= impact_count);
    for (size_t i = 1; i < impact_count; ++i) CHECK(result.impacts[i - 1].toi <= result.impacts[i].toi);
    for (size_t i = 0; i < impact_count; ++i) {
        const uint32_t a = result.impacts[i].first, b = result.impacts[i].second;
        const broadside_vec3 way = {ways[0][b] - ways[0][a], ways[1][b] - ways[1][a],
                                    ways[2][b] - ways[2][a]};
        broadside_face face;
        CHECK(broadside_time_of_impact(&set.boxes[a], &set.boxes[b], &way, BROADSIDE_TOUCH_CLOSED, &face) ==
              result.impacts[i].toi);
        CHECK(face == result.impacts[i].face);
    }

    /* Rays, casts and overlaps: the same as a tree's. */
    broadside_tree* tree = NULL;
    broadside_query_lists* lists = NULL;
    CHECK(broadside_tree_create(NULL, &tree) == BROADSIDE_OK);
    CHECK(broadside_query_lists_create(NULL, &lists) == BROADSIDE_OK);
    CHECK(broadside_tree_build(tree, &set.view, NULL) == BROADSIDE_OK);
    const broadside_hit* hits = NULL;
    const broadside_pair* pairs = NULL;
    size_t count = 0;
#define SAME_HITS(list, list_count, items, kind)                                                         \
    do {                                                                                                 \
        const broadside_casts asked = {items, COUNT, kind, 0};                                           \
        CHECK(broadside_tree_find_hits(tree, &asked, NULL, lists, &hits, &count, NULL) == BROADSIDE_OK); \
        CHECK(count == (list_count) && count > 0);                                                       \
        for (size_t i = 0; i < count; ++i)                                                               \
            CHECK(hits[i].query == (list)[i].query && hits[i].box == (list)[i].box &&                    \
                  hits[i].t == (list)[i].t);                                                             \
    } while (0)
#define SAME_OVERLAPS(list, list_count, items, kind)                                                  \
    do {                                                                                              \
        const broadside_shapes asked = {items, COUNT, kind, 0};                                       \
        CHECK(broadside_tree_find_overlaps(tree, &asked, NULL, lists, &pairs, &count, NULL) ==        \
              BROADSIDE_OK);                                                                          \
        CHECK(count == (list_count) && count > 0 && memcmp(pairs, list, count * sizeof *pairs) == 0); \
    } while (0)
    SAME_HITS(result.ray_hits, result.ray_hit_count, rays, BROADSIDE_CAST_RAY);
    SAME_HITS(result.cast_hits, result.cast_hit_count, casts, BROADSIDE_CAST_BOX);
    SAME_HITS(result.sphere_cast_hits, result.sphere_cast_hit_count, sphere_casts, BROADSIDE_CAST_SPHERE);
    SAME_OVERLAPS(result.box_overlaps, result.box_overlap_count, boxes, BROADSIDE_SHAPE_BOX);
    SAME_OVERLAPS(result.sphere_overlaps, result.sphere_overlap_count, spheres, BROADSIDE_SHAPE_SPHERE);
    SAME_OVERLAPS(result.obb_overlaps, result.obb_overlap_count, obbs, BROADSIDE_SHAPE_OBB);

    size_t at = 0;
    const broadside_vec3 still = {0, 0, 0};
    for (uint32_t obb = 0; obb < COUNT; ++obb) {
        for (uint32_t index = 0; index < COUNT; ++index) {
            const broadside_triangle triangle = {{corners[0][index], corners[1][index], corners[2][index]},
                                                 {corners[3][index], corners[4][index], corners[5][index]},
                                                 {corners[6][index], corners[7][index], corners[8][index]}};
            broadside_contact_axis axis;
            const float toi =
                broadside_obb_triangle_time_of_impact(&obbs[obb], &obb_ways[obb], &triangle, &still, &axis);
            if (toi == BROADSIDE_NO_INTERSECTION) continue;
            CHECK(at < result.triangle_impact_count && result.triangle_impacts[at].obb == obb &&
                  result.triangle_impacts[at].triangle == index && result.triangle_impacts[at].toi == toi &&
                  result.triangle_impacts[at].axis == axis);
            ++at;
        }
    }
    CHECK(at == result.triangle_impact_count && at > 0);

    /* The same without threads. */
    const uint64_t hash = result.hash;
    settings.runner = NULL;
    CHECK(broadside_stage_step(stage, &input, &settings, &result) == BROADSIDE_OK && result.hash == hash);
    broadside_stage_destroy(stage);
    broadside_tree_destroy(tree);
    broadside_query_lists_destroy(lists);
    broadside_box_array_destroy(bounds);
}
