// The kernels of the cells algorithm as plain function pointers.
#pragma once

#include "broadphase/src/cells/query_kernel.hpp"
#include "broadphase/src/cells/scan_kernel.hpp"
#include "broadphase/src/cells/scatter_kernel.hpp"
#include "broadphase/src/cells/sort_kernel.hpp"

namespace broadside::broadphase {

struct CellsKernels {
    void (*scatter)(const ScatterInput& input, std::size_t begin, std::size_t end, ScatterOutput& state);
    void (*sort_cell)(const CellSource& source, std::uint32_t cell, SortedCell& state_cell);
    bool (*scan_cell)(const SortedCell& cell, const PairRule& rule, PairBlock& out_pairs);
    bool (*query_cell)(const RestingCell& cell, const CellSource& comers, std::uint32_t cell_index,
                       const PairRule& rule, PairBlock& out_pairs);
};

template <class Arch>
constexpr CellsKernels make_cells_kernels() {
    return {&scatter_kernel<Arch>, &sort_cell_kernel<Arch>, &scan_cell_kernel<Arch>,
            &query_cell_kernel<Arch>};
}

}  // namespace broadside::broadphase
