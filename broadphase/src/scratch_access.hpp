// The parts of a FindPairsScratch, for the sources that work with them.
#pragma once

#include <broadside/find_pairs_scratch.hpp>

namespace broadside::broadphase {

struct ScratchAccess {
    static AlignedArray<std::byte>& boxes(FindPairsScratch& scratch) { return scratch.boxes_; }
    static AlignedArray<std::byte>& copies(FindPairsScratch& scratch) { return scratch.copies_; }
    static AlignedArray<std::byte>& blocks(FindPairsScratch& scratch) { return scratch.blocks_; }
    static PairBuffer& collected(FindPairsScratch& scratch) { return scratch.collected_; }
    static AlignedArray<std::byte>& order(FindPairsScratch& scratch) { return scratch.order_; }
    static AlignedArray<std::byte>& movers(FindPairsScratch& scratch) { return scratch.movers_; }
    static AlignedArray<std::byte>& inner(FindPairsScratch& scratch) { return scratch.inner_; }
    static AlignedArray<std::byte>& deferred(FindPairsScratch& scratch) { return scratch.deferred_; }
    static AlignedArray<std::byte>& large(FindPairsScratch& scratch) { return scratch.large_; }
    static AlignedArray<std::byte>& large_home(FindPairsScratch& scratch) { return scratch.large_home_; }
    static AlignedArray<std::byte>& large_copies(FindPairsScratch& scratch) { return scratch.large_copies_; }
    static PairBuffer& among_movers(FindPairsScratch& scratch) { return scratch.among_movers_; }
};

}  // namespace broadside::broadphase
