// The triangles of a leaf of a placed mesh, in world space.
#pragma once

#include "narrowphase/src/mesh_pairs/kernels.hpp"
#include "simd/src/doubles.hpp"
#include "simd/src/node_shapes_lanes.hpp"

namespace broadside::narrowphase {

/// The triangles of a leaf in world space, and their boxes in the form of a node.
struct alignas(64) PlacedLeaf {
    float corners[9][kNodeWidth];
    float planes[kNodeFloats];
    /// The box around all of them.
    Aabb box;
    const MeshLeaf* leaf = nullptr;

    BROADSIDE_FORCE_INLINE Triangle triangle(std::uint32_t lane) const {
        return {{corners[0][lane], corners[1][lane], corners[2][lane]},
                {corners[3][lane], corners[4][lane], corners[5][lane]},
                {corners[6][lane], corners[7][lane], corners[8][lane]}};
    }
};

/// The box around all lanes, whose coordinates are finite.
template <class Arch>
BROADSIDE_FORCE_INLINE Aabb box_of_lanes(const float* planes) {
    float sides[6];
    for (std::size_t side = 0; side < 6; ++side) {
        const float* const row = planes + side * kNodeWidth;
        using namespace simd;
        FloatW<Arch> value = load_aligned<Arch>(row);
        for (std::uint32_t first = Arch::kLanes; first < kNodeWidth; first += Arch::kLanes) {
            const FloatW<Arch> next = load_aligned<Arch>(row + first);
            value = side < 3 ? min_keep(next, value) : max_keep(next, value);
        }
        sides[side] = side < 3 ? smallest(value) : largest(value);
    }
    return {{sides[0], sides[1], sides[2]}, {sides[3], sides[4], sides[5]}};
}

/// placed_scalar() of all lanes.
template <class Arch>
BROADSIDE_FORCE_INLINE void place_leaf(const Placement& placement, const MeshLeaf& leaf,
                                       PlacedLeaf& out_placed) {
    if (out_placed.leaf == &leaf) return;
    out_placed.leaf = &leaf;
    using namespace simd;
    const auto row = [&](const Vec3Double& r) {
        return Vec3DoubleW<Arch>{broadcast_double<Arch>(r.x), broadcast_double<Arch>(r.y),
                                 broadcast_double<Arch>(r.z)};
    };
    const Vec3DoubleW<Arch> rows[3] = {row(placement.row_x), row(placement.row_y), row(placement.row_z)};
    const Vec3DoubleW<Arch> translation = row(placement.translation);
    for (std::uint32_t corner = 0; corner < 9; corner += 3) {
        for (std::uint32_t lane = 0; lane < kNodeWidth; lane += kDoubleLanes<Arch>) {
            const DoubleW<Arch> x = load_widened<Arch>(leaf.corners[corner] + lane);
            const DoubleW<Arch> y = load_widened<Arch>(leaf.corners[corner + 1] + lane);
            const DoubleW<Arch> z = load_widened<Arch>(leaf.corners[corner + 2] + lane);
            // (dot(row, a) + translation) rounded
            const auto place = [&](const Vec3DoubleW<Arch>& r, DoubleW<Arch> t) {
                return ((r.x * x + r.y * y) + r.z * z) + t;
            };
            store_narrowed(out_placed.corners[corner] + lane, place(rows[0], translation.x));
            store_narrowed(out_placed.corners[corner + 1] + lane, place(rows[1], translation.y));
            store_narrowed(out_placed.corners[corner + 2] + lane, place(rows[2], translation.z));
        }
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::uint32_t lane = 0; lane < kNodeWidth; lane += Arch::kLanes) {
            const FloatW<Arch> a = load_aligned<Arch>(out_placed.corners[axis] + lane);
            const FloatW<Arch> b = load_aligned<Arch>(out_placed.corners[axis + 3] + lane);
            const FloatW<Arch> c = load_aligned<Arch>(out_placed.corners[axis + 6] + lane);
            store_unaligned(out_placed.planes + axis * kNodeWidth + lane, min_keep(min_keep(a, b), c));
            store_unaligned(out_placed.planes + (axis + 3) * kNodeWidth + lane, max_keep(max_keep(a, b), c));
        }
    }
    out_placed.box = box_of_lanes<Arch>(out_placed.planes);
}

}  // namespace broadside::narrowphase
