// BoxTree.
#include "bindings/c/src/convert.hpp"
#include "bindings/c/src/handles.hpp"

using namespace broadside;
using namespace broadside::c;

namespace {

// The settings of a query, during the query.
class Question {
public:
    Question(const broadside_query_settings& given, const BoxTree& tree, std::size_t query_count)
        : given_(given), runner_(given.runner) {
        settings_.filter.categories =
            std::span(given.categories, given.categories == nullptr ? 0 : tree.box_count());
        settings_.filter.masks = std::span(given.masks, given.masks == nullptr ? 0 : query_count);
        if (given.accepts != nullptr) {
            settings_.filter.accepts = &accepts;
            settings_.filter.user = &given_;
        }
        settings_.runner = runner_.get();
        settings_.order = enum_of<PairOrder>(given.order);
    }
    Question(const Question&) = delete;
    Question& operator=(const Question&) = delete;

    const TreeQuerySettings& settings() const { return settings_; }

private:
    static bool accepts(void* user, std::uint32_t query_index, std::uint32_t box_index) noexcept {
        const broadside_query_settings& given = *static_cast<const broadside_query_settings*>(user);
        return given.accepts(given.user, query_index, box_index) != 0;
    }

    broadside_query_settings given_;
    Runner runner_;
    TreeQuerySettings settings_;
};

bool is_legal(const broadside_tree* tree, const broadside_query_settings* settings,
              const broadside_result* out_result, broadside_query_settings& out_settings) {
    return tree != nullptr && is_writable(out_result) && read_struct(settings, out_settings) &&
           is_enumerator(out_settings.order, BROADSIDE_ORDER_BY_ALGORITHM);
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
broadside_status with_close_pairs(const broadside_tree* tree, const broadside_tree* other, float max_distance,
                                  const broadside_find_pairs_settings* settings, const Call& call) {
    broadside_find_pairs_settings given;
    if (tree == nullptr || !read_struct(settings, given) || !has_enumerators(given))
        return BROADSIDE_INVALID_ARGUMENT;
    const FindPairsSettings pair_settings = pair_settings_of(given, nullptr, *tree, other);
    return c_status(call({max_distance, pair_settings.filter, pair_settings.filter_b}));
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
    broadside_query_settings given;
    const bool has_room = clear_list(out_pairs, out_count);
    if (!is_legal(tree, settings, out_result, given) || lists == nullptr || !has_room)
        return refuse(out_result);
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const auto ask = [&](auto queries) {
        const Question question(given, tree->tree, queries.size());
        status = finish(out_result,
                        tree->tree.find_overlaps(queries, question.settings(), lists->scratch, lists->pairs));
        show_list(lists->pairs, out_pairs, out_count);
    };
    return with_shapes(shapes, ask) ? status : refuse(out_result);
}
broadside_status broadside_tree_any_overlap(const broadside_tree* tree, const broadside_shapes* shapes,
                                            const broadside_query_settings* settings, uint64_t* out_bits,
                                            size_t word_count, broadside_result* out_result) {
    broadside_query_settings given;
    if (!is_legal(tree, settings, out_result, given) || !is_readable(out_bits, word_count))
        return refuse(out_result);
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const auto ask = [&](auto queries) {
        const Question question(given, tree->tree, queries.size());
        status = finish(out_result,
                        tree->tree.any_overlap(queries, question.settings(), std::span(out_bits, word_count)),
                        bit_word_count(queries.size()));
    };
    return with_shapes(shapes, ask) ? status : refuse(out_result);
}
broadside_status broadside_tree_first_overlaps(const broadside_tree* tree, const broadside_shapes* shapes,
                                               uint32_t shapes_per_state,
                                               const broadside_query_settings* settings, uint32_t* out_first,
                                               size_t motion_count, broadside_result* out_result) {
    broadside_query_settings given;
    if (!is_legal(tree, settings, out_result, given) || !is_readable(out_first, motion_count))
        return refuse(out_result);
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const auto ask = [&](auto queries) {
        const Question question(given, tree->tree, queries.size());
        status = finish(out_result,
                        tree->tree.first_overlaps(queries, shapes_per_state, question.settings(),
                                                  std::span(out_first, motion_count)),
                        motion_count);
    };
    return with_shapes(shapes, ask) ? status : refuse(out_result);
}
broadside_status broadside_tree_closest_hits(const broadside_tree* tree, const broadside_casts* casts,
                                             const broadside_query_settings* settings,
                                             broadside_closest_hit* out_closest, size_t capacity,
                                             broadside_result* out_result) {
    broadside_query_settings given;
    if (!is_legal(tree, settings, out_result, given) || !is_readable(out_closest, capacity))
        return refuse(out_result);
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const auto ask = [&](auto queries, const auto&... rule) {
        const Question question(given, tree->tree, queries.size());
        status = finish(out_result,
                        tree->tree.closest_hits(HitQueries(queries, rule...), question.settings(),
                                                span_of<TreeHit>(out_closest, capacity)),
                        queries.size());
    };
    return with_casts(casts, given, ask) ? status : refuse(out_result);
}
broadside_status broadside_tree_find_hits(const broadside_tree* tree, const broadside_casts* casts,
                                          const broadside_query_settings* settings,
                                          broadside_query_lists* lists, const broadside_hit** out_hits,
                                          size_t* out_count, broadside_result* out_result) {
    broadside_query_settings given;
    const bool has_room = clear_list(out_hits, out_count);
    if (!is_legal(tree, settings, out_result, given) || lists == nullptr || !has_room)
        return refuse(out_result);
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const auto ask = [&](auto queries, const auto&... rule) {
        const Question question(given, tree->tree, queries.size());
        status = finish(out_result, tree->tree.find_hits(HitQueries(queries, rule...), question.settings(),
                                                         lists->scratch, lists->hits));
        show_list(lists->hits, out_hits, out_count);
    };
    return with_casts(casts, given, ask) ? status : refuse(out_result);
}
broadside_status broadside_tree_any_hit(const broadside_tree* tree, const broadside_casts* casts,
                                        const broadside_query_settings* settings, uint64_t* out_bits,
                                        size_t word_count, broadside_result* out_result) {
    broadside_query_settings given;
    if (!is_legal(tree, settings, out_result, given) || !is_readable(out_bits, word_count))
        return refuse(out_result);
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const auto ask = [&](auto queries, const auto&... rule) {
        const Question question(given, tree->tree, queries.size());
        status = finish(out_result,
                        tree->tree.any_hit(HitQueries(queries, rule...), question.settings(),
                                           std::span(out_bits, word_count)),
                        bit_word_count(queries.size()));
    };
    return with_casts(casts, given, ask) ? status : refuse(out_result);
}
broadside_status broadside_tree_closest_boxes(const broadside_tree* tree, const broadside_vec3* points,
                                              size_t point_count, uint32_t box_count, float max_distance,
                                              const broadside_query_settings* settings,
                                              broadside_closest_box* out_closest, size_t capacity,
                                              broadside_result* out_result) {
    broadside_query_settings given;
    if (!is_legal(tree, settings, out_result, given) || !is_readable(points, point_count) ||
        !is_readable(out_closest, capacity))
        return refuse(out_result);
    const Question question(given, tree->tree, point_count);
    return finish(out_result,
                  tree->tree.closest_boxes(span_of<Vec3>(points, point_count),
                                           {.count = box_count, .max_distance = max_distance},
                                           question.settings(), span_of<ClosestBox>(out_closest, capacity)),
                  point_count * box_count);
}

broadside_status broadside_tree_closest_boxes_to(const broadside_tree* tree, const broadside_shapes* shapes,
                                                 uint32_t box_count, float max_distance,
                                                 const broadside_query_settings* settings,
                                                 broadside_closest_box* out_closest, size_t capacity,
                                                 broadside_result* out_result) {
    broadside_query_settings given;
    if (!is_legal(tree, settings, out_result, given) || !is_readable(out_closest, capacity))
        return refuse(out_result);
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    bool is_asked = false;
    const auto ask = [&](auto queries) {
        if constexpr (std::is_constructible_v<NearQueries, decltype(queries)>) {
            const Question question(given, tree->tree, queries.size());
            status = finish(
                out_result,
                tree->tree.closest_boxes(queries, {.count = box_count, .max_distance = max_distance},
                                         question.settings(), span_of<ClosestBox>(out_closest, capacity)),
                queries.size() * box_count);
            is_asked = true;
        }
    };
    return with_shapes(shapes, ask) && is_asked ? status : refuse(out_result);
}

broadside_status broadside_tree_visit_hits(const broadside_tree* tree, const broadside_casts* cast,
                                           const broadside_query_settings* settings,
                                           broadside_hit_visitor visit, void* user) {
    broadside_query_settings given;
    if (!is_legal(tree, settings, nullptr, given) || visit == nullptr || cast == nullptr || cast->count != 1)
        return BROADSIDE_INVALID_ARGUMENT;
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const auto ask = [&](auto queries, const auto&... rule) {
        const Question question(given, tree->tree, 1);
        const auto take = [&](const TreeHit& hit) {
            return visit(user, same_layout<broadside_closest_hit>(&hit));
        };
        status = c_status(tree->tree.visit_hits(HitQuery(queries[0], rule...), question.settings(), take));
    };
    (void)with_casts(cast, given, ask);
    return status;
}
broadside_status broadside_tree_visit_overlaps(const broadside_tree* tree, const broadside_shapes* shape,
                                               const broadside_query_settings* settings,
                                               broadside_overlap_visitor visit, void* user) {
    broadside_query_settings given;
    if (!is_legal(tree, settings, nullptr, given) || visit == nullptr || shape == nullptr ||
        shape->count != 1)
        return BROADSIDE_INVALID_ARGUMENT;
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const auto ask = [&](auto queries) {
        const Question question(given, tree->tree, 1);
        const auto take = [&](std::uint32_t box_index) { return visit(user, box_index) != 0; };
        status = c_status(tree->tree.visit_overlaps(OverlapQuery(queries[0]), question.settings(), take));
    };
    (void)with_shapes(shape, ask);
    return status;
}
broadside_status broadside_tree_visit_close_boxes(const broadside_tree* tree, const broadside_shapes* shape,
                                                  float max_distance,
                                                  const broadside_query_settings* settings,
                                                  broadside_close_pair_visitor visit, void* user) {
    broadside_query_settings given;
    if (!is_legal(tree, settings, nullptr, given) || visit == nullptr || shape == nullptr ||
        shape->count != 1)
        return BROADSIDE_INVALID_ARGUMENT;
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const auto ask = [&](auto queries) {
        if constexpr (std::is_constructible_v<NearQueries, decltype(queries)>) {
            const Question question(given, tree->tree, 1);
            const auto take = [&](const ClosePair& pair) {
                return visit(user, same_layout<broadside_close_pair>(&pair));
            };
            status = c_status(tree->tree.visit_close_boxes(
                NearQuery(queries[0]), {.max_distance = max_distance}, question.settings(), take));
        }
    };
    (void)with_shapes(shape, ask);
    return status;
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
    const auto take = [&](const ClosePairSettings& pair_settings) {
        closest = other != nullptr ? tree->tree.closest_pair(other->tree, pair_settings)
                                   : tree->tree.closest_pair(pair_settings);
        return Status::ok;
    };
    const broadside_status status = with_close_pairs(tree, other, max_distance, settings, take);
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
    return with_close_pairs(tree, other, max_distance, settings, [&](const ClosePairSettings& pair_settings) {
        return other != nullptr ? tree->tree.visit_close_pairs(other->tree, pair_settings, take)
                                : tree->tree.visit_close_pairs(pair_settings, take);
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
    QueryScratch& scratch = lists->scratch;
    const WriteResult answer = other != nullptr
                                   ? tree->tree.find_pairs(other->tree, pair_settings, scratch, lists->pairs)
                                   : tree->tree.find_pairs(pair_settings, scratch, lists->pairs);
    const broadside_status status = finish(out_result, answer);
    show_list(lists->pairs, out_pairs, out_count);
    return status;
}
