/* Refused arguments, which must have no effect; structs of other versions. */
#include "support.h"

#define REFUSED(call) CHECK((call) == BROADSIDE_INVALID_ARGUMENT)

/* Structs of an older and of a newer caller. */
static float no_more(void* user, const broadside_close_pair* pair) {
    (void)user;
    (void)pair;
    return -1;
}
static void check_sizes(broadside_finder* finder, const box_set* set) {
    const broadside_pair* pairs = NULL;
    size_t count = 0;
    SIZED(broadside_find_pairs_settings, settings);
    SIZED(broadside_find_pairs_result, result);

    /* An older caller knows no cap, so that field is not read; its result has two numbers. */
    settings.size = offsetof(broadside_find_pairs_settings, filter);
    settings.max_pair_count = 1;
    result.size = offsetof(broadside_find_pairs_result, invalid_count);
    result.invalid_count = 12345;
    CHECK(broadside_find_pairs(finder, &set->view, NULL, &settings, &pairs, &count, &result) == BROADSIDE_OK);
    CHECK(count > 1 && result.written == count && result.invalid_count == 12345);
    CHECK(result.size == offsetof(broadside_find_pairs_result, invalid_count));

    /* A newer caller has more fields: fine while they are zero. */
    struct {
        broadside_find_pairs_settings known;
        uint64_t unknown;
    } more;
    memset(&more, 0, sizeof more);
    more.known.size = sizeof more;
    CHECK(broadside_find_pairs(finder, &set->view, NULL, &more.known, &pairs, &count, NULL) == BROADSIDE_OK);
    more.unknown = 1;
    REFUSED(broadside_find_pairs(finder, &set->view, NULL, &more.known, &pairs, &count, NULL));
    CHECK(pairs == NULL && count == 0);
    struct {
        broadside_find_pairs_result known;
        uint64_t unknown;
    } told;
    told.known.size = sizeof told;
    told.unknown = 99;
    CHECK(broadside_find_pairs(finder, &set->view, NULL, NULL, &pairs, &count, &told.known) == BROADSIDE_OK);
    CHECK(told.unknown == 0 && told.known.written == count && told.known.size == sizeof told);

    /* The last one ends within a pointer. */
    const uint32_t wrong[] = {0,
                              4,
                              7,
                              9,
                              100000,
                              0xFFFFFFFFu,
                              offsetof(broadside_find_pairs_settings, runner) + (uint32_t)sizeof(void*) / 2};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        settings.size = wrong[i];
        REFUSED(broadside_find_pairs(finder, &set->view, NULL, &settings, &pairs, &count, NULL));
        result.size = wrong[i];
        result.status = BROADSIDE_STATUS_FORCE_32_BITS;
        REFUSED(broadside_find_pairs(finder, &set->view, NULL, NULL, &pairs, &count, &result));
        CHECK(result.status == BROADSIDE_STATUS_FORCE_32_BITS);
    }
}

void test_arguments(void) {
    static box_set set;
    fill_boxes(&set);
    broadside_finder* finder = NULL;
    broadside_tree* tree = NULL;
    broadside_world* world = NULL;
    broadside_mesh* mesh = NULL;
    broadside_stage* stage = NULL;
    broadside_query_lists* lists = NULL;
    broadside_box_array* array = NULL;
    const broadside_pair* pairs = NULL;
    const broadside_hit* hits = NULL;
    size_t count = 1;
    uint64_t bits[8] = {0};

    CHECK(strcmp(broadside_status_name(BROADSIDE_OK), "ok") == 0);
    CHECK(strcmp(broadside_status_name(BROADSIDE_INVALID_ARGUMENT), "invalid argument") == 0);
    CHECK(strcmp(broadside_status_name((broadside_status)77), "unknown status") == 0);
    CHECK(broadside_isa_name((broadside_isa)77) == NULL);
    CHECK(broadside_set_active_isa((broadside_isa)77) == BROADSIDE_UNSUPPORTED_ISA);
    CHECK(broadside_isa_error(NULL, 0) == 0);

    REFUSED(broadside_finder_create(NULL, NULL));
    SIZED(broadside_allocator, half_an_allocator);
    half_an_allocator.user = &set;
    REFUSED(broadside_tree_create(&half_an_allocator, &tree));
    CHECK(tree == NULL);
    SIZED(broadside_world_settings, world_settings);
    world_settings.order = (broadside_world_order)2;
    REFUSED(broadside_world_create(&world_settings, NULL, &world));

    CHECK(broadside_finder_create(NULL, &finder) == BROADSIDE_OK &&
          broadside_tree_create(NULL, &tree) == BROADSIDE_OK);
    CHECK(broadside_world_create(NULL, NULL, &world) == BROADSIDE_OK &&
          broadside_mesh_create(NULL, &mesh) == BROADSIDE_OK);
    CHECK(broadside_stage_create(NULL, &stage) == BROADSIDE_OK &&
          broadside_query_lists_create(NULL, &lists) == BROADSIDE_OK);
    CHECK(broadside_box_array_create(NULL, &array) == BROADSIDE_OK);
    check_sizes(finder, &set);

    /* Null for every pointer. */
    REFUSED(broadside_find_pairs(NULL, &set.view, NULL, NULL, &pairs, &count, NULL));
    REFUSED(broadside_find_pairs(finder, NULL, NULL, NULL, &pairs, &count, NULL));
    REFUSED(broadside_find_pairs(finder, &set.view, NULL, NULL, NULL, &count, NULL));
    REFUSED(broadside_find_pairs_into(finder, &set.view, NULL, NULL, NULL, 3, NULL));
    REFUSED(broadside_find_pairs_to(finder, &set.view, NULL, NULL, NULL, NULL, NULL));
    broadside_boxes unreadable = set.view;
    unreadable.max_y = NULL;
    SIZED(broadside_find_pairs_result, found);
    REFUSED(broadside_find_pairs(finder, &unreadable, NULL, NULL, &pairs, &count, &found));
    CHECK(found.status == BROADSIDE_INVALID_ARGUMENT && found.written == 0 && count == 0);
    REFUSED(broadside_tree_build(tree, &unreadable, NULL));
    REFUSED(broadside_tree_build(NULL, &set.view, NULL));
    REFUSED(broadside_tree_build(tree, NULL, NULL));
    REFUSED(broadside_tree_build_subset(tree, &set.view, NULL, NULL));
    SIZED(broadside_task_runner, no_runner);
    REFUSED(broadside_tree_build(tree, &set.view, &no_runner));
    no_runner.size = 3;
    REFUSED(broadside_world_update(world, &no_runner, NULL));
    REFUSED(broadside_box_array_assign(array, NULL, 3, 24, 0, 12));
    CHECK(broadside_box_array_view(NULL).count == 0 &&
          broadside_find_invalid_box(NULL, 0) == BROADSIDE_NO_INDEX);
    broadside_boxes endless = set.view;
    endless.count = SIZE_MAX;
    CHECK(broadside_find_invalid_box(&endless, BOX_COUNT) == BROADSIDE_NO_INDEX);
    const broadside_ray any_ray = {{0, 0, 0}, {1, 0, 0}, 1};
    REFUSED(broadside_ray_boxes(&any_ray, &unreadable, NULL, NULL, NULL, NULL, bits, 0, NULL));

    /* Invalid enumerators: small, another one in eight bits, and above those that C++ gives such a type by itself. */
    const uint32_t all_wrong[] = {6, 6 + 250, 0x80000000u, 0xFFFFFFFFu};
    for (size_t i = 0; i < 4; ++i) {
        const uint32_t wrong = all_wrong[i];
        SIZED(broadside_find_pairs_settings, settings);
        settings.algorithm = (broadside_pair_algorithm)wrong;
        REFUSED(broadside_find_pairs(finder, &set.view, NULL, &settings, &pairs, &count, NULL));
        settings.algorithm = BROADSIDE_ALGORITHM_AUTOMATIC;
        settings.order = (broadside_pair_order)wrong;
        REFUSED(broadside_find_pairs(finder, &set.view, NULL, &settings, &pairs, &count, NULL));
        settings.order = BROADSIDE_ORDER_CANONICAL;
        settings.sweep_axis = wrong;
        REFUSED(broadside_find_pairs(finder, &set.view, NULL, &settings, &pairs, &count, NULL));
        SIZED(broadside_object_settings, object);
        object.kind = (broadside_object_kind)wrong;
        broadside_object handle;
        REFUSED(broadside_world_add_one(world, &set.boxes[0], &object, &handle));
        REFUSED(broadside_world_set_kind(world, NULL, 0, (broadside_object_kind)wrong, NULL));
        object.kind = BROADSIDE_OBJECT_MOVING;
        object.layer = wrong < 65536 ? 65536 + wrong : wrong;
        REFUSED(broadside_world_add_one(world, &set.boxes[0], &object, &handle));
        const broadside_shapes shapes = {set.boxes, 1, (broadside_shape_kind)wrong, 0};
        REFUSED(broadside_tree_any_overlap(tree, &shapes, NULL, bits, 1, NULL));
        REFUSED(broadside_world_any_overlap(world, &shapes, NULL, bits, 1, NULL));
        const broadside_casts casts = {set.boxes, 1, (broadside_cast_kind)wrong, 0};
        REFUSED(broadside_tree_any_hit(tree, &casts, NULL, bits, 1, NULL));
        SIZED(broadside_ray_settings, rays);
        rays.inside = (broadside_inside)wrong;
        const broadside_ray ray = {{0, 0, 0}, {1, 0, 0}, 1};
        REFUSED(broadside_ray_boxes(&ray, &set.view, &rays, NULL, NULL, NULL, bits, BOX_COUNT, NULL));
        CHECK(!broadside_ray_box(&ray, &set.boxes[0], &rays).has_hit);
        float toi[BOX_COUNT];
        REFUSED(broadside_mover_times_of_impact(&set.boxes[0], &ray.direction, &set.view,
                                                (broadside_touch)wrong, toi, NULL, BOX_COUNT, NULL));
    }
    const broadside_shapes no_items = {NULL, 1, BROADSIDE_SHAPE_BOX, 0};
    const broadside_volume no_planes = {NULL, 6};
    const broadside_shapes no_plane_items = {&no_planes, 1, BROADSIDE_SHAPE_VOLUME, 0};
    const broadside_casts no_casts = {NULL, 1, BROADSIDE_CAST_RAY, 0};
    SIZED(broadside_result, result);
    REFUSED(broadside_tree_find_overlaps(tree, &no_items, NULL, lists, &pairs, &count, &result));
    CHECK(result.status == BROADSIDE_INVALID_ARGUMENT && result.bad_index == BROADSIDE_NO_INDEX);
    REFUSED(broadside_tree_find_overlaps(tree, &no_plane_items, NULL, lists, &pairs, &count, NULL));
    REFUSED(broadside_tree_find_overlaps(tree, &no_items, NULL, NULL, &pairs, &count, NULL));
    REFUSED(broadside_tree_find_hits(tree, &no_casts, NULL, lists, &hits, &count, NULL));
    REFUSED(broadside_tree_visit_hits(tree, &no_casts, NULL, NULL, NULL));
    REFUSED(broadside_world_visit_hits(world, &no_casts, NULL, NULL, NULL));
    REFUSED(broadside_world_visit_overlaps(world, &no_items, NULL, NULL, NULL));
    REFUSED(broadside_tree_set_box(tree, 0x80000000u, &set.boxes[0]));
    REFUSED(broadside_tree_visit_pairs(tree, NULL, NULL, NULL, NULL));
    broadside_close_pair close_pair;
    REFUSED(broadside_tree_closest_pair(NULL, tree, INFINITY, NULL, &close_pair));
    REFUSED(broadside_tree_closest_pair(tree, NULL, INFINITY, NULL, NULL));
    REFUSED(broadside_tree_visit_close_pairs(tree, NULL, INFINITY, NULL, NULL, NULL));
    const broadside_sphere near_sphere = {{0, 0, 0}, 1};
    const broadside_shapes near_spheres = {&near_sphere, 1, BROADSIDE_SHAPE_SPHERE, 0};
    broadside_closest_box near_box;
    REFUSED(broadside_tree_visit_close_boxes(tree, &near_spheres, 1, NULL, no_more, NULL));
    REFUSED(broadside_tree_visit_close_boxes(tree, &no_items, 1, NULL, no_more, NULL));
    REFUSED(broadside_tree_visit_close_boxes(tree, &near_spheres, 1, NULL, NULL, NULL));
    REFUSED(broadside_tree_closest_boxes_to(tree, &near_spheres, 1, INFINITY, NULL, &near_box, 1, &result));
    CHECK(result.status == BROADSIDE_INVALID_ARGUMENT);
    REFUSED(broadside_tree_find_pairs(NULL, tree, NULL, lists, &pairs, &count, NULL));

    /* Items at fault are named, and nothing has changed. */
    broadside_object objects[3];
    const broadside_boxes three = some_boxes(&set, 3);
    CHECK(broadside_world_add(world, &three, NULL, objects, NULL) == BROADSIDE_OK);
    objects[1] ^= (uint64_t)2 << 32;
    REFUSED(broadside_world_set_boxes(world, objects, 3, &three, &result));
    CHECK(result.bad_index == 1);
    REFUSED(broadside_world_remove(world, objects, 3, &result));
    CHECK(result.bad_index == 1 && broadside_world_object_count(world) == 3);
    REFUSED(broadside_world_set_boxes(world, objects, 2, &three, NULL));
    SIZED(broadside_object_settings, negative);
    negative.margin = -1;
    broadside_object none = 1;
    REFUSED(broadside_world_add_one(world, &set.boxes[0], &negative, &none));
    CHECK(none == 0 && broadside_world_object_count(world) == 3);
    REFUSED(broadside_world_describe(world, 0, NULL, NULL));
    REFUSED(broadside_world_set_layers_pair(world, 65536, 0, 1));
    REFUSED(broadside_world_restore(world, "no world", 8));
    CHECK(broadside_world_pair_value(world, 0, objects[0]) == NULL);
    CHECK(broadside_world_boxes_overlap(world, 0, objects[0]) == 0);

    REFUSED(broadside_stage_step(stage, NULL, NULL, NULL));
    SIZED(broadside_stage_input, input);
    SIZED(broadside_stage_result, stepped);
    input.ray_count = 1;
    REFUSED(broadside_stage_step(stage, &input, NULL, &stepped));
    CHECK(stepped.status == BROADSIDE_INVALID_ARGUMENT && stepped.first_invalid_box == BROADSIDE_NO_INDEX);
    REFUSED(broadside_mesh_build(mesh, NULL, 3, NULL, 3, NULL, BROADSIDE_MESH_BUILD_STANDARD, NULL, NULL));
    REFUSED(broadside_mesh_build(mesh, NULL, 0, NULL, 0, NULL, (broadside_mesh_build_quality)2, NULL, NULL));
    REFUSED(broadside_mesh_find_hits(mesh, NULL, 0, NULL, NULL, NULL, 0, NULL));

    broadside_finder_destroy(finder);
    broadside_tree_destroy(tree);
    broadside_world_destroy(world);
    broadside_mesh_destroy(mesh);
    broadside_stage_destroy(stage);
    broadside_query_lists_destroy(lists);
    broadside_box_array_destroy(array);
    broadside_finder_destroy(NULL);
    broadside_tree_destroy(NULL);
    broadside_world_destroy(NULL);
    broadside_mesh_destroy(NULL);
    broadside_stage_destroy(NULL);
    broadside_query_lists_destroy(NULL);
    broadside_box_array_destroy(NULL);
}
