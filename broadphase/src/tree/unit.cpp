// The kernels of the tree, compiled once for each ISA.
#include "simd/src/unit.hpp"
#include "broadphase/src/lists/rank_sort_kernel.hpp"
#include "broadphase/src/tree/all_kernel.hpp"
#include "broadphase/src/tree/box_packet_kernel.hpp"
#include "broadphase/src/tree/close_pairs_kernel.hpp"
#include "broadphase/src/tree/first_kernel.hpp"
#include "broadphase/src/tree/kernels.hpp"
#include "broadphase/src/tree/obb_kernel.hpp"
#include "broadphase/src/tree/packet_kernel.hpp"
#include "broadphase/src/tree/pairs_kernel.hpp"
#include "broadphase/src/tree/prepare_kernel.hpp"
#include "broadphase/src/tree/visit_kernel.hpp"

namespace broadside::broadphase {

using simd::UnitArch;

constinit const TreeKernels TreeKernels::BROADSIDE_UNIT_ISA = {
    .all_boxes = &all_kernel<UnitArch, BoxShape, BoxQuery>,
    .all_planes = &all_kernel<UnitArch, PlanesShape, PlanesQuery>,
    .all_obbs = &all_obbs_kernel<UnitArch>,
    .all_slabs = &all_slabs_kernel<UnitArch>,
    .all_spheres = &all_spheres_kernel<UnitArch>,
    .all_within = &all_within_kernel<UnitArch>,
    .any_box = &any_box_kernel<UnitArch>,
    .any_slab = &any_slab_kernel<UnitArch>,
    .prepare_rays = &prepare_rays_kernel<UnitArch>,
    .any_slabs = &any_slabs_kernel<UnitArch>,
    .first_slab = &first_slab_kernel<UnitArch>,
    .first_slabs = &first_slabs_kernel<UnitArch>,
    .first_slabs_packet = &first_slabs_packet_kernel<UnitArch>,
    .take_packet = &take_packet_kernel<UnitArch>,
    .sort_packet = &sort_packet_kernel<UnitArch>,
    .test_packet = &test_packet_kernel<UnitArch>,
    .visit_slabs = &visit_kernel<UnitArch, SlabShape, SlabQuery>,
    .visit_spheres = &visit_kernel<UnitArch, SphereShape, SphereQuery>,
    .visit_close = &visit_kernel<UnitArch, DistanceShape, DistanceQuery>,
    .leaf_pairs = &leaf_pairs_kernel<UnitArch>,
    .close_pairs = &close_pairs_kernel<UnitArch>,
    .sort_by_rank = &sort_by_rank_kernel<UnitArch>,
    .close_nodes = &close_nodes_kernel<UnitArch>,
    .close_leaves = &close_leaves_kernel<UnitArch>,
    .refit_up = &refit_up_kernel<UnitArch>,
    .choose_child = &choose_child_kernel<UnitArch>,
};

}  // namespace broadside::broadphase
