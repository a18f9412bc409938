// MeshScene, and the clashes of scenes.
#include "bindings/javascript/exports/exports.hpp"
#include "bindings/javascript/exports/mesh.hpp"

#include <new>

using namespace broadside;
using namespace broadside::javascript;

extern "C" void mesh_delete(Mesh* mesh);

Scene::~Scene() {
    for (Mesh* const mesh : meshes) mesh_delete(mesh);
}

namespace {

// The instances of a scene as a list.
bool list_instances(const Scene& scene, AlignedArray<PlacedMesh>& out_placed) {
    const std::size_t count = scene.scene.instance_count();
    if (!out_placed.resize(count)) return false;
    for (std::size_t i = 0; i < count; ++i) out_placed[i] = scene.scene.instance(index_of(i));
    return true;
}

}  // namespace

BROADSIDE_EXPORT(scene_new) Scene* scene_new() { return new (std::nothrow) Scene; }
BROADSIDE_EXPORT(scene_delete) void scene_delete(Scene* scene) { delete scene; }
/// Called once for a scene, with a placement for each mesh.
BROADSIDE_EXPORT(scene_build)
std::uint32_t scene_build(Scene* scene, Mesh* const* meshes, const Transform* world_from_meshes,
                          std::size_t count) {
    AlignedArray<PlacedMesh>& placed = scene->placed[0];
    if (!placed.resize(count) || !scene->meshes.reserve(count)) return code(Status::out_of_memory);
    for (std::size_t i = 0; i < count; ++i)
        placed[i] = {.mesh = &meshes[i]->mesh, .world_from_mesh = world_from_meshes[i]};
    const BatchResult result = scene->scene.build(std::span(placed.data(), count));
    if (result.status == Status::ok && scene->meshes.resize(count)) {
        for (std::size_t i = 0; i < count; ++i) {
            scene->meshes[i] = meshes[i];
            ++meshes[i]->user_count;
        }
    }
    return batch_result(result);
}
BROADSIDE_EXPORT(scene_update)
std::uint32_t scene_update(Scene* scene, const Transform* world_from_meshes, std::size_t count) {
    return batch_result(scene->scene.update(std::span(world_from_meshes, count)));
}
BROADSIDE_EXPORT(scene_instance_count) std::size_t scene_instance_count(const Scene* scene) {
    return scene->scene.instance_count();
}
BROADSIDE_EXPORT(scene_bounds) void scene_bounds(const Scene* scene, Aabb* out_bounds) {
    *out_bounds = scene->scene.bounds();
}
BROADSIDE_EXPORT(scene_instance_bounds)
void scene_instance_bounds(const Scene* scene, std::uint32_t index, Aabb* out_bounds) {
    *out_bounds = scene->scene.bounds(index);
}

BROADSIDE_EXPORT(scene_closest_hits)
std::uint32_t scene_closest_hits(const Scene* scene, SceneHit* out_closest) {
    return batch_result(
        scene->scene.closest_hits(query.mesh_rays(), {}, std::span(out_closest, query.count)));
}
BROADSIDE_EXPORT(scene_find_hits) std::uint32_t scene_find_hits(Scene* scene) {
    return grown_list_result(scene->hits, [&](std::span<Listed<SceneHit>> out_hits) {
        return scene->scene.find_hits(query.mesh_rays(), {}, scene->scratch, out_hits);
    });
}
BROADSIDE_EXPORT(scene_any_hit) std::uint32_t scene_any_hit(const Scene* scene, std::uint64_t* out_bits) {
    return batch_result(scene->scene.any_hit(MeshHitQueries(query.as<Ray>(), query.mesh_rays().sides), {},
                                             query.bits(out_bits)));
}
BROADSIDE_EXPORT(scene_find_overlaps) std::uint32_t scene_find_overlaps(Scene* scene) {
    return grown_list_result(scene->overlaps, [&](std::span<Listed<SceneTriangle>> out_overlaps) {
        return scene->scene.find_overlaps(query.mesh_shapes(), {}, scene->scratch, out_overlaps);
    });
}
BROADSIDE_EXPORT(scene_any_overlap)
std::uint32_t scene_any_overlap(const Scene* scene, std::uint64_t* out_bits) {
    return batch_result(scene->scene.any_overlap(query.mesh_shapes(), {}, query.bits(out_bits)));
}
BROADSIDE_EXPORT(scene_closest_impacts)
std::uint32_t scene_closest_impacts(const Scene* scene, SceneImpact* out_impacts) {
    return batch_result(
        scene->scene.closest_hits(query.mesh_casts(), {}, std::span(out_impacts, query.count)));
}
BROADSIDE_EXPORT(scene_find_impacts) std::uint32_t scene_find_impacts(Scene* scene) {
    return grown_list_result(scene->impacts, [&](std::span<Listed<SceneImpact>> out_impacts) {
        return scene->scene.find_hits(query.mesh_casts(), {}, scene->scratch, out_impacts);
    });
}
BROADSIDE_EXPORT(scene_closest_points)
std::uint32_t scene_closest_points(const Scene* scene, SceneClosestPoint* out_closest) {
    return batch_result(
        scene->scene.closest_points(query.as<Vec3>(), {}, std::span(out_closest, query.count)));
}
BROADSIDE_EXPORT(scene_contain) std::uint32_t scene_contain(const Scene* scene, std::uint64_t* out_bits) {
    return batch_result(scene->scene.contain(query.as<Vec3>(), {}, query.bits(out_bits)));
}
BROADSIDE_EXPORT(scene_signed_distances)
std::uint32_t scene_signed_distances(const Scene* scene, float* out_distances) {
    return batch_result(
        scene->scene.signed_distances(query.as<Vec3>(), {}, std::span(out_distances, query.count)));
}

/// Clashes within a scene or, if `other` is not null, between two. Writes the bad instances of both, and the number of
/// pairs whose boxes come within the clearance.
BROADSIDE_EXPORT(scene_find_clashes)
std::uint32_t scene_find_clashes(Scene* scene, const Scene* other, float clearance,
                                 std::uint32_t do_find_contained) {
    AlignedArray<PlacedMesh>& a = scene->placed[0];
    AlignedArray<PlacedMesh>& b = scene->placed[1];
    if (!list_instances(*scene, a) || (other != nullptr && !list_instances(*other, b)))
        return code(Status::out_of_memory);
    const MeshRelationSettings settings = {.clearance = clearance, .find_contained = do_find_contained != 0};
    const std::span<const PlacedMesh> of_a(a.data(), a.size());
    const ClashResult result = other == nullptr
                                   ? find_clashes(of_a, settings, scene->clash_scratch, scene->clashes)
                                   : find_clashes(of_a, std::span<const PlacedMesh>(b.data(), b.size()),
                                                  settings, scene->clash_scratch, scene->clashes);
    result_words[2] = index_of(result.bad_a);
    result_words[3] = index_of(result.bad_b);
    result_words[4] = index_of(result.candidate_count);
    return list_result(result.status, scene->clashes);
}

// The layouts that src/ reads and writes.
static_assert(sizeof(Transform) == 48 && sizeof(Clash) == 12 && offsetof(Clash, relation) == 8);
static_assert(sizeof(SceneHit) == 20 && sizeof(Listed<SceneHit>) == 24 &&
              sizeof(Listed<SceneTriangle>) == 12);
static_assert(sizeof(SceneImpact) == 40 && offsetof(SceneImpact, point) == 12);
static_assert(offsetof(SceneTriangle, triangle_index) == 4);
static_assert(sizeof(SceneClosestPoint) == 24 && offsetof(SceneClosestPoint, target) == 16);
