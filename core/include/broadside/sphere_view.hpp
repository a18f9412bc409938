// A view of spheres: four float arrays.
#pragma once

#include <broadside/assert.hpp>
#include <broadside/sphere.hpp>

#include <cstddef>

namespace broadside {

/// Four arrays of `count` floats that the caller owns and keeps alive for the call. They need no alignment
/// and no padding, may alias each other, and are not read past `count`. All pointers may be null if `count`
/// is zero.
struct SphereSoaView {
    const float* center_x = nullptr;
    const float* center_y = nullptr;
    const float* center_z = nullptr;
    const float* radius = nullptr;
    std::size_t count = 0;

    /// The sphere at `index`, which must be below `count`.
    BROADSIDE_FORCE_INLINE Sphere operator[](std::size_t index) const noexcept {
        BROADSIDE_ASSERT(index < count, "index: at or past the count");
        return {{center_x[index], center_y[index], center_z[index]}, radius[index]};
    }
    /// The `part_count` spheres that begin at `begin`.
    SphereSoaView part(std::size_t begin, std::size_t part_count) const noexcept {
        if (count == 0) return {};
        return {center_x + begin, center_y + begin, center_z + begin, radius + begin, part_count};
    }
    /// False if `count` is not 0 and a pointer is null.
    bool is_readable() const noexcept {
        return count == 0 ||
               (center_x != nullptr && center_y != nullptr && center_z != nullptr && radius != nullptr);
    }
};

}  // namespace broadside
