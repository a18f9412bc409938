// find_pairs with a PairCache.
#pragma once

#include "broadphase/src/kernels.hpp"
#include "broadphase/src/lists/pair_writer.hpp"

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

/// One call with the cache of `settings`. Boxes, settings and output are valid, and there is one set.
class PairCacheUpdate {
public:
    PairCacheUpdate(PairCache& cache, const BoxSoaView& boxes, const FindPairsSettings& settings,
                    const Kernels& kernels, FindPairsScratch& scratch) noexcept
        : cache_(cache),
          boxes_(boxes),
          settings_(settings),
          kernels_(kernels.pair_cache),
          scratch_(scratch) {}

    /// Makes the cache fit for this call; false when the call is better made without it. With another status
    /// than ok nothing is kept and the call has failed.
    bool begin(FindPairsResult& state_result, Status& out_status) noexcept;
    /// Then writes the canonical list, filtered by the writer. ok or out_of_memory.
    Status finish(PairWriter& state_writer, FindPairsResult& state_result) noexcept;

private:
    // What stands in the rows of the cache while the call runs.
    struct Call {
        CellRecord* rows;
        std::uint64_t* invalid_bits;
        std::uint64_t* escaped_bits;
        std::size_t word_count;
        std::size_t escaped_count;
        // What is left of each task's share of the kept list.
        IndexPair* kept_pairs;
        std::size_t* kept_counts;
        std::size_t task_count;

        std::size_t bit_count(const std::uint64_t* bits) const noexcept;
        InvalidBoxes invalid_boxes() const noexcept;
    };

    bool is_worth_using() const noexcept;
    bool place() noexcept;
    Status find_anew(FindPairsResult& state_result) noexcept;
    bool look_through(Status& out_status) noexcept;
    void refresh() const noexcept;
    Status find_escaped() noexcept;
    Status write(PairWriter& state_writer) noexcept;
    BoxSoaView grown() const noexcept;

    PairCache& cache_;
    const BoxSoaView& boxes_;
    const FindPairsSettings& settings_;
    const PairCacheKernels& kernels_;
    FindPairsScratch& scratch_;
    Call call_ = {};
};

}  // namespace broadside::broadphase
