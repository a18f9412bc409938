// What is sorted into the tree of a mesh: triangles, or cells of them, by their boxes.
#pragma once

#include <broadside/triangle.hpp>

#include <cfloat>
#include <cstdint>

namespace broadside::narrowphase {

/// A box as its least corner and the negative of its greatest, each with a spare number: what joins two boxes
/// is then one comparison for all numbers, of which compilers make two instructions. Zeros have one sign, so
/// that the bits do not depend on the order in which boxes are joined.
struct alignas(16) JoinedBox {
    float numbers[8];

    static JoinedBox empty() {
        constexpr float kInfinity = __builtin_inff();
        return {{kInfinity, kInfinity, kInfinity, 0, kInfinity, kInfinity, kInfinity, 0}};
    }
    BROADSIDE_FORCE_INLINE void join(const JoinedBox& other) {
        for (int i = 0; i < 8; ++i)
            numbers[i] = other.numbers[i] < numbers[i] ? other.numbers[i] : numbers[i];
    }
    Aabb box() const {
        return {{numbers[0], numbers[1], numbers[2]}, {-numbers[4], -numbers[5], -numbers[6]}};
    }
    /// Half the surface, of edges halved, so that only boxes of absurd size overflow; those count as one size.
    BROADSIDE_FORCE_INLINE float area() const {
        const float x = -(numbers[4] * 0.5f) - numbers[0] * 0.5f;
        const float y = -(numbers[5] * 0.5f) - numbers[1] * 0.5f;
        const float z = -(numbers[6] * 0.5f) - numbers[2] * 0.5f;
        return min_keep(x * y + y * z + z * x, FLT_MAX);
    }
};

/// Half the center of a box, of which no difference overflows, and a zero.
struct alignas(16) HalfCenter {
    float numbers[4];
};

/// A triangle, or a cell with some. The spare numbers of its box are its name and how many triangles it is.
struct Piece {
    JoinedBox box;

    std::uint32_t name() const { return __builtin_bit_cast(std::uint32_t, box.numbers[3]); }
    std::uint32_t triangle_count() const { return __builtin_bit_cast(std::uint32_t, box.numbers[7]); }
    void set(std::uint32_t name, std::uint32_t triangle_count) {
        box.numbers[3] = __builtin_bit_cast(float, name);
        box.numbers[7] = __builtin_bit_cast(float, triangle_count);
    }
    BROADSIDE_FORCE_INLINE HalfCenter half_center() const {
        HalfCenter center;
        for (int i = 0; i < 4; ++i) {
            // The spare ones would be subnormal numbers, at which processors are slow.
            const float min = i == 3 ? 0.0f : box.numbers[i];
            const float negative_max = i == 3 ? 0.0f : box.numbers[4 + i];
            center.numbers[i] = min * 0.25f - negative_max * 0.25f;
        }
        return center;
    }
};

BROADSIDE_FORCE_INLINE Piece piece_of(const Triangle& triangle, std::uint32_t name) {
    const Vec3 min = min_keep(min_keep(triangle.a, triangle.b), triangle.c);
    const Vec3 max = max_keep(max_keep(triangle.a, triangle.b), triangle.c);
    Piece piece = {{{min.x + 0.0f, min.y + 0.0f, min.z + 0.0f, 0, -(max.x + 0.0f), -(max.y + 0.0f),
                     -(max.z + 0.0f), 0}}};
    piece.set(name, 1);
    return piece;
}

/// The box around pieces, and that around their half centers.
struct PieceExtent {
    JoinedBox box = JoinedBox::empty();
    JoinedBox half_centers = JoinedBox::empty();

    BROADSIDE_FORCE_INLINE void add_center(const HalfCenter& center) {
        JoinedBox point;
        for (int i = 0; i < 4; ++i) {
            point.numbers[i] = center.numbers[i];
            point.numbers[4 + i] = -center.numbers[i];
        }
        half_centers.join(point);
    }
    BROADSIDE_FORCE_INLINE void add(const Piece& piece) {
        box.join(piece.box);
        add_center(piece.half_center());
    }
};

}  // namespace broadside::narrowphase
