// Whether the scan of a cell would mostly compare boxes that are apart: then the cell is cut further.
#pragma once

#include "broadphase/src/cells/types.hpp"

namespace broadside::broadphase {

/// Nanoseconds for each record of a sorted cell that a scan would take for nothing, from a sample of the
/// records that share their bin on the sweep axis. Does not depend on lanes.
double wasted_scan_cost(const SortedCell& cell) noexcept;

/// Pairs that share their bin on the sweep axis are too few to be worth a look.
inline bool may_waste(const SortedCell& cell) noexcept {
    constexpr std::uint64_t kTiesPerRecordMin = 32;
    return cell.tied_count > kTiesPerRecordMin * cell.count;
}

}  // namespace broadside::broadphase
