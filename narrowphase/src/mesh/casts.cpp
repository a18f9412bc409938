// Oriented boxes, spheres and capsules that move against a mesh: their first contact.
#include <broadside/float_environment.hpp>
#include <broadside/mesh.hpp>

#include "narrowphase/src/mesh/batch.hpp"
#include "narrowphase/src/mesh/cast_query.hpp"
#include "narrowphase/src/mesh/shape_triangle_scalar.hpp"
#include "narrowphase/src/mesh/sinks.hpp"
#include "narrowphase/src/obb/kernels.hpp"

#include <algorithm>

namespace broadside {
namespace narrowphase {
namespace {

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

// Calls `visit(impact)` for triangles that a cast meets. It returns the time up to which others matter,
// less than 0 to end the walk.
template <class Visit>
void for_each_impact(const MeshKernels& kernels, const MeshView& mesh, const CapsuleCast& cast,
                     Visit&& visit) {
    if (mesh.is_empty() || !is_valid(cast)) return;
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
    if (!is_valid(cast)) return;
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
void set_normal(const TriangleMesh& mesh, const Cast<Shape>& cast, MeshImpact& state_impact) {
    if constexpr (std::is_same_v<Shape, Obb>) {
        if (state_impact.axis < ContactAxis::initial)
            state_impact.normal =
                contact_normal(cast.shape, mesh.triangle(state_impact.target), state_impact.axis);
    }
}

// Calls `visit(impact)` for the triangles that a cast meets; it returns as a visitor of hits does.
template <class Shape, class Visit>
void visit_impacts(const MeshKernels& kernels, const TriangleMesh& mesh, const Cast<Shape>& cast,
                   const Visit& visit) {
    float limit = nodes::step_reach(cast.t_max);
    for_each_impact(kernels, mesh.view(), cast, [&](MeshImpact impact) {
        set_normal(mesh, cast, impact);
        limit = narrowed(limit, visit(impact));
        return limit;
    });
}

template <class Shape>
MeshImpact first_of(const MeshKernels& kernels, const TriangleMesh& mesh, const Cast<Shape>& cast) {
    MeshImpact first;
    for_each_impact(kernels, mesh.view(), cast, [&](const MeshImpact& impact) {
        if (impact.t < first.t || (impact.t == first.t && impact.target < first.target)) first = impact;
        return first.t;
    });
    set_normal(mesh, cast, first);
    return first;
}

}  // namespace

template <class Shape>
bool has_impact(const MeshKernels& kernels, const MeshView& mesh, const Cast<Shape>& cast) {
    bool is_met = false;
    for_each_impact(kernels, mesh, cast, [&](const MeshImpact&) {
        is_met = true;
        return -1.0f;
    });
    return is_met;
}
template bool has_impact(const MeshKernels&, const MeshView&, const ObbCast&);
template bool has_impact(const MeshKernels&, const MeshView&, const SphereCast&);
template bool has_impact(const MeshKernels&, const MeshView&, const CapsuleCast&);

}  // namespace narrowphase

BatchResult TriangleMesh::closest_hits(const MeshCasts& casts, const TaskRunner* runner,
                                       std::span<MeshImpact> out_closest) const noexcept {
    const FloatEnvironment environment;
    BatchResult result;
    casts.visit([&](auto list) {
        result = narrowphase::ask_all(*this, list, runner, out_closest,
                                      [](const auto&... of) { return narrowphase::first_of(of...); });
    });
    return result;
}

WriteResult TriangleMesh::find_hits(const MeshCasts& casts, const TaskRunner* runner, MeshScratch& scratch,
                                    std::span<Listed<MeshImpact>> out_hits) const noexcept {
    const FloatEnvironment environment;
    WriteResult result;
    casts.visit([&]<class Shape>(std::span<const Cast<Shape>> list) {
        result = list_found(
            narrowphase::BatchCall().readable(list).runner(runner), list, scratch.impacts, out_hits,
            [&](const narrowphase::MeshKernels& kernels, const Cast<Shape>& cast) {
                bool has_memory = true;
                narrowphase::visit_impacts(kernels, *this, cast, [&](const MeshImpact& impact) {
                    has_memory = scratch.impacts.push_back(impact);
                    return has_memory ? kVisitAll : kVisitNoMore;
                });
                std::sort(scratch.impacts.begin(), scratch.impacts.end(),
                          [](const MeshImpact& a, const MeshImpact& b) {
                              return a.t != b.t ? a.t < b.t : a.target < b.target;
                          });
                return has_memory;
            },
            [](std::uint32_t i, const MeshImpact& impact) {
                return Listed<MeshImpact>{i, impact};
            });
    });
    return result;
}

Status TriangleMesh::visit_hits(const MeshCast& cast, MeshImpactVisitor visit) const noexcept {
    const FloatEnvironment environment;
    BatchResult result;
    cast.visit([&](auto one) {
        result = narrowphase::BatchCall().run<narrowphase::MeshKernels>(
            [&](const auto& kernels) { narrowphase::visit_impacts(kernels, *this, one[0], visit); });
    });
    return result.status;
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
