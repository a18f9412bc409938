// Releases memory that an array does not need.
#pragma once

#include <broadside/aligned_array.hpp>

#include <cstring>
#include <utility>

namespace broadside::broadphase {

/// Moves the elements to memory of their size. Changes nothing if out of memory.
template <class T>
void shrink_to_fit(AlignedArray<T>& state_array) noexcept {
    if (state_array.size() == state_array.capacity()) return;
    AlignedArray<T> exact = state_array.make_empty();
    if (!exact.resize(state_array.size())) return;
    if (!exact.is_empty()) std::memcpy(exact.data(), state_array.data(), exact.size() * sizeof(T));
    state_array = std::move(exact);
}

}  // namespace broadside::broadphase
