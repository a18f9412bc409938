// The vehicles of the street in any frame. Private to the scenes.
#pragma once

#include "street_grid.hpp"

#include <broadside/scenes/street_scene.hpp>

#include <vector>

namespace broadside::scenes {

/// A vehicle on its lane; everything in Units.
struct Vehicle {
    StreetKind kind = StreetKind::car;
    bool is_along_x = true;
    /// World coordinate of the lane across the road.
    Units lane_across = 0;
    /// Distance along the road in frame 0, from 0 to the size of the town.
    Units start_along = 0;
    /// Signed, a step.
    Units speed = 0;
    Units half_length = 0;
    Units half_width = 0;
    Units height = 0;
};

/// Position of the middle of a vehicle in a frame, Units in the world.
struct VehiclePlace {
    Units x;
    Units z;
};

std::vector<Vehicle> make_traffic(const StreetGrid& grid, std::size_t car_count, std::size_t bus_count,
                                  std::size_t bike_count, SceneRandom& state_random);

VehiclePlace place_of(const Vehicle& vehicle, const StreetGrid& grid, std::uint64_t frame_index) noexcept;
Aabb box_of(const Vehicle& vehicle, const StreetGrid& grid, std::uint64_t frame_index) noexcept;
/// During any step; a vehicle that leaves the town drives on over its edge.
Vec3 displacement_of(const Vehicle& vehicle) noexcept;

}  // namespace broadside::scenes
