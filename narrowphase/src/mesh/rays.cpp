// Rays against a mesh: the closest hit, any hit, all hits, and crossings of the surface.
#include <broadside/float_environment.hpp>
#include <broadside/mesh.hpp>

#include "narrowphase/src/mesh/batch.hpp"
#include "narrowphase/src/mesh/cast_query.hpp"
#include "narrowphase/src/mesh/ray_triangle_scalar.hpp"
#include "narrowphase/src/mesh/sinks.hpp"

#include <algorithm>

namespace broadside {

using narrowphase::BatchCall;
using narrowphase::MeshKernels;
using narrowphase::MeshView;
using narrowphase::VisitingSink;

namespace {

// Rays of a task: whole words of bits, and mostly enough to keep many walks busy at once.
constexpr std::size_t kRayRun = 1024;
template <class Query>
BatchCall hit_call(std::span<const Query> queries, Sides sides, const TaskRunner* runner) {
    BatchCall call;
    call.readable(queries).legal(sides <= Sides::front, "sides: no enumerator").runner(runner);
    return call;
}
std::span<const Ray> rays_of(const MeshRays& rays) {
    return {static_cast<const Ray*>(rays.data()), rays.size()};
}

MeshHit hit_at(const MeshView& mesh, const narrowphase::TriangleRay& ray, std::uint32_t slot) {
    const RayTriangleHit hit = rounded_hit(ray, mesh.triangle_at(slot));
    return {hit.t, hit.u, hit.v, mesh.index_at(slot)};
}

BatchResult find_any(const MeshView& mesh, std::span<const Ray> rays, Sides sides, const TaskRunner* runner,
                     std::span<std::uint64_t> out_bits) {
    return ask_runs(hit_call(rays, sides, runner).holds_bits(out_bits, rays.size()), runner, rays.size(),
                    kRayRun, [&](const auto& kernels, std::size_t begin, std::size_t end) {
                        std::uint64_t* const bits = out_bits.data() + begin / 64;
                        if (mesh.is_empty())
                            std::fill_n(bits, bit_word_count(end - begin), std::uint64_t{0});
                        else
                            kernels.any(mesh, rays.data() + begin, end - begin, sides, bits);
                    });
}
template <class Shape>
BatchResult find_any(const MeshView& mesh, std::span<const Cast<Shape>> casts, Sides sides,
                     const TaskRunner* runner, std::span<std::uint64_t> out_bits) {
    return ask_bits(hit_call(casts, sides, runner), mesh, casts, runner, out_bits,
                    [](const auto&... of) { return narrowphase::has_impact(of...); });
}

}  // namespace

BatchResult TriangleMesh::closest_hits(const MeshRays& rays, const TaskRunner* runner,
                                       std::span<MeshHit> out_closest) const noexcept {
    const FloatEnvironment environment;
    const std::span list = rays_of(rays);
    const MeshView mesh = view();
    return ask_runs(hit_call(list, rays.sides, runner).holds(out_closest, list.size()), runner, list.size(),
                    kRayRun, [&](const auto& kernels, std::size_t begin, std::size_t end) {
                        MeshHit* const hits = out_closest.data() + begin;
                        if (mesh.is_empty())
                            std::fill_n(hits, end - begin, MeshHit{});
                        else
                            kernels.closest(mesh, list.data() + begin, end - begin, rays.sides, hits);
                    });
}

BatchResult TriangleMesh::any_hit(const MeshHitQueries& queries, const TaskRunner* runner,
                                  std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    BatchResult result;
    queries.visit([&](auto list) { result = find_any(view(), list, queries.sides, runner, out_bits); });
    return result;
}

WriteResult TriangleMesh::find_hits(const MeshRays& rays, const TaskRunner* runner, MeshScratch& scratch,
                                    std::span<Listed<MeshHit>> out_hits) const noexcept {
    const FloatEnvironment environment;
    const std::span list = rays_of(rays);
    const MeshView mesh = view();
    narrowphase::TriangleRay ray = {};
    return list_found(
        hit_call(list, rays.sides, runner), list, scratch.hits, out_hits,
        [&](const MeshKernels& kernels, const Ray& one) {
            bool has_memory = true;
            VisitingSink sink([&](std::uint32_t slot) {
                has_memory = scratch.hits.push_back(slot);
                return has_memory;
            });
            if (!mesh.is_empty()) kernels.all(mesh, one, rays.sides, sink);
            sink.finish();
            ray = narrowphase::triangle_ray(one, rays.sides);
            std::sort(scratch.hits.begin(), scratch.hits.end(), [&](std::uint32_t a, std::uint32_t b) {
                if (a == b) return false;
                const int order = compare_hit_times(ray, mesh.triangle_at(a), mesh.triangle_at(b));
                return order < 0 || (order == 0 && mesh.index_at(a) < mesh.index_at(b));
            });
            return has_memory;
        },
        [&](std::uint32_t i, std::uint32_t slot) {
            return Listed<MeshHit>{i, hit_at(mesh, ray, slot)};
        });
}

Status TriangleMesh::visit_hits(const MeshRay& ray, MeshHitVisitor visit) const noexcept {
    const FloatEnvironment environment;
    return hit_call(rays_of(ray), ray.sides, {})
        .run<MeshKernels>([&](const auto& kernels) {
            const MeshView mesh = view();
            if (mesh.is_empty()) return;
            const narrowphase::TriangleRay exact = narrowphase::triangle_ray(rays_of(ray)[0], ray.sides);
            float limit = kVisitAll;
            const auto look = [&](std::uint32_t slot) {
                const MeshHit hit = hit_at(mesh, exact, slot);
                if (hit.t <= limit) limit = narrowphase::narrowed(limit, visit(hit));
                return limit >= 0.0f;
            };
            // The walk goes on after each visit.
            VisitingSink<decltype(look), 1> sink(look);
            sink.t_max = &limit;
            kernels.all(mesh, rays_of(ray)[0], ray.sides, sink);
            sink.finish();
        })
        .status;
}

MeshHit TriangleMesh::closest_hit(const MeshRay& ray) const noexcept {
    const FloatEnvironment environment;
    MeshHit hit;
    (void)hit_call(rays_of(ray), ray.sides, {}).run<MeshKernels>([&](const auto& kernels) {
        const MeshView mesh = view();
        if (!mesh.is_empty()) kernels.closest(mesh, rays_of(ray).data(), 1, ray.sides, &hit);
    });
    return FloatEnvironment::result(hit);
}

bool TriangleMesh::any_hit(const MeshHitQuery& query) const noexcept {
    const FloatEnvironment environment;
    std::uint64_t bits = 0;
    query.visit([&](auto one) { (void)find_any(view(), one, query.sides, {}, {&bits, 1}); });
    return FloatEnvironment::result(bits != 0);
}

std::size_t TriangleMesh::crossing_count(Vec3 origin, Vec3 direction) const noexcept {
    const FloatEnvironment environment(origin, direction);
    const auto* kernels = simd::active_kernels<MeshKernels>();
    const MeshView mesh = view();
    if (kernels == nullptr || mesh.is_empty()) return 0;
    return kernels->crossings(mesh, {origin, direction});
}

}  // namespace broadside
