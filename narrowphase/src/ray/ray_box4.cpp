// The four-wide forms of ray against box, single and in batches.
#include <broadside/float_environment.hpp>
#include <broadside/ray_box4.hpp>

#include "narrowphase/src/batch/call.hpp"
#include "narrowphase/src/ray/kernels.hpp"

namespace broadside {
using narrowphase::BatchCall;
using narrowphase::pointer_or_null;
using narrowphase::RayBox4Kernels;

namespace {

// A single query returns no status, so it falls back to scalar; the bits are the same on every ISA.
const RayBox4Kernels& active_or_scalar() noexcept {
    const auto* kernels = simd::active_kernels<RayBox4Kernels>();
    return kernels != nullptr ? *kernels : RayBox4Kernels::scalar;
}

}  // namespace

Ray4 prepare_ray4(std::span<const Ray> rays, const RaySettings& settings) noexcept {
    const FloatEnvironment environment;
    Ray4 packet;
    const std::size_t count = check_readable(rays) ? rays.size() : 0;
    for (unsigned lane = 0; lane < 4 && lane < count; ++lane) {
        const PreparedRay ray = prepare_ray(rays[lane], settings);
        packet.origin_x[lane] = ray.origin.x;
        packet.origin_y[lane] = ray.origin.y;
        packet.origin_z[lane] = ray.origin.z;
        packet.inv_direction_x[lane] = ray.inv_direction.x;
        packet.inv_direction_y[lane] = ray.inv_direction.y;
        packet.inv_direction_z[lane] = ray.inv_direction.z;
        packet.inv_direction_far_x[lane] = ray.inv_direction_far.x;
        packet.inv_direction_far_y[lane] = ray.inv_direction_far.y;
        packet.inv_direction_far_z[lane] = ray.inv_direction_far.z;
        packet.t_max[lane] = ray.t_max;
        packet.accept_floor = ray.accept_floor;
        packet.report_floor = ray.report_floor;
    }
    return FloatEnvironment::result(packet);
}

RayBoxHit4 ray_box(const PreparedRay& ray, const Box4& boxes) noexcept {
    const FloatEnvironment environment;
    RayBoxHit4 result;
    active_or_scalar().nodes(ray, &boxes, 1, &result.hits, result.t_enter);
    return FloatEnvironment::result(result);
}

RayBoxHit4 ray_box(const Ray4& rays, const Aabb& box) noexcept {
    const FloatEnvironment environment;
    const BoxSoaView view = {&box.min.x, &box.min.y, &box.min.z, &box.max.x, &box.max.y, &box.max.z, 1};
    RayBoxHit4 result;
    active_or_scalar().packet(rays, view, &result.hits, result.t_enter);
    return FloatEnvironment::result(result);
}

BatchResult ray_boxes(const PreparedRay& ray, std::span<const Box4> nodes, std::span<Mask4> out_hits,
                      std::span<float> out_t_enter) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .readable(nodes, out_t_enter)
        .holds(out_hits, nodes.size())
        .room(out_t_enter.empty() || out_t_enter.size() / 4 >= nodes.size())
        .run<RayBox4Kernels>([&](const auto& kernels) {
            kernels.nodes(ray, nodes.data(), nodes.size(), out_hits.data(), pointer_or_null(out_t_enter));
        });
}

BatchResult ray_boxes(const Ray4& rays, const BoxSoaView& boxes, std::span<Mask4> out_hits,
                      std::span<float> out_t_enter) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .readable(boxes, "boxes: a column is null though the count is not 0")
        .readable(out_t_enter)
        .holds(out_hits, boxes.count)
        .room(out_t_enter.empty() || out_t_enter.size() / 4 >= boxes.count)
        .run<RayBox4Kernels>([&](const auto& kernels) {
            kernels.packet(rays, boxes, out_hits.data(), pointer_or_null(out_t_enter));
        });
}

}  // namespace broadside
