/* Movers that fall on a floor of boxes and of triangles, run into a wall, and are refused. */
#include "support.h"

static broadside_mover ball(float x, float z, broadside_vec3 displacement) {
    broadside_mover mover = {.form = BROADSIDE_MOVER_SPHERE, .radius = 1, .ignored_box = BROADSIDE_NO_BOX};
    mover.position = (broadside_vec3){x, 0, z};
    mover.displacement = displacement;
    return mover;
}

void test_mover(void) {
    /* A floor up to z = 0, a wall from x = 10 on, and a ledge of a quarter at x = -5. */
    const broadside_aabb boxes[3] = {
        {{-20, -20, -1}, {20, 20, 0}}, {{10, -20, 0}, {12, 20, 9}}, {{-9, -20, 0}, {-5, 20, 0.25f}}};
    broadside_box_array* array = NULL;
    broadside_tree* tree = NULL;
    broadside_mesh* mesh = NULL;
    broadside_scene* scene = NULL;
    broadside_query_lists* lists = NULL;
    CHECK(broadside_box_array_create(NULL, &array) == BROADSIDE_OK);
    CHECK(broadside_box_array_assign(array, boxes, 3, sizeof *boxes, 0, offsetof(broadside_aabb, max)) ==
          BROADSIDE_OK);
    CHECK(broadside_tree_create(NULL, &tree) == BROADSIDE_OK);
    CHECK(broadside_query_lists_create(NULL, &lists) == BROADSIDE_OK);
    broadside_boxes view = broadside_box_array_view(array);
    CHECK(broadside_tree_build(tree, &view, NULL) == BROADSIDE_OK);
    /* The same floor as triangles. */
    const broadside_vec3 corners[4] = {{-20, -20, 0}, {20, -20, 0}, {20, 20, 0}, {-20, 20, 0}};
    const uint32_t faces[6] = {0, 1, 2, 0, 2, 3};
    CHECK(broadside_mesh_create(NULL, &mesh) == BROADSIDE_OK);
    CHECK(broadside_mesh_build(mesh, corners, 4, faces, 6, NULL, BROADSIDE_MESH_BUILD_STANDARD, NULL, NULL) ==
          BROADSIDE_OK);

    enum { MOVER_COUNT = 6 };
    broadside_mover movers[MOVER_COUNT];
    movers[0] = ball(0, 5, (broadside_vec3){0, 0, -10});
    movers[1] = ball(5, 1.5f, (broadside_vec3){10, 0, 0});
    movers[2] = movers[1];
    movers[2].ignored_box = 1;
    movers[3] = ball(0, 0.5f, (broadside_vec3){1, 0, 0});
    movers[4] = movers[0];
    movers[4].form = 3;
    movers[5] = (broadside_mover){.form = BROADSIDE_MOVER_CAPSULE,
                                  .radius = 0.5f,
                                  .half_length = 0.5f,
                                  .position = {-3, 0, 1.02f},
                                  .displacement = {-3, 0, -0.02f},
                                  .ignored_box = BROADSIDE_NO_BOX};
    const broadside_mesh* meshes[2] = {mesh, NULL};
    /* The same again, as a placed mesh. */
    const broadside_placed_mesh placed = {mesh, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}}};
    CHECK(broadside_scene_create(NULL, &scene) == BROADSIDE_OK);
    CHECK(broadside_scene_build(scene, &placed, 1, NULL, NULL) == BROADSIDE_OK);
    const broadside_mover_obstacles obstacles[3] = {
        {tree, NULL, 0, NULL}, {NULL, meshes, 1, NULL}, {NULL, NULL, 0, scene}};
    SIZED(broadside_mover_settings, settings);
    settings.step_height = 0.3f;
    int call_count = 0;
    const broadside_task_runner runner = backward_runner(&call_count);
    settings.runner = &runner;
    broadside_mover_result results[MOVER_COUNT];
    for (int with_mesh = 0; with_mesh < 3; ++with_mesh) {
        CHECK(broadside_step_movers(movers, MOVER_COUNT, &obstacles[with_mesh], &settings, lists, results,
                                    MOVER_COUNT, NULL) == BROADSIDE_OK);
        /* The mover stops a hundredth above the floor, which is its ground. */
        CHECK(results[0].status == BROADSIDE_MOVER_FINISHED && results[0].is_grounded == 1);
        CHECK(fabsf(results[0].position.z - 1.01f) < 2e-3f && results[0].ground_normal.z > 0.99f);
        CHECK(results[4].status == BROADSIDE_MOVER_INVALID && results[4].position.z == 5);
        CHECK(results[3].status == BROADSIDE_MOVER_STARTED_INSIDE);
        if (with_mesh) continue;
        CHECK(fabsf(results[1].position.x - 8.99f) < 2e-3f && results[1].wall_normal.x < -0.99f);
        CHECK(results[2].position.x == 15);
        CHECK(results[5].has_stepped == 1 && results[5].position.x < -5.5f && results[5].position.z > 1.2f);
    }
    /* Each as if alone, and all defaults. */
    for (size_t i = 0; i < MOVER_COUNT; ++i) {
        broadside_mover_result many[MOVER_COUNT], one;
        CHECK(broadside_step_movers(movers, MOVER_COUNT, &obstacles[0], NULL, lists, many, MOVER_COUNT,
                                    NULL) == BROADSIDE_OK);
        CHECK(broadside_step_movers(&movers[i], 1, &obstacles[0], NULL, lists, &one, 1, NULL) ==
              BROADSIDE_OK);
        CHECK(memcmp(&many[i], &one, sizeof one) == 0);
    }
    /* Without obstacles. */
    CHECK(broadside_step_movers(movers, 1, NULL, NULL, lists, results, 1, NULL) == BROADSIDE_OK);
    CHECK(results[0].position.z == -5 && results[0].is_grounded == 0);

    SIZED(broadside_result, result);
    const broadside_mover_obstacles bad = {tree, meshes, 2, NULL};
    CHECK(broadside_step_movers(movers, 1, &bad, NULL, lists, results, 1, &result) ==
          BROADSIDE_INVALID_ARGUMENT);
    CHECK(result.bad_index == 1);
    settings.step_height = -1;
    CHECK(broadside_step_movers(movers, 1, NULL, &settings, lists, results, 1, NULL) ==
          BROADSIDE_INVALID_ARGUMENT);
    CHECK(broadside_step_movers(movers, 2, NULL, NULL, lists, results, 1, NULL) ==
          BROADSIDE_CAPACITY_EXCEEDED);
    CHECK(broadside_step_movers(movers, 2, NULL, NULL, NULL, results, 2, NULL) == BROADSIDE_INVALID_ARGUMENT);
    broadside_box_array_destroy(array);
    broadside_tree_destroy(tree);
    broadside_scene_destroy(scene);
    broadside_mesh_destroy(mesh);
    broadside_query_lists_destroy(lists);
}
