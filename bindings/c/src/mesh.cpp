// TriangleMesh.
#include "bindings/c/src/query.hpp"

using namespace broadside;
using namespace broadside::c;

namespace {

using Call = MeshCall<TriangleMesh>;

static_assert(static_cast<int>(MeshFault::vertex_not_finite) == BROADSIDE_MESH_FAULT_VERTEX_NOT_FINITE);
static_assert(offsetof(MeshHit, target) == offsetof(broadside_mesh_hit, triangle));
static_assert(offsetof(Listed<MeshHit>, found) == offsetof(broadside_mesh_ray_hit, hit));
static_assert(offsetof(MeshClosestPoint, target) == offsetof(broadside_mesh_closest_point, triangle));
static_assert(offsetof(MeshImpact, axis) == offsetof(broadside_mesh_impact, axis));
static_assert(offsetof(Listed<MeshImpact>, found) == offsetof(broadside_mesh_cast_impact, impact));

}  // namespace

broadside_status broadside_mesh_create(const broadside_allocator* allocator, broadside_mesh** out_mesh) {
    return create(allocator, out_mesh);
}
void broadside_mesh_destroy(broadside_mesh* mesh) { destroy(mesh); }

broadside_status broadside_mesh_build(broadside_mesh* mesh, const broadside_vec3* vertices,
                                      size_t vertex_count, const uint32_t* indices, size_t index_count,
                                      const broadside_task_runner* runner,
                                      broadside_mesh_build_quality quality, broadside_mesh_fault* out_fault,
                                      broadside_result* out_result) {
    if (out_fault != nullptr) *out_fault = BROADSIDE_MESH_FAULT_NONE;
    if (mesh == nullptr || !is_readable(vertices, vertex_count) || !is_readable(indices, index_count) ||
        !is_writable(out_result) || !is_enumerator(quality, BROADSIDE_MESH_BUILD_FAST))
        return refuse(out_result);
    const Runner own_runner(runner);
    const MeshBuildResult answer =
        mesh->mesh.build(span_of<Vec3>(vertices, vertex_count), std::span(indices, index_count),
                         own_runner.get(), enum_of<MeshBuildQuality>(quality));
    if (out_fault != nullptr) *out_fault = static_cast<broadside_mesh_fault>(answer.fault);
    return finish(out_result, BatchResult{answer.status, answer.index});
}
void broadside_mesh_clear(broadside_mesh* mesh) {
    if (mesh != nullptr) mesh->mesh.clear();
}
size_t broadside_mesh_snapshot_bytes(const broadside_mesh* mesh) {
    return mesh == nullptr ? 0 : mesh->mesh.snapshot_bytes();
}
broadside_status broadside_mesh_save(const broadside_mesh* mesh, void* out_bytes, size_t capacity) {
    if (mesh == nullptr || !is_readable(out_bytes, capacity)) return BROADSIDE_INVALID_ARGUMENT;
    return c_status(mesh->mesh.save(std::span(static_cast<std::byte*>(out_bytes), capacity)));
}
broadside_status broadside_mesh_restore(broadside_mesh* mesh, const void* bytes, size_t count) {
    if (mesh == nullptr || !is_readable(bytes, count)) return BROADSIDE_INVALID_ARGUMENT;
    return c_status(mesh->mesh.restore(std::span(static_cast<const std::byte*>(bytes), count)));
}

size_t broadside_mesh_triangle_count(const broadside_mesh* mesh) {
    return mesh == nullptr ? 0 : mesh->mesh.triangle_count();
}
size_t broadside_mesh_degenerate_count(const broadside_mesh* mesh) {
    return mesh == nullptr ? 0 : mesh->mesh.degenerate_count();
}
broadside_aabb broadside_mesh_bounds(const broadside_mesh* mesh) {
    return value_of<broadside_aabb>(mesh == nullptr ? Aabb::empty() : mesh->mesh.bounds());
}
broadside_status broadside_mesh_triangle(const broadside_mesh* mesh, uint32_t triangle_index,
                                         broadside_triangle* out_triangle) {
    if (mesh == nullptr || out_triangle == nullptr || triangle_index >= mesh->mesh.triangle_count())
        return BROADSIDE_INVALID_ARGUMENT;
    *out_triangle = value_of<broadside_triangle>(mesh->mesh.triangle(triangle_index));
    return BROADSIDE_OK;
}
size_t broadside_mesh_capacity_bytes(const broadside_mesh* mesh) {
    return mesh == nullptr ? 0 : mesh->mesh.capacity_bytes();
}

broadside_status broadside_mesh_closest_hits(const broadside_mesh* mesh, const broadside_ray* rays,
                                             size_t ray_count, const broadside_mesh_settings* settings,
                                             broadside_mesh_hit* out_closest, size_t capacity,
                                             broadside_result* out_result) {
    return query<Call>(mesh, settings, Rays<MeshRays>{rays, ray_count},
                       batch_output<MeshHit>(out_closest, capacity), out_result, kClosestHits);
}
broadside_status broadside_mesh_any_hit(const broadside_mesh* mesh, const broadside_ray* rays,
                                        size_t ray_count, const broadside_mesh_settings* settings,
                                        uint64_t* out_bits, size_t word_count, broadside_result* out_result) {
    return query<Call>(mesh, settings, Rays<MeshHitQueries>{rays, ray_count}, BitOutput{out_bits, word_count},
                       out_result, kAnyHit);
}
broadside_status broadside_mesh_find_hits(const broadside_mesh* mesh, const broadside_ray* rays,
                                          size_t ray_count, const broadside_mesh_settings* settings,
                                          broadside_query_lists* lists, broadside_mesh_ray_hit* out_hits,
                                          size_t capacity, broadside_result* out_result) {
    return query<Call>(mesh, settings, Rays<MeshRays>{rays, ray_count},
                       array_output<Listed<MeshHit>>(lists, &broadside_query_lists::mesh, out_hits, capacity),
                       out_result, kFindHits);
}
size_t broadside_mesh_crossing_count(const broadside_mesh* mesh, const broadside_vec3* origin,
                                     const broadside_vec3* direction) {
    if (mesh == nullptr || origin == nullptr || direction == nullptr) return 0;
    return mesh->mesh.crossing_count(value_of<Vec3>(*origin), value_of<Vec3>(*direction));
}

broadside_status broadside_mesh_find_overlaps(const broadside_mesh* mesh, const broadside_shapes* shapes,
                                              const broadside_mesh_settings* settings,
                                              broadside_query_lists* lists, broadside_pair* out_pairs,
                                              size_t capacity, broadside_result* out_result) {
    return query<Call>(mesh, settings, Shapes<MeshShapes>{shapes},
                       array_output<IndexPair>(lists, &broadside_query_lists::mesh, out_pairs, capacity),
                       out_result, kFindOverlaps);
}
broadside_status broadside_mesh_any_overlap(const broadside_mesh* mesh, const broadside_shapes* shapes,
                                            const broadside_mesh_settings* settings, uint64_t* out_bits,
                                            size_t word_count, broadside_result* out_result) {
    return query<Call>(mesh, settings, Shapes<MeshShapes>{shapes}, BitOutput{out_bits, word_count},
                       out_result, kAnyOverlap);
}
broadside_status broadside_mesh_first_overlaps(const broadside_mesh* mesh, const broadside_shapes* shapes,
                                               uint32_t shapes_per_state,
                                               const broadside_mesh_settings* settings, uint32_t* out_first,
                                               size_t motion_count, broadside_result* out_result) {
    return query<Call>(mesh, settings, Shapes<MeshShapes>{shapes}, MotionOutput{out_first, motion_count},
                       out_result, first_overlaps_of(shapes_per_state));
}
broadside_status broadside_mesh_closest_impacts(const broadside_mesh* mesh, const broadside_casts* casts,
                                                const broadside_mesh_settings* settings,
                                                broadside_mesh_impact* out_impacts, size_t capacity,
                                                broadside_result* out_result) {
    return query<Call>(mesh, settings, Casts<MeshCasts>{casts},
                       batch_output<MeshImpact>(out_impacts, capacity), out_result, kClosestHits);
}
broadside_status broadside_mesh_find_impacts(const broadside_mesh* mesh, const broadside_casts* casts,
                                             const broadside_mesh_settings* settings,
                                             broadside_query_lists* lists,
                                             broadside_mesh_cast_impact* out_impacts, size_t capacity,
                                             broadside_result* out_result) {
    return query<Call>(
        mesh, settings, Casts<MeshCasts>{casts},
        array_output<Listed<MeshImpact>>(lists, &broadside_query_lists::mesh, out_impacts, capacity),
        out_result, kFindHits);
}
broadside_status broadside_mesh_closest_points(const broadside_mesh* mesh, const broadside_vec3* points,
                                               size_t point_count, const broadside_mesh_settings* settings,
                                               broadside_mesh_closest_point* out_closest, size_t capacity,
                                               broadside_result* out_result) {
    return query<Call>(mesh, settings, Points{points, point_count},
                       batch_output<MeshClosestPoint>(out_closest, capacity), out_result, kClosestPoints);
}
broadside_status broadside_mesh_contain(const broadside_mesh* mesh, const broadside_vec3* points,
                                        size_t point_count, const broadside_mesh_settings* settings,
                                        uint64_t* out_bits, size_t word_count, broadside_result* out_result) {
    return query<Call>(mesh, settings, Points{points, point_count}, BitOutput{out_bits, word_count},
                       out_result, kContain);
}
broadside_status broadside_mesh_signed_distances(const broadside_mesh* mesh, const broadside_vec3* points,
                                                 size_t point_count, const broadside_mesh_settings* settings,
                                                 float* out_distances, size_t capacity,
                                                 broadside_result* out_result) {
    return query<Call>(mesh, settings, Points{points, point_count},
                       batch_output<float>(out_distances, capacity), out_result, kSignedDistances);
}
