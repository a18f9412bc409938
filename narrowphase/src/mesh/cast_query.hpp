// The box that represents a capsule on its way through the tree of a mesh, and whether a cast meets a triangle.
#pragma once

#include "core/src/geometry/box_distance.hpp"
#include "narrowphase/src/mesh/kernels.hpp"
#include "narrowphase/src/mesh/layout.hpp"

#include <broadside/cast.hpp>

namespace broadside::narrowphase {

/// The box around a valid capsule, wider by more than the tolerance of a touch and all rounding errors, which
/// grow with the triangles too.
inline Aabb padded_bounds(const Capsule& capsule, Vec3 displacement, const MeshView& mesh) {
    const auto radius = static_cast<double>(capsule.radius);
    const auto size = [](float a) { return static_cast<double>(absolute(a)); };
    const auto extent = [&](float min, float max) { return size(min) + size(max); };
    // A touch is within 2^-40 of the sum of sizes, but distances of thin triangles are right to 2^-24 of
    // their sizes only (shape_triangle.hpp); a box grows by 2^-22.
    const double of_triangles =
        ((extent(mesh.bounds.min.x, mesh.bounds.max.x) + extent(mesh.bounds.min.y, mesh.bounds.max.y)) +
         extent(mesh.bounds.min.z, mesh.bounds.max.z)) *
        0x1p-1;
    const double slack = of_triangles +
                         ((size(displacement.x) + size(displacement.y)) + (size(displacement.z) + radius)) +
                         ((size(capsule.b.x - capsule.a.x) + size(capsule.b.y - capsule.a.y)) +
                          size(capsule.b.z - capsule.a.z));
    const auto low = [&](float a, float b) {
        const auto min = static_cast<double>(min_keep(a, b));
        return padded_min(min - radius, magnitude(min) + slack);
    };
    const auto high = [&](float a, float b) {
        const auto max = static_cast<double>(max_keep(a, b));
        return padded_max(max + radius, magnitude(max) + slack);
    };
    const Vec3 a = capsule.a;
    const Vec3 b = capsule.b;
    return {{low(a.x, b.x), low(a.y, b.y), low(a.z, b.z)}, {high(a.x, b.x), high(a.y, b.y), high(a.z, b.z)}};
}

inline nodes::SphereQuery cast_query(const CapsuleCast& cast, const MeshView& mesh) {
    return {
        nodes::slab_query(padded_bounds(cast.shape, cast.displacement, mesh), cast.displacement, cast.t_max)};
}

template <class Shape>
bool has_impact(const MeshKernels& kernels, const MeshView& mesh, const Cast<Shape>& cast);

}  // namespace broadside::narrowphase
