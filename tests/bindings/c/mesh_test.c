/* Queries of a mesh against a loop over its triangles, and a cube, whose inside is known. */
#include "support.h"

enum { VERTEX_COUNT = 120, TRIANGLE_COUNT = 200 };

static broadside_vec3 vertices[VERTEX_COUNT];
static uint32_t indices[TRIANGLE_COUNT * 3];

static broadside_triangle triangle_at(size_t index) {
    return (broadside_triangle){vertices[indices[3 * index]], vertices[indices[3 * index + 1]],
                                vertices[indices[3 * index + 2]]};
}

static void check_cube(broadside_mesh* mesh) {
    static const broadside_vec3 corners[8] = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0},
                                              {0, 0, 4}, {4, 0, 4}, {4, 4, 4}, {0, 4, 4}};
    static const uint32_t faces[36] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                       1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};
    CHECK(broadside_mesh_build(mesh, corners, 8, faces, 36, NULL, BROADSIDE_MESH_BUILD_FAST, NULL, NULL) ==
          BROADSIDE_OK);
    const broadside_vec3 points[4] = {{2, 2, 2}, {4, 1, 1}, {7, 2, 2}, {1, 2, 2}};
    uint64_t bits = 0;
    float distances[4];
    CHECK(broadside_mesh_contain(mesh, points, 4, NULL, &bits, 1, NULL) == BROADSIDE_OK && bits == 11);
    CHECK(broadside_mesh_signed_distances(mesh, points, 4, NULL, distances, 4, NULL) == BROADSIDE_OK);
    CHECK(distances[0] == -2 && distances[1] == 0 && distances[2] == 3 && distances[3] == -1);
    const broadside_vec3 direction = {1, 0.1f, 0.2f};
    CHECK(broadside_mesh_crossing_count(mesh, &points[0], &direction) == 1);
    CHECK(broadside_mesh_crossing_count(mesh, &points[2], &direction) == 0);
    /* A ray from inside meets only back faces. */
    const broadside_ray ray = {{2, 2.5f, 1.5f}, {1, 0, 0}, INFINITY};
    SIZED(broadside_mesh_settings, settings);
    broadside_mesh_hit hit;
    CHECK(broadside_mesh_closest_hits(mesh, &ray, 1, &settings, &hit, 1, NULL) == BROADSIDE_OK && hit.t == 2);
    settings.do_cull_back_sides = 1;
    CHECK(broadside_mesh_closest_hits(mesh, &ray, 1, &settings, &hit, 1, NULL) == BROADSIDE_OK);
    CHECK(hit.triangle == BROADSIDE_NO_TRIANGLE && hit.t == BROADSIDE_NO_INTERSECTION);
}

/* Cubes with edges of four, in a row. */
static void check_clashes(const broadside_mesh* cube, broadside_query_lists* lists) {
    const broadside_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    const broadside_vec3 half_x = {0.5f, 0, 0}, half_y = {0, 0.5f, 0}, half_z = {0, 0, 0.5f};
    /* The second touches the first, the third goes through the second, the fourth is inside the first, the
       fifth comes within one of the third, the last is the first again. */
    const broadside_placed_mesh placed[6] = {
        {cube, {x, y, z, {0, 0, 0}}},
        {cube, {x, y, z, {4, 0, 0}}},
        {cube, {half_x, half_y, half_z, {7, 1, 1}}},
        {cube, {half_x, half_y, half_z, {1, 1, 1}}},
        {cube, {x, y, z, {10, 0, 0}}},
        {cube, {x, y, z, {0, 0, 0}}},
    };
    static const broadside_clash expected[] = {
        {0, 1, BROADSIDE_MESHES_TOUCHING},  {0, 3, BROADSIDE_MESHES_B_IN_A},
        {0, 5, BROADSIDE_MESHES_DUPLICATE}, {1, 2, BROADSIDE_MESHES_INTERSECTING},
        {1, 3, BROADSIDE_MESHES_NEAR},      {1, 5, BROADSIDE_MESHES_TOUCHING},
        {2, 4, BROADSIDE_MESHES_NEAR},      {3, 5, BROADSIDE_MESHES_A_IN_B}};
    SIZED(broadside_clash_settings, settings);
    settings.clearance = 1;
    int call_count = 0;
    const broadside_task_runner runner = backward_runner(&call_count);
    settings.runner = &runner;
    SIZED(broadside_result, result);
    const broadside_clash* clashes = NULL;
    size_t count = 0;
    CHECK(broadside_find_clashes(placed, 6, NULL, 0, &settings, lists, &clashes, &count, &result) ==
          BROADSIDE_OK);
    CHECK(count == sizeof expected / sizeof *expected && result.required == count);
    for (size_t i = 0; i < count; ++i) {
        broadside_mesh_relation_kind relation = BROADSIDE_MESHES_APART;
        CHECK(clashes[i].a == expected[i].a && clashes[i].b == expected[i].b);
        CHECK(clashes[i].relation == expected[i].relation);
        CHECK(broadside_mesh_relation(&placed[clashes[i].a], &placed[clashes[i].b], &settings, &relation) ==
              BROADSIDE_OK);
        CHECK(relation == expected[i].relation);
    }
    CHECK(broadside_find_clashes(placed, 1, placed + 1, 5, &settings, lists, &clashes, &count, NULL) ==
          BROADSIDE_OK);
    CHECK(count == 3 && clashes[0].a == 0 && clashes[0].b == 0 && clashes[2].b == 4);
    /* Invalid placements in the second set: zero scale, and a null mesh. */
    const broadside_placed_mesh bad[2] = {{cube, {x, y, z, {0, 0, 0}}}, {cube, {x, x, x, {0, 0, 0}}}};
    const broadside_placed_mesh none = {NULL, {x, y, z, {0, 0, 0}}};
    CHECK(broadside_find_clashes(placed, 6, bad, 2, NULL, lists, &clashes, &count, &result) ==
          BROADSIDE_INVALID_ARGUMENT);
    CHECK(result.bad_index == 7 && count == 0 && clashes == NULL);
    CHECK(broadside_find_clashes(&none, 1, NULL, 0, NULL, lists, &clashes, &count, &result) ==
          BROADSIDE_INVALID_ARGUMENT);
    CHECK(result.bad_index == 0);
    CHECK(broadside_find_clashes(placed, 6, placed, SIZE_MAX, NULL, lists, &clashes, &count, NULL) ==
          BROADSIDE_INVALID_ARGUMENT);
    CHECK(broadside_mesh_relation(&none, &placed[0], NULL, NULL) == BROADSIDE_INVALID_ARGUMENT);
    SIZED(broadside_task_runner, no_runner);
    settings.runner = &no_runner;
    broadside_mesh_relation_kind relation = BROADSIDE_MESHES_DUPLICATE;
    CHECK(broadside_mesh_relation(&placed[0], &placed[1], &settings, &relation) ==
          BROADSIDE_INVALID_ARGUMENT);
    CHECK(broadside_mesh_relation(&none, &placed[0], NULL, &relation) == BROADSIDE_INVALID_ARGUMENT);
    CHECK(relation == BROADSIDE_MESHES_DUPLICATE);
}

void test_mesh(void) {
    for (size_t i = 0; i < VERTEX_COUNT; ++i) vertices[i] = random_point();
    for (size_t i = 0; i < TRIANGLE_COUNT * 3; ++i) indices[i] = random_below(VERTEX_COUNT);
    indices[3] = indices[4];
    broadside_mesh* mesh = NULL;
    broadside_query_lists* lists = NULL;
    CHECK(broadside_mesh_create(NULL, &mesh) == BROADSIDE_OK);
    CHECK(broadside_query_lists_create(NULL, &lists) == BROADSIDE_OK);
    CHECK(broadside_mesh_build(mesh, vertices, VERTEX_COUNT, indices, TRIANGLE_COUNT * 3, NULL,
                               BROADSIDE_MESH_BUILD_STANDARD, NULL, NULL) == BROADSIDE_OK);
    CHECK(broadside_mesh_triangle_count(mesh) == TRIANGLE_COUNT &&
          broadside_mesh_degenerate_count(mesh) >= 1);
    CHECK(broadside_mesh_capacity_bytes(mesh) > 0 && broadside_mesh_bounds(mesh).max.x <= 30);
    broadside_triangle triangle;
    CHECK(broadside_mesh_triangle(mesh, 7, &triangle) == BROADSIDE_OK);
    const broadside_triangle seventh = triangle_at(7);
    CHECK(memcmp(&triangle, &seventh, sizeof triangle) == 0);
    CHECK(broadside_mesh_triangle(mesh, TRIANGLE_COUNT, &triangle) == BROADSIDE_INVALID_ARGUMENT);

    /* Refused arguments are named, and the mesh stays unchanged. */
    broadside_mesh_fault fault = BROADSIDE_MESH_FAULT_NONE;
    SIZED(broadside_result, result);
    const uint32_t outside[3] = {0, 1, VERTEX_COUNT};
    CHECK(broadside_mesh_build(mesh, vertices, VERTEX_COUNT, outside, 3, NULL, BROADSIDE_MESH_BUILD_STANDARD,
                               &fault, &result) == BROADSIDE_INVALID_ARGUMENT);
    CHECK(fault == BROADSIDE_MESH_FAULT_INDEX_OUT_OF_RANGE && result.bad_index == 2);
    CHECK(broadside_mesh_build(mesh, vertices, VERTEX_COUNT, outside, 2, NULL, BROADSIDE_MESH_BUILD_STANDARD,
                               &fault, NULL) == BROADSIDE_INVALID_ARGUMENT);
    CHECK(fault == BROADSIDE_MESH_FAULT_INCOMPLETE_TRIANGLE);
    CHECK(broadside_mesh_triangle_count(mesh) == TRIANGLE_COUNT);

    broadside_ray rays[QUERY_COUNT];
    broadside_obb obbs[QUERY_COUNT];
    broadside_vec3 ways[QUERY_COUNT], points[QUERY_COUNT];
    broadside_sphere spheres[QUERY_COUNT];
    for (size_t query = 0; query < QUERY_COUNT; ++query) {
        rays[query] = (broadside_ray){random_point(), random_point(), INFINITY};
        obbs[query] =
            (broadside_obb){random_point(), {0.8f, 0.6f, 0}, {-0.6f, 0.8f, 0}, {0, 0, 1}, {2, 1, 3}};
        ways[query] = random_point();
        points[query] = random_point();
        spheres[query] = (broadside_sphere){points[query], 3};
    }
    static broadside_mesh_hit closest[QUERY_COUNT];
    static broadside_mesh_ray_hit hits[QUERY_COUNT * TRIANGLE_COUNT];
    uint64_t bits[2] = {0};
    CHECK(broadside_mesh_closest_hits(mesh, rays, QUERY_COUNT, NULL, closest, QUERY_COUNT, NULL) ==
          BROADSIDE_OK);
    CHECK(broadside_mesh_any_hit(mesh, rays, QUERY_COUNT, NULL, bits, 2, NULL) == BROADSIDE_OK);
    CHECK(broadside_mesh_find_hits(mesh, rays, QUERY_COUNT, NULL, lists, hits, QUERY_COUNT * TRIANGLE_COUNT,
                                   &result) == BROADSIDE_OK);
    size_t hit_count = 0;
    for (size_t query = 0; query < QUERY_COUNT; ++query) {
        float nearest = BROADSIDE_NO_INTERSECTION;
        for (size_t index = 0; index < TRIANGLE_COUNT; ++index) {
            triangle = triangle_at(index);
            const broadside_mesh_hit hit = broadside_ray_triangle(&rays[query], &triangle, 0);
            if (hit.triangle == BROADSIDE_NO_TRIANGLE) continue;
            ++hit_count;
            if (hit.t < nearest) nearest = hit.t;
        }
        CHECK(closest[query].t == nearest && bit_of(bits, query) == (nearest != BROADSIDE_NO_INTERSECTION));
    }
    CHECK(result.written == hit_count && hit_count > 0);
    const size_t whole = hit_count;
    CHECK(broadside_mesh_find_hits(mesh, rays, QUERY_COUNT, NULL, lists, hits, 1, &result) ==
          BROADSIDE_CAPACITY_EXCEEDED);
    CHECK(result.written == 1 && result.required == whole);

    static broadside_pair pairs[QUERY_COUNT * TRIANGLE_COUNT];
    const broadside_shapes of_obbs = {obbs, QUERY_COUNT, BROADSIDE_SHAPE_OBB, 0};
    CHECK(broadside_mesh_find_overlaps(mesh, &of_obbs, NULL, lists, pairs, QUERY_COUNT * TRIANGLE_COUNT,
                                       &result) == BROADSIDE_OK);
    SIZED(broadside_task_runner, no_runner);
    SIZED(broadside_mesh_settings, bad_settings);
    bad_settings.runner = &no_runner;
    CHECK(broadside_mesh_find_overlaps(mesh, &of_obbs, &bad_settings, lists, pairs,
                                       QUERY_COUNT * TRIANGLE_COUNT, NULL) == BROADSIDE_INVALID_ARGUMENT);
    CHECK(broadside_mesh_any_overlap(mesh, &of_obbs, NULL, bits, 2, NULL) == BROADSIDE_OK);
    uint32_t first_met[MOTION_COUNT];
    CHECK(broadside_mesh_first_overlaps(mesh, &of_obbs, SHAPES_PER_STATE, NULL, first_met, MOTION_COUNT,
                                        NULL) == BROADSIDE_OK);
    check_first_overlaps(bits, first_met);
    static broadside_mesh_impact impacts[QUERY_COUNT];
    static broadside_obb_cast obb_casts[QUERY_COUNT];
    for (size_t i = 0; i < QUERY_COUNT; ++i) obb_casts[i] = (broadside_obb_cast){obbs[i], ways[i], 1};
    const broadside_casts of_obb_casts = {obb_casts, QUERY_COUNT, BROADSIDE_CAST_OBB, 0};
    CHECK(broadside_mesh_closest_impacts(mesh, &of_obb_casts, NULL, impacts, QUERY_COUNT, NULL) ==
          BROADSIDE_OK);
    size_t at = 0;
    const broadside_vec3 still = {0, 0, 0};
    for (uint32_t query = 0; query < QUERY_COUNT; ++query) {
        const size_t first = at;
        float soonest = BROADSIDE_NO_INTERSECTION;
        for (uint32_t index = 0; index < TRIANGLE_COUNT; ++index) {
            triangle = triangle_at(index);
            const float toi =
                broadside_obb_triangle_time_of_impact(&obbs[query], &ways[query], &triangle, &still, NULL);
            if (toi < soonest) soonest = toi;
            if (!broadside_obb_triangle_overlap(&obbs[query], &triangle)) continue;
            CHECK(at < result.written && pairs[at].first == query && pairs[at].second == index);
            ++at;
        }
        CHECK(bit_of(bits, query) == (at > first) && impacts[query].toi == soonest);
    }
    CHECK(at == result.written && at > 0);
    static broadside_mesh_cast_impact listed[QUERY_COUNT * TRIANGLE_COUNT];
    CHECK(broadside_mesh_find_impacts(mesh, &of_obb_casts, NULL, lists, listed, QUERY_COUNT * TRIANGLE_COUNT,
                                      &result) == BROADSIDE_OK);
    at = 0;
    for (uint32_t query = 0; query < QUERY_COUNT; ++query) {
        CHECK(impacts[query].triangle == BROADSIDE_NO_TRIANGLE ||
              memcmp(&listed[at].impact, &impacts[query], sizeof impacts[query]) == 0);
        size_t expected = 0;
        for (uint32_t index = 0; index < TRIANGLE_COUNT; ++index) {
            triangle = triangle_at(index);
            expected += broadside_obb_triangle_time_of_impact(&obbs[query], &ways[query], &triangle, &still,
                                                              NULL) != BROADSIDE_NO_INTERSECTION;
        }
        for (; expected > 0; --expected, ++at) CHECK(at < result.written && listed[at].cast == query);
    }
    CHECK(at == result.written && at > QUERY_COUNT);
    CHECK(broadside_mesh_find_impacts(mesh, &of_obb_casts, NULL, lists, listed, 1, &result) ==
          BROADSIDE_CAPACITY_EXCEEDED);
    CHECK(result.written == 1 && result.required == at);

    /* Boxes as oriented boxes along the axes; integers avoid rounding. */
    broadside_aabb boxes[QUERY_COUNT];
    for (size_t query = 0; query < QUERY_COUNT; ++query) {
        const broadside_vec3 mid = points[query];
        boxes[query] = (broadside_aabb){{mid.x - 1, mid.y - 2, mid.z - 3}, {mid.x + 1, mid.y + 2, mid.z + 3}};
    }
    const broadside_shapes of_boxes = {boxes, QUERY_COUNT, BROADSIDE_SHAPE_BOX, 0};
    CHECK(broadside_mesh_find_overlaps(mesh, &of_boxes, NULL, lists, pairs, QUERY_COUNT * TRIANGLE_COUNT,
                                       &result) == BROADSIDE_OK);
    at = 0;
    for (uint32_t query = 0; query < QUERY_COUNT; ++query) {
        const broadside_obb obb = {points[query], {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 2, 3}};
        for (uint32_t index = 0; index < TRIANGLE_COUNT; ++index) {
            triangle = triangle_at(index);
            if (!broadside_obb_triangle_overlap(&obb, &triangle)) continue;
            CHECK(at < result.written && pairs[at].first == query && pairs[at].second == index);
            ++at;
        }
    }
    CHECK(at == result.written && at > 0);

    const broadside_shapes of_spheres = {spheres, QUERY_COUNT, BROADSIDE_SHAPE_SPHERE, 0};
    static broadside_mesh_closest_point near[QUERY_COUNT];
    CHECK(broadside_mesh_any_overlap(mesh, &of_spheres, NULL, bits, 2, NULL) == BROADSIDE_OK);
    CHECK(broadside_mesh_closest_points(mesh, points, QUERY_COUNT, NULL, near, QUERY_COUNT, NULL) ==
          BROADSIDE_OK);
    for (size_t query = 0; query < QUERY_COUNT; ++query) {
        /* A sphere overlaps every triangle within its radius, up to rounding. */
        if (fabsf(near[query].distance_sq - 9) > 1e-4f)
            CHECK(bit_of(bits, query) == (near[query].distance_sq < 9));
        CHECK(near[query].triangle < TRIANGLE_COUNT);
    }
    /* Capsules of one point are spheres, at rest and moving. */
    broadside_capsule capsules[QUERY_COUNT];
    for (size_t query = 0; query < QUERY_COUNT; ++query)
        capsules[query] = (broadside_capsule){points[query], points[query], 3};
    const broadside_shapes of_capsules = {capsules, QUERY_COUNT, BROADSIDE_SHAPE_CAPSULE, 0};
    uint64_t capsule_bits[2] = {0};
    CHECK(broadside_mesh_any_overlap(mesh, &of_capsules, NULL, capsule_bits, 2, NULL) == BROADSIDE_OK);
    CHECK(memcmp(bits, capsule_bits, sizeof bits) == 0);
    static broadside_mesh_impact met[2][QUERY_COUNT];
    static broadside_sphere_cast sphere_casts[QUERY_COUNT];
    static broadside_capsule_cast capsule_casts[QUERY_COUNT];
    for (size_t i = 0; i < QUERY_COUNT; ++i) {
        sphere_casts[i] = (broadside_sphere_cast){spheres[i], ways[i], 1};
        capsule_casts[i] = (broadside_capsule_cast){capsules[i], ways[i], 1};
    }
    const broadside_casts of_sphere_casts = {sphere_casts, QUERY_COUNT, BROADSIDE_CAST_SPHERE, 0};
    const broadside_casts of_capsule_casts = {capsule_casts, QUERY_COUNT, BROADSIDE_CAST_CAPSULE, 0};
    CHECK(broadside_mesh_closest_impacts(mesh, &of_sphere_casts, NULL, met[0], QUERY_COUNT, NULL) ==
          BROADSIDE_OK);
    CHECK(broadside_mesh_closest_impacts(mesh, &of_capsule_casts, NULL, met[1], QUERY_COUNT, NULL) ==
          BROADSIDE_OK);
    size_t met_count = 0;
    for (size_t query = 0; query < QUERY_COUNT; ++query) {
        CHECK((met[0][query].toi == 0) == bit_of(bits, query));
        CHECK(fabsf(met[0][query].toi - met[1][query].toi) < 1e-5f);
        met_count += met[0][query].toi > 0 && met[0][query].toi <= 1;
    }
    CHECK(met_count > 0);
    const broadside_casts of_rays = {rays, QUERY_COUNT, BROADSIDE_CAST_RAY, 0};
    CHECK(broadside_mesh_closest_impacts(mesh, &of_rays, NULL, met[0], QUERY_COUNT, NULL) ==
          BROADSIDE_INVALID_ARGUMENT);
    CHECK(broadside_mesh_closest_impacts(mesh, NULL, NULL, met[0], QUERY_COUNT, NULL) ==
          BROADSIDE_INVALID_ARGUMENT);
    CHECK(broadside_mesh_find_impacts(mesh, &of_rays, NULL, lists, listed, 1, NULL) ==
          BROADSIDE_INVALID_ARGUMENT);
    CHECK(broadside_mesh_find_impacts(mesh, &of_obb_casts, NULL, NULL, listed, 1, NULL) ==
          BROADSIDE_INVALID_ARGUMENT);
    const broadside_shapes of_points = {points, QUERY_COUNT, BROADSIDE_SHAPE_POINT, 0};
    CHECK(broadside_mesh_any_overlap(mesh, &of_points, NULL, bits, 2, NULL) == BROADSIDE_INVALID_ARGUMENT);
    CHECK(broadside_mesh_first_overlaps(mesh, &of_points, SHAPES_PER_STATE, NULL, first_met, MOTION_COUNT,
                                        NULL) == BROADSIDE_INVALID_ARGUMENT);
    CHECK(broadside_mesh_first_overlaps(NULL, &of_obbs, SHAPES_PER_STATE, NULL, first_met, MOTION_COUNT,
                                        NULL) == BROADSIDE_INVALID_ARGUMENT);

    const size_t bytes = broadside_mesh_snapshot_bytes(mesh);
    char* snapshot = malloc(bytes);
    CHECK(broadside_mesh_save(mesh, snapshot, bytes) == BROADSIDE_OK);
    broadside_mesh_clear(mesh);
    CHECK(broadside_mesh_triangle_count(mesh) == 0);
    CHECK(broadside_mesh_restore(mesh, snapshot, bytes - 1) == BROADSIDE_INVALID_ARGUMENT);
    CHECK(broadside_mesh_restore(mesh, snapshot, bytes) == BROADSIDE_OK);
    CHECK(broadside_mesh_triangle_count(mesh) == TRIANGLE_COUNT);
    free(snapshot);

    check_cube(mesh);
    check_clashes(mesh, lists);
    broadside_mesh_destroy(mesh);
    broadside_query_lists_destroy(lists);
}
