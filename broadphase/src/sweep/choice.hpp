// What a sweep is to look like, guessed from a sample of the boxes: a wrong guess costs time and nothing
// else.
#pragma once

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

struct SweepChoice {
    /// 0, 1 or 2 for x, y or z.
    int axis;
    /// A box longer than this along the axis is set apart.
    float size_max;
};

/// The axis on which the most pairs of sampled boxes are apart (the first of equals), or the one that
/// `forced` names. `b` is null when there is one set; with two, pairs of one box from each are looked at.
/// Invalid boxes are skipped. Only the order of coordinates counts, so outliers, infinite boxes and units are
/// of no consequence.
SweepChoice choose_sweep(const BoxSoaView& a, const BoxSoaView* b, SweepAxis forced) noexcept;

}  // namespace broadside::broadphase
