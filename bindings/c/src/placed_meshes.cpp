// Placed meshes against each other.
#include "bindings/c/src/convert.hpp"
#include "bindings/c/src/handles.hpp"

#include <broadside/mesh_pairs.hpp>

using namespace broadside;
using namespace broadside::c;

namespace {

PlacedMesh placed_mesh(const broadside_placed_mesh& given) {
    return {.mesh = given.mesh == nullptr ? nullptr : &given.mesh->mesh,
            .world_from_mesh = value_of<Transform>(given.world_from_mesh)};
}

bool place_all(const broadside_placed_mesh* given, std::size_t count, AlignedArray<PlacedMesh>& out_placed) {
    if (!out_placed.resize(count)) return false;
    for (std::size_t index = 0; index < count; ++index) out_placed.data()[index] = placed_mesh(given[index]);
    return true;
}

// A list that grows as it comes.
struct ClashList {
    AlignedArray<broadside_clash>& clashes;
    bool has_room = true;

    static void emit(void* user, std::span<const Clash> block) noexcept {
        ClashList& state_list = *static_cast<ClashList*>(user);
        for (const Clash& clash : block) {
            state_list.has_room =
                state_list.has_room &&
                state_list.clashes.push_back(
                    {clash.a, clash.b, static_cast<broadside_mesh_relation_kind>(clash.relation)});
        }
    }
};

static_assert(sizeof(Transform) == sizeof(broadside_transform));
static_assert(static_cast<int>(MeshRelation::duplicate) == BROADSIDE_MESHES_DUPLICATE);

}  // namespace

broadside_status broadside_mesh_relation(const broadside_placed_mesh* a, const broadside_placed_mesh* b,
                                         const broadside_clash_settings* settings,
                                         broadside_mesh_relation_kind* out_relation) {
    broadside_clash_settings given;
    if (a == nullptr || b == nullptr || out_relation == nullptr || !read_struct(settings, given))
        return BROADSIDE_INVALID_ARGUMENT;
    MeshRelationSettings with;
    with.clearance = given.clearance;
    with.find_contained = given.do_ignore_contained == 0;
    const MeshRelationAnswer answer = mesh_relation(placed_mesh(*a), placed_mesh(*b), with);
    *out_relation = static_cast<broadside_mesh_relation_kind>(answer.relation);
    return c_status(answer.status);
}

broadside_status broadside_find_clashes(const broadside_placed_mesh* a, size_t a_count,
                                        const broadside_placed_mesh* b, size_t b_count,
                                        const broadside_clash_settings* settings, broadside_answers* answers,
                                        const broadside_clash** out_clashes, size_t* out_count,
                                        broadside_result* out_result) {
    broadside_clash_settings given;
    const bool has_output = clear_list(out_clashes, out_count);
    if (!is_readable(a, a_count) || (b == nullptr && b_count != 0) || answers == nullptr || !has_output ||
        !is_writable(out_result) || !read_struct(settings, given))
        return refuse(out_result);
    answers->clashes.clear();
    if (!place_all(a, a_count, answers->placed_a) || !place_all(b, b_count, answers->placed_b))
        return finish(out_result, BatchResult{Status::out_of_memory, kNoIndex});
    const Runner runner(given.runner);
    ClashSettings with;
    with.clearance = given.clearance;
    with.find_contained = given.do_ignore_contained == 0;
    with.runner = runner.get();
    ClashList list = {answers->clashes};
    const ClashSink sink = {.emit = &ClashList::emit, .user = &list};
    const std::span<const PlacedMesh> placed_a(answers->placed_a.data(), a_count);
    const std::span<const PlacedMesh> placed_b(answers->placed_b.data(), b_count);
    const ClashResult answer = b != nullptr ? find_clashes(placed_a, placed_b, with, answers->clash, sink)
                                            : find_clashes(placed_a, with, answers->clash, sink);
    const Status status =
        answer.status == Status::ok && !list.has_room ? Status::out_of_memory : answer.status;
    const std::size_t bad_index = answer.bad_a != kNoIndex   ? answer.bad_a
                                  : answer.bad_b != kNoIndex ? a_count + answer.bad_b
                                                             : kNoIndex;
    write_struct(out_result, {.size = 0,
                              .status = c_status(status),
                              .bad_index = bad_index,
                              .written = answers->clashes.size(),
                              .required = answer.required});
    if (answers->clashes.size() != 0) show_list(answers->clashes, out_clashes, out_count);
    return c_status(status);
}
