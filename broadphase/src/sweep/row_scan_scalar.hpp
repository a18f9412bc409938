// The two loops that find the pairs of one query box: the specification of row_scan_kernel.hpp.
#pragma once

#include <broadside/compiler.hpp>
#include <broadside/pair_buffer.hpp>

namespace broadside::broadphase {

/// Boxes with NaN corners behind every run of a list, as many as the widest register has lanes. No comparison
/// accepts them, so they pair with nothing and end a sweep.
inline constexpr std::size_t kPadCount = 16;

/// Valid boxes in the library's memory, a column per number. Axis s is swept, u and v are the other two.
struct BoxColumns {
    float* min_s;
    float* max_s;
    float* min_u;
    float* max_u;
    float* min_v;
    float* max_v;
    /// The caller's index of each box.
    std::int32_t* index;
};

/// The box that is `first` in a pair.
enum class PairSides : std::uint8_t {
    /// The one of the smaller index: pairs within a set.
    by_index,
    query,
    candidate,
};

/// Shared by the rows of a scan. A row is one query box and a run of candidate boxes.
struct RowScan {
    BoxColumns queries;
    BoxColumns candidates;
    /// Position of the first candidate of each row, indexed like `queries`. Null: `first_candidate`.
    const std::uint32_t* first_candidates;
    /// Position of the first candidate of all rows. kFollowing: the one behind the query, in the same list.
    std::size_t first_candidate;
    /// End of the candidates for `test_rows`; a sweep ends at a NaN pad.
    std::size_t candidate_end;
    PairSides first_side;
};
inline constexpr std::size_t kFollowing = static_cast<std::size_t>(-1);

/// The rows to process, the progress, and the output for pairs. A kernel that runs out of room returns, and
/// goes on from there when it is called again with room; the pairs are the same however often that happens.
struct RowState {
    std::size_t row;
    std::size_t row_end;
    /// Position of the next candidate of `row`, or kRowNotBegun.
    std::size_t candidate;
    IndexPair* pairs;
    std::size_t pair_count;
    /// At least kPadCount.
    std::size_t pair_capacity;
    /// Candidates of the rows that a sweep has finished.
    std::uint64_t tested_count;

    /// Room for a full register of pairs; on every ISA, so that all of them stop for the same reason.
    BROADSIDE_FORCE_INLINE bool has_room() const { return pair_capacity - pair_count >= kPadCount; }
};
inline constexpr std::size_t kRowNotBegun = static_cast<std::size_t>(-1);

/// The query box of a row.
struct Query {
    float min_s, max_s;
    float min_u, max_u;
    float min_v, max_v;
    std::int32_t index;
};
BROADSIDE_FORCE_INLINE Query query_at(const BoxColumns& boxes, std::size_t row) {
    return {boxes.min_s[row], boxes.max_s[row], boxes.min_u[row], boxes.max_u[row],
            boxes.min_v[row], boxes.max_v[row], boxes.index[row]};
}
BROADSIDE_FORCE_INLINE std::size_t first_candidate_of(const RowScan& scan, std::size_t row) {
    if (scan.first_candidates != nullptr) return scan.first_candidates[row];
    return scan.first_candidate == kFollowing ? row + 1 : scan.first_candidate;
}

BROADSIDE_FORCE_INLINE void append_pair(PairSides first_side, std::int32_t query_index,
                                        std::int32_t candidate_index, RowState& state) {
    const bool query_is_first =
        first_side == PairSides::by_index ? query_index < candidate_index : first_side == PairSides::query;
    const auto query = static_cast<std::uint32_t>(query_index);
    const auto candidate = static_cast<std::uint32_t>(candidate_index);
    state.pairs[state.pair_count++] =
        query_is_first ? IndexPair{query, candidate} : IndexPair{candidate, query};
}

/// Whether the closed intervals meet on the two axes that are not swept. Each comparison alone is a coin
/// toss, all together rarely hold: hence one branch on their conjunction instead of four.
BROADSIDE_FORCE_INLINE bool meets_across(const Query& query, const BoxColumns& boxes, std::size_t position) {
    return ((boxes.min_u[position] <= query.max_u) & (query.min_u <= boxes.max_u[position]) &
            (boxes.min_v[position] <= query.max_v) & (query.min_v <= boxes.max_v[position])) != 0;
}

/// A row of a sweep. The candidates are sorted by min_s, from the first on that does not begin before the
/// query, so they meet the query along s as long as they begin no later than it ends. Returns true when done.
BROADSIDE_FORCE_INLINE bool sweep_row_scalar(const RowScan& scan, const Query& query, RowState& state) {
    const BoxColumns boxes = scan.candidates;
    std::size_t position = state.candidate;
    for (; boxes.min_s[position] <= query.max_s; ++position) {
        if (!meets_across(query, boxes, position)) continue;
        state.candidate = position;
        if (!state.has_room()) return false;
        append_pair(scan.first_side, query.index, boxes.index[position], state);
    }
    state.candidate = position;
    return true;
}

/// A row of plain tests: any candidates in any order. Returns true when done.
BROADSIDE_FORCE_INLINE bool test_row_scalar(const RowScan& scan, const Query& query, RowState& state) {
    const BoxColumns boxes = scan.candidates;
    const std::size_t end = scan.candidate_end;
    for (std::size_t position = state.candidate; position < end; ++position) {
        const bool meets_along =
            ((boxes.min_s[position] <= query.max_s) & (query.min_s <= boxes.max_s[position])) != 0;
        if (!(meets_along & meets_across(query, boxes, position))) continue;
        state.candidate = position;
        if (!state.has_room()) return false;
        append_pair(scan.first_side, query.index, boxes.index[position], state);
    }
    return true;
}

}  // namespace broadside::broadphase
