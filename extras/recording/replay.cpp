// A recording through find_pairs, World and CollisionStage.
#include "extras/recording/replay.hpp"

#include "extras/recording/recording_boxes.hpp"
#include "extras/recording/world_follower.hpp"
#include "extras/support/hash.hpp"

#include <broadside/collision_stage.hpp>
#include <broadside/scene_io/recording_motion.hpp>

#include <bit>

namespace broadside::recording {
namespace {

using Frame = std::vector<scene_io::BoxRecord>;

// More would make the rays the greater part of a replay.
constexpr std::size_t kMaxRayCount = 1000;

std::uint64_t hash_of(const Frame& frame) {
    extras::Hash hash;
    for (const scene_io::BoxRecord& record : frame) {
        hash.add(record.id);
        hash.add(static_cast<std::uint32_t>(record.kind));
        const Aabb& box = record.box;
        for (const float value : {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z}) {
            hash.add(std::bit_cast<std::uint32_t>(value));
        }
    }
    return hash.value();
}

class FindPairsReplay {
public:
    explicit FindPairsReplay(const ReplaySettings& settings) {
        settings_.algorithm = settings.algorithm;
        settings_.runner = settings.runner;
    }
    PathAnswer show(const Frame& frame, const BoxSoa& boxes) {
        require_ok(find_pairs(boxes, settings_, scratch_, pairs_).status);
        extras::Hash hash;
        for (const IndexPair& pair : pairs_) {
            hash.add(frame[pair.first].id);
            hash.add(frame[pair.second].id);
        }
        return {pairs_.size(), hash.value()};
    }

private:
    FindPairsSettings settings_;
    BoxScratch scratch_;
    PairBuffer pairs_;
};

class WorldReplay {
public:
    explicit WorldReplay(const ReplaySettings& settings)
        : follower_({.order = WorldOrder::user_data, .fixed_objects_pair = settings.fixed_objects_pair}),
          runner_(settings.runner) {}
    PathAnswer show(const Frame& frame) {
        follower_.prepare(frame);
        (void)follower_.step(runner_);
        const auto ids = follower_.ids();
        World& world = follower_.world();
        extras::Hash hash;
        const auto add_pairs = [&](const auto& pairs) {
            hash.add(std::uint64_t{pairs.size()});
            for (const auto& pair : pairs) {
                hash.add(ids.at(pair.a.value));
                hash.add(ids.at(pair.b.value));
            }
        };
        add_pairs(world.begun());
        add_pairs(world.persisting());
        add_pairs(world.ended());
        hash.add(world.pairs_hash());
        return {world.pair_count(), hash.value()};
    }

private:
    WorldFollower follower_;
    const TaskRunner* runner_;
};

class StageReplay {
public:
    explicit StageReplay(const ReplaySettings& settings) {
        settings_.algorithm = settings.algorithm;
        settings_.runner = settings.runner;
    }
    PathAnswer show(const Frame& frame, const Frame& next, const BoxSoa& boxes) {
        StageInput input;
        input.boxes = boxes;
        set_displacements(scene_io::displacements_to(next, frame));
        input.displacements = {x_.data(), y_.data(), z_.data(), x_.size()};
        set_rays(frame);
        input.rays = rays_;
        require_ok(stage_.step(input, settings_).status);
        return {stage_.candidate_pairs().size(), stage_.result_hash()};
    }

private:
    void set_displacements(const std::vector<Vec3>& displacements) {
        x_.clear();
        y_.clear();
        z_.clear();
        for (const Vec3 displacement : displacements) {
            x_.push_back(displacement.x);
            y_.push_back(displacement.y);
            z_.push_back(displacement.z);
        }
    }
    // From the center of one box in this many to that of the next one.
    void set_rays(const Frame& frame) {
        rays_.clear();
        const std::size_t step = frame.size() / kMaxRayCount + 1;
        for (std::size_t i = 0; i + 1 < frame.size(); i += step) {
            const Vec3 origin = center(frame[i].box);
            rays_.push_back({origin, center(frame[i + 1].box) - origin, 1.0f});
        }
    }

    StageSettings settings_;
    CollisionStage stage_;
    std::vector<float> x_, y_, z_;
    std::vector<Ray> rays_;
};

}  // namespace

const char* replay_path_name(ReplayPath path) {
    constexpr std::array<const char*, kReplayPathCount> kNames = {"find_pairs", "world", "stage"};
    return kNames[static_cast<std::size_t>(path)];
}

std::vector<ReplayFrame> replay(const scene_io::Recording& recording, const ReplaySettings& settings,
                                const std::function<void(std::size_t)>& report_progress) {
    FindPairsReplay find_pairs_replay(settings);
    WorldReplay world_replay(settings);
    StageReplay stage_replay(settings);
    const auto& frames = recording.frames;
    std::vector<ReplayFrame> answers;
    for (std::size_t index = 0; index < frames.size(); ++index) {
        const Frame& frame = frames[index];
        const Frame& next = frames[index + 1 < frames.size() ? index + 1 : index];
        const BoxSoa boxes = boxes_of(frame);
        ReplayFrame& answer = answers.emplace_back();
        answer.box_count = frame.size();
        answer.input_hash = hash_of(frame);
        if (settings.is_run[0]) answer.answers[0] = find_pairs_replay.show(frame, boxes);
        if (settings.is_run[1]) answer.answers[1] = world_replay.show(frame);
        if (settings.is_run[2]) answer.answers[2] = stage_replay.show(frame, next, boxes);
        if (report_progress) report_progress(index + 1);
    }
    return answers;
}

}  // namespace broadside::recording
