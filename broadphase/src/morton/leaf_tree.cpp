// Keys, the sort, the move into columns and the bounds of each level.
#include "broadphase/src/morton/leaf_tree.hpp"
#include "broadphase/src/sweep/box_list.hpp"
#include "core/src/zones.hpp"

#include <broadside/run_tasks.hpp>

#include <limits>

namespace broadside::broadphase {
namespace {

// Entries that make a task, long against its start. A whole number of leaves.
constexpr std::size_t kChunkCount = 8192;
static_assert(kChunkCount % kLeafSize == 0);

std::size_t padded(std::size_t count) { return (count + kLeafSize - 1) / kLeafSize * kLeafSize; }

std::size_t top_level(std::size_t box_count) {
    std::size_t top = 1;
    for (std::size_t count = (box_count + kLeafSize - 1) / kLeafSize; count > kLeafSize; ++top) {
        count = (count + kLeafSize - 1) / kLeafSize;
    }
    return top;
}

void copy_boxes(const BoxSoaView& boxes, const SortItem* sorted, std::size_t begin, std::size_t end,
                const BoxColumns& columns) {
    const SweepView view = {boxes.min_x, boxes.max_x, boxes.min_y, boxes.max_y, boxes.min_z, boxes.max_z};
    for (std::size_t position = begin; position < end; ++position) {
        copy_box(view, sorted[position].index, columns, position);
    }
}

void write_level_pads(const BoxColumns& columns, std::size_t begin) {
    constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
    for (std::size_t position = begin; position < padded(begin); ++position) {
        columns.min_s[position] = columns.max_s[position] = kNaN;
        columns.min_u[position] = columns.max_u[position] = kNaN;
        columns.min_v[position] = columns.max_v[position] = kNaN;
        if (columns.index != nullptr) columns.index[position] = 0;
    }
}

// Bounds of a run of one column. Pads never win, as the first entry of a group is none.
template <class Keep>
float bound_of(const float* column, Keep&& keep) {
    float bound = column[0];
    for (std::size_t i = 1; i < kLeafSize; ++i) bound = keep(column[i], bound);
    return bound;
}

void write_bounds(const BoxColumns& below, std::size_t node, const BoxColumns& level) {
    const std::size_t position = node * kLeafSize;
    const auto smaller = [](float a, float b) { return min_keep(a, b); };
    const auto larger = [](float a, float b) { return max_keep(a, b); };
    level.min_s[node] = bound_of(below.min_s + position, smaller);
    level.max_s[node] = bound_of(below.max_s + position, larger);
    level.min_u[node] = bound_of(below.min_u + position, smaller);
    level.max_u[node] = bound_of(below.max_u + position, larger);
    level.min_v[node] = bound_of(below.min_v + position, smaller);
    level.max_v[node] = bound_of(below.max_v + position, larger);
}

}  // namespace

LeafTree take_leaf_tree(Arena& arena, std::size_t box_count) noexcept {
    LeafTree tree = {};
    tree.box_count = box_count;
    tree.top = top_level(box_count);
    std::size_t count = box_count;
    for (std::size_t level = 0; level <= tree.top; ++level) {
        const std::size_t capacity = padded(count);
        BoxColumns& columns = tree.levels[level];
        columns.min_s = arena.reserve<float>(capacity);
        columns.max_s = arena.reserve<float>(capacity);
        columns.min_u = arena.reserve<float>(capacity);
        columns.max_u = arena.reserve<float>(capacity);
        columns.min_v = arena.reserve<float>(capacity);
        columns.max_v = arena.reserve<float>(capacity);
        columns.index = level == 0 ? arena.reserve<std::int32_t>(capacity) : nullptr;
        count = capacity / kLeafSize;
    }
    return tree;
}

void fill_leaf_tree(const BoxSoaView& boxes, const MortonCode& code, const TaskRunner* runner,
                    SortItem* items, SortItem* spare, LeafTree& state_tree,
                    InvalidBoxes& out_invalid) noexcept {
    BROADSIDE_ZONE("morton/tree");
    out_invalid = {};
    std::size_t valid_count = 0;
    for (std::size_t index = 0; index < boxes.count; ++index) {
        const Aabb box = boxes[index];
        if (is_valid(box)) {
            items[valid_count++] = {code.key(box), static_cast<std::uint32_t>(index)};
        } else if (out_invalid.count++ == 0) {
            out_invalid.first_index = index;
        }
    }
    const SortItem* const sorted = radix_sort(items, spare, valid_count);
    state_tree.box_count = valid_count;
    state_tree.top = top_level(valid_count);
    run_chunks(runner, valid_count, kChunkCount, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("morton/leaves task");
        copy_boxes(boxes, sorted, begin, end, state_tree.levels[0]);
    });
    write_level_pads(state_tree.levels[0], valid_count);
    std::size_t count = valid_count;
    for (std::size_t level = 1; level <= state_tree.top; ++level) {
        count = (count + kLeafSize - 1) / kLeafSize;
        run_chunks(runner, count, kChunkCount / kLeafSize, [&](std::size_t begin, std::size_t end) {
            BROADSIDE_ZONE("morton/bounds task");
            for (std::size_t node = begin; node < end; ++node) {
                write_bounds(state_tree.levels[level - 1], node, state_tree.levels[level]);
            }
        });
        write_level_pads(state_tree.levels[level], count);
    }
}

}  // namespace broadside::broadphase
