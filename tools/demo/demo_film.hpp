// A frame of the stage as the viewer shows it.
#pragma once

#include "tools/demo/demo_scene.hpp"
#include "tools/viewer/film.hpp"

namespace broadside::demo {

/// The phases of a frame of `film_frame`, as a film names them.
std::vector<std::string> film_phases();

/// One in so many rays is shown, the same ones in every frame.
std::size_t ray_stride(std::size_t ray_count);

/// The input of a step and what the stage found in it. Views `frame`; all else is copied.
viewer::FilmFrame film_frame(const Frame& frame, const StageInput& input, const CollisionStage& stage);

}  // namespace broadside::demo
