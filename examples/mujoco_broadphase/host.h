/* A stand-in for mujoco.h: the fields of its structs that the adapter reads, with their names and meaning.
   With MuJoCo itself, include that instead. */
#pragma once

typedef double mjtNum;

typedef struct mjModel_ {
    int nbody;
    int ngeom;
    /* The topmost body that a body is welded to; itself if it can move; 0 is the world. nbody. */
    int* body_weldid;
    int* body_parentid;
    int* geom_bodyid;
    /* Bits: two geoms may touch if the contype of one and the conaffinity of the other have a bit in
       common. */
    int* geom_contype;
    int* geom_conaffinity;
    /* The radius of a bounding sphere; 0 for a plane. */
    mjtNum* geom_rbound;
    mjtNum* geom_margin;
    /* The box in the geom's own frame: center, half sizes. ngeom x 6. */
    mjtNum* geom_aabb;
} mjModel;

typedef struct mjData_ {
    /* In the world: position, ngeom x 3, and orientation, row by row, ngeom x 9. */
    mjtNum* geom_xpos;
    mjtNum* geom_xmat;
} mjData;
