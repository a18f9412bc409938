// The walk down two trees of oriented boxes.
#pragma once

#include "narrowphase/src/mesh_pairs/kernels.hpp"

#include <broadside/obb_tree.hpp>

namespace broadside::narrowphase {

/// As MeshPairKernels::walk; neither tree is empty.
void walk_obb_trees(const MeshPairKernels& kernels, const PlacedPair& pair, const ObbTree& a,
                    const ObbTree& b, TrianglePairSink& state_sink) noexcept;

}  // namespace broadside::narrowphase
