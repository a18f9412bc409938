// Closest points, single and in batches.
#include <broadside/closest_point.hpp>
#include <broadside/float_environment.hpp>

#include "narrowphase/src/batch/call.hpp"
#include "narrowphase/src/sphere/closest_point_scalar.hpp"
#include "narrowphase/src/sphere/kernels.hpp"

namespace broadside {
using narrowphase::BatchCall;
using narrowphase::ClosestPointKernels;
using narrowphase::ClosestPointTargets;
using narrowphase::pointer_or_null;

namespace {

BatchCall& check_outputs(BatchCall& batch, std::size_t count, const ClosestPointOutputs& outputs) noexcept {
    return batch.holds_if_wanted(outputs.x, count)
        .holds_if_wanted(outputs.y, count)
        .holds_if_wanted(outputs.z, count)
        .holds_if_wanted(outputs.distance_sq, count);
}

ClosestPointTargets targets_of(const ClosestPointOutputs& outputs) noexcept {
    return {pointer_or_null(outputs.x), pointer_or_null(outputs.y), pointer_or_null(outputs.z),
            pointer_or_null(outputs.distance_sq)};
}

}  // namespace

ClosestPoint closest_point(const Aabb& box, Vec3 point) noexcept {
    const FloatEnvironment environment(point);
    return FloatEnvironment::result(narrowphase::closest_point_scalar(box, point));
}
ClosestPoint closest_point(const Obb& obb, Vec3 point) noexcept {
    const FloatEnvironment environment(point);
    return FloatEnvironment::result(narrowphase::closest_point_scalar(obb, point));
}
ClosestPoint closest_point(const Triangle& triangle, Vec3 point) noexcept {
    const FloatEnvironment environment(point);
    return FloatEnvironment::result(narrowphase::closest_point_scalar(triangle, point));
}

BatchResult closest_points(const Aabb& box, const Vec3SoaView& points,
                           const ClosestPointOutputs& out_closest) noexcept {
    const FloatEnvironment environment;
    BatchCall batch;
    batch.readable(points, "points: a column is null though the count is not 0");
    return check_outputs(batch, points.count, out_closest).run<ClosestPointKernels>([&](const auto& kernels) {
        kernels.of_box(box, points, targets_of(out_closest));
    });
}
BatchResult closest_points(const Obb& obb, const Vec3SoaView& points,
                           const ClosestPointOutputs& out_closest) noexcept {
    const FloatEnvironment environment;
    BatchCall batch;
    batch.readable(points, "points: a column is null though the count is not 0");
    return check_outputs(batch, points.count, out_closest).run<ClosestPointKernels>([&](const auto& kernels) {
        kernels.of_obb(obb, points, targets_of(out_closest));
    });
}
BatchResult closest_points(const Triangle& triangle, const Vec3SoaView& points,
                           const ClosestPointOutputs& out_closest) noexcept {
    const FloatEnvironment environment;
    BatchCall batch;
    batch.readable(points, "points: a column is null though the count is not 0");
    return check_outputs(batch, points.count, out_closest).run<ClosestPointKernels>([&](const auto& kernels) {
        kernels.of_triangle(triangle, points, targets_of(out_closest));
    });
}

BatchResult closest_points(const BoxSoaView& boxes, Vec3 point,
                           const ClosestPointOutputs& out_closest) noexcept {
    const FloatEnvironment environment(point);
    BatchCall batch;
    batch.readable(boxes, "boxes: a column is null though the count is not 0");
    return check_outputs(batch, boxes.count, out_closest).run<ClosestPointKernels>([&](const auto& kernels) {
        kernels.on_boxes(point, boxes, targets_of(out_closest));
    });
}
BatchResult closest_points(std::span<const Obb> obbs, Vec3 point,
                           const ClosestPointOutputs& out_closest) noexcept {
    const FloatEnvironment environment(point);
    BatchCall batch;
    batch.readable(obbs);
    return check_outputs(batch, obbs.size(), out_closest).run<ClosestPointKernels>([&](const auto& kernels) {
        kernels.on_obbs(point, obbs.data(), obbs.size(), targets_of(out_closest));
    });
}
BatchResult closest_points(const TriangleSoaView& triangles, Vec3 point,
                           const ClosestPointOutputs& out_closest) noexcept {
    const FloatEnvironment environment(point);
    BatchCall batch;
    batch.readable(triangles);
    return check_outputs(batch, triangles.count, out_closest)
        .run<ClosestPointKernels>(
            [&](const auto& kernels) { kernels.on_triangles(point, triangles, targets_of(out_closest)); });
}

}  // namespace broadside
