// The lists from which the records of a cell are read.
#pragma once

#include "broadphase/src/cells/types.hpp"

#include <broadside/compiler.hpp>

namespace broadside::broadphase {

/// Lists that hold the records of the cells, in the order in which a cell takes them.
struct CellSource {
    const CellLists* lists;
    std::uint32_t list_count;
    /// There are so many records that those of the next cell have left the second cache.
    bool is_next_far;
    /// The caller's index of each box if only some of the caller's boxes are in cells, else null.
    const std::uint32_t* ids;
    /// Bits to add to the tag of each of those boxes, or null.
    const std::uint32_t* tags;

    /// Calls `visit` for the runs of all lists of a cell; see CellLists.
    template <class Visit>
    BROADSIDE_FORCE_INLINE void for_each_run(std::uint32_t cell, Visit&& visit) const {
        for (std::uint32_t list = 0; list < list_count; ++list) lists[list].for_each_run(cell, visit);
    }
    /// Replaces a record's id and tag by those of the caller.
    BROADSIDE_FORCE_INLINE void resolve(CellRecord& state_record) const {
        if (tags != nullptr) state_record.tag |= tags[state_record.id];
        if (ids != nullptr) state_record.id = ids[state_record.id];
    }
};

}  // namespace broadside::broadphase
