// All overlapping pairs of one set of boxes, or between two sets, in one call: a function of its arguments.
// RestingBoxes and PairCache have a find_pairs of their own that remembers data from call to call.
#pragma once

#include <broadside/box_filter.hpp>
#include <broadside/box_scratch.hpp>
#include <broadside/box_view.hpp>
#include <broadside/export.hpp>
#include <broadside/find_pairs_plan.hpp>
#include <broadside/pair_output.hpp>
#include <broadside/task_runner.hpp>

namespace BROADSIDE_API broadside {

/// Maximum number of boxes in a set: indices fit a signed 32-bit lane. More are an invalid_argument.
inline constexpr std::size_t kMaxBoxCount = std::size_t{1} << 31;

/// The order of the list. Both are independent of the ISA, the number of workers and the kind of output.
enum class PairOrder : std::uint8_t {
    /// Ascending by `first`, then by `second`, whatever algorithm found the pairs.
    canonical,
    /// Unsorted, without the cost of sorting: a function of the boxes, the subset, the algorithm and the
    /// axis. It may change from one version of the library to the next.
    by_algorithm,
};

/// Settings of `find_pairs`. The defaults suit most callers.
struct FindPairsSettings {
    /// Default automatic. Forcing an algorithm changes time and the order `by_algorithm`, never the pairs.
    PairAlgorithm algorithm = PairAlgorithm::automatic;
    /// Default canonical, because the work on pairs depends on their order: a solver must not get another
    /// result because one more box changes the algorithm or the axis. Costs two passes over the pairs.
    PairOrder order = PairOrder::canonical;
    /// Default automatic. A bad axis costs time only. Ignored by brute force.
    SweepAxis sweep_axis = SweepAxis::automatic;
    /// Cells only. Default automatic. A bad grid costs time and changes the order `by_algorithm`, no pair.
    CellCounts cell_counts = {};
    /// Default null: the caller's thread does everything. The scan is cut into tasks; planning, sorting and
    /// writing the output stay on the calling thread.
    const TaskRunner* runner = nullptr;
    /// Rules for the boxes of the one set, or of set a. Default none.
    BoxFilter filter = {};
    /// Rules for the boxes of set b; ignored if there is one set.
    BoxFilter filter_b = {};
};

/// Boxes that took no part because they are invalid (see `is_valid`); `find_invalid_box` names the others.
struct InvalidBoxes {
    std::size_t count = 0;
    /// Smallest index of an invalid box, or kNoIndex.
    std::size_t first_index = kNoIndex;
};

/// The result of `find_pairs` apart from the pairs.
struct [[nodiscard]] FindPairsResult {
    /// ok; capacity_exceeded if the output is full or at its cap; out_of_memory; invalid_argument (a null
    /// view, too many boxes, a sink or a runner without a function, a setting that is no enumerator);
    /// unsupported_isa.
    Status status = Status::ok;
    /// Pairs written or passed to the sink: always a prefix of the list, under out_of_memory too.
    std::size_t written = 0;
    /// Pairs in the complete list. Meaningless unless the status is ok or capacity_exceeded.
    std::size_t required = 0;
    /// Invalid boxes of the one set, or of set a.
    InvalidBoxes invalid = {};
    /// Invalid boxes of set b; none if there is only one set.
    InvalidBoxes invalid_b = {};
    FindPairsPlan plan = {};
};

/// Finds all pairs i < j with `overlap(boxes[i], boxes[j])`: closed intervals of valid boxes, exactly, each
/// once. No world bounds: infinite boxes, coordinates up to FLT_MAX, denormals and -0 are ordinary.
///
/// Ownership: the views, the scratch and what the output refers to are the caller's; nothing is kept but the
/// memory of `scratch`. Two threads may call at once with different scratches and outputs. Arguments are
/// checked before the output is touched. The allocator is called from the calling thread only, and not at all
/// once scratch and output have grown to their size.
///
/// Memory by cells: 36 bytes for each box and for each copy in a further cell (three a box at most), and 9 KB
/// for each cell and part of the input (a part per worker from 8,192 boxes on, at most 16 a set). Each task
/// takes 38 bytes for each record of the fullest cell, and 32 KB of blocks. Inner grids take 68 bytes for
/// each record of a cell that is cut further (104, and 8 for each of its pairs, if it is swept). Each large
/// box (one in eight at most) takes 68 bytes, and 36 for each copy in a cell (three for each box of the set
/// at most). With a runner the list is held once more.
///
/// By sweep 60 bytes a box (44 by_algorithm), by brute force 28, and 32 KB of blocks, or with a runner at
/// most 2 MB per worker. A subset of a set of 1,024 boxes or more takes 28 bytes a box more, and so do
/// boxes that are searched in parts (see FindPairsPlan::part_count). Canonical order takes up to 24 bytes a
/// pair and 8 a box more, and works for up to 2^31 pairs.
FindPairsResult find_pairs(const BoxSoaView& boxes, const FindPairsSettings& settings, BoxScratch& scratch,
                           const PairOutput& out_pairs) noexcept;

/// Finds all pairs (i, j) with `overlap(a[i], b[j])`. `a` and `b` may be the same view; then every valid box
/// also pairs with itself. Otherwise as above; by sweep 4 bytes a box more.
FindPairsResult find_pairs(const BoxSoaView& a, const BoxSoaView& b, const FindPairsSettings& settings,
                           BoxScratch& scratch, const PairOutput& out_pairs) noexcept;

/// As above, with memory that is allocated for the one call.
FindPairsResult find_pairs(const BoxSoaView& boxes, const FindPairsSettings& settings,
                           const PairOutput& out_pairs) noexcept;
FindPairsResult find_pairs(const BoxSoaView& a, const BoxSoaView& b, const FindPairsSettings& settings,
                           const PairOutput& out_pairs) noexcept;

/// As above, with default settings.
inline FindPairsResult find_pairs(const BoxSoaView& boxes, const PairOutput& out_pairs) noexcept {
    return find_pairs(boxes, FindPairsSettings{}, out_pairs);
}
inline FindPairsResult find_pairs(const BoxSoaView& a, const BoxSoaView& b,
                                  const PairOutput& out_pairs) noexcept {
    return find_pairs(a, b, FindPairsSettings{}, out_pairs);
}

}  // namespace broadside
