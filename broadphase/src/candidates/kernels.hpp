// The kernels of a kept list of candidates as function pointers.
#pragma once

#include "broadphase/src/cells/types.hpp"

#include <broadside/aabb.hpp>
#include <broadside/box_view.hpp>

namespace broadside::broadphase {

/// Rows needed behind the last box, because a group of lanes is stored whole.
inline constexpr std::size_t kCacheRowPadding = 16;

/// Pairs that a register may hold in excess.
inline constexpr std::size_t kKeptPadding = 16;

/// Rows are prefetched this many pairs ahead.
inline constexpr std::size_t kPairsAhead = 64;

/// Consecutive boxes.
struct BoxRange {
    std::uint32_t begin;
    std::uint32_t end;
};

struct PairCacheKernels {
    /// Writes the rows of all boxes, and as bits which are invalid, and which are valid and have left their
    /// grown ones.
    void (*refresh)(const BoxSoaView& boxes, const BoxSoaView& grown, CellRecord* out_rows,
                    std::uint64_t* out_invalid_bits, std::uint64_t* out_escaped_bits);
    /// The same with grown boxes as rows, NaN if there is none. Reads rows behind the last box. `grown` may
    /// be `out_rows`: then each box is within its own.
    void (*refresh_rows)(const BoxSoaView& boxes, const CellRecord* grown, CellRecord* out_rows,
                         std::uint64_t* out_escaped_bits);
    /// Writes the indices of the boxes in some ranges that meet this one, and returns how many. Reads
    /// kCacheRowPadding boxes behind a range, which may be anything, and writes as many entries more.
    std::size_t (*find_meeting)(BoxSoaView boxes, const BoxRange* ranges, std::size_t range_count,
                                const Aabb& box, std::uint32_t* out_indices);
    std::size_t (*keep_overlapping)(const CellRecord* rows, const IndexPair* pairs, std::size_t pair_count,
                                    IndexPair* out_pairs);
    /// The same as bits, in whole words. `are_far` says that the rows are too many for a near cache; then
    /// kPairsAhead pairs behind the last one are read.
    void (*mark_overlapping)(const CellRecord* rows, const IndexPair* pairs, std::size_t pair_count,
                             bool are_far, std::uint64_t* out_bits);
    /// Moves the pairs whose bit is set, in order, and returns how many. `out_pairs` has room for all, or for
    /// those and kKeptPadding more.
    std::size_t (*keep_marked)(const IndexPair* pairs, std::size_t pair_count, const std::uint64_t* bits,
                               IndexPair* out_pairs);

    static const PairCacheKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

}  // namespace broadside::broadphase
