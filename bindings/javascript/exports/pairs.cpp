// Pairs and times of impact in one call.
#include "bindings/javascript/exports/exports.hpp"

#include <new>

using namespace broadside;
using namespace broadside::javascript;

namespace {

struct Finder {
    BoxScratch scratch;
    PairBuffer pairs;
};

// Arguments of the next search besides the boxes, which src/pairs.js writes. A null array omits its rule.
struct Rules {
    const std::uint64_t* categories;
    const std::uint64_t* masks;
    const std::uint32_t* groups;

    BoxFilter filter(std::size_t box_count) const {
        const auto of_boxes = [&](const auto* items) {
            return std::span(items, items == nullptr ? 0 : box_count);
        };
        return {.categories = of_boxes(categories), .masks = of_boxes(masks), .groups = of_boxes(groups)};
    }
};
Rules rules[2];

}  // namespace

BROADSIDE_EXPORT(finder_new) Finder* finder_new() { return new (std::nothrow) Finder; }
BROADSIDE_EXPORT(finder_delete) void finder_delete(Finder* finder) { delete finder; }
/// The address of six words: the addresses of categories, masks and groups of each set.
BROADSIDE_EXPORT(finder_rules) Rules* finder_rules() { return rules; }
/// Writes the address of the pairs, their number, and for each set the number of invalid boxes and the first
/// of them.
BROADSIDE_EXPORT(finder_find)
std::uint32_t finder_find(Finder* finder, const float* a, std::size_t a_count, const float* b,
                          std::size_t b_count, std::uint32_t is_two_sets, std::uint32_t order,
                          std::uint32_t algorithm) {
    FindPairsSettings settings;
    settings.order = static_cast<PairOrder>(order);
    settings.algorithm = static_cast<PairAlgorithm>(algorithm);
    settings.filter = rules[0].filter(a_count);
    settings.filter_b = rules[1].filter(b_count);
    const BoxSoaView boxes = boxes_at(a, a_count, a_count);
    const FindPairsResult result =
        is_two_sets != 0
            ? find_pairs(boxes, boxes_at(b, b_count, b_count), settings, finder->scratch, finder->pairs)
            : find_pairs(boxes, settings, finder->scratch, finder->pairs);
    result_words[2] = index_of(result.invalid.count);
    result_words[3] = index_of(result.invalid.first_index);
    result_words[4] = index_of(result.invalid_b.count);
    result_words[5] = index_of(result.invalid_b.first_index);
    return list_result(result.status, finder->pairs);
}

/// Times of impact of box k of one set against box k of the other, both moving.
BROADSIDE_EXPORT(find_times_of_impact)
std::uint32_t find_times_of_impact(const float* a, const float* a_moves, const float* b, const float* b_moves,
                                   std::size_t count, std::uint32_t touch, float* out_toi) {
    const MovingBoxes moving_a = {boxes_at(a, count, count), vectors_at(a_moves, count, count)};
    const MovingBoxes moving_b = {boxes_at(b, count, count), vectors_at(b_moves, count, count)};
    return batch_result(
        times_of_impact(moving_a, moving_b, static_cast<Touch>(touch), std::span(out_toi, count)));
}

static_assert(sizeof(Rules) == 12);
