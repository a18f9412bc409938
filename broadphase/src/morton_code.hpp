// Keys that put boxes near each other in space near each other in a list: size class, then Morton code.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/box_view.hpp>

namespace broadside::broadphase {

/// Where boxes lie and how large they are, guessed from a sample. A wrong guess costs time and nothing else.
struct MortonBounds {
    float origin[3];
    /// Steps of the code per unit of length, finite and above zero.
    float scale[3];
    /// Longest side of the boxes of each size class but the last; ascending.
    float size_max[3];
};

/// The middle of the sample on each axis, so that outliers do not stretch the steps; what lies outside takes
/// the first or the last step. Size classes by the sample's median of longest sides.
MortonBounds sample_morton_bounds(const BoxSoaView& a, const BoxSoaView* b) noexcept;

/// The two topmost bits are the size class, so that a large box shares its leaf with boxes that are as large
/// and does not blow up the bounds of small ones; below them ten bits of each axis, z first, taken in turn.
/// For a valid box.
std::uint32_t morton_key(const Aabb& box, const MortonBounds& bounds) noexcept;

}  // namespace broadside::broadphase
