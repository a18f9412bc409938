// A moving sphere as a question of hits.
#pragma once

#include "broadphase/src/tree/hit_search.hpp"
#include "core/src/geometry/sphere_box.hpp"

namespace broadside::broadphase {

// The box around the sphere, rounded outwards, as a slab query.
inline SphereQuery sphere_query(const SphereCast& cast) {
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
        queries.kernels.visit_spheres(queries.trees, queries.tree_count, query, state_visitor);
    }
    void all(const TreeKernels& kernels, const TreeView& tree, HitBlock<std::uint64_t>& state_block) const {
        kernels.all_spheres(tree, query, state_block);
    }
    Met met_at(const TreeView& tree, std::uint32_t slot, float) const {
        const SphereBoxImpact impact =
            sphere_box_impact(cast.sphere, cast.displacement, slot_box(tree, slot));
        return {impact.toi, impact.face, impact.has_hit && impact.toi <= t_max()};
    }
};

}  // namespace broadside::broadphase
