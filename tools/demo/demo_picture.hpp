// The picture of the last frame.
#pragma once

#include <broadside/collision_stage.hpp>

#include <string>

namespace broadside::demo {

/// An SVG of the scene seen along its shortest side: mesh, boxes, impacts, rays up to their hits, oriented
/// boxes and contacts, with a legend. Self-contained; opens in any browser.
std::string draw_picture(const StageInput& input, const CollisionStage& stage, const std::string& caption);

}  // namespace broadside::demo
