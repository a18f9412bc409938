// One past the largest index in a list of pairs or indices. Some kernels are given no item count.
#pragma once

#include <broadside/pair_buffer.hpp>

namespace broadside::narrowphase {

inline std::size_t first_extent(const IndexPair* pairs, std::size_t pair_count) {
    std::size_t extent = 0;
    for (std::size_t i = 0; i < pair_count; ++i) {
        if (pairs[i].first >= extent) extent = pairs[i].first + std::size_t{1};
    }
    return extent;
}
inline std::size_t second_extent(const IndexPair* pairs, std::size_t pair_count) {
    std::size_t extent = 0;
    for (std::size_t i = 0; i < pair_count; ++i) {
        if (pairs[i].second >= extent) extent = pairs[i].second + std::size_t{1};
    }
    return extent;
}
inline std::size_t index_extent(const std::uint32_t* indices, std::size_t index_count) {
    std::size_t extent = 0;
    for (std::size_t i = 0; i < index_count; ++i) {
        if (indices[i] >= extent) extent = indices[i] + std::size_t{1};
    }
    return extent;
}

}  // namespace broadside::narrowphase
