// BoxTree.
#include "bindings/c/src/query.hpp"

using namespace broadside;
using namespace broadside::c;

namespace {

// The settings of a query, during the query.
class Call {
public:
    Call(const broadside_query_settings& given, const broadside_tree& tree, std::size_t query_count)
        : tree_(tree.tree), given_(given), runner_(given.runner) {
        settings_.categories =
            std::span(given.categories, given.categories == nullptr ? 0 : tree_.box_count());
        settings_.masks = std::span(given.masks, given.masks == nullptr ? 0 : query_count);
        if (given.accepts != nullptr) {
            settings_.accepts = &accepts;
            settings_.user = &given_;
        }
        settings_.runner = runner_.get();
        settings_.order = enum_of<PairOrder>(given.order);
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    const BoxTree& object() const { return tree_; }
    const TreeQuerySettings& settings() const { return settings_; }

private:
    static bool accepts(void* user, std::uint32_t query_index, std::uint32_t box_index) noexcept {
        const broadside_query_settings& given = *static_cast<const broadside_query_settings*>(user);
        return given.accepts(given.user, query_index, box_index) != 0;
    }

    const BoxTree& tree_;
    broadside_query_settings given_;
    Runner runner_;
    TreeQuerySettings settings_;
};

auto closest_boxes_of(const ClosestBoxSettings& wanted) {
    return [wanted](const BoxTree& of, const auto& queries, const auto&... with) {
        return of.closest_boxes(queries, wanted, with...);
    };
}

broadside_aabb c_box(const Aabb& box) { return value_of<broadside_aabb>(box); }

// Calls one of the functions that take a view of boxes and a runner.
template <class Call>
broadside_status with_boxes(broadside_tree* tree, const broadside_boxes* boxes,
                            const broadside_task_runner* given, const Call& call) {
    if (tree == nullptr || boxes == nullptr) return BROADSIDE_INVALID_ARGUMENT;
    const Runner runner(given);
    return c_status(call(tree->tree, view_of(*boxes), runner.get()));
}

FindPairsSettings pair_settings_of(const broadside_find_pairs_settings& given, const TaskRunner* runner,
                                   const broadside_tree& tree, const broadside_tree* other) {
    FindPairsSettings settings;
    settings.order = enum_of<PairOrder>(given.order);
    settings.runner = runner;
    settings.filter = filter_of(given.filter, tree.tree.box_count());
    if (other != nullptr) settings.filter_b = filter_of(given.filter_b, other->tree.box_count());
    return settings;
}

// Calls `call` with the settings of a distance query.
template <class Call>
broadside_status with_close_pairs(const broadside_tree* tree, const broadside_tree* other,
                                  const broadside_find_pairs_settings* settings, const Call& call) {
    broadside_find_pairs_settings given;
    if (tree == nullptr || !read_struct(settings, given) || !has_enumerators(given))
        return BROADSIDE_INVALID_ARGUMENT;
    return c_status(call(pair_settings_of(given, nullptr, *tree, other)));
}

}  // namespace

broadside_status broadside_tree_create(const broadside_allocator* allocator, broadside_tree** out_tree) {
    return create(allocator, out_tree);
}
void broadside_tree_destroy(broadside_tree* tree) { destroy(tree); }

broadside_status broadside_tree_build(broadside_tree* tree, const broadside_boxes* boxes,
                                      const broadside_task_runner* runner) {
    return with_boxes(tree, boxes, runner,
                      [](BoxTree& state_tree, const BoxSoaView& view, const TaskRunner* with) {
                          return state_tree.build(view, with);
                      });
}
broadside_status broadside_tree_build_subset(broadside_tree* tree, const broadside_boxes* boxes,
                                             const uint64_t* subset_bits,
                                             const broadside_task_runner* runner) {
    return with_boxes(
        tree, boxes, runner, [&](BoxTree& state_tree, const BoxSoaView& view, const TaskRunner* with) {
            const std::size_t word_count = subset_bits == nullptr ? 0 : bit_word_count(view.count);
            return state_tree.build_subset(view, std::span(subset_bits, word_count), with);
        });
}
broadside_status broadside_tree_refit(broadside_tree* tree, const broadside_boxes* boxes,
                                      const broadside_task_runner* runner) {
    return with_boxes(tree, boxes, runner,
                      [](BoxTree& state_tree, const BoxSoaView& view, const TaskRunner* with) {
                          return state_tree.refit(view, with);
                      });
}
broadside_status broadside_tree_update(broadside_tree* tree, const broadside_boxes* boxes,
                                       const broadside_task_runner* runner) {
    return with_boxes(tree, boxes, runner,
                      [](BoxTree& state_tree, const BoxSoaView& view, const TaskRunner* with) {
                          return state_tree.update(view, with);
                      });
}
broadside_status broadside_tree_set_box(broadside_tree* tree, uint32_t box_index, const broadside_aabb* box) {
    if (tree == nullptr || box == nullptr) return BROADSIDE_INVALID_ARGUMENT;
    return c_status(tree->tree.set_box(box_index, value_of<Aabb>(*box)));
}
broadside_status broadside_tree_remove_box(broadside_tree* tree, uint32_t box_index) {
    if (tree == nullptr) return BROADSIDE_INVALID_ARGUMENT;
    return c_status(tree->tree.remove_box(box_index));
}
void broadside_tree_clear(broadside_tree* tree) {
    if (tree != nullptr) tree->tree.clear();
}

size_t broadside_tree_box_count(const broadside_tree* tree) {
    return tree == nullptr ? 0 : tree->tree.box_count();
}
size_t broadside_tree_member_count(const broadside_tree* tree) {
    return tree == nullptr ? 0 : tree->tree.member_count();
}
size_t broadside_tree_invalid_count(const broadside_tree* tree, size_t* out_first_index) {
    const InvalidBoxes invalid = tree == nullptr ? InvalidBoxes{} : tree->tree.invalid_boxes();
    if (out_first_index != nullptr) *out_first_index = invalid.first_index;
    return invalid.count;
}
broadside_aabb broadside_tree_bounds(const broadside_tree* tree) {
    return c_box(tree == nullptr ? Aabb::empty() : tree->tree.bounds());
}
broadside_aabb broadside_tree_box(const broadside_tree* tree, uint32_t box_index) {
    const bool is_box = tree != nullptr && box_index < tree->tree.box_count();
    return c_box(is_box ? tree->tree.box(box_index) : Aabb::empty());
}
size_t broadside_tree_capacity_bytes(const broadside_tree* tree) {
    return tree == nullptr ? 0 : tree->tree.capacity_bytes();
}

broadside_status broadside_tree_find_overlaps(const broadside_tree* tree, const broadside_shapes* shapes,
                                              const broadside_query_settings* settings,
                                              broadside_query_lists* lists, const broadside_pair** out_pairs,
                                              size_t* out_count, broadside_result* out_result) {
    const ListOutputs output = {lists, &broadside_query_lists::pairs, out_pairs, out_count};
    return query<Call>(tree, settings, Shapes<OverlapQueries>{shapes}, output, out_result, kFindOverlaps);
}
broadside_status broadside_tree_any_overlap(const broadside_tree* tree, const broadside_shapes* shapes,
                                            const broadside_query_settings* settings, uint64_t* out_bits,
                                            size_t word_count, broadside_result* out_result) {
    return query<Call>(tree, settings, Shapes<OverlapQueries>{shapes}, BitOutput{out_bits, word_count},
                       out_result, kAnyOverlap);
}
broadside_status broadside_tree_first_overlaps(const broadside_tree* tree, const broadside_shapes* shapes,
                                               uint32_t shapes_per_state,
                                               const broadside_query_settings* settings, uint32_t* out_first,
                                               size_t motion_count, broadside_result* out_result) {
    return query<Call>(tree, settings, Shapes<OverlapQueries>{shapes}, MotionOutput{out_first, motion_count},
                       out_result, first_overlaps_of(shapes_per_state));
}
broadside_status broadside_tree_closest_hits(const broadside_tree* tree, const broadside_casts* casts,
                                             const broadside_query_settings* settings,
                                             broadside_closest_hit* out_closest, size_t capacity,
                                             broadside_result* out_result) {
    return query<Call>(tree, settings, Casts<HitQueries>{casts}, batch_output<TreeHit>(out_closest, capacity),
                       out_result, kClosestHits);
}
broadside_status broadside_tree_find_hits(const broadside_tree* tree, const broadside_casts* casts,
                                          const broadside_query_settings* settings,
                                          broadside_query_lists* lists, const broadside_hit** out_hits,
                                          size_t* out_count, broadside_result* out_result) {
    const ListOutputs output = {lists, &broadside_query_lists::hits, out_hits, out_count};
    return query<Call>(tree, settings, Casts<HitQueries>{casts}, output, out_result, kFindHits);
}
broadside_status broadside_tree_any_hit(const broadside_tree* tree, const broadside_casts* casts,
                                        const broadside_query_settings* settings, uint64_t* out_bits,
                                        size_t word_count, broadside_result* out_result) {
    return query<Call>(tree, settings, Casts<HitQueries>{casts}, BitOutput{out_bits, word_count}, out_result,
                       kAnyHit);
}
broadside_status broadside_tree_closest_boxes(const broadside_tree* tree, const broadside_vec3* points,
                                              size_t point_count, uint32_t box_count, float max_distance,
                                              const broadside_query_settings* settings,
                                              broadside_closest_box* out_closest, size_t capacity,
                                              broadside_result* out_result) {
    return query<Call>(tree, settings, Points{points, point_count},
                       batch_output<ClosestBox>(out_closest, capacity, box_count), out_result,
                       closest_boxes_of({.count = box_count, .max_distance = max_distance}));
}
broadside_status broadside_tree_closest_boxes_to(const broadside_tree* tree, const broadside_shapes* shapes,
                                                 uint32_t box_count, float max_distance,
                                                 const broadside_query_settings* settings,
                                                 broadside_closest_box* out_closest, size_t capacity,
                                                 broadside_result* out_result) {
    return query<Call>(tree, settings, Shapes<NearQueries>{shapes},
                       batch_output<ClosestBox>(out_closest, capacity, box_count), out_result,
                       closest_boxes_of({.count = box_count, .max_distance = max_distance}));
}

broadside_status broadside_tree_visit_hits(const broadside_tree* tree, const broadside_casts* cast,
                                           const broadside_query_settings* settings,
                                           broadside_hit_visitor visit, void* user) {
    const auto output = visitor_output(
        visit, [&](const TreeHit& hit) { return visit(user, same_layout<broadside_closest_hit>(&hit)); });
    return query<Call>(tree, settings, Casts<HitQuery>{cast}, output, nullptr, kVisitHits);
}
broadside_status broadside_tree_visit_overlaps(const broadside_tree* tree, const broadside_shapes* shape,
                                               const broadside_query_settings* settings,
                                               broadside_overlap_visitor visit, void* user) {
    const auto output =
        visitor_output(visit, [&](std::uint32_t box_index) { return visit(user, box_index) != 0; });
    return query<Call>(tree, settings, Shapes<OverlapQuery>{shape}, output, nullptr, kVisitOverlaps);
}
broadside_status broadside_tree_visit_close_boxes(const broadside_tree* tree, const broadside_shapes* shape,
                                                  float max_distance,
                                                  const broadside_query_settings* settings,
                                                  broadside_close_pair_visitor visit, void* user) {
    const auto output = visitor_output(
        visit, [&](const ClosePair& pair) { return visit(user, same_layout<broadside_close_pair>(&pair)); });
    return query<Call>(tree, settings, Shapes<NearQuery>{shape}, output, nullptr,
                       [&](const BoxTree& of, const NearQuery& near, const auto&... with) {
                           return of.visit_close_boxes(near, {.max_distance = max_distance}, with...);
                       });
}

broadside_status broadside_tree_visit_pairs(const broadside_tree* tree, const broadside_tree* other,
                                            const broadside_find_pairs_settings* settings,
                                            broadside_pair_visitor visit, void* user) {
    broadside_find_pairs_settings given;
    if (tree == nullptr || visit == nullptr || !read_struct(settings, given) || !has_enumerators(given))
        return BROADSIDE_INVALID_ARGUMENT;
    const FindPairsSettings pair_settings = pair_settings_of(given, nullptr, *tree, other);
    const auto take = [&](const IndexPair& pair) {
        return visit(user, same_layout<broadside_pair>(&pair)) != 0;
    };
    return c_status(other != nullptr ? tree->tree.visit_pairs(other->tree, pair_settings, take)
                                     : tree->tree.visit_pairs(pair_settings, take));
}
broadside_status broadside_tree_closest_pair(const broadside_tree* tree, const broadside_tree* other,
                                             float max_distance,
                                             const broadside_find_pairs_settings* settings,
                                             broadside_close_pair* out_pair) {
    if (out_pair == nullptr) return BROADSIDE_INVALID_ARGUMENT;
    ClosePair closest;
    const auto take = [&](const FindPairsSettings& pair_settings) {
        closest = other != nullptr ? tree->tree.closest_pair(other->tree, max_distance, pair_settings)
                                   : tree->tree.closest_pair(max_distance, pair_settings);
        // That has no status; a visit of nothing has that of the same settings.
        const auto ignore = [](const ClosePair&) { return kVisitNoMore; };
        return other != nullptr ? tree->tree.visit_close_pairs(other->tree, -1.0f, pair_settings, ignore)
                                : tree->tree.visit_close_pairs(-1.0f, pair_settings, ignore);
    };
    const broadside_status status = with_close_pairs(tree, other, settings, take);
    if (status == BROADSIDE_OK) *out_pair = *same_layout<broadside_close_pair>(&closest);
    return status;
}
broadside_status broadside_tree_visit_close_pairs(const broadside_tree* tree, const broadside_tree* other,
                                                  float max_distance,
                                                  const broadside_find_pairs_settings* settings,
                                                  broadside_close_pair_visitor visit, void* user) {
    if (visit == nullptr) return BROADSIDE_INVALID_ARGUMENT;
    const auto take = [&](const ClosePair& pair) {
        return visit(user, same_layout<broadside_close_pair>(&pair));
    };
    return with_close_pairs(tree, other, settings, [&](const FindPairsSettings& pair_settings) {
        return other != nullptr ? tree->tree.visit_close_pairs(other->tree, max_distance, pair_settings, take)
                                : tree->tree.visit_close_pairs(max_distance, pair_settings, take);
    });
}
broadside_status broadside_tree_find_pairs(const broadside_tree* tree, const broadside_tree* other,
                                           const broadside_find_pairs_settings* settings,
                                           broadside_query_lists* lists, const broadside_pair** out_pairs,
                                           size_t* out_count, broadside_result* out_result) {
    broadside_find_pairs_settings given;
    const bool has_room = clear_list(out_pairs, out_count);
    if (tree == nullptr || lists == nullptr || !has_room || !is_writable(out_result) ||
        !read_struct(settings, given) || !has_enumerators(given))
        return refuse(out_result);
    const Runner runner(given.runner);
    const FindPairsSettings pair_settings = pair_settings_of(given, runner.get(), *tree, other);
    BoxScratch& scratch = lists->scratch;
    lists->pairs.clear();
    const WriteResult answer = other != nullptr
                                   ? tree->tree.find_pairs(other->tree, pair_settings, scratch, lists->pairs)
                                   : tree->tree.find_pairs(pair_settings, scratch, lists->pairs);
    const broadside_status status = finish(out_result, answer);
    show_list(lists->pairs, out_pairs, out_count);
    return status;
}
