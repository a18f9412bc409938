// A frame of a recording in the form that the library takes.
#pragma once

#include <broadside/box_soa.hpp>
#include <broadside/pair_buffer.hpp>
#include <broadside/scene_io/boxrec.hpp>

#include <span>
#include <vector>

namespace broadside::recording {

/// Throws std::runtime_error with the name of the status unless it is ok: a refusal by the library is a fault
/// of the tool here, or a lack of memory.
void require_ok(Status status);

/// The boxes of a frame, by index.
BoxSoa boxes_of(std::span<const scene_io::BoxRecord> frame);

/// All pairs of a frame by find_pairs, by index, in canonical order.
PairBuffer pairs_of(std::span<const scene_io::BoxRecord> frame);

/// Every id of a recording once, ascending.
std::vector<std::uint32_t> ids_of(const scene_io::Recording& recording);

inline bool is_static(const scene_io::BoxRecord& record) {
    return record.kind == scene_io::BoxKind::static_object;
}

}  // namespace broadside::recording
