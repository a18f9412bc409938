// The kernels of boxes and of the upkeep of a tree, compiled once for each ISA.
#include "simd/src/unit.hpp"
#include "broadphase/src/lists/rank_sort_kernel.hpp"
#include "broadphase/src/tree/kernels.hpp"
#include "broadphase/src/tree/kernels/all_kernel.hpp"
#include "broadphase/src/tree/kernels/box_packet_kernel.hpp"
#include "broadphase/src/tree/kernels/build_kernel.hpp"
#include "broadphase/src/tree/kernels/pairs_kernel.hpp"

namespace broadside::broadphase {

using simd::UnitArch;

constinit const TreeKernels TreeKernels::BROADSIDE_UNIT_ISA = {
    .all_boxes = &all_kernel<UnitArch, BoxShape, BoxQuery>,
    .any_box = &any_box_kernel<UnitArch>,
    .take_packet = &take_packet_kernel<UnitArch>,
    .sort_packet = &sort_packet_kernel<UnitArch>,
    .test_packet = &test_packet_kernel<UnitArch>,
    .leaf_pairs = &leaf_pairs_kernel<UnitArch>,
    .sort_by_rank = &sort_by_rank_kernel<UnitArch>,
    .close_nodes = &close_nodes_kernel<UnitArch>,
    .close_leaves = &close_leaves_kernel<UnitArch>,
    .refit_up = &refit_up_kernel<UnitArch>,
    .choose_child = &choose_child_kernel<UnitArch>,
};

}  // namespace broadside::broadphase
