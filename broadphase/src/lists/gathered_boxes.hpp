// Some boxes of a set as columns, with their indices in the set.
#pragma once

#include "broadphase/src/lists/arena.hpp"

#include <broadside/box_view.hpp>

#include <cstdint>

namespace broadside::broadphase {

struct GatheredBoxes {
    float* columns[6] = {};
    std::uint32_t* ids = nullptr;
    std::size_t count = 0;

    BoxSoaView view() const {
        return {columns[0], columns[1], columns[2], columns[3], columns[4], columns[5], count};
    }
};

inline void reserve_gathered(Arena& arena, std::size_t count, GatheredBoxes& out_gathered) {
    for (float*& column : out_gathered.columns) column = arena.reserve<float>(count);
    out_gathered.ids = arena.reserve<std::uint32_t>(count);
    out_gathered.count = 0;
}

/// Appends box `index`; the caller has reserved room.
inline void gather(const BoxSoaView& boxes, std::size_t index, GatheredBoxes& state_gathered) {
    const float* const sources[6] = {boxes.min_x, boxes.min_y, boxes.min_z,
                                     boxes.max_x, boxes.max_y, boxes.max_z};
    const std::size_t end = state_gathered.count++;
    for (int column = 0; column < 6; ++column) state_gathered.columns[column][end] = sources[column][index];
    state_gathered.ids[end] = static_cast<std::uint32_t>(index);
}

}  // namespace broadside::broadphase
