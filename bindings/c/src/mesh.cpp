// TriangleMesh.
#include "bindings/c/src/convert.hpp"
#include "bindings/c/src/handles.hpp"

using namespace broadside;
using namespace broadside::c;

namespace {

// Runs a query after the checks of its arguments: `ask` gets the mesh, the settings and the runner.
template <class Query, class Output, class Ask>
broadside_status with_mesh(const broadside_mesh* mesh, const Query* queries, std::size_t query_count,
                           const broadside_mesh_settings* settings, const Output* output,
                           std::size_t capacity, broadside_result* out_result, const Ask& ask) {
    broadside_mesh_settings given;
    if (mesh == nullptr || !is_readable(queries, query_count) || !is_readable(output, capacity) ||
        !is_writable(out_result) || !read_struct(settings, given))
        return refuse(out_result);
    const Runner runner(given.runner);
    const Sides sides = given.do_cull_back_sides != 0 ? Sides::front : Sides::both;
    return finish(out_result, ask(mesh->mesh, sides, {.runner = runner.get()}),
                  room_for<Output>(query_count));
}

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
    return with_mesh(mesh, rays, ray_count, settings, out_closest, capacity, out_result,
                     [&](const TriangleMesh& of, Sides sides, const MeshQuerySettings& with) {
                         return of.closest_hits({span_of<Ray>(rays, ray_count), sides}, with,
                                                span_of<MeshHit>(out_closest, capacity));
                     });
}
broadside_status broadside_mesh_any_hit(const broadside_mesh* mesh, const broadside_ray* rays,
                                        size_t ray_count, const broadside_mesh_settings* settings,
                                        uint64_t* out_bits, size_t word_count, broadside_result* out_result) {
    return with_mesh(
        mesh, rays, ray_count, settings, out_bits, word_count, out_result,
        [&](const TriangleMesh& of, Sides sides, const MeshQuerySettings& with) {
            return of.any_hit({span_of<Ray>(rays, ray_count), sides}, with, std::span(out_bits, word_count));
        });
}
broadside_status broadside_mesh_find_hits(const broadside_mesh* mesh, const broadside_ray* rays,
                                          size_t ray_count, const broadside_mesh_settings* settings,
                                          broadside_query_lists* lists, broadside_mesh_ray_hit* out_hits,
                                          size_t capacity, broadside_result* out_result) {
    if (lists == nullptr) return refuse(out_result);
    return with_mesh(mesh, rays, ray_count, settings, out_hits, capacity, out_result,
                     [&](const TriangleMesh& of, Sides sides, const MeshQuerySettings& with) {
                         return of.find_hits({span_of<Ray>(rays, ray_count), sides}, with, lists->mesh,
                                             span_of<Listed<MeshHit>>(out_hits, capacity));
                     });
}
size_t broadside_mesh_crossing_count(const broadside_mesh* mesh, const broadside_vec3* origin,
                                     const broadside_vec3* direction) {
    if (mesh == nullptr || origin == nullptr || direction == nullptr) return 0;
    return mesh->mesh.crossing_count(value_of<Vec3>(*origin), value_of<Vec3>(*direction));
}

broadside_status broadside_mesh_find_overlaps(const broadside_mesh* mesh, const broadside_shapes* shapes,
                                              broadside_query_lists* lists, broadside_pair* out_pairs,
                                              size_t capacity, broadside_result* out_result) {
    if (mesh == nullptr || lists == nullptr || !is_readable(out_pairs, capacity) || !is_writable(out_result))
        return refuse(out_result);
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const auto ask = [&](auto queries) {
        status = finish(out_result, mesh->mesh.find_overlaps(queries, {}, lists->mesh,
                                                             span_of<IndexPair>(out_pairs, capacity)));
    };
    return with_mesh_shapes(shapes, ask) ? status : refuse(out_result);
}
broadside_status broadside_mesh_any_overlap(const broadside_mesh* mesh, const broadside_shapes* shapes,
                                            const broadside_mesh_settings* settings, uint64_t* out_bits,
                                            size_t word_count, broadside_result* out_result) {
    broadside_mesh_settings given;
    if (mesh == nullptr || !is_readable(out_bits, word_count) || !is_writable(out_result) ||
        !read_struct(settings, given))
        return refuse(out_result);
    const Runner runner(given.runner);
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const auto ask = [&](auto queries) {
        status =
            finish(out_result,
                   mesh->mesh.any_overlap(queries, {.runner = runner.get()}, std::span(out_bits, word_count)),
                   bit_word_count(queries.size()));
    };
    return with_mesh_shapes(shapes, ask) ? status : refuse(out_result);
}
broadside_status broadside_mesh_first_overlaps(const broadside_mesh* mesh, const broadside_shapes* shapes,
                                               uint32_t shapes_per_state,
                                               const broadside_mesh_settings* settings, uint32_t* out_first,
                                               size_t motion_count, broadside_result* out_result) {
    broadside_mesh_settings given;
    if (mesh == nullptr || !is_readable(out_first, motion_count) || !is_writable(out_result) ||
        !read_struct(settings, given))
        return refuse(out_result);
    const Runner runner(given.runner);
    broadside_status status = BROADSIDE_INVALID_ARGUMENT;
    const auto ask = [&](auto queries) {
        status = finish(out_result,
                        mesh->mesh.first_overlaps(queries, shapes_per_state, {.runner = runner.get()},
                                                  std::span(out_first, motion_count)),
                        motion_count);
    };
    return with_mesh_shapes(shapes, ask) ? status : refuse(out_result);
}
broadside_status broadside_mesh_closest_impacts(const broadside_mesh* mesh, const broadside_casts* casts,
                                                const broadside_mesh_settings* settings,
                                                broadside_mesh_impact* out_impacts, size_t capacity,
                                                broadside_result* out_result) {
    return with_mesh_casts(casts, out_result, [&](const auto& queries) {
        return with_mesh(mesh, queries.data(), queries.size(), settings, out_impacts, capacity, out_result,
                         [&](const TriangleMesh& of, Sides, const MeshQuerySettings& with) {
                             return of.closest_hits(queries, with,
                                                    span_of<MeshImpact>(out_impacts, capacity));
                         });
    });
}
broadside_status broadside_mesh_find_impacts(const broadside_mesh* mesh, const broadside_casts* casts,
                                             const broadside_mesh_settings* settings,
                                             broadside_query_lists* lists,
                                             broadside_mesh_cast_impact* out_impacts, size_t capacity,
                                             broadside_result* out_result) {
    if (lists == nullptr) return refuse(out_result);
    return with_mesh_casts(casts, out_result, [&](const auto& queries) {
        return with_mesh(mesh, queries.data(), queries.size(), settings, out_impacts, capacity, out_result,
                         [&](const TriangleMesh& of, Sides, const MeshQuerySettings& with) {
                             return of.find_hits(queries, with, lists->mesh,
                                                 span_of<Listed<MeshImpact>>(out_impacts, capacity));
                         });
    });
}
broadside_status broadside_mesh_closest_points(const broadside_mesh* mesh, const broadside_vec3* points,
                                               size_t point_count, const broadside_mesh_settings* settings,
                                               broadside_mesh_closest_point* out_closest, size_t capacity,
                                               broadside_result* out_result) {
    return with_mesh(mesh, points, point_count, settings, out_closest, capacity, out_result,
                     [&](const TriangleMesh& of, Sides, const MeshQuerySettings& with) {
                         return of.closest_points(span_of<Vec3>(points, point_count), with,
                                                  span_of<MeshClosestPoint>(out_closest, capacity));
                     });
}
broadside_status broadside_mesh_contain(const broadside_mesh* mesh, const broadside_vec3* points,
                                        size_t point_count, const broadside_mesh_settings* settings,
                                        uint64_t* out_bits, size_t word_count, broadside_result* out_result) {
    return with_mesh(mesh, points, point_count, settings, out_bits, word_count, out_result,
                     [&](const TriangleMesh& of, Sides, const MeshQuerySettings& with) {
                         return of.contain(span_of<Vec3>(points, point_count), with,
                                           std::span(out_bits, word_count));
                     });
}
broadside_status broadside_mesh_signed_distances(const broadside_mesh* mesh, const broadside_vec3* points,
                                                 size_t point_count, const broadside_mesh_settings* settings,
                                                 float* out_distances, size_t capacity,
                                                 broadside_result* out_result) {
    return with_mesh(mesh, points, point_count, settings, out_distances, capacity, out_result,
                     [&](const TriangleMesh& of, Sides, const MeshQuerySettings& with) {
                         return of.signed_distances(span_of<Vec3>(points, point_count), with,
                                                    std::span(out_distances, capacity));
                     });
}
