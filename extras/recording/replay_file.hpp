// Replays as small JSON files, and the differences between two of them.
#pragma once

#include "extras/recording/replay.hpp"

#include <string>

namespace broadside::recording {

/// A replay and how it was made.
struct ReplayReport {
    /// config_string() of the library.
    std::string config;
    std::string isa;
    std::uint32_t thread_count = 1;
    ReplaySettings settings;
    std::vector<ReplayFrame> frames;
};

std::string make_replay_json(const ReplayReport& report);
/// The report of a file made by the function above, or the fault in it; the runner is null.
scene_io::Result<ReplayReport> read_replay(const std::string& path);

struct ReplayComparison {
    /// One line for each difference, first the input, then path by path with the first frame that differs.
    std::vector<std::string> differences;
    /// Frames of both, and paths that both ran.
    std::size_t frame_count = 0;
    std::vector<ReplayPath> paths;
};

/// Builds, ISAs, threads and algorithms may differ: no result depends on them. A path that only one report
/// has is left out; so is the World if only one paired static boxes.
ReplayComparison compare(const ReplayReport& a, const ReplayReport& b);

}  // namespace broadside::recording
