// All broadphase kernels of one ISA as plain function pointers, and the set of tables.
#pragma once

#include "broadphase/src/candidates/pair_cache_kernel.hpp"
#include "broadphase/src/cells/kernels.hpp"
#include "broadphase/src/morton/leaf_join_kernel.hpp"
#include "broadphase/src/sweep/scan_kernel.hpp"
#include "broadphase/src/tree/kernels.hpp"
#include "simd/src/dispatch.hpp"

namespace broadside::broadphase {

struct Kernels {
    ScanKernels scan;
    CellsKernels cells;
    TreeKernels tree;
    LeafKernels leaves;
    PairCacheKernels pair_cache;
};

template <class Arch>
constexpr Kernels make_kernels() {
    return {make_scan_kernels<Arch>(), make_cells_kernels<Arch>(), make_tree_kernels<Arch>(),
            make_leaf_kernels<Arch>(), make_pair_cache_kernels<Arch>()};
}

// One per unit in isa/.
extern const Kernels kKernelsScalar;
extern const Kernels kKernelsSse2;
extern const Kernels kKernelsAvx2;
extern const Kernels kKernelsAvx512;
extern const Kernels kKernelsNeon64;

/// The kernels of the active ISA, or null when none is active.
const Kernels* active_kernels() noexcept;

}  // namespace broadside::broadphase
