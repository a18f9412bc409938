// Rays against a mesh: the closest hit, any hit, all hits, and crossings of the surface.
#include <broadside/float_environment.hpp>
#include <broadside/mesh.hpp>

#include "core/src/zones.hpp"
#include "narrowphase/src/batch/call.hpp"
#include "narrowphase/src/mesh/casts.hpp"
#include "narrowphase/src/mesh/kernels.hpp"
#include "narrowphase/src/mesh/ray_triangle_scalar.hpp"
#include "narrowphase/src/mesh/sinks.hpp"

#include <broadside/run_tasks.hpp>

#include <algorithm>

namespace broadside {

using narrowphase::BatchCall;
using narrowphase::GrowingSink;
using narrowphase::MeshKernels;
using narrowphase::MeshView;

namespace {

// Rays of a task: whole words of bits, and mostly enough to keep many walks busy at once.
constexpr std::size_t kRayRun = 1024;
template <class Query>
constexpr std::size_t kRunOf = std::is_same_v<Query, Ray> ? kRayRun : 64;

template <class Query>
BatchCall hit_call(std::span<const Query> queries, Sides sides, const MeshQuerySettings& settings) {
    BatchCall call;
    call.readable(queries).legal(sides <= Sides::front, "sides: no enumerator").runner(settings.runner);
    return call;
}
std::span<const Ray> rays_of(const MeshRays& rays) {
    return {static_cast<const Ray*>(rays.data()), rays.size()};
}

// The queries of one run.
void find_any(const MeshKernels& kernels, const MeshView& mesh, std::span<const Ray> rays, Sides sides,
              std::uint64_t* out_bits) {
    kernels.any(mesh, rays.data(), rays.size(), sides, out_bits);
}
template <class Shape>
void find_any(const MeshKernels& kernels, const MeshView& mesh, std::span<const Cast<Shape>> casts, Sides,
              std::uint64_t* out_bits) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < casts.size(); ++i)
        bits |= std::uint64_t{narrowphase::has_impact(kernels, mesh, casts[i]) ? 1u : 0u} << i;
    *out_bits = bits;
}

}  // namespace

BatchResult TriangleMesh::closest_hits(const MeshRays& rays, const MeshQuerySettings& settings,
                                       std::span<MeshHit> out_closest) const noexcept {
    const FloatEnvironment environment;
    const std::span list = rays_of(rays);
    return hit_call(list, rays.sides, settings)
        .holds(out_closest, list.size())
        .run<MeshKernels>([&](const auto& kernels) {
            const MeshView mesh = view();
            if (mesh.is_empty()) {
                std::fill_n(out_closest.data(), list.size(), MeshHit{});
                return;
            }
            run_chunks(settings.runner, list.size(), kRayRun, [&](std::size_t begin, std::size_t end) {
                BROADSIDE_ZONE("mesh/query task");
                kernels.closest(mesh, list.data() + begin, end - begin, rays.sides,
                                out_closest.data() + begin);
            });
        });
}

BatchResult TriangleMesh::any_hit(const MeshHitQueries& queries, const MeshQuerySettings& settings,
                                  std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    BatchResult result;
    queries.visit([&]<class Query>(std::span<const Query> list) {
        result = hit_call(list, queries.sides, settings)
                     .holds_bits(out_bits, list.size())
                     .template run<MeshKernels>([&](const auto& kernels) {
                         const MeshView mesh = view();
                         if (mesh.is_empty()) {
                             std::fill_n(out_bits.data(), bit_word_count(list.size()), std::uint64_t{0});
                             return;
                         }
                         run_chunks(settings.runner, list.size(), kRunOf<Query>,
                                    [&](std::size_t begin, std::size_t end) {
                                        BROADSIDE_ZONE("mesh/query task");
                                        find_any(kernels, mesh, list.subspan(begin, end - begin),
                                                 queries.sides, out_bits.data() + begin / 64);
                                    });
                     });
    });
    return result;
}

WriteResult TriangleMesh::find_hits(const MeshRays& rays, const MeshQuerySettings& settings,
                                    MeshScratch& scratch,
                                    std::span<Listed<MeshHit>> out_hits) const noexcept {
    const FloatEnvironment environment;
    WriteResult result;
    const std::span list = rays_of(rays);
    BatchCall checks = hit_call(list, rays.sides, settings);
    const BatchResult call = checks.readable(out_hits).run<MeshKernels>([&](const auto& kernels) {
        const MeshView mesh = view();
        if (mesh.is_empty()) return;
        for (std::size_t i = 0; i < list.size(); ++i) {
            GrowingSink sink(scratch.hits);
            kernels.all(mesh, list[i], rays.sides, sink);
            if (sink.is_out_of_memory) {
                result.status = Status::out_of_memory;
                return;
            }
            const narrowphase::TriangleRay ray = narrowphase::triangle_ray(list[i], rays.sides);
            std::sort(sink.begin, sink.begin + sink.count, [&](std::uint32_t a, std::uint32_t b) {
                if (a == b) return false;
                const int order = compare_hit_times(ray, mesh.triangle_at(a), mesh.triangle_at(b));
                return order < 0 || (order == 0 && mesh.index_at(a) < mesh.index_at(b));
            });
            for (std::uint32_t k = 0; k < sink.count; ++k, ++result.required) {
                if (result.required >= out_hits.size()) continue;
                const RayTriangleHit hit = rounded_hit(ray, mesh.triangle_at(sink.begin[k]));
                out_hits[result.written++] = {static_cast<std::uint32_t>(i),
                                              {hit.t, hit.u, hit.v, mesh.index_at(sink.begin[k])}};
            }
        }
        if (result.written < result.required) result.status = Status::capacity_exceeded;
    });
    if (call.status != Status::ok) result.status = call.status;
    return result;
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
    query.visit([&](auto one) {
        (void)hit_call(one, query.sides, {}).template run<MeshKernels>([&](const auto& kernels) {
            const MeshView mesh = view();
            if (!mesh.is_empty()) find_any(kernels, mesh, one, query.sides, &bits);
        });
    });
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
