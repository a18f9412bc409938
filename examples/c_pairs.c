/* The C API in one screen: pairs of boxes, a world that follows them, a ray. */
#include <broadside.h>

#include <stdio.h>

/* Nothing here is expected to fail, and every result is checked. */
#define TRY(call)                                                              \
    do {                                                                       \
        const broadside_status status = (call);                                \
        if (status != BROADSIDE_OK) {                                          \
            fprintf(stderr, "%s: %s\n", #call, broadside_status_name(status)); \
            return 1;                                                          \
        }                                                                      \
    } while (0)

int main(void) {
    /* Six arrays: the third box touches the first, and boxes are closed. */
    const float min_x[] = {0, 5, 1}, min_y[] = {0, 5, 0}, min_z[] = {0, 5, 0};
    const float max_x[] = {1, 6, 2}, max_y[] = {1, 6, 1}, max_z[] = {1, 6, 1};
    const broadside_boxes boxes = {min_x, min_y, min_z, max_x, max_y, max_z, 3};

    broadside_finder* finder = NULL;
    TRY(broadside_finder_create(NULL, &finder));
    const broadside_pair* pairs = NULL;
    size_t pair_count = 0;
    TRY(broadside_find_pairs(finder, &boxes, NULL, NULL, &pairs, &pair_count, NULL));
    for (size_t i = 0; i < pair_count; ++i)
        printf("boxes %u and %u overlap\n", pairs[i].first, pairs[i].second);
    broadside_finder_destroy(finder);

    broadside_world* world = NULL;
    TRY(broadside_world_create(NULL, NULL, &world));
    const broadside_object_settings ground = {.size = sizeof ground, .kind = BROADSIDE_OBJECT_FIXED};
    const broadside_aabb floor_box = {{-9, -1, -9}, {9, 0, 9}};
    broadside_object floor_object, objects[3];
    TRY(broadside_world_add_one(world, &floor_box, &ground, &floor_object));
    TRY(broadside_world_add(world, &boxes, NULL, objects, NULL));
    broadside_update_result update = {.size = sizeof update};
    TRY(broadside_world_update(world, NULL, &update));
    printf("%zu pairs begin\n", update.begun_count);

    const broadside_ray down = {{5.5f, 20, 5.5f}, {0, -1, 0}, 100};
    const broadside_casts rays = {.items = &down, .count = 1, .kind = BROADSIDE_CAST_RAY};
    broadside_closest_object_hit hit;
    TRY(broadside_world_closest_hits(world, &rays, NULL, &hit, 1, NULL));
    printf("the ray meets box %d at %g\n", hit.object == objects[1] ? 1 : -1, (double)hit.t);
    broadside_world_destroy(world);
    return 0;
}
