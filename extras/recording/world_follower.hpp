// A World that follows a recording as an engine would: it gets the changes, and nothing else.
#pragma once

#include <broadside/box_soa.hpp>
#include <broadside/scene_io/boxrec.hpp>
#include <broadside/world.hpp>

#include <unordered_map>
#include <vector>

namespace broadside::recording {

/// User data of an object is its id. Static boxes are fixed objects, all others moving ones.
class WorldFollower {
public:
    explicit WorldFollower(const WorldSettings& settings) : world_(settings) {}

    /// Collects the changes from the last frame to this one; no part of an engine's cost for its broadphase.
    void prepare(const std::vector<scene_io::BoxRecord>& next);
    /// Passes the changes to the world, and updates its pairs. Throws std::runtime_error if it refuses.
    UpdateResult step(const TaskRunner* runner);

    World& world() { return world_; }
    /// The ids of all objects by their handles, including those that the last step removed. O(objects).
    std::unordered_map<std::uint64_t, std::uint32_t> ids() const;

private:
    void take_over();

    World world_;
    // The last frame, and the handles of its objects, by index.
    std::vector<scene_io::BoxRecord> frame_;
    std::vector<ObjectHandle> handles_;

    // The changes, valid from `prepare` on.
    std::vector<scene_io::BoxRecord> next_;
    std::vector<ObjectHandle> next_handles_;
    std::vector<ObjectHandle> removed_;
    std::vector<std::uint32_t> added_;
    std::vector<ObjectDescription> descriptions_;
    std::vector<ObjectHandle> added_handles_;
    std::vector<ObjectHandle> moved_;
    BoxSoa moved_boxes_;
    std::vector<std::pair<ObjectHandle, ObjectKind>> kind_changes_;
};

}  // namespace broadside::recording
