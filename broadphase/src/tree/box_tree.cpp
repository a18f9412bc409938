// BoxTree: building, refitting, and the judgement between the two.
#include <broadside/box_tree.hpp>
#include <broadside/float_environment.hpp>

#include "broadphase/src/lists/arena.hpp"
#include "broadphase/src/tree/order.hpp"
#include "broadphase/src/tree/queries.hpp"
#include "core/src/zones.hpp"

#include <broadside/bits.hpp>
#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <type_traits>

namespace broadside {
namespace broadphase {
namespace {

// Leaves of a task: a multiple of the node width, so that tasks share no parent.
constexpr std::size_t kLeafChunk = 32 * kNodeWidth;
constexpr std::size_t kNodeChunk = 64 * kNodeWidth;

std::uint32_t group_count(std::uint32_t count) { return (count + kNodeWidth - 1) / kNodeWidth; }

void clear_node(float* node) {
    for (std::uint32_t i = 0; i < kNodeFloats; ++i) {
        node[i] = i < kMaxX * kNodeWidth ? __builtin_inff() : -__builtin_inff();
    }
}

// Two rows of one leaf, kMaxX - kMinX rows apart. The number of lanes is known to the compiler for all leaves
// but one.
void gather_rows(const float* min, const float* max, const std::uint32_t* indices, std::size_t count,
                 float* out_rows) {
    const auto gather = [&](std::size_t lane_count) {
        for (std::size_t lane = 0; lane < lane_count; ++lane) {
            out_rows[lane] = min[indices[lane]];
            out_rows[kMaxX * kNodeWidth + lane] = max[indices[lane]];
        }
    };
    if (count == kNodeWidth) {
        gather(kNodeWidth);
    } else {
        gather(count);
    }
}

// Edge sum of the box around a leaf; finite, and 0 for an empty one.
float leaf_size(const TreeView& tree, std::uint32_t leaf) {
    const Vec3 edges = size(lane_box(tree.node(tree.leaf_count + leaf / kNodeWidth), leaf % kNodeWidth));
    return max_keep(min_keep((edges.x + edges.y) + edges.z, FLT_MAX), 0.0f);
}

constexpr float kLeafGrowthMax = 8.0f;

float leaf_growth(float built_size, float size) {
    if (built_size > 0.0f) return min_keep(size / built_size, kLeafGrowthMax);
    return size > 0.0f ? kLeafGrowthMax : 1.0f;
}

}  // namespace
}  // namespace broadphase

using namespace broadphase;

BoxTree::BoxTree(const Allocator& allocator) noexcept
    : planes_(allocator),
      first_children_(allocator),
      box_indices_(allocator),
      built_sizes_(allocator),
      build_memory_(allocator) {}

broadphase::TreeView BoxTree::view() const noexcept {
    return {planes_.data(), first_children_.data(), box_indices_.data(), shape_.leaf_count,
            shape_.node_count};
}

void BoxTree::clear() noexcept {
    shape_ = {};
    box_indices_.clear();
}

// Memory for a tree; nothing of the old one changes.
Status BoxTree::reserve(std::size_t member_count) noexcept {
    const auto leaf_count = static_cast<std::uint32_t>((member_count + kNodeWidth - 1) / kNodeWidth);
    std::size_t node_count = leaf_count;
    for (std::uint32_t level = leaf_count; level > 1; level = group_count(level))
        node_count += group_count(level);
    // One node more: the parent of the root, whose first lane is the box around everything.
    const bool has_memory =
        planes_.reserve((node_count + 1) * kNodeFloats) && first_children_.reserve(node_count - leaf_count) &&
        box_indices_.reserve(std::size_t{leaf_count} * kNodeWidth) && built_sizes_.reserve(leaf_count);
    return has_memory ? Status::ok : Status::out_of_memory;
}

// Everything of the tree that follows from the number of members alone. What no child or box will fill is
// made empty.
void BoxTree::lay_out(std::size_t member_count) noexcept {
    shape_.member_count = member_count;
    shape_.leaf_count = static_cast<std::uint32_t>((member_count + kNodeWidth - 1) / kNodeWidth);
    first_children_.clear();
    float* planes = planes_.data();
    std::uint32_t level_begin = 0;
    std::uint32_t level_count = shape_.leaf_count;
    for (;;) {
        clear_node(planes + std::size_t{level_begin + level_count - 1} * kNodeFloats);
        if (level_count == 1) break;
        const std::uint32_t parent_count = group_count(level_count);
        for (std::uint32_t i = 0; i < parent_count; ++i) {
            // Reserved before, so this cannot fail.
            (void)first_children_.push_back(level_begin + i * kNodeWidth);
        }
        level_begin += level_count;
        level_count = parent_count;
    }
    shape_.node_count = level_begin + 1;
    // Reserved before, so these cannot fail; sizes say what a later reserve has to keep.
    (void)planes_.resize((std::size_t{shape_.node_count} + 1) * kNodeFloats);
    (void)box_indices_.resize(std::size_t{shape_.leaf_count} * kNodeWidth);
    (void)built_sizes_.resize(shape_.leaf_count);
    clear_node(planes + std::size_t{shape_.node_count} * kNodeFloats);
}

Status BoxTree::build(const BoxSoaView& boxes, const TaskRunner* runner) noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("BoxTree::build");
    if (!check_boxes(boxes) || !check_runner(runner)) return Status::invalid_argument;
    return build_members(boxes, boxes.count, nullptr, runner);
}

Status BoxTree::build_subset(const BoxSoaView& boxes, std::span<const std::uint64_t> subset_bits,
                             const TaskRunner* runner) noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("BoxTree::build");
    if (!check_boxes(boxes) || !check_runner(runner) ||
        !BROADSIDE_ARGUMENT(subset_bits.size() == bit_word_count(boxes.count),
                            "subset_bits: not bit_word_count words")) {
        return Status::invalid_argument;
    }
    // Bits past the last box mean nothing.
    const auto word_at = [&](std::size_t word) {
        const std::size_t rest = boxes.count - word * 64;
        return rest >= 64 ? subset_bits[word] : subset_bits[word] & ((std::uint64_t{1} << rest) - 1);
    };
    std::size_t member_count = 0;
    for (std::size_t word = 0; word < subset_bits.size(); ++word) {
        member_count += static_cast<std::size_t>(std::popcount(word_at(word)));
    }
    return build_members(
        boxes, member_count,
        [&](std::uint32_t* out_members) {
            for (std::size_t word = 0; word < subset_bits.size(); ++word) {
                for (std::uint64_t bits = word_at(word); bits != 0; bits &= bits - 1) {
                    *out_members++ = static_cast<std::uint32_t>(word * 64) +
                                     static_cast<std::uint32_t>(std::countr_zero(bits));
                }
            }
        },
        runner);
}

// `list`, where the members are not all boxes, writes them down.
template <class List>
Status BoxTree::build_members(const BoxSoaView& boxes, std::size_t member_count, const List& list,
                              const TaskRunner* runner) noexcept {
    if (simd::active_kernels<TreeKernels>() == nullptr) return Status::unsupported_isa;
    if (member_count == 0) {
        clear();
        shape_.box_count = boxes.count;
        return Status::ok;
    }
    constexpr bool kIsSubset = !std::is_null_pointer_v<List>;
    CenterRecord* records = nullptr;
    std::uint32_t* listed = nullptr;
    const bool has_memory = reserve_arrays(build_memory_, [&](Arena& arena) {
        records = arena.reserve<CenterRecord>(member_count);
        if (kIsSubset) listed = arena.reserve<std::uint32_t>(member_count);
    });
    if (!has_memory || reserve(member_count) != Status::ok) return Status::out_of_memory;

    if constexpr (kIsSubset) list(listed);
    order_boxes(boxes, {listed, member_count}, runner, records, box_indices_.data());
    shape_.box_count = boxes.count;
    lay_out(member_count);
    fill(boxes, runner);
    const TreeView tree = view();
    float* sizes = built_sizes_.data();
    for (std::uint32_t leaf = 0; leaf < shape_.leaf_count; ++leaf) sizes[leaf] = leaf_size(tree, leaf);
    shape_.leaf_edge = sizes[shape_.leaf_count / 2] / 3;
    shape_.growth = 1.0f;
    return Status::ok;
}

Status BoxTree::refit(const BoxSoaView& boxes, const TaskRunner* runner) noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("BoxTree::refit");
    if (!check_readable(boxes) || !check_runner(runner) ||
        !BROADSIDE_ARGUMENT(boxes.count == shape_.box_count, "boxes: not as many as the tree has")) {
        return Status::invalid_argument;
    }
    if (simd::active_kernels<TreeKernels>() == nullptr) return Status::unsupported_isa;
    if (shape_.member_count == 0) return Status::ok;
    fill(boxes, runner);
    const TreeView tree = view();
    double growth_sum = 0.0;
    for (std::uint32_t leaf = 0; leaf < shape_.leaf_count; ++leaf) {
        growth_sum += static_cast<double>(leaf_growth(built_sizes_.data()[leaf], leaf_size(tree, leaf)));
    }
    shape_.growth = static_cast<float>(growth_sum / shape_.leaf_count);
    return Status::ok;
}

Status BoxTree::update(const BoxSoaView& boxes, const TaskRunner* runner) noexcept {
    const FloatEnvironment environment;
    if (boxes.count != shape_.box_count || shape_.box_count == 0) return build(boxes, runner);
    const Status status = refit(boxes, runner);
    if (status != Status::ok || shape_.growth <= kMaxGrowth) return status;
    if (shape_.member_count == shape_.box_count) return build(boxes, runner);
    return build_members(
        boxes, shape_.member_count,
        [&](std::uint32_t* out_members) {
            // The places without a box are the last.
            std::copy_n(box_indices_.data(), shape_.member_count, out_members);
            std::sort(out_members, out_members + shape_.member_count);
        },
        runner);
}

// The boxes into the leaves, and level by level the boxes around nodes into the nodes above.
void BoxTree::fill(const BoxSoaView& boxes, const TaskRunner* runner) noexcept {
    BROADSIDE_ZONE("box tree/fill");
    const TreeKernels& kernels = *simd::active_kernels<TreeKernels>();
    float* planes = planes_.data();
    const std::uint32_t* indices = box_indices_.data();
    // Axis by axis, so that the two arrays in turn stay in the cache that they are read from in no order.
    const auto gather_axis = [&](const float* min, const float* max, std::uint32_t row) {
        run_chunks(runner, shape_.leaf_count, kLeafChunk, [&](std::size_t begin, std::size_t end) {
            BROADSIDE_ZONE("box tree/rows task");
            for (std::size_t leaf = begin; leaf < end; ++leaf) {
                const std::size_t slot = leaf * kNodeWidth;
                const std::size_t count = std::min<std::size_t>(shape_.member_count - slot, kNodeWidth);
                gather_rows(min, max, indices + slot, count, planes + leaf * kNodeFloats + row * kNodeWidth);
            }
        });
    };
    std::atomic<std::size_t> valid_count = 0;
    gather_axis(boxes.min_x, boxes.max_x, kMinX);
    gather_axis(boxes.min_y, boxes.max_y, kMinY);
    gather_axis(boxes.min_z, boxes.max_z, kMinZ);
    run_chunks(runner, shape_.leaf_count, kLeafChunk, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("box tree/leaves task");
        std::size_t task_valid_count = 0;
        for (std::size_t family = begin; family < end; family += kNodeWidth) {
            const std::size_t family_end = std::min(family + kNodeWidth, end);
            task_valid_count += kernels.close_leaves(
                planes, static_cast<std::uint32_t>(family), static_cast<std::uint32_t>(family_end - family),
                static_cast<std::uint32_t>(shape_.leaf_count + family / kNodeWidth));
        }
        valid_count += task_valid_count;
    });
    shape_.invalid.count = shape_.member_count - valid_count;
    shape_.invalid.first_index = shape_.invalid.count != 0 ? first_invalid_member(boxes) : kNoIndex;

    std::uint32_t level_begin = shape_.leaf_count;
    for (std::uint32_t level = group_count(shape_.leaf_count); level_begin < shape_.node_count;
         level = group_count(level)) {
        const std::uint32_t parent_begin = level_begin + level;
        run_chunks(runner, level, kNodeChunk, [&](std::size_t begin, std::size_t end) {
            BROADSIDE_ZONE("box tree/nodes task");
            const auto first = static_cast<std::uint32_t>(begin);
            kernels.close_nodes(planes, level_begin + first, static_cast<std::uint32_t>(end - begin),
                                parent_begin + first / kNodeWidth);
        });
        level_begin = parent_begin;
    }
}

std::size_t BoxTree::first_invalid_member(const BoxSoaView& boxes) const noexcept {
    if (shape_.member_count == shape_.box_count) return find_invalid_box(boxes);
    std::size_t first = kNoIndex;
    for (std::size_t i = 0; i < shape_.member_count; ++i) {
        const std::uint32_t index = box_indices_.data()[i];
        if (!is_valid(boxes[index])) first = std::min<std::size_t>(first, index);
    }
    return first;
}

Aabb BoxTree::bounds() const noexcept {
    return shape_.node_count == 0 ? Aabb::empty() : lane_box(view().node(shape_.node_count), 0);
}

Aabb BoxTree::box(std::uint32_t box_index) const noexcept {
    if (!BROADSIDE_ARGUMENT(box_index < shape_.box_count, "box_index: at or past box_count()"))
        return Aabb::empty();
    const std::uint32_t* slot = std::find(box_indices_.begin(), box_indices_.end(), box_index);
    if (slot == box_indices_.end()) return Aabb::empty();
    return slot_box(view(), static_cast<std::uint32_t>(slot - box_indices_.begin()));
}

std::size_t BoxTree::capacity_bytes() const noexcept {
    return planes_.capacity_bytes() + first_children_.capacity_bytes() + box_indices_.capacity_bytes() +
           built_sizes_.capacity_bytes() + build_memory_.capacity_bytes();
}

}  // namespace broadside
