// The spread of boxes along one axis: stretches, each with evenly spread boxes.
#pragma once

#include "broadphase/src/cells/types.hpp"

#include <span>

namespace broadside::broadphase {

struct AxisSpread {
    struct Stretch {
        double begin;
        double length;
        /// The stretch's share of the bins of the axis; all shares add up to one.
        double share;
        /// The shares of the stretches before it.
        double shares_before;
    };
    Stretch stretches[kRampCountMax];
    int count;

    /// Share of the bins that lie before a position, 0 to 1.
    double share_before(double position) const noexcept;
};

/// A spread of one stretch.
AxisSpread even_spread(double begin, double length) noexcept;

/// Fits stretches to `positions`: the starts of sampled boxes, ascending, at least two. A stretch gets bins
/// in proportion to its boxes; wide gaps between clusters get none. O(positions x stretches).
AxisSpread fit_spread(std::span<const float> positions) noexcept;

/// Sets the ramps of one axis of the grid, which has `cells` cells on it.
void set_ramps(const AxisSpread& spread, double cells, int axis, CellGrid& state_grid) noexcept;

}  // namespace broadside::broadphase
