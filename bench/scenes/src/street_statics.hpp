// Everything on the street that does not move. Private to the scenes.
#pragma once

#include "street_grid.hpp"

#include <vector>

namespace broadside::scenes {

/// One building a lot, four lots a block; more buildings than lots share theirs.
void append_buildings(const StreetGrid& grid, std::size_t count, SceneRandom& state_random,
                      std::vector<Aabb>& out_boxes);
/// At the kerb, each in its own space while there are any left.
void append_parked_cars(const StreetGrid& grid, std::size_t count, SceneRandom& state_random,
                        std::vector<Aabb>& out_boxes);
/// On the pavements; some touch, as people do.
void append_pedestrians(const StreetGrid& grid, std::size_t count, SceneRandom& state_random,
                        std::vector<Aabb>& out_boxes);
/// Along the kerbs, each in its own space while there are any left.
void append_lamp_posts(const StreetGrid& grid, std::size_t count, SceneRandom& state_random,
                       std::vector<Aabb>& out_boxes);

}  // namespace broadside::scenes
