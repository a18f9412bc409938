// Points and spheres in guarded arrays, and shapes of every kind for the kernels that take them.
#pragma once

#include "tests/support/generators.hpp"
#include "tests/support/guarded_array.hpp"

#include <broadside/obb.hpp>
#include <broadside/sphere_view.hpp>
#include <broadside/triangle.hpp>

#include <cmath>
#include <vector>

namespace broadside::test::solids {

class GuardedPoints {
public:
    explicit GuardedPoints(const std::vector<Vec3>& points)
        : x_(points.size()), y_(points.size()), z_(points.size()) {
        for (std::size_t i = 0; i < points.size(); ++i) {
            x_[i] = points[i].x;
            y_[i] = points[i].y;
            z_[i] = points[i].z;
        }
    }
    /// Without the first `skipped` points, which makes the arrays start at an odd address.
    Vec3SoaView view(std::size_t skipped = 0) const {
        return {x_.data() + skipped, y_.data() + skipped, z_.data() + skipped, x_.size() - skipped};
    }

private:
    GuardedArray<float> x_, y_, z_;
};

class GuardedSpheres {
public:
    explicit GuardedSpheres(const std::vector<Sphere>& spheres)
        : x_(spheres.size()), y_(spheres.size()), z_(spheres.size()), radius_(spheres.size()) {
        for (std::size_t i = 0; i < spheres.size(); ++i) {
            x_[i] = spheres[i].center.x;
            y_[i] = spheres[i].center.y;
            z_[i] = spheres[i].center.z;
            radius_[i] = spheres[i].radius;
        }
    }
    SphereSoaView view() const { return {x_.data(), y_.data(), z_.data(), radius_.data(), x_.size()}; }

private:
    GuardedArray<float> x_, y_, z_, radius_;
};

/// Integers, fractions, and sometimes a special value.
inline Vec3 adversarial_vector(Random& random) {
    Vec3 vector = random.chance(2) ? grid_vector(random, 4) : random_vector(random, 4);
    float* const numbers[3] = {&vector.x, &vector.y, &vector.z};
    if (random.chance(6)) *numbers[random.below(3)] = special_float(random);
    return vector;
}
inline Sphere adversarial_sphere(Random& random) {
    Sphere sphere = {adversarial_vector(random), random.chance(2) ? random.grid(0, 4) : random.uniform(0, 3)};
    if (random.chance(8)) sphere.radius = special_float(random);
    return sphere;
}

/// A turned frame from a random quaternion, in float precision.
inline Obb turned_box(Random& random, Vec3 center, Vec3 half_extent) {
    double q[4];
    double length_sq = 0;
    do {
        length_sq = 0;
        for (double& part : q) {
            part = static_cast<double>(random.uniform(-1, 1));
            length_sq += part * part;
        }
    } while (length_sq < 0.01);
    for (double& part : q) part /= std::sqrt(length_sq);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const auto vector = [](double a, double b, double c) {
        return Vec3{static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)};
    };
    return {center, vector(1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)),
            vector(2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)),
            vector(2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)), half_extent};
}
inline Obb adversarial_obb(Random& random) {
    const auto extent = [&] { return random.chance(4) ? 0.0f : random.uniform(0, 3); };
    const Vec3 half_extent = {extent(), extent(), extent()};
    Obb obb = turned_box(random, adversarial_vector(random), half_extent);
    if (random.chance(4)) obb = {grid_vector(random, 3), {0, 1, 0}, {-1, 0, 0}, {0, 0, 1}, half_extent};
    if (random.chance(12)) obb.half_extent.y = special_float(random);
    if (random.chance(12)) obb.axis_z.x = special_float(random);
    return obb;
}
/// Ordinary, degenerate and special ones.
inline Triangle adversarial_triangle(Random& random) {
    Triangle triangle = {adversarial_vector(random), adversarial_vector(random), adversarial_vector(random)};
    if (random.chance(6)) triangle.b = triangle.a;
    if (random.chance(6)) triangle.c = triangle.a * 0.5f + triangle.b * 0.5f;
    return triangle;
}

template <class Item, class Make>
std::vector<Item> list_of(Random& random, std::size_t count, Make make) {
    std::vector<Item> items;
    for (std::size_t i = 0; i < count; ++i) items.push_back(make(random));
    return items;
}

}  // namespace broadside::test::solids
