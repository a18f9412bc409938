/* Every test on every instruction set, and what the tests share. */
#include "support.h"

int failure_count = 0;

static uint32_t random_state = 1;

uint32_t random_below(uint32_t end) {
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(random_state >> 8) * end) >> 24);
}
static float random_coordinate(void) { return (float)random_below(40) - 20.0f; }
broadside_vec3 random_point(void) {
    const float x = random_coordinate();
    const float y = random_coordinate();
    return (broadside_vec3){x, y, random_coordinate()};
}
broadside_aabb random_box(void) {
    const broadside_vec3 min = random_point();
    broadside_aabb box = {min, min};
    box.max.x += (float)random_below(7);
    box.max.y += (float)random_below(7);
    box.max.z += (float)random_below(7);
    if (random_below(20) == 0) box.min.y = random_below(2) ? NAN : box.max.y + 1;
    return box;
}

void fill_boxes(box_set* set) {
    for (size_t index = 0; index < BOX_COUNT; ++index) {
        const broadside_aabb box = random_box();
        set->boxes[index] = box;
        set->columns[0][index] = box.min.x;
        set->columns[1][index] = box.min.y;
        set->columns[2][index] = box.min.z;
        set->columns[3][index] = box.max.x;
        set->columns[4][index] = box.max.y;
        set->columns[5][index] = box.max.z;
    }
    set->view = some_boxes(set, BOX_COUNT);
}
broadside_boxes some_boxes(const box_set* set, size_t count) {
    return (broadside_boxes){set->columns[0],
                             set->columns[1],
                             set->columns[2],
                             set->columns[3],
                             set->columns[4],
                             set->columns[5],
                             count};
}

broadside_ray ray_at(const broadside_aabb* box) {
    const broadside_vec3 from = random_point();
    const broadside_vec3 to = {(box->min.x + box->max.x) / 2 - from.x, (box->min.y + box->max.y) / 2 - from.y,
                               (box->min.z + box->max.z) / 2 - from.z};
    return (broadside_ray){from, to, INFINITY};
}

int is_valid(const broadside_aabb* box) {
    return box->min.x <= box->max.x && box->min.y <= box->max.y && box->min.z <= box->max.z;
}
int overlaps(const broadside_aabb* a, const broadside_aabb* b) {
    return is_valid(a) && is_valid(b) && a->min.x <= b->max.x && b->min.x <= a->max.x &&
           a->min.y <= b->max.y && b->min.y <= a->max.y && a->min.z <= b->max.z && b->min.z <= a->max.z;
}
int bit_of(const uint64_t* bits, size_t index) { return (int)(bits[index / 64] >> (index % 64) & 1); }
void check_first_overlaps(const uint64_t* bits, const uint32_t* first) {
    const size_t length = QUERY_COUNT / MOTION_COUNT;
    for (size_t motion = 0; motion < MOTION_COUNT; ++motion) {
        size_t expected = 0;
        while (expected < length && !bit_of(bits, motion * length + expected)) ++expected;
        CHECK(first[motion] == expected);
    }
}

static void run_backwards(void* user, uint32_t task_count, broadside_task task, void* context) {
    ++*(int*)user;
    while (task_count-- > 0) task(context, task_count);
}
broadside_task_runner backward_runner(int* state_call_count) {
    return (broadside_task_runner){.size = sizeof(broadside_task_runner),
                                   .worker_count = 4,
                                   .parallel_for = run_backwards,
                                   .user = state_call_count};
}

/* Arguments are refused on purpose here. */
static void ignore_refused(const broadside_assert_info* info) {
    if (info->is_refused_argument) return;
    fprintf(stderr, "%s:%d: assert: %s: %s\n", info->file, (int)info->line, info->condition, info->message);
    abort();
}

int main(void) {
    char text[200];
    const size_t length = broadside_config_text(text, sizeof text);
    printf("%s\n", text);
    CHECK(length == strlen(text));
    CHECK(broadside_config_text(NULL, 0) == length);
    char start[4] = "xyz";
    CHECK(broadside_config_text(start, sizeof start) == length && strcmp(start, "bro") == 0);
    CHECK(broadside_c_abi() == BROADSIDE_C_ABI);
    CHECK(broadside_set_assert_handler(ignore_refused) == NULL);

    const size_t isa_count = broadside_supported_isa_count();
    CHECK(isa_count >= 1 && broadside_supported_isa(0) == BROADSIDE_ISA_SCALAR);
    CHECK(broadside_supported_isa(isa_count) == BROADSIDE_ISA_NONE);
    for (size_t index = 0; index < isa_count; ++index) {
        const broadside_isa isa = broadside_supported_isa(index);
        CHECK(broadside_set_active_isa(isa) == BROADSIDE_OK);
        CHECK(broadside_active_isa() == isa);
        printf("on %s\n", broadside_isa_name(isa));
        /* The same numbers on each ISA. */
        random_state = 1;
        test_find_pairs();
        test_tree();
        test_world();
        test_world_view();
        test_mesh();
        test_scene();
        test_mover();
        test_stage();
        test_kernels();
    }
    test_arguments();
    test_counts();
    test_memory();
    CHECK(broadside_set_assert_handler(NULL) == ignore_refused);
    printf("%d failures\n", failure_count);
    return failure_count == 0 ? 0 : 1;
}
