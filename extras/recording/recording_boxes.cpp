// A frame of a recording in the form that the library takes.
#include "extras/recording/recording_boxes.hpp"

#include <broadside/find_pairs.hpp>

#include <algorithm>
#include <stdexcept>

namespace broadside::recording {

void require_ok(Status status) {
    if (status != Status::ok) throw std::runtime_error(status_name(status));
}

BoxSoa boxes_of(std::span<const scene_io::BoxRecord> frame) {
    BoxSoa boxes;
    require_ok(boxes.resize(frame.size()));
    for (std::size_t i = 0; i < frame.size(); ++i) boxes.set(i, frame[i].box);
    return boxes;
}

PairBuffer pairs_of(std::span<const scene_io::BoxRecord> frame) {
    PairBuffer pairs;
    require_ok(find_pairs(boxes_of(frame), pairs).status);
    return pairs;
}

std::vector<std::uint32_t> ids_of(const scene_io::Recording& recording) {
    std::vector<std::uint32_t> ids;
    for (const auto& frame : recording.frames) {
        const std::size_t known_count = ids.size();
        for (const scene_io::BoxRecord& record : frame) {
            const auto known_end = ids.begin() + static_cast<std::ptrdiff_t>(known_count);
            if (!std::binary_search(ids.begin(), known_end, record.id)) ids.push_back(record.id);
        }
        std::inplace_merge(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(known_count), ids.end());
    }
    return ids;
}

}  // namespace broadside::recording
