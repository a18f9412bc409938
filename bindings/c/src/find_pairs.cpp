// find_pairs into the finder's list, into the caller's array and to a function.
#include "bindings/c/src/convert.hpp"
#include "bindings/c/src/memory.hpp"

#include <broadside/exact_boxes.hpp>

using namespace broadside;
using namespace broadside::c;

struct broadside_finder {
    explicit broadside_finder(const broadside_allocator& hooks)
        : memory(hooks), scratch(memory.allocator()), pairs(memory.allocator()) {}

    Memory memory;
    BoxScratch scratch;
    PairBuffer pairs;
};

namespace {

broadside_status finish(broadside_find_pairs_result* out_result, const FindPairsResult& answer) {
    const broadside_status status = c_status(answer.status);
    write_struct(out_result, {.size = 0,
                              .status = status,
                              .written = answer.written,
                              .required = answer.required,
                              .invalid_count = answer.invalid.count,
                              .first_invalid = answer.invalid.first_index,
                              .invalid_b_count = answer.invalid_b.count,
                              .first_invalid_b = answer.invalid_b.first_index,
                              .algorithm = static_cast<broadside_pair_algorithm>(answer.plan.algorithm),
                              .reserved = 0,
                              .tested_count = answer.plan.tested_count,
                              .memory_bytes = answer.plan.memory_bytes});
    return status;
}
broadside_status refuse(broadside_find_pairs_result* out_result) {
    if (!is_writable(out_result)) return BROADSIDE_INVALID_ARGUMENT;
    FindPairsResult refused;
    refused.status = Status::invalid_argument;
    return finish(out_result, refused);
}

FindPairsSettings settings_of(const broadside_find_pairs_settings& given, const TaskRunner* runner,
                              std::size_t count, std::size_t b_count) {
    FindPairsSettings settings;
    settings.algorithm = enum_of<PairAlgorithm>(given.algorithm);
    settings.order = enum_of<PairOrder>(given.order);
    settings.sweep_axis = enum_of<SweepAxis>(given.sweep_axis);
    settings.cell_counts = {given.cell_counts[0], given.cell_counts[1], given.cell_counts[2]};
    settings.runner = runner;
    settings.filter = filter_of(given.filter, count);
    settings.filter_b = filter_of(given.filter_b, b_count);
    return settings;
}

PairOutput output_of(broadside_finder& finder, const broadside_find_pairs_settings& given) {
    return {finder.pairs, given.max_pair_count != 0 ? given.max_pair_count : ~std::size_t{0}};
}

broadside_status find(broadside_finder* finder, const broadside_boxes* boxes, const broadside_boxes* b,
                      const broadside_find_pairs_settings& given, const PairOutput& out_pairs,
                      broadside_find_pairs_result* out_result) {
    const Runner runner(given.runner);
    const FindPairsSettings settings =
        settings_of(given, runner.get(), boxes->count, b != nullptr ? b->count : 0);
    const FindPairsResult answer =
        b != nullptr ? find_pairs(view_of(*boxes), view_of(*b), settings, finder->scratch, out_pairs)
                     : find_pairs(view_of(*boxes), settings, finder->scratch, out_pairs);
    return finish(out_result, answer);
}

template <class Number>
ExactBoxView<Number> exact_view(const broadside_exact_boxes& boxes) {
    const auto numbers = [](const void* array) { return static_cast<const Number*>(array); };
    return {.min_x = numbers(boxes.min_x),
            .min_y = numbers(boxes.min_y),
            .min_z = numbers(boxes.min_z),
            .max_x = numbers(boxes.max_x),
            .max_y = numbers(boxes.max_y),
            .max_z = numbers(boxes.max_z),
            .count = boxes.count,
            .stride = boxes.stride != 0 ? boxes.stride : 1,
            .axis_count = boxes.axis_count != 0 ? boxes.axis_count : 3};
}
template <class Number>
FindPairsResult find_exact(broadside_finder* finder, const broadside_exact_boxes& boxes,
                           const broadside_exact_boxes* b, const FindPairsSettings& settings,
                           const PairOutput& out_pairs) {
    if (b == nullptr) return find_pairs(exact_view<Number>(boxes), settings, finder->scratch, out_pairs);
    return find_pairs(exact_view<Number>(boxes), exact_view<Number>(*b), settings, finder->scratch,
                      out_pairs);
}

template <class Boxes>
bool is_legal(const broadside_finder* finder, const Boxes* boxes, const broadside_find_pairs_settings* given,
              const broadside_find_pairs_result* out_result, broadside_find_pairs_settings& out_settings) {
    return finder != nullptr && boxes != nullptr && is_writable(out_result) &&
           read_struct(given, out_settings) && has_enumerators(out_settings);
}

}  // namespace

broadside_status broadside_finder_create(const broadside_allocator* allocator,
                                         broadside_finder** out_finder) {
    return create(allocator, out_finder);
}
void broadside_finder_destroy(broadside_finder* finder) { destroy(finder); }

broadside_status broadside_find_pairs(broadside_finder* finder, const broadside_boxes* boxes,
                                      const broadside_boxes* b, const broadside_find_pairs_settings* settings,
                                      const broadside_pair** out_pairs, size_t* out_count,
                                      broadside_find_pairs_result* out_result) {
    broadside_find_pairs_settings given;
    const bool has_room = clear_list(out_pairs, out_count);
    if (!is_legal(finder, boxes, settings, out_result, given) || !has_room) return refuse(out_result);
    finder->pairs.clear();
    const broadside_status status = find(finder, boxes, b, given, output_of(*finder, given), out_result);
    show_list(finder->pairs, out_pairs, out_count);
    return status;
}

broadside_status broadside_find_pairs_into(broadside_finder* finder, const broadside_boxes* boxes,
                                           const broadside_boxes* b,
                                           const broadside_find_pairs_settings* settings,
                                           broadside_pair* out_pairs, size_t capacity,
                                           broadside_find_pairs_result* out_result) {
    broadside_find_pairs_settings given;
    if (!is_legal(finder, boxes, settings, out_result, given) || !is_readable(out_pairs, capacity))
        return refuse(out_result);
    return find(finder, boxes, b, given, span_of<IndexPair>(out_pairs, capacity), out_result);
}

broadside_status broadside_find_pairs_to(broadside_finder* finder, const broadside_boxes* boxes,
                                         const broadside_boxes* b,
                                         const broadside_find_pairs_settings* settings,
                                         broadside_pair_sink sink, void* user,
                                         broadside_find_pairs_result* out_result) {
    broadside_find_pairs_settings given;
    if (!is_legal(finder, boxes, settings, out_result, given) || sink == nullptr) return refuse(out_result);
    struct Target {
        broadside_pair_sink sink;
        void* user;
    } target = {sink, user};
    const auto emit = [](void* state, std::span<const IndexPair> pairs) noexcept {
        const Target& to = *static_cast<const Target*>(state);
        return to.sink(to.user, same_layout<broadside_pair>(pairs.data()), pairs.size()) != 0;
    };
    return find(finder, boxes, b, given, PairSink{.emit = emit, .user = &target}, out_result);
}

broadside_status broadside_find_exact_pairs(broadside_finder* finder, const broadside_exact_boxes* boxes,
                                            const broadside_exact_boxes* b,
                                            const broadside_find_pairs_settings* settings,
                                            const broadside_pair** out_pairs, size_t* out_count,
                                            broadside_find_pairs_result* out_result) {
    broadside_find_pairs_settings given;
    const bool has_room = clear_list(out_pairs, out_count);
    if (!is_legal(finder, boxes, settings, out_result, given) || !has_room ||
        (b != nullptr && b->number != boxes->number))
        return refuse(out_result);
    finder->pairs.clear();
    const Runner runner(given.runner);
    const FindPairsSettings with =
        settings_of(given, runner.get(), boxes->count, b != nullptr ? b->count : 0);
    const PairOutput out_list = output_of(*finder, given);
    FindPairsResult answer;
    answer.status = Status::invalid_argument;
    switch (boxes->number) {
        case BROADSIDE_NUMBER_FLOAT:
            answer = find_exact<float>(finder, *boxes, b, with, out_list);
            break;
        case BROADSIDE_NUMBER_DOUBLE:
            answer = find_exact<double>(finder, *boxes, b, with, out_list);
            break;
        case BROADSIDE_NUMBER_INT32:
            answer = find_exact<std::int32_t>(finder, *boxes, b, with, out_list);
            break;
        case BROADSIDE_NUMBER_INT64:
            answer = find_exact<std::int64_t>(finder, *boxes, b, with, out_list);
            break;
        case BROADSIDE_NUMBER_FORCE_32_BITS:
            break;
    }
    const broadside_status status = finish(out_result, answer);
    show_list(finder->pairs, out_pairs, out_count);
    return status;
}
