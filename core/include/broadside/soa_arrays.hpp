// Several float arrays of one length in one allocation: the storage of the owners of boxes and triangles.
#pragma once

#include <broadside/aligned_array.hpp>
#include <broadside/export.hpp>
#include <broadside/reset_on_move.hpp>
#include <broadside/status.hpp>

namespace BROADSIDE_API broadside {

/// A fixed number of arrays that grow together, each 64-byte aligned. Grow-only: shrinking and growing again
/// does not allocate. Movable, not copyable.
class SoaArrays {
public:
    /// Makes `array_count` empty arrays.
    SoaArrays(std::size_t array_count, const Allocator& allocator) noexcept
        : storage_(allocator), array_count_(array_count) {}

    /// Number of elements of each array.
    std::size_t count() const noexcept { return extent_.count; }
    /// Number of elements that fit without another allocation.
    std::size_t capacity() const noexcept { return extent_.stride; }
    /// Array number `index`. Growth invalidates it.
    float* array(std::size_t index) noexcept { return storage_.data() + index * extent_.stride; }
    const float* array(std::size_t index) const noexcept { return storage_.data() + index * extent_.stride; }

    /// Sets the length. Existing elements keep their values, new ones are uninitialised. Changes nothing if
    /// out of memory.
    Status resize(std::size_t count) noexcept;
    /// Makes room for one more element at the end, amortised O(1).
    Status append() noexcept;
    void clear() noexcept { extent_.count = 0; }

private:
    Status reserve(std::size_t count) noexcept;

    AlignedArray<float> storage_;
    std::size_t array_count_;
    struct Extent {
        std::size_t stride = 0;
        std::size_t count = 0;
    };
    ResetOnMove<Extent> extent_;
};

}  // namespace broadside
