// Which boxes share a leaf, and which leaves a node: the sorting that a tree is built by.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/box_view.hpp>
#include <broadside/task_runner.hpp>

#include <cstdint>

namespace broadside::broadphase {

/// The middle of an axis as a finite number, so that differences of two are finite too; of one without ends
/// it is 0.
inline float clamped_center(float min, float max) {
    constexpr float kLimit = FLT_MAX / 4;
    const float middle = min * 0.5f + max * 0.5f;
    if (!(absolute(middle) <= kLimit)) return middle > 0.0f ? kLimit : middle < 0.0f ? -kLimit : 0.0f;
    return middle;
}

/// A box as the sorting sees it.
struct CenterRecord {
    float center[3];
    std::uint32_t index;
};

/// The boxes of a view that go into a tree: all of it, or those listed, ascending.
struct TreeMembers {
    const std::uint32_t* indices = nullptr;
    std::size_t count = 0;

    std::uint32_t operator[](std::size_t i) const {
        return indices != nullptr ? indices[i] : static_cast<std::uint32_t>(i);
    }
};

/// Writes to `out_indices` the number of every member, and kNoBox where the last leaf has no box, in an order
/// in which any kNodeWidth in a row that begin at a multiple of it lie near each other, as do any kNodeWidth
/// such runs, and so on for every power. It ends with the boxes that are much larger than most, which would
/// stretch the leaves of their neighbours, and after them the invalid ones. Within a leaf the order is that
/// of the index. A function of the boxes alone. `records` is room for one per member. O(count · log count).
void order_boxes(const BoxSoaView& boxes, const TreeMembers& members, const TaskRunner* runner,
                 CenterRecord* records, std::uint32_t* out_indices) noexcept;

}  // namespace broadside::broadphase
