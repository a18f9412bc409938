// Motion of the objects of a recording from one frame to the next.
#pragma once

#include <broadside/scene_io/boxrec.hpp>

namespace broadside::scene_io {

/// The motion of the center of each box of `now` to the frame `next`; zero for objects that vanish.
std::vector<Vec3> displacements_to(std::span<const BoxRecord> next, std::span<const BoxRecord> now);

/// Changes from one frame to the next; indices ascend.
struct FrameChanges {
    /// Objects of both frames, by their indices in `now` and in `next`.
    struct Survivor {
        std::uint32_t now_index;
        std::uint32_t next_index;
    };
    std::vector<Survivor> survivors;
    /// Indices in `next`.
    std::vector<std::uint32_t> added;
    /// Indices in `now`.
    std::vector<std::uint32_t> removed;
};

/// O(objects): ids ascend in both frames.
FrameChanges find_changes(std::span<const BoxRecord> now, std::span<const BoxRecord> next);

}  // namespace broadside::scene_io
