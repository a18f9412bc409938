// Replays of broadside-record, and where they part.
#pragma once

#include "extras/recording/replay_file.hpp"
#include "extras/viewer/film.hpp"

namespace broadside::view {

/// A film without boxes: how many pairs each path found.
viewer::Film make_replay_film(const std::string& title, const recording::ReplayReport& report);

/// Marks the frames in which two replays differ, says in each what both have, and notes what differs first.
/// Returns whether something differs.
bool show_differences(const recording::ReplayReport& a, const recording::ReplayReport& b,
                      viewer::Film& out_film);

}  // namespace broadside::view
