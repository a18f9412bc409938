// A small arm: seven joints one after the other, and the spheres that its links are covered with.
#pragma once

#include <broadside/sphere.hpp>
#include <broadside/transform.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace arm_motion {

inline constexpr std::size_t kJointCount = 7;
inline constexpr std::size_t kSphereCount = 59;

/// The angle of each joint, in radians.
using Angles = std::array<float, kJointCount>;

/// A link turns about the z axis of its own frame or about its y axis, in turns; the next link begins at its end.
struct Link {
    float length;
    std::size_t sphere_count;
    float radius;
};
/// Metres. 1.38 m in all; 59 spheres.
inline constexpr std::array<Link, kJointCount> kLinks = {{{0.33f, 8, 0.065f},
                                                          {0.10f, 7, 0.060f},
                                                          {0.30f, 10, 0.055f},
                                                          {0.10f, 7, 0.050f},
                                                          {0.30f, 11, 0.045f},
                                                          {0.10f, 6, 0.040f},
                                                          {0.15f, 10, 0.035f}}};

/// The spheres of a link along its z axis, somewhat beside it, in its own frame.
inline broadside::Vec3 sphere_in_link(const Link& link, std::size_t index) {
    const float beside_x = (static_cast<float>(index % 3) - 1.0f) * 0.03f;
    const float beside_y = (static_cast<float>(index % 2) - 0.5f) * 0.04f;
    const float along = (static_cast<float>(index) + 0.5f) / static_cast<float>(link.sphere_count);
    return {beside_x, beside_y, along * link.length};
}

/// The frame of a joint turned by an angle, seen from the link before.
inline broadside::Transform turned(bool is_about_z, float angle) {
    const float c = std::cos(angle);
    const float s = std::sin(angle);
    if (is_about_z) return {{c, -s, 0}, {s, c, 0}, {0, 0, 1}, {}};
    return {{c, 0, s}, {0, 1, 0}, {-s, 0, c}, {}};
}

/// Forward kinematics: where the spheres are in the world. The arm stands at the origin.
inline void place_spheres(const Angles& angles, std::span<broadside::Sphere, kSphereCount> out_spheres) {
    broadside::Transform world_from_link;
    std::size_t next = 0;
    for (std::size_t joint = 0; joint < kJointCount; ++joint) {
        const Link& link = kLinks[joint];
        world_from_link = world_from_link * turned(joint % 2 == 0, angles[joint]);
        for (std::size_t i = 0; i < link.sphere_count; ++i) {
            const broadside::Vec3 center = transform_point(world_from_link, sphere_in_link(link, i));
            out_spheres[next++] = {center, link.radius};
        }
        world_from_link.translation = transform_point(world_from_link, {0, 0, link.length});
    }
}

/// The spheres in states from one to the other, joints moving evenly: those of the first state, then of the next.
inline void place_motion(const Angles& from, const Angles& to, std::size_t state_count,
                         std::vector<broadside::Sphere>& out_spheres) {
    out_spheres.resize(state_count * kSphereCount);
    for (std::size_t state = 0; state < state_count; ++state) {
        const float t =
            state_count < 2 ? 0.0f : static_cast<float>(state) / static_cast<float>(state_count - 1);
        Angles angles;
        for (std::size_t joint = 0; joint < kJointCount; ++joint)
            angles[joint] = from[joint] + (to[joint] - from[joint]) * t;
        place_spheres(angles, std::span(out_spheres).subspan(state * kSphereCount).first<kSphereCount>());
    }
}

}  // namespace arm_motion
