// BoxTree: splits, moves and removes nodes. Long work is deferred and done a little at each of the next
// changes: a node above leaves is split by moving a few of its children at a time, and the last boxes of a
// leaf join others one by one. In between, the tree is as correct as ever.
#include "broadphase/src/order/order.hpp"
#include "broadphase/src/tree/queries.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace broadside::broadphase {
namespace {

// A leaf with this few boxes is dissolved, and its boxes go to others.
constexpr std::uint32_t kFewInLeaf = 4;
// Children of a split node that are moved in one call.
constexpr std::uint32_t kMovedAtOnce = 2;
// Costs of work in units of a renewal.
constexpr std::int64_t kUnitsOfBegunSplit = 60;
constexpr std::int64_t kUnitsOfMovedNode = 40;
constexpr std::int64_t kUnitsOfMovedBox = 80;

// The half of the lanes with the larger numbers, or with the larger lane among equals.
std::uint32_t upper_half(const float* centers) {
    // Without a branch, so that all lanes are compared at once.
    std::int32_t ranks[kNodeWidth];
    for (std::int32_t lane = 0; lane < static_cast<std::int32_t>(kNodeWidth); ++lane) {
        std::int32_t rank = 0;
        for (std::int32_t other = 0; other < static_cast<std::int32_t>(kNodeWidth); ++other) {
            const std::int32_t is_before = centers[other] < centers[lane] ? 1 : 0;
            const std::int32_t is_equal = centers[other] == centers[lane] ? 1 : 0;
            rank += is_before | (is_equal & (other < lane ? 1 : 0));
        }
        ranks[lane] = rank;
    }
    std::uint32_t lanes = 0;
    for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane)
        lanes |= ranks[lane] >= static_cast<std::int32_t>(kNodeWidth / 2) ? kBitOfLane[lane] : 0u;
    return lanes;
}

// Half of the lanes of a full node: those with the larger centers on the axis of their widest spread.
std::uint32_t half_of_lanes(const float* node) {
    float centers[3][kNodeWidth];
    float span[3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const float* const min = node + (kMinX + axis) * kNodeWidth;
        const float* const max = node + (kMaxX + axis) * kNodeWidth;
        float low = FLT_MAX;
        float high = -FLT_MAX;
        for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) {
            const float center = clamped_center(min[lane], max[lane]);
            centers[axis][lane] = center;
            low = min_keep(center, low);
            high = max_keep(center, high);
        }
        span[axis] = high - low;
    }
    const std::uint32_t axis = span[0] >= span[1] && span[0] >= span[2] ? 0 : span[1] >= span[2] ? 1 : 2;
    return upper_half(centers[axis]);
}

}  // namespace

// Families that may be needed for this many joining boxes: at every level, and in a tree that begins.
std::size_t TreeNodes::families_needed(std::uint32_t join_count) const noexcept {
    return std::size_t{shape_.family_count} + std::size_t{join_count} * (shape_.level_count + 3);
}

// The sibling that takes a box for a full leaf of a full family: the best one with a free lane, or kNoLink.
// The family is split soon.
std::uint32_t TreeNodes::roomy_sibling(std::uint32_t leaf, const Aabb& box) noexcept {
    const std::uint32_t family = family_of(node_index(leaf));
    const float* const parent = planes_.data() + std::size_t{parents_.data()[family]} * kNodeFloats;
    std::uint32_t best = kNoLink;
    float best_cost = __builtin_inff();
    for (std::uint32_t rest = used_bits_.data()[family]; rest != 0; rest &= rest - 1) {
        const std::uint32_t lane = first_bit(rest);
        const std::uint32_t sibling = (family * kNodeWidth + lane) | kLeafBit;
        const float cost = joining_cost(lane_box(parent, lane), box);
        if (!(cost < best_cost) || used_lanes(links_.data() + first_slot(sibling)) == kAllLanes) continue;
        best = sibling;
        best_cost = cost;
    }
    if (best != kNoLink && shape_.crowded_box == kNoLink)
        shape_.crowded_box = links_.data()[first_slot(leaf)];
    return best;
}

// Notes a leaf that has few boxes left, which may soon join others.
void TreeNodes::note_sparse_leaf(const std::uint32_t* links, std::uint32_t used) noexcept {
    const bool is_sparse = !is_leaf(shape_.root) && std::popcount(used) <= static_cast<int>(kFewInLeaf);
    if (is_sparse && shape_.sparse_box == kNoLink) shape_.sparse_box = links[first_bit(used)];
}

// Does some deferred work. Returns its cost in units of a renewal; 0 if there is none.
std::int64_t TreeNodes::tidy() noexcept {
    if (shape_.split_lanes != 0) return go_on_with_split();
    if (shape_.crowded_box != kNoLink && begin_split()) return kUnitsOfBegunSplit + go_on_with_split();
    if (shape_.sparse_box != kNoLink && move_sparse_box()) return kUnitsOfMovedBox;
    return 0;
}

// Begins to split the highest of the full families above a crowded leaf, because the others need a lane
// there. Returns false if there is none any more, or no memory.
bool TreeNodes::begin_split() noexcept {
    const std::uint32_t slot = slot_of_box(shape_.crowded_box);
    const auto is_full = [&](std::uint32_t index) {
        return index != node_index(shape_.root) && used_bits_.data()[family_of(index)] == kAllLanes;
    };
    if (slot == kNoSlot || !is_full(slot / kNodeWidth)) {
        shape_.crowded_box = kNoLink;
        return false;
    }
    if (families_needed(1) > used_bits_.capacity() || is_at_full_depth()) return false;
    std::uint32_t index = parents_.data()[family_of(slot / kNodeWidth)];
    while (is_full(index)) index = parents_.data()[family_of(index)];
    if (index == shape_.root) index = push_down_root();
    shape_.split_node = index;
    shape_.split_sibling = new_sibling(index);
    shape_.split_lanes = half_of_lanes(planes_.data() + std::size_t{index} * kNodeFloats);
    return true;
}

// Moves a few children to the sibling.
std::int64_t TreeNodes::go_on_with_split() noexcept {
    const std::uint32_t index = shape_.split_node;
    const std::uint32_t sibling = shape_.split_sibling;
    for (std::uint32_t count = 0; count < kMovedAtOnce && shape_.split_lanes != 0; ++count) {
        const std::uint32_t lane = first_bit(shape_.split_lanes);
        shape_.split_lanes &= shape_.split_lanes - 1;
        move_child(index, sibling, lane);
    }
    const TreeKernels& kernels = *simd::active_kernels<TreeKernels>();
    kernels.close_nodes(planes_.data(), parents_.data(), index, 1);
    kernels.close_nodes(planes_.data(), parents_.data(), sibling, 1);
    return kMovedAtOnce * kUnitsOfMovedNode;
}

// A node that is moved or removed is split no further.
void TreeNodes::end_split_of(std::uint32_t index) noexcept {
    if (index == shape_.split_node || index == shape_.split_sibling) shape_.split_lanes = 0;
}

// Moves one of the last boxes of a leaf to another leaf. False if that is no longer needed, or impossible.
bool TreeNodes::move_sparse_box() noexcept {
    const std::uint32_t kept = std::exchange(shape_.sparse_box, kNoLink);
    if (slot_of_box(kept) == kNoSlot || is_leaf(shape_.root)) return false;
    std::uint32_t index = slot_of_box(kept) / kNodeWidth;
    std::uint32_t* const links = links_.data() + std::size_t{index} * kNodeWidth;
    const std::uint32_t used = used_lanes(links);
    if (std::popcount(used) > static_cast<int>(kFewInLeaf) || families_needed(1) > used_bits_.capacity())
        return false;
    const bool is_last = std::has_single_bit(used);
    const std::uint32_t kept_lane = slot_of_box(kept) % kNodeWidth;
    const std::uint32_t lane = is_last ? kept_lane : first_bit(used & ~(1u << kept_lane));
    const std::uint32_t box_index = links[lane];
    const Aabb box = slot_box(view(), first_slot(index) + lane);
    links[lane] = kNoLink;
    set_lane_box(planes_.data() + std::size_t{index} * kNodeFloats, lane, Aabb::empty());
    if (is_last) {
        --shape_.leaf_count;
        remove_node(index);
        shorten();
        put_box(leaf_for(box), box_index, box);
        return true;
    }
    // Hides the leaf, so that the box goes elsewhere.
    const std::uint32_t parent = parents_.data()[family_of(index)];
    set_lane_box(planes_.data() + std::size_t{parent} * kNodeFloats, index % kNodeWidth, Aabb::empty());
    put_box(leaf_for(box), box_index, box);
    index = slot_of_box(kept) / kNodeWidth;
    refit_up(index);
    if (slot_of_box(box_index) / kNodeWidth != index) shape_.sparse_box = kept;
    return true;
}

// Removes a node without children or boxes, and the nodes above that have no other child.
void TreeNodes::remove_node(std::uint32_t index) noexcept {
    end_split_of(index);
    const std::uint32_t family = family_of(index);
    const std::uint32_t parent = parents_.data()[family];
    if (parent == shape_.top) {
        shape_.root = kNoLink;
        shape_.family_count = 0;
        shape_.level_count = 0;
        return;
    }
    used_bits_.data()[family] &= ~(1u << index % kNodeWidth);
    set_lane_box(planes_.data() + std::size_t{parent} * kNodeFloats, index % kNodeWidth, Aabb::empty());
    if (used_bits_.data()[family] != 0) {
        refit_up(parent);
        return;
    }
    free_family(family);
    remove_node(parent);
}

// A root with only one child becomes that child.
void TreeNodes::shorten() noexcept {
    while (shape_.root != kNoLink && !is_leaf(shape_.root)) {
        const std::uint32_t first_child = view().child_of(shape_.root);
        const std::uint32_t family = family_of(node_index(first_child));
        const std::uint32_t used = used_bits_.data()[family];
        if (!std::has_single_bit(used)) return;
        const std::uint32_t child = first_child + first_bit(used);
        move_node(child, shape_.root | (child & kLeafBit));
        free_family(family);
        shape_.root |= child & kLeafBit;
        links_.data()[first_slot(shape_.top)] = shape_.root;
        --shape_.level_count;
    }
}

std::uint32_t TreeNodes::new_family(std::uint32_t parent) noexcept {
    std::uint32_t family = shape_.free_family;
    if (family != kNoLink) {
        shape_.free_family = parents_.data()[family];
    } else {
        family = shape_.family_count;
        set_family_count(family + 1);
    }
    parents_.data()[family] = parent;
    used_bits_.data()[family] = 0;
    return family;
}
void TreeNodes::free_family(std::uint32_t family) noexcept {
    used_bits_.data()[family] = 0;
    parents_.data()[family] = shape_.free_family;
    shape_.free_family = family;
}

// Moves a node to another index; both name a leaf or neither does. The caller updates the parents' lanes.
void TreeNodes::move_node(std::uint32_t from, std::uint32_t to) noexcept {
    const std::uint32_t from_index = node_index(from);
    const std::uint32_t to_index = node_index(to);
    end_split_of(from_index);
    end_split_of(to_index);
    std::copy_n(planes_.data() + std::size_t{from_index} * kNodeFloats, kNodeFloats,
                planes_.data() + std::size_t{to_index} * kNodeFloats);
    std::uint32_t* const links = links_.data() + first_slot(to);
    std::copy_n(links_.data() + first_slot(from), kNodeWidth, links);
    if (!is_leaf(from)) {
        parents_.data()[family_of(node_index(links[0]))] = to_index;
        return;
    }
    built_bounds_.data()[to_index] = built_bounds_.data()[from_index];
    for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) {
        if (links[lane] != kNoLink) slots_.data()[links[lane]] = first_slot(to) + lane;
    }
}

// Puts a new root above the old one. Returns the new name of the old one.
std::uint32_t TreeNodes::push_down_root() noexcept {
    const std::uint32_t index = node_index(shape_.root);
    const std::uint32_t leaf_bit = shape_.root & kLeafBit;
    const std::uint32_t family = new_family(index);
    const std::uint32_t child = family * kNodeWidth | leaf_bit;
    move_node(shape_.root, child);
    used_bits_.data()[family] = 1;
    float* const root = planes_.data() + std::size_t{index} * kNodeFloats;
    clear_lanes(root);
    set_lane_box(root, 0, view().bounds());
    links_.data()[first_slot(index)] = child;
    shape_.root = index;
    links_.data()[first_slot(shape_.top)] = index;
    ++shape_.level_count;
    return child;
}

// Moves half of a full node to a new sibling. Returns the name of the sibling. The node itself may move.
std::uint32_t TreeNodes::split(std::uint32_t node) noexcept {
    if (node == shape_.root) node = push_down_root();
    const std::uint32_t leaf_bit = node & kLeafBit;
    if (used_bits_.data()[family_of(node_index(node))] == kAllLanes) {
        // The node is found again by what is below it.
        const std::uint32_t below = links_.data()[first_slot(node)];
        (void)split(parents_.data()[family_of(node_index(node))]);
        node = leaf_bit | (leaf_bit != 0 ? slots_.data()[below] / kNodeWidth
                                         : parents_.data()[family_of(node_index(below))]);
    }
    const std::uint32_t index = node_index(node);
    const std::uint32_t sibling_index = new_sibling(index);
    const std::uint32_t sibling = sibling_index | leaf_bit;
    float* const lanes = planes_.data() + std::size_t{index} * kNodeFloats;
    std::uint32_t moved = half_of_lanes(lanes);
    if (leaf_bit == 0) {
        for (; moved != 0; moved &= moved - 1) move_child(index, sibling_index, first_bit(moved));
    } else {
        float* const sibling_lanes = planes_.data() + std::size_t{sibling_index} * kNodeFloats;
        std::uint32_t* const links = links_.data() + first_slot(node);
        std::uint32_t* const sibling_links = links_.data() + first_slot(sibling);
        for (std::uint32_t count = 0; moved != 0; moved &= moved - 1, ++count) {
            const std::uint32_t lane = first_bit(moved);
            set_lane_box(sibling_lanes, count, lane_box(lanes, lane));
            set_lane_box(lanes, lane, Aabb::empty());
            sibling_links[count] = std::exchange(links[lane], kNoLink);
            slots_.data()[sibling_links[count]] = first_slot(sibling) + count;
        }
    }
    const TreeKernels& kernels = *simd::active_kernels<TreeKernels>();
    kernels.close_nodes(planes_.data(), parents_.data(), index, 1);
    kernels.close_nodes(planes_.data(), parents_.data(), sibling_index, 1);
    if (leaf_bit != 0) {
        ++shape_.leaf_count;
        built_bounds_.data()[index] = view().box_around(index);
        built_bounds_.data()[sibling_index] = view().box_around(sibling_index);
    }
    return sibling;
}

// Adds a node beside one whose family has a free lane: a leaf without boxes, or a node with an empty family.
std::uint32_t TreeNodes::new_sibling(std::uint32_t index) noexcept {
    const std::uint32_t family = family_of(index);
    const std::uint32_t lane = first_bit(~used_bits_.data()[family]);
    const std::uint32_t sibling = family * kNodeWidth + lane;
    used_bits_.data()[family] |= 1u << lane;
    const std::uint32_t parent = parents_.data()[family];
    const bool is_of_leaves = is_leaf(links_.data()[first_slot(parent)]);
    const std::uint32_t children = is_of_leaves ? kNoLink : new_family(sibling);
    clear_lanes(planes_.data() + std::size_t{sibling} * kNodeFloats);
    std::uint32_t* const links = links_.data() + first_slot(sibling);
    std::fill_n(links, kNodeWidth, kNoLink);
    if (children != kNoLink) links[0] = children * kNodeWidth | (links_.data()[first_slot(index)] & kLeafBit);
    return sibling;
}

// Moves a child to the sibling, if that exists and has a free lane. The caller updates the boxes around both.
void TreeNodes::move_child(std::uint32_t index, std::uint32_t sibling, std::uint32_t lane) noexcept {
    const std::uint32_t first_child = links_.data()[first_slot(index)];
    const std::uint32_t new_first_child = links_.data()[first_slot(sibling)];
    std::uint32_t& used = used_bits_.data()[family_of(node_index(first_child))];
    std::uint32_t& new_used = used_bits_.data()[family_of(node_index(new_first_child))];
    if ((used >> lane & 1) == 0 || new_used == kAllLanes) return;
    const std::uint32_t new_lane = first_bit(~new_used);
    move_node(first_child + lane, new_first_child + new_lane);
    used &= ~(1u << lane);
    new_used |= 1u << new_lane;
    float* const lanes = planes_.data() + std::size_t{index} * kNodeFloats;
    set_lane_box(planes_.data() + std::size_t{sibling} * kNodeFloats, new_lane, lane_box(lanes, lane));
    set_lane_box(lanes, lane, Aabb::empty());
}

}  // namespace broadside::broadphase
