// Finds cells whose scan would mostly compare boxes that are apart; the caller cuts them further.
#pragma once

#include "broadphase/src/cells/types.hpp"

namespace broadside::broadphase {

/// True if another grid for the records of a sorted cell is cheaper than their scan, judged by a sample of
/// records that share their bin on the sweep axis. The result does not depend on lanes.
bool is_scan_wasteful(const SortedCell& cell) noexcept;

}  // namespace broadside::broadphase
