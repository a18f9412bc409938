// A part of a recording: frames, objects, kinds, a region.
#include "extras/recording/cut.hpp"

#include <algorithm>
#include <unordered_set>

namespace broadside::recording {
namespace {

using scene_io::BoxRecord;

bool is_chosen(const BoxRecord& record, const CutSettings& settings) {
    const auto holds_id = [&](const IdRange& range) {
        return record.id >= range.first && record.id <= range.last;
    };
    const bool has_id =
        settings.ids.empty() || std::any_of(settings.ids.begin(), settings.ids.end(), holds_id);
    const bool has_kind = settings.kinds.empty() || std::find(settings.kinds.begin(), settings.kinds.end(),
                                                              record.kind) != settings.kinds.end();
    return has_id && has_kind;
}

}  // namespace

scene_io::Recording cut(const scene_io::Recording& recording, const CutSettings& settings) {
    const std::size_t begin = std::min(settings.first_frame, recording.frames.size());
    const std::size_t count = std::min(settings.frame_count, recording.frames.size() - begin);
    const std::span frames = std::span(recording.frames).subspan(begin, count);
    const auto is_inside = [&](const BoxRecord& record) {
        return !settings.region || overlap(record.box, *settings.region);
    };
    std::unordered_set<std::uint32_t> once_inside;
    if (settings.keeps_whole_lives) {
        for (const auto& frame : frames) {
            for (const BoxRecord& record : frame) {
                if (is_inside(record)) once_inside.insert(record.id);
            }
        }
    }
    scene_io::Recording part;
    for (const auto& frame : frames) {
        std::vector<BoxRecord>& kept = part.frames.emplace_back();
        std::copy_if(frame.begin(), frame.end(), std::back_inserter(kept), [&](const BoxRecord& record) {
            return is_chosen(record, settings) &&
                   (settings.keeps_whole_lives ? once_inside.contains(record.id) : is_inside(record));
        });
    }
    return part;
}

}  // namespace broadside::recording
