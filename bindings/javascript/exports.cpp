// The exports of the WebAssembly module: flat functions over the C++ API that take numbers and addresses of
// its memory. src/broadside.js wraps them in objects. Nothing is decided here; the C++ functions document the
// calls.
#include <broadside/broadside.hpp>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <span>

// A name that the linker keeps, for JavaScript to call.
#define BROADSIDE_EXPORT(name) extern "C" __attribute__((export_name(#name), used))

namespace {

using namespace broadside;

// Columns of boxes are consecutive: min x, y, z, then max x, y, z, each with space for `capacity`.
BoxSoaView boxes_at(const float* columns, std::size_t capacity, std::size_t count) {
    return {columns,
            columns + capacity,
            columns + 2 * capacity,
            columns + 3 * capacity,
            columns + 4 * capacity,
            columns + 5 * capacity,
            count};
}
Vec3SoaView vectors_at(const float* columns, std::size_t capacity, std::size_t count) {
    return {columns, columns + capacity, columns + 2 * capacity, count};
}

// Results of the last call besides the one that the function returns.
std::uint32_t answer[8];

std::uint32_t code(Status status) { return static_cast<std::uint32_t>(status); }

template <class Index>
std::uint32_t index_of(Index index) {
    return static_cast<std::uint32_t>(index);
}

std::uint32_t batch_answer(const BatchResult& result) {
    answer[0] = index_of(result.bad_index);
    return code(result.status);
}

template <class List>
std::uint32_t list_answer(const WriteResult& result, const List& list) {
    answer[0] = index_of(reinterpret_cast<std::uintptr_t>(list.data()));
    answer[1] = index_of(list.size());
    return code(result.status);
}

struct Finder {
    FindPairsScratch scratch;
    PairBuffer pairs;
};

struct Tree {
    BoxTree tree;
    TreeScratch scratch;
    PairBuffer pairs;
    AlignedArray<TreeHit> hits;
};

struct JsWorld {
    explicit JsWorld(const WorldSettings& settings) : world(settings) {}
    World world;
    WorldQueryScratch scratch;
    AlignedArray<WorldOverlap> overlaps;
    AlignedArray<WorldHit> hits;
};

WorldQuerySettings query_settings(std::uint32_t kinds) {
    WorldQuerySettings settings;
    settings.kinds = kinds;
    return settings;
}

}  // namespace

// Memory and the machine.

BROADSIDE_EXPORT(allocate) void* allocate(std::size_t bytes) { return std::malloc(bytes); }
BROADSIDE_EXPORT(release) void release(void* memory) { std::free(memory); }
BROADSIDE_EXPORT(answer_address) std::uint32_t* answer_address() { return answer; }
BROADSIDE_EXPORT(status_text) const char* status_text(std::uint32_t status) {
    return status_name(static_cast<Status>(status));
}
BROADSIDE_EXPORT(version_text) const char* version_text() { return version_string(); }
/// The name of the built ISA number `index`, or null.
BROADSIDE_EXPORT(isa_text) const char* isa_text(std::size_t index) {
    const std::span<const Isa> isas = supported_isas();
    return index < isas.size() ? isa_name(isas[index]) : nullptr;
}
BROADSIDE_EXPORT(active_isa_text) const char* active_isa_text() {
    const std::optional<Isa> isa = active_isa();
    return isa ? isa_name(*isa) : nullptr;
}
BROADSIDE_EXPORT(set_isa) std::uint32_t set_isa(std::size_t index) {
    const std::span<const Isa> isas = supported_isas();
    return code(index < isas.size() ? set_active_isa(isas[index]) : Status::unsupported_isa);
}

// All pairs in one call.

BROADSIDE_EXPORT(finder_new) Finder* finder_new() { return new (std::nothrow) Finder; }
BROADSIDE_EXPORT(finder_delete) void finder_delete(Finder* finder) { delete finder; }
/// Writes the address of the pairs, their number, and for each set the number of invalid boxes and the first
/// of them.
BROADSIDE_EXPORT(finder_find)
std::uint32_t finder_find(Finder* finder, const float* a, std::size_t a_capacity, std::size_t a_count,
                          const float* b, std::size_t b_capacity, std::size_t b_count, std::uint32_t is_two_sets,
                          std::uint32_t order, std::uint32_t algorithm) {
    FindPairsSettings settings;
    settings.order = static_cast<PairOrder>(order);
    settings.algorithm = static_cast<PairAlgorithm>(algorithm);
    const BoxSoaView boxes = boxes_at(a, a_capacity, a_count);
    const FindPairsResult result =
        is_two_sets != 0
            ? find_pairs(boxes, boxes_at(b, b_capacity, b_count), settings, finder->scratch, finder->pairs)
            : find_pairs(boxes, settings, finder->scratch, finder->pairs);
    answer[0] = index_of(reinterpret_cast<std::uintptr_t>(finder->pairs.data()));
    answer[1] = index_of(finder->pairs.size());
    answer[2] = index_of(result.invalid.count);
    answer[3] = index_of(result.invalid.first_index);
    answer[4] = index_of(result.invalid_b.count);
    answer[5] = index_of(result.invalid_b.first_index);
    return code(result.status);
}

/// Times of impact of box k of one set against box k of the other, both moving.
BROADSIDE_EXPORT(find_times_of_impact)
std::uint32_t find_times_of_impact(const float* a, const float* a_moves, const float* b, const float* b_moves,
                                   std::size_t capacity, std::size_t count, std::uint32_t touch, float* out_toi) {
    const MovingBoxes moving_a = {boxes_at(a, capacity, count), vectors_at(a_moves, capacity, count)};
    const MovingBoxes moving_b = {boxes_at(b, capacity, count), vectors_at(b_moves, capacity, count)};
    return batch_answer(
        times_of_impact(moving_a, moving_b, static_cast<Touch>(touch), std::span(out_toi, count)));
}

// BoxTree.

BROADSIDE_EXPORT(tree_new) Tree* tree_new() { return new (std::nothrow) Tree; }
BROADSIDE_EXPORT(tree_delete) void tree_delete(Tree* tree) { delete tree; }
BROADSIDE_EXPORT(tree_build) std::uint32_t tree_build(Tree* tree, const float* boxes, std::size_t capacity,
                                                      std::size_t count) {
    return code(tree->tree.build(boxes_at(boxes, capacity, count)));
}
/// Updates the tree with boxes that have moved, or rebuilds it if that pays.
BROADSIDE_EXPORT(tree_update) std::uint32_t tree_update(Tree* tree, const float* boxes, std::size_t capacity,
                                                        std::size_t count) {
    return code(tree->tree.update(boxes_at(boxes, capacity, count)));
}
BROADSIDE_EXPORT(tree_set_box) std::uint32_t tree_set_box(Tree* tree, std::uint32_t index, const Aabb* box) {
    return code(tree->tree.set_box(index, *box));
}
BROADSIDE_EXPORT(tree_remove_box) std::uint32_t tree_remove_box(Tree* tree, std::uint32_t index) {
    return code(tree->tree.remove_box(index));
}
BROADSIDE_EXPORT(tree_box_count) std::size_t tree_box_count(const Tree* tree) { return tree->tree.box_count(); }
BROADSIDE_EXPORT(tree_find_overlaps_of_boxes)
std::uint32_t tree_find_overlaps_of_boxes(Tree* tree, const Aabb* boxes, std::size_t count) {
    return list_answer(tree->tree.find_overlaps(std::span(boxes, count), {}, tree->scratch, tree->pairs),
                       tree->pairs);
}
BROADSIDE_EXPORT(tree_find_overlaps_of_points)
std::uint32_t tree_find_overlaps_of_points(Tree* tree, const Vec3* points, std::size_t count) {
    return list_answer(tree->tree.find_overlaps(std::span(points, count), {}, tree->scratch, tree->pairs),
                       tree->pairs);
}
BROADSIDE_EXPORT(tree_find_overlaps_of_spheres)
std::uint32_t tree_find_overlaps_of_spheres(Tree* tree, const Sphere* spheres, std::size_t count) {
    return list_answer(tree->tree.find_overlaps(std::span(spheres, count), {}, tree->scratch, tree->pairs),
                       tree->pairs);
}
BROADSIDE_EXPORT(tree_closest_hits)
std::uint32_t tree_closest_hits(const Tree* tree, const Ray* rays, std::size_t count, ClosestHit* out_closest) {
    return batch_answer(tree->tree.closest_hits(std::span(rays, count), {}, std::span(out_closest, count)));
}
BROADSIDE_EXPORT(tree_find_hits)
std::uint32_t tree_find_hits(Tree* tree, const Ray* rays, std::size_t count) {
    return list_answer(tree->tree.find_hits(std::span(rays, count), {}, tree->scratch, tree->hits),
                       tree->hits);
}
BROADSIDE_EXPORT(tree_closest_boxes)
std::uint32_t tree_closest_boxes(const Tree* tree, const Vec3* points, std::size_t count, std::uint32_t box_count,
                                 float max_distance, ClosestBox* out_closest) {
    return batch_answer(tree->tree.closest_boxes(std::span(points, count), {box_count, max_distance}, {},
                                                 std::span(out_closest, count * box_count)));
}
BROADSIDE_EXPORT(tree_find_pairs) std::uint32_t tree_find_pairs(Tree* tree) {
    return list_answer(tree->tree.find_pairs({}, tree->scratch, tree->pairs), tree->pairs);
}

// World.

BROADSIDE_EXPORT(world_new) JsWorld* world_new(std::uint32_t order, std::uint32_t do_fixed_objects_pair) {
    WorldSettings settings;
    settings.order = static_cast<WorldOrder>(order);
    settings.fixed_objects_pair = do_fixed_objects_pair != 0;
    return new (std::nothrow) JsWorld(settings);
}
BROADSIDE_EXPORT(world_delete) void world_delete(JsWorld* world) { delete world; }
BROADSIDE_EXPORT(world_add)
std::uint32_t world_add(JsWorld* world, const float* boxes, std::size_t capacity, std::size_t count,
                        std::uint32_t kind, std::uint32_t layer, std::uint32_t category, std::uint32_t mask,
                        std::int32_t group, float margin, double user_data, ObjectHandle* out_handles) {
    ObjectDescription common;
    common.kind = static_cast<ObjectKind>(kind);
    common.filter = {category, mask, group, static_cast<std::uint16_t>(layer)};
    common.margin = margin;
    common.user_data = static_cast<std::uint64_t>(user_data);
    return batch_answer(world->world.add(boxes_at(boxes, capacity, count), common, std::span(out_handles, count)));
}
BROADSIDE_EXPORT(world_remove)
std::uint32_t world_remove(JsWorld* world, const ObjectHandle* handles, std::size_t count) {
    return batch_answer(world->world.remove(std::span(handles, count)));
}
BROADSIDE_EXPORT(world_set_boxes)
std::uint32_t world_set_boxes(JsWorld* world, const ObjectHandle* handles, const float* boxes,
                              std::size_t capacity, std::size_t count) {
    return batch_answer(world->world.set_boxes(std::span(handles, count), boxes_at(boxes, capacity, count)));
}
BROADSIDE_EXPORT(world_set_displacements)
std::uint32_t world_set_displacements(JsWorld* world, const ObjectHandle* handles, const float* vectors,
                                      std::size_t capacity, std::size_t count) {
    return batch_answer(
        world->world.set_displacements(std::span(handles, count), vectors_at(vectors, capacity, count)));
}
BROADSIDE_EXPORT(world_set_kind)
std::uint32_t world_set_kind(JsWorld* world, const ObjectHandle* handles, std::size_t count, std::uint32_t kind) {
    return batch_answer(world->world.set_kind(std::span(handles, count), static_cast<ObjectKind>(kind)));
}
BROADSIDE_EXPORT(world_set_layers_pair)
std::uint32_t world_set_layers_pair(JsWorld* world, std::uint32_t a, std::uint32_t b, std::uint32_t may_pair) {
    return code(world->world.set_layers_pair(a, b, may_pair != 0));
}
BROADSIDE_EXPORT(world_is_alive)
std::uint32_t world_is_alive(const JsWorld* world, std::uint32_t slot, std::uint32_t generation) {
    return world->world.is_alive({std::uint64_t{generation} << 32 | slot}) ? 1 : 0;
}
BROADSIDE_EXPORT(world_object_count) std::size_t world_object_count(const JsWorld* world) {
    return world->world.object_count();
}
BROADSIDE_EXPORT(world_slot_count) std::size_t world_slot_count(const JsWorld* world) {
    return world->world.slot_count();
}
/// Writes the numbers of begun, ended and living pairs and of changed objects.
BROADSIDE_EXPORT(world_update) std::uint32_t world_update(JsWorld* world) {
    const UpdateResult result = world->world.update();
    answer[0] = index_of(result.begun_count);
    answer[1] = index_of(result.ended_count);
    answer[2] = index_of(result.pair_count);
    answer[3] = index_of(result.changed_count);
    return code(result.status);
}
BROADSIDE_EXPORT(world_begun) const WorldPair* world_begun(const JsWorld* world) {
    return world->world.begun().data();
}
BROADSIDE_EXPORT(world_ended) const EndedPair* world_ended(const JsWorld* world) {
    return world->world.ended().data();
}
/// Writes the address of the pairs and their number, which is smaller than pair_count if memory is short.
BROADSIDE_EXPORT(world_pairs) void world_pairs(JsWorld* world) {
    const std::span<const WorldPair> pairs = world->world.pairs();
    answer[0] = index_of(reinterpret_cast<std::uintptr_t>(pairs.data()));
    answer[1] = index_of(pairs.size());
}
BROADSIDE_EXPORT(world_pair_count) std::size_t world_pair_count(const JsWorld* world) {
    return world->world.pair_count();
}
/// Writes the hash, low half first.
BROADSIDE_EXPORT(world_pairs_hash) void world_pairs_hash(const JsWorld* world) {
    const std::uint64_t hash = world->world.pairs_hash();
    answer[0] = static_cast<std::uint32_t>(hash);
    answer[1] = static_cast<std::uint32_t>(hash >> 32);
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
BROADSIDE_EXPORT(world_find_overlaps_of_boxes)
std::uint32_t world_find_overlaps_of_boxes(JsWorld* world, const Aabb* boxes, std::size_t count,
                                           std::uint32_t kinds) {
    return list_answer(world->world.queries().find_overlaps(std::span(boxes, count), query_settings(kinds),
                                                            world->scratch, world->overlaps),
                       world->overlaps);
}
BROADSIDE_EXPORT(world_find_overlaps_of_spheres)
std::uint32_t world_find_overlaps_of_spheres(JsWorld* world, const Sphere* spheres, std::size_t count,
                                             std::uint32_t kinds) {
    return list_answer(world->world.queries().find_overlaps(std::span(spheres, count), query_settings(kinds),
                                                            world->scratch, world->overlaps),
                       world->overlaps);
}
BROADSIDE_EXPORT(world_closest_hits)
std::uint32_t world_closest_hits(JsWorld* world, const Ray* rays, std::size_t count, std::uint32_t kinds,
                                 ClosestObjectHit* out_closest) {
    return batch_answer(world->world.queries().closest_hits(std::span(rays, count), query_settings(kinds),
                                                            std::span(out_closest, count)));
}
BROADSIDE_EXPORT(world_closest_sphere_impacts)
std::uint32_t world_closest_sphere_impacts(JsWorld* world, const SphereCast* casts, std::size_t count,
                                           std::uint32_t kinds, ClosestObjectHit* out_closest) {
    return batch_answer(world->world.queries().closest_hits(std::span(casts, count), query_settings(kinds),
                                                               std::span(out_closest, count)));
}
BROADSIDE_EXPORT(world_closest_objects)
std::uint32_t world_closest_objects(JsWorld* world, const Vec3* points, std::size_t count,
                                    std::uint32_t object_count, float max_distance, std::uint32_t kinds,
                                    ClosestObject* out_closest) {
    return batch_answer(world->world.queries().closest_objects(std::span(points, count),
                                                               {object_count, max_distance},
                                                               query_settings(kinds),
                                                               std::span(out_closest, count * object_count)));
}

// The layouts that src/broadside.js reads and writes.
static_assert(sizeof(Aabb) == 24 && sizeof(Vec3) == 12 && sizeof(Sphere) == 16 && sizeof(Ray) == 28);
static_assert(sizeof(SphereCast) == 32 && sizeof(IndexPair) == 8 && sizeof(ObjectHandle) == 8);
static_assert(sizeof(WorldPair) == 16 && sizeof(EndedPair) == 24);
static_assert(sizeof(WorldOverlap) == 16 && offsetof(WorldOverlap, object) == 8);
static_assert(sizeof(TreeHit) == 16 && offsetof(TreeHit, t) == 8 && offsetof(TreeHit, face) == 12);
static_assert(sizeof(ClosestHit) == 12 && sizeof(ClosestBox) == 8);
static_assert(sizeof(ClosestObjectHit) == 24 && offsetof(ClosestObjectHit, object) == 8 &&
              offsetof(ClosestObjectHit, face) == 16);
static_assert(sizeof(ClosestObject) == 16 && offsetof(ClosestObject, object) == 8);
