// Rolling terrain as a triangle mesh.
#include <broadside/scenes/terrain.hpp>

#include <broadside/scenes/exact_math.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace broadside::scenes {
namespace {

// Amplitudes in metres, wave lengths as turns a metre along x and z; steep enough to tilt a car, not to
// overhang.
struct Wave {
    double amplitude;
    double turns_x;
    double turns_z;
    double phase_turns;
};
constexpr std::array<Wave, 4> kWaves = {{{3.0, 1.0 / 96, 1.0 / 160, 0.10},
                                         {1.6, -1.0 / 60, 1.0 / 44, 0.35},
                                         {0.9, 1.0 / 23, 1.0 / 31, 0.70},
                                         {0.3, -1.0 / 9, 1.0 / 11, 0.20}}};

double wave_height(double x, double z) {
    double sum = 0.0;
    for (const Wave& wave : kWaves) {
        sum += wave.amplitude * sine_of_turns(x * wave.turns_x + z * wave.turns_z + wave.phase_turns);
    }
    return sum;
}

}  // namespace

Terrain::Terrain(const TerrainSettings& settings) : settings_(settings) {
    const std::uint32_t quads = settings.quad_count_per_side;
    const std::uint32_t side = quads + 1;
    mesh_.positions.reserve(std::size_t{side} * side);
    for (std::uint32_t row = 0; row < side; ++row) {
        for (std::uint32_t column = 0; column < side; ++column) {
            const float x = static_cast<float>(column) * settings.quad_size;
            const float z = static_cast<float>(row) * settings.quad_size;
            const auto y = static_cast<float>(wave_height(static_cast<double>(x), static_cast<double>(z)));
            mesh_.positions.push_back(settings.min_corner + Vec3{x, y, z});
        }
    }
    mesh_.triangles.reserve(std::size_t{quads} * quads * 2);
    for (std::uint32_t row = 0; row < quads; ++row) {
        for (std::uint32_t column = 0; column < quads; ++column) {
            const std::uint32_t corner = row * side + column;
            mesh_.triangles.push_back({corner, corner + side, corner + 1});
            mesh_.triangles.push_back({corner + 1, corner + side, corner + side + 1});
        }
    }
}

float Terrain::height(float x, float z) const noexcept {
    const auto quads = static_cast<float>(settings_.quad_count_per_side);
    if (settings_.quad_count_per_side == 0) return settings_.min_corner.y;
    const float column = std::clamp((x - settings_.min_corner.x) / settings_.quad_size, 0.0f, quads);
    const float row = std::clamp((z - settings_.min_corner.z) / settings_.quad_size, 0.0f, quads);
    const float left = std::min(std::floor(column), quads - 1.0f);
    const float near = std::min(std::floor(row), quads - 1.0f);
    const float along_x = column - left;
    const float along_z = row - near;
    const std::size_t side = std::size_t{settings_.quad_count_per_side} + 1;
    const Vec3* corner =
        &mesh_.positions[static_cast<std::size_t>(near) * side + static_cast<std::size_t>(left)];
    const float near_height = corner[0].y + (corner[1].y - corner[0].y) * along_x;
    const float far_height = corner[side].y + (corner[side + 1].y - corner[side].y) * along_x;
    return near_height + (far_height - near_height) * along_z;
}

}  // namespace broadside::scenes
