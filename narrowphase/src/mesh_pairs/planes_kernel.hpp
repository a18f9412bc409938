// The planes of a leaf's triangles: finds triangles of two leaves that their planes certainly separate.
#pragma once

#include "narrowphase/src/mesh_pairs/placed_leaf.hpp"
#include "simd/src/lanes.hpp"

namespace broadside::narrowphase {

// A sign in floats is certain if the number is further from 0 than its error. Corners are relative to a
// corner of the leaf. They, normals, products and sums are rounded some eighteen times to 2^-24, relative to
// the normal with the magnitudes of its products added up, and to the size of both leaves. Underflow costs at
// most 2^-149, once in a normal and once after. If anything overflows, no sign is certain. Triangles that are
// separated so are disjoint for `judge_pair`, too.
inline constexpr float kPlaneShare = 0x1p-18f;

/// Corners and planes of the lanes of a placed leaf, relative to the smallest corner of its box.
struct alignas(64) LeafPlanes {
    float corners[9][kNodeWidth];
    float normals[3][kNodeWidth];
    float normal_sizes[3][kNodeWidth];
    /// The position of the plane along the normal.
    float heights[kNodeWidth];
    const MeshLeaf* leaf = nullptr;
};

template <class Arch>
BROADSIDE_FORCE_INLINE void set_planes(const PlacedLeaf& placed, LeafPlanes& out_planes) {
    using namespace simd;
    if (out_planes.leaf == placed.leaf) return;
    out_planes.leaf = placed.leaf;
    const Vec3W<Arch> origin = broadcast<Arch>(placed.box.min);
    for (std::uint32_t first = 0; first < kNodeWidth; first += Arch::kLanes) {
        const auto corner = [&](std::uint32_t row) {
            return Vec3W<Arch>{load_aligned<Arch>(placed.corners[row] + first),
                               load_aligned<Arch>(placed.corners[row + 1] + first),
                               load_aligned<Arch>(placed.corners[row + 2] + first)};
        };
        const auto store = [&](float(*rows)[kNodeWidth], const Vec3W<Arch>& a) {
            store_unaligned(rows[0] + first, a.x);
            store_unaligned(rows[1] + first, a.y);
            store_unaligned(rows[2] + first, a.z);
        };
        const Vec3W<Arch> a = corner(0), b = corner(3), c = corner(6);
        const Vec3W<Arch> ab = b - a, ac = c - a;
        const Vec3W<Arch> normal = cross(ab, ac);
        const Vec3W<Arch> p = absolute(ab), q = absolute(ac);
        const FloatW<Arch> least = broadcast<Arch>(FLT_MIN);
        store(out_planes.normals, normal);
        store(out_planes.normal_sizes, {(p.y * q.z + p.z * q.y) + least, (p.z * q.x + p.x * q.z) + least,
                                        (p.x * q.y + p.y * q.x) + least});
        store_unaligned(out_planes.heights + first, dot(normal, a - origin));
        store(out_planes.corners, a - origin);
        store(out_planes.corners + 3, b - origin);
        store(out_planes.corners + 6, c - origin);
    }
}

/// The subset of `lanes` of a whose triangles are not certainly separated from a triangle of b.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t lanes_not_apart(const PlacedLeaf& leaf_a, const LeafPlanes& a,
                                                     const PlacedLeaf& leaf_b, const LeafPlanes& b,
                                                     std::uint32_t lane_b, std::uint32_t lanes) {
    const Vec3 size = max_keep(leaf_a.box.max, leaf_b.box.max) - min_keep(leaf_a.box.min, leaf_b.box.min);
    using namespace simd;
    const Triangle triangle = leaf_b.triangle(lane_b);
    const Vec3 origin = leaf_a.box.min;
    const Vec3W<Arch> corners[3] = {broadcast<Arch>(triangle.a - origin),
                                    broadcast<Arch>(triangle.b - origin),
                                    broadcast<Arch>(triangle.c - origin)};
    const Vec3 normal_b = {b.normals[0][lane_b], b.normals[1][lane_b], b.normals[2][lane_b]};
    const Vec3 sizes_b = {b.normal_sizes[0][lane_b], b.normal_sizes[1][lane_b], b.normal_sizes[2][lane_b]};
    const float error_b = dot(sizes_b, size) * kPlaneShare + FLT_MIN;
    const float height_b = dot(normal_b, triangle.a - origin);
    const Vec3W<Arch> normal_of_b = broadcast<Arch>(normal_b);
    const FloatW<Arch> above_b = broadcast<Arch>(height_b + error_b);
    const FloatW<Arch> below_b = broadcast<Arch>(height_b - error_b);
    const Vec3W<Arch> size_w = broadcast<Arch>(size);
    std::uint32_t left = 0;
    for (std::uint32_t first = 0; first < kNodeWidth; first += Arch::kLanes) {
        const std::uint32_t of_group = lanes >> first & ((2u << (Arch::kLanes - 1)) - 1);
        if (of_group == 0) continue;
        const auto row = [&](const float(*rows)[kNodeWidth]) {
            return Vec3W<Arch>{load_aligned<Arch>(rows[0] + first), load_aligned<Arch>(rows[1] + first),
                               load_aligned<Arch>(rows[2] + first)};
        };
        // Corners of the lanes on one side of the plane of b.
        const FloatW<Arch> of_a = dot(normal_of_b, row(a.corners));
        const FloatW<Arch> of_b = dot(normal_of_b, row(a.corners + 3));
        const FloatW<Arch> of_c = dot(normal_of_b, row(a.corners + 6));
        const MaskW<Arch> beside_b = (min_keep(min_keep(of_a, of_b), of_c) > above_b) |
                                     (max_keep(max_keep(of_a, of_b), of_c) < below_b);
        // Corners of b on one side of the planes of the lanes.
        const Vec3W<Arch> normal = row(a.normals);
        const FloatW<Arch> error =
            dot(row(a.normal_sizes), size_w) * broadcast<Arch>(kPlaneShare) + broadcast<Arch>(FLT_MIN);
        const FloatW<Arch> height = load_aligned<Arch>(a.heights + first);
        const FloatW<Arch> at_a = dot(normal, corners[0]);
        const FloatW<Arch> at_b = dot(normal, corners[1]);
        const FloatW<Arch> at_c = dot(normal, corners[2]);
        const MaskW<Arch> beside_a = (min_keep(min_keep(at_a, at_b), at_c) > height + error) |
                                     (max_keep(max_keep(at_a, at_b), at_c) < height - error);
        left |= (of_group & ~bits(beside_a | beside_b)) << first;
    }
    return left;
}

}  // namespace broadside::narrowphase
