/* Shared by the C tests: counted checks, pseudo-random numbers, boxes, and brute force. */
#pragma once

#include <broadside.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int failure_count;

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            ++failure_count;                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
        }                                                                   \
    } while (0)

/* A struct of zeros with its size. */
#define SIZED(type, name) type name = {.size = sizeof(type)}

enum { BOX_COUNT = 400, QUERY_COUNT = 70 };

typedef struct box_set {
    float columns[6][BOX_COUNT];
    broadside_aabb boxes[BOX_COUNT];
    broadside_boxes view;
} box_set;

/* Below `end`. */
uint32_t random_below(uint32_t end);
broadside_vec3 random_point(void);
broadside_aabb random_box(void);
/* Integers in a small space, so that boxes touch; one in twenty is invalid. */
void fill_boxes(box_set* set);
broadside_boxes some_boxes(const box_set* set, size_t count);

/* From any direction through the middle of the box. */
broadside_ray ray_at(const broadside_aabb* box);
int is_valid(const broadside_aabb* box);
int overlaps(const broadside_aabb* a, const broadside_aabb* b);
int bit_of(const uint64_t* bits, size_t index);
/* The queries as motions, of two shapes in each state, and a test of their first overlaps by the bits of all queries. */
enum { MOTION_COUNT = 7, SHAPES_PER_STATE = 2 };
void check_first_overlaps(const uint64_t* bits, const uint32_t* first);

/* A runner that calls tasks backwards, and counts calls in *(int*)user. */
broadside_task_runner backward_runner(int* state_call_count);

void test_find_pairs(void);
void test_tree(void);
void test_world(void);
void test_world_view(void);
void test_mesh(void);
void test_scene(void);
void test_mover(void);
void test_stage(void);
void test_kernels(void);
void test_arguments(void);
void test_counts(void);
void test_memory(void);
