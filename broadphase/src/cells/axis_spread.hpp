// How boxes are spread along one axis, as stretches in each of which they are spread evenly.
#pragma once

#include "broadphase/src/cells/types.hpp"

#include <span>

namespace broadside::broadphase {

struct AxisSpread {
    struct Stretch {
        double begin;
        double length;
        /// The share of the axis's bins that it gets; all shares add up to one.
        double share;
    };
    Stretch stretches[kRampCountMax];
    int count;

    /// From 0 to 1: the share of the bins that lie before a position.
    double share_before(double position) const noexcept;
};

/// One stretch.
AxisSpread even_spread(double begin, double length) noexcept;

/// Stretches by where sampled boxes begin, in ascending order and at least two: as many boxes, as many bins,
/// and none where clusters are far apart. O(positions x stretches).
AxisSpread fit_spread(std::span<const float> positions) noexcept;

/// The ramps of a grid with so many cells on the axis.
void set_ramps(const AxisSpread& spread, double cells, int axis, CellGrid& state_grid) noexcept;

}  // namespace broadside::broadphase
