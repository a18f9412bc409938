/* Random operations of a world against brute force over its objects. */
#include "support.h"

enum { FRAME_COUNT = 12 };

typedef struct body {
    broadside_object object;
    broadside_aabb box;
    int is_fixed;
} body;
static body bodies[BOX_COUNT];
static size_t body_count;

static uint32_t slot_of(broadside_object object) { return (uint32_t)object; }

static int may_meet(const body* a, const body* b) {
    return !(a->is_fixed && b->is_fixed) && overlaps(&a->box, &b->box);
}
static const body* body_of(broadside_object object) {
    for (size_t i = 0; i < body_count; ++i) {
        if (bodies[i].object == object) return &bodies[i];
    }
    return NULL;
}
static uint32_t accept_moving(void* user, uint32_t query_index, broadside_object object) {
    (void)query_index;
    (void)user;
    return !body_of(object)->is_fixed;
}

static void check_pairs(broadside_world* world, const broadside_update_result* update) {
    size_t expected = 0;
    for (size_t i = 0; i < body_count; ++i) {
        size_t of_one = 0;
        for (size_t j = 0; j < body_count; ++j) of_one += i != j && may_meet(&bodies[i], &bodies[j]);
        expected += of_one;
        size_t count = 0;
        broadside_world_pairs_of(world, bodies[i].object, &count);
        CHECK(count == of_one);
    }
    expected /= 2;
    size_t count = 0;
    const broadside_world_pair* pairs = broadside_world_pairs(world, &count);
    CHECK(count == expected && update->pair_count == expected &&
          broadside_world_pair_count(world) == expected);
    for (size_t i = 0; i < count; ++i) {
        const body *a = body_of(pairs[i].a), *b = body_of(pairs[i].b);
        CHECK(a != NULL && b != NULL && may_meet(a, b));
        CHECK(slot_of(pairs[i].a) < slot_of(pairs[i].b));
        CHECK(broadside_world_boxes_overlap(world, pairs[i].a, pairs[i].b) == 1);
        if (i > 0)
            CHECK(slot_of(pairs[i - 1].a) < slot_of(pairs[i].a) ||
                  (pairs[i - 1].a == pairs[i].a && slot_of(pairs[i - 1].b) < slot_of(pairs[i].b)));
    }
    size_t begun = 0, ended = 0, persisting = 0;
    broadside_world_begun(world, &begun);
    broadside_world_ended(world, &ended);
    broadside_world_persisting(world, &persisting);
    CHECK(begun == update->begun_count && ended == update->ended_count && begun + persisting == count);
}

static uint32_t is_layer(void* user, uint32_t layer) { return layer == *(const uint32_t*)user; }
static uint32_t accept_none(void* user, uint32_t query_index, broadside_object object) {
    CHECK(*(const uint32_t*)user == 3 && query_index == 0 && object != 0);
    return 0;
}
static uint32_t count_object(void* user, broadside_object object) {
    CHECK(object != 0);
    ++*(uint32_t*)user;
    return 1;
}
/* Bits behind the last object are ignored. */
static float keep_closest(void* user, const broadside_closest_object_hit* hit) {
    broadside_closest_object_hit* const closest = user;
    CHECK(hit->t <= closest->t);
    *closest = *hit;
    return hit->t;
}

static void check_questions(broadside_world* world, broadside_query_lists* lists) {
    enum { COUNT = 9 };
    broadside_aabb boxes[COUNT];
    broadside_ray rays[COUNT];
    broadside_vec3 points[COUNT];
    for (size_t i = 0; i < COUNT; ++i) {
        do boxes[i] = random_box();
        while (!is_valid(&boxes[i]));
        rays[i] = (broadside_ray){random_point(), random_point(), INFINITY};
        points[i] = random_point();
    }
    const broadside_shapes shapes = {boxes, COUNT, BROADSIDE_SHAPE_BOX, 0};
    const broadside_casts casts = {rays, COUNT, BROADSIDE_CAST_RAY, 0};
    const broadside_world_overlap* overlap_list = NULL;
    const broadside_world_hit* hits = NULL;
    size_t overlap_count = 0, hit_count = 0;
    SIZED(broadside_world_query_settings, moving_alone);
    moving_alone.kinds = 1u << BROADSIDE_OBJECT_MOVING;
    SIZED(broadside_world_query_settings, accepted);
    accepted.accepts = accept_moving;
    for (int kind = 0; kind < 3; ++kind) {
        const broadside_world_query_settings* settings = kind == 0   ? NULL
                                                         : kind == 1 ? &moving_alone
                                                                     : &accepted;
        uint64_t box_bits = 0, ray_bits = 0;
        broadside_closest_object_hit closest[COUNT];
        broadside_closest_object near[COUNT];
        CHECK(broadside_world_find_overlaps(world, &shapes, settings, lists, &overlap_list, &overlap_count,
                                            NULL) == BROADSIDE_OK);
        CHECK(broadside_world_any_overlap(world, &shapes, settings, &box_bits, 1, NULL) == BROADSIDE_OK);
        size_t at = 0;
        for (uint32_t query = 0; query < COUNT; ++query) {
            size_t expected = 0, found = 0;
            for (size_t i = 0; i < body_count; ++i)
                expected += overlaps(&boxes[query], &bodies[i].box) && !(kind != 0 && bodies[i].is_fixed);
            for (; at < overlap_count && overlap_list[at].query == query; ++at) {
                CHECK(overlaps(&boxes[query], &body_of(overlap_list[at].object)->box));
                ++found;
            }
            CHECK(found == expected && bit_of(&box_bits, query) == (expected > 0));
            const broadside_shapes one_box = {&boxes[query], 1, BROADSIDE_SHAPE_BOX, 0};
            uint32_t visited = 0;
            CHECK(broadside_world_visit_overlaps(world, &one_box, settings, count_object, &visited) ==
                      BROADSIDE_OK &&
                  visited == expected);
        }
        CHECK(at == overlap_count);
        CHECK(broadside_world_find_hits(world, &casts, settings, lists, &hits, &hit_count, NULL) ==
              BROADSIDE_OK);
        CHECK(broadside_world_any_hit(world, &casts, settings, &ray_bits, 1, NULL) == BROADSIDE_OK);
        CHECK(broadside_world_closest_hits(world, &casts, settings, closest, COUNT, NULL) == BROADSIDE_OK);
        CHECK(broadside_world_closest_objects(world, points, COUNT, 1, INFINITY, settings, near, COUNT,
                                              NULL) == BROADSIDE_OK);
        at = 0;
        for (uint32_t query = 0; query < COUNT; ++query) {
            float nearest = BROADSIDE_NO_INTERSECTION;
            size_t expected = 0, found = 0;
            for (size_t i = 0; i < body_count; ++i) {
                if (kind != 0 && bodies[i].is_fixed) continue;
                const broadside_ray_box_hit hit = broadside_ray_box(&rays[query], &bodies[i].box, NULL);
                expected += hit.has_hit;
                if (hit.has_hit && hit.t_enter < nearest) nearest = hit.t_enter;
            }
            for (; at < hit_count && hits[at].query == query; ++at) {
                const broadside_ray_box_hit hit =
                    broadside_ray_box(&rays[query], &body_of(hits[at].object)->box, NULL);
                CHECK(hit.has_hit && hit.t_enter == hits[at].t && hit.face == hits[at].face);
                ++found;
            }
            CHECK(found == expected && closest[query].t == nearest);
            const broadside_casts one_ray = {&rays[query], 1, BROADSIDE_CAST_RAY, 0};
            broadside_closest_object_hit first = {.t = BROADSIDE_NO_INTERSECTION};
            CHECK(broadside_world_visit_hits(world, &one_ray, settings, keep_closest, &first) ==
                      BROADSIDE_OK &&
                  first.t == nearest && (first.object == 0) == (expected == 0));
            CHECK((closest[query].object == 0) == (expected == 0) &&
                  bit_of(&ray_bits, query) == (expected > 0));
            CHECK(near[query].object != 0 && near[query].distance_sq >= 0);
        }
        CHECK(at == hit_count);
    }
}

void test_world(void) {
    broadside_world* world = NULL;
    broadside_query_lists* lists = NULL;
    CHECK(broadside_world_create(NULL, NULL, &world) == BROADSIDE_OK);
    CHECK(broadside_query_lists_create(NULL, &lists) == BROADSIDE_OK);
    int call_count = 0;
    const broadside_task_runner runner = backward_runner(&call_count);

    static box_set set;
    fill_boxes(&set);
    static broadside_object objects[BOX_COUNT];
    body_count = BOX_COUNT / 2;
    SIZED(broadside_object_settings, common);
    common.user_data = 77;
    const broadside_boxes half = some_boxes(&set, body_count);
    CHECK(broadside_world_add(world, &half, &common, objects, NULL) == BROADSIDE_OK);
    for (size_t i = 0; i < body_count; ++i) bodies[i] = (body){objects[i], set.boxes[i], 0};

    /* Quarantine lists the invalid ones. */
    static broadside_object quarantined[BOX_COUNT];
    const size_t invalid_count = broadside_world_quarantined_objects(world, quarantined, BOX_COUNT);
    size_t expected_invalid = 0;
    for (size_t i = 0; i < body_count; ++i) {
        if (is_valid(&bodies[i].box)) continue;
        CHECK(quarantined[expected_invalid++] == bodies[i].object);
    }
    CHECK(invalid_count == expected_invalid && invalid_count > 0);

    for (int frame = 0; frame < FRAME_COUNT; ++frame) {
        /* Some move, in one batch; some are added or removed or change their kind. */
        static broadside_object movers[BOX_COUNT];
        static box_set boxes;
        fill_boxes(&boxes);
        const size_t mover_count = body_count / 4;
        for (size_t i = 0; i < mover_count; ++i) {
            body* moved = &bodies[(i * 3 + (size_t)frame) % body_count];
            moved->box = boxes.boxes[i];
            movers[i] = moved->object;
        }
        const broadside_boxes moved = some_boxes(&boxes, mover_count);
        SIZED(broadside_result, result);
        CHECK(broadside_world_set_boxes(world, movers, mover_count, &moved, &result) == BROADSIDE_OK);
        for (int i = 0; i < 5; ++i) {
            const size_t gone = random_below((uint32_t)body_count);
            const broadside_object object = bodies[gone].object;
            CHECK(broadside_world_remove(world, &object, 1, NULL) == BROADSIDE_OK);
            CHECK(broadside_world_is_alive(world, object) == 0);
            CHECK(broadside_world_set_box(world, object, &bodies[0].box) == BROADSIDE_INVALID_ARGUMENT);
            bodies[gone] = bodies[--body_count];
            SIZED(broadside_object_settings, fixed);
            fixed.kind = BROADSIDE_OBJECT_FIXED;
            body added = {0, random_box(), 1};
            CHECK(broadside_world_add_one(world, &added.box, &fixed, &added.object) == BROADSIDE_OK);
            CHECK(broadside_world_add_one(world, &added.box, NULL, &objects[0]) == BROADSIDE_OK);
            bodies[body_count++] = added;
            bodies[body_count++] = (body){objects[0], added.box, 0};
            body* changed = &bodies[random_below((uint32_t)body_count)];
            changed->is_fixed = !changed->is_fixed;
            CHECK(
                broadside_world_set_kind(world, &changed->object, 1,
                                         changed->is_fixed ? BROADSIDE_OBJECT_FIXED : BROADSIDE_OBJECT_MOVING,
                                         NULL) == BROADSIDE_OK);
        }
        SIZED(broadside_update_result, update);
        CHECK(broadside_world_update(world, &runner, &update) == BROADSIDE_OK);
        CHECK(update.status == BROADSIDE_OK && update.changed_count > 0);
        CHECK(broadside_world_object_count(world) == body_count && broadside_world_is_consistent(world) == 1);
        CHECK(broadside_world_slot_count(world) >= body_count && broadside_world_capacity_bytes(world) > 0);
        check_pairs(world, &update);
        check_questions(world, lists);
    }

    /* A pair's value lives as long as the pair. */
    size_t count = 0;
    const broadside_world_pair pair = *broadside_world_pairs(world, &count);
    uint64_t* value = broadside_world_pair_value(world, pair.a, pair.b);
    CHECK(value != NULL && *value == 0);
    *value = 42;
    SIZED(broadside_update_result, update);
    CHECK(broadside_world_update(world, NULL, &update) == BROADSIDE_OK && update.changed_count == 0);
    CHECK(*broadside_world_pair_value(world, pair.a, pair.b) == 42);

    /* Saved as bytes and restored into another world, bit for bit; damaged bytes change nothing. */
    const size_t bytes = broadside_world_snapshot_bytes(world);
    char* snapshot = malloc(bytes);
    CHECK(broadside_world_save(world, snapshot, bytes - 1) == BROADSIDE_CAPACITY_EXCEEDED);
    CHECK(broadside_world_save(world, snapshot, bytes) == BROADSIDE_OK);
    broadside_world* copy = NULL;
    CHECK(broadside_world_create(NULL, NULL, &copy) == BROADSIDE_OK);
    snapshot[bytes / 2] ^= 1;
    CHECK(broadside_world_restore(copy, snapshot, bytes) == BROADSIDE_INVALID_ARGUMENT);
    CHECK(broadside_world_object_count(copy) == 0);
    snapshot[bytes / 2] ^= 1;
    CHECK(broadside_world_restore(copy, snapshot, bytes) == BROADSIDE_OK);
    CHECK(broadside_world_pairs_hash(copy) == broadside_world_pairs_hash(world));
    CHECK(*broadside_world_pair_value(copy, pair.a, pair.b) == 42);
    free(snapshot);
    broadside_world_destroy(copy);

    CHECK(broadside_world_set_user_data(world, &pair.a, 1, 7, NULL) == BROADSIDE_OK);
    CHECK(broadside_world_set_user_data(world, &pair.b, 1, 8, NULL) == BROADSIDE_OK);
    CHECK(broadside_world_remove(world, &pair.a, 1, NULL) == BROADSIDE_OK);
    CHECK(broadside_world_update(world, NULL, &update) == BROADSIDE_OK);
    const broadside_ended_pair* ended = broadside_world_ended(world, &count);
    size_t named_count = 0;
    const broadside_pair_user_data* user_data = broadside_world_ended_user_data(world, &named_count);
    CHECK(named_count == count);
    int has_ended = 0;
    for (size_t i = 0; i < count; ++i) {
        if (ended[i].a != pair.a || ended[i].b != pair.b) continue;
        has_ended = ended[i].value == 42 && user_data[i].a == 7 && user_data[i].b == 8;
    }
    CHECK(has_ended);
    const broadside_aabb bounds = broadside_world_bounds(world);
    for (size_t i = 0; i < body_count; ++i) {
        if (bodies[i].object == pair.a || !is_valid(&bodies[i].box)) continue;
        CHECK(bounds.min.x <= bodies[i].box.min.x && bodies[i].box.max.z <= bounds.max.z);
    }
    const uint64_t hash = broadside_world_pairs_hash(world);
    const size_t capacity = broadside_world_capacity_bytes(world);
    broadside_world_shrink(world);
    CHECK(broadside_world_capacity_bytes(world) < capacity && broadside_world_pairs_hash(world) == hash);
    broadside_world_destroy(world);

    /* Two objects and every rule in turn. */
    CHECK(broadside_world_create(NULL, NULL, &world) == BROADSIDE_OK);
    broadside_object two[2];
    const broadside_aabb left = {{0, 0, 0}, {1, 1, 1}}, right = {{3, 0, 0}, {4, 1, 1}};
    SIZED(broadside_object_settings, described);
    described.layer = 3;
    described.user_data = 5;
    described.margin = 0.25f;
    CHECK(broadside_world_add_one(world, &left, &described, &two[0]) == BROADSIDE_OK);
    CHECK(broadside_world_add_one(world, &right, NULL, &two[1]) == BROADSIDE_OK);
    SIZED(broadside_object_settings, told);
    broadside_aabb box;
    CHECK(broadside_world_describe(world, two[0], &box, &told) == BROADSIDE_OK);
    CHECK(box.max.x == 1 && told.layer == 3 && told.user_data == 5 && told.margin == 0.25f);
    CHECK(told.category == ~(uint64_t)0 && told.mask == ~(uint64_t)0 && told.size == sizeof told);
    const float step[1] = {2}, none[1] = {0};
    const broadside_vec3s way = {step, none, none, 1}, rest = {none, none, none, 1};
#define EXPECT_PAIRS(count)                                                  \
    do {                                                                     \
        CHECK(broadside_world_update(world, NULL, &update) == BROADSIDE_OK); \
        CHECK(update.pair_count == (count));                                 \
    } while (0)
    EXPECT_PAIRS(0);
    CHECK(broadside_world_set_displacements(world, two, 1, &way, NULL) == BROADSIDE_OK);
    EXPECT_PAIRS(1);
    CHECK(broadside_world_boxes_overlap(world, two[0], two[1]) == 0);
    CHECK(broadside_world_set_displacements(world, two, 1, &rest, NULL) == BROADSIDE_OK);
    EXPECT_PAIRS(0);
    /* Alone, both functions, and both refusing something. */
    const broadside_aabb everything = {{-9, -9, -9}, {9, 9, 9}};
    const broadside_shapes all = {&everything, 1, BROADSIDE_SHAPE_BOX, 0};
    SIZED(broadside_world_query_settings, by_layer);
    uint32_t wanted_layer = 3;
    by_layer.user = &wanted_layer;
    by_layer.accepts_layer = is_layer;
    uint64_t bits = 0;
    for (int round = 0; round < 3; ++round) {
        wanted_layer = round == 1 ? 0 : 3;
        by_layer.accepts = round == 2 ? accept_none : NULL;
        uint32_t visited = 0;
        CHECK(broadside_world_visit_overlaps(world, &all, &by_layer, count_object, &visited) == BROADSIDE_OK);
        CHECK(visited == (round == 2 ? 0u : 1u));
        CHECK(broadside_world_any_overlap(world, &all, &by_layer, &bits, 1, NULL) == BROADSIDE_OK);
        CHECK(bits == visited);
    }
    wanted_layer = 17;
    CHECK(broadside_world_any_overlap(world, &all, &by_layer, &bits, 1, NULL) == BROADSIDE_OK && bits == 0);
    CHECK(broadside_world_set_margin(world, two, 2, 1.0f, NULL) == BROADSIDE_OK);
    EXPECT_PAIRS(1);
    CHECK(broadside_world_set_layers_pair(world, 0, 3, 0) == BROADSIDE_OK);
    EXPECT_PAIRS(0);
    CHECK(broadside_world_set_layers_pair(world, 3, 0, 1) == BROADSIDE_OK);
    EXPECT_PAIRS(1);
    SIZED(broadside_object_settings, filter);
    filter.category = 1;
    filter.mask = 2;
    CHECK(broadside_world_set_filter(world, two, 2, &filter, NULL) == BROADSIDE_OK);
    EXPECT_PAIRS(0);
    filter.group = 1;
    CHECK(broadside_world_set_filter(world, two, 2, &filter, NULL) == BROADSIDE_OK);
    EXPECT_PAIRS(1);
    CHECK(broadside_world_set_user_data(world, two, 2, 9, NULL) == BROADSIDE_OK);
    const broadside_vec3 offset = {1, 2, 3};
    CHECK(broadside_world_shift_origin(world, &offset) == BROADSIDE_OK);
    CHECK(broadside_world_describe(world, two[0], &box, &told) == BROADSIDE_OK);
    CHECK(box.min.x == -1 && box.max.z == -2 && told.user_data == 9 && told.mask == 2 && told.group == 1);
    EXPECT_PAIRS(1);
    broadside_world_destroy(world);

    /* Caps. */
    SIZED(broadside_world_settings, capped);
    capped.max_object_count = 1;
    CHECK(broadside_world_create(&capped, NULL, &world) == BROADSIDE_OK);
    CHECK(broadside_world_add_one(world, &left, NULL, &two[0]) == BROADSIDE_OK);
    CHECK(broadside_world_add_one(world, &left, NULL, &two[1]) == BROADSIDE_CAPACITY_EXCEEDED && two[1] == 0);
    broadside_world_destroy(world);
    broadside_query_lists_destroy(lists);
}
