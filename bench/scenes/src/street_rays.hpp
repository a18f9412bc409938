// The rays of the street in any frame: sensors on cars, and probes from above. Private to the scenes.
#pragma once

#include "street_traffic.hpp"

#include <span>
#include <vector>

namespace broadside::scenes {

/// Where a probe from above starts and how it wanders, in Units.
struct Probe {
    Units start_x = 0;
    Units start_z = 0;
    Units speed_x = 0;
    Units speed_z = 0;
};

std::vector<Probe> make_probes(const StreetGrid& grid, std::size_t count, SceneRandom& state_random);

/// `count` beams, kBeamCount a vehicle while vehicles last, each turning about its roof.
void append_sensor_rays(const StreetGrid& grid, std::span<const Vehicle> vehicles, std::size_t count,
                        std::uint64_t frame_index, std::vector<Ray>& out_rays);
void append_probe_rays(const StreetGrid& grid, std::span<const Probe> probes, std::uint64_t frame_index,
                       std::vector<Ray>& out_rays);

}  // namespace broadside::scenes
