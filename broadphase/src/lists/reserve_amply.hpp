// Reserves half more than is needed, and a few: sizes vary from update to update, small ones the most.
#pragma once

#include <broadside/aligned_array.hpp>

#include <cstddef>

namespace broadside::broadphase {

template <class T>
bool reserve_amply(AlignedArray<T>& array, std::size_t count) noexcept {
    constexpr std::size_t kFew = 32;
    return count <= array.capacity() || array.reserve(count + count / 2 + kFew);
}
template <class T>
bool resize_amply(AlignedArray<T>& array, std::size_t count) noexcept {
    return reserve_amply(array, count) && array.resize(count);
}

}  // namespace broadside::broadphase
