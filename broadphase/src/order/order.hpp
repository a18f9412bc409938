// The sorting that a tree is built by: which boxes share a leaf, and which leaves a node.
#pragma once

#include "core/src/geometry/node.hpp"

#include <broadside/aabb.hpp>
#include <broadside/box_view.hpp>
#include <broadside/task_runner.hpp>

#include <cstdint>

namespace broadside::broadphase {

using namespace nodes;

/// The largest finite number with which sums and differences of two stay finite.
inline constexpr float kCoordinateMax = FLT_MAX / 4;

/// The middle of an axis as a finite number, so that differences of two are finite too; 0 if it has no ends.
inline float clamped_center(float min, float max) {
    const float middle = min * 0.5f + max * 0.5f;
    const float within = min_keep(max_keep(middle, -kCoordinateMax), kCoordinateMax);
    return middle == middle ? within : 0.0f;
}

/// A box as the sorting sees it: corners within kCoordinateMax, each in four lanes, of which the last does
/// not count. In the larger corner it holds the bits of the index.
struct BoxRecord {
    float min[4];
    float max[4];

    std::uint32_t index() const { return __builtin_bit_cast(std::uint32_t, max[3]); }
    void set_index(std::uint32_t index) { max[3] = __builtin_bit_cast(float, index); }
};

/// The boxes of a view that go into a tree: all, or those listed, ascending.
struct TreeMembers {
    const std::uint32_t* indices = nullptr;
    std::size_t count = 0;

    std::uint32_t operator[](std::size_t i) const {
        return indices != nullptr ? indices[i] : static_cast<std::uint32_t>(i);
    }
};

/// The levels above the leaves of a tree of `member_count` boxes, not 0, and the most families it may have.
std::uint32_t tree_height(std::size_t member_count) noexcept;
std::size_t family_count_max(std::size_t member_count) noexcept;

/// The nodes that begin with a box, as a number; leaves are at level 0. They are all up to the level `top`,
/// whose parent is one above that, except those above `highest`, which would have one child each. `highest`
/// is below `top` only from 1 on, so that a leaf's siblings are leaves. 0 is no node.
inline std::uint8_t begun_levels(std::uint32_t top, std::uint32_t highest) {
    return static_cast<std::uint8_t>((top - highest) << 4 | (top + 1));
}
inline std::uint32_t parent_level(std::uint8_t levels) { return levels & 15u; }
inline std::uint32_t begun_count(std::uint8_t levels) { return (levels & 15u) - (levels >> 4); }

/// Puts the members into the order of the leaves, within a leaf by index: one record each, whose corners are
/// useless afterwards. `out_levels` says for each which nodes begin with it. Boxes that are much larger than
/// most, which would stretch the leaves of their neighbours, have nodes of their own; the invalid ones are
/// among them. A function of the boxes alone. O(count · log count).
void order_boxes(const BoxSoaView& boxes, const TreeMembers& members, const TaskRunner* runner,
                 BoxRecord* out_records, std::uint8_t* out_levels) noexcept;
/// The same without sorting: leaves hold members as they follow each other. O(count).
void list_boxes(const TreeMembers& members, BoxRecord* out_records, std::uint8_t* out_levels) noexcept;

}  // namespace broadside::broadphase
