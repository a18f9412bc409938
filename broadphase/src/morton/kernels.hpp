// The kernel of the Morton algorithm as a function pointer.
#pragma once

#include "broadphase/src/sweep/scan_scalar.hpp"

namespace broadside::broadphase {

struct LeafKernels {
    /// Does the rows of `state` until all are done or there is no room for two leaves.
    void (*join_rows)(const RowScan& scan, RowState& state);

    static const LeafKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

}  // namespace broadside::broadphase
