// The kernel of the canonical order as a function pointer.
#pragma once

#include "broadphase/src/lists/sort_rows_scalar.hpp"

namespace broadside::broadphase {

struct OrderKernels {
    /// See sort_rows_scalar.
    IndexPair* (*sort_rows)(const RowSlots& rows, std::uint32_t begin, std::uint32_t end,
                            IndexPair* out_pairs, IndexPair* out_end);

    static const OrderKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

}  // namespace broadside::broadphase
