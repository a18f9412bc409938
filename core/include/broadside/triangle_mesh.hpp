// Triangles as nine float arrays: a view, and an owner for callers without arrays of their own. The queries
// are in obb_triangle.hpp.
#pragma once

#include <broadside/box_soa.hpp>
#include <broadside/export.hpp>
#include <broadside/triangle.hpp>

#include <cstdint>
#include <span>

namespace BROADSIDE_API broadside {

/// Number of triangles that share a box in TriangleSoaView::group_bounds.
inline constexpr std::size_t kTrianglesPerGroup = 16;

/// Nine arrays of `count` floats that the caller owns and keeps alive for the call: the corners a, b and c of
/// each triangle, in any winding. They need no alignment and no padding, and are not read past `count`. All
/// pointers may be null if `count` is zero.
struct TriangleSoaView {
    const float* a_x = nullptr;
    const float* a_y = nullptr;
    const float* a_z = nullptr;
    const float* b_x = nullptr;
    const float* b_y = nullptr;
    const float* b_z = nullptr;
    const float* c_x = nullptr;
    const float* c_y = nullptr;
    const float* c_z = nullptr;
    std::size_t count = 0;
    /// Optional bounds: box i holds every finite triangle of group i, which begins at i·kTrianglesPerGroup.
    /// Empty, or one box for each group (the last group may be shorter). Queries of one box skip the groups
    /// that it cannot meet. The results are the same if the bounds are right; with stale bounds, triangles
    /// outside them may be missed.
    BoxSoaView group_bounds = {};

    /// The triangle at `index`, which must be below `count`.
    BROADSIDE_FORCE_INLINE Triangle operator[](std::size_t index) const noexcept {
        BROADSIDE_ASSERT(index < count, "index: at or past the count");
        return {{a_x[index], a_y[index], a_z[index]},
                {b_x[index], b_y[index], b_z[index]},
                {c_x[index], c_y[index], c_z[index]}};
    }
    /// The `part_count` triangles that begin at `begin`.
    TriangleSoaView part(std::size_t begin, std::size_t part_count) const noexcept {
        if (count == 0) return {};
        // A part that begins inside a group has other groups.
        const bool has_groups = group_bounds.count != 0 && begin % kTrianglesPerGroup == 0;
        return {a_x + begin,
                a_y + begin,
                a_z + begin,
                b_x + begin,
                b_y + begin,
                b_z + begin,
                c_x + begin,
                c_y + begin,
                c_z + begin,
                part_count,
                has_groups ? group_bounds.part(begin / kTrianglesPerGroup, group_count(part_count))
                           : BoxSoaView{}};
    }
    static constexpr std::size_t group_count(std::size_t triangle_count) noexcept {
        return (triangle_count + kTrianglesPerGroup - 1) / kTrianglesPerGroup;
    }
    /// False if `count` is not 0 and a pointer is null, or if the number of groups is wrong.
    bool is_readable() const noexcept {
        if (!group_bounds.is_readable()) return false;
        if (group_bounds.count != 0 && group_bounds.count != group_count(count)) return false;
        return count == 0 || (a_x != nullptr && a_y != nullptr && a_z != nullptr &&  //
                              b_x != nullptr && b_y != nullptr && b_z != nullptr &&  //
                              c_x != nullptr && c_y != nullptr && c_z != nullptr);
    }
};

/// Nine arrays in one allocation, each 64-byte aligned. Grow-only: resizing down and up again does not
/// allocate. Movable, not copyable.
class TriangleSoa {
public:
    explicit TriangleSoa(const Allocator& allocator = default_allocator()) noexcept
        : arrays_(9, allocator), group_bounds_(allocator) {}

    std::size_t count() const noexcept { return arrays_.count(); }
    std::size_t capacity() const noexcept { return arrays_.capacity(); }

    /// Sets the number of triangles. Existing ones keep their corners, new ones are a point at the origin.
    /// Discards the bounds of the groups.
    Status resize(std::size_t count) noexcept;
    /// Replaces all triangles by those of an indexed mesh: three indices into `positions` for each. If the
    /// number of indices is no multiple of three, or an index is out of range (`bad_index` is then the
    /// triangle), returns invalid_argument and changes nothing.
    BatchResult assign(std::span<const Vec3> positions, std::span<const std::uint32_t> indices) noexcept;
    void clear() noexcept;

    BROADSIDE_FORCE_INLINE Triangle operator[](std::size_t index) const noexcept { return view()[index]; }
    /// Replaces one triangle. Discards the bounds of the groups.
    void set(std::size_t index, const Triangle& triangle) noexcept;

    /// Computes the bounds of all groups, which `view` includes until a triangle changes. `assign` does so
    /// itself. O(count).
    Status update_group_bounds() noexcept;

    TriangleSoaView view() const noexcept;
    operator TriangleSoaView() const noexcept { return view(); }

private:
    SoaArrays arrays_;
    BoxSoa group_bounds_;
};

/// Replaces the boxes of `out_bounds` by the closed box of each triangle, in order. A triangle with a NaN
/// corner gets an invalid box. On failure `out_bounds` is unchanged. O(count).
Status triangle_bounds(const TriangleSoaView& triangles, BoxSoa& out_bounds) noexcept;

}  // namespace broadside
