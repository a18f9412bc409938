// BoxTree: changes of one box at a time. A box that moves is refitted in its leaf, or goes to another one.
// Full leaves and nodes are split and empty ones removed, as in a B-tree. Siblings of leaves are leaves.
#include <broadside/box_tree.hpp>
#include <broadside/float_environment.hpp>

#include "broadphase/src/order/ranges.hpp"
#include "broadphase/src/thresholds.hpp"
#include "broadphase/src/tree/queries.hpp"
#include "core/src/argument.hpp"

#include <algorithm>
#include <bit>

namespace broadside {
namespace broadphase {
namespace {

// Slots are 32-bit numbers, and the last one means none.
constexpr std::uint64_t kFamilyCountMax = (std::uint64_t{1} << 32) / kNodeWidth / kNodeWidth - 1;

// The form in which leaves hold boxes: invalid ones as empty lanes, and +0 for -0.
Aabb lane_form(const Aabb& box) {
    const Vec3 zero = {0, 0, 0};
    return is_valid(box) ? Aabb{box.min + zero, box.max + zero} : Aabb::empty();
}
bool has_equal_corners(const Aabb& a, const Aabb& b) { return a.min == b.min && a.max == b.max; }

// The wear that a step of a box causes in its leaf, as a share of that of a joining box: steps to and fro add
// up by their squares, and one of a fifth of a leaf counts in full.
constexpr float kStepWear = 20.0f;
float wear_of_step(const Aabb& before, const Aabb& after, float leaf_edge) {
    const float wear = length_sq(center(after) - center(before)) * kStepWear;
    return wear < leaf_edge * leaf_edge ? wear / (leaf_edge * leaf_edge) : 1.0f;
}
// A leaf that has lost a box is no worse for queries, but there are more leaves for the boxes that are left.
constexpr float kRemovalWear = 0.25f;

}  // namespace
}  // namespace broadphase

using namespace broadphase;

Status BoxTree::set_box(std::uint32_t box_index, const Aabb& box) noexcept {
    const FloatEnvironment environment;
    if (!BROADSIDE_ARGUMENT(box_index < kMaxBoxCount, "box_index: not below kMaxBoxCount"))
        return Status::invalid_argument;
    if (simd::active_kernels<TreeKernels>() == nullptr) return Status::unsupported_isa;
    TreeData* const data = TreeData::made_of(*this);
    return data == nullptr ? Status::out_of_memory : data->set_box(box_index, box);
}

Status TreeData::set_box(std::uint32_t box_index, const Aabb& box) noexcept {
    if (nodes_.is_at_full_depth()) {
        if (const Status status = build_anew(); status != Status::ok) return status;
    }
    float wear = 0.0f;
    const std::uint32_t leaf_count = nodes_.shape_.leaf_count;
    const Status status = nodes_.set_box(box_index, lane_form(box), wear);
    if (status == Status::ok && wear >= 0.0f) note_change(box_index, wear, leaf_count);
    return status;
}

// `out_wear` is the wear of the tree in units of joining boxes; below 0 if the box has not changed.
Status TreeNodes::set_box(std::uint32_t box_index, const Aabb& lane, float& out_wear) noexcept {
    out_wear = 1.0f;
    const std::uint32_t slot = slot_of_box(box_index);
    if (slot == kNoSlot) return insert_box(box_index, lane);
    const Aabb before = slot_box(view(), slot);
    if (has_equal_corners(before, lane)) {
        out_wear = -1.0f;
        return Status::ok;
    }
    // A box stays while its center is among the boxes that its leaf was built of, unless it shrinks to less than
    // an eighth of them, which says little of where they are. A box that reaches to infinity has no center.
    const Vec3 middle = center(lane);
    const Aabb& built = built_bounds_.data()[slot / kNodeWidth];
    const float least_edge = ordering::longest_edge(built) / 8.0f;
    const bool has_shrunk =
        ordering::longest_edge(lane) < least_edge && !(ordering::longest_edge(before) < least_edge);
    const bool stays = is_empty(lane) || !is_finite(middle) || (contains(built, middle) && !has_shrunk);
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
    if (!BROADSIDE_ARGUMENT(data_ != nullptr && data_->is_member(box_index), "box_index: no member"))
        return Status::invalid_argument;
    if (simd::active_kernels<TreeKernels>() == nullptr) return Status::unsupported_isa;
    data_->remove_box(box_index);
    return Status::ok;
}
void TreeData::remove_box(std::uint32_t box_index) noexcept {
    const std::uint32_t leaf_count = nodes_.shape_.leaf_count;
    nodes_.remove_at(nodes_.slot_of_box(box_index));
    note_change(box_index, kRemovalWear, leaf_count);
}

InvalidBoxes BoxTree::invalid_boxes() const noexcept {
    const FloatEnvironment environment;
    return data_ == nullptr ? InvalidBoxes{} : data_->invalid_boxes();
}
InvalidBoxes TreeData::invalid_boxes() const noexcept {
    const InvalidBoxes& invalid = nodes_.shape_.invalid;
    if (invalid.count == 0 || invalid.first_index != kNoIndex) return invalid;
    // The first invalid box has become valid, or was removed.
    const std::uint32_t* const slots = nodes_.slots_.data();
    std::uint32_t index = 0;
    while (slots[index] == kNoSlot || !is_empty(slot_box(view(), slots[index]))) ++index;
    return {invalid.count, index};
}

// Counts a box as invalid from now on, or no more.
void TreeNodes::note_validity(std::uint32_t box_index, bool was_invalid, bool is_invalid) noexcept {
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

void TreeNodes::refit_up(std::uint32_t index) noexcept {
    simd::active_kernels<TreeKernels>()->refit_up(planes_.data(), parents_.data(), index);
}

// Whether no level can be added.
bool TreeNodes::is_at_full_depth() const noexcept {
    static_assert(Thresholds().trees.levels_max == kMaxLevelCount, "a walk has room for as many levels");
    return shape_.level_count + 1 >= thresholds().trees.levels_max;
}

// Reserves memory for a joining box, whatever must be split for it.
Status TreeNodes::reserve_split(std::uint32_t box_index) noexcept {
    const std::size_t box_count = std::max<std::size_t>(shape_.box_count, std::size_t{box_index} + 1);
    if (!slots_.reserve_to_append(box_count - std::min(box_count, slots_.size())))
        return Status::out_of_memory;
    if (is_at_full_depth()) return Status::capacity_exceeded;
    const std::size_t needed = families_needed(1);
    if (needed > kFamilyCountMax) return Status::capacity_exceeded;
    // The last of the arrays that grow together.
    if (needed <= used_bits_.capacity()) return Status::ok;
    // Enough for a tree until it is renewed, even if all of its full nodes are split.
    return reserve_families(2 * needed) ? Status::ok : Status::out_of_memory;
}

// Begins with one leaf without a box.
void TreeNodes::begin_tree() noexcept {
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

Status TreeNodes::insert_box(std::uint32_t box_index, const Aabb& box) noexcept {
    if (const Status status = reserve_split(box_index); status != Status::ok) return status;
    if (shape_.root == kNoLink) begin_tree();
    set_box_count(std::max<std::size_t>(shape_.box_count, std::size_t{box_index} + 1));
    shape_.is_as_built = false;
    ++shape_.member_count;
    note_validity(box_index, false, is_empty(box));
    put_box(leaf_for(box), box_index, box);
    return Status::ok;
}

// Not fewer than there are. The array has the capacity.
void TreeNodes::set_box_count(std::size_t box_count) noexcept {
    (void)slots_.resize(box_count);
    std::fill(slots_.data() + shape_.box_count, slots_.data() + box_count, kNoSlot);
    shape_.box_count = box_count;
}

// The leaf that a box should join; it has a free lane.
std::uint32_t TreeNodes::leaf_for(const Aabb& box) noexcept {
    const TreeKernels& kernels = *simd::active_kernels<TreeKernels>();
    // An invalid box may be anywhere.
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
    if (node != shape_.root && used_bits_.data()[family_of(node_index(node))] == kAllLanes) {
        const std::uint32_t sibling = roomy_sibling(node, joining);
        if (sibling != kNoLink) return sibling;
    }
    std::uint32_t boxes[kNodeWidth];
    std::copy_n(links, kNodeWidth, boxes);
    const std::uint32_t sibling = split(node);
    // The node itself may have moved.
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

void TreeNodes::put_box(std::uint32_t leaf, std::uint32_t box_index, const Aabb& box) noexcept {
    const std::uint32_t index = node_index(leaf);
    std::uint32_t* const links = links_.data() + first_slot(leaf);
    const std::uint32_t lane = first_bit(~used_lanes(links));
    links[lane] = box_index;
    slots_.data()[box_index] = first_slot(leaf) + lane;
    set_lane_box(planes_.data() + std::size_t{index} * kNodeFloats, lane, box);
    // So that the box does not move on at its next step.
    Aabb& built = built_bounds_.data()[index];
    const Vec3 middle = center(box);
    if (!is_empty(box) && is_finite(middle)) built = include(built, {middle, middle});
    refit_up(index);
}

void TreeNodes::remove_at(std::uint32_t slot) noexcept {
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
    if (used != 0) {
        note_sparse_leaf(links, used);
        refit_up(index);
        return;
    }
    --shape_.leaf_count;
    remove_node(index);
    shorten();
}

// Rebuilds at once, from the tree's own boxes.
Status TreeData::build_anew() noexcept {
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
