// Checks of arguments that calls of RestingBoxes share.
#pragma once

#include "broadphase/src/lists/argument_checks.hpp"

#include <broadside/resting_boxes.hpp>

namespace broadside::broadphase {

inline bool check_built(const RestingBoxes& resting) noexcept {
    return BROADSIDE_ARGUMENT(resting.is_built(), "RestingBoxes: nothing is built");
}
inline bool check_same_boxes(const RestingBoxes& resting, const BoxSoaView& boxes) noexcept {
    return BROADSIDE_ARGUMENT(boxes.count == resting.box_count(), "boxes: not as many as were built") &&
           check_readable(boxes);
}
/// Checks the mover bits of a set of `box_count` boxes.
inline bool check_mover_bits(std::span<const std::uint64_t> mover_bits, std::size_t box_count) noexcept {
    return check_readable(mover_bits) &&
           BROADSIDE_ARGUMENT(mover_bits.empty() || mover_bits.size() == bit_word_count(box_count),
                              "mover_bits: neither none nor bit_word_count words");
}

}  // namespace broadside::broadphase
