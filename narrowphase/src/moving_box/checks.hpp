// The argument checks that all batches of moving boxes share.
#pragma once

#include <broadside/moving_aabb.hpp>

namespace broadside::narrowphase {

inline bool is_readable(const MovingBoxes& moving) noexcept {
    return moving.boxes.is_readable() && moving.displacements.is_readable() &&
           (moving.displacements.count == 0 || moving.displacements.count == moving.boxes.count);
}

inline bool has_room(std::size_t count, std::span<float> out_toi, std::span<Face> out_faces) noexcept {
    return out_toi.size() >= count && (out_faces.empty() || out_faces.size() >= count);
}

}  // namespace broadside::narrowphase
