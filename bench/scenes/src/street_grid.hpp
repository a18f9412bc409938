// Measures of the street: the block grid and the units of all its positions. Private to the scenes.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/scenes/scene_random.hpp>

#include <cstddef>
#include <cstdint>

namespace broadside::scenes {

// Positions and sizes are integers of 1/1024 m: below 16 km a float holds them exactly, so that positions
// advance, wrap and add up to displacements without rounding.
using Units = std::int32_t;

constexpr Units units(double metres) { return static_cast<Units>(metres * 1024.0); }
constexpr float metres(Units value) { return static_cast<float>(value) * 0x1p-10f; }

// Across a road, from its middle: two lanes a direction, bikes, parked cars, pavement, lots.
inline constexpr Units kBlockPitch = units(80.0);
inline constexpr Units kInnerLane = units(1.75);
inline constexpr Units kOuterLane = units(4.75);
inline constexpr Units kBikeLane = units(6.5);
inline constexpr Units kParkingLane = units(8.0);
inline constexpr Units kLampLine = units(9.75);
inline constexpr Units kPavementMin = units(10.25);
inline constexpr Units kPavementMax = units(12.5);
inline constexpr Units kLotMin = units(13.0);
// Along a road, from one crossing: objects at the kerb keep clear of the crossings.
inline constexpr Units kKerbMin = units(16.0);
inline constexpr Units kKerbMax = units(64.0);

/// A town of block_count_per_side squared blocks; road r of each direction runs along the line r·pitch.
struct StreetGrid {
    std::uint32_t block_count_per_side = 2;

    /// Length of every road.
    Units size() const noexcept { return static_cast<Units>(block_count_per_side) * kBlockPitch; }
    std::size_t block_count() const noexcept {
        return std::size_t{block_count_per_side} * block_count_per_side;
    }
    /// World coordinate of a distance along or across the town.
    Units from_corner(Units distance) const noexcept { return distance - size() / 2; }
};

/// 25 boxes a block, and at least two blocks a side.
StreetGrid grid_for(std::size_t box_count) noexcept;

/// A box on the ground at units x, z with half sizes and a height, y up.
inline Aabb standing_box(Units x, Units z, Units half_extent_x, Units height, Units half_extent_z) {
    return {{metres(x - half_extent_x), 0.0f, metres(z - half_extent_z)},
            {metres(x + half_extent_x), metres(height), metres(z + half_extent_z)}};
}

inline Units between(SceneRandom& state_random, Units min, Units max) {
    return min + static_cast<Units>(state_random.below(static_cast<std::uint64_t>(max - min) + 1));
}

}  // namespace broadside::scenes
