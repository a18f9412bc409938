// Boxes of doubles as boxes of floats around them.
#pragma once

#include <broadside/round_outwards.hpp>

#include <fcl/math/bv/AABB.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fcl_example {

using broadside::round_down;
using broadside::round_up;

/// A valid box of doubles that overlaps whatever `a` overlaps in FCL's sense, at no greater distance:
/// - an inverted box overlaps everything from its maximum to its minimum, so the two are swapped;
/// - NaN is neither less nor greater than anything, so it becomes an infinite side;
/// - a box at infinity overlaps whatever reaches there, so it begins at the largest finite number.
inline fcl::AABB<double> valid_box(const fcl::AABB<double>& a) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kMost = std::numeric_limits<double>::max();
    fcl::AABB<double> valid;
    for (int axis = 0; axis < 3; ++axis) {
        const double min = std::isnan(a.min_[axis]) ? -kInfinity : a.min_[axis];
        const double max = std::isnan(a.max_[axis]) ? kInfinity : a.max_[axis];
        valid.min_[axis] = std::min(std::min(min, max), kMost);
        valid.max_[axis] = std::max(std::max(min, max), -kMost);
    }
    return valid;
}

/// A valid box of floats that overlaps those of all boxes that `a` overlaps in FCL's sense, at no greater
/// distances. Rounding preserves that for any `a`, so only boxes that BoxTree would leave out need more.
inline broadside::Aabb box_around(const fcl::AABB<double>& a) {
    const broadside::Aabb around = {{round_down(a.min_[0]), round_down(a.min_[1]), round_down(a.min_[2])},
                                    {round_up(a.max_[0]), round_up(a.max_[1]), round_up(a.max_[2])}};
    return broadside::is_valid(around) ? around : box_around(valid_box(a));
}

/// As AABB::overlap, NaN included, without the call and without branches.
inline bool overlap(const fcl::AABB<double>& a, const fcl::AABB<double>& b) {
    bool is_apart = false;
    for (int axis = 0; axis < 3; ++axis) {
        is_apart |= (a.min_[axis] > b.max_[axis] ? 1 : 0) + (a.max_[axis] < b.min_[axis] ? 1 : 0) != 0;
    }
    return !is_apart;
}

/// The largest distance between boxes of floats that keeps all whose boxes of doubles FCL finds nearer than
/// `distance`: FCL's square root of a sum of squares errs by some 2^-51.
inline float distance_around(double distance) { return round_up(distance * (1 + 0x1p-40)); }

}  // namespace fcl_example
