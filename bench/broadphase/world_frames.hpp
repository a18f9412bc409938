// Scenes as an engine passes them: frame after frame, all boxes, and the indices of the moved ones. Shared by
// the suites of World and of its peers; the preparation of frames is never timed.
#pragma once

#include "bench/last_used.hpp"
#include "bench/soa_of.hpp"

#include <broadside/find_pairs.hpp>
#include <broadside/scenes/box_scene.hpp>

#include <algorithm>
#include <chrono>

namespace broadside::bench {

/// A scene in motion. Objects that never move are fixed, and two fixed boxes do not pair.
struct WorldScene {
    const char* name;
    scenes::Layout layout;
    scenes::Motion motion;
    /// Frames for one step of the scene: everything moves this many times slower.
    std::uint32_t frames_per_step = 1;
};

inline constexpr WorldScene kWorldScenes[] = {
    {"uniform_moving", scenes::Layout::uniform, scenes::Motion::all},
    {"static90", scenes::Layout::uniform, scenes::Motion::a_tenth},
    {"city90", scenes::Layout::city, scenes::Motion::a_tenth},
    {"uniform_slow", scenes::Layout::uniform, scenes::Motion::all, 10},
    {"pile_moving", scenes::Layout::pile, scenes::Motion::all},
    {"wall_moving", scenes::Layout::wall, scenes::Motion::all},
    {"mixed_moving", scenes::Layout::mixed, scenes::Motion::all},
    {"clustered_moving", scenes::Layout::clustered, scenes::Motion::all},
    {"islands_moving", scenes::Layout::islands, scenes::Motion::all},
    {"mixture_moving", scenes::Layout::mixture, scenes::Motion::all},
};
inline constexpr std::size_t kWorldCounts[] = {1000, 10'000, 100'000, 1'000'000};

/// One frame of a scene.
struct WorldFrame {
    std::vector<Aabb> boxes;
    /// Boxes that have moved since the previous frame, ascending.
    std::vector<std::uint32_t> moved;
    BoxSoa moved_boxes;
};

/// Consecutive frames of a scene without end. Several are made at a time, so that a frame is not in the cache
/// merely because it was just made.
class WorldFrames {
public:
    WorldFrames(const WorldScene& scene, std::size_t count)
        : scene_(scene.layout, scene.motion, count),
          is_mostly_fixed_(scene.motion == scenes::Motion::a_tenth),
          frames_per_step_(scene.frames_per_step),
          batch_(std::clamp<std::size_t>(kBoxesAhead / count, 1, 16)) {
        rewind();
    }

    std::size_t count() const { return scene_.resting_boxes().size(); }
    bool is_fixed(std::size_t index) const { return is_mostly_fixed_ && index % 10 != 0; }
    /// The scene before its first step.
    const std::vector<Aabb>& first_boxes() const { return first_.boxes; }

    void rewind() {
        next_index_ = 1;
        position_ = batch_.size();
        scene_.frame(0, first_);
        before_ = first_.boxes;
    }

    /// Valid until the call after the next.
    const WorldFrame& next() {
        if (position_ == batch_.size()) {
            for (WorldFrame& frame : batch_) prepare(frame);
            position_ = 0;
        }
        return batch_[position_++];
    }

private:
    static constexpr std::size_t kBoxesAhead = 1'000'000;

    void prepare(WorldFrame& out_frame) {
        scene_.frame(next_index_ / frames_per_step_, made_);
        const auto part = static_cast<float>(next_index_ % frames_per_step_);
        ++next_index_;
        if (part != 0) {
            const float of_step = part / static_cast<float>(frames_per_step_);
            for (std::size_t i = 0; i < count(); ++i) {
                const Vec3 offset = made_.displacements[i] * of_step;
                made_.boxes[i] = {made_.boxes[i].min + offset, made_.boxes[i].max + offset};
            }
        }
        out_frame.boxes = made_.boxes;
        out_frame.moved.clear();
        for (std::size_t i = 0; i < count(); ++i) {
            if (!(made_.boxes[i] == before_[i])) out_frame.moved.push_back(static_cast<std::uint32_t>(i));
        }
        if (out_frame.moved_boxes.resize(out_frame.moved.size()) != Status::ok) std::abort();
        for (std::size_t k = 0; k < out_frame.moved.size(); ++k) {
            out_frame.moved_boxes.set(k, made_.boxes[out_frame.moved[k]]);
        }
        before_ = made_.boxes;
    }

    scenes::BoxScene scene_;
    bool is_mostly_fixed_;
    std::uint32_t frames_per_step_;
    std::vector<WorldFrame> batch_;
    std::size_t position_ = 0;
    std::uint64_t next_index_ = 1;
    scenes::BoxFrame first_;
    scenes::BoxFrame made_;
    std::vector<Aabb> before_;
};

/// The frames of a scene from its beginning, kept until another scene is requested.
inline WorldFrames& world_frames(const WorldScene& scene, std::size_t count) {
    static LastUsed<WorldFrames> last;
    WorldFrames& frames =
        last.get(scene.name + std::to_string(count), [&] { return WorldFrames(scene, count); });
    frames.rewind();
    return frames;
}

/// The expected pairs of every broadphase for the boxes of a frame: find_pairs, without the pairs of two
/// fixed boxes.
inline std::vector<IndexPair> expected_pairs(const WorldFrames& frames, const std::vector<Aabb>& boxes) {
    PairBuffer found;
    if (find_pairs(soa_of(boxes), found).status != Status::ok) std::abort();
    std::vector<IndexPair> pairs(found.begin(), found.end());
    std::erase_if(pairs, [&](const IndexPair& pair) {
        return frames.is_fixed(pair.first) && frames.is_fixed(pair.second);
    });
    return pairs;
}

/// Seconds of a call; for manual timing, which leaves the preparation of frames out.
template <class Call>
double seconds_of(Call&& call) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Frames that every run gets before timing; their results are checked.
inline constexpr int kWarmUpFrameCount = 4;

}  // namespace broadside::bench
