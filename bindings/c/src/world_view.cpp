// WorldView: creation, copies, and the properties of objects. Its queries are in world_queries.cpp.
#include "bindings/c/src/convert.hpp"
#include "bindings/c/src/world.hpp"

using namespace broadside;
using namespace broadside::c;

broadside_status broadside_world_view_create(broadside_world* world, const broadside_task_runner* runner,
                                             const broadside_allocator* allocator,
                                             broadside_world_view** out_view) {
    if (out_view != nullptr) *out_view = nullptr;
    if (world == nullptr) return BROADSIDE_INVALID_ARGUMENT;
    broadside_world_view* made = nullptr;
    const broadside_status status = create(allocator, out_view == nullptr ? nullptr : &made, world);
    if (status != BROADSIDE_OK) return status;
    const Runner own_runner(runner);
    made->view = world->world.view(own_runner.get());
    if (made->view.status() != Status::ok) {
        const broadside_status refused = c_status(made->view.status());
        broadside_world_view_destroy(made);
        return refused;
    }
    *out_view = made;
    return BROADSIDE_OK;
}
broadside_status broadside_world_view_copy(const broadside_world_view* view,
                                           const broadside_allocator* allocator,
                                           broadside_world_view** out_view) {
    if (out_view != nullptr) *out_view = nullptr;
    if (view == nullptr) return BROADSIDE_INVALID_ARGUMENT;
    const broadside_status status = create(allocator, out_view, view->world);
    if (status == BROADSIDE_OK) (*out_view)->view = view->view;
    return status;
}
void broadside_world_view_destroy(broadside_world_view* view) {
    if (view == nullptr) return;
    broadside_world* const world = view->world;
    destroy(view);
    release(world);
}

broadside_status broadside_world_view_describe(const broadside_world_view* view, broadside_object object,
                                               broadside_aabb* out_box, uint64_t* out_user_data) {
    if (view == nullptr || !view->view.is_alive({object})) return BROADSIDE_INVALID_ARGUMENT;
    if (out_box != nullptr) *out_box = value_of<broadside_aabb>(view->view.box({object}));
    if (out_user_data != nullptr) *out_user_data = view->view.user_data({object});
    return BROADSIDE_OK;
}
