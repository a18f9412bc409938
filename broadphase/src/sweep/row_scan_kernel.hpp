// The scan over lanes: one query box against a register of candidates at a time. See row_scan_scalar.hpp.
#pragma once

#include "broadphase/src/sweep/row_scan_scalar.hpp"
#include "simd/src/lanes.hpp"

namespace broadside::broadphase {

/// A query in every lane.
template <class Arch>
struct QueryW {
    simd::FloatW<Arch> min_s, max_s;
    simd::FloatW<Arch> min_u, max_u;
    simd::FloatW<Arch> min_v, max_v;

    explicit BROADSIDE_FORCE_INLINE QueryW(const Query& query)
        : min_s(simd::broadcast<Arch>(query.min_s)),
          max_s(simd::broadcast<Arch>(query.max_s)),
          min_u(simd::broadcast<Arch>(query.min_u)),
          max_u(simd::broadcast<Arch>(query.max_u)),
          min_v(simd::broadcast<Arch>(query.min_v)),
          max_v(simd::broadcast<Arch>(query.max_v)) {}
};

/// meets_across of row_scan_scalar.hpp with each candidate from `position` on.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::MaskW<Arch> meets_across(const QueryW<Arch>& query, const BoxColumns& boxes,
                                                      std::size_t position) {
    using namespace simd;
    return (load_unaligned<Arch>(boxes.min_u + position) <= query.max_u) &
           (query.min_u <= load_unaligned<Arch>(boxes.max_u + position)) &
           (load_unaligned<Arch>(boxes.min_v + position) <= query.max_v) &
           (query.min_v <= load_unaligned<Arch>(boxes.max_v + position));
}

/// Appends the pair of the query with every candidate whose bit is set, in lane order.
template <class Arch>
BROADSIDE_FORCE_INLINE void append_pairs(const RowScan& scan, std::int32_t query_index, std::size_t position,
                                         std::uint32_t lane_bits, RowState& state) {
    using namespace simd;
    const IntW<Arch> query = broadcast_int<Arch>(query_index);
    const IntW<Arch> candidate = load_unaligned_int<Arch>(scan.candidates.index + position);
    IntW<Arch> first = query;
    IntW<Arch> second = candidate;
    if (scan.first_side == PairSides::by_index) {
        first = min(query, candidate);
        second = max(query, candidate);
    } else if (scan.first_side == PairSides::candidate) {
        first = candidate;
        second = query;
    }
    // A pair is two adjacent 32-bit integers, whose sign does not matter to a store.
    auto* target = reinterpret_cast<std::int32_t*>(state.pairs + state.pair_count);
    state.pair_count += compress_store_interleaved(target, first, second, lane_bits);
}

/// A row of a sweep. Each lane tests one candidate. The lanes whose candidate begins no later than the query
/// ends are a prefix, because candidates are sorted and pads hold NaN. The scan ends at the first group whose
/// prefix is not the whole register, so it reads at most one register past the list, where the pads are.
template <class Arch>
BROADSIDE_FORCE_INLINE bool sweep_row(const RowScan& scan, const Query& query, RowState& state) {
    if constexpr (simd::is_scalar<Arch>) {
        return sweep_row_scalar(scan, query, state);
    } else {
        using namespace simd;
        const QueryW<Arch> query_w(query);
        const BoxColumns boxes = scan.candidates;  // A copy: writing pairs might alias the original.
        std::size_t position = state.candidate;
        for (;; position += Arch::kLanes) {
            // boxes.min_s[position] <= query.max_s
            const MaskW<Arch> is_in_window = load_unaligned<Arch>(boxes.min_s + position) <= query_w.max_s;
            // is_in_window && meets_across(query, boxes, position)
            const std::uint32_t hit_bits = bits(is_in_window & meets_across(query_w, boxes, position));
            if (hit_bits != 0) {
                state.candidate = position;
                if (!state.has_room()) return false;
                append_pairs<Arch>(scan, query.index, position, hit_bits, state);
            }
            if (!all(is_in_window)) {
                state.candidate = position + static_cast<std::size_t>(__builtin_popcount(bits(is_in_window)));
                return true;
            }
        }
    }
}

/// A row of plain tests. Lanes past the end of the candidates hold pads.
template <class Arch>
BROADSIDE_FORCE_INLINE bool test_row(const RowScan& scan, const Query& query, RowState& state) {
    if constexpr (simd::is_scalar<Arch>) {
        return test_row_scalar(scan, query, state);
    } else {
        using namespace simd;
        const QueryW<Arch> query_w(query);
        const BoxColumns boxes = scan.candidates;  // A copy: writing pairs might alias the original.
        for (std::size_t position = state.candidate; position < scan.candidate_end;
             position += Arch::kLanes) {
            // boxes.min_s[position] <= query.max_s && query.min_s <= boxes.max_s[position]
            const MaskW<Arch> meets_along = (load_unaligned<Arch>(boxes.min_s + position) <= query_w.max_s) &
                                            (query_w.min_s <= load_unaligned<Arch>(boxes.max_s + position));
            // meets_along && meets_across(query, boxes, position)
            const std::uint32_t hit_bits = bits(meets_along & meets_across(query_w, boxes, position));
            if (hit_bits == 0) continue;
            state.candidate = position;
            if (!state.has_room()) return false;
            append_pairs<Arch>(scan, query.index, position, hit_bits, state);
        }
        return true;
    }
}

template <class Arch>
void sweep_rows_kernel(const RowScan& scan, RowState& state) {
    for (; state.row < state.row_end; ++state.row) {
        const std::size_t first_candidate = first_candidate_of(scan, state.row);
        if (state.candidate == kRowNotBegun) state.candidate = first_candidate;
        if (!sweep_row<Arch>(scan, query_at(scan.queries, state.row), state)) return;
        state.tested_count += state.candidate - first_candidate;
        state.candidate = kRowNotBegun;
    }
}

template <class Arch>
void test_rows_kernel(const RowScan& scan, RowState& state) {
    for (; state.row < state.row_end; ++state.row) {
        if (state.candidate == kRowNotBegun) state.candidate = first_candidate_of(scan, state.row);
        if (!test_row<Arch>(scan, query_at(scan.queries, state.row), state)) return;
        state.candidate = kRowNotBegun;
    }
}

}  // namespace broadside::broadphase
