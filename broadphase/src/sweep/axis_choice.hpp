// The axis and size limit of a sweep, guessed from a sample of the boxes: a wrong guess costs only time.
#pragma once

#include "broadphase/src/lists/box_sets.hpp"

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

struct SweepChoice {
    /// 0, 1 or 2 for x, y or z.
    int axis;
    /// A box longer than this along the axis is set apart.
    float size_max;
};

/// Chooses the axis on which the most pairs of sampled boxes are apart (the first of equals), or the one that
/// `forced` names. With two sets, pairs of one box from each are counted. Invalid boxes are skipped. Only the
/// order of coordinates counts, so outliers, infinite boxes and units do not matter.
SweepChoice choose_sweep(const BoxSets& sets, SweepAxis forced) noexcept;

}  // namespace broadside::broadphase
