// An owner of boxes in six arrays, for callers who have none of their own.
#pragma once

#include <broadside/aligned_array.hpp>
#include <broadside/box_view.hpp>

namespace broadside {

/// Six arrays in one allocation, each 64-byte aligned. Grow-only: resizing down and up again does not allocate.
class BoxSoa {
public:
    explicit BoxSoa(const Allocator& allocator = default_allocator()) noexcept : storage_(allocator) {}
    /// Movable, not copyable; the moved-from object is empty.
    BoxSoa(BoxSoa&& other) noexcept
        : storage_(static_cast<AlignedArray<float>&&>(other.storage_)),
          stride_(other.stride_),
          count_(other.count_) {
        other.stride_ = other.count_ = 0;
    }
    BoxSoa& operator=(BoxSoa&& other) noexcept {
        if (this == &other) return *this;
        storage_ = static_cast<AlignedArray<float>&&>(other.storage_);
        stride_ = other.stride_;
        count_ = other.count_;
        other.stride_ = other.count_ = 0;
        return *this;
    }

    std::size_t count() const noexcept { return count_; }
    std::size_t capacity() const noexcept { return stride_; }

    /// Sets the number of boxes. Boxes that were there keep their values, new ones are `Aabb::empty()`.
    Status resize(std::size_t count) noexcept;
    /// Replaces all boxes by those of the caller's structs; one transposing pass.
    Status assign(const BoxAosView& boxes) noexcept;
    /// Replaces all boxes by copies of those in the view, which must not be a view of this object.
    Status assign(const BoxSoaView& boxes) noexcept;
    /// Appends one box, amortised O(1).
    Status push_back(const Aabb& box) noexcept;
    void clear() noexcept { count_ = 0; }

    Aabb operator[](std::size_t index) const noexcept { return view()[index]; }
    void set(std::size_t index, const Aabb& box) noexcept;

    /// The arrays, for writing in bulk; each holds `count()` floats. Invalidated by a growing resize.
    float* min_x() noexcept { return storage_.data(); }
    float* min_y() noexcept { return storage_.data() + stride_; }
    float* min_z() noexcept { return storage_.data() + 2 * stride_; }
    float* max_x() noexcept { return storage_.data() + 3 * stride_; }
    float* max_y() noexcept { return storage_.data() + 4 * stride_; }
    float* max_z() noexcept { return storage_.data() + 5 * stride_; }

    BoxSoaView view() const noexcept;
    operator BoxSoaView() const noexcept { return view(); }

private:
    Status reserve(std::size_t count) noexcept;

    AlignedArray<float> storage_;
    std::size_t stride_ = 0;
    std::size_t count_ = 0;
};

}  // namespace broadside
