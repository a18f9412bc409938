// Rays against a mesh: the closest hit, any hit, all hits, and crossings of the surface.
#include <broadside/float_environment.hpp>
#include <broadside/mesh.hpp>

#include "core/src/zones.hpp"
#include "narrowphase/src/batch/call.hpp"
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

BatchCall ray_call(std::span<const Ray> rays, const MeshRaySettings& settings) {
    BatchCall call;
    call.readable(rays).legal(settings.sides <= Sides::front, "sides: no enumerator").runner(settings.runner);
    return call;
}

}  // namespace

BatchResult TriangleMesh::closest_hits(std::span<const Ray> rays, const MeshRaySettings& settings,
                                       std::span<MeshHit> out_closest) const noexcept {
    const FloatEnvironment environment;
    return ray_call(rays, settings)
        .holds(out_closest, rays.size())
        .run<MeshKernels>([&](const auto& kernels) {
            const MeshView mesh = view();
            if (mesh.is_empty()) {
                std::fill_n(out_closest.data(), rays.size(), MeshHit{});
                return;
            }
            run_chunks(settings.runner, rays.size(), kRayRun, [&](std::size_t begin, std::size_t end) {
                BROADSIDE_ZONE("mesh/query task");
                kernels.closest(mesh, rays.data() + begin, end - begin, settings.sides,
                                out_closest.data() + begin);
            });
        });
}

BatchResult TriangleMesh::any_hit(std::span<const Ray> rays, const MeshRaySettings& settings,
                                  std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    return ray_call(rays, settings)
        .holds_bits(out_bits, rays.size())
        .run<MeshKernels>([&](const auto& kernels) {
            const MeshView mesh = view();
            if (mesh.is_empty()) {
                std::fill_n(out_bits.data(), bit_word_count(rays.size()), std::uint64_t{0});
                return;
            }
            run_chunks(settings.runner, rays.size(), kRayRun, [&](std::size_t begin, std::size_t end) {
                BROADSIDE_ZONE("mesh/query task");
                kernels.any(mesh, rays.data() + begin, end - begin, settings.sides,
                            out_bits.data() + begin / 64);
            });
        });
}

WriteResult TriangleMesh::find_hits(std::span<const Ray> rays, const MeshRaySettings& settings,
                                    MeshScratch& scratch, std::span<MeshRayHit> out_hits) const noexcept {
    const FloatEnvironment environment;
    WriteResult result;
    const BatchResult call =
        ray_call(rays, settings).readable(out_hits).run<MeshKernels>([&](const auto& kernels) {
            const MeshView mesh = view();
            if (mesh.is_empty()) return;
            for (std::size_t i = 0; i < rays.size(); ++i) {
                GrowingSink sink(scratch.hits);
                kernels.all(mesh, rays[i], settings.sides, sink);
                if (sink.is_out_of_memory) {
                    result.status = Status::out_of_memory;
                    return;
                }
                const narrowphase::TriangleRay ray = narrowphase::triangle_ray(rays[i], settings.sides);
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

MeshHit TriangleMesh::closest_hit(const Ray& ray, const MeshRaySettings& settings) const noexcept {
    const FloatEnvironment environment;
    MeshHit hit;
    (void)ray_call({&ray, 1}, settings).run<MeshKernels>([&](const auto& kernels) {
        const MeshView mesh = view();
        if (!mesh.is_empty()) kernels.closest(mesh, &ray, 1, settings.sides, &hit);
    });
    return FloatEnvironment::result(hit);
}

bool TriangleMesh::any_hit(const Ray& ray, const MeshRaySettings& settings) const noexcept {
    const FloatEnvironment environment;
    std::uint64_t bits = 0;
    (void)ray_call({&ray, 1}, settings).run<MeshKernels>([&](const auto& kernels) {
        const MeshView mesh = view();
        if (!mesh.is_empty()) kernels.any(mesh, &ray, 1, settings.sides, &bits);
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
