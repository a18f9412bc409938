// Sets of items as bits, 64 to a word.
#pragma once

#include <cstddef>

namespace broadside {

/// Number of words that hold one bit for each of `item_count` items. Bit i % 64 of word i / 64 is item i.
constexpr std::size_t bit_word_count(std::size_t item_count) noexcept {
    return item_count / 64 + (item_count % 64 != 0 ? 1 : 0);
}

}  // namespace broadside
