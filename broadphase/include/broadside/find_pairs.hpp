// All overlapping pairs of one set of boxes, or between two sets, in one call. Nothing is kept from call to
// call but memory.
#pragma once

#include <broadside/box_filter.hpp>
#include <broadside/box_view.hpp>
#include <broadside/export.hpp>
#include <broadside/find_pairs_plan.hpp>
#include <broadside/find_pairs_scratch.hpp>
#include <broadside/pair_cache.hpp>
#include <broadside/pair_output.hpp>
#include <broadside/pair_position.hpp>
#include <broadside/resting_boxes.hpp>
#include <broadside/task_runner.hpp>

namespace BROADSIDE_API broadside {

/// Most boxes in a set: indices fit a signed 32-bit lane. More answer invalid_argument.
inline constexpr std::size_t kMaxBoxCount = std::size_t{1} << 31;

/// The order of the list. Both orders are the same on every ISA, for every number of workers and for every
/// kind of output.
enum class PairOrder : std::uint8_t {
    /// Ascending by `first`, then by `second`, whatever found the pairs.
    canonical,
    /// As found, without the cost of sorting: a function of the boxes, the subset, the algorithm and the
    /// axis. It may change from one version of the library to the next.
    by_algorithm,
};

struct FindPairsSettings {
    /// Default automatic. Forcing one changes the time and the order `by_algorithm`, never the pairs.
    PairAlgorithm algorithm = PairAlgorithm::automatic;
    /// Default canonical, because whoever works through pairs makes their order a behaviour: a solver must
    /// not come to another result when one more box changes the algorithm or the axis. Costs two passes over
    /// the pairs.
    PairOrder order = PairOrder::canonical;
    /// Default automatic. A bad axis costs time only. Ignored by brute force.
    SweepAxis sweep_axis = SweepAxis::automatic;
    /// Default automatic. A bad grid costs time and changes the order `by_algorithm`, never the pairs. Cells
    /// only.
    CellCounts cell_counts = {};
    /// Default null: the caller's thread does everything. The scan is cut into tasks; planning, sorting and
    /// writing the output stay on the calling thread.
    const TaskRunner* runner = nullptr;
    /// Default none. Which boxes of the one set, or of set a, may pair.
    BoxFilter filter = {};
    /// The same for set b; ignored where there is one set.
    BoxFilter filter_b = {};
    /// Default: the beginning of the list. The `next` of a call with the same boxes and settings (the runner
    /// may differ): the list goes on there, so that the pieces of any number of calls with outputs of any
    /// size make up the list. A piece by_algorithm costs finding the pairs from the beginning of the list to
    /// the end of the piece. In canonical order it costs its copying, with the scratch of the call before and
    /// no other use of that in between; with another scratch, a complete call. The first call finds and
    /// counts all.
    PairPosition resume = {};
    /// Default null. Else boxes outside `filter.subset_bits`, which must be given, are where they were when
    /// `resting` was built from this set, and are not read: the pairs are the same, and the call costs what
    /// the subset costs. Boxes that moved when it was built and rest now, and the reverse, are legal; each
    /// costs as much as a mover until it is built again. Algorithm, axis and cell counts are not asked then.
    /// One set only; else, or when `resting` is not built or its box_count is another, invalid_argument. That
    /// boxes rest which are said to is the caller's promise: RestingBoxes::find_moved_box checks it.
    const RestingBoxes* resting = nullptr;
    /// Default null. Else what the last call with it left is used where boxes moved little, and something is
    /// left for the next: the same pairs, in canonical order whatever `order` says. One set and no `resting`,
    /// else invalid_argument.
    PairCache* cache = nullptr;
};

/// Boxes that took no part because they are invalid (see `is_valid`); `find_invalid_box` names the others.
struct InvalidBoxes {
    std::size_t count = 0;
    /// Smallest index of one, or kNoIndex.
    std::size_t first_index = kNoIndex;
};

struct [[nodiscard]] FindPairsResult {
    /// ok; capacity_exceeded when the output is full or at its cap; out_of_memory; invalid_argument (a null
    /// view, too many boxes, a sink or a runner without a function, a setting that is no enumerator);
    /// unsupported_isa; wrong_position when `resume` belongs to another number of boxes or other settings,
    /// then nothing is written, or when the list turned out to have another length, because boxes have moved.
    Status status = Status::ok;
    /// Pairs written or handed to the sink, from the resumed position on: always a prefix of the list from
    /// there, under out_of_memory too.
    std::size_t written = 0;
    /// Pairs in the complete list, wherever the call began. Meaningless unless the status is ok or
    /// capacity_exceeded.
    std::size_t required = 0;
    /// Where the list goes on behind what was written. Meaningless under invalid_argument, unsupported_isa
    /// and wrong_position.
    PairPosition next = {};
    /// Invalid boxes of the one set, or of set a.
    InvalidBoxes invalid = {};
    /// Invalid boxes of set b; none where there is only one set.
    InvalidBoxes invalid_b = {};
    FindPairsPlan plan = {};
};

/// All pairs i < j with `overlap(boxes[i], boxes[j])`: closed intervals between valid boxes, exactly, each
/// pair once. There are no world bounds: infinite boxes, coordinates up to FLT_MAX, denormals and -0 are
/// ordinary.
///
/// Ownership: the views, the scratch and what the output refers to are the caller's; nothing is kept but the
/// memory of `scratch`. Two threads may call at once with different scratches and outputs. Memory: by cells
/// 36 bytes for each box and for each copy in a further cell (three a box at most), 9 KB for each cell and
/// part of the input (a part per worker from 8,192 boxes on, at most 16 a set), 38 bytes for each record of
/// the fullest cell and 32 KB of blocks, both for each task; for grids within 68 bytes for each record of an
/// overfull cell, and for each large box (one in eight at most) 68 and 36 for each copy in a cell (three for
/// each box of the set at most); with a runner the list once more. By sweep 60 bytes a box (44
/// by_algorithm), by brute force 28, by Morton leaves 46, and 32 KB of blocks, or with a runner at most 2 MB
/// per worker. A subset of a set of 1,024 boxes or more takes 28 bytes a box more. Canonical order takes up
/// to 24 bytes a pair more. The allocator is called from the calling thread only, and not at all once
/// scratch and output have grown to their size. Arguments are checked before the output is touched.
FindPairsResult find_pairs(const BoxSoaView& boxes, const FindPairsSettings& settings,
                           FindPairsScratch& scratch, const PairOutput& out_pairs) noexcept;

/// All pairs (i, j) with `overlap(a[i], b[j])`. `a` and `b` may be the same view; then every valid box also
/// pairs with itself. As above otherwise; by sweep 4 bytes a box more.
FindPairsResult find_pairs(const BoxSoaView& a, const BoxSoaView& b, const FindPairsSettings& settings,
                           FindPairsScratch& scratch, const PairOutput& out_pairs) noexcept;

/// As above with memory that is allocated for the one call.
FindPairsResult find_pairs(const BoxSoaView& boxes, const FindPairsSettings& settings,
                           const PairOutput& out_pairs) noexcept;
FindPairsResult find_pairs(const BoxSoaView& a, const BoxSoaView& b, const FindPairsSettings& settings,
                           const PairOutput& out_pairs) noexcept;

/// As above with default settings.
inline FindPairsResult find_pairs(const BoxSoaView& boxes, const PairOutput& out_pairs) noexcept {
    return find_pairs(boxes, FindPairsSettings{}, out_pairs);
}
inline FindPairsResult find_pairs(const BoxSoaView& a, const BoxSoaView& b,
                                  const PairOutput& out_pairs) noexcept {
    return find_pairs(a, b, FindPairsSettings{}, out_pairs);
}

}  // namespace broadside
