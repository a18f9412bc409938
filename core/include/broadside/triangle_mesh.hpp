// How triangles come in: a view of nine float arrays, and an owner for callers who have none. Questions about
// triangles are obb_triangle.hpp.
#pragma once

#include <broadside/box_soa.hpp>
#include <broadside/export.hpp>
#include <broadside/triangle.hpp>

#include <cstdint>
#include <span>

namespace BROADSIDE_API broadside {

/// How many triangles share a box in TriangleSoaView::group_bounds.
inline constexpr std::size_t kTrianglesPerGroup = 16;

/// Nine arrays of `count` floats that the caller owns and keeps alive for the call: the corners a, b and c of
/// each triangle, in any winding. No alignment and no padding is asked for, and nothing is read past `count`.
/// All pointers may be null when `count` is zero.
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
    /// Optional: box i holds every finite triangle from i·kTrianglesPerGroup on, of one group; empty, or one
    /// for each group, the last one partial. Queries of one box leave out the groups that it cannot meet.
    /// That changes no answer while the boxes hold what they should; with stale ones, triangles outside them
    /// may be missed.
    BoxSoaView group_bounds = {};

    /// The triangle at `index`, which must be below `count`.
    BROADSIDE_FORCE_INLINE Triangle operator[](std::size_t index) const noexcept {
        BROADSIDE_ASSERT(index < count, "index: at or past the count");
        return {{a_x[index], a_y[index], a_z[index]},
                {b_x[index], b_y[index], b_z[index]},
                {c_x[index], c_y[index], c_z[index]}};
    }
    /// The triangles from `begin` on, `part_count` of them.
    TriangleSoaView part(std::size_t begin, std::size_t part_count) const noexcept {
        if (count == 0) return {};
        // The groups of a part that begins inside one are others.
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
    /// False when triangles are announced that a null pointer cannot deliver, or the groups are not theirs in
    /// number.
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

    /// Sets the number of triangles. Those that were there keep their corners, new ones are a point at the
    /// origin. The bounds of the groups are forgotten.
    Status resize(std::size_t count) noexcept;
    /// Replaces all triangles by those of an indexed mesh: three indices into `positions` for each. A number
    /// of indices that is no multiple of three, or an index out of range (`bad_index` is then the triangle),
    /// answers invalid_argument, and nothing has changed.
    BatchResult assign(std::span<const Vec3> positions, std::span<const std::uint32_t> indices) noexcept;
    void clear() noexcept;

    BROADSIDE_FORCE_INLINE Triangle operator[](std::size_t index) const noexcept { return view()[index]; }
    /// Replaces one triangle. The bounds of the groups are forgotten.
    void set(std::size_t index, const Triangle& triangle) noexcept;

    /// Computes the bounds of all groups, which `view` hands out from then on until a triangle changes.
    /// `assign` does so itself. O(count).
    Status update_group_bounds() noexcept;

    TriangleSoaView view() const noexcept;
    operator TriangleSoaView() const noexcept { return view(); }

private:
    SoaArrays arrays_;
    BoxSoa group_bounds_;
};

/// Replaces the boxes of `out_bounds` by the closed box of each triangle, in order; a triangle with a NaN
/// corner gets an invalid box. On a failure `out_bounds` is left alone. O(count).
Status triangle_bounds(const TriangleSoaView& triangles, BoxSoa& out_bounds) noexcept;

}  // namespace broadside
