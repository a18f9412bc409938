// The tumbling oriented boxes over the terrain in any frame. Private to the scenes.
#pragma once

#include <broadside/obb.hpp>
#include <broadside/scenes/scene_random.hpp>
#include <broadside/scenes/terrain.hpp>

#include <vector>

namespace broadside::scenes {

/// A piece that drifts back and forth over the ground, hops, and turns about a fixed axis.
struct DebrisPiece {
    Vec3 half_extent;
    /// Base of the course, over the ground; y is the clearance of the center at the lowest point of a hop.
    Vec3 base;
    /// Over the ground, a step.
    float drift_x = 0.0f, drift_z = 0.0f;
    std::uint32_t half_period_steps = 1;
    std::uint32_t hop_steps = 1;
    float hop_height = 0.0f;
    std::uint32_t phase_steps = 0;
    /// Unit length.
    double turn_axis[3] = {0.0, 1.0, 0.0};
    /// 2^-16 turns a step.
    std::uint32_t turn_speed = 0;
};

std::vector<DebrisPiece> make_debris(const TerrainSettings& ground, std::size_t count,
                                     SceneRandom& state_random);

Vec3 center_of(const DebrisPiece& piece, const Terrain& terrain, std::uint64_t frame_index) noexcept;
Obb obb_of(const DebrisPiece& piece, const Terrain& terrain, std::uint64_t frame_index) noexcept;

}  // namespace broadside::scenes
