// Exact comparisons of distances between boxes, over the whole range of float. Boxes are valid and may have
// infinite sides; finite points are boxes.
#pragma once

#include "core/src/geometry/box_distance.hpp"

#include <broadside/sphere.hpp>

namespace broadside::geometry {

/// Two results of distance_sq that differ by more than this share belong to different distances: more than
/// twice the five roundings of each.
inline constexpr double kCertainShare = 0x1p-49;

/// True if distance_sq is the exact square of the distance, as it is for coordinates with few digits. May
/// return false for an exact one.
bool is_distance_sq_exact(const Aabb& a, const Aabb& b) noexcept;

/// Two boxes, for a comparison of their distance.
struct BoxDistance {
    Aabb a;
    Aabb b;
};
/// Negative if the first two boxes are nearer to each other, positive if they are further apart, zero if both
/// distances are equal. Works in whole numbers of a few hundred bits, so call it only if the squares leave it
/// open.
int compare_distances(const BoxDistance& first, const BoxDistance& second) noexcept;
/// The same for the distance of two boxes and a number that is finite and not negative.
int compare_distance(const Aabb& a, const Aabb& b, float distance) noexcept;
inline int compare_distance(const Aabb& box, Vec3 point, float distance) noexcept {
    return compare_distance(box, box_of(point), distance);
}

/// A largest distance, zero or more. Infinity means no limit.
class Reach {
public:
    explicit Reach(float distance) noexcept
        : distance_(distance), square_(static_cast<double>(distance) * static_cast<double>(distance)) {}

    /// True if the boxes are no further apart. `distance_sq` is the result of the function of that name.
    bool holds(const Aabb& a, const Aabb& b, double distance_sq) const noexcept {
        if (distance_sq <= square_ * (1.0 - kCertainShare)) return true;
        if (distance_sq > possible_sq()) return false;
        // The square of a float is exact.
        return is_distance_sq_exact(a, b) ? distance_sq <= square_ : compare_distance(a, b, distance_) <= 0;
    }
    bool holds(const Aabb& box, Vec3 point, double distance_sq) const noexcept {
        return holds(box, box_of(point), distance_sq);
    }
    /// No distance within the limit has a larger square in double precision.
    double possible_sq() const noexcept { return square_ * (1.0 + kCertainShare); }

private:
    float distance_;
    double square_;
};

/// The smallest float that is no less than the distance; infinity beyond FLT_MAX. `distance_sq` as above.
float distance_above(const Aabb& a, const Aabb& b, double distance_sq) noexcept;

/// True if they share a point; exact. The specification of `overlap(sphere, box)`.
bool sphere_box_overlap(const Sphere& sphere, const Aabb& box) noexcept;

}  // namespace broadside::geometry
