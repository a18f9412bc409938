// Output arrays of a batch that may be left out: an empty one is not wanted, any other holds the whole answer.
#pragma once

#include <cstddef>
#include <span>

namespace broadside::narrowphase {

template <class T>
bool has_room(std::span<T> output, std::size_t count) noexcept {
    return output.empty() || output.size() >= count;
}

template <class T>
T* pointer_or_null(std::span<T> output) noexcept {
    return output.empty() ? nullptr : output.data();
}

/// Of a call that always writes values, and beside them what may be left out.
template <class T>
bool is_too_short(std::size_t count, std::span<float> values, std::span<T> others) noexcept {
    return values.size() < count || !has_room(others, count);
}

}  // namespace broadside::narrowphase
