// The numbers of a recording, for a person and for a program.
#pragma once

#include "extras/recording/recording_stats.hpp"

#include <string>

namespace broadside::recording {

/// A few lines; with `has_frames` a line for each frame as well.
std::string make_stats_table(const RecordingStats& stats, const std::string& title, bool has_frames);
/// All numbers, frame by frame.
std::string make_stats_json(const RecordingStats& stats, const std::string& title);

}  // namespace broadside::recording
