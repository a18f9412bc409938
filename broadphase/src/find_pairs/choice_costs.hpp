// The cost model of the choice: nanoseconds, chosen by hand from the rows broadphase/choice_*/*/*/avx512 of the
// benches, whose lists have different boxes, so that no branch of a search is predicted from the search before.
#pragma once

namespace broadside::broadphase {

/// Brute force takes this once a box, and once a test.
inline constexpr double kBruteForceBoxCost = 28;
inline constexpr double kBruteForceTestCost = 0.17;
/// A sweep takes this once a call, once a box, and once a test.
inline constexpr double kSweepCallCost = 2500;
inline constexpr double kSweepBoxCost = 22;
inline constexpr double kSweepTestCost = 0.2;
/// Nobody predicts where a window ends: in narrow ones, each of the first tests costs this much more.
inline constexpr double kSweepFirstTestCost = 2;
inline constexpr double kSweepFirstTests = 10;
/// Cells take this once a box, and so many times what the plan of the grid expects where branches are predicted.
inline constexpr double kCellsBoxCost = 4;
inline constexpr double kCellsPlanFactor = 1.6;
/// Cells in crowds take no more than this a box: those that would are cut again.
inline constexpr double kCrowdBoxCostMax = 50;

/// Boxes that are long on different axes are parted at this cost a box; the parts are searched at this cost a test, more
/// than above because one test in five finds a pair; and each search takes this once. Chosen by hand from 3,000 to
/// 100,000 random sticks along three axes (bench/dead_ends.md has some of their times).
inline constexpr double kPartedBoxCost = 10;
inline constexpr double kPartedTestCost = 4;
inline constexpr double kPartedSearchCost = 10000;

}  // namespace broadside::broadphase
