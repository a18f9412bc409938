/* MuJoCo's broad phase on the C API. */
#include "examples/mujoco_broadphase/mujoco_broadphase.h"

#include <math.h>
#include <stdlib.h>

/* Rows of six numbers: six arrays, one number apart. */
static broadside_exact_boxes boxes_of(const mjtNum* aamm, size_t count) {
    const broadside_exact_boxes boxes = {.min_x = aamm,
                                         .min_y = aamm + 1,
                                         .min_z = aamm + 2,
                                         .max_x = aamm + 3,
                                         .max_y = aamm + 4,
                                         .max_z = aamm + 5,
                                         .count = count,
                                         .stride = 6,
                                         .number = BROADSIDE_NUMBER_DOUBLE};
    return boxes;
}

int broadside_SAP(broadside_finder* finder, const mjtNum* aamm, int n, int* pair, int maxpair) {
    if (n < 0 || n >= 0x10000 || maxpair < 1) return -1;
    if (n == 0) return 0;
    const broadside_exact_boxes boxes = boxes_of(aamm, (size_t)n);
    const broadside_find_pairs_settings settings = {.size = sizeof settings,
                                                    .max_pair_count = (size_t)maxpair};
    const broadside_pair* found = NULL;
    size_t count = 0;
    const broadside_status status =
        broadside_find_exact_pairs(finder, &boxes, NULL, &settings, &found, &count, NULL);
    if (status != BROADSIDE_OK && status != BROADSIDE_CAPACITY_EXCEEDED) return -1;
    for (size_t k = 0; k < count; ++k) pair[k] = (int)((found[k].first << 16) + found[k].second);
    return (int)count;
}

struct geom_broadphase {
    const mjModel* m;
    broadside_finder* finder;
    mjtNum* aamm;
    /* For each geom: the body that it is welded to, and the one that this body's parent is welded to. */
    int* weld;
    int* weld_parent;
    broadside_box_filter filter;
    uint64_t *categories, *masks;
    uint32_t* groups;
};

/* Two geoms of MuJoCo may touch if either one's contype and the other's conaffinity have a bit in common;
   two boxes pair if both directions have one. With both numbers in each word, in two orders, the two rules
   are the same. */
static void set_filter(geom_broadphase* b, int geom) {
    const mjModel* m = b->m;
    const uint64_t contype = (uint32_t)m->geom_contype[geom];
    const uint64_t conaffinity = (uint32_t)m->geom_conaffinity[geom];
    b->categories[geom] = contype | conaffinity << 32;
    b->masks[geom] = conaffinity | contype << 32;
    /* Boxes of one group do not pair, and zero is no group: geoms that are welded together. */
    b->weld[geom] = m->body_weldid[m->geom_bodyid[geom]];
    b->weld_parent[geom] = m->body_weldid[m->body_parentid[b->weld[geom]]];
    b->groups[geom] = (uint32_t)b->weld[geom] + 1;
}

geom_broadphase* geom_broadphase_create(const mjModel* m) {
    geom_broadphase* b = calloc(1, sizeof *b);
    if (b == NULL) return NULL;
    const size_t count = (size_t)m->ngeom;
    b->m = m;
    b->aamm = calloc(6 * count + 1, sizeof *b->aamm);
    b->weld = calloc(count + 1, sizeof *b->weld);
    b->weld_parent = calloc(count + 1, sizeof *b->weld_parent);
    b->categories = calloc(count + 1, sizeof *b->categories);
    b->masks = calloc(count + 1, sizeof *b->masks);
    b->groups = calloc(count + 1, sizeof *b->groups);
    if (b->aamm == NULL || b->weld == NULL || b->weld_parent == NULL || b->categories == NULL ||
        b->masks == NULL || b->groups == NULL || broadside_finder_create(NULL, &b->finder) != BROADSIDE_OK) {
        geom_broadphase_destroy(b);
        return NULL;
    }
    for (int geom = 0; geom < m->ngeom; ++geom) set_filter(b, geom);
    b->filter.categories = b->categories;
    b->filter.masks = b->masks;
    b->filter.groups = b->groups;
    return b;
}

void geom_broadphase_destroy(geom_broadphase* b) {
    if (b == NULL) return;
    broadside_finder_destroy(b->finder);
    free(b->aamm);
    free(b->weld);
    free(b->weld_parent);
    free(b->categories);
    free(b->masks);
    free(b->groups);
    free(b);
}

/* Half sizes in the world are those of the frame, times the rotation without its signs. A few units in the
   last place are added for all these roundings. A plane is unbounded. */
static void set_box(const mjModel* m, const mjData* d, int geom, mjtNum aamm[6]) {
    const mjtNum *center = m->geom_aabb + 6 * geom, *half = center + 3;
    const mjtNum *position = d->geom_xpos + 3 * geom, *rotation = d->geom_xmat + 9 * geom;
    const int is_plane = m->geom_rbound[geom] == 0;
    for (int axis = 0; axis < 3; ++axis) {
        const mjtNum* row = rotation + 3 * axis;
        const mjtNum middle = position[axis] + row[0] * center[0] + row[1] * center[1] + row[2] * center[2];
        const mjtNum turned = fabs(row[0]) * half[0] + fabs(row[1]) * half[1] + fabs(row[2]) * half[2];
        const mjtNum magnitude = fabs(position[axis]) + fabs(center[0]) + fabs(center[1]) + fabs(center[2]);
        const mjtNum reach =
            turned + m->geom_margin[geom] + 1e-15 * (magnitude + turned + m->geom_margin[geom]);
        aamm[axis] = is_plane ? -INFINITY : middle - reach;
        aamm[3 + axis] = is_plane ? INFINITY : middle + reach;
    }
}

/* In MuJoCo no body touches its parent, unless that is the world. */
static int is_child(const geom_broadphase* b, uint32_t geom_1, uint32_t geom_2) {
    const int weld_1 = b->weld[geom_1], weld_2 = b->weld[geom_2];
    return weld_1 != 0 && weld_2 != 0 &&
           (weld_1 == b->weld_parent[geom_2] || weld_2 == b->weld_parent[geom_1]);
}

long long geom_broadphase_pairs(geom_broadphase* b, const mjData* d, int* pair, long long maxpair) {
    const mjModel* m = b->m;
    for (int geom = 0; geom < m->ngeom; ++geom) set_box(m, d, geom, b->aamm + 6 * geom);
    const broadside_exact_boxes boxes = boxes_of(b->aamm, (size_t)m->ngeom);
    const broadside_find_pairs_settings settings = {.size = sizeof settings, .filter = b->filter};
    const broadside_pair* found = NULL;
    size_t found_count = 0;
    if (broadside_find_exact_pairs(b->finder, &boxes, NULL, &settings, &found, &found_count, NULL) !=
        BROADSIDE_OK)
        return -1;
    long long count = 0;
    for (size_t k = 0; k < found_count; ++k) {
        if (is_child(b, found[k].first, found[k].second)) continue;
        if (count < maxpair) {
            pair[2 * count] = (int)found[k].first;
            pair[2 * count + 1] = (int)found[k].second;
        }
        ++count;
    }
    return count;
}
