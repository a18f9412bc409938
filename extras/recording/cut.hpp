// A part of a recording: frames, objects, kinds, a region.
#pragma once

#include <broadside/scene_io/boxrec.hpp>

#include <optional>

namespace broadside::recording {

/// Ids from `first` to `last`, both included.
struct IdRange {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
};

struct CutSettings {
    /// Default: all frames. A range that goes beyond the recording is cut off.
    std::size_t first_frame = 0;
    std::size_t frame_count = static_cast<std::size_t>(-1);
    /// Objects of any of these ranges; default: all.
    std::vector<IdRange> ids = {};
    /// Boxes of any of these kinds; default: all.
    std::vector<scene_io::BoxKind> kinds = {};
    /// Boxes that overlap it, closed, frame by frame; default: all. An object that leaves it is removed.
    std::optional<Aabb> region = {};
    /// Default false. Otherwise an object that is in the region in one of the frames stays in all of them.
    bool keeps_whole_lives = false;
};

scene_io::Recording cut(const scene_io::Recording& recording, const CutSettings& settings);

}  // namespace broadside::recording
