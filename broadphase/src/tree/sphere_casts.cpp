// Boxes that moving spheres meet: the first, all, and whether there is one.
#include <broadside/float_environment.hpp>

#include "broadphase/src/tree/hit_search.hpp"
#include "core/src/geometry/sphere_box.hpp"
#include "core/src/zones.hpp"

namespace broadside {
namespace broadphase {
namespace {

// The box around the sphere, rounded outwards, as a slab query.
SphereQuery sphere_query(const SphereCast& cast) {
    const float center[3] = {cast.sphere.center.x, cast.sphere.center.y, cast.sphere.center.z};
    float min[3];
    float max[3];
    for (int i = 0; i < 3; ++i) {
        const auto middle = static_cast<double>(center[i]);
        const auto radius = static_cast<double>(cast.sphere.radius);
        const double slack = magnitude(middle) + radius;
        min[i] = padded_min(middle - radius, slack);
        max[i] = padded_max(middle + radius, slack);
    }
    const Aabb box = {{min[0], min[1], min[2]}, {max[0], max[1], max[2]}};
    SphereQuery query = {slab_query(box, cast.displacement, cast.t_max)};
    if (!is_valid(cast.sphere)) query.slabs.t_max = -1.0f;
    return query;
}

struct SphereHits {
    SphereCast cast;
    SphereQuery query;

    explicit SphereHits(const SphereCast& cast_in) : cast(cast_in), query(sphere_query(cast_in)) {}
    float t_max() const { return query.slabs.t_max; }
    void visit(const TreeQueries& queries, KeyedVisitor& state_visitor) const {
        queries.kernels.visit_spheres(queries.tree, query, state_visitor);
    }
    void all(const TreeQueries& queries, HitBlock<std::uint64_t>& state_block) const {
        queries.kernels.all_spheres(queries.tree, query, state_block);
    }
    Met met_at(const TreeView& tree, std::uint32_t slot, float) const {
        const SphereBoxImpact impact =
            sphere_box_impact(cast.sphere, cast.displacement, slot_box(tree, slot));
        return {impact.toi, impact.face, impact.has_hit && impact.toi <= t_max()};
    }
};

constexpr std::size_t kRun = 64;

}  // namespace
}  // namespace broadphase

using namespace broadphase;

BatchResult BoxTree::closest_impacts(std::span<const SphereCast> casts, const TreeQuerySettings& settings,
                                     std::span<ClosestHit> out_closest) const noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("BoxTree::closest_impacts");
    if (const Status status = check_query(*this, casts.size(), settings); status != Status::ok)
        return {status};
    if (out_closest.size() < casts.size()) return {Status::capacity_exceeded};
    const TreeQueries queries = {view(), *simd::active_kernels<TreeKernels>(), settings.filter};
    run_chunks(settings.runner, casts.size(), kRun, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("box tree/query task");
        visit_first<SphereHits>(
            queries, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin),
            [&](std::uint32_t i) { return SphereHits(casts[i]); }, out_closest.data() + begin);
    });
    return {};
}
ClosestHit BoxTree::closest_impact(const SphereCast& cast, const TreeQuerySettings& settings) const noexcept {
    const FloatEnvironment environment;
    return find_closest_alone(*this, SphereHits(cast), settings);
}
Status BoxTree::visit_impacts(const SphereCast& cast, const TreeQuerySettings& settings,
                              HitVisitor visit) const noexcept {
    const FloatEnvironment environment;
    return visit_all(*this, SphereHits(cast), settings, visit);
}
WriteResult BoxTree::find_impacts(std::span<const SphereCast> casts, const TreeQuerySettings& settings,
                                  TreeScratch& scratch, const TreeHitOutput& out_hits) const noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("BoxTree::find_impacts");
    const auto make = [&](std::uint32_t i) { return SphereHits(casts[i]); };
    return find_all<SphereHits>(*this, casts.size(), settings, make, scratch, out_hits);
}
BatchResult BoxTree::any_impact(std::span<const SphereCast> casts, const TreeQuerySettings& settings,
                                std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("BoxTree::any_impact");
    const auto make = [&](std::uint32_t i) { return SphereHits(casts[i]); };
    return find_any<SphereHits>(*this, casts.size(), settings, make, out_bits);
}

Vec3 contact_normal(const SphereCast& cast, const Aabb& box, float t) noexcept {
    const FloatEnvironment environment(t);
    if (!is_valid(box) || !is_valid(cast.sphere) || !is_finite(cast.displacement) || !is_finite(t)) return {};
    const auto gap = [&](float min, float max, float center, float displacement) {
        const double place = static_cast<double>(center) +
                             static_cast<double>(flush_denormal(displacement)) * static_cast<double>(t);
        const double above_min = max_keep(static_cast<double>(min), place);
        return place - min_keep(static_cast<double>(max), above_min);
    };
    const double x = gap(box.min.x, box.max.x, cast.sphere.center.x, cast.displacement.x);
    const double y = gap(box.min.y, box.max.y, cast.sphere.center.y, cast.displacement.y);
    const double z = gap(box.min.z, box.max.z, cast.sphere.center.z, cast.displacement.z);
    const double length = __builtin_sqrt((x * x + y * y) + z * z);
    if (!(length > 0.0)) return {};
    return {static_cast<float>(x / length) + 0.0f, static_cast<float>(y / length) + 0.0f,
            static_cast<float>(z / length) + 0.0f};
}

}  // namespace broadside
