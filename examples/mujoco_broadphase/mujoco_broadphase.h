/* MuJoCo's broad phase on the C API: its sweep-and-prune of boxes, and all of it for geoms. See README.md. */
#pragma once

#include "examples/mujoco_broadphase/host.h"

#include <broadside.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The arguments and the result of `mj_SAP`, with a finder instead of mjData and without the axis, which is
   chosen. Boxes are rows of min x y z, max x y z; pairs i < j are (i << 16) + j, ascending. Returns their
   number, at most `maxpair`; -1 for 65,536 boxes or more, no room for a pair, or no memory. A box with a
   NaN overlaps nothing. */
int broadside_SAP(broadside_finder* finder, const mjtNum* aamm, int n, int* pair, int maxpair);

/* All geoms of a model: boxes from their frames, filtered by bits and by bodies. */
typedef struct geom_broadphase geom_broadphase;

/* Keeps the data that do not change from step to step: bits, and the body that each geom is welded to.
   Null without memory. The model must outlive it. */
geom_broadphase* geom_broadphase_create(const mjModel* m);
void geom_broadphase_destroy(geom_broadphase* broadphase);

/* Pairs of geoms, the smaller index first, ascending, at two ints each. Boxes grown by their geoms'
   margins overlap, contype and conaffinity agree, the two are not welded together, and neither is welded
   to the other's parent, except for the world. Returns the number of pairs, which may exceed `maxpair`,
   the most that are written; -1 without memory. */
long long geom_broadphase_pairs(geom_broadphase* broadphase, const mjData* d, int* pair, long long maxpair);

#ifdef __cplusplus
}
#endif
