// BoxTree: one box at a time. A box that moves is refitted in its leaf, or goes to another one; leaves and
// nodes that are full are split, those that are empty removed, as in a B-tree. Leaves have leaves for siblings.
#include <broadside/box_tree.hpp>
#include <broadside/float_environment.hpp>

#include "broadphase/src/order/order.hpp"
#include "broadphase/src/tree/queries.hpp"
#include "core/src/argument.hpp"

#include <algorithm>
#include <bit>

namespace broadside {
namespace broadphase {
namespace {

// Slots are 32-bit numbers, and the last one says that there is none.
constexpr std::uint64_t kFamilyCountMax = (std::uint64_t{1} << 32) / (kNodeWidth * kNodeWidth) - 1;

// A leaf with so few boxes is given up, and its boxes go to others.
constexpr std::uint32_t kFewInLeaf = 4;

// What may be split for so many boxes that join: at every level, and in a tree that begins.
std::size_t families_needed(std::uint32_t family_count, std::uint32_t level_count, std::uint32_t join_count) {
    return std::size_t{family_count} + std::size_t{join_count} * (level_count + 3);
}

// As leaves hold boxes: invalid ones as empty lanes, and +0 for -0.
Aabb lane_form(const Aabb& box) {
    const Vec3 zero = {0, 0, 0};
    return is_valid(box) ? Aabb{box.min + zero, box.max + zero} : Aabb::empty();
}
bool has_equal_corners(const Aabb& a, const Aabb& b) { return a.min == b.min && a.max == b.max; }

// What a step of a box does to its leaf, as a share of what a box does that joins: steps to and fro add up by
// their squares, and one of a fifth of a leaf counts in full.
constexpr float kStepWear = 20.0f;
float wear_of_step(const Aabb& before, const Aabb& after, float leaf_edge) {
    const float wear = length_sq(center(after) - center(before)) * kStepWear;
    return wear < leaf_edge * leaf_edge ? wear / (leaf_edge * leaf_edge) : 1.0f;
}
// A leaf that has lost a box is no worse for questions, but there are more leaves for the boxes that are left.
constexpr float kRemovalWear = 0.25f;

// Bits from a list, and not from shifts by the lane, are joined four lanes at a time.
constexpr std::uint32_t kBitOfLane[kNodeWidth] = {1u << 0,  1u << 1,  1u << 2,  1u << 3, 1u << 4,  1u << 5,
                                                  1u << 6,  1u << 7,  1u << 8,  1u << 9, 1u << 10, 1u << 11,
                                                  1u << 12, 1u << 13, 1u << 14, 1u << 15};
std::uint32_t used_lanes(const std::uint32_t* links) {
    std::uint32_t lanes = 0;
    for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane)
        lanes |= links[lane] != kNoLink ? kBitOfLane[lane] : 0u;
    return lanes;
}
std::uint32_t first_bit(std::uint32_t bits) { return static_cast<std::uint32_t>(std::countr_zero(bits)); }

void clear_lanes(float* node) {
    for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) set_lane_box(node, lane, Aabb::empty());
}

// Lanes that come behind half of the others: by a number, and among equals by lane.
std::uint32_t upper_half(const float* centers) {
    // Without a branch, so that all of them are compared at once.
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

// Half of the lanes of a full node: those with the larger centers on the axis on which these are furthest
// apart.
std::uint32_t split_lanes(const float* node) {
    float centers[3][kNodeWidth];
    float span[3];
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
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
}  // namespace broadphase

using namespace broadphase;

Status BoxTree::set_box(std::uint32_t box_index, const Aabb& box) noexcept {
    const FloatEnvironment environment;
    if (!BROADSIDE_ARGUMENT(box_index < kMaxBoxCount, "box_index: not below kMaxBoxCount"))
        return Status::invalid_argument;
    if (simd::active_kernels<TreeKernels>() == nullptr) return Status::unsupported_isa;
    if (nodes_.is_at_full_depth()) {
        if (const Status status = build_anew(); status != Status::ok) return status;
    }
    float wear = 0.0f;
    const Status status = nodes_.set_box(box_index, lane_form(box), wear);
    if (status == Status::ok && wear >= 0.0f) note_change(box_index, wear);
    return status;
}

// The wear is that of the tree in boxes that have joined; below 0 where the box is as it was.
Status BoxTree::Nodes::set_box(std::uint32_t box_index, const Aabb& lane, float& out_wear) noexcept {
    out_wear = 1.0f;
    const std::uint32_t slot = slot_of_box(box_index);
    if (slot == kNoSlot) return insert_box(box_index, lane);
    const Aabb before = slot_box(view(), slot);
    if (has_equal_corners(before, lane)) {
        out_wear = -1.0f;
        return Status::ok;
    }
    // Among the boxes that its leaf was built of it stays there. What reaches to infinity has no center.
    const Vec3 middle = center(lane);
    const bool stays =
        is_empty(lane) || !is_finite(middle) || contains(built_bounds_.data()[slot / kNodeWidth], middle);
    if (!stays) {
        if (const Status status = reserve_split(box_index); status != Status::ok) return status;
        remove_at(slot);
        return insert_box(box_index, lane);
    }
    out_wear = wear_of_step(before, lane, shape_.leaf_edge);
    note_validity(box_index, is_empty(before), is_empty(lane));
    set_lane_box(planes_.data() + std::size_t{slot / kNodeWidth} * kNodeFloats, slot % kNodeWidth, lane);
    refit_up(slot / kNodeWidth);
    return Status::ok;
}

Status BoxTree::remove_box(std::uint32_t box_index) noexcept {
    const FloatEnvironment environment;
    if (!BROADSIDE_ARGUMENT(nodes_.slot_of_box(box_index) != kNoSlot, "box_index: no member"))
        return Status::invalid_argument;
    if (simd::active_kernels<TreeKernels>() == nullptr) return Status::unsupported_isa;
    nodes_.remove_at(nodes_.slot_of_box(box_index));
    note_change(box_index, kRemovalWear);
    return Status::ok;
}

std::uint32_t BoxTree::Nodes::slot_of_box(std::uint32_t box_index) const noexcept {
    return box_index < shape_.box_count && shape_.root != kNoLink ? slots_.data()[box_index] : kNoSlot;
}

InvalidBoxes BoxTree::invalid_boxes() const noexcept {
    const FloatEnvironment environment;
    const InvalidBoxes& invalid = nodes_.shape_.invalid;
    if (invalid.count == 0 || invalid.first_index != kNoIndex) return invalid;
    // The first one has become valid, or was removed.
    const std::uint32_t* const slots = nodes_.slots_.data();
    std::uint32_t index = 0;
    while (slots[index] == kNoSlot || !is_empty(slot_box(view(), slots[index]))) ++index;
    return {invalid.count, index};
}

// A box is counted as invalid no more, or from now on.
void BoxTree::Nodes::note_validity(std::uint32_t box_index, bool was_invalid, bool is_invalid) noexcept {
    InvalidBoxes& invalid = shape_.invalid;
    if (was_invalid == is_invalid) return;
    if (is_invalid) {
        const bool is_first =
            invalid.count == 0 || (invalid.first_index != kNoIndex && box_index < invalid.first_index);
        if (is_first) invalid.first_index = box_index;
        ++invalid.count;
    } else {
        if (invalid.first_index == box_index) invalid.first_index = kNoIndex;
        --invalid.count;
    }
}

void BoxTree::Nodes::refit_up(std::uint32_t index) noexcept {
    simd::active_kernels<TreeKernels>()->refit_up(planes_.data(), parents_.data(), index);
}

// No level can be added.
bool BoxTree::Nodes::is_at_full_depth() const noexcept { return shape_.level_count + 1 >= kMaxLevelCount; }

// Memory for a box that joins, whatever has to be split for it.
Status BoxTree::Nodes::reserve_split(std::uint32_t box_index) noexcept {
    const std::size_t box_count = std::max<std::size_t>(shape_.box_count, std::size_t{box_index} + 1);
    if (!slots_.reserve_to_append(box_count - std::min(box_count, slots_.size())))
        return Status::out_of_memory;
    if (is_at_full_depth()) return Status::capacity_exceeded;
    const std::size_t needed = families_needed(shape_.family_count, shape_.level_count, 1);
    if (needed > kFamilyCountMax) return Status::capacity_exceeded;
    // The last of the arrays that grow together.
    if (needed <= used_bits_.capacity()) return Status::ok;
    // Enough for a tree until it is renewed, whose full nodes have all been split.
    return reserve_families(2 * needed) ? Status::ok : Status::out_of_memory;
}

// One leaf without a box.
void BoxTree::Nodes::begin_tree() noexcept {
    constexpr std::uint32_t kTop = kNodeWidth;
    set_family_count(2);
    parents_.data()[0] = kTop;
    parents_.data()[1] = kNoLink;
    used_bits_.data()[0] = 1;
    used_bits_.data()[1] = 1;
    clear_lanes(planes_.data());
    clear_lanes(planes_.data() + std::size_t{kTop} * kNodeFloats);
    std::fill_n(links_.data(), kNodeWidth, kNoLink);
    links_.data()[first_slot(kTop)] = kLeafBit;
    built_bounds_.data()[0] = Aabb::empty();
    shape_.root = kLeafBit;
    shape_.top = kTop;
    shape_.leaf_count = 1;
    shape_.level_count = 1;
    shape_.free_family = kNoLink;
    shape_.built_count = 0;
    shape_.invalid = {};
    (void)slots_.resize(shape_.box_count);
    std::fill_n(slots_.data(), shape_.box_count, kNoSlot);
}

Status BoxTree::Nodes::insert_box(std::uint32_t box_index, const Aabb& box) noexcept {
    if (const Status status = reserve_split(box_index); status != Status::ok) return status;
    if (shape_.root == kNoLink) begin_tree();
    set_box_count(std::max<std::size_t>(shape_.box_count, std::size_t{box_index} + 1));
    shape_.is_as_built = false;
    ++shape_.member_count;
    note_validity(box_index, false, is_empty(box));
    put_box(leaf_for(box), box_index, box);
    return Status::ok;
}

// Not fewer than there are. The array has the room.
void BoxTree::Nodes::set_box_count(std::size_t box_count) noexcept {
    (void)slots_.resize(box_count);
    std::fill(slots_.data() + shape_.box_count, slots_.data() + box_count, kNoSlot);
    shape_.box_count = box_count;
}

// The leaf that a box had best join; it has a free lane.
std::uint32_t BoxTree::Nodes::leaf_for(const Aabb& box) noexcept {
    const TreeKernels& kernels = *simd::active_kernels<TreeKernels>();
    // What is invalid may be anywhere.
    const Aabb joining = is_empty(box) ? Aabb{{0, 0, 0}, {0, 0, 0}} : box;
    const TreeView tree = view();
    std::uint32_t node = tree.root;
    while (!is_leaf(node)) {
        const std::uint32_t first_child = tree.child_of(node);
        const std::uint32_t used = used_bits_.data()[family_of(node_index(first_child))];
        const std::uint32_t lane = kernels.choose_child(tree.node(node), joining);
        node = first_child + ((used >> lane & 1) != 0 ? lane : first_bit(used));
    }
    const std::uint32_t* const links = links_.data() + first_slot(node);
    if (used_lanes(links) != kAllLanes) return node;
    const std::uint32_t boxes[kNodeWidth] = {links[0],  links[1],  links[2],  links[3], links[4],  links[5],
                                             links[6],  links[7],  links[8],  links[9], links[10], links[11],
                                             links[12], links[13], links[14], links[15]};
    const std::uint32_t sibling = split(node);
    // The node itself may be elsewhere by now.
    std::uint32_t kept = node;
    for (const std::uint32_t index : boxes) {
        const std::uint32_t leaf = slots_.data()[index] / kNodeWidth | kLeafBit;
        if (leaf != sibling) kept = leaf;
    }
    const TreeView grown = view();
    const float cost_of_kept = joining_cost(grown.box_around(node_index(kept)), joining);
    const float cost_of_sibling = joining_cost(grown.box_around(node_index(sibling)), joining);
    return cost_of_sibling < cost_of_kept ? sibling : kept;
}

void BoxTree::Nodes::put_box(std::uint32_t leaf, std::uint32_t box_index, const Aabb& box) noexcept {
    const std::uint32_t index = node_index(leaf);
    std::uint32_t* const links = links_.data() + first_slot(leaf);
    const std::uint32_t lane = first_bit(~used_lanes(links));
    links[lane] = box_index;
    slots_.data()[box_index] = first_slot(leaf) + lane;
    set_lane_box(planes_.data() + std::size_t{index} * kNodeFloats, lane, box);
    // So that it does not set out again at its next step.
    Aabb& built = built_bounds_.data()[index];
    const Vec3 middle = center(box);
    if (!is_empty(box) && is_finite(middle)) built = include(built, {middle, middle});
    refit_up(index);
}

void BoxTree::Nodes::remove_at(std::uint32_t slot) noexcept {
    const std::uint32_t index = slot / kNodeWidth;
    std::uint32_t* const links = links_.data() + std::size_t{index} * kNodeWidth;
    const std::uint32_t box_index = links[slot % kNodeWidth];
    note_validity(box_index, is_empty(slot_box(view(), slot)), false);
    shape_.is_as_built = false;
    --shape_.member_count;
    slots_.data()[box_index] = kNoSlot;
    links[slot % kNodeWidth] = kNoLink;
    set_lane_box(planes_.data() + std::size_t{index} * kNodeFloats, slot % kNodeWidth, Aabb::empty());
    const std::uint32_t used = used_lanes(links);
    // Its boxes join others, and then the one that it has lost may.
    const bool is_given_up =
        !is_leaf(shape_.root) && std::popcount(used) <= static_cast<int>(kFewInLeaf) &&
        families_needed(shape_.family_count, shape_.level_count, kFewInLeaf + 1) <= used_bits_.capacity();
    if (used != 0 && !is_given_up) {
        refit_up(index);
        return;
    }
    std::uint32_t left[kFewInLeaf];
    Aabb left_boxes[kFewInLeaf];
    std::uint32_t left_count = 0;
    for (std::uint32_t rest = used; rest != 0; rest &= rest - 1) {
        const std::uint32_t lane = first_bit(rest);
        left[left_count] = links[lane];
        left_boxes[left_count++] = slot_box(view(), first_slot(index) + lane);
        links[lane] = kNoLink;
    }
    --shape_.leaf_count;
    remove_node(index);
    shorten();
    for (std::uint32_t i = 0; i < left_count; ++i) put_box(leaf_for(left_boxes[i]), left[i], left_boxes[i]);
}

// A node without children or boxes, and those above that have no other.
void BoxTree::Nodes::remove_node(std::uint32_t index) noexcept {
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

// A root with one child only becomes that child.
void BoxTree::Nodes::shorten() noexcept {
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

std::uint32_t BoxTree::Nodes::new_family(std::uint32_t parent) noexcept {
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
void BoxTree::Nodes::free_family(std::uint32_t family) noexcept {
    used_bits_.data()[family] = 0;
    parents_.data()[family] = shape_.free_family;
    shape_.free_family = family;
}

// What is at one index to another; both names are of a leaf or neither. The parents' lanes are the caller's.
void BoxTree::Nodes::move_node(std::uint32_t from, std::uint32_t to) noexcept {
    const std::uint32_t from_index = node_index(from);
    const std::uint32_t to_index = node_index(to);
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

// A new root above what was the root, whose name is the answer.
std::uint32_t BoxTree::Nodes::push_down_root() noexcept {
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

// Half of a full node goes to a new one beside it, whose name is the answer. The node itself may be moved.
std::uint32_t BoxTree::Nodes::split(std::uint32_t node) noexcept {
    if (node == shape_.root) node = push_down_root();
    const std::uint32_t leaf_bit = node & kLeafBit;
    if (used_bits_.data()[family_of(node_index(node))] == kAllLanes) {
        // By what is below it a node is found again.
        const std::uint32_t below = links_.data()[first_slot(node)];
        (void)split(parents_.data()[family_of(node_index(node))]);
        node = leaf_bit | (leaf_bit != 0 ? slots_.data()[below] / kNodeWidth
                                         : parents_.data()[family_of(node_index(below))]);
    }
    const std::uint32_t index = node_index(node);
    const std::uint32_t family = family_of(index);
    const std::uint32_t sibling_lane = first_bit(~used_bits_.data()[family]);
    const std::uint32_t sibling = (family * kNodeWidth + sibling_lane) | leaf_bit;
    used_bits_.data()[family] |= 1u << sibling_lane;
    // Before the addresses below are taken.
    const std::uint32_t first_child = links_.data()[first_slot(node)];
    const std::uint32_t new_children = leaf_bit != 0 ? kNoLink : new_family(node_index(sibling));
    float* const lanes = planes_.data() + std::size_t{index} * kNodeFloats;
    float* const sibling_lanes = planes_.data() + std::size_t{node_index(sibling)} * kNodeFloats;
    std::uint32_t* const links = links_.data() + first_slot(node);
    std::uint32_t* const sibling_links = links_.data() + first_slot(sibling);
    clear_lanes(sibling_lanes);
    std::fill_n(sibling_links, kNodeWidth, kNoLink);
    std::uint32_t count = 0;
    for (std::uint32_t rest = split_lanes(lanes); rest != 0; rest &= rest - 1) {
        const std::uint32_t lane = first_bit(rest);
        const std::uint32_t sibling_slot = count++;
        set_lane_box(sibling_lanes, sibling_slot, lane_box(lanes, lane));
        set_lane_box(lanes, lane, Aabb::empty());
        if (leaf_bit != 0) {
            sibling_links[sibling_slot] = links[lane];
            slots_.data()[links[lane]] = first_slot(sibling) + sibling_slot;
            links[lane] = kNoLink;
        } else {
            const std::uint32_t child_bit = first_child & kLeafBit;
            move_node(first_child + lane, (new_children * kNodeWidth + sibling_slot) | child_bit);
            used_bits_.data()[family_of(node_index(first_child))] &= ~(1u << lane);
            used_bits_.data()[new_children] |= 1u << sibling_slot;
            sibling_links[0] = new_children * kNodeWidth | child_bit;
        }
    }
    const TreeKernels& kernels = *simd::active_kernels<TreeKernels>();
    kernels.close_nodes(planes_.data(), parents_.data(), index, 1);
    kernels.close_nodes(planes_.data(), parents_.data(), node_index(sibling), 1);
    if (leaf_bit != 0) {
        ++shape_.leaf_count;
        built_bounds_.data()[index] = view().box_around(index);
        built_bounds_.data()[node_index(sibling)] = view().box_around(node_index(sibling));
    }
    return sibling;
}

// At once, from the tree's own boxes.
Status BoxTree::build_anew() noexcept {
    const std::size_t count = box_count();
    if (!rebuilt_boxes_.resize(6 * count)) return Status::out_of_memory;
    float* const columns = rebuilt_boxes_.data();
    for (std::uint32_t index = 0; index < count; ++index) {
        const std::uint32_t slot = nodes_.slot_of_box(index);
        const Aabb box = slot == kNoSlot ? Aabb::empty() : slot_box(view(), slot);
        const float corners[6] = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z};
        for (std::size_t column = 0; column < 6; ++column) columns[column * count + index] = corners[column];
    }
    const auto column = [&](std::size_t number) { return columns + number * count; };
    return build_again({column(0), column(1), column(2), column(3), column(4), column(5), count}, nullptr);
}

}  // namespace broadside
