// Motion of the objects of a recording from one frame to the next.
#include <broadside/scene_io/recording_motion.hpp>

namespace broadside::scene_io {

FrameChanges find_changes(std::span<const BoxRecord> now, std::span<const BoxRecord> next) {
    FrameChanges changes;
    std::uint32_t in_next = 0;
    for (std::uint32_t in_now = 0; in_now < now.size(); ++in_now) {
        while (in_next < next.size() && next[in_next].id < now[in_now].id) changes.added.push_back(in_next++);
        if (in_next < next.size() && next[in_next].id == now[in_now].id) {
            changes.survivors.push_back({in_now, in_next++});
        } else {
            changes.removed.push_back(in_now);
        }
    }
    while (in_next < next.size()) changes.added.push_back(in_next++);
    return changes;
}

std::vector<Vec3> displacements_to(std::span<const BoxRecord> next, std::span<const BoxRecord> now) {
    std::vector<Vec3> displacements(now.size(), Vec3{});
    for (const FrameChanges::Survivor& survivor : find_changes(now, next).survivors) {
        displacements[survivor.now_index] =
            center(next[survivor.next_index].box) - center(now[survivor.now_index].box);
    }
    return displacements;
}

}  // namespace broadside::scene_io
