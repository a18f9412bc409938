// Oriented boxes in fifteen arrays: a view, and an owner for callers without arrays of their own.
#pragma once

#include <broadside/box_view.hpp>
#include <broadside/export.hpp>
#include <broadside/obb.hpp>
#include <broadside/soa_arrays.hpp>

#include <span>

namespace BROADSIDE_API broadside {

/// Five vectors of arrays, all of the same count, that the caller owns and keeps alive for the call. They
/// need no alignment and no padding, and are not read past the count. All pointers may be null if it is zero.
struct ObbSoaView {
    Vec3SoaView center = {};
    Vec3SoaView axis_x = {};
    Vec3SoaView axis_y = {};
    Vec3SoaView axis_z = {};
    Vec3SoaView half_extent = {};

    std::size_t count() const noexcept { return center.count; }

    /// The box at `index`, which must be below the count.
    BROADSIDE_FORCE_INLINE Obb operator[](std::size_t index) const noexcept {
        return {center[index], axis_x[index], axis_y[index], axis_z[index], half_extent[index]};
    }
    /// False if the counts differ, or the count is not 0 and a pointer is null.
    bool is_readable() const noexcept {
        return axis_x.count == center.count && axis_y.count == center.count && axis_z.count == center.count &&
               half_extent.count == center.count && center.is_readable() && axis_x.is_readable() &&
               axis_y.is_readable() && axis_z.is_readable() && half_extent.is_readable();
    }
};

/// Fifteen arrays in one allocation, each 64-byte aligned. Grow-only: resizing down and up again does not
/// allocate. Movable, not copyable.
class ObbSoa {
public:
    explicit ObbSoa(const Allocator& allocator = default_allocator()) noexcept : arrays_(15, allocator) {}

    std::size_t count() const noexcept { return arrays_.count(); }
    std::size_t capacity() const noexcept { return arrays_.capacity(); }

    /// Sets the number of boxes. Existing boxes keep their values, new ones are a point at the origin.
    Status resize(std::size_t count) noexcept;
    /// Replaces all boxes. Transposes them in one pass.
    Status assign(std::span<const Obb> obbs) noexcept;
    void clear() noexcept { arrays_.clear(); }

    BROADSIDE_FORCE_INLINE Obb operator[](std::size_t index) const noexcept { return view()[index]; }
    void set(std::size_t index, const Obb& obb) noexcept;

    ObbSoaView view() const noexcept;
    operator ObbSoaView() const noexcept { return view(); }

private:
    SoaArrays arrays_;
};

}  // namespace broadside
