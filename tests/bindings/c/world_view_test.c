/* A view returns what the world returned at its creation, whatever the world does later. */
#include "support.h"

enum { LIST_COUNT = QUERY_COUNT * BOX_COUNT, POINT_OBJECT_COUNT = 3 };

typedef struct answer {
    broadside_world_overlap overlaps[LIST_COUNT];
    size_t overlap_count;
    broadside_world_hit hits[LIST_COUNT];
    size_t hit_count;
    broadside_closest_object_hit closest[QUERY_COUNT];
    broadside_closest_object objects[QUERY_COUNT * POINT_OBJECT_COUNT];
    uint64_t overlap_bits[2], hit_bits[2];
} answer;

static box_set set;
static broadside_aabb query_boxes[QUERY_COUNT];
static broadside_vec3 query_points[QUERY_COUNT];
static broadside_ray query_rays[QUERY_COUNT];

static uint32_t count_object(void* user, broadside_object object) {
    ++*(uint32_t*)user;
    return object != 0;
}
static float keep_smallest(void* user, const broadside_closest_object_hit* hit) {
    return *(float*)user = hit->t;
}

/* All queries, of a world or, if that is null, of a view. */
static void ask(broadside_world* world, const broadside_world_view* view, broadside_query_lists* lists,
                answer* out) {
    memset(out, 0, sizeof *out);
    const broadside_shapes shapes = {query_boxes, QUERY_COUNT, BROADSIDE_SHAPE_BOX, 0};
    const broadside_casts casts = {query_rays, QUERY_COUNT, BROADSIDE_CAST_RAY, 0};
    const broadside_world_overlap* overlaps = NULL;
    const broadside_world_hit* hits = NULL;
    broadside_status status[6];
    const size_t object_count = QUERY_COUNT * POINT_OBJECT_COUNT;
    status[0] = world ? broadside_world_find_overlaps(world, &shapes, NULL, lists, &overlaps,
                                                      &out->overlap_count, NULL)
                      : broadside_world_view_find_overlaps(view, &shapes, NULL, lists, &overlaps,
                                                           &out->overlap_count, NULL);
    for (size_t i = 0; i < out->overlap_count; ++i) {
        out->overlaps[i].query = overlaps[i].query;
        out->overlaps[i].object = overlaps[i].object;
    }
    status[1] = world
                    ? broadside_world_find_hits(world, &casts, NULL, lists, &hits, &out->hit_count, NULL)
                    : broadside_world_view_find_hits(view, &casts, NULL, lists, &hits, &out->hit_count, NULL);
    for (size_t i = 0; i < out->hit_count; ++i) {
        out->hits[i].query = hits[i].query;
        out->hits[i].object = hits[i].object;
        out->hits[i].t = hits[i].t;
        out->hits[i].face = hits[i].face;
    }
    broadside_closest_object_hit closest[QUERY_COUNT];
    broadside_closest_object objects[QUERY_COUNT * POINT_OBJECT_COUNT];
    status[2] = world ? broadside_world_closest_hits(world, &casts, NULL, closest, QUERY_COUNT, NULL)
                      : broadside_world_view_closest_hits(view, &casts, NULL, closest, QUERY_COUNT, NULL);
    status[3] =
        world ? broadside_world_closest_objects(world, query_points, QUERY_COUNT, POINT_OBJECT_COUNT,
                                                INFINITY, NULL, objects, object_count, NULL)
              : broadside_world_view_closest_objects(view, query_points, QUERY_COUNT, POINT_OBJECT_COUNT,
                                                     INFINITY, NULL, objects, object_count, NULL);
    status[4] = world ? broadside_world_any_overlap(world, &shapes, NULL, out->overlap_bits, 2, NULL)
                      : broadside_world_view_any_overlap(view, &shapes, NULL, out->overlap_bits, 2, NULL);
    status[5] = world ? broadside_world_any_hit(world, &casts, NULL, out->hit_bits, 2, NULL)
                      : broadside_world_view_any_hit(view, &casts, NULL, out->hit_bits, 2, NULL);
    for (size_t i = 0; i < 6; ++i) CHECK(status[i] == BROADSIDE_OK);
    uint32_t first[MOTION_COUNT];
    CHECK((world ? broadside_world_first_overlaps(world, &shapes, SHAPES_PER_STATE, NULL, first, MOTION_COUNT,
                                                  NULL)
                 : broadside_world_view_first_overlaps(view, &shapes, SHAPES_PER_STATE, NULL, first,
                                                       MOTION_COUNT, NULL)) == BROADSIDE_OK);
    check_first_overlaps(out->overlap_bits, first);
    uint32_t visited = 0;
    for (size_t i = 0; i < QUERY_COUNT; ++i) {
        const broadside_shapes box = {&query_boxes[i], 1, BROADSIDE_SHAPE_BOX, 0};
        const broadside_casts ray = {&query_rays[i], 1, BROADSIDE_CAST_RAY, 0};
        float t = BROADSIDE_NO_INTERSECTION;
        status[0] = world ? broadside_world_visit_overlaps(world, &box, NULL, count_object, &visited)
                          : broadside_world_view_visit_overlaps(view, &box, NULL, count_object, &visited);
        status[1] = world ? broadside_world_visit_hits(world, &ray, NULL, keep_smallest, &t)
                          : broadside_world_view_visit_hits(view, &ray, NULL, keep_smallest, &t);
        CHECK(status[0] == BROADSIDE_OK && status[1] == BROADSIDE_OK && t == closest[i].t);
    }
    CHECK(visited == out->overlap_count);
    /* Compares without the padding between fields. */
    for (size_t i = 0; i < QUERY_COUNT; ++i) {
        out->closest[i].t = closest[i].t;
        out->closest[i].object = closest[i].object;
        out->closest[i].face = closest[i].face;
    }
    for (size_t i = 0; i < object_count; ++i) {
        out->objects[i].distance_sq = objects[i].distance_sq;
        out->objects[i].object = objects[i].object;
    }
}

void test_world_view(void) {
    fill_boxes(&set);
    for (size_t i = 0; i < QUERY_COUNT; ++i) {
        query_boxes[i] = random_box();
        query_points[i] = random_point();
        query_rays[i] = ray_at(&set.boxes[i]);
    }
    broadside_world* world = NULL;
    broadside_query_lists* lists = NULL;
    broadside_world_view* view = NULL;
    broadside_world_view* copy = NULL;
    broadside_world_view* later = NULL;
    static broadside_object objects[BOX_COUNT];
    static answer before, now, of_view;
    CHECK(broadside_world_create(NULL, NULL, &world) == BROADSIDE_OK);
    CHECK(broadside_query_lists_create(NULL, &lists) == BROADSIDE_OK);
    CHECK(broadside_world_add(world, &set.view, NULL, objects, NULL) == BROADSIDE_OK);
    CHECK(broadside_world_set_user_data(world, objects, 1, 77, NULL) == BROADSIDE_OK);
    ask(world, NULL, lists, &before);
    CHECK(before.overlap_count > 0 && before.hit_count > 0);
    CHECK(broadside_world_view_create(world, NULL, NULL, &view) == BROADSIDE_OK);
    CHECK(broadside_world_view_copy(view, NULL, &copy) == BROADSIDE_OK);

    /* The world changes: half of the objects are removed, the others move. */
    static box_set moved;
    fill_boxes(&moved);
    const broadside_boxes rest = some_boxes(&moved, BOX_COUNT / 2);
    CHECK(broadside_world_remove(world, objects + BOX_COUNT / 2, BOX_COUNT / 2, NULL) == BROADSIDE_OK);
    CHECK(broadside_world_set_boxes(world, objects, BOX_COUNT / 2, &rest, NULL) == BROADSIDE_OK);
    CHECK(broadside_world_update(world, NULL, NULL) == BROADSIDE_OK);
    ask(world, NULL, lists, &now);
    CHECK(memcmp(&now, &before, sizeof now) != 0);
    ask(NULL, view, lists, &of_view);
    CHECK(memcmp(&of_view, &before, sizeof before) == 0);
    broadside_world_view_destroy(view);
    ask(NULL, copy, lists, &of_view);
    CHECK(memcmp(&of_view, &before, sizeof before) == 0);
    CHECK(broadside_world_view_create(world, NULL, NULL, &later) == BROADSIDE_OK);

    broadside_world_destroy(world);
    ask(NULL, copy, lists, &of_view);
    CHECK(memcmp(&of_view, &before, sizeof before) == 0);
    ask(NULL, later, lists, &of_view);
    CHECK(memcmp(&of_view, &now, sizeof now) == 0);
    broadside_aabb box;
    uint64_t user_data = 0;
    CHECK(broadside_world_view_describe(copy, objects[0], &box, &user_data) == BROADSIDE_OK);
    CHECK(memcmp(&box, &set.boxes[0], sizeof box) == 0 && user_data == 77);
    CHECK(broadside_world_view_describe(copy, objects[BOX_COUNT - 1], NULL, NULL) == BROADSIDE_OK);
    CHECK(broadside_world_view_describe(later, objects[BOX_COUNT - 1], NULL, NULL) ==
          BROADSIDE_INVALID_ARGUMENT);
    broadside_world_view_destroy(copy);
    broadside_world_view_destroy(later);
    broadside_world_view_destroy(NULL);
    broadside_query_lists_destroy(lists);

    view = copy;
    CHECK(broadside_world_view_create(NULL, NULL, NULL, &view) == BROADSIDE_INVALID_ARGUMENT && view == NULL);
    CHECK(broadside_world_view_copy(NULL, NULL, &view) == BROADSIDE_INVALID_ARGUMENT);
    uint64_t bits[2];
    const broadside_shapes shapes = {query_boxes, QUERY_COUNT, BROADSIDE_SHAPE_BOX, 0};
    CHECK(broadside_world_view_any_overlap(NULL, &shapes, NULL, bits, 2, NULL) == BROADSIDE_INVALID_ARGUMENT);
}
