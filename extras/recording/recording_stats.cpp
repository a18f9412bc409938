// The contents of a recording, in numbers.
#include "extras/recording/recording_stats.hpp"

#include "extras/recording/recording_boxes.hpp"

#include <broadside/scene_io/recording_motion.hpp>

#include <algorithm>
#include <cmath>

namespace broadside::recording {
namespace {

using Frame = std::vector<scene_io::BoxRecord>;

double longest_side(const Aabb& box) {
    const Vec3 sides = size(box);
    return static_cast<double>(std::max({sides.x, sides.y, sides.z}));
}

double distance(Vec3 a, Vec3 b) {
    return std::hypot(static_cast<double>(a.x) - static_cast<double>(b.x),
                      static_cast<double>(a.y) - static_cast<double>(b.y),
                      static_cast<double>(a.z) - static_cast<double>(b.z));
}

void count_pairs(const Frame& frame, FrameStats& state_stats) {
    for (const IndexPair& pair : pairs_of(frame)) {
        ++state_stats.pair_count;
        if (!is_static(frame[pair.first]) || !is_static(frame[pair.second])) {
            ++state_stats.pair_count_without_static;
        }
    }
}

// The objects that moved between two frames, and how far.
struct Motions {
    std::vector<double> lengths;
    std::vector<double> in_sides;

    void add(const Frame& before, const Frame& now, FrameStats& state_stats) {
        const scene_io::FrameChanges changes = scene_io::find_changes(before, now);
        state_stats.added_count = changes.added.size();
        state_stats.removed_count = changes.removed.size();
        for (const auto& [before_index, now_index] : changes.survivors) {
            const scene_io::BoxRecord& old_record = before[before_index];
            const scene_io::BoxRecord& new_record = now[now_index];
            if (old_record.kind != new_record.kind) ++state_stats.kind_change_count;
            if (old_record.box == new_record.box) continue;
            ++state_stats.moved_count;
            lengths.push_back(distance(center(old_record.box), center(new_record.box)));
            const double side = longest_side(old_record.box);
            if (side > 0) in_sides.push_back(lengths.back() / side);
        }
    }
};

}  // namespace

RecordingStats stats_of(const scene_io::Recording& recording) {
    RecordingStats stats;
    std::vector<double> sides;
    Motions motions;
    for (std::size_t index = 0; index < recording.frames.size(); ++index) {
        const Frame& frame = recording.frames[index];
        FrameStats& frame_stats = stats.frames.emplace_back();
        frame_stats.box_count = frame.size();
        for (const scene_io::BoxRecord& record : frame) {
            ++frame_stats.kind_counts[static_cast<std::size_t>(record.kind)];
            sides.push_back(longest_side(record.box));
            stats.bounds = include(stats.bounds, record.box);
        }
        count_pairs(frame, frame_stats);
        if (index > 0) motions.add(recording.frames[index - 1], frame, frame_stats);
    }
    stats.object_count = ids_of(recording).size();
    stats.longest_side = spread_of(std::move(sides));
    stats.motion = spread_of(std::move(motions.lengths));
    stats.relative_motion = spread_of(std::move(motions.in_sides));
    return stats;
}

}  // namespace broadside::recording
