// The kernel of the canonical order as a function pointer.
#pragma once

#include "broadphase/src/lists/rank_pairs_scalar.hpp"

namespace broadside::broadphase {

struct OrderKernels {
    /// The pairs of the keys from `begin` to `end`, which are whole rows, to their positions in `out_pairs`.
    void (*rank_pairs)(const KeyRows& rows, std::uint32_t begin, std::uint32_t end, IndexPair* out_pairs);

    static const OrderKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

}  // namespace broadside::broadphase
