// The contents of a recording, in numbers.
#pragma once

#include "extras/recording/spread.hpp"

#include <broadside/scene_io/boxrec.hpp>

#include <array>

namespace broadside::recording {

struct FrameStats {
    std::size_t box_count = 0;
    /// Counts by the value of BoxKind.
    std::array<std::size_t, 3> kind_counts = {};
    /// Against the frame before; zero in the first one.
    std::size_t added_count = 0;
    std::size_t removed_count = 0;
    std::size_t kind_change_count = 0;
    /// Objects whose box has changed, bit for bit.
    std::size_t moved_count = 0;
    /// Closed overlaps, and those that are not between two static boxes.
    std::size_t pair_count = 0;
    std::size_t pair_count_without_static = 0;
};

struct RecordingStats {
    std::vector<FrameStats> frames;
    /// Different ids in the whole recording.
    std::size_t object_count = 0;
    /// Around all boxes of all frames; Aabb::empty() if there is none.
    Aabb bounds = Aabb::empty();
    /// Longest sides of all boxes of all frames.
    Spread longest_side;
    /// Distances that the centers of moved boxes went in a frame; and the same in longest sides of the box,
    /// if those are not zero.
    Spread motion;
    Spread relative_motion;
};

/// O(boxes log boxes + pairs). The pairs are those of find_pairs on the active ISA.
RecordingStats stats_of(const scene_io::Recording& recording);

}  // namespace broadside::recording
