// Cells whose scan would mostly compare boxes that are apart are found out, to be cut further.
#pragma once

#include "broadphase/src/cells/types.hpp"

namespace broadside::broadphase {

/// True where another grid for the records of a sorted cell is cheaper than a scan of them, by a sample of those
/// that share their bin on the sweep axis. The answer does not depend on lanes.
bool is_scan_wasteful(const SortedCell& cell) noexcept;

}  // namespace broadside::broadphase
