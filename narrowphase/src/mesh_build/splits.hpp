// The pieces that are sorted into the tree of a mesh (triangles, or cells of them), by their boxes, and their
// best split. Splits use the surface area heuristic, at planes between a few bins along each axis (I. Wald,
// "On fast Construction of SAH-based Bounding Volume Hierarchies", 2007).
#pragma once

#include "narrowphase/src/mesh/layout.hpp"

#include <broadside/triangle.hpp>

#include <cfloat>
#include <cstdint>

namespace broadside::narrowphase {

/// A box as its least corner and the negative of its greatest, each with a spare number. Joining two boxes is
/// then one comparison for all numbers, which compilers turn into two instructions. Zeros have one sign, so
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
    /// Half the surface, with edges halved, so only boxes of absurd size overflow; those count as one size.
    BROADSIDE_FORCE_INLINE float area() const {
        const float x = -(numbers[4] * 0.5f) - numbers[0] * 0.5f;
        const float y = -(numbers[5] * 0.5f) - numbers[1] * 0.5f;
        const float z = -(numbers[6] * 0.5f) - numbers[2] * 0.5f;
        return min_keep(x * y + y * z + z * x, FLT_MAX);
    }
};

/// Half the center of a box, so that no difference overflows, and a zero.
struct alignas(16) HalfCenter {
    float numbers[4];
};

/// A triangle, or a cell with some. The spare numbers of its box are its name and its number of triangles.
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
            // The spare numbers would be subnormal, which is slow on processors.
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

/// The box around pieces, and the box around their half centers.
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
    void add(const PieceExtent& other) {
        box.join(other.box);
        half_centers.join(other.half_centers);
    }
};

inline constexpr std::uint32_t kMaxBinCount = 16;

/// Number of bins. Few pieces get fewer bins, because scanning the bins would take longer than filling them.
inline std::uint32_t bin_count(std::uint32_t piece_count) { return piece_count <= 64 ? 8 : kMaxBinCount; }

/// Maps a half center to its bin, always the same one.
struct BinScale {
    float begin[4];
    /// 0 for axes along which the centers cannot be told apart.
    float factor[4];

    BinScale(const JoinedBox& half_centers, std::uint32_t count) {
        for (int i = 0; i < 4; ++i) {
            const float length = -half_centers.numbers[4 + i] - half_centers.numbers[i];
            begin[i] = i == 3 ? 0.0f : half_centers.numbers[i];
            // Below `count` even if rounded, and finite.
            factor[i] = i != 3 && length >= 0x1p-100f ? static_cast<float>(count) * 0.999f / length : 0.0f;
        }
    }
    BROADSIDE_FORCE_INLINE void bins(const HalfCenter& center, std::uint32_t (&out_bins)[4]) const {
        for (int i = 0; i < 4; ++i) {
            out_bins[i] = static_cast<std::uint32_t>(
                static_cast<std::int32_t>((center.numbers[i] - begin[i]) * factor[i]));
        }
    }
    BROADSIDE_FORCE_INLINE std::uint32_t bin(const HalfCenter& center, std::uint32_t axis) const {
        return static_cast<std::uint32_t>(
            static_cast<std::int32_t>((center.numbers[axis] - begin[axis]) * factor[axis]));
    }
};

/// A split of an axis before `first_bin`, and the boxes around both parts.
struct Split {
    static constexpr std::uint32_t kNone = 3;

    /// kNone if no split has pieces on both sides.
    std::uint32_t axis = kNone;
    std::uint32_t first_bin = 0;
    JoinedBox before;
    JoinedBox behind;
};

struct Bins {
    JoinedBox boxes[kMaxBinCount];
    std::uint32_t triangle_counts[kMaxBinCount];
};

/// The cost of testing triangles: they are tested a leaf at a time.
inline float leaf_cost(std::uint32_t triangle_count) {
    const std::uint32_t leaves = (triangle_count + kNodeWidth - 1) / kNodeWidth;
    return static_cast<float>(leaves);
}

/// Sets `split` to the cheapest one of an axis if that is below the lowest cost.
inline void choose_split(const Bins& bins, std::uint32_t count, std::uint32_t axis, float& state_lowest_cost,
                         Split& state_split) {
    JoinedBox boxes_behind[kMaxBinCount];
    std::uint32_t counts_behind[kMaxBinCount];
    JoinedBox box = JoinedBox::empty();
    std::uint32_t triangle_count = 0;
    for (std::uint32_t bin = count - 1; bin > 0; --bin) {
        box.join(bins.boxes[bin]);
        triangle_count += bins.triangle_counts[bin];
        boxes_behind[bin] = box;
        counts_behind[bin] = triangle_count;
    }
    box = JoinedBox::empty();
    triangle_count = 0;
    for (std::uint32_t bin = 1; bin < count; ++bin) {
        box.join(bins.boxes[bin - 1]);
        triangle_count += bins.triangle_counts[bin - 1];
        if (triangle_count == 0 || counts_behind[bin] == 0) continue;
        const float cost = min_keep(
            box.area() * leaf_cost(triangle_count) + boxes_behind[bin].area() * leaf_cost(counts_behind[bin]),
            FLT_MAX);
        if (cost < state_lowest_cost) {
            state_lowest_cost = cost;
            state_split = {axis, bin, box, boxes_behind[bin]};
        }
    }
}

inline Split find_split(const Piece* pieces, std::uint32_t count, const PieceExtent& extent) {
    const std::uint32_t bins_of_axis = bin_count(count);
    const BinScale scale(extent.half_centers, bins_of_axis);
    Bins axes[3];
    for (Bins& bins : axes) {
        for (std::uint32_t bin = 0; bin < bins_of_axis; ++bin) {
            bins.boxes[bin] = JoinedBox::empty();
            bins.triangle_counts[bin] = 0;
        }
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        const Piece piece = pieces[i];
        alignas(16) std::uint32_t bins[4];
        scale.bins(piece.half_center(), bins);
        for (int axis = 0; axis < 3; ++axis) {
            axes[axis].boxes[bins[axis]].join(piece.box);
            axes[axis].triangle_counts[bins[axis]] += piece.triangle_count();
        }
    }
    Split split;
    float lowest_cost = __builtin_inff();
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
        if (scale.factor[axis] != 0.0f) choose_split(axes[axis], bins_of_axis, axis, lowest_cost, split);
    }
    return split;
}

/// The parts of a split; the pieces before it come first.
struct Parts {
    std::uint32_t piece_count = 0;
    std::uint32_t triangle_count = 0;
    PieceExtent before;
    PieceExtent behind;
};

inline Parts part(Piece* state_pieces, std::uint32_t count, const PieceExtent& extent, const Split& split) {
    const BinScale scale(extent.half_centers, bin_count(count));
    PieceExtent sides[2];
    Parts parts;
    for (std::uint32_t i = 0; i < count; ++i) {
        const Piece piece = state_pieces[i];
        const HalfCenter center = piece.half_center();
        const std::uint32_t is_before = scale.bin(center, split.axis) < split.first_bin ? 1u : 0u;
        sides[is_before].add_center(center);
        // Without a branch, which would be unpredictable: a piece from behind the split moves further back.
        state_pieces[i] = state_pieces[parts.piece_count];
        state_pieces[parts.piece_count] = piece;
        parts.piece_count += is_before;
        parts.triangle_count += is_before != 0 ? piece.triangle_count() : 0u;
    }
    parts.before = {split.before, sides[1].half_centers};
    parts.behind = {split.behind, sides[0].half_centers};
    return parts;
}

}  // namespace broadside::narrowphase
