// Random numbers and turned boxes for the scenes of the oriented-box benches.
#pragma once

#include <broadside/obb.hpp>

#include <cmath>
#include <cstdint>

namespace broadside::bench {

/// A linear congruential sequence (Numerical Recipes' constants).
class Sequence {
public:
    explicit Sequence(std::uint32_t seed = 1) : state_(seed) {}

    /// Uniform in [min, max).
    float next(float min, float max) {
        state_ = state_ * 1664525u + 1013904223u;
        return min + (max - min) * (static_cast<float>(state_ >> 8) * 0x1p-24f);
    }
    std::uint32_t below(std::uint32_t count) {
        return static_cast<std::uint32_t>(next(0, 1) * static_cast<float>(count));
    }
    Vec3 vector(float reach) {
        const float x = next(-reach, reach);
        const float y = next(-reach, reach);
        return {x, y, next(-reach, reach)};
    }

private:
    std::uint32_t state_;
};

/// A box turned about y and then about its own x.
inline Obb turned_box(Vec3 center, float about_y, float about_x, Vec3 half_extent) {
    const float cy = std::cos(about_y);
    const float sy = std::sin(about_y);
    const float cx = std::cos(about_x);
    const float sx = std::sin(about_x);
    return {center, {cy, 0, -sy}, {sy * sx, cx, cy * sx}, {sy * cx, -sx, cy * cx}, half_extent};
}
inline Obb random_box(Sequence& sequence, Vec3 center) {
    const float about_y = sequence.next(0, 6);
    const float about_x = sequence.next(0, 6);
    return turned_box(center, about_y, about_x,
                      {sequence.next(0.2f, 0.7f), sequence.next(0.2f, 0.7f), sequence.next(0.2f, 0.7f)});
}

}  // namespace broadside::bench
