// The range check of pairs as a function pointer.
#pragma once

#include <broadside/pair_buffer.hpp>

namespace broadside::narrowphase {

struct PairRangeKernels {
    /// Every `first` is below first_count, every `second` below second_count; both counts are at most 2^31.
    bool (*are_in_range)(const IndexPair* pairs, std::size_t pair_count, std::uint32_t first_count,
                         std::uint32_t second_count);

    static const PairRangeKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

}  // namespace broadside::narrowphase
