// The timed boxes of suites and peers, frame by frame: of generated scenes, and of files.
#pragma once

#include "bench/file_scenes.hpp"
#include "bench/last_used.hpp"
#include "bench/soa_of.hpp"

#include <broadside/scenes/box_scene.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace broadside::bench {

/// One list of boxes a frame.
using Frames = std::vector<std::vector<Aabb>>;

/// The input of find_pairs and its peers.
inline constexpr const char* kFindPairsScenes[] = {"uniform", "clustered", "mixed",  "city",      "pile",
                                                   "wall",    "sticks",    "line",   "clumps",    "sizes",
                                                   "giants",  "islands",   "strays", "distances", "mixture"};
inline constexpr std::size_t kFindPairsCounts[] = {1000, 10'000, 100'000, 1'000'000};

/// Frames of a generated scene in turn, so that no call gets the boxes of the previous call.
inline constexpr std::size_t kFrameCount = 4;
/// Boxes that the lists of a scene have together: were there fewer, the branches of a search would be predicted from the
/// time before, and a search of 1,000 boxes in crowds take half as long as it does in a program.
inline constexpr std::size_t kListedBoxCount = 65'536;
inline constexpr std::size_t kListCountMax = 256;
/// The same of a recording: its last frames, which are its fullest.
inline constexpr std::size_t kFileFrameCountMax = 16;

/// The frames of a scene by the name of its rows; `count` matters to generated ones only. They move, whatever
/// motion the name says.
inline Frames make_frames(const std::string& scene_name, std::size_t count) {
    Frames frames;
    if (const auto scene = scenes::find_scene(scene_name)) {
        const scenes::BoxScene boxes(scene->layout, scenes::Motion::all, count);
        scenes::BoxFrame frame;
        for (std::size_t index = 0; index < kFrameCount; ++index) {
            boxes.frame(index, frame);
            frames.push_back(frame.boxes);
        }
        return frames;
    }
    for (const FileScene& file : file_scenes()) {
        if (file.name != scene_name) continue;
        const std::size_t first = file.frames.size() - std::min(file.frames.size(), kFileFrameCountMax);
        for (std::size_t index = first; index < file.frames.size(); ++index) {
            std::vector<Aabb>& boxes = frames.emplace_back();
            for (const scene_io::BoxRecord& record : file.frames[index]) boxes.push_back(record.box);
        }
    }
    if (frames.empty()) std::abort();
    return frames;
}

/// Lists of boxes for calls that know nothing of the call before: of a generated scene each from a seed of its own, of a
/// recording its frames.
inline Frames make_lists(const std::string& scene_name, std::size_t count) {
    const auto scene = scenes::find_scene(scene_name);
    if (!scene) return make_frames(scene_name, count);
    Frames lists(std::clamp(kListedBoxCount / count, kFrameCount, kListCountMax));
    for (std::size_t i = 0; i < lists.size(); ++i)
        lists[i] = scenes::make_boxes(scene->layout, count, scenes::kDefaultSeed + i);
    return lists;
}

/// Mean number of boxes a frame, for the time per item.
inline std::size_t mean_box_count(const Frames& frames) {
    std::size_t sum = 0;
    for (const std::vector<Aabb>& boxes : frames) sum += boxes.size();
    return sum / frames.size();
}

/// Lists in the form that the library takes.
struct SoaLists {
    std::vector<BoxSoa> boxes;
    std::size_t mean_count = 0;
};

/// The lists of a scene, kept until another scene is requested.
inline const SoaLists& soa_lists(const std::string& scene_name, std::size_t count) {
    static LastUsed<SoaLists> last;
    return last.get(scene_name + "/" + std::to_string(count), [&] {
        const Frames lists = make_lists(scene_name, count);
        SoaLists made;
        for (const std::vector<Aabb>& boxes : lists) made.boxes.push_back(soa_of(boxes));
        made.mean_count = mean_box_count(lists);
        return made;
    });
}

}  // namespace broadside::bench
