// The memory of the cells algorithm within the scratch of a call.
#pragma once

#include "broadphase/src/cells.hpp"
#include "broadphase/src/scratch_access.hpp"

namespace broadside::broadphase {

inline CellsMemory cells_memory(FindPairsScratch& scratch) noexcept {
    return {ScratchAccess::boxes(scratch),      ScratchAccess::copies(scratch),
            ScratchAccess::blocks(scratch),     ScratchAccess::inner(scratch),
            ScratchAccess::deferred(scratch),   ScratchAccess::large(scratch),
            ScratchAccess::large_home(scratch), ScratchAccess::large_copies(scratch)};
}

}  // namespace broadside::broadphase
