// The nodes and leaves of a tree: how they are laid out, filled with boxes, and closed from the leaves up.
#include "broadphase/src/order/order.hpp"
#include "broadphase/src/thresholds.hpp"
#include "broadphase/src/tree/queries.hpp"
#include "core/src/zones.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

namespace broadside::broadphase {
namespace {

void clear_node(float* node) {
    for (std::uint32_t i = 0; i < kNodeFloats; ++i) {
        node[i] = i < kMaxX * kNodeWidth ? __builtin_inff() : -__builtin_inff();
    }
}

// Gathers two rows of a leaf, kMaxX - kMinX rows apart. A lane without a box reads the last index, which
// saves a branch; `close_leaves` makes it empty.
void gather_rows(const float* min, const float* max, const std::uint32_t* links, std::uint32_t last_index,
                 float* out_rows) {
    for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) {
        const std::uint32_t index = std::min(links[lane], last_index);
        out_rows[lane] = min[index];
        out_rows[kMaxX * kNodeWidth + lane] = max[index];
    }
}

// Edge sum of a box; finite, and 0 for an empty one.
float edge_sum(const Aabb& box) {
    const Vec3 edges = size(box);
    return max_keep(min_keep((edges.x + edges.y) + edges.z, FLT_MAX), 0.0f);
}

constexpr float kLeafGrowthMax = 8.0f;

float leaf_growth(float built_size, float size) {
    if (built_size > 0.0f) return min_keep(size / built_size, kLeafGrowthMax);
    return size > 0.0f ? kLeafGrowthMax : 1.0f;
}

}  // namespace

TreeNodes::TreeNodes(const Allocator& allocator) noexcept
    : planes_(allocator),
      links_(allocator),
      parents_(allocator),
      used_bits_(allocator),
      built_bounds_(allocator),
      slots_(allocator) {}

// Forgets the tree, so that nothing is copied when the memory grows.
void TreeNodes::forget() noexcept {
    shape_ = {};
    planes_.clear();
    links_.clear();
    parents_.clear();
    used_bits_.clear();
    built_bounds_.clear();
    slots_.clear();
}

// Reserves memory for a tree; the old one does not change.
Status TreeNodes::reserve(std::size_t box_count, std::size_t member_count) noexcept {
    const std::size_t family_count = family_count_max(member_count);
    // With spare room for joining boxes, so that a renewal can make more before it is used up.
    const std::size_t spare_count =
        family_count / 4 + std::min(family_count, thresholds().trees.spare_families_max);
    return reserve_families(family_count + spare_count) && slots_.reserve(box_count + box_count / 2)
               ? Status::ok
               : Status::out_of_memory;
}

bool TreeNodes::reserve_families(std::size_t family_count) noexcept {
    for (std::size_t number = 1; number < kArrayCount; ++number) {
        if (!reserve_array(number, family_count, 0)) return false;
    }
    return true;
}
// Reserves one of the arrays. used_bits_ comes last, so its capacity holds for all.
bool TreeNodes::reserve_array(std::size_t number, std::size_t family_count, std::size_t box_count) noexcept {
    const std::size_t index_count = family_count * kNodeWidth;
    switch (number) {
        case 0:
            return slots_.reserve(box_count);
        case 1:
            return planes_.reserve(index_count * kNodeFloats);
        case 2:
            return links_.reserve(index_count * kNodeWidth);
        case 3:
            return built_bounds_.reserve(index_count);
        default:
            return parents_.reserve(family_count) && used_bits_.reserve(family_count);
    }
}

// Sets the sizes, which say what a later reserve has to keep. The arrays have the capacity.
void TreeNodes::set_family_count(std::uint32_t family_count) noexcept {
    shape_.family_count = family_count;
    const std::size_t index_count = std::size_t{family_count} * kNodeWidth;
    (void)planes_.resize(index_count * kNodeFloats);
    (void)links_.resize(index_count * kNodeWidth);
    (void)built_bounds_.resize(index_count);
    (void)parents_.resize(family_count);
    (void)used_bits_.resize(family_count);
}

// Begins the layout of all nodes, without their boxes; `node_counts` and `level_count` say how many there
// are. Lanes that no child or box will fill are made empty.
void TreeNodes::begin_layout(std::size_t box_count, std::size_t member_count,
                             TreeLayout& state_layout) noexcept {
    shape_ = {};
    shape_.box_count = box_count;
    shape_.member_count = member_count;
    shape_.built_count = member_count;
    shape_.leaf_count = state_layout.node_counts[0];
    shape_.level_count = state_layout.level_count;
    const std::uint32_t root_level = shape_.level_count - 1;
    std::uint32_t family_count = 0;
    for (std::uint32_t level = 0; level < root_level; ++level) {
        state_layout.families[level] = family_count;
        family_count += state_layout.node_counts[level + 1];
    }
    state_layout.families[root_level] = family_count;
    state_layout.slot = 0;
    state_layout.leaf_end = 0;
    shape_.root = (family_count * kNodeWidth) | (root_level == 0 ? kLeafBit : 0);
    shape_.top = (family_count + 1) * kNodeWidth;
    set_family_count(family_count + 2);
    (void)slots_.resize(box_count);
    begin_family(root_level, shape_.top, state_layout);
    parents_.data()[family_of(shape_.top)] = kNoLink;
    used_bits_.data()[family_of(shape_.top)] = 1;
}
void TreeNodes::begin_family(std::uint32_t level, std::uint32_t parent, TreeLayout& state_layout) noexcept {
    const std::uint32_t family = state_layout.families[level]++;
    state_layout.next_indices[level] = family * kNodeWidth;
    parents_.data()[family] = parent;
    used_bits_.data()[family] = 0;
    links_.data()[std::size_t{parent} * kNodeWidth] = (family * kNodeWidth) | (level == 0 ? kLeafBit : 0);
    clear_node(planes_.data() + std::size_t{parent} * kNodeFloats);
}
// Lays out the next box; `levels`, of order_boxes, says which nodes begin with it. Returns its slot.
std::uint32_t TreeNodes::lay_out(std::uint32_t box_index, std::uint8_t levels,
                                 TreeLayout& state_layout) noexcept {
    std::uint32_t parent = parent_level(levels);
    for (std::uint32_t level = begun_count(levels); level > 0; --level) {
        const std::uint32_t index = state_layout.next_indices[parent - 1]++;
        parent = level - 1;
        used_bits_.data()[family_of(index)] |= 1u << index % kNodeWidth;
        if (level > 1) {
            begin_family(level - 2, index, state_layout);
        } else {
            end_layout(state_layout);
            state_layout.slot = first_slot(index);
            state_layout.leaf_end = state_layout.slot + kNodeWidth;
        }
    }
    const std::uint32_t slot = state_layout.slot++;
    links_.data()[slot] = box_index;
    slots_.data()[box_index] = slot;
    return slot;
}
// Ends the last leaf, which has all of its boxes.
void TreeNodes::end_layout(TreeLayout& state_layout) noexcept {
    while (state_layout.slot < state_layout.leaf_end) links_.data()[state_layout.slot++] = kNoLink;
}
// Notes the boxes around consecutive leaves as built.
void TreeNodes::note_built(std::uint32_t first, std::uint32_t count) noexcept {
    const TreeView tree = view();
    for (std::uint32_t index = first; index < first + count; ++index)
        built_bounds_.data()[index] = tree.box_around(index);
}

// Notes the edge of a typical leaf, that of this box.
void TreeNodes::note_leaf_edge(std::uint32_t box_index) noexcept {
    shape_.leaf_edge = edge_sum(built_bounds_.data()[slots_.data()[box_index] / kNodeWidth]) / 3;
}

void TreeNodes::measure_growth() noexcept {
    const TreeView tree = view();
    double growth_sum = 0.0;
    for (std::uint32_t family = 0; family < shape_.family_count; ++family) {
        tree.for_each_leaf(family, [&](std::uint32_t leaf) {
            const std::uint32_t index = node_index(leaf);
            const float built_size = edge_sum(built_bounds_.data()[index]);
            growth_sum += static_cast<double>(leaf_growth(built_size, edge_sum(tree.box_around(index))));
        });
    }
    shape_.growth = static_cast<float>(growth_sum / shape_.leaf_count);
}

// Fills the boxes into the leaves, and the boxes around nodes into the nodes above.
void TreeNodes::fill(const BoxSoaView& boxes, const TaskRunner* runner) noexcept {
    BROADSIDE_ZONE("box tree/fill");
    if (shape_.is_as_built) {
        fill_built(boxes, runner);
    } else {
        fill_changed(boxes, runner);
    }
    shape_.invalid.first_index = shape_.invalid.count != 0 ? first_invalid_member(boxes) : kNoIndex;
}

// Goes level by level; the families of a level are consecutive.
void TreeNodes::fill_built(const BoxSoaView& boxes, const TaskRunner* runner) noexcept {
    const TreeKernels& kernels = *simd::active_kernels<TreeKernels>();
    const TreeView tree = view();
    float* const planes = planes_.data();
    const std::uint32_t* const links = links_.data();
    const std::uint32_t* const parents = parents_.data();
    std::uint32_t level_begins[kMaxLevelCount] = {};
    std::uint32_t first_node = shape_.root;
    for (std::uint32_t level = shape_.level_count; level > 0; --level) {
        level_begins[level - 1] = family_of(node_index(first_node));
        if (level > 1) first_node = tree.child_of(first_node);
    }
    const std::uint32_t leaf_family_count = shape_.level_count > 1 ? level_begins[1] : 1;
    const auto child_count = [&](std::size_t family) {
        return static_cast<std::uint32_t>(std::popcount(used_bits_.data()[family]));
    };
    const std::size_t leaf_chunk = thresholds().trees.leaf_families_per_task;
    // Axis by axis, so that two arrays at a time stay in the cache; they are read in random order.
    const auto last_index = static_cast<std::uint32_t>(boxes.count - 1);
    const auto gather_axis = [&](const float* min, const float* max, std::size_t row) {
        run_chunks(runner, leaf_family_count, leaf_chunk, [&](std::size_t begin, std::size_t end) {
            BROADSIDE_ZONE("box tree/rows task");
            for (std::size_t family = begin; family < end; ++family) {
                const std::size_t first = family * kNodeWidth;
                for (std::size_t leaf = first; leaf < first + child_count(family); ++leaf) {
                    gather_rows(min, max, links + leaf * kNodeWidth, last_index,
                                planes + leaf * kNodeFloats + row * kNodeWidth);
                }
            }
        });
    };
    std::atomic<std::size_t> valid_count = 0;
    gather_axis(boxes.min_x, boxes.max_x, kMinX);
    gather_axis(boxes.min_y, boxes.max_y, kMinY);
    gather_axis(boxes.min_z, boxes.max_z, kMinZ);
    run_chunks(runner, leaf_family_count, leaf_chunk, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("box tree/leaves task");
        std::size_t task_valid_count = 0;
        for (std::size_t family = begin; family < end; ++family) {
            task_valid_count += kernels.close_leaves(
                planes, links, parents, static_cast<std::uint32_t>(family) * kNodeWidth, child_count(family));
        }
        valid_count += task_valid_count;
    });
    shape_.invalid.count = shape_.member_count - valid_count;

    const std::size_t node_chunk = thresholds().trees.families_per_task;
    for (std::uint32_t level = 1; level < shape_.level_count; ++level) {
        const std::uint32_t level_begin = level_begins[level];
        const std::uint32_t level_end =
            level + 1 < shape_.level_count ? level_begins[level + 1] : level_begin + 1;
        run_chunks(runner, level_end - level_begin, node_chunk, [&](std::size_t begin, std::size_t end) {
            BROADSIDE_ZONE("box tree/nodes task");
            for (std::size_t family = level_begin + begin; family < level_begin + end; ++family) {
                kernels.close_nodes(planes, parents, static_cast<std::uint32_t>(family) * kNodeWidth,
                                    child_count(family));
            }
        });
    }
}

// Takes nodes in any order. A family's nodes write to its parent, so tasks share no family.
void TreeNodes::fill_changed(const BoxSoaView& boxes, const TaskRunner* runner) noexcept {
    const TreeKernels& kernels = *simd::active_kernels<TreeKernels>();
    const TreeView tree = view();
    float* const planes = planes_.data();
    std::atomic<std::size_t> valid_count = 0;
    const std::size_t leaf_chunk = thresholds().trees.leaf_families_per_task;
    run_chunks(runner, shape_.family_count, leaf_chunk, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("box tree/leaves task");
        std::size_t task_valid_count = 0;
        for (std::size_t family = begin; family < end; ++family) {
            tree.for_each_leaf(static_cast<std::uint32_t>(family), [&](std::uint32_t leaf) {
                float* const node = planes + std::size_t{node_index(leaf)} * kNodeFloats;
                const std::uint32_t* const links = tree.links_of(leaf);
                for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) {
                    if (links[lane] != kNoLink) set_lane_box(node, lane, boxes[links[lane]]);
                }
                task_valid_count +=
                    kernels.close_leaves(planes, links_.data(), parents_.data(), node_index(leaf), 1);
            });
        }
        valid_count += task_valid_count;
    });
    shape_.invalid.count = shape_.member_count - valid_count;
    close_below(shape_.root);
}

// Closes a node whose leaves have been closed.
void TreeNodes::close_below(std::uint32_t node) noexcept {
    if (is_leaf(node)) return;
    const std::uint32_t first_child = view().child_of(node);
    for (std::uint32_t rest = used_bits_.data()[family_of(node_index(first_child))]; rest != 0;
         rest &= rest - 1) {
        close_below(first_child + static_cast<std::uint32_t>(__builtin_ctz(rest)));
    }
    simd::active_kernels<TreeKernels>()->close_nodes(planes_.data(), parents_.data(), node, 1);
}

std::size_t TreeNodes::first_invalid_member(const BoxSoaView& boxes) const noexcept {
    if (shape_.member_count == shape_.box_count) return find_invalid_box(boxes);
    for (std::size_t index = 0; index < shape_.box_count; ++index) {
        if (slots_.data()[index] != kNoSlot && !is_valid(boxes[index])) return index;
    }
    return kNoIndex;
}

std::size_t TreeNodes::capacity_bytes() const noexcept {
    return planes_.capacity_bytes() + links_.capacity_bytes() + parents_.capacity_bytes() +
           used_bits_.capacity_bytes() + built_bounds_.capacity_bytes() + slots_.capacity_bytes();
}

}  // namespace broadside::broadphase
