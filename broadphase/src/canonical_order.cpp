// Two counting sorts.
#include "broadphase/src/canonical_order.hpp"

#include "broadphase/src/arena.hpp"

namespace broadside::broadphase {
namespace {

// Turns the count of every row into the place where the row begins.
void counts_to_begins(std::uint64_t* state_rows, std::size_t row_count) {
    std::uint64_t begin = 0;
    for (std::size_t row = 0; row < row_count; ++row) {
        const std::uint64_t count = state_rows[row];
        state_rows[row] = begin;
        begin += count;
    }
}

}  // namespace

bool sort_pairs(std::span<IndexPair> state_pairs, std::size_t first_count, std::size_t second_count,
                AlignedArray<std::byte>& scratch) noexcept {
    if (state_pairs.empty()) return true;
    std::uint64_t* first_rows = nullptr;
    std::uint64_t* second_rows = nullptr;
    std::uint32_t* firsts = nullptr;
    const bool has_memory = place_in(scratch, [&](Arena& arena) {
        first_rows = arena.take<std::uint64_t>(first_count);
        second_rows = arena.take<std::uint64_t>(second_count);
        firsts = arena.take<std::uint32_t>(state_pairs.size());
    });
    if (!has_memory) return false;
    std::memset(first_rows, 0, first_count * sizeof(std::uint64_t));
    std::memset(second_rows, 0, second_count * sizeof(std::uint64_t));
    for (const IndexPair& pair : state_pairs) {
        ++first_rows[pair.first];
        ++second_rows[pair.second];
    }
    counts_to_begins(first_rows, first_count);
    counts_to_begins(second_rows, second_count);
    // By second: only the first column need be kept, the second is the number of the row.
    for (const IndexPair& pair : state_pairs) firsts[second_rows[pair.second]++] = pair.first;
    // Every row's begin has moved to its end.
    std::uint64_t place = 0;
    for (std::size_t second = 0; second < second_count; ++second) {
        for (; place < second_rows[second]; ++place) {
            const std::uint32_t first = firsts[place];
            state_pairs[first_rows[first]++] = {first, static_cast<std::uint32_t>(second)};
        }
    }
    return true;
}

}  // namespace broadside::broadphase
