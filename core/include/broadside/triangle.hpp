// The triangle: three points and their bounding box.
#pragma once

#include <broadside/aabb.hpp>

namespace broadside {

/// Three corners `a`, `b` and `c` in any winding. Degenerate ones (a segment, a point) are legal everywhere.
struct Triangle {
    Vec3 a = {};
    Vec3 b = {};
    Vec3 c = {};
};

/// The closed box of the three corners; NaN in any corner of an axis gives an invalid box.
BROADSIDE_FORCE_INLINE constexpr Aabb bounds(const Triangle& triangle) noexcept {
    // A NaN corner must not be skipped by min_keep, so it is made to poison the box.
    const Vec3 poison = (triangle.a - triangle.a) + (triangle.b - triangle.b) + (triangle.c - triangle.c);
    const Aabb box = {min_keep(min_keep(triangle.a, triangle.b), triangle.c),
                      max_keep(max_keep(triangle.a, triangle.b), triangle.c)};
    return {box.min + poison, box.max + poison};
}

}  // namespace broadside
