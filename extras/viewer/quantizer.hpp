// The part of space that a film shows, and positions as 16-bit numbers in it.
#pragma once

#include <broadside/aabb.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace broadside::viewer {

/// A grid of 65,536 points along each axis. It is for pictures: nothing is computed from what comes out.
class Quantizer {
public:
    static constexpr double kLargest = 65535.0;

    /// Around the points, each of which stands for a corner of something. Where a few lie so far out that the
    /// grid would be too coarse for the others, they are cut off.
    explicit Quantizer(const std::vector<Vec3>& points) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            std::vector<float> values;
            for (const Vec3& point : points) {
                const float value = coordinate(point, axis);
                if (std::isfinite(value)) values.push_back(value);
            }
            if (values.empty()) values.push_back(0);
            std::sort(values.begin(), values.end());
            const std::size_t outer = values.size() / 200;
            const double inner_min = values[outer];
            const double inner_max = values[values.size() - 1 - outer];
            const double room = 50 * std::max(inner_max - inner_min, 1e-3);
            double low = std::max<double>(values.front(), inner_min - room);
            double high = std::min<double>(values.back(), inner_max + room);
            // A world without extent along an axis still has a middle.
            const double margin = 1e-3 * std::max(high - low, 1e-3);
            low -= margin;
            high += margin;
            origin_[axis] = low;
            step_[axis] = (high - low) / kLargest;
        }
    }

    const std::array<double, 3>& origin() const { return origin_; }
    const std::array<double, 3>& step() const { return step_; }

    std::array<std::uint16_t, 3> point(Vec3 p) const {
        return {nearest(p.x, 0), nearest(p.y, 1), nearest(p.z, 2)};
    }
    /// Min corner, then max corner; rounded outwards, so that no box gets thinner. Aabb::empty() becomes the
    /// inverted box of largest and zero.
    std::array<std::uint16_t, 6> box(const Aabb& b) const {
        if (!is_valid(b)) return {65535, 65535, 65535, 0, 0, 0};
        const auto down = [&](float value, std::size_t axis) { return cut(std::floor(place(value, axis))); };
        const auto up = [&](float value, std::size_t axis) { return cut(std::ceil(place(value, axis))); };
        return {down(b.min.x, 0), down(b.min.y, 1), down(b.min.z, 2),
                up(b.max.x, 0),   up(b.max.y, 1),   up(b.max.z, 2)};
    }
    /// The part of the way from `start` to `end` that is shown, as a fraction.
    double shown_part(Vec3 start, Vec3 end) const {
        double part = 1;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double from = place(coordinate(start, axis), axis);
            const double to = place(coordinate(end, axis), axis);
            if (to > kLargest && to > from) part = std::min(part, (kLargest - from) / (to - from));
            if (to < 0 && to < from) part = std::min(part, from / (from - to));
        }
        return std::isfinite(part) ? std::max(part, 0.0) : 0.0;
    }

private:
    static float coordinate(Vec3 p, std::size_t axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }
    double place(double value, std::size_t axis) const { return (value - origin_[axis]) / step_[axis]; }
    static std::uint16_t cut(double value) {
        return static_cast<std::uint16_t>(std::min(std::max(value, 0.0), kLargest));
    }
    std::uint16_t nearest(float value, std::size_t axis) const {
        return cut(std::nearbyint(place(value, axis)));
    }

    std::array<double, 3> origin_{};
    std::array<double, 3> step_{};
};

}  // namespace broadside::viewer
