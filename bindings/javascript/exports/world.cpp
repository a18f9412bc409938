// World.
#include "bindings/javascript/exports/exports.hpp"

#include <new>

using namespace broadside;
using namespace broadside::javascript;

// The caller's function.
extern "C" __attribute__((import_module("env"), import_name("accepts_layer"))) std::uint32_t accepts_layer(
    std::uint32_t layer);

namespace {

struct JsWorld {
    explicit JsWorld(const WorldSettings& settings) : world(settings) {}
    World world;
    BoxScratch scratch;
    AlignedArray<Listed<ObjectHandle>> overlaps;
    AlignedArray<Listed<WorldHit>> hits;
};

WorldQuerySettings world_settings() {
    WorldQuerySettings settings;
    settings.kinds = query.kinds;
    settings.layers = query.layers;
    if (query.has_layer_function != 0)
        settings.accepts_layer = [](void*, std::uint32_t layer) noexcept {
            return accepts_layer(layer) != 0;
        };
    settings.masks = {query.masks, query.mask_count};
    return settings;
}

// Calls `visit(handle, index)` for each handle. If one names nothing, only writes its index.
template <class Visit>
std::uint32_t for_each_object(const JsWorld* world, const ObjectHandle* handles, std::size_t count,
                              const Visit& visit) {
    for (std::size_t i = 0; i < count; ++i) {
        if (!world->world.is_alive(handles[i])) return batch_result({Status::invalid_argument, i});
    }
    for (std::size_t i = 0; i < count; ++i) visit(handles[i], i);
    return batch_result({});
}

// Fields of a filter that a call sets, as bits.
enum : std::uint32_t { kCategory = 1, kMask = 2, kGroup = 4, kLayer = 8 };

}  // namespace

BROADSIDE_EXPORT(world_new) JsWorld* world_new(std::uint32_t order, std::uint32_t do_fixed_objects_pair) {
    WorldSettings settings;
    settings.order = static_cast<WorldOrder>(order);
    settings.fixed_objects_pair = do_fixed_objects_pair != 0;
    return new (std::nothrow) JsWorld(settings);
}
BROADSIDE_EXPORT(world_delete) void world_delete(JsWorld* world) { delete world; }

// Objects.

BROADSIDE_EXPORT(world_add)
std::uint32_t world_add(JsWorld* world, const float* boxes, std::size_t count,
                        const ObjectDescription* common, ObjectHandle* out_handles) {
    return batch_result(
        world->world.add(boxes_at(boxes, count, count), *common, std::span(out_handles, count)));
}
BROADSIDE_EXPORT(world_remove)
std::uint32_t world_remove(JsWorld* world, const ObjectHandle* handles, std::size_t count) {
    return batch_result(world->world.remove(std::span(handles, count)));
}
BROADSIDE_EXPORT(world_set_boxes)
std::uint32_t world_set_boxes(JsWorld* world, const ObjectHandle* handles, const float* boxes,
                              std::size_t count) {
    return batch_result(world->world.set_boxes(std::span(handles, count), boxes_at(boxes, count, count)));
}
BROADSIDE_EXPORT(world_set_displacements)
std::uint32_t world_set_displacements(JsWorld* world, const ObjectHandle* handles, const float* vectors,
                                      std::size_t count) {
    return batch_result(
        world->world.set_displacements(std::span(handles, count), vectors_at(vectors, count, count)));
}
BROADSIDE_EXPORT(world_set_kind)
std::uint32_t world_set_kind(JsWorld* world, const ObjectHandle* handles, std::size_t count,
                             std::uint32_t kind) {
    return batch_result(world->world.set_kind(std::span(handles, count), static_cast<ObjectKind>(kind)));
}
BROADSIDE_EXPORT(world_set_margin)
std::uint32_t world_set_margin(JsWorld* world, const ObjectHandle* handles, std::size_t count, float margin) {
    return batch_result(world->world.set_margin(std::span(handles, count), margin));
}
/// Sets the fields of `filter` that `fields` names.
BROADSIDE_EXPORT(world_set_filter)
std::uint32_t world_set_filter(JsWorld* world, const ObjectHandle* handles, std::size_t count,
                               const ObjectFilter* filter, std::uint32_t fields) {
    return for_each_object(world, handles, count, [&](ObjectHandle handle, std::size_t) {
        ObjectFilter changed = world->world.description(handle).filter;
        if ((fields & kCategory) != 0) changed.category = filter->category;
        if ((fields & kMask) != 0) changed.mask = filter->mask;
        if ((fields & kGroup) != 0) changed.group = filter->group;
        if ((fields & kLayer) != 0) changed.layer = filter->layer;
        (void)world->world.set_filter(handle, changed);
    });
}
/// Sets a number for each handle.
BROADSIDE_EXPORT(world_set_user_data)
std::uint32_t world_set_user_data(JsWorld* world, const ObjectHandle* handles, std::size_t count,
                                  const std::uint64_t* user_data) {
    return for_each_object(world, handles, count, [&](ObjectHandle handle, std::size_t i) {
        (void)world->world.set_user_data(handle, user_data[i]);
    });
}
BROADSIDE_EXPORT(world_boxes)
std::uint32_t world_boxes(const JsWorld* world, const ObjectHandle* handles, std::size_t count,
                          Aabb* out_boxes) {
    return for_each_object(world, handles, count, [&](ObjectHandle handle, std::size_t i) {
        out_boxes[i] = world->world.description(handle).box;
    });
}
BROADSIDE_EXPORT(world_user_data)
std::uint32_t world_user_data(const JsWorld* world, const ObjectHandle* handles, std::size_t count,
                              std::uint64_t* out_user_data) {
    return for_each_object(world, handles, count, [&](ObjectHandle handle, std::size_t i) {
        out_user_data[i] = world->world.user_data(handle);
    });
}
BROADSIDE_EXPORT(world_describe)
std::uint32_t world_describe(const JsWorld* world, const ObjectHandle* handle,
                             ObjectDescription* out_description) {
    return for_each_object(world, handle, 1, [&](ObjectHandle one, std::size_t) {
        *out_description = world->world.description(one);
    });
}
BROADSIDE_EXPORT(world_is_alive)
std::uint32_t world_is_alive(const JsWorld* world, const ObjectHandle* handle) {
    return world->world.is_alive(*handle) ? 1 : 0;
}
BROADSIDE_EXPORT(world_object_count) std::size_t world_object_count(const JsWorld* world) {
    return world->world.object_count();
}
BROADSIDE_EXPORT(world_slot_count) std::size_t world_slot_count(const JsWorld* world) {
    return world->world.slot_count();
}
/// Returns how many there are, and writes as many as fit.
BROADSIDE_EXPORT(world_quarantined_objects)
std::size_t world_quarantined_objects(const JsWorld* world, ObjectHandle* out_handles, std::size_t capacity) {
    return world->world.quarantined_objects(std::span(out_handles, capacity));
}
BROADSIDE_EXPORT(world_bounds) void world_bounds(const JsWorld* world, Aabb* out_bounds) {
    *out_bounds = world->world.bounds();
}
BROADSIDE_EXPORT(world_shift_origin) std::uint32_t world_shift_origin(JsWorld* world, const Vec3* offset) {
    return code(world->world.shift_origin(*offset));
}
BROADSIDE_EXPORT(world_set_layers_pair)
std::uint32_t world_set_layers_pair(JsWorld* world, std::uint32_t a, std::uint32_t b,
                                    std::uint32_t may_pair) {
    return code(world->world.set_layers_pair(a, b, may_pair != 0));
}
BROADSIDE_EXPORT(world_layers_pair)
std::uint32_t world_layers_pair(const JsWorld* world, std::uint32_t a, std::uint32_t b) {
    return world->world.layers_pair(a, b) ? 1 : 0;
}

// Pairs.

/// Writes the numbers of begun, ended and living pairs and of changed objects.
BROADSIDE_EXPORT(world_update) std::uint32_t world_update(JsWorld* world) {
    const UpdateResult result = world->world.update();
    result_words[0] = index_of(result.begun_count);
    result_words[1] = index_of(result.ended_count);
    result_words[2] = index_of(result.pair_count);
    result_words[3] = index_of(result.changed_count);
    return code(result.status);
}
BROADSIDE_EXPORT(world_begun) const WorldPair* world_begun(const JsWorld* world) {
    return world->world.begun().data();
}
BROADSIDE_EXPORT(world_ended) const EndedPair* world_ended(const JsWorld* world) {
    return world->world.ended().data();
}
BROADSIDE_EXPORT(world_ended_user_data) const PairUserData* world_ended_user_data(const JsWorld* world) {
    return world->world.ended_user_data().data();
}
/// Writes the address of the pairs and their number, which is smaller than pair_count if memory is short.
BROADSIDE_EXPORT(world_pairs) void world_pairs(JsWorld* world) {
    (void)list_result(Status::ok, world->world.pairs());
}
BROADSIDE_EXPORT(world_pair_count) std::size_t world_pair_count(const JsWorld* world) {
    return world->world.pair_count();
}
/// Writes the hash, low half first.
BROADSIDE_EXPORT(world_pairs_hash) void world_pairs_hash(const JsWorld* world) {
    const std::uint64_t hash = world->world.pairs_hash();
    result_words[0] = static_cast<std::uint32_t>(hash);
    result_words[1] = static_cast<std::uint32_t>(hash >> 32);
}
BROADSIDE_EXPORT(world_snapshot_bytes) std::size_t world_snapshot_bytes(const JsWorld* world) {
    return world->world.snapshot_bytes();
}
BROADSIDE_EXPORT(world_save)
std::uint32_t world_save(const JsWorld* world, std::byte* out_bytes, std::size_t count) {
    return code(world->world.save(std::span(out_bytes, count)));
}
BROADSIDE_EXPORT(world_restore)
std::uint32_t world_restore(JsWorld* world, const std::byte* bytes, std::size_t count) {
    return code(world->world.restore(std::span(bytes, count)));
}

// Queries.

BROADSIDE_EXPORT(world_find_overlaps) std::uint32_t world_find_overlaps(JsWorld* world) {
    const WriteResult result = world->world.queries().find_overlaps(query.shapes(), world_settings(),
                                                                    world->scratch, world->overlaps);
    return list_result(result.status, world->overlaps);
}
BROADSIDE_EXPORT(world_any_overlap) std::uint32_t world_any_overlap(JsWorld* world, std::uint64_t* out_bits) {
    return batch_result(
        world->world.queries().any_overlap(query.shapes(), world_settings(), query.bits(out_bits)));
}
BROADSIDE_EXPORT(world_first_overlaps)
std::uint32_t world_first_overlaps(JsWorld* world, std::uint32_t shapes_per_state, std::uint32_t* out_first,
                                   std::size_t motion_count) {
    return batch_result(world->world.queries().first_overlaps(
        query.shapes(), shapes_per_state, world_settings(), std::span(out_first, motion_count)));
}
BROADSIDE_EXPORT(world_closest_hits)
std::uint32_t world_closest_hits(JsWorld* world, WorldHit* out_closest) {
    return batch_result(world->world.queries().closest_hits(query.casts(), world_settings(),
                                                            std::span(out_closest, query.count)));
}
BROADSIDE_EXPORT(world_find_hits) std::uint32_t world_find_hits(JsWorld* world) {
    const WriteResult result =
        world->world.queries().find_hits(query.casts(), world_settings(), world->scratch, world->hits);
    return list_result(result.status, world->hits);
}
BROADSIDE_EXPORT(world_any_hit) std::uint32_t world_any_hit(JsWorld* world, std::uint64_t* out_bits) {
    return batch_result(
        world->world.queries().any_hit(query.casts(), world_settings(), query.bits(out_bits)));
}
BROADSIDE_EXPORT(world_closest_objects)
std::uint32_t world_closest_objects(JsWorld* world, std::uint32_t object_count, float max_distance,
                                    ClosestObject* out_closest) {
    return batch_result(
        world->world.queries().closest_objects(query.near(), {object_count, max_distance}, world_settings(),
                                               std::span(out_closest, query.count * object_count)));
}

// The layouts that src/ reads and writes.
static_assert(sizeof(ObjectHandle) == 8 && sizeof(WorldPair) == 16 && sizeof(EndedPair) == 24);
static_assert(sizeof(ObjectDescription) == 80 && offsetof(ObjectDescription, kind) == 24 &&
              offsetof(ObjectDescription, filter) == 32 && offsetof(ObjectDescription, user_data) == 56 &&
              offsetof(ObjectDescription, margin) == 64 && offsetof(ObjectDescription, displacement) == 68);
static_assert(offsetof(ObjectFilter, mask) == 8 && offsetof(ObjectFilter, group) == 16 &&
              offsetof(ObjectFilter, layer) == 20);
static_assert(sizeof(Listed<ObjectHandle>) == 16 && offsetof(Listed<ObjectHandle>, found) == 8);
static_assert(sizeof(Listed<WorldHit>) == 24 && offsetof(Listed<WorldHit>, found) == 8);
static_assert(sizeof(WorldHit) == 16 && offsetof(WorldHit, t) == 8 && offsetof(WorldHit, face) == 12);
static_assert(sizeof(ClosestObject) == 16 && offsetof(ClosestObject, target) == 8);
