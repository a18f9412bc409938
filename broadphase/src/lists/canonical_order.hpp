// Pairs by first, then second: sorting them, and writing a list so that is found in another order.
#pragma once

#include "broadphase/src/lists/pair_writer.hpp"
#include "core/src/zones.hpp"

namespace broadside::broadphase {

/// Sorts `state_pairs`, whose `first` is below `first_count` and whose `second` is below `second_count`.
/// O(pairs + counts) for any input, rows of any length included. `scratch` gets up to 16 bytes a pair and 16
/// bytes for each box. False, and nothing changed, when out of memory.
[[nodiscard]] bool sort_pairs(std::span<IndexPair> state_pairs, std::size_t first_count,
                              std::size_t second_count, AlignedArray<std::byte>& scratch) noexcept;

/// What `find(writer)` writes, sorted and then to `state_writer`, whose filter `find` finds in its own.
/// `scratch_list` holds the list meanwhile. out_of_memory, or what `find` answers.
template <class Find>
Status write_sorted(std::size_t first_count, std::size_t second_count, PairBuffer& scratch_list,
                    AlignedArray<std::byte>& scratch_order, PairWriter& state_writer, Find&& find) noexcept {
    PairWriter collector(scratch_list, state_writer.filter());
    const Status status = find(collector);
    if (status != Status::ok) return status;
    if (!sort_pairs({scratch_list.data(), scratch_list.size()}, first_count, second_count, scratch_order)) {
        return Status::out_of_memory;
    }
    BROADSIDE_ZONE("find_pairs/write list");
    return state_writer.write_filtered(scratch_list);
}

}  // namespace broadside::broadphase
