// Sets of items as bits, 64 to a word.
#pragma once

#include <cstddef>

namespace broadside {

/// Words that hold a bit for each of `item_count` items: bit i % 64 of word i / 64 stands for item i.
constexpr std::size_t bit_word_count(std::size_t item_count) noexcept {
    return item_count / 64 + (item_count % 64 != 0 ? 1 : 0);
}

}  // namespace broadside
