// Queries of a World and of a WorldView.
#include "bindings/c/src/query.hpp"
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
class Call {
public:
    template <class Asked>
    Call(const broadside_world_query_settings& given, Asked& asked, std::size_t query_count)
        : given_(given), runner_(given.runner), queries_(queries_of(asked, runner_.get())) {
        if (given.kinds != 0) settings_.kinds = given.kinds;
        if (given.layers != 0) settings_.layers = given.layers;
        settings_.masks = std::span(given.masks, given.masks == nullptr ? 0 : query_count);
        if (given.accepts != nullptr) settings_.accepts = &accepts;
        if (given.accepts_layer != nullptr) settings_.accepts_layer = &accepts_layer;
        settings_.user = &given_;
        settings_.runner = runner_.get();
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    const WorldQueries& object() const { return queries_; }
    const WorldQuerySettings& settings() const { return settings_; }

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

static_assert(offsetof(Listed<ObjectHandle>, found) == offsetof(broadside_world_overlap, object));
static_assert(offsetof(Listed<WorldHit>, found.target) == offsetof(broadside_world_hit, object) &&
              offsetof(Listed<WorldHit>, found.t) == offsetof(broadside_world_hit, t) &&
              offsetof(Listed<WorldHit>, found.face) == offsetof(broadside_world_hit, face));
static_assert(offsetof(WorldHit, target) == offsetof(broadside_closest_object_hit, object) &&
              offsetof(WorldHit, face) == offsetof(broadside_closest_object_hit, face));
static_assert(offsetof(ClosestObject, target) == offsetof(broadside_closest_object, object));

auto closest_objects_of(const ClosestBoxSettings& wanted) {
    return [wanted](const WorldQueries& of, const auto& points, const auto&... with) {
        return of.closest_objects(points, wanted, with...);
    };
}

// A visitor of the caller as one of the C++ API.
auto hit_visitor(broadside_object_hit_visitor visit, void* user) {
    return visitor_output(visit, [=](const WorldHit& hit) {
        return visit(user, same_layout<broadside_closest_object_hit>(&hit));
    });
}
auto overlap_visitor(broadside_object_visitor visit, void* user) {
    return visitor_output(visit, [=](ObjectHandle object) { return visit(user, object.value) != 0; });
}

}  // namespace

broadside_status broadside_world_find_overlaps(broadside_world* world, const broadside_shapes* shapes,
                                               const broadside_world_query_settings* settings,
                                               broadside_query_lists* lists,
                                               const broadside_world_overlap** out_overlaps,
                                               size_t* out_count, broadside_result* out_result) {
    const ListOutputs output = {lists, &broadside_query_lists::world_overlaps, out_overlaps, out_count};
    return query<Call>(world, settings, Shapes<OverlapQueries>{shapes}, output, out_result, kFindOverlaps);
}
broadside_status broadside_world_any_overlap(broadside_world* world, const broadside_shapes* shapes,
                                             const broadside_world_query_settings* settings,
                                             uint64_t* out_bits, size_t word_count,
                                             broadside_result* out_result) {
    return query<Call>(world, settings, Shapes<OverlapQueries>{shapes}, BitOutput{out_bits, word_count},
                       out_result, kAnyOverlap);
}
broadside_status broadside_world_first_overlaps(broadside_world* world, const broadside_shapes* shapes,
                                                uint32_t shapes_per_state,
                                                const broadside_world_query_settings* settings,
                                                uint32_t* out_first, size_t motion_count,
                                                broadside_result* out_result) {
    return query<Call>(world, settings, Shapes<OverlapQueries>{shapes}, MotionOutput{out_first, motion_count},
                       out_result, first_overlaps_of(shapes_per_state));
}
broadside_status broadside_world_closest_hits(broadside_world* world, const broadside_casts* casts,
                                              const broadside_world_query_settings* settings,
                                              broadside_closest_object_hit* out_closest, size_t capacity,
                                              broadside_result* out_result) {
    return query<Call>(world, settings, Casts<HitQueries>{casts},
                       batch_output<WorldHit>(out_closest, capacity), out_result, kClosestHits);
}
broadside_status broadside_world_find_hits(broadside_world* world, const broadside_casts* casts,
                                           const broadside_world_query_settings* settings,
                                           broadside_query_lists* lists, const broadside_world_hit** out_hits,
                                           size_t* out_count, broadside_result* out_result) {
    const ListOutputs output = {lists, &broadside_query_lists::world_hits, out_hits, out_count};
    return query<Call>(world, settings, Casts<HitQueries>{casts}, output, out_result, kFindHits);
}
broadside_status broadside_world_any_hit(broadside_world* world, const broadside_casts* casts,
                                         const broadside_world_query_settings* settings, uint64_t* out_bits,
                                         size_t word_count, broadside_result* out_result) {
    return query<Call>(world, settings, Casts<HitQueries>{casts}, BitOutput{out_bits, word_count}, out_result,
                       kAnyHit);
}
broadside_status broadside_world_closest_objects(broadside_world* world, const broadside_vec3* points,
                                                 size_t point_count, uint32_t object_count,
                                                 float max_distance,
                                                 const broadside_world_query_settings* settings,
                                                 broadside_closest_object* out_closest, size_t capacity,
                                                 broadside_result* out_result) {
    return query<Call>(world, settings, Points{points, point_count},
                       batch_output<ClosestObject>(out_closest, capacity, object_count), out_result,
                       closest_objects_of({.count = object_count, .max_distance = max_distance}));
}

broadside_status broadside_world_visit_hits(broadside_world* world, const broadside_casts* cast,
                                            const broadside_world_query_settings* settings,
                                            broadside_object_hit_visitor visit, void* user) {
    return query<Call>(world, settings, Casts<HitQuery>{cast}, hit_visitor(visit, user), nullptr, kVisitHits);
}
broadside_status broadside_world_visit_overlaps(broadside_world* world, const broadside_shapes* shape,
                                                const broadside_world_query_settings* settings,
                                                broadside_object_visitor visit, void* user) {
    return query<Call>(world, settings, Shapes<OverlapQuery>{shape}, overlap_visitor(visit, user), nullptr,
                       kVisitOverlaps);
}

broadside_status broadside_world_view_find_overlaps(const broadside_world_view* view,
                                                    const broadside_shapes* shapes,
                                                    const broadside_world_query_settings* settings,
                                                    broadside_query_lists* lists,
                                                    const broadside_world_overlap** out_overlaps,
                                                    size_t* out_count, broadside_result* out_result) {
    const ListOutputs output = {lists, &broadside_query_lists::world_overlaps, out_overlaps, out_count};
    return query<Call>(view, settings, Shapes<OverlapQueries>{shapes}, output, out_result, kFindOverlaps);
}
broadside_status broadside_world_view_any_overlap(const broadside_world_view* view,
                                                  const broadside_shapes* shapes,
                                                  const broadside_world_query_settings* settings,
                                                  uint64_t* out_bits, size_t word_count,
                                                  broadside_result* out_result) {
    return query<Call>(view, settings, Shapes<OverlapQueries>{shapes}, BitOutput{out_bits, word_count},
                       out_result, kAnyOverlap);
}
broadside_status broadside_world_view_first_overlaps(const broadside_world_view* view,
                                                     const broadside_shapes* shapes,
                                                     uint32_t shapes_per_state,
                                                     const broadside_world_query_settings* settings,
                                                     uint32_t* out_first, size_t motion_count,
                                                     broadside_result* out_result) {
    return query<Call>(view, settings, Shapes<OverlapQueries>{shapes}, MotionOutput{out_first, motion_count},
                       out_result, first_overlaps_of(shapes_per_state));
}
broadside_status broadside_world_view_closest_hits(const broadside_world_view* view,
                                                   const broadside_casts* casts,
                                                   const broadside_world_query_settings* settings,
                                                   broadside_closest_object_hit* out_closest, size_t capacity,
                                                   broadside_result* out_result) {
    return query<Call>(view, settings, Casts<HitQueries>{casts},
                       batch_output<WorldHit>(out_closest, capacity), out_result, kClosestHits);
}
broadside_status broadside_world_view_find_hits(const broadside_world_view* view,
                                                const broadside_casts* casts,
                                                const broadside_world_query_settings* settings,
                                                broadside_query_lists* lists,
                                                const broadside_world_hit** out_hits, size_t* out_count,
                                                broadside_result* out_result) {
    const ListOutputs output = {lists, &broadside_query_lists::world_hits, out_hits, out_count};
    return query<Call>(view, settings, Casts<HitQueries>{casts}, output, out_result, kFindHits);
}
broadside_status broadside_world_view_any_hit(const broadside_world_view* view, const broadside_casts* casts,
                                              const broadside_world_query_settings* settings,
                                              uint64_t* out_bits, size_t word_count,
                                              broadside_result* out_result) {
    return query<Call>(view, settings, Casts<HitQueries>{casts}, BitOutput{out_bits, word_count}, out_result,
                       kAnyHit);
}
broadside_status broadside_world_view_closest_objects(const broadside_world_view* view,
                                                      const broadside_vec3* points, size_t point_count,
                                                      uint32_t object_count, float max_distance,
                                                      const broadside_world_query_settings* settings,
                                                      broadside_closest_object* out_closest, size_t capacity,
                                                      broadside_result* out_result) {
    return query<Call>(view, settings, Points{points, point_count},
                       batch_output<ClosestObject>(out_closest, capacity, object_count), out_result,
                       closest_objects_of({.count = object_count, .max_distance = max_distance}));
}
broadside_status broadside_world_view_visit_hits(const broadside_world_view* view,
                                                 const broadside_casts* cast,
                                                 const broadside_world_query_settings* settings,
                                                 broadside_object_hit_visitor visit, void* user) {
    return query<Call>(view, settings, Casts<HitQuery>{cast}, hit_visitor(visit, user), nullptr, kVisitHits);
}
broadside_status broadside_world_view_visit_overlaps(const broadside_world_view* view,
                                                     const broadside_shapes* shape,
                                                     const broadside_world_query_settings* settings,
                                                     broadside_object_visitor visit, void* user) {
    return query<Call>(view, settings, Shapes<OverlapQuery>{shape}, overlap_visitor(visit, user), nullptr,
                       kVisitOverlaps);
}
