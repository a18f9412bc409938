// Turned boxes for the scenes of the oriented-box benches.
#pragma once

#include "bench/sequence.hpp"

#include <broadside/obb.hpp>

#include <cmath>

namespace broadside::bench {

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
