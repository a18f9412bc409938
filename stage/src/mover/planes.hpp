// The directions that remain to a mover when several planes block it.
#pragma once

#include "stage/src/mover/gap.hpp"

namespace broadside::stage {

/// Planes through the mover that it must not cross.
struct Planes {
    static constexpr std::uint32_t kCapacity = 24;
    Vec3Double normals[kCapacity];
    std::uint32_t count = 0;

    void add(const Vec3Double& normal) {
        if (count < kCapacity) normals[count++] = normal;
    }
    /// True if a displacement of that length crosses no plane, within rounding.
    bool allow(const Vec3Double& way, double size) const {
        for (std::uint32_t i = 0; i < count; ++i) {
            if (dot(normals[i], way) < -size * 0x1p-46) return false;
        }
        return true;
    }
};

/// The displacement nearest to the wish that crosses no plane: the wish itself, its foot on one plane, its
/// foot on the line of two, or zero. The nearest of the allowed ones is the result, because the allowed
/// displacements form a cone whose faces are such planes and lines.
inline Vec3Double allowed_way(const Vec3Double& wish, const Planes& planes) {
    const double size = length(wish);
    if (planes.allow(wish, size)) return wish;
    Vec3Double best = {0.0, 0.0, 0.0};
    double best_sq = 0.0;
    const auto offer = [&](const Vec3Double& way) {
        // The longer a foot is, the nearer it is to the wish.
        const double sq = dot(way, way);
        if (!(sq > best_sq) || !planes.allow(way, size)) return;
        best = way;
        best_sq = sq;
    };
    for (std::uint32_t i = 0; i < planes.count; ++i) {
        const Vec3Double& normal = planes.normals[i];
        const double into = dot(normal, wish);
        if (into < 0.0) offer(wish - normal * into);
    }
    for (std::uint32_t i = 0; i < planes.count; ++i) {
        for (std::uint32_t k = i + 1; k < planes.count; ++k) {
            const Vec3Double line = cross(planes.normals[i], planes.normals[k]);
            const double sq = dot(line, line);
            if (sq > 0x1p-40) offer(line * (dot(line, wish) / sq));
        }
    }
    return best;
}

}  // namespace broadside::stage
