/* Batches against the single functions, and those against brute force. */
#include "support.h"

enum { PAIR_COUNT = 150, OBB_COUNT = 30 };

void test_kernels(void) {
    static box_set a, b;
    fill_boxes(&a);
    fill_boxes(&b);
    static float ways[3][BOX_COUNT];
    for (size_t i = 0; i < BOX_COUNT; ++i) {
        for (size_t axis = 0; axis < 3; ++axis) ways[axis][i] = (float)random_below(41) - 20.0f;
    }
    const broadside_moving_boxes moving = {b.view, {ways[0], ways[1], ways[2], BOX_COUNT}};
    const broadside_moving_boxes resting = {a.view, {0}};
    static broadside_pair pairs[PAIR_COUNT];
    for (size_t i = 0; i < PAIR_COUNT; ++i)
        pairs[i] = (broadside_pair){random_below(BOX_COUNT), random_below(BOX_COUNT)};
    SIZED(broadside_result, result);
    static uint64_t bits[BOX_COUNT / 64 + 1];

    broadside_aabb box;
    do box = random_box();
    while (!is_valid(&box));
    CHECK(broadside_box_overlaps(&box, &a.view, bits, sizeof bits / 8, NULL) == BROADSIDE_OK);
    for (size_t i = 0; i < BOX_COUNT; ++i) {
        CHECK(bit_of(bits, i) == overlaps(&box, &a.boxes[i]));
        CHECK(broadside_overlap(&box, &a.boxes[i]) == (uint32_t)overlaps(&box, &a.boxes[i]));
    }
    CHECK(broadside_box_overlaps(&box, &a.view, bits, 1, &result) == BROADSIDE_CAPACITY_EXCEEDED);
    CHECK(result.status == BROADSIDE_CAPACITY_EXCEEDED);
    CHECK(broadside_pair_overlaps(&a.view, &b.view, pairs, PAIR_COUNT, bits, 3, NULL) == BROADSIDE_OK);
    for (size_t i = 0; i < PAIR_COUNT; ++i)
        CHECK(bit_of(bits, i) == overlaps(&a.boxes[pairs[i].first], &b.boxes[pairs[i].second]));
    const uint32_t kept = pairs[9].second;
    pairs[9].second = BOX_COUNT;
    CHECK(broadside_pair_overlaps(&a.view, &b.view, pairs, PAIR_COUNT, bits, 3, &result) ==
          BROADSIDE_INVALID_ARGUMENT);
    CHECK(result.bad_index == 9);
    pairs[9].second = kept;

    static float toi[BOX_COUNT];
    static uint8_t faces[BOX_COUNT];
    size_t impact_count = 0;
    for (int way = 0; way < 2; ++way) {
        const broadside_touch touch = (broadside_touch)way;
        CHECK(broadside_times_of_impact(&resting, &moving, touch, toi, faces, BOX_COUNT, NULL) ==
              BROADSIDE_OK);
        for (size_t i = 0; i < BOX_COUNT; ++i) {
            const broadside_vec3 step = {ways[0][i], ways[1][i], ways[2][i]};
            broadside_face face;
            CHECK(toi[i] == broadside_time_of_impact(&a.boxes[i], &b.boxes[i], &step, touch, &face));
            CHECK(faces[i] == face);
            impact_count += toi[i] != BROADSIDE_NO_INTERSECTION;
        }
        CHECK(broadside_pair_times_of_impact(&resting, &moving, pairs, PAIR_COUNT, touch, toi, NULL,
                                             PAIR_COUNT, NULL) == BROADSIDE_OK);
        for (size_t i = 0; i < PAIR_COUNT; ++i) {
            const uint32_t second = pairs[i].second;
            const broadside_vec3 step = {ways[0][second], ways[1][second], ways[2][second]};
            CHECK(toi[i] ==
                  broadside_time_of_impact(&a.boxes[pairs[i].first], &b.boxes[second], &step, touch, NULL));
        }
        const broadside_vec3 step = {5, 0, -3};
        CHECK(broadside_mover_times_of_impact(&box, &step, &a.view, touch, toi, faces, BOX_COUNT, NULL) ==
              BROADSIDE_OK);
        for (size_t i = 0; i < BOX_COUNT; ++i)
            CHECK(toi[i] == broadside_time_of_impact(&a.boxes[i], &box, &step, touch, NULL));
    }
    CHECK(impact_count > 0);
    /* The example of the README. */
    const broadside_aabb unit = {{0, 0, 0}, {1, 1, 1}}, left = {{-1.5f, 0, 0}, {-0.5f, 1, 1}};
    const broadside_vec3 three = {3, 0, 0};
    broadside_face face;
    /* Rounded to floats, even if the compiler evaluates them as doubles. */
    const float third = 1.0f / 3.0f, sixth = 0.5f * third;
    CHECK(broadside_time_of_impact(&unit, &left, &three, BROADSIDE_TOUCH_CLOSED, &face) == sixth);
    CHECK(face == BROADSIDE_FACE_MIN_X);

    broadside_ray rays[4];
    size_t target = 0;
    while (!is_valid(&a.boxes[target])) ++target;
    for (size_t i = 0; i < 4; ++i) rays[i] = ray_at(&a.boxes[target]);
    static float enter[BOX_COUNT], leave[BOX_COUNT];
    size_t hit_count = 0;
    for (int inside = 0; inside <= BROADSIDE_INSIDE_NEGATIVE_T; ++inside) {
        SIZED(broadside_ray_settings, settings);
        settings.inside = (broadside_inside)inside;
        settings.is_conservative = inside == 1;
        CHECK(broadside_ray_boxes(&rays[0], &a.view, &settings, enter, leave, faces, bits, BOX_COUNT, NULL) ==
              BROADSIDE_OK);
        for (size_t i = 0; i < BOX_COUNT; ++i) {
            const broadside_ray_box_hit hit = broadside_ray_box(&rays[0], &a.boxes[i], &settings);
            CHECK(hit.t_enter == enter[i] && hit.t_exit == leave[i] && hit.face == faces[i]);
            CHECK((int)hit.has_hit == bit_of(bits, i));
            hit_count += hit.has_hit;
        }
        broadside_pair asked[PAIR_COUNT];
        for (size_t i = 0; i < PAIR_COUNT; ++i) asked[i] = (broadside_pair){(uint32_t)i % 4, pairs[i].second};
        CHECK(broadside_pair_ray_boxes(rays, 4, &a.view, asked, PAIR_COUNT, &settings, enter, NULL, NULL,
                                       NULL, PAIR_COUNT, NULL) == BROADSIDE_OK);
        for (size_t i = 0; i < PAIR_COUNT; ++i)
            CHECK(enter[i] == broadside_ray_box(&rays[i % 4], &a.boxes[asked[i].second], &settings).t_enter);
    }
    CHECK(hit_count > 0);

    /* Oriented boxes and triangles. */
    broadside_obb obbs[OBB_COUNT];
    broadside_vec3 obb_ways[OBB_COUNT];
    broadside_triangle triangles[OBB_COUNT];
    float corners[9][OBB_COUNT];
    for (size_t i = 0; i < OBB_COUNT; ++i) {
        obbs[i] = (broadside_obb){random_point(), {0.6f, 0, 0.8f}, {0, 1, 0}, {-0.8f, 0, 0.6f}, {9, 2, 5}};
        obb_ways[i] = random_point();
        triangles[i] = (broadside_triangle){random_point(), random_point(), random_point()};
        const float numbers[9] = {triangles[i].a.x, triangles[i].a.y, triangles[i].a.z,
                                  triangles[i].b.x, triangles[i].b.y, triangles[i].b.z,
                                  triangles[i].c.x, triangles[i].c.y, triangles[i].c.z};
        for (size_t column = 0; column < 9; ++column) corners[column][i] = numbers[column];
    }
    const broadside_triangles view = {corners[0], corners[1], corners[2], corners[3], corners[4], corners[5],
                                      corners[6], corners[7], corners[8], OBB_COUNT,  {0}};
    const broadside_vec3 still = {0, 0, 0};
    CHECK(broadside_obb_triangle_overlaps(&obbs[0], &view, bits, 1, NULL) == BROADSIDE_OK);
    CHECK(broadside_obb_triangle_times_of_impact(&obbs[0], &obb_ways[0], &view, &still, toi, faces, OBB_COUNT,
                                                 NULL) == BROADSIDE_OK);
    for (size_t i = 0; i < OBB_COUNT; ++i) {
        broadside_contact_axis axis;
        CHECK(bit_of(bits, i) == (int)broadside_obb_triangle_overlap(&obbs[0], &triangles[i]));
        CHECK(toi[i] ==
              broadside_obb_triangle_time_of_impact(&obbs[0], &obb_ways[0], &triangles[i], &still, &axis));
        CHECK(faces[i] == axis);
    }
    broadside_pair mixed[OBB_COUNT];
    for (uint32_t i = 0; i < OBB_COUNT; ++i) mixed[i] = (broadside_pair){i, random_below(OBB_COUNT)};
    CHECK(broadside_pair_obb_triangle_overlaps(obbs, OBB_COUNT, triangles, OBB_COUNT, mixed, OBB_COUNT, bits,
                                               1, NULL) == BROADSIDE_OK);
    CHECK(broadside_pair_obb_triangle_times_of_impact(obbs, obb_ways, OBB_COUNT, triangles, OBB_COUNT, &still,
                                                      mixed, OBB_COUNT, toi, NULL, OBB_COUNT,
                                                      NULL) == BROADSIDE_OK);
    uint64_t obb_bits = 0;
    CHECK(broadside_pair_obb_overlaps(obbs, OBB_COUNT, obbs, OBB_COUNT, mixed, OBB_COUNT, &obb_bits, 1,
                                      NULL) == BROADSIDE_OK);
    for (size_t i = 0; i < OBB_COUNT; ++i) {
        const uint32_t second = mixed[i].second;
        CHECK(bit_of(bits, i) == (int)broadside_obb_triangle_overlap(&obbs[i], &triangles[second]));
        CHECK(toi[i] == broadside_obb_triangle_time_of_impact(&obbs[i], &obb_ways[i], &triangles[second],
                                                              &still, NULL));
        CHECK(bit_of(&obb_bits, i) == (int)broadside_obb_obb_overlap(&obbs[i], &obbs[second]));
    }
}
