// All overlapping pairs of one set of boxes, or between two sets, in one call. Nothing is kept from call to
// call but memory.
#pragma once

#include <broadside/box_filter.hpp>
#include <broadside/box_view.hpp>
#include <broadside/find_pairs_scratch.hpp>
#include <broadside/pair_cache.hpp>
#include <broadside/pair_output.hpp>
#include <broadside/resting_boxes.hpp>
#include <broadside/task_runner.hpp>

namespace broadside {

/// Most boxes in a set: indices fit a signed 32-bit lane. More answer invalid_argument.
inline constexpr std::size_t kMaxBoxCount = std::size_t{1} << 31;

/// How pairs are found. Every algorithm finds exactly the same pairs.
enum class PairAlgorithm : std::uint8_t {
    /// Brute force where it tests few boxes per box, else cells. Depends on the box counts only, so it is
    /// the same on every ISA.
    automatic,
    /// Every box against every other. The fastest for about a hundred boxes, and for a few boxes against
    /// many; the oracle for everything else. O(n²).
    brute_force,
    /// Boxes sorted along one axis, each tested against those that begin within its extent. O(n log n +
    /// tests).
    sweep_and_prune,
    /// Boxes sorted into the cells of a grid, and a sweep within each cell. The fastest from a hundred boxes
    /// on. O(n + pairs) where the density is bounded.
    cells,
};

/// The order of the list. Both orders are the same on every ISA, for every number of workers and for every
/// kind of output.
enum class PairOrder : std::uint8_t {
    /// Ascending by `first`, then by `second`, whatever found the pairs.
    canonical,
    /// As found, without the cost of sorting: a function of the boxes, the algorithm and the axis. It may
    /// change from one version of the library to the next.
    by_algorithm,
};

/// The axis that sweep-and-prune sorts along.
enum class SweepAxis : std::uint8_t {
    /// The one on which the fewest of a sample of boxes meet.
    automatic,
    x,
    y,
    z,
};

/// Most cells of a grid.
inline constexpr std::uint32_t kMaxCellCount = std::uint32_t{1} << 24;

/// Cells of the grid along each axis; all zero means that the plan decides. At most 65,535 an axis and
/// kMaxCellCount in all, which is more than pays: a cell costs as much as some ten boxes.
struct CellCounts {
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    std::uint32_t z = 0;
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
    /// Default null. Else boxes outside `filter.subset_bits`, which must be given, are where they were when
    /// `resting` was built from this set, and are not read: the pairs are the same, and the call costs what the
    /// subset costs. Boxes that moved when it was built and rest now, and the reverse, are legal; each costs as
    /// much as a mover until it is built again. Algorithm, axis and cell counts are not asked then. One set only;
    /// else, or when `resting` is not built or its box_count is another, invalid_argument. That boxes rest which
    /// are said to is the caller's promise: RestingBoxes::find_moved_box checks it.
    const RestingBoxes* resting = nullptr;
    /// Default null. Else what the last call with it left is used where boxes moved little, and something is left for
    /// the next: the same pairs, in canonical order whatever `order` says. One set and no `resting`, else
    /// invalid_argument.
    PairCache* cache = nullptr;
};

/// What became of the cache in a call.
enum class CacheUse : std::uint8_t {
    /// There was none, or it passed the call by because boxes move too far.
    none,
    /// Few boxes or none had left their grown boxes.
    reused,
    /// It was empty or too many had left: everything was found anew, in grown boxes.
    found_anew,
};

/// Boxes that took no part because they are invalid (see `is_valid`); `find_invalid_box` names the others.
struct InvalidBoxes {
    std::size_t count = 0;
    /// Smallest index of one, or kNoIndex.
    std::size_t first_index = kNoIndex;
};

/// What a call decided and what it cost; the same on every ISA and for any number of workers.
struct FindPairsPlan {
    /// The algorithm that ran, never automatic.
    PairAlgorithm algorithm = PairAlgorithm::brute_force;
    /// The axis of the sweep; automatic when there was none.
    SweepAxis sweep_axis = SweepAxis::automatic;
    /// Boxes, of both sets together, that the sweep set apart because they reach across most of the others
    /// (infinite boxes for example). They are tested against all.
    std::size_t oversized_count = 0;
    /// The grid of the cells algorithm; all zero for others.
    CellCounts cell_counts = {};
    /// Boxes in the cells, counted once in each cell that they reach into; zero for other algorithms.
    std::uint64_t record_count = 0;
    /// Boxes that the cells algorithm set apart because they reach across many cells, and cells that held so many
    /// boxes that they got a grid of their own; of the outermost grid.
    std::size_t large_count = 0;
    std::size_t overfull_cell_count = 0;
    /// With a cache: what became of it, and the boxes that were outside their grown ones.
    CacheUse cache_use = CacheUse::none;
    std::size_t escaped_count = 0;
    /// Pairs of boxes whose intervals were compared: n·(n-1)/2 under brute force.
    std::uint64_t tested_count = 0;
};

struct FindPairsResult {
    /// ok; capacity_exceeded when the output is full or at its cap; out_of_memory; invalid_argument (a null
    /// view, too many boxes, a sink without a function, a setting that is no enumerator); unsupported_isa.
    Status status = Status::ok;
    /// Pairs written or handed to the sink, always a prefix of the complete list, under out_of_memory too.
    std::size_t written = 0;
    /// Pairs in the complete list. Meaningless unless the status is ok or capacity_exceeded.
    std::size_t required = 0;
    /// Invalid boxes of the one set, or of set a.
    InvalidBoxes invalid;
    /// Invalid boxes of set b; none where there is only one set.
    InvalidBoxes invalid_b;
    FindPairsPlan plan;
};

/// All pairs i < j with `overlap(boxes[i], boxes[j])`: closed intervals between valid boxes, exactly, each
/// pair once. There are no world bounds: infinite boxes, coordinates up to FLT_MAX, denormals and -0 are
/// ordinary.
///
/// Ownership: the views, the scratch and what the output refers to are the caller's; nothing is kept but the
/// memory of `scratch`. Two threads may call at once with different scratches and outputs. Memory: by cells
/// 36 bytes for each box and for each copy in a further cell (three a box at most), 9 KB for each cell and
/// part of the input (a part per worker from 8,192 boxes on, at most 16 a set), 38 bytes for each record of
/// the fullest cell and 32 KB of blocks, both for each task; with a runner the list once more. By sweep 60
/// bytes a box (44 by_algorithm), by brute force 28, and 32 KB of blocks, or with a runner at most 2 MB per
/// worker. Canonical order takes up to 24 bytes a pair more. The allocator is called from the calling thread only,
/// and not at all once scratch and output have grown to their size. Arguments are checked before the output
/// is touched.
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
