// A recording that may be shown to others: its ids and positions do not reveal its origin.
#pragma once

#include <broadside/scene_io/boxrec.hpp>

#include <array>

namespace broadside::recording {

/// The disguise of a recording. Each part is exact: coordinates are exchanged, negated and scaled by a power
/// of two, which rounds nothing, so that the order of any two coordinates of an axis is kept, or reversed.
struct Disguise {
    /// New axis i is old axis axes[i]: a permutation of 0, 1, 2.
    std::array<std::uint8_t, 3> axes = {0, 1, 2};
    /// True if new axis i is mirrored.
    std::array<bool, 3> is_mirrored = {};
    /// Coordinates are multiplied by two to this power.
    int scale_exponent = 0;
    /// Added at the end, and the only step that rounds: separate boxes may come to touch. Default none.
    Vec3 shift = {0, 0, 0};
    /// Default false: ids become their ranks, so that boxes keep their order. Otherwise they are assigned at
    /// random.
    bool shuffles_ids = false;
    /// Seed of the random order of ids.
    std::uint64_t seed = 0;
};

/// Axes, mirrors and a scale between 1/8 and 8 at random.
Disguise random_disguise(std::uint64_t seed);

/// The disguised recording. It keeps: frames, boxes in each, kinds, lifetimes, the overlaps (closed) in each
/// frame, and sizes and motion up to axes, signs and scale. Checked before it is returned: an error if a
/// coordinate leaves the range of float or loses a digit to the scale, or if the shift changed the pairs of a
/// frame, which it names.
scene_io::Result<scene_io::Recording> anonymise(const scene_io::Recording& recording,
                                                const Disguise& disguise);

}  // namespace broadside::recording
