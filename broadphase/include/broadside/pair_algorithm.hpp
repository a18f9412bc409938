// The algorithms of find_pairs, and what can be said of their plans.
#pragma once

#include <broadside/export.hpp>

#include <cstdint>

namespace BROADSIDE_API broadside {

/// How pairs are found. Every algorithm finds exactly the same pairs.
enum class PairAlgorithm : std::uint8_t {
    /// Brute force where it tests few boxes per box, else what a cost model expects to be the fastest on a
    /// sample of the boxes. The model is the same for every ISA, so the choice is too.
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
/// kMaxCellCount in all, which is more than pays.
struct CellCounts {
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    std::uint32_t z = 0;
};

}  // namespace broadside
