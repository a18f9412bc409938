// The triangles of two leaves, placed: which of them have boxes that meet.
#pragma once

#include "narrowphase/src/mesh_pairs/kernels.hpp"
#include "simd/src/doubles.hpp"
#include "simd/src/node_shapes_lanes.hpp"

namespace broadside::narrowphase {

/// The triangles of a leaf as they are in the world, and their boxes in the form of a node.
struct alignas(64) PlacedLeaf {
    float corners[9][kNodeWidth];
    float planes[kNodeFloats];
    /// Around all of them.
    Aabb box;
    const MeshLeaf* leaf = nullptr;

    BROADSIDE_FORCE_INLINE Triangle triangle(std::uint32_t lane) const {
        return {{corners[0][lane], corners[1][lane], corners[2][lane]},
                {corners[3][lane], corners[4][lane], corners[5][lane]},
                {corners[6][lane], corners[7][lane], corners[8][lane]}};
    }
};

/// placed_scalar() of all lanes.
template <class Arch>
BROADSIDE_FORCE_INLINE void place_leaf(const Placement& placement, const MeshLeaf& leaf,
                                       PlacedLeaf& out_placed) {
    if (out_placed.leaf == &leaf) return;
    out_placed.leaf = &leaf;
    if constexpr (simd::is_scalar<Arch>) {
        for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) {
            const Triangle triangle = placed_scalar(placement, leaf.triangle(lane));
            const Vec3 corners[3] = {triangle.a, triangle.b, triangle.c};
            for (std::uint32_t i = 0; i < 3; ++i) {
                out_placed.corners[3 * i][lane] = corners[i].x;
                out_placed.corners[3 * i + 1][lane] = corners[i].y;
                out_placed.corners[3 * i + 2][lane] = corners[i].z;
            }
            nodes::set_lane_box(out_placed.planes, lane, bounds(triangle));
        }
    } else {
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
        for (std::uint32_t axis = 0; axis < 3; ++axis) {
            for (std::uint32_t lane = 0; lane < kNodeWidth; lane += Arch::kLanes) {
                const FloatW<Arch> a = load_aligned<Arch>(out_placed.corners[axis] + lane);
                const FloatW<Arch> b = load_aligned<Arch>(out_placed.corners[axis + 3] + lane);
                const FloatW<Arch> c = load_aligned<Arch>(out_placed.corners[axis + 6] + lane);
                store_unaligned(out_placed.planes + axis * kNodeWidth + lane, min_keep(min_keep(a, b), c));
                store_unaligned(out_placed.planes + (axis + 3) * kNodeWidth + lane,
                                max_keep(max_keep(a, b), c));
            }
        }
    }
    out_placed.box = nodes::lane_box(out_placed.planes, 0);
    for (std::uint32_t lane = 1; lane < kNodeWidth; ++lane) {
        const Aabb box = nodes::lane_box(out_placed.planes, lane);
        out_placed.box = {min_keep(box.min, out_placed.box.min), max_keep(box.max, out_placed.box.max)};
    }
}

BROADSIDE_FORCE_INLINE Aabb grown(const Aabb& box, float pad) {
    return {box.min - Vec3{pad, pad, pad}, box.max + Vec3{pad, pad, pad}};
}

/// The lanes of a leaf whose boxes meet a box of the other mesh, which moves by `motion`.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t lanes_near(const PlacedPair& pair, const PlacedLeaf& leaf,
                                                const Aabb& box, Vec3 motion, float limit) {
    if (pair.is_moving) {
        const nodes::SlabQuery query = nodes::slab_query(grown(box, pair.world_pad), motion, limit);
        nodes::NodeFloats<Arch> keys;
        return nodes::SlabShape<Arch>(query).test(leaf.planes, limit, keys);
    }
    const Aabb reach = pair.world_pad > 0.0f ? grown(box, pair.world_pad) : box;
    return nodes::BoxShape<Arch>(nodes::BoxQuery(reach)).test(leaf.planes);
}

/// The triangles of b, where they are near a at all, one by one against all of a.
template <class Arch>
BROADSIDE_FORCE_INLINE void meet_leaves(const PlacedPair& pair, const PlacedLeaf& a, std::uint32_t a_count,
                                        const PlacedLeaf& b, std::uint32_t b_count,
                                        TrianglePairSink& state_sink) {
    ++state_sink.leaf_pairs;
    const Vec3 motion = narrowed(pair.motion);
    const std::uint32_t a_lanes = (2u << (a_count - 1)) - 1;
    std::uint32_t b_lanes = (2u << (b_count - 1)) - 1;
    for (b_lanes &= lanes_near<Arch>(pair, b, a.box, -motion, state_sink.limit); b_lanes != 0;
         b_lanes &= b_lanes - 1) {
        const auto lane_b = static_cast<std::uint32_t>(__builtin_ctz(b_lanes));
        const Aabb box = nodes::lane_box(b.planes, lane_b);
        std::uint32_t lanes = lanes_near<Arch>(pair, a, box, motion, state_sink.limit);
        for (lanes &= a_lanes; lanes != 0; lanes &= lanes - 1) {
            const auto lane_a = static_cast<std::uint32_t>(__builtin_ctz(lanes));
            ++state_sink.triangle_tests;
            if (state_sink.meet(state_sink, a.triangle(lane_a), b.triangle(lane_b), a.leaf->triangles[lane_a],
                                b.leaf->triangles[lane_b]))
                continue;
            state_sink.has_ended = true;
            return;
        }
    }
}

template <class Arch>
void leaves_kernel(const PlacedPair& pair, const LeafPart& a, const LeafPart& b,
                   TrianglePairSink& state_sink) {
    PlacedLeaf placed_a, placed_b;
    place_leaf<Arch>(pair.place_a, *a.leaf, placed_a);
    place_leaf<Arch>(pair.place_b, *b.leaf, placed_b);
    meet_leaves<Arch>(pair, placed_a, a.count, placed_b, b.count, state_sink);
}

}  // namespace broadside::narrowphase
