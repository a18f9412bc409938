// World: its objects, their pairs, and the world as bytes.
#include "bindings/c/src/world.hpp"

#include "bindings/c/src/convert.hpp"

#include <algorithm>
#include <utility>

using namespace broadside;
using namespace broadside::c;

namespace {

std::span<const ObjectHandle> handles(const broadside_object* objects, std::size_t count) {
    return span_of<ObjectHandle>(objects, count);
}
ObjectHandle handle(broadside_object object) { return {object}; }

bool read_object(const broadside_object_settings* settings, ObjectDescription& out_common) {
    broadside_object_settings given;
    if (!read_struct(settings, given) || !is_enumerator(given.kind, BROADSIDE_OBJECT_FIXED)) return false;
    if (given.layer >= kLayerCount) return false;
    out_common.kind = enum_of<ObjectKind>(given.kind);
    out_common.filter = {.category = given.category != 0 ? given.category : ~std::uint64_t{0},
                         .mask = given.mask != 0 ? given.mask : ~std::uint64_t{0},
                         .group = given.group,
                         .layer = static_cast<std::uint16_t>(given.layer)};
    out_common.user_data = given.user_data;
    out_common.margin = given.margin;
    out_common.displacement = value_of<Vec3>(given.displacement);
    return true;
}

// Makes a change to objects after the checks of its arguments.
template <class Change>
broadside_status change_objects(broadside_world* world, const broadside_object* objects, std::size_t count,
                                broadside_result* out_result, const Change& change) {
    if (world == nullptr || !is_readable(objects, count) || !is_writable(out_result))
        return refuse(out_result);
    return finish(out_result, change(world->world, handles(objects, count)));
}

template <class Item, class List>
const Item* c_list(const List& list, std::size_t* out_count) {
    if (out_count != nullptr) *out_count = list.size();
    return list.empty() ? nullptr : same_layout<Item>(list.data());
}
template <class Item>
const Item* no_list(std::size_t* out_count) {
    if (out_count != nullptr) *out_count = 0;
    return nullptr;
}

static_assert(static_cast<int>(ObjectKind::fixed) == BROADSIDE_OBJECT_FIXED);
static_assert(static_cast<int>(WorldOrder::user_data) == BROADSIDE_WORLD_ORDER_USER_DATA);
static_assert(offsetof(EndedPair, value) == offsetof(broadside_ended_pair, value));
static_assert(offsetof(PairUserData, b) == offsetof(broadside_pair_user_data, b));

}  // namespace

broadside_status broadside_world_create(const broadside_world_settings* settings,
                                        const broadside_allocator* allocator, broadside_world** out_world) {
    if (out_world != nullptr) *out_world = nullptr;
    broadside_world_settings given;
    if (!read_struct(settings, given) || !is_enumerator(given.order, BROADSIDE_WORLD_ORDER_USER_DATA))
        return BROADSIDE_INVALID_ARGUMENT;
    WorldSettings of_world;
    of_world.order = enum_of<WorldOrder>(given.order);
    of_world.fixed_objects_pair = given.do_fixed_objects_pair != 0;
    if (given.max_object_count != 0)
        of_world.max_object_count = std::min(given.max_object_count, of_world.max_object_count);
    if (given.max_pair_count != 0) of_world.max_pair_count = given.max_pair_count;
    return create(allocator, out_world, of_world);
}
void broadside_world_destroy(broadside_world* world) {
    if (world == nullptr) return;
    // Views keep the handle, and only the data that they show.
    { const World ended = std::move(world->world); }
    release(world);
}

broadside_status broadside_world_add(broadside_world* world, const broadside_boxes* boxes,
                                     const broadside_object_settings* common, broadside_object* out_objects,
                                     broadside_result* out_result) {
    ObjectDescription description;
    if (world == nullptr || boxes == nullptr || !is_writable(out_result) ||
        !read_object(common, description) || !is_readable(out_objects, boxes->count))
        return refuse(out_result);
    return finish(
        out_result,
        world->world.add(view_of(*boxes), description, span_of<ObjectHandle>(out_objects, boxes->count)),
        boxes->count);
}
broadside_status broadside_world_add_one(broadside_world* world, const broadside_aabb* box,
                                         const broadside_object_settings* settings,
                                         broadside_object* out_object) {
    if (out_object != nullptr) *out_object = 0;
    ObjectDescription description;
    if (world == nullptr || box == nullptr || out_object == nullptr || !read_object(settings, description))
        return BROADSIDE_INVALID_ARGUMENT;
    description.box = value_of<Aabb>(*box);
    return c_status(
        world->world.add(std::span(&description, 1), std::span(same_layout<ObjectHandle>(out_object), 1))
            .status);
}
broadside_status broadside_world_remove(broadside_world* world, const broadside_object* objects, size_t count,
                                        broadside_result* out_result) {
    return change_objects(world, objects, count, out_result,
                          [](World& state_world, auto list) { return state_world.remove(list); });
}
broadside_status broadside_world_set_boxes(broadside_world* world, const broadside_object* objects,
                                           size_t count, const broadside_boxes* boxes,
                                           broadside_result* out_result) {
    if (boxes == nullptr) return refuse(out_result);
    return change_objects(world, objects, count, out_result, [&](World& state_world, auto list) {
        return state_world.set_boxes(list, view_of(*boxes));
    });
}
broadside_status broadside_world_set_box(broadside_world* world, broadside_object object,
                                         const broadside_aabb* box) {
    if (world == nullptr || box == nullptr) return BROADSIDE_INVALID_ARGUMENT;
    return c_status(world->world.set_box(handle(object), value_of<Aabb>(*box)));
}
broadside_status broadside_world_set_displacements(broadside_world* world, const broadside_object* objects,
                                                   size_t count, const broadside_vec3s* displacements,
                                                   broadside_result* out_result) {
    if (displacements == nullptr) return refuse(out_result);
    return change_objects(world, objects, count, out_result, [&](World& state_world, auto list) {
        return state_world.set_displacements(list, view_of(*displacements));
    });
}
broadside_status broadside_world_set_margin(broadside_world* world, const broadside_object* objects,
                                            size_t count, float margin, broadside_result* out_result) {
    return change_objects(world, objects, count, out_result, [&](World& state_world, auto list) {
        return state_world.set_margin(list, margin);
    });
}
broadside_status broadside_world_set_kind(broadside_world* world, const broadside_object* objects,
                                          size_t count, broadside_object_kind kind,
                                          broadside_result* out_result) {
    if (!is_enumerator(kind, BROADSIDE_OBJECT_FIXED)) return refuse(out_result);
    return change_objects(world, objects, count, out_result, [&](World& state_world, auto list) {
        return state_world.set_kind(list, enum_of<ObjectKind>(kind));
    });
}
broadside_status broadside_world_set_filter(broadside_world* world, const broadside_object* objects,
                                            size_t count, const broadside_object_settings* filter,
                                            broadside_result* out_result) {
    ObjectDescription description;
    if (!read_object(filter, description)) return refuse(out_result);
    return change_objects(world, objects, count, out_result, [&](World& state_world, auto list) {
        return state_world.set_filter(list, description.filter);
    });
}
broadside_status broadside_world_set_user_data(broadside_world* world, const broadside_object* objects,
                                               size_t count, uint64_t user_data,
                                               broadside_result* out_result) {
    return change_objects(world, objects, count, out_result, [&](World& state_world, auto list) {
        return state_world.set_user_data(list, user_data);
    });
}

uint32_t broadside_world_is_alive(const broadside_world* world, broadside_object object) {
    return world != nullptr && world->world.is_alive(handle(object)) ? 1 : 0;
}
broadside_status broadside_world_describe(const broadside_world* world, broadside_object object,
                                          broadside_aabb* out_box, broadside_object_settings* out_settings) {
    if (broadside_world_is_alive(world, object) == 0 || !is_writable(out_settings))
        return BROADSIDE_INVALID_ARGUMENT;
    const ObjectDescription description = world->world.description(handle(object));
    if (out_box != nullptr) *out_box = value_of<broadside_aabb>(description.box);
    write_struct(out_settings, {.size = 0,
                                .kind = static_cast<broadside_object_kind>(description.kind),
                                .category = description.filter.category,
                                .mask = description.filter.mask,
                                .group = description.filter.group,
                                .layer = description.filter.layer,
                                .user_data = description.user_data,
                                .displacement = value_of<broadside_vec3>(description.displacement),
                                .margin = description.margin});
    return BROADSIDE_OK;
}
size_t broadside_world_object_count(const broadside_world* world) {
    return world == nullptr ? 0 : world->world.object_count();
}
size_t broadside_world_slot_count(const broadside_world* world) {
    return world == nullptr ? 0 : world->world.slot_count();
}
size_t broadside_world_quarantined_objects(const broadside_world* world, broadside_object* out_objects,
                                           size_t capacity) {
    if (world == nullptr) return 0;
    return world->world.quarantined_objects(span_of<ObjectHandle>(out_objects, capacity));
}
broadside_status broadside_world_set_layers_pair(broadside_world* world, uint32_t layer_a, uint32_t layer_b,
                                                 uint32_t may_pair) {
    if (world == nullptr) return BROADSIDE_INVALID_ARGUMENT;
    return c_status(world->world.set_layers_pair(layer_a, layer_b, may_pair != 0));
}
broadside_status broadside_world_shift_origin(broadside_world* world, const broadside_vec3* offset) {
    if (world == nullptr || offset == nullptr) return BROADSIDE_INVALID_ARGUMENT;
    return c_status(world->world.shift_origin(value_of<Vec3>(*offset)));
}

broadside_status broadside_world_update(broadside_world* world, const broadside_task_runner* runner,
                                        broadside_update_result* out_result) {
    if (!is_writable(out_result)) return BROADSIDE_INVALID_ARGUMENT;
    UpdateResult answer;
    answer.status = Status::invalid_argument;
    if (world != nullptr) {
        const Runner with(runner);
        answer = world->world.update(with.get());
    }
    const broadside_status status = c_status(answer.status);
    write_struct(out_result, {.size = 0,
                              .status = status,
                              .begun_count = answer.begun_count,
                              .ended_count = answer.ended_count,
                              .pair_count = answer.pair_count,
                              .changed_count = answer.changed_count});
    return status;
}
const broadside_world_pair* broadside_world_begun(const broadside_world* world, size_t* out_count) {
    if (world == nullptr) return no_list<broadside_world_pair>(out_count);
    return c_list<broadside_world_pair>(world->world.begun(), out_count);
}
const broadside_ended_pair* broadside_world_ended(const broadside_world* world, size_t* out_count) {
    if (world == nullptr) return no_list<broadside_ended_pair>(out_count);
    return c_list<broadside_ended_pair>(world->world.ended(), out_count);
}
const broadside_world_pair* broadside_world_persisting(const broadside_world* world, size_t* out_count) {
    if (world == nullptr) return no_list<broadside_world_pair>(out_count);
    return c_list<broadside_world_pair>(world->world.persisting(), out_count);
}
const broadside_world_pair* broadside_world_pairs(const broadside_world* world, size_t* out_count) {
    if (world == nullptr) return no_list<broadside_world_pair>(out_count);
    return c_list<broadside_world_pair>(world->world.pairs(), out_count);
}
const broadside_pair_user_data* broadside_world_ended_user_data(const broadside_world* world,
                                                                size_t* out_count) {
    if (world == nullptr) return no_list<broadside_pair_user_data>(out_count);
    return c_list<broadside_pair_user_data>(world->world.ended_user_data(), out_count);
}
const broadside_object* broadside_world_pairs_of(const broadside_world* world, broadside_object object,
                                                 size_t* out_count) {
    if (world == nullptr) return no_list<broadside_object>(out_count);
    return c_list<broadside_object>(world->world.pairs_of(handle(object)), out_count);
}
size_t broadside_world_pair_count(const broadside_world* world) {
    return world == nullptr ? 0 : world->world.pair_count();
}
uint64_t* broadside_world_pair_value(broadside_world* world, broadside_object a, broadside_object b) {
    return world == nullptr ? nullptr : world->world.pair_value(handle(a), handle(b));
}
uint64_t broadside_world_pairs_hash(const broadside_world* world) {
    return world == nullptr ? 0 : world->world.pairs_hash();
}
uint32_t broadside_world_boxes_overlap(const broadside_world* world, broadside_object a, broadside_object b) {
    if (broadside_world_is_alive(world, a) == 0 || broadside_world_is_alive(world, b) == 0) return 0;
    return world->world.boxes_overlap(handle(a), handle(b)) ? 1 : 0;
}

size_t broadside_world_snapshot_bytes(const broadside_world* world) {
    return world == nullptr ? 0 : world->world.snapshot_bytes();
}
broadside_status broadside_world_save(const broadside_world* world, void* out_bytes, size_t capacity) {
    if (world == nullptr || !is_readable(out_bytes, capacity)) return BROADSIDE_INVALID_ARGUMENT;
    return c_status(world->world.save(std::span(static_cast<std::byte*>(out_bytes), capacity)));
}
broadside_status broadside_world_restore(broadside_world* world, const void* bytes, size_t count) {
    if (world == nullptr || !is_readable(bytes, count)) return BROADSIDE_INVALID_ARGUMENT;
    return c_status(world->world.restore(std::span(static_cast<const std::byte*>(bytes), count)));
}
uint32_t broadside_world_is_consistent(const broadside_world* world) {
    return world != nullptr && world->world.is_consistent() ? 1 : 0;
}
size_t broadside_world_capacity_bytes(const broadside_world* world) {
    return world == nullptr ? 0 : world->world.capacity_bytes();
}
broadside_aabb broadside_world_bounds(const broadside_world* world) {
    return value_of<broadside_aabb>(world == nullptr ? Aabb::empty() : world->world.bounds());
}
void broadside_world_shrink(broadside_world* world) {
    if (world != nullptr) world->world.shrink();
}
