// Argument checks and dispatch of the four-wide forms of ray against box.
#include <broadside/float_environment.hpp>
#include <broadside/ray_box4.hpp>

#include "narrowphase/src/ray/kernels.hpp"
#include "simd/src/dispatch.hpp"

namespace broadside {
namespace {

bool has_room(std::size_t item_count, std::span<Mask4> hits, std::span<float> t_enter) noexcept {
    return hits.size() >= item_count && (t_enter.empty() || t_enter.size() / 4 >= item_count);
}

// A single question has no status to refuse with; the bits are the same on every ISA.
const narrowphase::RayBox4Kernels& active_or_scalar() noexcept {
    const auto* kernels = simd::active_kernels<narrowphase::RayBox4Kernels>();
    return kernels != nullptr ? *kernels : narrowphase::RayBox4Kernels::scalar;
}

}  // namespace

Ray4 prepare_ray4(std::span<const Ray> rays, const RaySettings& settings) noexcept {
    const FloatEnvironment environment;
    Ray4 packet;
    for (unsigned lane = 0; lane < 4 && lane < rays.size(); ++lane) {
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
    return packet;
}

RayBoxHit4 ray_box4(const PreparedRay& ray, const Box4& boxes) noexcept {
    const FloatEnvironment environment;
    RayBoxHit4 result;
    active_or_scalar().nodes(ray, &boxes, 1, &result.hits, result.t_enter);
    return result;
}

RayBoxHit4 ray4_box(const Ray4& rays, const Aabb& box) noexcept {
    const FloatEnvironment environment;
    const BoxSoaView view = {&box.min.x, &box.min.y, &box.min.z, &box.max.x, &box.max.y, &box.max.z, 1};
    RayBoxHit4 result;
    active_or_scalar().packet(rays, view, &result.hits, result.t_enter);
    return result;
}

BatchResult ray_box4s(const PreparedRay& ray, std::span<const Box4> nodes, std::span<Mask4> out_hits,
                      std::span<float> out_t_enter) noexcept {
    const FloatEnvironment environment;
    if (!has_room(nodes.size(), out_hits, out_t_enter)) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::RayBox4Kernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->nodes(ray, nodes.data(), nodes.size(), out_hits.data(),
                   out_t_enter.empty() ? nullptr : out_t_enter.data());
    return {};
}

BatchResult ray4_boxes(const Ray4& rays, const BoxSoaView& boxes, std::span<Mask4> out_hits,
                       std::span<float> out_t_enter) noexcept {
    const FloatEnvironment environment;
    if (!boxes.is_readable()) return {Status::invalid_argument};
    if (!has_room(boxes.count, out_hits, out_t_enter)) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::RayBox4Kernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->packet(rays, boxes, out_hits.data(), out_t_enter.empty() ? nullptr : out_t_enter.data());
    return {};
}

}  // namespace broadside
