// Spheres and capsules that move against a mesh: their first contact.
#include <broadside/float_environment.hpp>
#include <broadside/mesh.hpp>

#include "core/src/zones.hpp"
#include "narrowphase/src/batch/call.hpp"
#include "narrowphase/src/mesh/cast_query.hpp"
#include "narrowphase/src/mesh/shape_triangle_scalar.hpp"

#include <broadside/run_tasks.hpp>

namespace broadside {

using narrowphase::BatchCall;
using narrowphase::CastVisitor;
using narrowphase::MeshKernels;
using narrowphase::MeshLeaf;
using narrowphase::MeshView;

namespace {

constexpr std::size_t kCastRun = 64;

// Keeps the first impact of the triangles that it visits.
struct FirstImpact : CastVisitor {
    const Capsule& capsule;
    Vec3 displacement;
    MeshShapeImpact first;

    FirstImpact(const Capsule& capsule_in, Vec3 displacement_in)
        : CastVisitor{&look}, capsule(capsule_in), displacement(displacement_in) {}

private:
    static float look(CastVisitor& self, const MeshLeaf& leaf, std::uint32_t lanes, float limit) {
        auto& cast = static_cast<FirstImpact&>(self);
        MeshShapeImpact& first = cast.first;
        for (; lanes != 0; lanes &= lanes - 1) {
            const auto lane = static_cast<std::uint32_t>(__builtin_ctz(lanes));
            const std::uint32_t index = leaf.triangles[lane];
            const ShapeImpact impact =
                narrowphase::impact_scalar(cast.capsule, cast.displacement, leaf.triangle(lane));
            if (impact.toi > 1.0f || impact.toi > first.toi) continue;
            if (impact.toi == first.toi && index > first.triangle_index) continue;
            first = {impact.toi, index, impact.point, impact.normal};
        }
        return min_keep(first.toi, limit);
    }
};

bool is_legal(const Sphere& sphere) { return is_valid(sphere); }
bool is_legal(const Capsule& capsule) { return is_valid(capsule); }
Capsule capsule_of(const Sphere& sphere) { return {sphere.center, sphere.center, sphere.radius}; }
const Capsule& capsule_of(const Capsule& capsule) { return capsule; }

template <class Shape>
MeshShapeImpact impact_of(const MeshKernels& kernels, const MeshView& mesh, const Shape& shape,
                          Vec3 displacement) {
    if (mesh.is_empty() || !is_legal(shape) || !is_finite(displacement)) return {};
    const Capsule& capsule = capsule_of(shape);
    FirstImpact first(capsule, displacement);
    kernels.cast(mesh, narrowphase::cast_query(capsule, displacement, mesh), first);
    return first.first;
}

template <class Shape>
BatchResult impacts_of(const MeshView& mesh, std::span<const Shape> shapes,
                       std::span<const Vec3> displacements, const MeshQuerySettings& settings,
                       std::span<MeshShapeImpact> out_impacts) {
    return BatchCall()
        .readable(shapes, displacements)
        .legal(displacements.size() == shapes.size(), "displacements: not one for each shape")
        .runner(settings.runner)
        .holds(out_impacts, shapes.size())
        .template run<MeshKernels>([&](const auto& kernels) {
            run_chunks(settings.runner, shapes.size(), kCastRun, [&](std::size_t begin, std::size_t end) {
                BROADSIDE_ZONE("mesh/query task");
                for (std::size_t i = begin; i < end; ++i)
                    out_impacts[i] = impact_of(kernels, mesh, shapes[i], displacements[i]);
            });
        });
}

template <class Shape>
MeshShapeImpact single_impact_of(const MeshView& mesh, const Shape& shape, Vec3 displacement) {
    const auto* kernels = simd::active_kernels<MeshKernels>();
    return kernels == nullptr ? MeshShapeImpact{} : impact_of(*kernels, mesh, shape, displacement);
}

}  // namespace

BatchResult TriangleMesh::closest_hits(std::span<const Sphere> spheres, std::span<const Vec3> displacements,
                                       const MeshQuerySettings& settings,
                                       std::span<MeshShapeImpact> out_impacts) const noexcept {
    const FloatEnvironment environment;
    return impacts_of(view(), spheres, displacements, settings, out_impacts);
}
BatchResult TriangleMesh::closest_hits(std::span<const Capsule> capsules, std::span<const Vec3> displacements,
                                       const MeshQuerySettings& settings,
                                       std::span<MeshShapeImpact> out_impacts) const noexcept {
    const FloatEnvironment environment;
    return impacts_of(view(), capsules, displacements, settings, out_impacts);
}

MeshShapeImpact TriangleMesh::closest_hit(const Sphere& sphere, Vec3 displacement) const noexcept {
    const FloatEnvironment environment(displacement);
    return FloatEnvironment::result(single_impact_of(view(), sphere, displacement));
}
MeshShapeImpact TriangleMesh::closest_hit(const Capsule& capsule, Vec3 displacement) const noexcept {
    const FloatEnvironment environment(displacement);
    return FloatEnvironment::result(single_impact_of(view(), capsule, displacement));
}

}  // namespace broadside
