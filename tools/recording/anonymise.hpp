// A recording that may be shown to others: its ids and places say nothing of where it comes from.
#pragma once

#include <broadside/scene_io/boxrec.hpp>

#include <array>

namespace broadside::recording {

/// How a recording is disguised. Exact, every one: coordinates are exchanged, negated and scaled by a power
/// of two, which rounds nothing, so that each order between two coordinates of an axis is what it was, or the
/// reverse.
struct Disguise {
    /// New axis i is old axis axes[i]: a permutation of 0, 1, 2.
    std::array<std::uint8_t, 3> axes = {0, 1, 2};
    /// Whether new axis i is mirrored.
    std::array<bool, 3> is_mirrored = {};
    /// Coordinates are multiplied by two to this power.
    int scale_exponent = 0;
    /// Added in the end, and the only step that rounds: boxes may come to touch that did not. Default none.
    Vec3 shift = {0, 0, 0};
    /// Default false: ids become their ranks, so that boxes keep their order. Else they are dealt out at
    /// random.
    bool shuffles_ids = false;
    /// Of the random order of ids.
    std::uint64_t seed = 0;
};

/// Axes, mirrors and a scale between 1/8 and 8 at random.
Disguise random_disguise(std::uint64_t seed);

/// The disguised recording. It keeps: frames, boxes in each, kinds, lifetimes, which box overlaps which
/// (closed) in each frame, and sizes and motion but for axes, signs and scale. Checked before it is returned:
/// an error when a coordinate leaves the range of float or loses a digit to the scale, or when the shift
/// changed the pairs of a frame, which it names.
scene_io::Result<scene_io::Recording> anonymise(const scene_io::Recording& recording,
                                                const Disguise& disguise);

}  // namespace broadside::recording
