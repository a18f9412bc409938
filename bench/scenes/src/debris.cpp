// The tumbling oriented boxes over the terrain in any frame.
#include "debris.hpp"

#include "course.hpp"

#include <broadside/scenes/exact_math.hpp>

#include <algorithm>
#include <cmath>

namespace broadside::scenes {
namespace {

// Turning points stay this far from the border, as a share of the side.
constexpr float kBorderShare = 0.12f;
constexpr std::uint32_t kMinHalfPeriod = 60;
constexpr std::uint32_t kMaxHalfPeriod = 240;

// A random direction; the mean of the cube's corners and faces is near enough to uniform.
void set_turn_axis(DebrisPiece& state_piece, SceneRandom& state_random) {
    const Vec3 point = state_random.in_cube(1.0f);
    const double x = static_cast<double>(point.x);
    const double y = static_cast<double>(point.y);
    const double z = static_cast<double>(point.z);
    const double length = std::sqrt(x * x + y * y + z * z);
    if (length < 1e-3) return;
    state_piece.turn_axis[0] = x / length;
    state_piece.turn_axis[1] = y / length;
    state_piece.turn_axis[2] = z / length;
}

DebrisPiece make_piece(const TerrainSettings& ground, SceneRandom& state_random) {
    const float side = static_cast<float>(ground.quad_count_per_side) * ground.quad_size;
    const float border = side * kBorderShare;
    DebrisPiece piece;
    const float half_x = state_random.between(0.3f, 1.4f);
    const float half_y = state_random.between(0.2f, 0.7f);
    const float half_z = state_random.between(0.2f, 0.7f);
    piece.half_extent = {half_x, half_y, half_z};
    const float x = state_random.between(border, side - border);
    const float z = state_random.between(border, side - border);
    // From half sunk in to a little above the ground.
    const float clearance = state_random.between(0.0f, 0.6f);
    piece.base = {ground.min_corner.x + x, clearance, ground.min_corner.z + z};
    piece.half_period_steps = kMinHalfPeriod + state_random.below(kMaxHalfPeriod - kMinHalfPeriod);
    // At most 6 m/s, and never past the border.
    const float max_drift = std::min(0.1f, border / static_cast<float>(kMaxHalfPeriod));
    piece.drift_x = state_random.between(-max_drift, max_drift);
    piece.drift_z = state_random.between(-max_drift, max_drift);
    piece.hop_steps = 30 + state_random.below(60);
    piece.hop_height = state_random.between(0.0f, 2.0f);
    piece.phase_steps = state_random.below(1 << 16);
    piece.turn_speed = state_random.below(1200);
    set_turn_axis(piece, state_random);
    return piece;
}

}  // namespace

std::vector<DebrisPiece> make_debris(const TerrainSettings& ground, std::size_t count,
                                     SceneRandom& state_random) {
    std::vector<DebrisPiece> pieces;
    pieces.reserve(count);
    for (std::size_t i = 0; i < count; ++i) pieces.push_back(make_piece(ground, state_random));
    return pieces;
}

Vec3 center_of(const DebrisPiece& piece, const Terrain& terrain, std::uint64_t frame_index) noexcept {
    const std::uint64_t step = frame_index + piece.phase_steps;
    const std::int64_t ahead = to_and_fro(step, piece.half_period_steps);
    const float x = piece.base.x + piece.drift_x * static_cast<float>(ahead);
    const float z = piece.base.z + piece.drift_z * static_cast<float>(ahead);
    // A parabola from hop to hop.
    const float hop = static_cast<float>(step % piece.hop_steps) / static_cast<float>(piece.hop_steps);
    const float height = piece.base.y + piece.hop_height * (4.0f * hop * (1.0f - hop));
    return {x, terrain.height(x, z) + height, z};
}

Obb obb_of(const DebrisPiece& piece, const Terrain& terrain, std::uint64_t frame_index) noexcept {
    const std::uint64_t turn = (frame_index + piece.phase_steps) * piece.turn_speed % (1 << 16);
    const double turns = static_cast<double>(turn) * 0x1p-16;
    const double cosine = cosine_of_turns(turns);
    const double sine = sine_of_turns(turns);
    const double x = piece.turn_axis[0];
    const double y = piece.turn_axis[1];
    const double z = piece.turn_axis[2];
    const double rest = 1.0 - cosine;
    const auto vector = [](double vx, double vy, double vz) {
        return Vec3{static_cast<float>(vx), static_cast<float>(vy), static_cast<float>(vz)};
    };
    // Rodrigues: the columns of the rotation about (x, y, z).
    Obb obb;
    obb.center = center_of(piece, terrain, frame_index);
    obb.axis_x = vector(cosine + x * x * rest, y * x * rest + z * sine, z * x * rest - y * sine);
    obb.axis_y = vector(x * y * rest - z * sine, cosine + y * y * rest, z * y * rest + x * sine);
    obb.axis_z = vector(x * z * rest + y * sine, y * z * rest - x * sine, cosine + z * z * rest);
    obb.half_extent = piece.half_extent;
    return obb;
}

}  // namespace broadside::scenes
