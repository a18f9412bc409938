// The kernels that a search for pairs chooses from, of the active ISA. The tree has its own.
#pragma once

#include "broadphase/src/candidates/kernels.hpp"
#include "broadphase/src/cells/kernels.hpp"
#include "broadphase/src/morton/kernels.hpp"
#include "broadphase/src/sweep/kernels.hpp"
#include "simd/src/dispatch.hpp"

namespace broadside::broadphase {

struct Kernels {
    const ScanKernels& scan;
    const CellsKernels& cells;
    const LeafKernels& leaves;
    const PairCacheKernels& pair_cache;
};

/// Nothing when no ISA is active.
inline std::optional<Kernels> active_kernels() noexcept {
    const std::optional<Isa> isa = active_isa();
    if (!isa) return std::nullopt;
    return Kernels{*simd::kernels_of<ScanKernels>(*isa), *simd::kernels_of<CellsKernels>(*isa),
                   *simd::kernels_of<LeafKernels>(*isa), *simd::kernels_of<PairCacheKernels>(*isa)};
}

}  // namespace broadside::broadphase
