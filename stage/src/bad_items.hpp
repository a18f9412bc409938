// Counts the bad items of an input list, and keeps the first.
#pragma once

#include <cstddef>

namespace broadside::stage {

/// Counts a bad item and keeps the first one's index.
inline void count_bad(std::size_t index, std::size_t& state_count, std::size_t& state_first) noexcept {
    if (state_count++ == 0) state_first = index;
}

}  // namespace broadside::stage
