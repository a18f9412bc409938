// Distances of points from a mesh, and whether points are inside.
#include <broadside/float_environment.hpp>
#include <broadside/mesh.hpp>

#include "narrowphase/src/mesh/batch.hpp"
#include "narrowphase/src/mesh/ray_triangle_scalar.hpp"
#include "narrowphase/src/sphere/closest_point_scalar.hpp"

namespace broadside {

using narrowphase::BatchCall;
using narrowphase::MeshKernels;
using narrowphase::MeshView;

namespace {

// Larger than any distance of floats.
constexpr double kAnyDistance = 0x1p131;

MeshClosestPoint closest_of(const MeshKernels& kernels, const MeshView& mesh, Vec3 point) {
    if (mesh.is_empty() || !is_finite(point)) return {};
    std::uint32_t slot = narrowphase::kNoMeshSlot;
    kernels.closest_slots(mesh, &point, 1, kAnyDistance, &slot);
    if (slot == narrowphase::kNoMeshSlot) return {};
    const ClosestPoint closest = narrowphase::closest_point_scalar(mesh.triangle_at(slot), point);
    return {closest.point, closest.distance_sq, mesh.index_at(slot)};
}

// A ray along each axis that ends where it starts: no triangle lies in a plane with all three.
bool is_on_surface(const MeshKernels& kernels, const MeshView& mesh, Vec3 point) {
    const Ray rays[3] = {{point, {1, 0, 0}, 0}, {point, {0, 1, 0}, 0}, {point, {0, 0, 1}, 0}};
    std::uint64_t bits = 0;
    kernels.any(mesh, rays, 3, Sides::both, &bits);
    return bits != 0;
}
bool is_inside(const MeshKernels& kernels, const MeshView& mesh, Vec3 point) {
    return kernels.crossings(mesh, {point, narrowphase::kInsideDirection}) % 2 != 0;
}

bool contains_point(const MeshKernels& kernels, const MeshView& mesh, Vec3 point) {
    if (mesh.is_empty() || !contains(mesh.bounds, point)) return false;
    return is_on_surface(kernels, mesh, point) || is_inside(kernels, mesh, point);
}

float distance_of(const MeshKernels& kernels, const MeshView& mesh, Vec3 point) {
    if (mesh.is_empty() || !is_finite(point)) return std::numeric_limits<float>::infinity();
    std::uint32_t slot = narrowphase::kNoMeshSlot;
    kernels.closest_slots(mesh, &point, 1, kAnyDistance, &slot);
    const double distance_sq = narrowphase::closest_scalar(mesh.triangle_at(slot), point).distance_sq;
    const double largest = static_cast<double>(FLT_MAX);
    const auto distance = static_cast<float>(min_keep(__builtin_sqrt(distance_sq), largest));
    if (!contains(mesh.bounds, point)) return distance;
    if (is_on_surface(kernels, mesh, point)) return 0.0f;
    return is_inside(kernels, mesh, point) ? -distance : distance;
}

// A single point.
template <class Answer, class Ask>
Answer ask_point(const MeshView& mesh, Vec3 point, Answer without_kernels, Ask&& ask) {
    const auto* kernels = simd::active_kernels<MeshKernels>();
    return kernels == nullptr ? without_kernels : ask(*kernels, mesh, point);
}

}  // namespace

BatchResult TriangleMesh::closest_points(std::span<const Vec3> points, const TaskRunner* runner,
                                         std::span<MeshClosestPoint> out_closest) const noexcept {
    const FloatEnvironment environment;
    return ask_all(view(), points, runner, out_closest, closest_of);
}

BatchResult TriangleMesh::signed_distances(std::span<const Vec3> points, const TaskRunner* runner,
                                           std::span<float> out_distances) const noexcept {
    const FloatEnvironment environment;
    return ask_all(view(), points, runner, out_distances, distance_of);
}

BatchResult TriangleMesh::contain(std::span<const Vec3> points, const TaskRunner* runner,
                                  std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    return ask_bits(BatchCall(), view(), points, runner, out_bits, contains_point);
}

MeshClosestPoint TriangleMesh::closest_point(Vec3 point) const noexcept {
    const FloatEnvironment environment(point);
    return FloatEnvironment::result(ask_point(view(), point, MeshClosestPoint{}, closest_of));
}

bool TriangleMesh::contains(Vec3 point) const noexcept {
    const FloatEnvironment environment(point);
    return FloatEnvironment::result(ask_point(view(), point, false, contains_point));
}

float TriangleMesh::signed_distance(Vec3 point) const noexcept {
    const FloatEnvironment environment(point);
    return FloatEnvironment::result(
        ask_point(view(), point, std::numeric_limits<float>::infinity(), distance_of));
}

}  // namespace broadside
