// The parts of a FindPairsScratch, for the sources that work with them.
#pragma once

#include <broadside/find_pairs_scratch.hpp>

namespace broadside::broadphase {

struct ScratchAccess {
    static AlignedArray<std::byte>& boxes(FindPairsScratch& scratch) { return scratch.boxes_; }
    static AlignedArray<std::byte>& copies(FindPairsScratch& scratch) { return scratch.copies_; }
    static AlignedArray<std::byte>& blocks(FindPairsScratch& scratch) { return scratch.blocks_; }
    static AlignedArray<std::byte>& order(FindPairsScratch& scratch) { return scratch.order_; }
    static AlignedArray<std::byte>& reached(FindPairsScratch& scratch) { return scratch.reached_; }
    /// To collect a list in, which ends the life of the one that was kept.
    static PairBuffer& collected(FindPairsScratch& scratch) {
        scratch.kept_ = {};
        return scratch.collected_;
    }

    /// Keeps what was collected for later pieces, and returns its name: by where it lies and how many were
    /// before it, so that a list in another scratch has another one.
    static std::uint64_t keep_collected(FindPairsScratch& scratch) {
        const auto place = reinterpret_cast<std::uintptr_t>(scratch.collected_.data());
        scratch.kept_.list =
            (static_cast<std::uint64_t>(place) << 16 ^ ++scratch.kept_list_count_) | 1u << 31;
        return scratch.kept_.list;
    }
    /// The list of that name, or null.
    static const PairBuffer* kept(const FindPairsScratch& scratch, std::uint64_t name) {
        return name != 0 && name == scratch.kept_.list ? &scratch.collected_ : nullptr;
    }
    static AlignedArray<std::byte>& movers(FindPairsScratch& scratch) { return scratch.movers_; }
    static AlignedArray<std::byte>& inner(FindPairsScratch& scratch) { return scratch.inner_; }
    static AlignedArray<std::byte>& deferred(FindPairsScratch& scratch) { return scratch.deferred_; }
    static AlignedArray<std::byte>& large(FindPairsScratch& scratch) { return scratch.large_; }
    static AlignedArray<std::byte>& large_home(FindPairsScratch& scratch) { return scratch.large_home_; }
    static AlignedArray<std::byte>& large_copies(FindPairsScratch& scratch) { return scratch.large_copies_; }
    static PairBuffer& among_movers(FindPairsScratch& scratch) { return scratch.among_movers_; }
};

}  // namespace broadside::broadphase
