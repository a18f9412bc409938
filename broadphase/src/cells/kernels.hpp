// The kernels of the cells algorithm as function pointers.
#pragma once

#include "broadphase/src/cells/query_scalar.hpp"
#include "broadphase/src/cells/scatter_scalar.hpp"

namespace broadside::broadphase {

struct CellsKernels {
    void (*scatter)(const ScatterInput& input, std::size_t begin, std::size_t end, ScatterOutput& state);
    void (*sort_cell)(const CellSource& source, std::uint32_t cell, SortedCell& state_cell);
    bool (*scan_cell)(const SortedCell& cell, const PairRule& rule, PairBlock& out_pairs);
    bool (*query_cell)(const RestingCell& cell, const CellSource& movers, std::uint32_t cell_index,
                       const PairRule& rule, PairBlock& out_pairs);

    static const CellsKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

}  // namespace broadside::broadphase
