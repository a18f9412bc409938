// Views of boxes: six float arrays, or the caller's own structs.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/assert.hpp>
#include <broadside/export.hpp>
#include <broadside/status.hpp>

#include <cstddef>
#include <cstring>

namespace BROADSIDE_API broadside {

/// Six arrays of `count` floats that the caller owns and keeps alive for the call. They need no alignment and
/// no padding, may alias each other if they are read, and are not accessed past `count`. All pointers may be
/// null if `count` is zero.
template <class Float>
struct BoxColumns {
    Float* min_x = nullptr;
    Float* min_y = nullptr;
    Float* min_z = nullptr;
    Float* max_x = nullptr;
    Float* max_y = nullptr;
    Float* max_z = nullptr;
    std::size_t count = 0;

    /// The box at `index`, which must be below `count`.
    BROADSIDE_FORCE_INLINE Aabb operator[](std::size_t index) const noexcept {
        BROADSIDE_ASSERT(index < count, "index: at or past the count");
        return {{min_x[index], min_y[index], min_z[index]}, {max_x[index], max_y[index], max_z[index]}};
    }
    /// The `part_count` boxes that begin at `begin`.
    BoxColumns part(std::size_t begin, std::size_t part_count) const noexcept {
        if (count == 0) return {};
        return {min_x + begin, min_y + begin, min_z + begin, max_x + begin,
                max_y + begin, max_z + begin, part_count};
    }
    /// False if `count` is not 0 and a pointer is null.
    bool is_readable() const noexcept {
        return count == 0 || (min_x != nullptr && min_y != nullptr && min_z != nullptr &&  //
                              max_x != nullptr && max_y != nullptr && max_z != nullptr);
    }
};

using BoxSoaView = BoxColumns<const float>;  ///< Boxes to read.
using BoxSoaSpan = BoxColumns<float>;        ///< Boxes to write.

/// Boxes inside the caller's own structs: three consecutive floats for the min corner and three for the max
/// corner, at any offsets, one box every `stride_bytes`. `BoxSoa::assign` transposes such a view in one pass.
struct BoxAosView {
    /// First byte of the first struct. Needs no alignment.
    const void* data = nullptr;
    /// Bytes from one struct to the next.
    std::size_t stride_bytes = 0;
    /// Bytes from the beginning of a struct to its corners.
    std::size_t min_offset_bytes = 0;
    std::size_t max_offset_bytes = 3 * sizeof(float);
    std::size_t count = 0;

    BROADSIDE_FORCE_INLINE Aabb operator[](std::size_t index) const noexcept {
        BROADSIDE_ASSERT(index < count, "index: at or past the count");
        const char* item = static_cast<const char*>(data) + index * stride_bytes;
        float min[3];
        float max[3];
        std::memcpy(min, item + min_offset_bytes, sizeof min);
        std::memcpy(max, item + max_offset_bytes, sizeof max);
        return {{min[0], min[1], min[2]}, {max[0], max[1], max[2]}};
    }
};

/// Three arrays of `count` floats, with the rules of BoxSoaView. Used for displacements.
struct Vec3SoaView {
    const float* x = nullptr;
    const float* y = nullptr;
    const float* z = nullptr;
    std::size_t count = 0;

    BROADSIDE_FORCE_INLINE Vec3 operator[](std::size_t index) const noexcept {
        BROADSIDE_ASSERT(index < count, "index: at or past the count");
        return {x[index], y[index], z[index]};
    }
    bool is_readable() const noexcept { return count == 0 || (x != nullptr && y != nullptr && z != nullptr); }
};

/// The index of the first invalid box (see `is_valid`) at or after `begin`, or kNoIndex. O(count).
std::size_t find_invalid_box(const BoxSoaView& boxes, std::size_t begin = 0) noexcept;

}  // namespace broadside
