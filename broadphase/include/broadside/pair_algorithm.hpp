// The algorithms of find_pairs, and the settings of their plans.
#pragma once

#include <broadside/export.hpp>

#include <cstdint>

namespace BROADSIDE_API broadside {

/// The algorithm that finds the pairs. All algorithms find exactly the same pairs.
enum class PairAlgorithm : std::uint8_t {
    /// Brute force if it tests few boxes per box, else the algorithm that a cost model expects to be the
    /// fastest on a sample of the boxes. The model is the same for every ISA, so the choice is too.
    automatic,
    /// Every box against every other. The fastest for about a hundred boxes, and for a few boxes against
    /// many; the reference for all other algorithms. O(n²).
    brute_force,
    /// Boxes sorted along one axis, each tested against those that begin within it. O(n log n + tests).
    sweep_and_prune,
    /// Boxes sorted into the cells of a grid, and a sweep within each cell. The fastest from a hundred boxes
    /// on. O(n + pairs) if the density is bounded.
    cells,
};

/// The axis that sweep-and-prune sorts along.
enum class SweepAxis : std::uint8_t {
    /// The axis on which the fewest sampled boxes meet.
    automatic,
    x,
    y,
    z,
};

/// Maximum number of cells of a grid.
inline constexpr std::uint32_t kMaxCellCount = std::uint32_t{1} << 24;

/// Cells of the grid along each axis; all zero lets the plan decide. At most 65,535 an axis and kMaxCellCount
/// in all, which is more than is useful.
struct CellCounts {
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    std::uint32_t z = 0;
};

}  // namespace broadside
