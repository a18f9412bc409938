// The range check that batches over pairs make before they touch an output.
#pragma once

#include "core/src/pair_check.hpp"
#include "narrowphase/src/batch/kernels.hpp"
#include "simd/src/dispatch.hpp"

namespace broadside::narrowphase {

/// The first pair with an index past the end, or kNoIndex. Fast if there is none.
inline std::size_t find_bad_pair(std::span<const IndexPair> pairs, std::size_t first_count,
                                 std::size_t second_count) noexcept {
    constexpr std::size_t kMaxCount = std::size_t{1} << 31;
    const PairRangeKernels* kernels = simd::active_kernels<PairRangeKernels>();
    const bool are_good =
        kernels != nullptr && first_count <= kMaxCount && second_count <= kMaxCount &&
        kernels->are_in_range(pairs.data(), pairs.size(), static_cast<std::uint32_t>(first_count),
                              static_cast<std::uint32_t>(second_count));
    return are_good ? kNoIndex : find_pair_out_of_range(pairs, first_count, second_count);
}

}  // namespace broadside::narrowphase
