// TriangleMesh.
#include "bindings/javascript/exports/mesh.hpp"

#include "bindings/javascript/exports/exports.hpp"

#include <new>

using namespace broadside;
using namespace broadside::javascript;

BROADSIDE_EXPORT(mesh_new) Mesh* mesh_new() { return new (std::nothrow) Mesh; }
BROADSIDE_EXPORT(mesh_delete) void mesh_delete(Mesh* mesh) {
    if (--mesh->user_count == 0) delete mesh;
}
/// Writes the bad index or vertex and the MeshFault.
BROADSIDE_EXPORT(mesh_build)
std::uint32_t mesh_build(Mesh* mesh, const Vec3* vertices, std::size_t vertex_count,
                         const std::uint32_t* indices, std::size_t index_count, bool is_fast) {
    const MeshBuildResult result =
        mesh->mesh.build(std::span(vertices, vertex_count), std::span(indices, index_count), nullptr,
                         is_fast ? MeshBuildQuality::fast : MeshBuildQuality::standard);
    result_words[0] = index_of(result.index);
    result_words[1] = static_cast<std::uint32_t>(result.fault);
    return code(result.status);
}
BROADSIDE_EXPORT(mesh_snapshot_bytes) std::size_t mesh_snapshot_bytes(const Mesh* mesh) {
    return mesh->mesh.snapshot_bytes();
}
BROADSIDE_EXPORT(mesh_save)
std::uint32_t mesh_save(const Mesh* mesh, std::byte* out_bytes, std::size_t count) {
    return code(mesh->mesh.save(std::span(out_bytes, count)));
}
BROADSIDE_EXPORT(mesh_restore)
std::uint32_t mesh_restore(Mesh* mesh, const std::byte* bytes, std::size_t count) {
    return code(mesh->mesh.restore(std::span(bytes, count)));
}
BROADSIDE_EXPORT(mesh_triangle_count) std::size_t mesh_triangle_count(const Mesh* mesh) {
    return mesh->mesh.triangle_count();
}
BROADSIDE_EXPORT(mesh_degenerate_count) std::size_t mesh_degenerate_count(const Mesh* mesh) {
    return mesh->mesh.degenerate_count();
}
BROADSIDE_EXPORT(mesh_bounds) void mesh_bounds(const Mesh* mesh, Aabb* out_bounds) {
    *out_bounds = mesh->mesh.bounds();
}
BROADSIDE_EXPORT(mesh_triangle)
void mesh_triangle(const Mesh* mesh, std::uint32_t index, Triangle* out_triangle) {
    *out_triangle = mesh->mesh.triangle(index);
}

BROADSIDE_EXPORT(mesh_closest_hits) std::uint32_t mesh_closest_hits(const Mesh* mesh, MeshHit* out_closest) {
    return batch_result(mesh->mesh.closest_hits(query.mesh_rays(), {}, std::span(out_closest, query.count)));
}
BROADSIDE_EXPORT(mesh_find_hits) std::uint32_t mesh_find_hits(Mesh* mesh) {
    return grown_list_result(mesh->hits, [&](std::span<Listed<MeshHit>> out_hits) {
        return mesh->mesh.find_hits(query.mesh_rays(), {}, mesh->scratch, out_hits);
    });
}
BROADSIDE_EXPORT(mesh_any_hit) std::uint32_t mesh_any_hit(const Mesh* mesh, std::uint64_t* out_bits) {
    return batch_result(mesh->mesh.any_hit(MeshHitQueries(query.as<Ray>(), query.mesh_rays().sides), {},
                                           query.bits(out_bits)));
}
BROADSIDE_EXPORT(mesh_find_overlaps) std::uint32_t mesh_find_overlaps(Mesh* mesh) {
    return grown_list_result(mesh->pairs, [&](std::span<IndexPair> out_pairs) {
        return mesh->mesh.find_overlaps(query.mesh_shapes(), {}, mesh->scratch, out_pairs);
    });
}
BROADSIDE_EXPORT(mesh_any_overlap) std::uint32_t mesh_any_overlap(const Mesh* mesh, std::uint64_t* out_bits) {
    return batch_result(mesh->mesh.any_overlap(query.mesh_shapes(), {}, query.bits(out_bits)));
}
BROADSIDE_EXPORT(mesh_first_overlaps)
std::uint32_t mesh_first_overlaps(const Mesh* mesh, std::uint32_t shapes_per_state, std::uint32_t* out_first,
                                  std::size_t motion_count) {
    return batch_result(mesh->mesh.first_overlaps(query.mesh_shapes(), shapes_per_state, {},
                                                  std::span(out_first, motion_count)));
}
BROADSIDE_EXPORT(mesh_closest_impacts)
std::uint32_t mesh_closest_impacts(const Mesh* mesh, MeshImpact* out_impacts) {
    return batch_result(mesh->mesh.closest_hits(query.mesh_casts(), {}, std::span(out_impacts, query.count)));
}
BROADSIDE_EXPORT(mesh_find_impacts) std::uint32_t mesh_find_impacts(Mesh* mesh) {
    return grown_list_result(mesh->impacts, [&](std::span<Listed<MeshImpact>> out_impacts) {
        return mesh->mesh.find_hits(query.mesh_casts(), {}, mesh->scratch, out_impacts);
    });
}
BROADSIDE_EXPORT(mesh_closest_points)
std::uint32_t mesh_closest_points(const Mesh* mesh, MeshClosestPoint* out_closest) {
    return batch_result(mesh->mesh.closest_points(query.as<Vec3>(), {}, std::span(out_closest, query.count)));
}
BROADSIDE_EXPORT(mesh_contain) std::uint32_t mesh_contain(const Mesh* mesh, std::uint64_t* out_bits) {
    return batch_result(mesh->mesh.contain(query.as<Vec3>(), {}, query.bits(out_bits)));
}
BROADSIDE_EXPORT(mesh_signed_distances)
std::uint32_t mesh_signed_distances(const Mesh* mesh, float* out_distances) {
    return batch_result(
        mesh->mesh.signed_distances(query.as<Vec3>(), {}, std::span(out_distances, query.count)));
}

/// Two placements: of this mesh and of the other one. Writes the bad one; the second if they are too far apart.
BROADSIDE_EXPORT(mesh_closest_triangles)
std::uint32_t mesh_closest_triangles(const Mesh* mesh, const Mesh* other, const Transform* world_from_meshes,
                                     float max_distance, ClosestTrianglePair* out_pair) {
    const PlacedMesh a = {.mesh = &mesh->mesh, .world_from_mesh = world_from_meshes[0]};
    const PlacedMesh b = {.mesh = &other->mesh, .world_from_mesh = world_from_meshes[1]};
    *out_pair = closest_triangle_pair(a, b, max_distance);
    return batch_result({out_pair->status, is_placement(a.world_from_mesh) ? 1u : 0u});
}

// The layouts that src/ reads.
static_assert(sizeof(ClosestTrianglePoints) == 28 && offsetof(ClosestTrianglePoints, distance) == 24);
static_assert(sizeof(ClosestTrianglePair) == 64 && offsetof(ClosestTrianglePair, a) == 4 &&
              offsetof(ClosestTrianglePair, closest) == 12);
static_assert(sizeof(MeshHit) == 16 && offsetof(MeshHit, target) == 12);
static_assert(sizeof(Listed<MeshHit>) == 20 && offsetof(Listed<MeshHit>, found) == 4);
static_assert(sizeof(MeshImpact) == 36 && offsetof(MeshImpact, point) == 8);
static_assert(sizeof(Listed<MeshImpact>) == 40 && offsetof(Listed<MeshImpact>, found) == 4);
static_assert(sizeof(MeshClosestPoint) == 20 && offsetof(MeshClosestPoint, distance_sq) == 12);
