// The kernels of the sweep and of plain tests as function pointers.
#pragma once

#include "broadphase/src/sweep/row_scan_scalar.hpp"

namespace broadside::broadphase {

/// Both process the rows of `state` until all are done or the room for pairs is used up.
struct ScanKernels {
    void (*sweep_rows)(const RowScan& scan, RowState& state);
    void (*test_rows)(const RowScan& scan, RowState& state);

    static const ScanKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

}  // namespace broadside::broadphase
