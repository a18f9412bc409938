// BoxTree.
#include "bindings/javascript/exports/tree.hpp"

#include "bindings/javascript/exports/exports.hpp"

#include <algorithm>
#include <new>

using namespace broadside;
using namespace broadside::javascript;

namespace {

TreeQuerySettings tree_settings() {
    TreeQuerySettings settings;
    settings.categories = {query.categories, query.category_count};
    settings.masks = {query.masks, query.mask_count};
    return settings;
}

}  // namespace

BROADSIDE_EXPORT(tree_new) Tree* tree_new() { return new (std::nothrow) Tree; }
BROADSIDE_EXPORT(tree_delete) void tree_delete(Tree* tree) { delete tree; }
BROADSIDE_EXPORT(tree_build) std::uint32_t tree_build(Tree* tree, const float* boxes, std::size_t count) {
    return code(tree->tree.build(boxes_at(boxes, count, count)));
}
/// Updates the tree with boxes that have moved, or rebuilds it if that pays.
BROADSIDE_EXPORT(tree_update) std::uint32_t tree_update(Tree* tree, const float* boxes, std::size_t count) {
    return code(tree->tree.update(boxes_at(boxes, count, count)));
}
BROADSIDE_EXPORT(tree_set_box) std::uint32_t tree_set_box(Tree* tree, std::uint32_t index, const Aabb* box) {
    return code(tree->tree.set_box(index, *box));
}
BROADSIDE_EXPORT(tree_remove_box) std::uint32_t tree_remove_box(Tree* tree, std::uint32_t index) {
    return code(tree->tree.remove_box(index));
}
BROADSIDE_EXPORT(tree_box_count) std::size_t tree_box_count(const Tree* tree) {
    return tree->tree.box_count();
}
BROADSIDE_EXPORT(tree_bounds) void tree_bounds(const Tree* tree, Aabb* out_bounds) {
    *out_bounds = tree->tree.bounds();
}
BROADSIDE_EXPORT(tree_box) void tree_box(const Tree* tree, std::uint32_t index, Aabb* out_box) {
    *out_box = tree->tree.box(index);
}
BROADSIDE_EXPORT(tree_find_overlaps) std::uint32_t tree_find_overlaps(Tree* tree) {
    const WriteResult result =
        tree->tree.find_overlaps(query.shapes(), tree_settings(), tree->scratch, tree->pairs);
    return list_result(result.status, tree->pairs);
}
BROADSIDE_EXPORT(tree_any_overlap) std::uint32_t tree_any_overlap(const Tree* tree, std::uint64_t* out_bits) {
    return batch_result(tree->tree.any_overlap(query.shapes(), tree_settings(), query.bits(out_bits)));
}
BROADSIDE_EXPORT(tree_first_overlaps)
std::uint32_t tree_first_overlaps(const Tree* tree, std::uint32_t shapes_per_state, std::uint32_t* out_first,
                                  std::size_t motion_count) {
    return batch_result(tree->tree.first_overlaps(query.shapes(), shapes_per_state, tree_settings(),
                                                  std::span(out_first, motion_count)));
}
BROADSIDE_EXPORT(tree_closest_hits)
std::uint32_t tree_closest_hits(const Tree* tree, TreeHit* out_closest) {
    return batch_result(
        tree->tree.closest_hits(query.casts(), tree_settings(), std::span(out_closest, query.count)));
}
BROADSIDE_EXPORT(tree_find_hits) std::uint32_t tree_find_hits(Tree* tree) {
    const WriteResult result =
        tree->tree.find_hits(query.casts(), tree_settings(), tree->scratch, tree->hits);
    return list_result(result.status, tree->hits);
}
BROADSIDE_EXPORT(tree_any_hit) std::uint32_t tree_any_hit(const Tree* tree, std::uint64_t* out_bits) {
    return batch_result(tree->tree.any_hit(query.casts(), tree_settings(), query.bits(out_bits)));
}
BROADSIDE_EXPORT(tree_closest_boxes)
std::uint32_t tree_closest_boxes(const Tree* tree, std::uint32_t box_count, float max_distance,
                                 ClosestBox* out_closest) {
    return batch_result(tree->tree.closest_boxes(query.near(), {box_count, max_distance}, tree_settings(),
                                                 std::span(out_closest, query.count * box_count)));
}
/// Pairs within a tree or, if `other` is not null, between two.
BROADSIDE_EXPORT(tree_find_pairs) std::uint32_t tree_find_pairs(Tree* tree, const Tree* other) {
    const WriteResult result = other == nullptr
                                   ? tree->tree.find_pairs({}, tree->scratch, tree->pairs)
                                   : tree->tree.find_pairs(other->tree, {}, tree->scratch, tree->pairs);
    return list_result(result.status, tree->pairs);
}
/// One pair, whose boxes are kNoBox if there is none.
BROADSIDE_EXPORT(tree_closest_pair)
void tree_closest_pair(const Tree* tree, const Tree* other, float max_distance, ClosePair* out_pair) {
    *out_pair = other == nullptr ? tree->tree.closest_pair(max_distance)
                                 : tree->tree.closest_pair(other->tree, max_distance);
}
BROADSIDE_EXPORT(tree_find_close_pairs)
std::uint32_t tree_find_close_pairs(Tree* tree, const Tree* other, float max_distance) {
    tree->close_pairs.clear();
    bool is_out_of_memory = false;
    const auto collect = [&](const ClosePair& pair) noexcept {
        is_out_of_memory = !tree->close_pairs.push_back(pair);
        return is_out_of_memory ? -1.0f : max_distance;
    };
    const Status status = other == nullptr
                              ? tree->tree.visit_close_pairs(max_distance, {}, collect)
                              : tree->tree.visit_close_pairs(other->tree, max_distance, {}, collect);
    std::sort(tree->close_pairs.begin(), tree->close_pairs.end(),
              [](const ClosePair& a, const ClosePair& b) { return a.target < b.target; });
    return list_result(is_out_of_memory ? Status::out_of_memory : status, tree->close_pairs);
}

// The layouts that src/ reads.
static_assert(sizeof(Listed<TreeHit>) == 16 && offsetof(Listed<TreeHit>, found) == 4);
static_assert(sizeof(TreeHit) == 12 && offsetof(TreeHit, t) == 4 && offsetof(TreeHit, face) == 8 &&
              sizeof(ClosestBox) == 8 && sizeof(ClosePair) == 12);
