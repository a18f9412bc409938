// The checks that all batches of moving boxes share.
#pragma once

#include <broadside/moving_aabb.hpp>

#include "narrowphase/src/batch/call.hpp"

namespace broadside::narrowphase {

inline void check(BatchCall& batch, const MovingBoxes& moving) noexcept {
    batch.readable(moving.shapes, "shapes: a column is null though the count is not 0")
        .readable(moving.displacements, "displacements: a column is null though the count is not 0")
        .none_or_one_each(moving.displacements.count, moving.shapes.count,
                          "displacements: neither none nor one per box");
}

}  // namespace broadside::narrowphase
