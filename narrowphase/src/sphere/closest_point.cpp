// Single closest points, and argument checks and dispatch of the batches.
#include <broadside/closest_point.hpp>
#include <broadside/float_environment.hpp>

#include "narrowphase/src/batch/outputs.hpp"
#include "narrowphase/src/sphere/closest_point_scalar.hpp"
#include "narrowphase/src/sphere/kernels.hpp"
#include "simd/src/dispatch.hpp"

namespace broadside {
namespace {

using narrowphase::ClosestPointTargets;

using narrowphase::has_room;
using narrowphase::pointer_or_null;

bool has_room(const ClosestPointOutputs& outputs, std::size_t count) {
    return has_room(outputs.x, count) && has_room(outputs.y, count) && has_room(outputs.z, count) &&
           has_room(outputs.distance_sq, count);
}

ClosestPointTargets targets_of(const ClosestPointOutputs& outputs) {
    return {pointer_or_null(outputs.x), pointer_or_null(outputs.y), pointer_or_null(outputs.z),
            pointer_or_null(outputs.distance_sq)};
}

// The checks of every batch; `call(kernels)` runs when they pass.
template <class Call>
BatchResult run_batch(bool is_readable, std::size_t count, const ClosestPointOutputs& outputs,
                      Call&& call) noexcept {
    if (!is_readable) return {Status::invalid_argument};
    if (!has_room(outputs, count)) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::ClosestPointKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    call(*kernels);
    return {};
}

}  // namespace

ClosestPoint closest_point(const Aabb& box, Vec3 point) noexcept {
    const FloatEnvironment environment(point);
    return narrowphase::closest_point_scalar(box, point);
}
ClosestPoint closest_point(const Obb& obb, Vec3 point) noexcept {
    const FloatEnvironment environment(point);
    return narrowphase::closest_point_scalar(obb, point);
}
ClosestPoint closest_point(const Triangle& triangle, Vec3 point) noexcept {
    const FloatEnvironment environment(point);
    return narrowphase::closest_point_scalar(triangle, point);
}

BatchResult closest_points_of_box(const Aabb& box, const Vec3SoaView& points,
                                  const ClosestPointOutputs& out_closest) noexcept {
    const FloatEnvironment environment;
    return run_batch(points.is_readable(), points.count, out_closest,
                     [&](const auto& kernels) { kernels.of_box(box, points, targets_of(out_closest)); });
}
BatchResult closest_points_of_obb(const Obb& obb, const Vec3SoaView& points,
                                  const ClosestPointOutputs& out_closest) noexcept {
    const FloatEnvironment environment;
    return run_batch(points.is_readable(), points.count, out_closest,
                     [&](const auto& kernels) { kernels.of_obb(obb, points, targets_of(out_closest)); });
}
BatchResult closest_points_of_triangle(const Triangle& triangle, const Vec3SoaView& points,
                                       const ClosestPointOutputs& out_closest) noexcept {
    const FloatEnvironment environment;
    return run_batch(points.is_readable(), points.count, out_closest, [&](const auto& kernels) {
        kernels.of_triangle(triangle, points, targets_of(out_closest));
    });
}

BatchResult closest_points_on_boxes(Vec3 point, const BoxSoaView& boxes,
                                    const ClosestPointOutputs& out_closest) noexcept {
    const FloatEnvironment environment(point);
    return run_batch(boxes.is_readable(), boxes.count, out_closest,
                     [&](const auto& kernels) { kernels.on_boxes(point, boxes, targets_of(out_closest)); });
}
BatchResult closest_points_on_obbs(Vec3 point, std::span<const Obb> obbs,
                                   const ClosestPointOutputs& out_closest) noexcept {
    const FloatEnvironment environment(point);
    return run_batch(true, obbs.size(), out_closest, [&](const auto& kernels) {
        kernels.on_obbs(point, obbs.data(), obbs.size(), targets_of(out_closest));
    });
}
BatchResult closest_points_on_triangles(Vec3 point, const TriangleSoaView& triangles,
                                        const ClosestPointOutputs& out_closest) noexcept {
    const FloatEnvironment environment(point);
    return run_batch(triangles.is_readable(), triangles.count, out_closest, [&](const auto& kernels) {
        kernels.on_triangles(point, triangles, targets_of(out_closest));
    });
}

}  // namespace broadside
