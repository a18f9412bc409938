// Comparisons of distances between boxes that no rounding decides, over the whole range of float. Boxes are valid
// and may have infinite sides; finite points are boxes.
#pragma once

#include "core/src/geometry/box_distance.hpp"

#include <broadside/sphere.hpp>

namespace broadside::geometry {

/// A share by which two results of distance_sq differ only if the distances do: more than twice the five
/// roundings that each takes.
inline constexpr double kCertainShare = 0x1p-49;

/// Whether distance_sq is the square of the distance and no rounding of it, as it is where coordinates have
/// few digits. May say no of one that is.
bool is_distance_sq_exact(const Aabb& a, const Aabb& b) noexcept;

/// Two boxes, and what is compared of them.
struct BoxDistance {
    Aabb a;
    Aabb b;
};
/// Below zero where the first two boxes are nearer to each other, above where they are further apart, zero where
/// both distances are equal. In whole numbers of a few hundred bits, so for those only whose squares do not tell.
int compare_distances(const BoxDistance& first, const BoxDistance& second) noexcept;
/// The same of two boxes and of a distance that is finite and not negative.
int compare_distance(const Aabb& a, const Aabb& b, float distance) noexcept;
inline int compare_distance(const Aabb& box, Vec3 point, float distance) noexcept {
    return compare_distance(box, box_of(point), distance);
}

/// A largest distance, zero or more; infinity is none.
class Reach {
public:
    explicit Reach(float distance) noexcept
        : distance_(distance), square_(static_cast<double>(distance) * static_cast<double>(distance)) {}

    /// Whether the boxes are no further apart. `distance_sq` is what the function of that name says.
    bool holds(const Aabb& a, const Aabb& b, double distance_sq) const noexcept {
        if (distance_sq <= square_ * (1.0 - kCertainShare)) return true;
        if (distance_sq > possible_sq()) return false;
        // The square of a float is exact.
        return is_distance_sq_exact(a, b) ? distance_sq <= square_ : compare_distance(a, b, distance_) <= 0;
    }
    bool holds(const Aabb& box, Vec3 point, double distance_sq) const noexcept {
        return holds(box, box_of(point), distance_sq);
    }
    /// No distance within has a larger square in double precision.
    double possible_sq() const noexcept { return square_ * (1.0 + kCertainShare); }

private:
    float distance_;
    double square_;
};

/// The smallest float that is no less than the distance; infinity beyond FLT_MAX. `distance_sq` as above.
float distance_above(const Aabb& a, const Aabb& b, double distance_sq) noexcept;

/// Closed, decided exactly: the specification of `overlap(sphere, box)`.
bool sphere_box_overlap(const Sphere& sphere, const Aabb& box) noexcept;

}  // namespace broadside::geometry
