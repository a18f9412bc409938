/* Counts that no array has, outputs without room, and settings with a single field set; a row for each call. */
#include "support.h"

enum { FEW = 3, ROOM = 256 };

/* Three of every input. */
static struct {
    box_set set;
    broadside_aabb boxes[FEW];
    broadside_boxes view;
    broadside_moving_boxes moving;
    broadside_vec3 vertices[FEW];
    uint32_t corners[FEW];
    broadside_vec3 vectors[FEW];
    broadside_obb obbs[FEW];
    broadside_sphere spheres[FEW];
    broadside_ray rays[FEW];
    broadside_triangle triangles[FEW];
    float columns[9][FEW];
    broadside_triangles triangle_view;
    broadside_pair pairs[FEW];
    broadside_volume volumes[FEW];
    broadside_mover movers[FEW];
    broadside_obb_cast obb_casts[FEW];
    broadside_finder* finder;
    broadside_tree* tree;
    broadside_world* world;
    broadside_world_view* world_view;
    broadside_mesh* mesh;
    broadside_scene* scene;
    broadside_stage* stage;
    broadside_query_lists* lists;
    broadside_box_array* array;
    broadside_object objects[FEW];
    broadside_placed_mesh placed[FEW];
    broadside_transform places[FEW];
    /* Outputs of every call. */
    uint64_t out[ROOM * 16];
    float out_numbers[ROOM];
} s;

/* A call with `count` items of input, if it has any, and room for `capacity` items of output. */
typedef broadside_status (*counted_call)(size_t count, size_t capacity, broadside_result* out_result);

typedef struct counted_row {
    const char* name;
    counted_call call;
    /* Output items that three input items need; 0 for calls without such an output. */
    size_t room;
} counted_row;

#define CALL(name, ...)                                                                         \
    static broadside_status name(size_t count, size_t capacity, broadside_result* out_result) { \
        (void)count, (void)capacity, (void)out_result;                                          \
        return (__VA_ARGS__);                                                                   \
    }
#define SHAPES(kind, items) (&(broadside_shapes){items, count, kind, 0})
#define CASTS(kind, items) (&(broadside_casts){items, count, kind, 0})
#define OUT ((void*)s.out)

static broadside_boxes boxes_of(size_t count) {
    broadside_boxes view = s.view;
    view.count = count;
    return view;
}
static broadside_triangles triangles_of(size_t count) {
    broadside_triangles view = s.triangle_view;
    view.count = count;
    return view;
}
static broadside_moving_boxes moving_of(size_t count) {
    return (broadside_moving_boxes){boxes_of(count), {NULL, NULL, NULL, 0}};
}
#define BOXES                                                                                          \
    (&(broadside_boxes){boxes_of(count).min_x, s.view.min_y, s.view.min_z, s.view.max_x, s.view.max_y, \
                        s.view.max_z, count})

/* Kernels. */
CALL(box_overlaps, broadside_box_overlaps(s.boxes, BOXES, s.out, capacity, out_result))
CALL(pair_overlaps, broadside_pair_overlaps(&s.view, &s.view, s.pairs, count, s.out, capacity, out_result))
static broadside_status times(size_t count, size_t capacity, broadside_result* out_result) {
    const broadside_moving_boxes moving = moving_of(count);
    return broadside_times_of_impact(&moving, &moving, BROADSIDE_TOUCH_CLOSED, s.out_numbers, NULL, capacity,
                                     out_result);
}
CALL(mover_times, broadside_mover_times_of_impact(s.boxes, s.vectors, BOXES, BROADSIDE_TOUCH_CLOSED,
                                                  s.out_numbers, NULL, capacity, out_result))
CALL(pair_times, broadside_pair_times_of_impact(&s.moving, &s.moving, s.pairs, count, BROADSIDE_TOUCH_CLOSED,
                                                s.out_numbers, NULL, capacity, out_result))
CALL(ray_boxes,
     broadside_ray_boxes(s.rays, BOXES, NULL, s.out_numbers, NULL, NULL, NULL, capacity, out_result))
CALL(ray_box_bits, broadside_ray_boxes(s.rays, BOXES, NULL, NULL, NULL, NULL, s.out, capacity, out_result))
CALL(pair_ray_boxes, broadside_pair_ray_boxes(s.rays, FEW, &s.view, s.pairs, count, NULL, s.out_numbers, NULL,
                                              NULL, NULL, capacity, out_result))
CALL(ray_closest, broadside_ray_closest_hits(s.rays, count, &s.view, NULL, OUT, capacity, out_result))
static broadside_status obb_triangles(size_t count, size_t capacity, broadside_result* out_result) {
    const broadside_triangles triangles = triangles_of(count);
    return broadside_obb_triangle_overlaps(s.obbs, &triangles, s.out, capacity, out_result);
}
static broadside_status obb_triangle_times(size_t count, size_t capacity, broadside_result* out_result) {
    const broadside_triangles triangles = triangles_of(count);
    return broadside_obb_triangle_times_of_impact(s.obbs, s.vectors, &triangles, s.vectors, s.out_numbers,
                                                  NULL, capacity, out_result);
}
CALL(pair_obb_triangles, broadside_pair_obb_triangle_overlaps(s.obbs, FEW, s.triangles, FEW, s.pairs, count,
                                                              s.out, capacity, out_result))
CALL(pair_obb_triangle_times,
     broadside_pair_obb_triangle_times_of_impact(s.obbs, NULL, FEW, s.triangles, FEW, s.vectors, s.pairs,
                                                 count, s.out_numbers, NULL, capacity, out_result))
CALL(pair_obbs,
     broadside_pair_obb_overlaps(s.obbs, FEW, s.obbs, FEW, s.pairs, count, s.out, capacity, out_result))
CALL(counted_obbs,
     broadside_pair_obb_overlaps(s.obbs, count, s.obbs, count, s.pairs, FEW, s.out, 1, out_result))
/* Trees, worlds and views. */
#define TREE s.tree
#define ASK(of, object)                                                                                     \
    CALL(of##_any_overlap, broadside_##of##_any_overlap(object, SHAPES(BROADSIDE_SHAPE_BOX, s.boxes), NULL, \
                                                        s.out, capacity, out_result))                       \
    CALL(of##_any_volume, broadside_##of##_any_overlap(object, SHAPES(BROADSIDE_SHAPE_VOLUME, s.volumes),   \
                                                       NULL, s.out, capacity, out_result))                  \
    CALL(of##_closest_hits, broadside_##of##_closest_hits(object, CASTS(BROADSIDE_CAST_RAY, s.rays), NULL,  \
                                                          OUT, capacity, out_result))                       \
    CALL(of##_any_hit, broadside_##of##_any_hit(object, CASTS(BROADSIDE_CAST_RAY, s.rays), NULL, s.out,     \
                                                capacity, out_result))
ASK(tree, s.tree)
ASK(world, s.world)
ASK(world_view, s.world_view)
CALL(tree_closest_boxes,
     broadside_tree_closest_boxes(s.tree, s.vectors, count, 2, INFINITY, NULL, OUT, capacity, out_result))
CALL(tree_closest_boxes_to, broadside_tree_closest_boxes_to(s.tree, SHAPES(BROADSIDE_SHAPE_BOX, s.boxes), 2,
                                                            INFINITY, NULL, OUT, capacity, out_result))
CALL(world_closest_objects,
     broadside_world_closest_objects(s.world, s.vectors, count, 2, INFINITY, NULL, OUT, capacity, out_result))
CALL(view_closest_objects, broadside_world_view_closest_objects(s.world_view, s.vectors, count, 2, INFINITY,
                                                                NULL, OUT, capacity, out_result))
/* Meshes and scenes. */
#define ASK_MESH(of)                                                                                        \
    CALL(of##_closest_hits,                                                                                 \
         broadside_##of##_closest_hits(s.of, s.rays, count, NULL, OUT, capacity, out_result))               \
    CALL(of##_any_hit, broadside_##of##_any_hit(s.of, s.rays, count, NULL, s.out, capacity, out_result))    \
    CALL(of##_any_overlap, broadside_##of##_any_overlap(s.of, SHAPES(BROADSIDE_SHAPE_SPHERE, s.spheres),    \
                                                        NULL, s.out, capacity, out_result))                 \
    CALL(of##_closest_points,                                                                               \
         broadside_##of##_closest_points(s.of, s.vectors, count, NULL, OUT, capacity, out_result))          \
    CALL(of##_contain, broadside_##of##_contain(s.of, s.vectors, count, NULL, s.out, capacity, out_result)) \
    CALL(of##_distances, broadside_##of##_signed_distances(s.of, s.vectors, count, NULL, s.out_numbers,     \
                                                           capacity, out_result))
ASK_MESH(mesh)
ASK_MESH(scene)
#define ASK_CASTS(of)                                                                                       \
    CALL(of##_impacts, broadside_##of##_closest_impacts(s.of, CASTS(BROADSIDE_CAST_OBB, s.obb_casts), NULL, \
                                                        OUT, capacity, out_result))                         \
    CALL(of##_find_impacts, broadside_##of##_find_impacts(s.of, CASTS(BROADSIDE_CAST_OBB, s.obb_casts),     \
                                                          NULL, s.lists, OUT, capacity, out_result))
ASK_CASTS(mesh)
ASK_CASTS(scene)
CALL(step_movers, broadside_step_movers(s.movers, count, NULL, NULL, s.lists, OUT, capacity, out_result))
/* Calls without an output of that many items, or whose result is a list. */
CALL(world_add, broadside_world_add(s.world, BOXES, NULL, OUT, out_result))
CALL(world_remove, broadside_world_remove(s.world, s.objects, count, out_result))
CALL(world_set_boxes, broadside_world_set_boxes(s.world, s.objects, count, BOXES, out_result))
CALL(world_set_displacements,
     broadside_world_set_displacements(s.world, s.objects, count,
                                       &(broadside_vec3s){s.columns[0], s.columns[1], s.columns[2], count},
                                       out_result))
CALL(world_set_margin, broadside_world_set_margin(s.world, s.objects, count, 1, out_result))
CALL(world_set_kind, broadside_world_set_kind(s.world, s.objects, count, BROADSIDE_OBJECT_FIXED, out_result))
CALL(world_set_filter, broadside_world_set_filter(s.world, s.objects, count, NULL, out_result))
CALL(world_set_user_data, broadside_world_set_user_data(s.world, s.objects, count, 1, out_result))
CALL(world_restore, broadside_world_restore(s.world, s.out, count))
CALL(mesh_restore, broadside_mesh_restore(s.mesh, s.out, count))
CALL(mesh_vertices, broadside_mesh_build(s.mesh, s.vertices, count, s.corners, FEW, NULL,
                                         BROADSIDE_MESH_BUILD_STANDARD, NULL, out_result))
CALL(mesh_indices, broadside_mesh_build(s.mesh, s.vertices, FEW, s.corners, count, NULL,
                                        BROADSIDE_MESH_BUILD_STANDARD, NULL, out_result))
CALL(scene_build, broadside_scene_build(s.scene, s.placed, count, NULL, out_result))
CALL(scene_update, broadside_scene_update(s.scene, s.places, count, NULL, out_result))
CALL(tree_build, broadside_tree_build(s.tree, BOXES, NULL))
CALL(tree_build_subset, broadside_tree_build_subset(s.tree, BOXES, s.out, NULL))
CALL(tree_update, broadside_tree_update(s.tree, BOXES, NULL))
CALL(array_assign, broadside_box_array_assign(s.array, s.boxes, count, sizeof *s.boxes, 0, 12))
CALL(triangle_bounds, broadside_triangle_bounds(&(broadside_triangles){.a_x = s.columns[0],
                                                                       .a_y = s.columns[0],
                                                                       .a_z = s.columns[0],
                                                                       .b_x = s.columns[0],
                                                                       .b_y = s.columns[0],
                                                                       .b_z = s.columns[0],
                                                                       .c_x = s.columns[0],
                                                                       .c_y = s.columns[0],
                                                                       .c_z = s.columns[0],
                                                                       .count = count},
                                                s.array))
static const broadside_pair* listed_pairs;
static size_t listed_count;
CALL(find_pairs, broadside_find_pairs(s.finder, BOXES, NULL, NULL, &listed_pairs, &listed_count, NULL))
CALL(find_pairs_with_b,
     broadside_find_pairs(s.finder, &s.view, BOXES, NULL, &listed_pairs, &listed_count, NULL))
CALL(find_pairs_into, broadside_find_pairs_into(s.finder, &s.view, NULL, NULL, OUT, count, NULL))
CALL(find_exact_pairs, broadside_find_exact_pairs(s.finder,
                                                  &(broadside_exact_boxes){.min_x = s.columns[0],
                                                                           .min_y = s.columns[0],
                                                                           .min_z = s.columns[0],
                                                                           .max_x = s.columns[0],
                                                                           .max_y = s.columns[0],
                                                                           .max_z = s.columns[0],
                                                                           .count = count,
                                                                           .stride = count},
                                                  NULL, NULL, &listed_pairs, &listed_count, NULL))
CALL(tree_find_overlaps, broadside_tree_find_overlaps(s.tree, SHAPES(BROADSIDE_SHAPE_OBB, s.obbs), NULL,
                                                      s.lists, &listed_pairs, &listed_count, out_result))
static const broadside_hit* listed_hits;
CALL(tree_find_hits, broadside_tree_find_hits(s.tree, CASTS(BROADSIDE_CAST_RAY, s.rays), NULL, s.lists,
                                              &listed_hits, &listed_count, out_result))
static const broadside_world_overlap* listed_overlaps;
CALL(world_find_overlaps,
     broadside_world_find_overlaps(s.world, SHAPES(BROADSIDE_SHAPE_VOLUME, s.volumes), NULL, s.lists,
                                   &listed_overlaps, &listed_count, out_result))
static const broadside_world_hit* listed_world_hits;
CALL(world_find_hits, broadside_world_find_hits(s.world, CASTS(BROADSIDE_CAST_RAY, s.rays), NULL, s.lists,
                                                &listed_world_hits, &listed_count, out_result))
CALL(mesh_find_hits, broadside_mesh_find_hits(s.mesh, s.rays, count, NULL, s.lists, OUT, 0, out_result))
CALL(mesh_find_overlaps, broadside_mesh_find_overlaps(s.mesh, SHAPES(BROADSIDE_SHAPE_BOX, s.boxes), NULL,
                                                      s.lists, OUT, 0, out_result))
CALL(mesh_find_into,
     broadside_mesh_find_overlaps(s.mesh, &(broadside_shapes){s.boxes, FEW, BROADSIDE_SHAPE_BOX, 0}, NULL,
                                  s.lists, OUT, count, out_result))
CALL(scene_find_hits, broadside_scene_find_hits(s.scene, s.rays, count, NULL, s.lists, OUT, 0, out_result))
CALL(scene_find_overlaps, broadside_scene_find_overlaps(s.scene, SHAPES(BROADSIDE_SHAPE_OBB, s.obbs), NULL,
                                                        s.lists, OUT, 0, out_result))
static const broadside_clash* listed_clashes;
CALL(find_clashes, broadside_find_clashes(s.placed, count, NULL, 0, NULL, s.lists, &listed_clashes,
                                          &listed_count, out_result))
CALL(find_clashes_with_b, broadside_find_clashes(s.placed, FEW, s.placed, count, NULL, s.lists,
                                                 &listed_clashes, &listed_count, out_result))
static const broadside_mesh* mesh_list[FEW];
CALL(mover_meshes,
     broadside_step_movers(s.movers, FEW,
                           &(broadside_mover_obstacles){.meshes = mesh_list, .mesh_count = count}, NULL,
                           s.lists, OUT, FEW, out_result))
#define STAGE(name, field, count_field)                                                                     \
    CALL(name, broadside_stage_step(                                                                        \
                   s.stage,                                                                                 \
                   &(broadside_stage_input){                                                                \
                       .size = sizeof(broadside_stage_input), .field = (void*)s.out, .count_field = count}, \
                   NULL, NULL))
STAGE(stage_rays, rays, ray_count)
STAGE(stage_casts, casts, cast_count)
STAGE(stage_sphere_casts, sphere_casts, sphere_cast_count)
STAGE(stage_overlap_boxes, overlap_boxes, overlap_box_count)
STAGE(stage_overlap_spheres, overlap_spheres, overlap_sphere_count)
STAGE(stage_overlap_obbs, overlap_obbs, overlap_obb_count)
STAGE(stage_obbs, obbs, obb_count)
STAGE(stage_meshes, meshes, mesh_count)
STAGE(stage_movers, movers, mover_count)
CALL(stage_boxes, broadside_stage_step(s.stage,
                                       &(broadside_stage_input){.size = sizeof(broadside_stage_input),
                                                                .boxes = boxes_of(count)},
                                       NULL, NULL))

#define ROW(name, room) \
    { #name, name, room }
static const counted_row rows[] = {
    ROW(box_overlaps, 1),
    ROW(pair_overlaps, 1),
    ROW(times, 3),
    ROW(mover_times, 3),
    ROW(pair_times, 3),
    ROW(ray_boxes, 3),
    ROW(ray_box_bits, 3),
    ROW(pair_ray_boxes, 3),
    ROW(ray_closest, 3),
    ROW(obb_triangles, 1),
    ROW(obb_triangle_times, 3),
    ROW(pair_obb_triangles, 1),
    ROW(pair_obb_triangle_times, 3),
    ROW(pair_obbs, 1),
    ROW(tree_any_overlap, 1),
    ROW(tree_any_volume, 1),
    ROW(tree_closest_hits, 3),
    ROW(tree_any_hit, 1),
    ROW(world_any_overlap, 1),
    ROW(world_any_volume, 1),
    ROW(world_closest_hits, 3),
    ROW(world_any_hit, 1),
    ROW(world_view_any_overlap, 1),
    ROW(world_view_any_volume, 1),
    ROW(world_view_closest_hits, 3),
    ROW(world_view_any_hit, 1),
    ROW(tree_closest_boxes, 6),
    ROW(tree_closest_boxes_to, 6),
    ROW(world_closest_objects, 6),
    ROW(view_closest_objects, 6),
    ROW(mesh_closest_hits, 3),
    ROW(mesh_any_hit, 1),
    ROW(mesh_any_overlap, 1),
    ROW(mesh_closest_points, 3),
    ROW(mesh_contain, 1),
    ROW(mesh_distances, 3),
    ROW(scene_closest_hits, 3),
    ROW(scene_any_hit, 1),
    ROW(scene_any_overlap, 1),
    ROW(scene_closest_points, 3),
    ROW(scene_contain, 1),
    ROW(scene_distances, 3),
    ROW(mesh_impacts, 3),
    ROW(scene_impacts, 3),
    ROW(mesh_find_impacts, 0),
    ROW(scene_find_impacts, 0),
    ROW(step_movers, 3),
    ROW(counted_obbs, 0),
    ROW(world_add, 0),
    ROW(world_remove, 0),
    ROW(world_set_boxes, 0),
    ROW(world_set_displacements, 0),
    ROW(world_set_margin, 0),
    ROW(world_set_kind, 0),
    ROW(world_set_filter, 0),
    ROW(world_set_user_data, 0),
    ROW(world_restore, 0),
    ROW(mesh_restore, 0),
    ROW(mesh_vertices, 0),
    ROW(mesh_indices, 0),
    ROW(scene_build, 0),
    ROW(scene_update, 0),
    ROW(tree_build, 0),
    ROW(tree_build_subset, 0),
    ROW(tree_update, 0),
    ROW(array_assign, 0),
    ROW(triangle_bounds, 0),
    ROW(find_pairs, 0),
    ROW(find_pairs_with_b, 0),
    ROW(find_pairs_into, 0),
    ROW(find_exact_pairs, 0),
    ROW(tree_find_overlaps, 0),
    ROW(tree_find_hits, 0),
    ROW(world_find_overlaps, 0),
    ROW(world_find_hits, 0),
    ROW(mesh_find_hits, 0),
    ROW(mesh_find_overlaps, 0),
    ROW(mesh_find_into, 0),
    ROW(scene_find_hits, 0),
    ROW(scene_find_overlaps, 0),
    ROW(find_clashes, 0),
    ROW(find_clashes_with_b, 0),
    ROW(mover_meshes, 0),
    ROW(stage_rays, 0),
    ROW(stage_casts, 0),
    ROW(stage_sphere_casts, 0),
    ROW(stage_overlap_boxes, 0),
    ROW(stage_overlap_spheres, 0),
    ROW(stage_overlap_obbs, 0),
    ROW(stage_obbs, 0),
    ROW(stage_meshes, 0),
    ROW(stage_movers, 0),
    ROW(stage_boxes, 0),
};

static void fill(void) {
    memset(&s, 0, sizeof s);
    const broadside_vec3 x = {1, 0, 0};
    const broadside_vec3 y = {0, 1, 0};
    const broadside_vec3 z = {0, 0, 1};
    const broadside_vec3 corners[FEW] = {{0, 0, 0}, x, y};
    for (uint32_t i = 0; i < FEW; ++i) {
        s.boxes[i].max = (broadside_vec3){1, 1, 1};
        s.vertices[i] = corners[i];
        s.corners[i] = i;
        s.obbs[i] = (broadside_obb){{0, 0, 0}, x, y, z, {1, 1, 1}};
        s.spheres[i].radius = 1;
        s.rays[i] = (broadside_ray){{0, 0, -1}, z, 9};
        s.triangles[i] = (broadside_triangle){corners[0], corners[1], corners[2]};
        s.movers[i].radius = 1;
        s.movers[i].ignored_box = BROADSIDE_NO_BOX;
        s.places[i] = (broadside_transform){x, y, z, {0, 0, 0}};
    }
    s.view = (broadside_boxes){s.columns[0], s.columns[0], s.columns[0], s.columns[0],
                               s.columns[0], s.columns[0], FEW};
    s.moving.boxes = s.view;
    s.triangle_view = (broadside_triangles){.a_x = s.columns[0],
                                            .a_y = s.columns[1],
                                            .a_z = s.columns[2],
                                            .b_x = s.columns[3],
                                            .b_y = s.columns[4],
                                            .b_z = s.columns[5],
                                            .c_x = s.columns[6],
                                            .c_y = s.columns[7],
                                            .c_z = s.columns[8],
                                            .count = FEW};
    CHECK(broadside_finder_create(NULL, &s.finder) == BROADSIDE_OK &&
          broadside_tree_create(NULL, &s.tree) == BROADSIDE_OK &&
          broadside_world_create(NULL, NULL, &s.world) == BROADSIDE_OK &&
          broadside_mesh_create(NULL, &s.mesh) == BROADSIDE_OK &&
          broadside_scene_create(NULL, &s.scene) == BROADSIDE_OK &&
          broadside_stage_create(NULL, &s.stage) == BROADSIDE_OK &&
          broadside_query_lists_create(NULL, &s.lists) == BROADSIDE_OK &&
          broadside_box_array_create(NULL, &s.array) == BROADSIDE_OK);
    CHECK(broadside_mesh_build(s.mesh, s.vertices, FEW, s.corners, FEW, NULL, BROADSIDE_MESH_BUILD_STANDARD,
                               NULL, NULL) == BROADSIDE_OK);
    for (uint32_t i = 0; i < FEW; ++i) {
        s.placed[i] = (broadside_placed_mesh){s.mesh, s.places[i]};
        mesh_list[i] = s.mesh;
    }
    CHECK(broadside_scene_build(s.scene, s.placed, FEW, NULL, NULL) == BROADSIDE_OK);
    CHECK(broadside_tree_build(s.tree, &s.view, NULL) == BROADSIDE_OK);
    CHECK(broadside_world_add(s.world, &s.view, NULL, s.objects, NULL) == BROADSIDE_OK);
    CHECK(broadside_world_view_create(s.world, NULL, NULL, &s.world_view) == BROADSIDE_OK);
}

/* A count of -1, or of a negative difference. */
static void check_endless_counts(void) {
    const size_t counts[] = {SIZE_MAX, SIZE_MAX - 62, SIZE_MAX - 63, SIZE_MAX / 2 + 1};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; ++row) {
        for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
            /* With little room, and with as much as the items claim. */
            for (int is_roomy = 0; is_roomy < 2; ++is_roomy) {
                SIZED(broadside_result, result);
                const broadside_status status =
                    rows[row].call(counts[i], is_roomy ? counts[i] : (size_t)ROOM, &result);
                const int is_refused = status == BROADSIDE_INVALID_ARGUMENT ||
                                       status == BROADSIDE_CAPACITY_EXCEEDED ||
                                       status == BROADSIDE_OUT_OF_MEMORY;
                if (!is_refused) fprintf(stderr, "%s: status %d\n", rows[row].name, (int)status);
                CHECK(is_refused);
            }
        }
    }
}

/* A batch returns what it needs, and accepts exactly that. */
static void check_rooms(void) {
    for (size_t row = 0; row < sizeof rows / sizeof *rows; ++row) {
        if (rows[row].room == 0) continue;
        SIZED(broadside_result, result);
        for (size_t capacity = 0; capacity <= rows[row].room + 1; ++capacity) {
            const int fits = capacity >= rows[row].room;
            result.required = 99;
            result.written = 99;
            const broadside_status status = rows[row].call(FEW, capacity, &result);
            const int is_right = status == (fits ? BROADSIDE_OK : BROADSIDE_CAPACITY_EXCEEDED) &&
                                 result.status == status && result.required == rows[row].room &&
                                 result.written == (fits ? rows[row].room : 0);
            if (!is_right)
                fprintf(stderr, "%s: %d, %d of %d\n", rows[row].name, (int)status, (int)result.written,
                        (int)result.required);
            CHECK(is_right);
        }
    }
}

/* Pairs of two objects at the same position, by the settings that are set. */
static int do_pair(uint64_t category_a, uint64_t mask_a, uint64_t category_b, uint64_t mask_b) {
    broadside_world* world = NULL;
    CHECK(broadside_world_create(NULL, NULL, &world) == BROADSIDE_OK);
    SIZED(broadside_object_settings, a);
    SIZED(broadside_object_settings, b);
    a.category = category_a;
    a.mask = mask_a;
    b.category = category_b;
    b.mask = mask_b;
    broadside_object object = 0;
    CHECK(broadside_world_add_one(world, s.boxes, &a, &object) == BROADSIDE_OK);
    CHECK(broadside_world_add_one(world, s.boxes, &b, &object) == BROADSIDE_OK);
    SIZED(broadside_object_settings, told);
    CHECK(broadside_world_describe(world, object, NULL, &told) == BROADSIDE_OK);
    CHECK(told.category == (category_b != 0 ? category_b : ~(uint64_t)0));
    CHECK(told.mask == (mask_b != 0 ? mask_b : ~(uint64_t)0));
    SIZED(broadside_update_result, result);
    CHECK(broadside_world_update(world, NULL, &result) == BROADSIDE_OK);
    broadside_world_destroy(world);
    return result.pair_count == 1;
}

/* Two bits, each of which may be left out; a missing one means all bits. */
static void check_categories_and_masks(void) {
    const uint64_t values[] = {0, 1, 4, 5};
    for (unsigned i = 0; i < 256; ++i) {
        const uint64_t category_a = values[i & 3];
        const uint64_t mask_a = values[i >> 2 & 3];
        const uint64_t category_b = values[i >> 4 & 3];
        const uint64_t mask_b = values[i >> 6 & 3];
        const int is_a_wanted = mask_b == 0 || category_a == 0 || (category_a & mask_b) != 0;
        const int is_b_wanted = mask_a == 0 || category_b == 0 || (category_b & mask_a) != 0;
        CHECK(do_pair(category_a, mask_a, category_b, mask_b) == (is_a_wanted && is_b_wanted));
    }
}

static void check_caps(void) {
    broadside_world* world = NULL;
    SIZED(broadside_world_settings, settings);
    settings.max_pair_count = 2;
    CHECK(broadside_world_create(&settings, NULL, &world) == BROADSIDE_OK);
    broadside_object objects[FEW];
    CHECK(broadside_world_add(world, &s.view, NULL, objects, NULL) == BROADSIDE_OK);
    SIZED(broadside_update_result, updated);
    /* Three boxes at one position are three pairs. */
    CHECK(broadside_world_update(world, NULL, &updated) == BROADSIDE_CAPACITY_EXCEEDED);
    CHECK(updated.pair_count == 0 && updated.begun_count == 0 && broadside_world_pair_count(world) == 0);
    CHECK(broadside_world_remove(world, objects, 1, NULL) == BROADSIDE_OK);
    CHECK(broadside_world_update(world, NULL, &updated) == BROADSIDE_OK && updated.pair_count == 1);
    broadside_world_destroy(world);

    SIZED(broadside_world_settings, of_objects);
    of_objects.max_object_count = 2;
    CHECK(broadside_world_create(&of_objects, NULL, &world) == BROADSIDE_OK);
    SIZED(broadside_result, result);
    CHECK(broadside_world_add(world, &s.view, NULL, objects, &result) == BROADSIDE_CAPACITY_EXCEEDED);
    CHECK(result.required == FEW && result.written == 0 && broadside_world_object_count(world) == 0);
    const broadside_boxes two = boxes_of(2);
    CHECK(broadside_world_add(world, &two, NULL, objects, &result) == BROADSIDE_OK);
    CHECK(result.required == 2 && result.written == 2);
    broadside_world_destroy(world);
}

/* Any single field of settings is legal and leaves the others at their defaults, except fields that form one
   setting. */
static void check_single_fields(void) {
    SIZED(broadside_find_pairs_settings, one_side);
    one_side.cell_counts[1] = 4;
    CHECK(broadside_find_pairs(s.finder, &s.view, NULL, &one_side, &listed_pairs, &listed_count, NULL) ==
          BROADSIDE_INVALID_ARGUMENT);
    SIZED(broadside_find_pairs_settings, cap);
    cap.max_pair_count = 1;
    CHECK(broadside_find_pairs(s.finder, &s.view, NULL, &cap, &listed_pairs, &listed_count, NULL) ==
          BROADSIDE_CAPACITY_EXCEEDED);
    CHECK(listed_count == 1);

    SIZED(broadside_world_query_settings, kinds);
    kinds.kinds = 1u << BROADSIDE_OBJECT_MOVING;
    SIZED(broadside_world_query_settings, other_kinds);
    other_kinds.kinds = 1u << BROADSIDE_OBJECT_FIXED;
    SIZED(broadside_world_query_settings, layers);
    layers.layers = 1;
    SIZED(broadside_world_query_settings, other_layers);
    other_layers.layers = 2;
    const broadside_shapes shape = {s.boxes, 1, BROADSIDE_SHAPE_BOX, 0};
    const struct {
        const broadside_world_query_settings* settings;
        size_t found;
    } asked[] = {{NULL, FEW}, {&kinds, FEW}, {&other_kinds, 0}, {&layers, FEW}, {&other_layers, 0}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; ++i) {
        CHECK(broadside_world_find_overlaps(s.world, &shape, asked[i].settings, s.lists, &listed_overlaps,
                                            &listed_count, NULL) == BROADSIDE_OK);
        CHECK(listed_count == asked[i].found);
    }

    /* A mover that falls without obstacles reaches its goal, whichever setting is its only one. */
    broadside_mover mover = s.movers[0];
    mover.form = BROADSIDE_MOVER_SPHERE;
    mover.displacement = (broadside_vec3){1, 0, 0};
    broadside_mover_settings single[6];
    memset(single, 0, sizeof single);
    for (size_t i = 0; i < 6; ++i) single[i].size = sizeof *single;
    single[0].up = (broadside_vec3){0, 3, 0};
    single[1].min_ground_cosine = 0.5f;
    single[2].step_height = 0.5f;
    single[3].stick_distance = 0.5f;
    single[4].contact_offset = 0.5f;
    single[5].max_iterations = 3;
    for (size_t i = 0; i < 6; ++i) {
        broadside_mover_result moved;
        CHECK(broadside_step_movers(&mover, 1, NULL, &single[i], s.lists, &moved, 1, NULL) == BROADSIDE_OK);
        CHECK(moved.position.x == 1 && moved.status == BROADSIDE_MOVER_FINISHED);
    }
    broadside_exact_boxes exact = {.min_x = s.columns[0],
                                   .min_y = s.columns[0],
                                   .min_z = s.columns[0],
                                   .max_x = s.columns[0],
                                   .max_y = s.columns[0],
                                   .max_z = s.columns[0],
                                   .count = FEW};
    CHECK(broadside_find_exact_pairs(s.finder, &exact, NULL, NULL, &listed_pairs, &listed_count, NULL) ==
          BROADSIDE_OK);
    CHECK(listed_count == 3);
}

void test_counts(void) {
    fill();
    check_rooms();
    check_endless_counts();
    check_categories_and_masks();
    check_caps();
    check_single_fields();
    broadside_finder_destroy(s.finder);
    broadside_tree_destroy(s.tree);
    broadside_world_view_destroy(s.world_view);
    broadside_world_destroy(s.world);
    broadside_scene_destroy(s.scene);
    broadside_mesh_destroy(s.mesh);
    broadside_stage_destroy(s.stage);
    broadside_query_lists_destroy(s.lists);
    broadside_box_array_destroy(s.array);
}
