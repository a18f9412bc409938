/* Queries of a tree against brute force. */
#include "support.h"

static const broadside_plane* axis_planes(const broadside_aabb* box, broadside_plane* planes) {
    planes[0] = (broadside_plane){{1, 0, 0}, -box->min.x};
    planes[1] = (broadside_plane){{-1, 0, 0}, box->max.x};
    planes[2] = (broadside_plane){{0, 1, 0}, -box->min.y};
    planes[3] = (broadside_plane){{0, -1, 0}, box->max.y};
    planes[4] = (broadside_plane){{0, 0, 1}, -box->min.z};
    planes[5] = (broadside_plane){{0, 0, -1}, box->max.z};
    return planes;
}
static broadside_obb axis_obb(const broadside_aabb* box) {
    const broadside_vec3 half = {(box->max.x - box->min.x) / 2, (box->max.y - box->min.y) / 2,
                                 (box->max.z - box->min.z) / 2};
    return (broadside_obb){{box->min.x + half.x, box->min.y + half.y, box->min.z + half.z},
                           {1, 0, 0},
                           {0, 1, 0},
                           {0, 0, 1},
                           half};
}
static double axis_distance(float at, float min, float max) {
    return at < min ? (double)min - (double)at : at > max ? (double)at - (double)max : 0;
}
static double distance_sq(const broadside_vec3* point, const broadside_aabb* box) {
    const double x = axis_distance(point->x, box->min.x, box->max.x);
    const double y = axis_distance(point->y, box->min.y, box->max.y);
    const double z = axis_distance(point->z, box->min.z, box->max.z);
    return x * x + y * y + z * z;
}

static uint32_t accept_even(void* user, uint32_t query_index, uint32_t box_index) {
    (void)query_index;
    ++*(int*)user;
    return box_index % 2 == 0;
}
/* Three are enough. */
struct close_pairs {
    size_t count;
    float answer;
    float largest;
};
static float note_close_pair(void* user, const broadside_close_pair* pair) {
    struct close_pairs* seen = user;
    ++seen->count;
    if (pair->distance > seen->largest) seen->largest = pair->distance;
    return seen->answer;
}
static uint32_t count_pair(void* user, const broadside_pair* pair) {
    uint32_t* count = user;
    (void)pair;
    return ++*count < 3;
}
static uint32_t count_box(void* user, uint32_t box_index) {
    (void)box_index;
    return ++*(uint32_t*)user < 3;
}
static float count_hit(void* user, const broadside_closest_hit* hit) {
    ++*(uint32_t*)user;
    return hit->t;
}

typedef int (*question)(size_t query, const broadside_aabb* box);
static broadside_aabb query_boxes[QUERY_COUNT];
static broadside_vec3 query_points[QUERY_COUNT];
static broadside_sphere query_spheres[QUERY_COUNT];

static int by_box(size_t query, const broadside_aabb* box) { return overlaps(&query_boxes[query], box); }
static int by_point(size_t query, const broadside_aabb* box) {
    return is_valid(box) && distance_sq(&query_points[query], box) == 0;
}
static int by_sphere(size_t query, const broadside_aabb* box) {
    const double radius = (double)query_spheres[query].radius;
    return is_valid(box) && distance_sq(&query_spheres[query].center, box) <= radius * radius;
}

/* The list and the bits of one kind of shape. */
static void check_shapes(const broadside_tree* tree, const box_set* set, broadside_query_lists* lists,
                         broadside_shapes shapes, question asks) {
    static broadside_pair expected[QUERY_COUNT * BOX_COUNT];
    size_t expected_count = 0;
    uint64_t expected_bits[(QUERY_COUNT + 63) / 64] = {0};
    for (size_t query = 0; query < shapes.count; ++query) {
        for (size_t box = 0; box < BOX_COUNT; ++box) {
            if (!asks(query, &set->boxes[box])) continue;
            expected[expected_count++] = (broadside_pair){(uint32_t)query, (uint32_t)box};
            expected_bits[query / 64] |= (uint64_t)1 << query % 64;
        }
    }
    CHECK(expected_count > 0);
    const broadside_pair* pairs = NULL;
    size_t count = 0;
    SIZED(broadside_result, result);
    CHECK(broadside_tree_find_overlaps(tree, &shapes, NULL, lists, &pairs, &count, &result) == BROADSIDE_OK);
    CHECK(count == expected_count && memcmp(pairs, expected, count * sizeof *pairs) == 0);
    CHECK(result.written == count && result.required == count);
    uint64_t bits[(QUERY_COUNT + 63) / 64] = {0};
    CHECK(broadside_tree_any_overlap(tree, &shapes, NULL, bits, 2, NULL) == BROADSIDE_OK);
    CHECK(memcmp(bits, expected_bits, sizeof bits) == 0);
    uint32_t first[MOTION_COUNT];
    CHECK(broadside_tree_first_overlaps(tree, &shapes, SHAPES_PER_STATE, NULL, first, MOTION_COUNT,
                                        &result) == BROADSIDE_OK);
    CHECK(result.written == MOTION_COUNT);
    check_first_overlaps(bits, first);
    CHECK(broadside_tree_first_overlaps(tree, &shapes, 3, NULL, first, MOTION_COUNT, NULL) ==
          BROADSIDE_INVALID_ARGUMENT);
    CHECK(broadside_tree_first_overlaps(tree, NULL, SHAPES_PER_STATE, NULL, first, MOTION_COUNT, NULL) ==
          BROADSIDE_INVALID_ARGUMENT);
    CHECK(broadside_tree_first_overlaps(tree, &shapes, SHAPES_PER_STATE, NULL, NULL, MOTION_COUNT, NULL) ==
          BROADSIDE_INVALID_ARGUMENT);
}

void test_tree(void) {
    static box_set set;
    fill_boxes(&set);
    broadside_tree* tree = NULL;
    broadside_query_lists* lists = NULL;
    CHECK(broadside_tree_create(NULL, &tree) == BROADSIDE_OK);
    CHECK(broadside_query_lists_create(NULL, &lists) == BROADSIDE_OK);
    int call_count = 0;
    const broadside_task_runner runner = backward_runner(&call_count);
    CHECK(broadside_tree_build(tree, &set.view, &runner) == BROADSIDE_OK);
    size_t first_invalid = 0;
    const size_t invalid_count = broadside_tree_invalid_count(tree, &first_invalid);
    CHECK(invalid_count > 0 && first_invalid == broadside_find_invalid_box(&set.view, 0));
    CHECK(broadside_tree_box_count(tree) == BOX_COUNT && broadside_tree_member_count(tree) == BOX_COUNT);
    CHECK(broadside_tree_capacity_bytes(tree) > 0);

    /* Boxes removed and set again one by one; then the rest moves. */
    CHECK(broadside_tree_remove_box(tree, 5) == BROADSIDE_OK);
    CHECK(broadside_tree_remove_box(tree, 5) == BROADSIDE_INVALID_ARGUMENT);
    const broadside_aabb out = broadside_tree_box(tree, 5);
    CHECK(out.min.x > out.max.x);
    CHECK(broadside_tree_set_box(tree, 5, &set.boxes[5]) == BROADSIDE_OK);
    static box_set moved;
    fill_boxes(&moved);
    CHECK(broadside_tree_refit(tree, &moved.view, NULL) == BROADSIDE_OK);
    CHECK(broadside_tree_update(tree, &set.view, &runner) == BROADSIDE_OK);

    broadside_plane planes[QUERY_COUNT][6];
    broadside_volume volumes[QUERY_COUNT];
    broadside_obb obbs[QUERY_COUNT];
    for (size_t query = 0; query < QUERY_COUNT; ++query) {
        do query_boxes[query] = random_box();
        while (!is_valid(&query_boxes[query]));
        query_points[query] = random_point();
        query_spheres[query] = (broadside_sphere){random_point(), (float)random_below(8)};
        volumes[query] = (broadside_volume){axis_planes(&query_boxes[query], planes[query]), 6};
        obbs[query] = axis_obb(&query_boxes[query]);
    }
    check_shapes(tree, &set, lists, (broadside_shapes){query_boxes, QUERY_COUNT, BROADSIDE_SHAPE_BOX, 0},
                 by_box);
    check_shapes(tree, &set, lists, (broadside_shapes){query_points, QUERY_COUNT, BROADSIDE_SHAPE_POINT, 0},
                 by_point);
    check_shapes(tree, &set, lists, (broadside_shapes){query_spheres, QUERY_COUNT, BROADSIDE_SHAPE_SPHERE, 0},
                 by_sphere);
    /* Capsules of one point are spheres. */
    broadside_capsule capsules[QUERY_COUNT];
    for (size_t query = 0; query < QUERY_COUNT; ++query) {
        const broadside_sphere* sphere = &query_spheres[query];
        capsules[query] = (broadside_capsule){sphere->center, sphere->center, sphere->radius};
    }
    check_shapes(tree, &set, lists, (broadside_shapes){capsules, QUERY_COUNT, BROADSIDE_SHAPE_CAPSULE, 0},
                 by_sphere);
    /* Along the axes all three are boxes. */
    check_shapes(tree, &set, lists, (broadside_shapes){volumes, QUERY_COUNT, BROADSIDE_SHAPE_VOLUME, 0},
                 by_box);
    check_shapes(tree, &set, lists, (broadside_shapes){obbs, QUERY_COUNT, BROADSIDE_SHAPE_OBB, 0}, by_box);

    /* A filter and a callback. */
    uint64_t categories[BOX_COUNT];
    for (size_t box = 0; box < BOX_COUNT; ++box) categories[box] = (uint64_t)1 << box % 3;
    uint64_t masks[QUERY_COUNT];
    for (size_t query = 0; query < QUERY_COUNT; ++query) masks[query] = query % 8;
    int asked = 0;
    SIZED(broadside_query_settings, settings);
    settings.categories = categories;
    settings.masks = masks;
    settings.accepts = accept_even;
    settings.user = &asked;
    settings.runner = &runner;
    const broadside_shapes shapes = {query_boxes, QUERY_COUNT, BROADSIDE_SHAPE_BOX, 0};
    const broadside_pair* pairs = NULL;
    size_t count = 0;
    CHECK(broadside_tree_find_overlaps(tree, &shapes, &settings, lists, &pairs, &count, NULL) ==
          BROADSIDE_OK);
    size_t at = 0;
    for (size_t query = 0; query < QUERY_COUNT; ++query) {
        for (size_t box = 0; box < BOX_COUNT; box += 2) {
            if (!by_box(query, &set.boxes[box]) || (masks[query] & categories[box]) == 0) continue;
            CHECK(at < count && pairs[at].first == query && pairs[at].second == box);
            ++at;
        }
    }
    CHECK(at == count && count > 0 && asked > 0);

    /* Rays and casts against the single functions, box by box. */
    broadside_ray rays[QUERY_COUNT];
    broadside_box_cast casts[QUERY_COUNT];
    broadside_sphere_cast sphere_casts[QUERY_COUNT];
    for (size_t query = 0; query < QUERY_COUNT; ++query) {
        rays[query] = (broadside_ray){random_point(), random_point(), INFINITY};
        casts[query] = (broadside_box_cast){query_boxes[query], random_point(), 1};
        /* Spheres of zero radius move as points do, which are boxes of zero size. */
        sphere_casts[query] = (broadside_sphere_cast){{query_points[query], 0}, casts[query].displacement, 1};
    }
    for (int inside = BROADSIDE_INSIDE_ZERO; inside <= BROADSIDE_INSIDE_NEGATIVE_T; ++inside) {
        SIZED(broadside_query_settings, of_rays);
        SIZED(broadside_ray_settings, of_one);
        of_rays.inside = of_one.inside = (broadside_inside)inside;
        const broadside_casts all = {rays, QUERY_COUNT, BROADSIDE_CAST_RAY, 0};
        const broadside_hit* hits = NULL;
        uint64_t bits[2] = {0};
        static broadside_closest_hit closest[QUERY_COUNT], slow[QUERY_COUNT];
        CHECK(broadside_tree_find_hits(tree, &all, &of_rays, lists, &hits, &count, NULL) == BROADSIDE_OK);
        CHECK(broadside_tree_any_hit(tree, &all, &of_rays, bits, 2, NULL) == BROADSIDE_OK);
        CHECK(broadside_tree_closest_hits(tree, &all, &of_rays, closest, QUERY_COUNT, NULL) == BROADSIDE_OK);
        CHECK(broadside_ray_closest_hits(rays, QUERY_COUNT, &set.view, &of_one, slow, QUERY_COUNT, NULL) ==
              BROADSIDE_OK);
        at = 0;
        for (size_t query = 0; query < QUERY_COUNT; ++query) {
            const size_t first = at;
            float nearest = BROADSIDE_NO_INTERSECTION;
            uint32_t nearest_box = BROADSIDE_NO_BOX;
            for (uint32_t box = 0; box < BOX_COUNT; ++box) {
                const broadside_ray_box_hit hit = broadside_ray_box(&rays[query], &set.boxes[box], &of_one);
                if (!hit.has_hit) continue;
                CHECK(at < count && hits[at].query == query && hits[at].box == box &&
                      hits[at].t == hit.t_enter && hits[at].face == hit.face);
                ++at;
                if (hit.t_enter < nearest) {
                    nearest = hit.t_enter;
                    nearest_box = box;
                }
            }
            CHECK(bit_of(bits, query) == (at > first));
            CHECK(closest[query].box == nearest_box && closest[query].t == nearest);
            CHECK(slow[query].box == nearest_box && slow[query].t == nearest);
        }
        CHECK(at == count && count > 0);
    }
    for (int touch = BROADSIDE_TOUCH_CLOSED; touch <= BROADSIDE_TOUCH_OPEN; ++touch) {
        SIZED(broadside_query_settings, of_casts);
        of_casts.touch = (broadside_touch)touch;
        const broadside_casts all = {casts, QUERY_COUNT, BROADSIDE_CAST_BOX, 0};
        const broadside_hit* hits = NULL;
        CHECK(broadside_tree_find_hits(tree, &all, &of_casts, lists, &hits, &count, NULL) == BROADSIDE_OK);
        at = 0;
        for (size_t query = 0; query < QUERY_COUNT; ++query) {
            for (uint32_t box = 0; box < BOX_COUNT; ++box) {
                broadside_face face = BROADSIDE_FACE_NONE;
                const float toi =
                    broadside_time_of_impact(&set.boxes[box], &casts[query].box, &casts[query].displacement,
                                             (broadside_touch)touch, &face);
                if (toi == BROADSIDE_NO_INTERSECTION) continue;
                CHECK(at < count && hits[at].query == query && hits[at].box == box && hits[at].t == toi &&
                      hits[at].face == face);
                ++at;
            }
        }
        CHECK(at == count && count > 0);
    }
    const broadside_casts of_spheres = {sphere_casts, QUERY_COUNT, BROADSIDE_CAST_SPHERE, 0};
    uint64_t sphere_bits[2] = {0};
    CHECK(broadside_tree_any_hit(tree, &of_spheres, NULL, sphere_bits, 2, NULL) == BROADSIDE_OK);
    CHECK(sphere_bits[0] != 0);
    for (size_t query = 0; query < QUERY_COUNT; ++query) {
        if (by_point(query, &set.boxes[0])) CHECK(bit_of(sphere_bits, query));
    }

    static broadside_closest_hit of_sphere[QUERY_COUNT], of_capsule[QUERY_COUNT];
    broadside_capsule_cast capsule_casts[QUERY_COUNT];
    for (size_t query = 0; query < QUERY_COUNT; ++query) {
        sphere_casts[query].sphere = query_spheres[query];
        capsule_casts[query] = (broadside_capsule_cast){capsules[query], sphere_casts[query].displacement, 1};
    }
    const broadside_casts of_capsules = {capsule_casts, QUERY_COUNT, BROADSIDE_CAST_CAPSULE, 0};
    CHECK(broadside_tree_closest_hits(tree, &of_spheres, NULL, of_sphere, QUERY_COUNT, NULL) == BROADSIDE_OK);
    CHECK(broadside_tree_closest_hits(tree, &of_capsules, NULL, of_capsule, QUERY_COUNT, NULL) ==
          BROADSIDE_OK);
    size_t met_count = 0;
    for (size_t query = 0; query < QUERY_COUNT; ++query) {
        CHECK(of_sphere[query].t == of_capsule[query].t && of_sphere[query].box == of_capsule[query].box);
        met_count += of_sphere[query].t > 0 && of_sphere[query].box != BROADSIDE_NO_BOX;
    }
    CHECK(met_count > 0);

    /* The nearest three. */
    static broadside_closest_box near[QUERY_COUNT * 3];
    CHECK(broadside_tree_closest_boxes(tree, query_points, QUERY_COUNT, 3, INFINITY, NULL, near,
                                       QUERY_COUNT * 3, NULL) == BROADSIDE_OK);
    for (size_t query = 0; query < QUERY_COUNT; ++query) {
        char is_taken[BOX_COUNT] = {0};
        for (size_t place = 0; place < 3; ++place) {
            double best = INFINITY;
            uint32_t best_box = BROADSIDE_NO_BOX;
            for (uint32_t box = 0; box < BOX_COUNT; ++box) {
                if (!is_valid(&set.boxes[box]) || is_taken[box]) continue;
                const double distance = distance_sq(&query_points[query], &set.boxes[box]);
                if (distance < best) {
                    best = distance;
                    best_box = box;
                }
            }
            is_taken[best_box] = 1;
            CHECK(near[query * 3 + place].box == best_box &&
                  near[query * 3 + place].distance_sq == (float)best);
        }
    }

    /* Of points and boxes alike. */
    static broadside_closest_box near_again[QUERY_COUNT * 3];
    const broadside_shapes as_points = {query_points, QUERY_COUNT, BROADSIDE_SHAPE_POINT, 0};
    CHECK(broadside_tree_closest_boxes_to(tree, &as_points, 3, INFINITY, NULL, near_again, QUERY_COUNT * 3,
                                          NULL) == BROADSIDE_OK);
    CHECK(memcmp(near, near_again, sizeof near) == 0);
    static broadside_aabb flat_boxes[QUERY_COUNT];
    for (size_t query = 0; query < QUERY_COUNT; ++query) {
        flat_boxes[query].min = query_points[query];
        flat_boxes[query].max = query_points[query];
    }
    const broadside_shapes as_boxes = {flat_boxes, QUERY_COUNT, BROADSIDE_SHAPE_BOX, 0};
    CHECK(broadside_tree_closest_boxes_to(tree, &as_boxes, 3, INFINITY, NULL, near_again, QUERY_COUNT * 3,
                                          NULL) == BROADSIDE_OK);
    CHECK(memcmp(near, near_again, sizeof near) == 0);

    /* Visitors. */
    uint32_t visited = 0;
    const broadside_aabb everywhere = {{-100, -100, -100}, {100, 100, 100}};
    const broadside_shapes one_shape = {&everywhere, 1, BROADSIDE_SHAPE_BOX, 0};
    CHECK(broadside_tree_visit_overlaps(tree, &one_shape, NULL, count_box, &visited) == BROADSIDE_OK &&
          visited == 3);
    visited = 0;
    size_t target = 0;
    while (!is_valid(&set.boxes[target])) ++target;
    const broadside_ray line = ray_at(&set.boxes[target]);
    const broadside_casts one_cast = {&line, 1, BROADSIDE_CAST_RAY, 0};
    CHECK(broadside_tree_visit_hits(tree, &one_cast, NULL, count_hit, &visited) == BROADSIDE_OK &&
          visited > 0);

    struct close_pairs nearby = {0, INFINITY, -1};
    CHECK(broadside_tree_visit_close_boxes(tree, &one_shape, 0, NULL, note_close_pair, &nearby) ==
          BROADSIDE_OK);
    CHECK(broadside_tree_find_overlaps(tree, &one_shape, NULL, lists, &pairs, &count, NULL) == BROADSIDE_OK);
    CHECK(nearby.count == count && count > 3 && nearby.largest == 0);
    nearby = (struct close_pairs){0, -1, -1};
    CHECK(broadside_tree_visit_close_boxes(tree, &one_shape, INFINITY, NULL, note_close_pair, &nearby) ==
          BROADSIDE_OK);
    CHECK(nearby.count == 1);

    /* All pairs, as by find_pairs; between two trees; of a subset. */
    broadside_finder* finder = NULL;
    CHECK(broadside_finder_create(NULL, &finder) == BROADSIDE_OK);
    const broadside_pair* plain = NULL;
    size_t plain_count = 0;
    CHECK(broadside_tree_find_pairs(tree, NULL, NULL, lists, &pairs, &count, NULL) == BROADSIDE_OK);
    CHECK(broadside_find_pairs(finder, &set.view, NULL, NULL, &plain, &plain_count, NULL) == BROADSIDE_OK);
    CHECK(count == plain_count && memcmp(pairs, plain, count * sizeof *pairs) == 0);
    uint32_t pairs_seen = 0;
    CHECK(broadside_tree_visit_pairs(tree, NULL, NULL, count_pair, &pairs_seen) == BROADSIDE_OK &&
          count > 2 && pairs_seen == 3);
    broadside_tree* other = NULL;
    CHECK(broadside_tree_create(NULL, &other) == BROADSIDE_OK);
    CHECK(broadside_tree_build(other, &moved.view, NULL) == BROADSIDE_OK);
    CHECK(broadside_tree_find_pairs(tree, other, NULL, lists, &pairs, &count, NULL) == BROADSIDE_OK);
    CHECK(broadside_find_pairs(finder, &set.view, &moved.view, NULL, &plain, &plain_count, NULL) ==
          BROADSIDE_OK);
    CHECK(count == plain_count && memcmp(pairs, plain, count * sizeof *pairs) == 0);
    pairs_seen = 0;
    CHECK(broadside_tree_visit_pairs(tree, other, NULL, count_pair, &pairs_seen) == BROADSIDE_OK &&
          count > 2 && pairs_seen == 3);

    /* Pairs by distance: the first overlapping ones, and all within reach, which the visitor may shorten. */
    broadside_close_pair closest = {1, {0, 0}};
    CHECK(broadside_tree_closest_pair(tree, other, INFINITY, NULL, &closest) == BROADSIDE_OK);
    CHECK(count > 0 && closest.distance == 0 && memcmp(&closest.pair, &pairs[0], sizeof *pairs) == 0);
    CHECK(broadside_tree_closest_pair(tree, NULL, INFINITY, NULL, &closest) == BROADSIDE_OK);
    CHECK(closest.distance == 0 && closest.pair.first < closest.pair.second);
    CHECK(broadside_tree_closest_pair(tree, other, -1, NULL, &closest) == BROADSIDE_OK);
    CHECK(closest.distance == INFINITY && closest.pair.first == BROADSIDE_NO_BOX);
    const uint32_t id = 1;
    SIZED(broadside_find_pairs_settings, no_id);
    no_id.filter.ids = &id;
    CHECK(broadside_tree_closest_pair(tree, NULL, INFINITY, &no_id, &closest) == BROADSIDE_INVALID_ARGUMENT);
    struct close_pairs seen = {0, INFINITY, -1};
    CHECK(broadside_tree_visit_close_pairs(tree, other, 0, NULL, note_close_pair, &seen) == BROADSIDE_OK);
    CHECK(seen.count == count && seen.largest == 0);
    seen = (struct close_pairs){0, -1, -1};
    CHECK(broadside_tree_visit_close_pairs(tree, NULL, INFINITY, NULL, note_close_pair, &seen) ==
          BROADSIDE_OK);
    CHECK(seen.count == 1);

    /* A refused query leaves no list behind. */
    SIZED(broadside_query_settings, no_runner);
    no_runner.runner = &(broadside_task_runner){.size = sizeof(broadside_task_runner)};
    CHECK(broadside_tree_find_pairs(tree, NULL, &no_id, lists, &pairs, &count, NULL) ==
              BROADSIDE_INVALID_ARGUMENT &&
          count == 0);
    CHECK(broadside_tree_find_overlaps(tree, &one_shape, NULL, lists, &pairs, &count, NULL) == BROADSIDE_OK &&
          count > 0);
    CHECK(broadside_tree_find_overlaps(tree, &one_shape, &no_runner, lists, &pairs, &count, NULL) ==
              BROADSIDE_INVALID_ARGUMENT &&
          count == 0);

    uint64_t subset[(BOX_COUNT + 63) / 64] = {0};
    subset[0] = 0xFF;
    CHECK(broadside_tree_build_subset(other, &set.view, subset, NULL) == BROADSIDE_OK);
    CHECK(broadside_tree_member_count(other) == 8);
    broadside_tree_clear(other);
    CHECK(broadside_tree_box_count(other) == 0);
    broadside_finder_destroy(finder);
    broadside_tree_destroy(other);
    broadside_tree_destroy(tree);
    broadside_query_lists_destroy(lists);
}
