// The bodies and contacts of the stand-in engine. Units are metres, kilograms and seconds.
#pragma once

#include "examples/engine_broadphase/broad_phase.hpp"

#include <broadside/obb.hpp>

#include <cmath>

namespace engine_example {

using broadside::Aabb;
using broadside::Obb;
using broadside::Vec3;

/// Contacts begin when shapes are this near.
inline constexpr float kContactDistance = 0.02f;
inline constexpr float kStepSeconds = 1.0f / 60;

/// The layers of the broad phase.
enum Layer : std::uint16_t { kScenery, kBodies, kDebris };

enum class ShapeKind : std::uint8_t { box, sphere };

/// A body as the game describes it.
struct BodySettings {
    ShapeKind shape = ShapeKind::box;
    /// For a sphere, the radius three times.
    Vec3 half_extent = {0.5f, 0.5f, 0.5f};
    Vec3 position = {};
    Vec3 velocity = {};
    /// Zero for scenery, which never moves.
    float mass = 1;
    Layer layer = kBodies;
};

/// The data that the solver reads and writes: one cache line.
struct alignas(64) Motion {
    Vec3 velocity;
    /// Zero while the body does not move.
    float inv_mass = 0;
    Vec3 spin;
    /// The inverse inertia in the world: the diagonal, and xy, xz, yz.
    Vec3 inv_inertia;
    Vec3 inv_inertia_sides;
};

inline Vec3 turned(const Motion& motion, Vec3 v) {
    const Vec3& d = motion.inv_inertia;
    const Vec3& s = motion.inv_inertia_sides;
    return {d.x * v.x + s.x * v.y + s.y * v.z, s.x * v.x + d.y * v.y + s.z * v.z,
            s.y * v.x + s.z * v.y + d.z * v.z};
}

struct Body {
    Obb pose;
    float rotation[4] = {0, 0, 0, 1};
    float inv_mass = 0;
    Vec3 inv_inertia;
    ShapeKind shape = ShapeKind::box;
    bool is_alive = false;
    bool is_awake = false;
    /// How long it has been slow.
    float slow_seconds = 0;
    Proxy proxy;
    /// The box in the broad phase: larger than the body, which moves within it.
    Aabb known_box;
};

/// A point at which two bodies touch.
struct ContactPoint {
    /// From the centers of the bodies, in the world.
    Vec3 from_a;
    Vec3 from_b;
    /// Negative if they overlap.
    float distance = 0;
    /// Along the normal and the two tangents; the next step begins with them.
    float impulse[3] = {};
};

/// The engine's data of a pair while the broad phase has it.
struct Contact {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    std::uint32_t a = kNone;
    std::uint32_t b = kNone;
    std::uint32_t point_count = 0;
    /// From a to b.
    Vec3 normal;
    ContactPoint points[4];
};

/// Any two unit vectors that are perpendicular to the unit vector and to each other.
inline void make_tangents(Vec3 normal, Vec3 (&out_tangents)[2]) {
    const Vec3 other = std::abs(normal.x) < 0.6f ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    const Vec3 across = cross(normal, other);
    out_tangents[0] = across * (1 / std::sqrt(length_sq(across)));
    out_tangents[1] = cross(normal, out_tangents[0]);
}

}  // namespace engine_example
