// The plan of find_pairs: what it decided, what that cost, and both in words.
#pragma once

#include <broadside/export.hpp>
#include <broadside/pair_algorithm.hpp>

#include <cstddef>

namespace BROADSIDE_API broadside {

/// Expected cost of each algorithm, in nanoseconds a box on one core with avx512: good for comparing, not for
/// promises. Zero if it was not estimated.
struct PairCosts {
    /// PairAlgorithm::brute_force.
    double brute_force = 0;
    /// PairAlgorithm::sweep_and_prune.
    double sweep_and_prune = 0;
    /// PairAlgorithm::cells.
    double cells = 0;
    /// Parts of the boxes one by one and with each other, each by the algorithm that suits it.
    double parts = 0;
};

/// How a call used its PairCache.
enum class CacheUse : std::uint8_t {
    /// There was none, or it skipped the call because boxes move too far.
    none,
    /// Few boxes or none had left their grown boxes.
    reused,
    /// It was empty or too many boxes had left: everything was found anew, in grown boxes.
    found_anew,
};

/// The decisions of a call and their costs; except the memory, the same on every ISA and for any runner.
struct FindPairsPlan {
    /// The algorithm that ran; automatic if none did: bad arguments, or a PairCache had the pairs. If there are
    /// parts, the cheapest for all boxes at once.
    PairAlgorithm algorithm = PairAlgorithm::automatic;
    /// Boxes that are long on different axes, such as the beams of a frame, are parted by these axes; each part is
    /// searched with itself and with each other one. The number of parts; zero if all boxes were searched at once,
    /// as they are if the settings name the algorithm or the axis.
    std::size_t part_count = 0;
    /// True if the settings named the algorithm.
    bool is_forced = false;
    /// Boxes of both sets together that took part.
    std::size_t box_count = 0;
    /// Boxes that were left out beforehand, because no box of the required subset is near them.
    std::size_t left_out_count = 0;
    /// The costs that decided. All zero if the algorithm was forced, except for cells; if brute force was
    /// chosen for its few tests; or if there are few boxes, many of them close together and far from others.
    PairCosts expected_costs = {};
    /// The axis of the sweep; automatic if there was none.
    SweepAxis sweep_axis = SweepAxis::automatic;
    /// Boxes, of both sets together, that the sweep set apart because they reach across most of the others
    /// (infinite boxes for example). They are tested against all.
    std::size_t oversized_count = 0;
    /// The grid of the cells algorithm; all zero for others.
    CellCounts cell_counts = {};
    /// Expected number of cells that a box lies in, and of boxes that begin within the extent of one on the
    /// sweep axis in its cell; both from the sample. Cells only.
    double expected_records_per_box = 0;
    double expected_window = 0;
    /// Boxes in the cells, counted once in each cell that they reach into; zero for other algorithms.
    std::uint64_t record_count = 0;
    /// Boxes that the cells algorithm set apart because they reach across many cells; and cells that got a
    /// grid of their own, because they held so many boxes or their scan would have been mostly in vain. Both
    /// of the outermost grid.
    std::size_t large_count = 0;
    std::size_t overfull_cell_count = 0;
    /// How the call used its PairCache, and how many boxes were outside their grown ones.
    CacheUse cache_use = CacheUse::none;
    /// See `cache_use`.
    std::size_t escaped_count = 0;
    /// Pairs of boxes whose intervals were compared: n·(n-1)/2 under brute force.
    std::uint64_t tested_count = 0;
    /// Bytes that the scratch holds for such calls after this one, from it and earlier ones.
    std::size_t memory_bytes = 0;
};

/// A short text such as "cells". Static storage.
const char* pair_algorithm_name(PairAlgorithm algorithm) noexcept;

/// A text with its own memory.
struct [[nodiscard]] PlanText {
    /// Zero-terminated.
    char text[800] = {};

    /// The text as a C string.
    const char* c_str() const noexcept { return text; }
};

/// Describes the plan in words, one line each: the algorithm and why, the grid or axis, what was expected and
/// what was found, the memory. For people: the wording may change with any version. Does not allocate.
PlanText explain(const FindPairsPlan& plan) noexcept;

}  // namespace broadside
