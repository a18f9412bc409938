/* The complete C API of broadside, for C11 and C++. The C++ function of the same name documents each call; these
   headers and docs/c_api.md add what a C caller must know besides. */
#pragma once

#include <broadside_c/base.h>
#include <broadside_c/find_pairs.h>
#include <broadside_c/kernels.h>
#include <broadside_c/mesh.h>
#include <broadside_c/mover.h>
#include <broadside_c/placed_meshes.h>
#include <broadside_c/queries.h>
#include <broadside_c/scene.h>
#include <broadside_c/shapes.h>
#include <broadside_c/stage.h>
#include <broadside_c/tree.h>
#include <broadside_c/world.h>
#include <broadside_c/world_view.h>
