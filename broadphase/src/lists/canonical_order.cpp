// Few pairs among many boxes by digits; else counting by the first index, and then by what the rows are like:
// an insertion where they are short, else a second counting sort.
#include "broadphase/src/lists/canonical_order.hpp"

#include "broadphase/src/lists/arena.hpp"
#include "broadphase/src/lists/radix_sort.hpp"
#include "core/src/pair_check.hpp"
#include "core/src/zones.hpp"

namespace broadside::broadphase {
namespace {

// Rows up to this length, and pairs up to this many a row on average, are put in order by insertion: most
// pairs then stand where they belong, and a branch says so. The order of a pair, which is what
// broadphase/find_pairs_canonical takes beyond broadphase/find_pairs, costs 6.2 ns in uniform/100000/avx512
// instead of the 7.7 of two counting sorts, in city/100000/avx512 5.4 instead of 8.2; in uniform/10000/avx512
// there is no difference. Rows of a pile are too long for it.
constexpr std::uint32_t kShortRowMax = 12;
constexpr std::size_t kShortRowPairsPerRow = 3;

// Where there are this many rows for each pair, a pass over the rows costs more than eight passes over the
// pairs.
constexpr std::size_t kRowsPerPairMax = 16;

// Writes the pairs of `by_row`, which ascend by `first`, in order.
void insert_in_order(const IndexPair* by_row, std::size_t pair_count, IndexPair* out_pairs) {
    out_pairs[0] = by_row[0];
    for (std::size_t i = 1; i < pair_count; ++i) {
        const IndexPair pair = by_row[i];
        std::size_t position = i;
        for (; position > 0 && key_of(pair) < key_of(out_pairs[position - 1]); --position) {
            out_pairs[position] = out_pairs[position - 1];
        }
        out_pairs[position] = pair;
    }
}

// Turns the count of every row into the position where the row begins; answers the largest count.
template <class Position>
Position counts_to_begins(Position* state_rows, std::size_t row_count) {
    Position begin = 0;
    Position longest = 0;
    for (std::size_t row = 0; row < row_count; ++row) {
        const Position count = state_rows[row];
        state_rows[row] = begin;
        begin += count;
        longest = count > longest ? count : longest;
    }
    return longest;
}

// By second: only the first column need be kept, the second is the number of the row. Then, stable, by first.
template <class Position>
void sort_by_counting(std::span<IndexPair> state_pairs, Position* state_first_rows,
                      Position* state_second_rows, std::size_t second_count, std::uint32_t* firsts) {
    std::memset(state_second_rows, 0, second_count * sizeof(Position));
    for (const IndexPair& pair : state_pairs) ++state_second_rows[pair.second];
    (void)counts_to_begins(state_second_rows, second_count);
    for (const IndexPair& pair : state_pairs) firsts[state_second_rows[pair.second]++] = pair.first;
    // Every row's begin has moved to its end.
    Position position = 0;
    for (std::size_t second = 0; second < second_count; ++second) {
        for (; position < state_second_rows[second]; ++position) {
            const std::uint32_t first = firsts[static_cast<std::size_t>(position)];
            const auto place = static_cast<std::size_t>(state_first_rows[first]++);
            state_pairs[place] = {first, static_cast<std::uint32_t>(second)};
        }
    }
}

template <class Position>
bool sort_pairs_in_rows(std::span<IndexPair> state_pairs, std::size_t first_count, std::size_t second_count,
                        AlignedArray<std::byte>& scratch) {
    const bool is_sparse = state_pairs.size() <= kShortRowPairsPerRow * first_count;
    Position* first_rows = nullptr;
    Position* second_rows = nullptr;
    std::uint32_t* firsts = nullptr;
    IndexPair* by_row = nullptr;
    const bool has_memory = reserve_arrays(scratch, [&](Arena& arena) {
        first_rows = arena.reserve<Position>(first_count);
        second_rows = arena.reserve<Position>(second_count);
        firsts = arena.reserve<std::uint32_t>(state_pairs.size());
        by_row = arena.reserve<IndexPair>(is_sparse ? state_pairs.size() : 0);
    });
    if (!has_memory) return false;
    std::memset(first_rows, 0, first_count * sizeof(Position));
    for (const IndexPair& pair : state_pairs) ++first_rows[pair.first];
    if (counts_to_begins(first_rows, first_count) <= kShortRowMax && is_sparse) {
        for (const IndexPair& pair : state_pairs) by_row[first_rows[pair.first]++] = pair;
        insert_in_order(by_row, state_pairs.size(), state_pairs.data());
    } else {
        sort_by_counting(state_pairs, first_rows, second_rows, second_count, firsts);
    }
    return true;
}

// By the digits of the second index, then, stable, of the first.
bool sort_pairs_by_digits(std::span<IndexPair> state_pairs, AlignedArray<std::byte>& scratch) {
    const std::size_t count = state_pairs.size();
    SortItem* items = nullptr;
    SortItem* spare = nullptr;
    const bool has_memory = reserve_arrays(scratch, [&](Arena& arena) {
        items = arena.reserve<SortItem>(count);
        spare = arena.reserve<SortItem>(count);
    });
    if (!has_memory) return false;
    for (std::size_t i = 0; i < count; ++i) items[i] = {state_pairs[i].second, state_pairs[i].first};
    SortItem* const sorted = radix_sort(items, spare, count);
    for (std::size_t i = 0; i < count; ++i) sorted[i] = {sorted[i].index, sorted[i].key};
    const SortItem* const result = radix_sort(sorted, sorted == items ? spare : items, count);
    for (std::size_t i = 0; i < count; ++i) state_pairs[i] = {result[i].key, result[i].index};
    return true;
}

}  // namespace

bool sort_pairs(std::span<IndexPair> state_pairs, std::size_t first_count, std::size_t second_count,
                AlignedArray<std::byte>& scratch) noexcept {
    if (state_pairs.empty()) return true;
    BROADSIDE_ASSERT(find_pair_out_of_range(state_pairs, first_count, second_count) == kNoIndex,
                     "pairs: an index that no box has was found");
    BROADSIDE_ZONE("find_pairs/canonical order");
    if (state_pairs.size() * kRowsPerPairMax < first_count) return sort_pairs_by_digits(state_pairs, scratch);
    // Small positions where they fit: the rows are visited at random.
    return state_pairs.size() <= 0xFFFFFFFFu
               ? sort_pairs_in_rows<std::uint32_t>(state_pairs, first_count, second_count, scratch)
               : sort_pairs_in_rows<std::uint64_t>(state_pairs, first_count, second_count, scratch);
}

Status write_sorted(PairBuffer& state_list, std::size_t first_count, std::size_t second_count,
                    AlignedArray<std::byte>& scratch, PairWriter& state_writer) noexcept {
    const std::span<IndexPair> pairs = {state_list.data(), state_list.size()};
    if (!sort_pairs(pairs, first_count, second_count, scratch)) return Status::out_of_memory;
    BROADSIDE_ASSERT(are_ascending(pairs), "pairs: one was found twice");
    BROADSIDE_ZONE("find_pairs/write list");
    return state_writer.write_filtered(pairs);
}

}  // namespace broadside::broadphase
