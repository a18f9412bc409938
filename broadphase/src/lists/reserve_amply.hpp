// Room for half more than is needed: sizes vary from update to update.
#pragma once

#include <broadside/aligned_array.hpp>

#include <cstddef>

namespace broadside::broadphase {

template <class T>
bool reserve_amply(AlignedArray<T>& array, std::size_t count) noexcept {
    return count <= array.capacity() || array.reserve(count + count / 2);
}
template <class T>
bool resize_amply(AlignedArray<T>& array, std::size_t count) noexcept {
    return reserve_amply(array, count) && array.resize(count);
}

}  // namespace broadside::broadphase
