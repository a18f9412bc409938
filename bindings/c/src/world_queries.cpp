// Queries of a World and of a WorldView.
#include "bindings/c/src/convert.hpp"
#include "bindings/c/src/world.hpp"

#include <broadside/world_query.hpp>

using namespace broadside;
using namespace broadside::c;

namespace {

// The queries of a world, after their preparation, or of a view.
WorldQueries queries_of(broadside_world& state_world, const TaskRunner* runner) {
    return state_world.world.queries(runner);
}
WorldQueries queries_of(const broadside_world_view& view, const TaskRunner*) { return view.view.queries(); }

// The settings of a query, during the query.
class Question {
public:
    template <class Asked>
    Question(const broadside_world_query_settings& given, Asked& asked, std::size_t query_count)
        : given_(given), runner_(given.runner), queries_(queries_of(asked, runner_.get())) {
        if (given.kinds != 0) settings_.kinds = given.kinds;
        if (given.layers != 0) settings_.layers = given.layers;
        settings_.masks = std::span(given.masks, given.masks == nullptr ? 0 : query_count);
        if (given.accepts != nullptr) settings_.accepts = &accepts;
        if (given.accepts_layer != nullptr) settings_.accepts_layer = &accepts_layer;
        settings_.user = &given_;
        settings_.runner = runner_.get();
    }
    Question(const Question&) = delete;
    Question& operator=(const Question&) = delete;

    const WorldQuerySettings& settings() const { return settings_; }
    const WorldQueries* operator->() const { return &queries_; }

private:
    static const broadside_world_query_settings& given_of(void* user) {
        return *static_cast<const broadside_world_query_settings*>(user);
    }
    static bool accepts(void* user, std::uint32_t query_index, ObjectHandle object) noexcept {
        return given_of(user).accepts(given_of(user).user, query_index, object.value) != 0;
    }
    static bool accepts_layer(void* user, std::uint32_t layer) noexcept {
        return given_of(user).accepts_layer(given_of(user).user, layer) != 0;
    }

    broadside_world_query_settings given_;
    Runner runner_;
    WorldQueries queries_;
    WorldQuerySettings settings_;
};

template <class Asked>
bool is_legal(const Asked* asked, const broadside_world_query_settings* settings,
              const broadside_result* out_result, broadside_world_query_settings& out_settings) {
    return asked != nullptr && is_writable(out_result) && read_struct(settings, out_settings);
}

static_assert(offsetof(Listed<ObjectHandle>, found) == offsetof(broadside_world_overlap, object));
static_assert(offsetof(Listed<WorldHit>, found.target) == offsetof(broadside_world_hit, object) &&
              offsetof(Listed<WorldHit>, found.t) == offsetof(broadside_world_hit, t) &&
              offsetof(Listed<WorldHit>, found.face) == offsetof(broadside_world_hit, face));
static_assert(offsetof(WorldHit, target) == offsetof(broadside_closest_object_hit, object) &&
              offsetof(WorldHit, face) == offsetof(broadside_closest_object_hit, face));
static_assert(offsetof(ClosestObject, target) == offsetof(broadside_closest_object, object));

template <class Asked>
broadside_status find_overlaps(Asked* asked, const broadside_shapes* shapes,
                               const broadside_world_query_settings* settings, broadside_query_lists* lists,
                               const broadside_world_overlap** out_overlaps, size_t* out_count,
                               broadside_result* out_result) {
    broadside_world_query_settings given;
    const bool has_room = clear_list(out_overlaps, out_count);
    if (!is_legal(asked, settings, out_result, given) || lists == nullptr || !has_room)
        return refuse(out_result);
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const auto ask = [&](auto queries) {
        const Question question(given, *asked, queries.size());
        status = finish(out_result, question->find_overlaps(queries, question.settings(), lists->scratch,
                                                            lists->world_overlaps));
        show_list(lists->world_overlaps, out_overlaps, out_count);
    };
    return with_shapes(shapes, ask) ? status : refuse(out_result);
}
template <class Asked>
broadside_status any_overlap(Asked* asked, const broadside_shapes* shapes,
                             const broadside_world_query_settings* settings, uint64_t* out_bits,
                             size_t word_count, broadside_result* out_result) {
    broadside_world_query_settings given;
    if (!is_legal(asked, settings, out_result, given) || !is_readable(out_bits, word_count))
        return refuse(out_result);
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const auto ask = [&](auto queries) {
        const Question question(given, *asked, queries.size());
        status = finish(out_result,
                        question->any_overlap(queries, question.settings(), std::span(out_bits, word_count)),
                        bit_word_count(queries.size()));
    };
    return with_shapes(shapes, ask) ? status : refuse(out_result);
}
template <class Asked>
broadside_status first_overlaps(Asked* asked, const broadside_shapes* shapes, uint32_t shapes_per_state,
                                const broadside_world_query_settings* settings, uint32_t* out_first,
                                size_t motion_count, broadside_result* out_result) {
    broadside_world_query_settings given;
    if (!is_legal(asked, settings, out_result, given) || !is_readable(out_first, motion_count))
        return refuse(out_result);
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const auto ask = [&](auto queries) {
        const Question question(given, *asked, queries.size());
        status = finish(out_result,
                        question->first_overlaps(queries, shapes_per_state, question.settings(),
                                                 std::span(out_first, motion_count)),
                        motion_count);
    };
    return with_shapes(shapes, ask) ? status : refuse(out_result);
}
template <class Asked>
broadside_status closest_hits(Asked* asked, const broadside_casts* casts,
                              const broadside_world_query_settings* settings,
                              broadside_closest_object_hit* out_closest, size_t capacity,
                              broadside_result* out_result) {
    broadside_world_query_settings given;
    if (!is_legal(asked, settings, out_result, given) || !is_readable(out_closest, capacity))
        return refuse(out_result);
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const auto ask = [&](auto queries, const auto&... rule) {
        const Question question(given, *asked, queries.size());
        status = finish(out_result,
                        question->closest_hits(HitQueries(queries, rule...), question.settings(),
                                               span_of<WorldHit>(out_closest, capacity)),
                        queries.size());
    };
    return with_casts(casts, given, ask) ? status : refuse(out_result);
}
template <class Asked>
broadside_status find_hits(Asked* asked, const broadside_casts* casts,
                           const broadside_world_query_settings* settings, broadside_query_lists* lists,
                           const broadside_world_hit** out_hits, size_t* out_count,
                           broadside_result* out_result) {
    broadside_world_query_settings given;
    const bool has_room = clear_list(out_hits, out_count);
    if (!is_legal(asked, settings, out_result, given) || lists == nullptr || !has_room)
        return refuse(out_result);
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const auto ask = [&](auto queries, const auto&... rule) {
        const Question question(given, *asked, queries.size());
        status = finish(out_result, question->find_hits(HitQueries(queries, rule...), question.settings(),
                                                        lists->scratch, lists->world_hits));
        show_list(lists->world_hits, out_hits, out_count);
    };
    return with_casts(casts, given, ask) ? status : refuse(out_result);
}
template <class Asked>
broadside_status any_hit(Asked* asked, const broadside_casts* casts,
                         const broadside_world_query_settings* settings, uint64_t* out_bits,
                         size_t word_count, broadside_result* out_result) {
    broadside_world_query_settings given;
    if (!is_legal(asked, settings, out_result, given) || !is_readable(out_bits, word_count))
        return refuse(out_result);
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const auto ask = [&](auto queries, const auto&... rule) {
        const Question question(given, *asked, queries.size());
        status = finish(out_result,
                        question->any_hit(HitQueries(queries, rule...), question.settings(),
                                          std::span(out_bits, word_count)),
                        bit_word_count(queries.size()));
    };
    return with_casts(casts, given, ask) ? status : refuse(out_result);
}
template <class Asked>
broadside_status closest_objects(Asked* asked, const broadside_vec3* points, size_t point_count,
                                 uint32_t object_count, float max_distance,
                                 const broadside_world_query_settings* settings,
                                 broadside_closest_object* out_closest, size_t capacity,
                                 broadside_result* out_result) {
    broadside_world_query_settings given;
    if (!is_legal(asked, settings, out_result, given) || !is_readable(points, point_count) ||
        !is_readable(out_closest, capacity))
        return refuse(out_result);
    const Question question(given, *asked, point_count);
    return finish(
        out_result,
        question->closest_objects(span_of<Vec3>(points, point_count),
                                  {.count = object_count, .max_distance = max_distance}, question.settings(),
                                  span_of<ClosestObject>(out_closest, capacity)),
        point_count * object_count);
}
template <class Asked>
broadside_status visit_hits(Asked* asked, const broadside_casts* cast,
                            const broadside_world_query_settings* settings,
                            broadside_object_hit_visitor visit, void* user) {
    broadside_world_query_settings given;
    if (!is_legal(asked, settings, nullptr, given) || visit == nullptr || cast == nullptr || cast->count != 1)
        return BROADSIDE_INVALID_ARGUMENT;
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const auto ask = [&](auto queries, const auto&... rule) {
        const Question question(given, *asked, 1);
        const auto take = [&](const WorldHit& hit) {
            return visit(user, same_layout<broadside_closest_object_hit>(&hit));
        };
        status = c_status(question->visit_hits(HitQuery(queries[0], rule...), question.settings(), take));
    };
    (void)with_casts(cast, given, ask);
    return status;
}
template <class Asked>
broadside_status visit_overlaps(Asked* asked, const broadside_shapes* shape,
                                const broadside_world_query_settings* settings,
                                broadside_object_visitor visit, void* user) {
    broadside_world_query_settings given;
    if (!is_legal(asked, settings, nullptr, given) || visit == nullptr || shape == nullptr ||
        shape->count != 1)
        return BROADSIDE_INVALID_ARGUMENT;
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const auto ask = [&](auto queries) {
        const Question question(given, *asked, 1);
        const auto take = [&](ObjectHandle object) { return visit(user, object.value) != 0; };
        status = c_status(question->visit_overlaps(OverlapQuery(queries[0]), question.settings(), take));
    };
    (void)with_shapes(shape, ask);
    return status;
}

}  // namespace

broadside_status broadside_world_find_overlaps(broadside_world* world, const broadside_shapes* shapes,
                                               const broadside_world_query_settings* settings,
                                               broadside_query_lists* lists,
                                               const broadside_world_overlap** out_overlaps,
                                               size_t* out_count, broadside_result* out_result) {
    return find_overlaps(world, shapes, settings, lists, out_overlaps, out_count, out_result);
}
broadside_status broadside_world_any_overlap(broadside_world* world, const broadside_shapes* shapes,
                                             const broadside_world_query_settings* settings,
                                             uint64_t* out_bits, size_t word_count,
                                             broadside_result* out_result) {
    return any_overlap(world, shapes, settings, out_bits, word_count, out_result);
}
broadside_status broadside_world_first_overlaps(broadside_world* world, const broadside_shapes* shapes,
                                                uint32_t shapes_per_state,
                                                const broadside_world_query_settings* settings,
                                                uint32_t* out_first, size_t motion_count,
                                                broadside_result* out_result) {
    return first_overlaps(world, shapes, shapes_per_state, settings, out_first, motion_count, out_result);
}
broadside_status broadside_world_closest_hits(broadside_world* world, const broadside_casts* casts,
                                              const broadside_world_query_settings* settings,
                                              broadside_closest_object_hit* out_closest, size_t capacity,
                                              broadside_result* out_result) {
    return closest_hits(world, casts, settings, out_closest, capacity, out_result);
}
broadside_status broadside_world_find_hits(broadside_world* world, const broadside_casts* casts,
                                           const broadside_world_query_settings* settings,
                                           broadside_query_lists* lists, const broadside_world_hit** out_hits,
                                           size_t* out_count, broadside_result* out_result) {
    return find_hits(world, casts, settings, lists, out_hits, out_count, out_result);
}
broadside_status broadside_world_any_hit(broadside_world* world, const broadside_casts* casts,
                                         const broadside_world_query_settings* settings, uint64_t* out_bits,
                                         size_t word_count, broadside_result* out_result) {
    return any_hit(world, casts, settings, out_bits, word_count, out_result);
}
broadside_status broadside_world_closest_objects(broadside_world* world, const broadside_vec3* points,
                                                 size_t point_count, uint32_t object_count,
                                                 float max_distance,
                                                 const broadside_world_query_settings* settings,
                                                 broadside_closest_object* out_closest, size_t capacity,
                                                 broadside_result* out_result) {
    return closest_objects(world, points, point_count, object_count, max_distance, settings, out_closest,
                           capacity, out_result);
}

broadside_status broadside_world_visit_hits(broadside_world* world, const broadside_casts* cast,
                                            const broadside_world_query_settings* settings,
                                            broadside_object_hit_visitor visit, void* user) {
    return visit_hits(world, cast, settings, visit, user);
}
broadside_status broadside_world_visit_overlaps(broadside_world* world, const broadside_shapes* shape,
                                                const broadside_world_query_settings* settings,
                                                broadside_object_visitor visit, void* user) {
    return visit_overlaps(world, shape, settings, visit, user);
}

broadside_status broadside_world_view_find_overlaps(const broadside_world_view* view,
                                                    const broadside_shapes* shapes,
                                                    const broadside_world_query_settings* settings,
                                                    broadside_query_lists* lists,
                                                    const broadside_world_overlap** out_overlaps,
                                                    size_t* out_count, broadside_result* out_result) {
    return find_overlaps(view, shapes, settings, lists, out_overlaps, out_count, out_result);
}
broadside_status broadside_world_view_any_overlap(const broadside_world_view* view,
                                                  const broadside_shapes* shapes,
                                                  const broadside_world_query_settings* settings,
                                                  uint64_t* out_bits, size_t word_count,
                                                  broadside_result* out_result) {
    return any_overlap(view, shapes, settings, out_bits, word_count, out_result);
}
broadside_status broadside_world_view_first_overlaps(const broadside_world_view* view,
                                                     const broadside_shapes* shapes,
                                                     uint32_t shapes_per_state,
                                                     const broadside_world_query_settings* settings,
                                                     uint32_t* out_first, size_t motion_count,
                                                     broadside_result* out_result) {
    return first_overlaps(view, shapes, shapes_per_state, settings, out_first, motion_count, out_result);
}
broadside_status broadside_world_view_closest_hits(const broadside_world_view* view,
                                                   const broadside_casts* casts,
                                                   const broadside_world_query_settings* settings,
                                                   broadside_closest_object_hit* out_closest, size_t capacity,
                                                   broadside_result* out_result) {
    return closest_hits(view, casts, settings, out_closest, capacity, out_result);
}
broadside_status broadside_world_view_find_hits(const broadside_world_view* view,
                                                const broadside_casts* casts,
                                                const broadside_world_query_settings* settings,
                                                broadside_query_lists* lists,
                                                const broadside_world_hit** out_hits, size_t* out_count,
                                                broadside_result* out_result) {
    return find_hits(view, casts, settings, lists, out_hits, out_count, out_result);
}
broadside_status broadside_world_view_any_hit(const broadside_world_view* view, const broadside_casts* casts,
                                              const broadside_world_query_settings* settings,
                                              uint64_t* out_bits, size_t word_count,
                                              broadside_result* out_result) {
    return any_hit(view, casts, settings, out_bits, word_count, out_result);
}
broadside_status broadside_world_view_closest_objects(const broadside_world_view* view,
                                                      const broadside_vec3* points, size_t point_count,
                                                      uint32_t object_count, float max_distance,
                                                      const broadside_world_query_settings* settings,
                                                      broadside_closest_object* out_closest, size_t capacity,
                                                      broadside_result* out_result) {
    return closest_objects(view, points, point_count, object_count, max_distance, settings, out_closest,
                           capacity, out_result);
}
broadside_status broadside_world_view_visit_hits(const broadside_world_view* view,
                                                 const broadside_casts* cast,
                                                 const broadside_world_query_settings* settings,
                                                 broadside_object_hit_visitor visit, void* user) {
    return visit_hits(view, cast, settings, visit, user);
}
broadside_status broadside_world_view_visit_overlaps(const broadside_world_view* view,
                                                     const broadside_shapes* shape,
                                                     const broadside_world_query_settings* settings,
                                                     broadside_object_visitor visit, void* user) {
    return visit_overlaps(view, shape, settings, visit, user);
}
