// An owner of boxes in six arrays. A caller with arrays of its own uses BoxSoaView.
#pragma once

#include <broadside/box_view.hpp>
#include <broadside/exact_box_view.hpp>
#include <broadside/export.hpp>
#include <broadside/soa_arrays.hpp>

namespace BROADSIDE_API broadside {

/// Six arrays in one allocation, each 64-byte aligned. Grow-only: resizing down and up again does not
/// allocate. Movable, not copyable.
class BoxSoa {
public:
    explicit BoxSoa(const Allocator& allocator = default_allocator()) noexcept : arrays_(6, allocator) {}

    std::size_t count() const noexcept { return arrays_.count(); }
    std::size_t capacity() const noexcept { return arrays_.capacity(); }

    /// Sets the number of boxes. Existing boxes keep their values, new ones are `Aabb::empty()`.
    Status resize(std::size_t count) noexcept;
    /// Replaces all boxes by those in the caller's structs. Transposes them in one pass.
    Status assign(const BoxAosView& boxes) noexcept;
    /// Replaces all boxes by copies of those in the view. The view must not be one of this object.
    Status assign(const BoxSoaView& boxes) noexcept;
    /// Replaces all boxes by the smallest float boxes that hold those of the view (see round_outwards).
    /// Doubles enter every function that takes floats this way. With two axes, z is zero. Returns
    /// invalid_argument for a view that `find_pairs` of such boxes refuses.
    Status assign_outwards(const ExactBoxView<double>& boxes) noexcept;
    /// Appends one box, amortised O(1).
    Status push_back(const Aabb& box) noexcept;
    void clear() noexcept { arrays_.clear(); }

    BROADSIDE_FORCE_INLINE Aabb operator[](std::size_t index) const noexcept { return view()[index]; }
    void set(std::size_t index, const Aabb& box) noexcept;

    /// The arrays, to write in bulk; each holds `count()` floats. A resize that grows invalidates them.
    float* min_x() noexcept { return arrays_.array(0); }
    float* min_y() noexcept { return arrays_.array(1); }
    float* min_z() noexcept { return arrays_.array(2); }
    /// See `min_x`.
    float* max_x() noexcept { return arrays_.array(3); }
    float* max_y() noexcept { return arrays_.array(4); }
    float* max_z() noexcept { return arrays_.array(5); }

    BoxSoaView view() const noexcept;
    operator BoxSoaView() const noexcept { return view(); }
    /// The boxes to write; invalidated by growth.
    operator BoxSoaSpan() noexcept { return {min_x(), min_y(), min_z(), max_x(), max_y(), max_z(), count()}; }

private:
    SoaArrays arrays_;
};

}  // namespace broadside
