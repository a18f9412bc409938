/* A scene against a loop over its meshes, in integers, so that placing rounds nothing. Pairs of triangles of
   two placed meshes against all pairs of boxes of triangles, and two that fly at each other. */
#include "support.h"

enum { INSTANCE_COUNT = 12, TRIANGLE_COUNT = 30, HIT_COUNT = INSTANCE_COUNT * TRIANGLE_COUNT * QUERY_COUNT };

static broadside_transform moved(broadside_vec3 by) {
    return (broadside_transform){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, by};
}
static broadside_vec3 minus(broadside_vec3 a, broadside_vec3 b) {
    return (broadside_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static broadside_mesh* random_mesh(void) {
    broadside_vec3 vertices[3 * TRIANGLE_COUNT];
    uint32_t indices[3 * TRIANGLE_COUNT];
    for (uint32_t i = 0; i < 3 * TRIANGLE_COUNT; ++i) {
        vertices[i] = random_point();
        indices[i] = i;
    }
    broadside_mesh* mesh = NULL;
    CHECK(broadside_mesh_create(NULL, &mesh) == BROADSIDE_OK);
    CHECK(broadside_mesh_build(mesh, vertices, 3 * TRIANGLE_COUNT, indices, 3 * TRIANGLE_COUNT, NULL,
                               BROADSIDE_MESH_BUILD_STANDARD, NULL, NULL) == BROADSIDE_OK);
    return mesh;
}

/* Spheres that move: the instances one by one, each where it is. */
static void check_casts(const broadside_scene* scene, const broadside_placed_mesh* placed,
                        const broadside_sphere* spheres, broadside_query_lists* lists) {
    static broadside_sphere_cast casts[QUERY_COUNT];
    static broadside_scene_impact impacts[QUERY_COUNT];
    static broadside_scene_cast_impact listed[HIT_COUNT];
    static broadside_mesh_cast_impact of_mesh[TRIANGLE_COUNT];
    for (size_t i = 0; i < QUERY_COUNT; ++i)
        casts[i] = (broadside_sphere_cast){spheres[i], random_point(), 1};
    const broadside_casts all = {casts, QUERY_COUNT, BROADSIDE_CAST_SPHERE, 0};
    SIZED(broadside_result, result);
    CHECK(broadside_scene_closest_impacts(scene, &all, NULL, impacts, QUERY_COUNT, NULL) == BROADSIDE_OK);
    CHECK(broadside_scene_find_impacts(scene, &all, NULL, lists, listed, HIT_COUNT, &result) == BROADSIDE_OK);
    const size_t impact_count = result.written;
    size_t at = 0;
    for (uint32_t query = 0; query < QUERY_COUNT; ++query) {
        broadside_scene_impact first = {.toi = BROADSIDE_NO_INTERSECTION, .instance = BROADSIDE_NO_BOX};
        if (at < impact_count && listed[at].cast == query) first = listed[at].impact;
        CHECK(impacts[query].toi == first.toi && impacts[query].instance == first.instance);
        size_t expected = 0;
        for (uint32_t i = 0; i < INSTANCE_COUNT; ++i) {
            broadside_sphere_cast seen = casts[query];
            seen.sphere.center = minus(seen.sphere.center, placed[i].world_from_mesh.translation);
            const broadside_casts one = {&seen, 1, BROADSIDE_CAST_SPHERE, 0};
            CHECK(broadside_mesh_find_impacts(placed[i].mesh, &one, NULL, lists, of_mesh, TRIANGLE_COUNT,
                                              &result) == BROADSIDE_OK);
            expected += result.written;
        }
        for (; expected > 0; --expected, ++at) CHECK(at < impact_count && listed[at].cast == query);
    }
    CHECK(at == impact_count && at > 0);
    const broadside_casts boxes = {casts, QUERY_COUNT, BROADSIDE_CAST_BOX, 0};
    CHECK(broadside_scene_closest_impacts(scene, &boxes, NULL, impacts, QUERY_COUNT, NULL) ==
          BROADSIDE_INVALID_ARGUMENT);
    CHECK(broadside_scene_find_impacts(scene, &all, NULL, NULL, listed, HIT_COUNT, NULL) ==
          BROADSIDE_INVALID_ARGUMENT);
    CHECK(broadside_scene_find_impacts(scene, NULL, NULL, lists, listed, HIT_COUNT, NULL) ==
          BROADSIDE_INVALID_ARGUMENT);
}

static void check_questions(const broadside_scene* scene, const broadside_placed_mesh* placed,
                            broadside_query_lists* lists) {
    broadside_ray rays[QUERY_COUNT];
    broadside_vec3 points[QUERY_COUNT];
    broadside_sphere spheres[QUERY_COUNT];
    for (size_t query = 0; query < QUERY_COUNT; ++query) {
        const broadside_vec3 from = random_point();
        rays[query] = (broadside_ray){from, minus(random_point(), from), INFINITY};
        points[query] = random_point();
        spheres[query] = (broadside_sphere){random_point(), 2};
    }
    int call_count = 0;
    const broadside_task_runner runner = backward_runner(&call_count);
    SIZED(broadside_mesh_settings, settings);
    settings.runner = &runner;
    broadside_scene_hit closest[QUERY_COUNT];
    broadside_scene_closest_point near[QUERY_COUNT];
    uint64_t bits[2] = {0};
    static broadside_scene_ray_hit hits[HIT_COUNT];
    static broadside_scene_overlap overlaps[HIT_COUNT];
    SIZED(broadside_result, hit_result);
    SIZED(broadside_result, overlap_result);
    const broadside_shapes shapes = {spheres, QUERY_COUNT, BROADSIDE_SHAPE_SPHERE, 0};
    CHECK(broadside_scene_closest_hits(scene, rays, QUERY_COUNT, &settings, closest, QUERY_COUNT, NULL) ==
          BROADSIDE_OK);
    CHECK(broadside_scene_any_hit(scene, rays, QUERY_COUNT, NULL, bits, 2, NULL) == BROADSIDE_OK);
    CHECK(broadside_scene_find_hits(scene, rays, QUERY_COUNT, NULL, lists, hits, HIT_COUNT, &hit_result) ==
          BROADSIDE_OK);
    CHECK(broadside_scene_closest_points(scene, points, QUERY_COUNT, &settings, near, QUERY_COUNT, NULL) ==
          BROADSIDE_OK);
    CHECK(broadside_scene_find_overlaps(scene, &shapes, &settings, lists, overlaps, HIT_COUNT,
                                        &overlap_result) == BROADSIDE_OK);
    float distances[QUERY_COUNT];
    uint64_t held[2] = {0};
    CHECK(broadside_scene_signed_distances(scene, points, QUERY_COUNT, &settings, distances, QUERY_COUNT,
                                           NULL) == BROADSIDE_OK);
    CHECK(broadside_scene_contain(scene, points, QUERY_COUNT, &settings, held, 2, NULL) == BROADSIDE_OK);
    CHECK(broadside_scene_contain(scene, points, QUERY_COUNT, &settings, held, 0, NULL) ==
          BROADSIDE_CAPACITY_EXCEEDED);
    size_t hit_count = 0, overlap_count = 0;
    for (uint32_t query = 0; query < QUERY_COUNT; ++query) {
        broadside_scene_hit soonest = {BROADSIDE_NO_INTERSECTION, 0, 0, BROADSIDE_NO_BOX,
                                       BROADSIDE_NO_TRIANGLE};
        float nearest = INFINITY, least = INFINITY;
        int is_held = 0;
        for (uint32_t i = 0; i < INSTANCE_COUNT; ++i) {
            const broadside_vec3 by = placed[i].world_from_mesh.translation;
            const broadside_ray ray = {minus(rays[query].origin, by), rays[query].direction, INFINITY};
            broadside_mesh_hit hit;
            CHECK(broadside_mesh_closest_hits(placed[i].mesh, &ray, 1, NULL, &hit, 1, NULL) == BROADSIDE_OK);
            if (hit.t < soonest.t) soonest = (broadside_scene_hit){hit.t, hit.u, hit.v, i, hit.triangle};
            static broadside_mesh_ray_hit of_mesh[TRIANGLE_COUNT];
            SIZED(broadside_result, result);
            CHECK(broadside_mesh_find_hits(placed[i].mesh, &ray, 1, NULL, lists, of_mesh, TRIANGLE_COUNT,
                                           &result) == BROADSIDE_OK);
            hit_count += result.written;
            const broadside_vec3 point = minus(points[query], by);
            broadside_mesh_closest_point of_point;
            CHECK(broadside_mesh_closest_points(placed[i].mesh, &point, 1, NULL, &of_point, 1, NULL) ==
                  BROADSIDE_OK);
            if (of_point.distance_sq < nearest) nearest = of_point.distance_sq;
            float distance;
            uint64_t bit;
            CHECK(broadside_mesh_signed_distances(placed[i].mesh, &point, 1, NULL, &distance, 1, NULL) ==
                  BROADSIDE_OK);
            CHECK(broadside_mesh_contain(placed[i].mesh, &point, 1, NULL, &bit, 1, NULL) == BROADSIDE_OK);
            if (distance < least) least = distance;
            is_held |= bit != 0;
            const broadside_sphere sphere = {minus(spheres[query].center, by), 2};
            const broadside_shapes one = {&sphere, 1, BROADSIDE_SHAPE_SPHERE, 0};
            broadside_pair pairs[TRIANGLE_COUNT];
            CHECK(broadside_mesh_find_overlaps(placed[i].mesh, &one, NULL, lists, pairs, TRIANGLE_COUNT,
                                               &result) == BROADSIDE_OK);
            for (size_t k = 0; k < result.written; ++k, ++overlap_count) {
                CHECK(overlap_count < overlap_result.written && overlaps[overlap_count].shape == query);
                CHECK(overlaps[overlap_count].instance == i &&
                      overlaps[overlap_count].triangle == pairs[k].second);
            }
        }
        CHECK(memcmp(&closest[query], &soonest, sizeof soonest) == 0);
        CHECK(bit_of(bits, query) == (soonest.instance != BROADSIDE_NO_BOX));
        CHECK(near[query].distance_sq == nearest && near[query].instance < INSTANCE_COUNT);
        CHECK(distances[query] == least && bit_of(held, query) == is_held);
    }
    CHECK(hit_result.written == hit_count && hit_count > 0);
    CHECK(overlap_result.written == overlap_count && overlap_count > 0);
    for (size_t k = 1; k < hit_count; ++k) {
        CHECK(hits[k - 1].ray < hits[k].ray ||
              (hits[k - 1].ray == hits[k].ray && hits[k - 1].hit.t <= hits[k].hit.t));
    }
    CHECK(broadside_scene_any_overlap(scene, &shapes, &settings, bits, 2, NULL) == BROADSIDE_OK);
    for (uint32_t query = 0, at = 0; query < QUERY_COUNT; ++query) {
        const size_t first = at;
        while (at < overlap_count && overlaps[at].shape == query) ++at;
        CHECK(bit_of(bits, query) == (at > first));
    }
    CHECK(broadside_scene_find_hits(scene, rays, QUERY_COUNT, NULL, lists, hits, 1, &hit_result) ==
          BROADSIDE_CAPACITY_EXCEEDED);
    CHECK(hit_result.written == 1 && hit_result.required == hit_count);
    check_casts(scene, placed, spheres, lists);
    const broadside_shapes of_points = {points, QUERY_COUNT, BROADSIDE_SHAPE_POINT, 0};
    CHECK(broadside_scene_any_overlap(scene, &of_points, NULL, bits, 2, NULL) == BROADSIDE_INVALID_ARGUMENT);
}

static void check_triangle_pairs(const broadside_placed_mesh* a, const broadside_placed_mesh* b,
                                 broadside_query_lists* lists) {
    static broadside_triangle_pair pairs[TRIANGLE_COUNT * TRIANGLE_COUNT];
    SIZED(broadside_result, result);
    CHECK(broadside_find_triangle_pairs(a, b, lists, pairs, TRIANGLE_COUNT * TRIANGLE_COUNT, &result) ==
          BROADSIDE_OK);
    uint32_t has_pair = 2;
    CHECK(broadside_any_triangle_pair(a, b, &has_pair) == BROADSIDE_OK);
    CHECK(has_pair == (result.written > 0));
    broadside_mesh_relation_kind relation;
    CHECK(broadside_mesh_relation(a, b, NULL, &relation) == BROADSIDE_OK);
    CHECK(has_pair == (relation >= BROADSIDE_MESHES_TOUCHING));
    for (size_t k = 0; k < result.written; ++k) {
        CHECK(pairs[k].kind != BROADSIDE_TRIANGLES_DISJOINT && pairs[k].kind <= BROADSIDE_TRIANGLES_COPLANAR);
        CHECK(k == 0 || pairs[k - 1].a < pairs[k].a ||
              (pairs[k - 1].a == pairs[k].a && pairs[k - 1].b < pairs[k].b));
    }
    if (result.written > 1) {
        CHECK(broadside_find_triangle_pairs(a, b, lists, pairs, 1, &result) == BROADSIDE_CAPACITY_EXCEEDED);
    }
    CHECK(broadside_any_triangle_pair(a, NULL, &has_pair) == BROADSIDE_INVALID_ARGUMENT && has_pair == 0);
}

static void check_distance(const broadside_placed_mesh* a, const broadside_placed_mesh* b) {
    uint32_t has_pair = 2;
    CHECK(broadside_any_triangle_pair(a, b, &has_pair) == BROADSIDE_OK);
    broadside_closest_triangles closest, within;
    CHECK(broadside_closest_triangle_pair(a, b, INFINITY, &closest) == BROADSIDE_OK);
    CHECK(closest.a < TRIANGLE_COUNT && closest.b < TRIANGLE_COUNT && (closest.distance == 0) == has_pair);
    const float x = closest.point_a.x - closest.point_b.x, y = closest.point_a.y - closest.point_b.y,
                z = closest.point_a.z - closest.point_b.z;
    CHECK(fabsf(sqrtf(x * x + y * y + z * z) - closest.distance) <= 1e-4f * (1 + closest.distance));
    CHECK(broadside_closest_triangle_pair(a, b, closest.distance, &within) == BROADSIDE_OK);
    CHECK(within.distance == closest.distance && within.a < TRIANGLE_COUNT);
    if (closest.distance > 0) {
        CHECK(memcmp(&within, &closest, sizeof within) == 0);
        CHECK(broadside_closest_triangle_pair(a, b, closest.distance * 0.5f, &within) == BROADSIDE_OK);
        CHECK(within.a == BROADSIDE_NO_TRIANGLE && within.b == BROADSIDE_NO_TRIANGLE);
        CHECK(within.distance == INFINITY);
    }
    CHECK(broadside_closest_triangle_pair(a, NULL, 1, &within) == BROADSIDE_INVALID_ARGUMENT);
    CHECK(within.a == BROADSIDE_NO_TRIANGLE && within.distance == INFINITY);
    CHECK(broadside_closest_triangle_pair(a, b, 1, NULL) == BROADSIDE_INVALID_ARGUMENT);
}

/* A triangle in the path of another, four apart, that moves eight in a step. */
static void check_impact(void) {
    const broadside_vec3 corners[3] = {{0, -1, -1}, {0, 1, -1}, {0, 0, 2}};
    const uint32_t indices[3] = {0, 1, 2};
    broadside_mesh* mesh = NULL;
    CHECK(broadside_mesh_create(NULL, &mesh) == BROADSIDE_OK);
    CHECK(broadside_mesh_build(mesh, corners, 3, indices, 3, NULL, BROADSIDE_MESH_BUILD_STANDARD, NULL,
                               NULL) == BROADSIDE_OK);
    const broadside_placed_mesh a = {mesh, moved((broadside_vec3){0, 0, 0})};
    const broadside_placed_mesh b = {mesh, moved((broadside_vec3){4, 0, 0})};
    const broadside_vec3 way = {6, 0, 0}, way_back = {-2, 0, 0};
    broadside_triangle_impact impact;
    CHECK(broadside_first_triangle_impact(&a, &way, &b, &way_back, &impact) == BROADSIDE_OK);
    CHECK(impact.toi == 0.5f && impact.a == 0 && impact.b == 0);
    CHECK(broadside_first_triangle_impact(&a, &way_back, &b, &way, &impact) == BROADSIDE_OK);
    CHECK(impact.toi == BROADSIDE_NO_INTERSECTION && impact.a == BROADSIDE_NO_TRIANGLE);
    CHECK(broadside_first_triangle_impact(&a, NULL, &b, &way, &impact) == BROADSIDE_INVALID_ARGUMENT);
    broadside_mesh_destroy(mesh);
}

void test_scene(void) {
    broadside_mesh* const meshes[2] = {random_mesh(), random_mesh()};
    broadside_placed_mesh placed[INSTANCE_COUNT];
    broadside_transform transforms[INSTANCE_COUNT];
    for (size_t i = 0; i < INSTANCE_COUNT; ++i) {
        placed[i] = (broadside_placed_mesh){meshes[i % 2], moved(random_point())};
        transforms[i] = moved(random_point());
    }
    broadside_scene* scene = NULL;
    broadside_query_lists* lists = NULL;
    CHECK(broadside_scene_create(NULL, &scene) == BROADSIDE_OK);
    CHECK(broadside_query_lists_create(NULL, &lists) == BROADSIDE_OK);
    SIZED(broadside_result, result);
    CHECK(broadside_scene_build(scene, placed, INSTANCE_COUNT, NULL, &result) == BROADSIDE_OK);
    CHECK(broadside_scene_instance_count(scene) == INSTANCE_COUNT);
    broadside_aabb box;
    CHECK(broadside_scene_instance_bounds(scene, 3, &box) == BROADSIDE_OK);
    const broadside_aabb all = broadside_scene_bounds(scene);
    CHECK(is_valid(&box) && all.min.x <= box.min.x && all.max.z >= box.max.z);
    CHECK(broadside_scene_instance_bounds(scene, INSTANCE_COUNT, &box) == BROADSIDE_INVALID_ARGUMENT);
    check_questions(scene, placed, lists);

    /* Refused, named, and unchanged. */
    broadside_placed_mesh bad[2] = {placed[0], placed[1]};
    bad[1].mesh = NULL;
    CHECK(broadside_scene_build(scene, bad, 2, NULL, &result) == BROADSIDE_INVALID_ARGUMENT);
    CHECK(result.bad_index == 1 && broadside_scene_instance_count(scene) == INSTANCE_COUNT);
    CHECK(broadside_scene_update(scene, transforms, 3, NULL, NULL) == BROADSIDE_INVALID_ARGUMENT);
    check_questions(scene, placed, lists);

    CHECK(broadside_scene_update(scene, transforms, INSTANCE_COUNT, NULL, NULL) == BROADSIDE_OK);
    for (size_t i = 0; i < INSTANCE_COUNT; ++i) placed[i].world_from_mesh = transforms[i];
    check_questions(scene, placed, lists);
    for (size_t i = 1; i < INSTANCE_COUNT; ++i) check_triangle_pairs(&placed[0], &placed[i], lists);
    for (size_t i = 1; i < INSTANCE_COUNT; ++i) check_distance(&placed[0], &placed[i]);
    check_impact();

    broadside_scene_clear(scene);
    CHECK(broadside_scene_instance_count(scene) == 0);
    broadside_scene_destroy(scene);
    broadside_query_lists_destroy(lists);
    broadside_mesh_destroy(meshes[0]);
    broadside_mesh_destroy(meshes[1]);
}
