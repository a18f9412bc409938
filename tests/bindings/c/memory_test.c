/* Every allocation fails once: calls return out_of_memory, nothing leaks, and the next try succeeds. */
#include "support.h"

typedef struct heap {
    /* Allocations until one fails; never if negative. */
    int left;
    size_t live_bytes;
    size_t live_count;
    size_t total_count;
} heap;

static void* take(size_t bytes, size_t alignment, void* user) {
    heap* state = user;
    if (state->left == 0) return NULL;
    if (state->left > 0) --state->left;
    CHECK(alignment <= 64 && (alignment & (alignment - 1)) == 0);
    void* memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (memory == NULL) return NULL;
    state->live_bytes += bytes;
    ++state->live_count;
    ++state->total_count;
    return memory;
}
static void give(void* memory, size_t bytes, size_t alignment, void* user) {
    heap* state = user;
    (void)alignment;
    state->live_bytes -= bytes;
    --state->live_count;
    free(memory);
}

static int failed(broadside_status status) {
    CHECK(status == BROADSIDE_OK || status == BROADSIDE_OUT_OF_MEMORY);
    return status != BROADSIDE_OK;
}

static box_set set;

/* Uses everything that allocates; returns 1 if all of it worked. */
static int live(const broadside_allocator* allocator) {
    broadside_finder* finder = NULL;
    broadside_tree* tree = NULL;
    broadside_world* world = NULL;
    broadside_world_view* views[2] = {NULL, NULL};
    broadside_mesh* mesh = NULL;
    broadside_scene* scene = NULL;
    broadside_stage* stage = NULL;
    broadside_query_lists* lists = NULL;
    broadside_box_array* array = NULL;
    int failures = 0;
    failures += failed(broadside_finder_create(allocator, &finder));
    failures += failed(broadside_tree_create(allocator, &tree));
    failures += failed(broadside_world_create(NULL, allocator, &world));
    failures += failed(broadside_mesh_create(allocator, &mesh));
    failures += failed(broadside_scene_create(allocator, &scene));
    failures += failed(broadside_stage_create(allocator, &stage));
    failures += failed(broadside_query_lists_create(allocator, &lists));
    failures += failed(broadside_box_array_create(allocator, &array));
    const broadside_pair* pairs = NULL;
    const broadside_hit* hits = NULL;
    const broadside_world_overlap* world_overlaps = NULL;
    size_t count = 0;
    static broadside_object objects[BOX_COUNT];
    const broadside_shapes shapes = {set.boxes, BOX_COUNT, BROADSIDE_SHAPE_BOX, 0};
    const broadside_ray ray = {{-50, 0, 0}, {1, 0.1f, 0.2f}, INFINITY};
    const broadside_casts casts = {&ray, 1, BROADSIDE_CAST_RAY, 0};
    SIZED(broadside_stage_input, input);
    input.boxes = set.view;
    input.rays = &ray;
    input.ray_count = 1;
    if (finder != NULL)
        failures += failed(broadside_find_pairs(finder, &set.view, NULL, NULL, &pairs, &count, NULL));
    if (array != NULL)
        failures += failed(broadside_box_array_assign(array, set.boxes, BOX_COUNT, sizeof *set.boxes, 0,
                                                      offsetof(broadside_aabb, max)));
    if (tree != NULL) failures += failed(broadside_tree_build(tree, &set.view, NULL));
    if (tree != NULL && lists != NULL) {
        failures += failed(broadside_tree_find_overlaps(tree, &shapes, NULL, lists, &pairs, &count, NULL));
        failures += failed(broadside_tree_find_hits(tree, &casts, NULL, lists, &hits, &count, NULL));
        failures += failed(broadside_tree_find_pairs(tree, NULL, NULL, lists, &pairs, &count, NULL));
    }
    if (world != NULL) {
        failures += failed(broadside_world_add(world, &set.view, NULL, objects, NULL));
        failures += failed(broadside_world_update(world, NULL, NULL));
        if (lists != NULL)
            failures += failed(
                broadside_world_find_overlaps(world, &shapes, NULL, lists, &world_overlaps, &count, NULL));
        failures += failed(broadside_world_view_create(world, NULL, allocator, &views[0]));
        if (views[0] != NULL) failures += failed(broadside_world_view_copy(views[0], allocator, &views[1]));
    }
    static broadside_vec3 vertices[90];
    static uint32_t indices[90];
    for (uint32_t i = 0; i < 90; ++i) {
        indices[i] = i;
        vertices[i] = (broadside_vec3){(float)(i * 7 % 13), (float)(i * 5 % 11), (float)(i % 17)};
    }
    if (mesh != NULL)
        failures += failed(broadside_mesh_build(mesh, vertices, 90, indices, 90, NULL,
                                                BROADSIDE_MESH_BUILD_STANDARD, NULL, NULL));
    if (mesh != NULL && lists != NULL) {
        const broadside_placed_mesh placed[2] = {{mesh, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}}},
                                                 {mesh, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}}}};
        const broadside_clash* clashes = NULL;
        failures += failed(broadside_find_clashes(placed, 2, NULL, 0, NULL, lists, &clashes, &count, NULL));
        static broadside_triangle_pair triangle_pairs[900];
        failures +=
            failed(broadside_find_triangle_pairs(&placed[0], &placed[1], lists, triangle_pairs, 900, NULL));
        static broadside_scene_ray_hit scene_hits[60];
        if (scene != NULL) {
            failures += failed(broadside_scene_build(scene, placed, 2, NULL, NULL));
            failures += failed(broadside_scene_find_hits(scene, &ray, 1, NULL, lists, scene_hits, 60, NULL));
        }
        const broadside_mesh* const meshes[1] = {mesh};
        const broadside_mover_obstacles obstacles = {tree, meshes, 1, scene};
        const broadside_mover mover = {.form = BROADSIDE_MOVER_SPHERE, .ignored_box = BROADSIDE_NO_BOX};
        broadside_mover_result moved;
        failures += failed(broadside_step_movers(&mover, 1, &obstacles, NULL, lists, &moved, 1, NULL));
    }
    if (stage != NULL) failures += failed(broadside_stage_step(stage, &input, NULL, NULL));
    broadside_finder_destroy(finder);
    broadside_tree_destroy(tree);
    broadside_world_destroy(world);
    broadside_world_view_destroy(views[0]);
    broadside_world_view_destroy(views[1]);
    broadside_scene_destroy(scene);
    broadside_mesh_destroy(mesh);
    broadside_stage_destroy(stage);
    broadside_query_lists_destroy(lists);
    broadside_box_array_destroy(array);
    return failures == 0;
}

void test_memory(void) {
    fill_boxes(&set);
    heap state = {.left = -1};
    const broadside_allocator allocator = {
        .size = sizeof allocator, .allocate = take, .deallocate = give, .user = &state};
    CHECK(live(&allocator));
    CHECK(state.live_count == 0 && state.live_bytes == 0);
    const size_t needed = state.total_count;
    CHECK(needed > 20);
    int failed_count = 0;
    for (int left = 0;; ++left) {
        state = (heap){.left = left};
        const int has_worked = live(&allocator);
        CHECK(state.live_count == 0 && state.live_bytes == 0);
        if (has_worked) break;
        ++failed_count;
    }
    CHECK((size_t)failed_count == needed);

    /* A warm call allocates nothing. */
    state = (heap){.left = -1};
    broadside_finder* finder = NULL;
    const broadside_pair* pairs = NULL;
    size_t count = 0;
    CHECK(broadside_finder_create(&allocator, &finder) == BROADSIDE_OK);
    CHECK(broadside_find_pairs(finder, &set.view, NULL, NULL, &pairs, &count, NULL) == BROADSIDE_OK);
    state.left = 0;
    CHECK(broadside_find_pairs(finder, &set.view, NULL, NULL, &pairs, &count, NULL) == BROADSIDE_OK &&
          count > 0);
    broadside_finder_destroy(finder);
    CHECK(state.live_count == 0);
}
