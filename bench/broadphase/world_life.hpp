// Sequences of many objects as an engine reports them, frame by frame: vanished, new and moved ones. Shared
// by World and its competitors; making a frame is never timed.
#pragma once

#include "bench/broadphase/world_frames.hpp"
#include "bench/file_scenes.hpp"

#include <broadside/scenes/scene_random.hpp>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace broadside::bench {

class Life {
public:
    virtual ~Life() = default;
    /// Makes the next frame of the objects at these indices, which keep their index forever.
    void step() {
        removed.clear();
        added.clear();
        moved.clear();
        make_frame();
        ++frame;
    }

    /// Boxes by index. Two fixed objects do not pair. Entries without an object are undefined.
    std::vector<Aabb> boxes;
    std::vector<bool> are_fixed;
    /// The motion of each within a frame, by which its box is swept; empty if there is none.
    std::vector<Vec3> displacements;
    /// Changes of this frame. In the first one all objects appear.
    std::vector<std::uint32_t> removed;
    std::vector<std::uint32_t> added;
    std::vector<std::uint32_t> moved;
    std::size_t frame = 0;

protected:
    explicit Life(std::size_t count) : boxes(count), are_fixed(count) {}
    virtual void make_frame() = 0;
    void add_all() {
        for (std::uint32_t i = 0; i < boxes.size(); ++i) added.push_back(i);
    }
};

/// The steady motion of a scene.
class SceneLife final : public Life {
public:
    SceneLife(const WorldScene& scene, std::size_t count) : Life(count), frames_(scene, count) {
        for (std::size_t i = 0; i < count; ++i) are_fixed[i] = frames_.is_fixed(i);
    }

private:
    void make_frame() override {
        if (frame == 0) {
            boxes = frames_.first_boxes();
            return add_all();
        }
        const WorldFrame& next = frames_.next();
        boxes = next.boxes;
        moved = next.moved;
    }

    WorldFrames frames_;
};

enum class LifeKind { teleports, random_movers, spawns, wake, fast, projectiles, jitter };

struct LifeSpec {
    const char* name;
    LifeKind kind;
    /// Share of all objects, in a frame.
    float share;
};

inline constexpr LifeSpec kLives[] = {
    {"teleports_1_percent", LifeKind::teleports, 0.01f},
    {"teleports_all", LifeKind::teleports, 1},
    {"random_movers_0.1_percent", LifeKind::random_movers, 0.001f},
    {"random_movers_1_percent", LifeKind::random_movers, 0.01f},
    {"random_movers_5_percent", LifeKind::random_movers, 0.05f},
    {"random_movers_30_percent", LifeKind::random_movers, 0.3f},
    {"spawns_1_percent", LifeKind::spawns, 0.01f},
    {"sudden_wake", LifeKind::wake, 1},
    {"fast_motion", LifeKind::fast, 1},
    {"projectiles", LifeKind::projectiles, 1},
    {"jitter", LifeKind::jitter, 1},
};

/// Motion that is not steady, in a scene as dense as `uniform`.
class UnsteadyLife final : public Life {
public:
    UnsteadyLife(const LifeSpec& spec, std::size_t count)
        : Life(count), spec_(spec), random_(7), side_(1.26f * std::cbrt(static_cast<float>(count))) {
        const bool has_projectiles = spec.kind == LifeKind::projectiles;
        first_mover_ = has_projectiles ? count - count / kMoverDivisor : 0;
        const float speed = has_projectiles ? 3 : spec.kind == LifeKind::fast ? 0.3f : 0.05f;
        for (std::uint32_t i = 0; i < count; ++i) {
            are_fixed[i] = i < first_mover_;
            boxes[i] = anywhere(i);
            steps_.push_back(random_.in_cube(speed));
        }
        if (has_projectiles) {
            displacements = steps_;
            std::fill_n(displacements.begin(), first_mover_, Vec3{});
        }
    }

private:
    static constexpr std::size_t kMoverDivisor = 6;

    void make_frame() override {
        if (frame == 0) return add_all();
        for (std::size_t i = first_mover_; i < boxes.size(); ++i) live(static_cast<std::uint32_t>(i));
    }
    Aabb anywhere(std::size_t i) {
        const float half = side_ / 2;
        const Vec3 min = random_.in_cube(half) + Vec3{half, half, half};
        const Vec3 by = random_.in_cube(0.5f);
        const Vec3 extent =
            first_mover_ != 0 && i >= first_mover_ ? Vec3{0.1f, 0.1f, 0.1f} : Vec3{1, 1, 1} + by;
        return {min, min + extent};
    }
    bool is_chosen() { return random_.in_cube(1).x * 0.5f + 0.5f < spec_.share; }
    void move(std::uint32_t i, Vec3 by) {
        boxes[i] = {boxes[i].min + by, boxes[i].max + by};
        moved.push_back(i);
    }
    void leap(std::uint32_t i) {
        boxes[i] = anywhere(i);
        moved.push_back(i);
    }
    void live(std::uint32_t i) {
        switch (spec_.kind) {
            case LifeKind::teleports:
                return is_chosen() ? leap(i) : move(i, steps_[i]);
            case LifeKind::random_movers:
                if (is_chosen()) move(i, random_.in_cube(0.1f));
                return;
            case LifeKind::spawns:
                if (!is_chosen()) return move(i, steps_[i]);
                boxes[i] = anywhere(i);
                removed.push_back(i);
                added.push_back(i);
                return;
            case LifeKind::wake:
                // Twenty frames of a handful, twenty of all.
                if (frame / 20 % 2 == 1 || i < 3) move(i, steps_[i]);
                return;
            case LifeKind::jitter:
                return move(i, random_.in_cube(0.001f));
            case LifeKind::fast:
                return move(i, steps_[i]);
            case LifeKind::projectiles: {
                move(i, steps_[i]);
                const Vec3 at = boxes[i].min;
                const bool is_in =
                    at.x >= 0 && at.y >= 0 && at.z >= 0 && at.x <= side_ && at.y <= side_ && at.z <= side_;
                if (!is_in) boxes[i] = anywhere(i);
                return;
            }
        }
    }

    LifeSpec spec_;
    scenes::SceneRandom random_;
    float side_;
    std::size_t first_mover_ = 0;
    std::vector<Vec3> steps_;
};

/// A recording, repeated from its beginning after its end. Objects are indexed by their ids in ascending
/// order.
class RecordedLife final : public Life {
public:
    explicit RecordedLife(const FileScene& file) : Life(0), file_(file) {
        for (const auto& records : file.frames) {
            for (const scene_io::BoxRecord& record : records) index_of_.emplace(record.id, 0);
        }
        std::uint32_t next = 0;
        for (auto& [id, index] : index_of_) index = next++;
        boxes.resize(next);
        are_fixed.resize(next);
        are_alive_.resize(next);
    }

private:
    void make_frame() override {
        std::vector<bool> were_alive(are_alive_.size());
        std::swap(were_alive, are_alive_);
        for (const scene_io::BoxRecord& record : file_.frames[frame % file_.frames.size()]) {
            const std::uint32_t i = index_of_.at(record.id);
            are_alive_[i] = true;
            if (!were_alive[i]) {
                are_fixed[i] = record.kind == scene_io::BoxKind::static_object;
                added.push_back(i);
            } else if (!(boxes[i] == record.box)) {
                moved.push_back(i);
            }
            boxes[i] = record.box;
        }
        for (std::uint32_t i = 0; i < boxes.size(); ++i) {
            if (were_alive[i] && !are_alive_[i]) removed.push_back(i);
        }
    }

    const FileScene& file_;
    std::map<std::uint32_t, std::uint32_t> index_of_;
    std::vector<bool> are_alive_;
};

}  // namespace broadside::bench
