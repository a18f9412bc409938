// Queries of moving spheres and capsules for hits.
#pragma once

#include "broadphase/src/tree/hit_search.hpp"
#include "core/src/geometry/capsule_box.hpp"
#include "core/src/geometry/sphere_box.hpp"

namespace broadside::broadphase {

struct SweptHits {
    SphereQuery query;

    float t_max() const { return query.slabs.t_max; }
    void visit(const TreeQueries& queries, KeyedVisitor& state_visitor) const {
        simd::active_kernels<TreeShapeKernels>()->visit_spheres(queries.trees, queries.tree_count, query,
                                                                state_visitor);
    }
    void all(const TreeView& tree, HitBlock<std::uint64_t>& state_block) const {
        simd::active_kernels<TreeShapeKernels>()->all_spheres(tree, query, state_block);
    }
};

struct SphereHits : SweptHits {
    SphereCast cast;

    explicit SphereHits(const SphereCast& cast_in)
        : SweptHits{geometry::swept_query(cast_in.shape, cast_in.displacement, cast_in.t_max)},
          cast(cast_in) {}
    Met met_at(const TreeView& tree, std::uint32_t slot, float) const {
        const SphereBoxImpact impact = sphere_box_impact(cast.shape, cast.displacement, slot_box(tree, slot));
        return {impact.toi, impact.face, impact.has_hit && impact.toi <= t_max()};
    }
};

struct CapsuleHits : SweptHits {
    CapsuleCast cast;

    explicit CapsuleHits(const CapsuleCast& cast_in)
        : SweptHits{geometry::swept_query(cast_in.shape, cast_in.displacement, cast_in.t_max)},
          cast(cast_in) {}
    Met met_at(const TreeView& tree, std::uint32_t slot, float) const {
        const geometry::CapsuleBoxImpact impact =
            geometry::capsule_box_impact(cast.shape, cast.displacement, slot_box(tree, slot));
        return {impact.toi, impact.face, impact.has_hit && impact.toi <= t_max()};
    }
};

}  // namespace broadside::broadphase
