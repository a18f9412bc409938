// A World that follows a recording.
#include "extras/recording/world_follower.hpp"

#include "extras/recording/recording_boxes.hpp"

#include <broadside/scene_io/recording_motion.hpp>

namespace broadside::recording {
namespace {

ObjectKind kind_of(const scene_io::BoxRecord& record) {
    return is_static(record) ? ObjectKind::fixed : ObjectKind::moving;
}

}  // namespace

// After a step the objects that it added have handles.
void WorldFollower::take_over() {
    for (std::size_t i = 0; i < added_handles_.size(); ++i) next_handles_[added_[i]] = added_handles_[i];
    frame_.swap(next_);
    handles_.swap(next_handles_);
    removed_.clear();
    added_.clear();
    descriptions_.clear();
    added_handles_.clear();
    moved_.clear();
    kind_changes_.clear();
}

void WorldFollower::prepare(const std::vector<scene_io::BoxRecord>& next) {
    take_over();
    next_ = next;
    next_handles_.assign(next.size(), {});
    const scene_io::FrameChanges changes = scene_io::find_changes(frame_, next);
    for (const std::uint32_t index : changes.removed) removed_.push_back(handles_[index]);
    added_ = changes.added;
    for (const std::uint32_t index : added_) {
        ObjectDescription& description = descriptions_.emplace_back();
        description.box = next[index].box;
        description.kind = kind_of(next[index]);
        description.user_data = next[index].id;
    }
    added_handles_.resize(added_.size());
    moved_boxes_.clear();
    for (const auto& [now_index, next_index] : changes.survivors) {
        const ObjectHandle handle = handles_[now_index];
        next_handles_[next_index] = handle;
        if (!(next[next_index].box == frame_[now_index].box)) {
            moved_.push_back(handle);
            require_ok(moved_boxes_.push_back(next[next_index].box));
        }
        const ObjectKind kind = kind_of(next[next_index]);
        if (kind != kind_of(frame_[now_index])) kind_changes_.emplace_back(handle, kind);
    }
}

std::unordered_map<std::uint64_t, std::uint32_t> WorldFollower::ids() const {
    std::unordered_map<std::uint64_t, std::uint32_t> ids;
    for (std::size_t i = 0; i < handles_.size(); ++i) ids.emplace(handles_[i].value, frame_[i].id);
    for (std::size_t i = 0; i < added_.size(); ++i) ids.emplace(added_handles_[i].value, next_[added_[i]].id);
    return ids;
}

UpdateResult WorldFollower::step(const TaskRunner* runner) {
    require_ok(world_.remove(removed_).status);
    require_ok(world_.add(descriptions_, added_handles_).status);
    require_ok(world_.set_boxes(moved_, moved_boxes_).status);
    for (const auto& [handle, kind] : kind_changes_) {
        require_ok(world_.set_kind(std::span(&handle, 1), kind).status);
    }
    const UpdateResult result = world_.update(runner);
    require_ok(result.status);
    return result;
}

}  // namespace broadside::recording
