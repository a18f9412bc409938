// The six faces of an axis-aligned box, by name and by normal.
#pragma once

#include <broadside/vec3.hpp>

#include <cstdint>

namespace broadside {

/// A face of a box: twice the number of its axis, plus one on the max side. `none` if no face was hit.
enum class Face : std::uint8_t { min_x = 0, max_x = 1, min_y = 2, max_y = 3, min_z = 4, max_z = 5, none = 6 };

/// The unit normal that points out of the box through `face`; zero for `none`.
BROADSIDE_FORCE_INLINE constexpr Vec3 outward_normal(Face face) noexcept {
    switch (face) {
        case Face::min_x:
            return {-1.0f, 0.0f, 0.0f};
        case Face::max_x:
            return {1.0f, 0.0f, 0.0f};
        case Face::min_y:
            return {0.0f, -1.0f, 0.0f};
        case Face::max_y:
            return {0.0f, 1.0f, 0.0f};
        case Face::min_z:
            return {0.0f, 0.0f, -1.0f};
        case Face::max_z:
            return {0.0f, 0.0f, 1.0f};
        case Face::none:
            break;
    }
    return {};
}

}  // namespace broadside
