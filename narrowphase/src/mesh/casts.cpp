// Oriented boxes, spheres and capsules that move against a mesh: their first contact.
#include "narrowphase/src/mesh/casts.hpp"

#include <broadside/float_environment.hpp>
#include <broadside/mesh.hpp>

#include "core/src/zones.hpp"
#include "narrowphase/src/batch/call.hpp"
#include "narrowphase/src/mesh/cast_query.hpp"
#include "narrowphase/src/mesh/shape_triangle_scalar.hpp"
#include "narrowphase/src/mesh/sinks.hpp"
#include "narrowphase/src/obb/kernels.hpp"

#include <broadside/run_tasks.hpp>

namespace broadside {
namespace narrowphase {
namespace {

constexpr std::size_t kCastRun = 64;

// Visits the impacts of a cast, and then knows the time up to which others matter.
template <class Visit>
struct ImpactVisitor : CastVisitor {
    const CapsuleCast& cast;
    Visit& visit_impact;

    ImpactVisitor(const CapsuleCast& cast_in, Visit& visit_in)
        : CastVisitor{&look}, cast(cast_in), visit_impact(visit_in) {}

private:
    static float look(CastVisitor& self, const MeshLeaf& leaf, std::uint32_t lanes, float limit) {
        auto& own = static_cast<ImpactVisitor&>(self);
        for (; lanes != 0; lanes &= lanes - 1) {
            const auto lane = static_cast<std::uint32_t>(__builtin_ctz(lanes));
            const ShapeImpact impact =
                impact_scalar(own.cast.shape, own.cast.displacement, leaf.triangle(lane));
            if (impact.toi > limit) continue;
            limit = own.visit_impact(
                {impact.toi, leaf.triangles[lane], impact.point, impact.normal, ContactAxis::none});
        }
        return limit;
    }
};

// Calls `visit(impact)` for triangles that a valid cast meets. It returns the time up to which others matter,
// less than 0 to end the walk.
template <class Visit>
void for_each_impact(const MeshKernels& kernels, const MeshView& mesh, const CapsuleCast& cast,
                     Visit&& visit) {
    ImpactVisitor visitor(cast, visit);
    kernels.cast(mesh, cast_query(cast, mesh), visitor);
}
template <class Visit>
void for_each_impact(const MeshKernels& kernels, const MeshView& mesh, const SphereCast& cast,
                     Visit&& visit) {
    const Vec3 center = cast.shape.center;
    for_each_impact(kernels, mesh,
                    CapsuleCast{{center, center, cast.shape.radius}, cast.displacement, cast.t_max}, visit);
}
template <class Visit>
void for_each_impact(const MeshKernels& kernels, const MeshView& mesh, const ObbCast& cast, Visit&& visit) {
    const auto& obb_kernels = *simd::active_kernels<ObbTriangleKernels>();
    float limit = nodes::step_reach(cast.t_max);
    for_each_leaf(kernels, mesh, cast.shape, cast.displacement,
                  [&](const MeshLeaf& leaf, std::uint32_t count, std::uint32_t) {
                      float toi[kNodeWidth];
                      ContactAxis axis[kNodeWidth];
                      obb_kernels.impacts(cast.shape, -cast.displacement, leaf.view(count), {toi, axis});
                      for (std::uint32_t lane = 0; lane < count; ++lane) {
                          if (axis[lane] == ContactAxis::none || toi[lane] > limit) continue;
                          limit = visit({toi[lane], leaf.triangles[lane], {}, {}, axis[lane]});
                      }
                      return limit >= 0.0f;
                  });
}

template <class Shape>
bool any_impact(const MeshKernels& kernels, const MeshView& mesh, const Cast<Shape>& cast) {
    bool is_met = false;
    if (mesh.is_empty() || !is_valid(cast)) return is_met;
    for_each_impact(kernels, mesh, cast, [&](const MeshImpact&) {
        is_met = true;
        return -1.0f;
    });
    return is_met;
}

template <class Shape>
MeshImpact first_of(const MeshKernels& kernels, const TriangleMesh& mesh, const Cast<Shape>& cast) {
    MeshImpact first;
    const MeshView view = mesh.view();
    if (view.is_empty() || !is_valid(cast)) return first;
    for_each_impact(kernels, view, cast, [&](const MeshImpact& impact) {
        if (impact.t < first.t || (impact.t == first.t && impact.target < first.target)) first = impact;
        return first.t;
    });
    if constexpr (std::is_same_v<Shape, Obb>) {
        if (first.axis < ContactAxis::initial)
            first.normal = contact_normal(cast.shape, mesh.triangle(first.target), first.axis);
    }
    return first;
}

}  // namespace

bool has_impact(const MeshKernels& kernels, const MeshView& mesh, const ObbCast& cast) {
    return any_impact(kernels, mesh, cast);
}
bool has_impact(const MeshKernels& kernels, const MeshView& mesh, const SphereCast& cast) {
    return any_impact(kernels, mesh, cast);
}
bool has_impact(const MeshKernels& kernels, const MeshView& mesh, const CapsuleCast& cast) {
    return any_impact(kernels, mesh, cast);
}

}  // namespace narrowphase

BatchResult TriangleMesh::closest_hits(const MeshCasts& casts, const MeshQuerySettings& settings,
                                       std::span<MeshImpact> out_closest) const noexcept {
    const FloatEnvironment environment;
    BatchResult result;
    casts.visit([&](auto list) {
        result = narrowphase::BatchCall()
                     .readable(list)
                     .runner(settings.runner)
                     .holds(out_closest, list.size())
                     .template run<narrowphase::MeshKernels>([&](const auto& kernels) {
                         run_chunks(settings.runner, list.size(), narrowphase::kCastRun,
                                    [&](std::size_t begin, std::size_t end) {
                                        BROADSIDE_ZONE("mesh/query task");
                                        for (std::size_t i = begin; i < end; ++i)
                                            out_closest[i] = narrowphase::first_of(kernels, *this, list[i]);
                                    });
                     });
    });
    return result;
}

MeshImpact TriangleMesh::closest_hit(const MeshCast& cast) const noexcept {
    const FloatEnvironment environment;
    MeshImpact first;
    const auto* kernels = simd::active_kernels<narrowphase::MeshKernels>();
    if (kernels == nullptr) return first;
    cast.visit([&](auto one) { first = narrowphase::first_of(*kernels, *this, one[0]); });
    return FloatEnvironment::result(first);
}

}  // namespace broadside
