// Some boxes of a set side by side, with their indices in the set.
#pragma once

#include "broadphase/src/lists/arena.hpp"

#include <broadside/box_view.hpp>

#include <bit>
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

/// The bits of word `word` that stand for boxes of a set of `box_count`.
inline std::uint64_t box_bits_in_word(std::size_t word, std::size_t box_count) {
    const std::size_t left = box_count - word * 64;
    return left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
}

/// Calls `visit(index)` for each bit that is set in `word_at(w)`, w below `word_count`, ascending.
template <class WordAt, class Visit>
void for_each_bit(std::size_t word_count, WordAt&& word_at, Visit&& visit) {
    for (std::size_t word = 0; word < word_count; ++word) {
        for (std::uint64_t bits = word_at(word); bits != 0; bits &= bits - 1) {
            visit(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
        }
    }
}

inline void reserve_gathered(Arena& arena, std::size_t count, GatheredBoxes& out_gathered) {
    for (float*& column : out_gathered.columns) column = arena.reserve<float>(count);
    out_gathered.ids = arena.reserve<std::uint32_t>(count);
    out_gathered.count = 0;
}

/// Appends box `index`; there is room.
inline void gather(const BoxSoaView& boxes, std::size_t index, GatheredBoxes& state_gathered) {
    const float* const sources[6] = {boxes.min_x, boxes.min_y, boxes.min_z,
                                     boxes.max_x, boxes.max_y, boxes.max_z};
    const std::size_t place = state_gathered.count++;
    for (int column = 0; column < 6; ++column) state_gathered.columns[column][place] = sources[column][index];
    state_gathered.ids[place] = static_cast<std::uint32_t>(index);
}

}  // namespace broadside::broadphase
