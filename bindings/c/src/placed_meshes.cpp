// Placed meshes against each other.
#include "bindings/c/src/placed.hpp"

#include <broadside/mesh_distance.hpp>
#include <broadside/mesh_pairs.hpp>

using namespace broadside;
using namespace broadside::c;

namespace {

// A list that grows as blocks arrive.
struct ClashList {
    AlignedArray<broadside_clash>& clashes;
    bool has_room = true;

    static bool emit(void* user, std::span<const Clash> block) noexcept {
        ClashList& state_list = *static_cast<ClashList*>(user);
        for (const Clash& clash : block) {
            state_list.has_room =
                state_list.has_room &&
                state_list.clashes.push_back(
                    {clash.a, clash.b, static_cast<broadside_mesh_relation_kind>(clash.relation)});
        }
        return state_list.has_room;
    }
};

MeshRelationSettings relation_settings(const broadside_clash_settings& given, const TaskRunner* runner) {
    return {.clearance = given.clearance, .find_contained = given.do_ignore_contained == 0, .runner = runner};
}

static_assert(offsetof(TrianglePair, relation) == offsetof(broadside_triangle_pair, kind));
static_assert(static_cast<int>(TrianglePairKind::coplanar) == BROADSIDE_TRIANGLES_COPLANAR);
static_assert(static_cast<int>(MeshRelation::duplicate) == BROADSIDE_MESHES_DUPLICATE);

}  // namespace

broadside_status broadside_mesh_relation(const broadside_placed_mesh* a, const broadside_placed_mesh* b,
                                         const broadside_clash_settings* settings,
                                         broadside_mesh_relation_kind* out_relation) {
    broadside_clash_settings given;
    if (a == nullptr || b == nullptr || out_relation == nullptr || !read_struct(settings, given))
        return BROADSIDE_INVALID_ARGUMENT;
    const Runner runner(given.runner);
    const MeshRelationResult answer =
        mesh_relation(placed_mesh(*a), placed_mesh(*b), relation_settings(given, runner.get()));
    if (answer.status == Status::ok)
        *out_relation = static_cast<broadside_mesh_relation_kind>(answer.found);
    return c_status(answer.status);
}

broadside_status broadside_find_clashes(const broadside_placed_mesh* a, size_t a_count,
                                        const broadside_placed_mesh* b, size_t b_count,
                                        const broadside_clash_settings* settings,
                                        broadside_query_lists* lists, const broadside_clash** out_clashes,
                                        size_t* out_count, broadside_result* out_result) {
    broadside_clash_settings given;
    const bool has_output = clear_list(out_clashes, out_count);
    if (!is_readable(a, a_count) || !is_readable(b, b_count) || lists == nullptr || !has_output ||
        !is_writable(out_result) || !read_struct(settings, given))
        return refuse(out_result);
    lists->clashes.clear();
    if (!place_all(a, a_count, lists->placed_a) || !place_all(b, b_count, lists->placed_b))
        return finish(out_result, BatchResult{Status::out_of_memory, kNoIndex});
    const Runner runner(given.runner);
    const MeshRelationSettings with = relation_settings(given, runner.get());
    ClashList list = {lists->clashes};
    const ClashSink sink = {.emit = &ClashList::emit, .user = &list};
    const std::span<const PlacedMesh> placed_a(lists->placed_a.data(), a_count);
    const std::span<const PlacedMesh> placed_b(lists->placed_b.data(), b_count);
    const ClashResult answer = b != nullptr ? find_clashes(placed_a, placed_b, with, lists->scratch, sink)
                                            : find_clashes(placed_a, with, lists->scratch, sink);
    const Status status = answer.status == Status::stopped ? Status::out_of_memory : answer.status;
    const std::size_t bad_index = answer.bad_a != kNoIndex   ? answer.bad_a
                                  : answer.bad_b != kNoIndex ? a_count + answer.bad_b
                                                             : kNoIndex;
    write_struct(out_result, {.size = 0,
                              .status = c_status(status),
                              .bad_index = bad_index,
                              .written = lists->clashes.size(),
                              .required = answer.required});
    if (lists->clashes.size() != 0) show_list(lists->clashes, out_clashes, out_count);
    return c_status(status);
}

broadside_status broadside_find_triangle_pairs(const broadside_placed_mesh* a, const broadside_placed_mesh* b,
                                               broadside_query_lists* lists,
                                               broadside_triangle_pair* out_pairs, size_t capacity,
                                               broadside_result* out_result) {
    if (a == nullptr || b == nullptr || lists == nullptr || !is_readable(out_pairs, capacity) ||
        !is_writable(out_result))
        return refuse(out_result);
    return finish(out_result, find_triangle_pairs(placed_mesh(*a), placed_mesh(*b), lists->mesh,
                                                  span_of<TrianglePair>(out_pairs, capacity)));
}
broadside_status broadside_any_triangle_pair(const broadside_placed_mesh* a, const broadside_placed_mesh* b,
                                             uint32_t* out_has_pair) {
    if (out_has_pair != nullptr) *out_has_pair = 0;
    if (a == nullptr || b == nullptr || out_has_pair == nullptr) return BROADSIDE_INVALID_ARGUMENT;
    const AnyPairResult answer = any_triangle_pair(placed_mesh(*a), placed_mesh(*b));
    *out_has_pair = answer.found ? 1 : 0;
    return c_status(answer.status);
}
broadside_status broadside_first_triangle_impact(const broadside_placed_mesh* a,
                                                 const broadside_vec3* a_displacement,
                                                 const broadside_placed_mesh* b,
                                                 const broadside_vec3* b_displacement,
                                                 broadside_triangle_impact* out_impact) {
    if (out_impact == nullptr) return BROADSIDE_INVALID_ARGUMENT;
    *out_impact = {kNoIntersection, kNoTriangle, kNoTriangle};
    if (a == nullptr || a_displacement == nullptr || b == nullptr || b_displacement == nullptr)
        return BROADSIDE_INVALID_ARGUMENT;
    const MeshPairImpact answer = first_impact(placed_mesh(*a), value_of<Vec3>(*a_displacement),
                                               placed_mesh(*b), value_of<Vec3>(*b_displacement));
    *out_impact = {answer.toi, answer.a, answer.b};
    return c_status(answer.status);
}
broadside_status broadside_closest_triangle_pair(const broadside_placed_mesh* a,
                                                 const broadside_placed_mesh* b, float max_distance,
                                                 broadside_closest_triangles* out_closest) {
    if (out_closest == nullptr) return BROADSIDE_INVALID_ARGUMENT;
    ClosestTrianglePair answer;
    const bool has_meshes = a != nullptr && b != nullptr;
    if (has_meshes) answer = closest_triangle_pair(placed_mesh(*a), placed_mesh(*b), max_distance);
    *out_closest = {answer.closest.distance, answer.a, answer.b,
                    value_of<broadside_vec3>(answer.closest.point_a),
                    value_of<broadside_vec3>(answer.closest.point_b)};
    return has_meshes ? c_status(answer.status) : BROADSIDE_INVALID_ARGUMENT;
}
