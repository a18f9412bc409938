// A frame of the stage in the viewer's form.
#pragma once

#include "extras/demo/demo_scene.hpp"
#include "extras/viewer/film.hpp"

namespace broadside::demo {

/// The phases of a frame of `film_frame`, by their names in a film.
std::vector<std::string> film_phases();

/// One ray in this many is shown, the same ones in every frame.
std::size_t ray_stride(std::size_t ray_count);

/// The input of a step and the stage's results. Views `frame`; everything else is copied.
viewer::FilmFrame film_frame(const Frame& frame, const StageInput& input, const CollisionStage& stage);

}  // namespace broadside::demo
