// Whether the scan of a cell would mostly be of boxes that are apart: then the cell is cut further.
#pragma once

#include "broadphase/src/cells/types.hpp"

namespace broadside::broadphase {

/// Whether another grid for the records of a sorted cell is cheaper than a scan, from a sample of the records
/// that share their bin on the sweep axis. Does not depend on lanes.
bool is_scan_wasteful(const SortedCell& cell) noexcept;

}  // namespace broadside::broadphase
