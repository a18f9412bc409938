// Oriented box against triangle in batches: one box against all triangles of a mesh, many boxes against one
// triangle, and the table. Listed triangles and pairs are in obb_triangle_listed_kernel.hpp.
#pragma once

#include "narrowphase/src/obb/obb_triangle_listed_kernel.hpp"
#include "narrowphase/src/obb/triangle_clusters.hpp"

namespace broadside::narrowphase {

// One box, all triangles.

template <class Arch>
void obb_triangle_overlap_kernel(const Obb& obb, const TriangleSoaView& triangles, std::uint64_t* out_bits) {
    simd::BitWriter writer(out_bits);
    const ObbFrame frame = make_obb_frame(obb, {});
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < triangles.count; ++i) {
            writer.write(i, overlap_scalar(frame, triangles[i]) ? 1u : 0u, 1);
        }
    } else {
        const ObbFrameW<Arch> frame_w = broadcast_frame<Arch>(frame);
        for_each_near_group<Arch>(
            triangles, make_group_filter(obb, {}),
            [&](std::size_t first, auto group, const TriangleW<Arch>& triangle) {
                writer.write(first, bits(overlap_lanes(frame_w, triangle)), group.count);
            },
            [&](std::size_t first, auto group) { writer.write(first, 0, group.count); });
    }
    writer.finish();
}

template <class Arch>
void obb_triangle_impacts_kernel(const Obb& obb, Vec3 motion, const TriangleSoaView& triangles,
                                 ImpactOutput out) {
    const ObbFrame frame = make_obb_frame(obb, motion);
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < triangles.count; ++i) {
            store_impact(out, i, impact_scalar(frame, triangles[i]));
        }
    } else {
        impacts_with_or_without_axis<Arch>(frame, out, [&](auto&& body) {
            for_each_near_group<Arch>(
                triangles, make_group_filter(obb, motion), body,
                [&](std::size_t first, auto group) { store_impacts(out, first, group, no_impact<Arch>()); });
        });
    }
}

/// The time is discarded: a test by intervals costs no more than one of 19 axes without a time
/// (bench/dead_ends.md).
template <class Arch>
void obb_triangle_swept_overlap_kernel(const Obb& obb, Vec3 motion, const TriangleSoaView& triangles,
                                       std::uint64_t* out_bits) {
    simd::BitWriter writer(out_bits);
    const ObbFrame frame = make_obb_frame(obb, motion);
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < triangles.count; ++i) {
            writer.write(i, impact_scalar(frame, triangles[i]).toi <= 1.0f ? 1u : 0u, 1);
        }
    } else {
        const ObbFrameW<Arch> frame_w = broadcast_frame<Arch>(frame);
        for_each_near_group<Arch>(
            triangles, make_group_filter(obb, motion),
            [&](std::size_t first, auto group, const TriangleW<Arch>& triangle) {
                const auto toi = impact_lanes<false>(frame_w, triangle).toi;
                writer.write(first, bits(toi <= simd::broadcast<Arch>(1.0f)), group.count);
            },
            [&](std::size_t first, auto group) { writer.write(first, 0, group.count); });
    }
    writer.finish();
}

// Many boxes, one triangle.

template <class Arch>
void obbs_triangle_overlap_kernel(const ObbSoaView& obbs, const Triangle& triangle, std::uint64_t* out_bits) {
    simd::BitWriter writer(out_bits);
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < obbs.count(); ++i) {
            writer.write(i, overlap_scalar(make_obb_frame(obbs[i], {}), triangle) ? 1u : 0u, 1);
        }
    } else {
        const TriangleW<Arch> triangle_w = broadcast_triangle<Arch>(triangle);
        simd::for_each_any_group<Arch>(obbs.count(), [&](std::size_t first, auto group) {
            const ObbFrameW<Arch> frames = make_obb_frames<false>(load_obbs<Arch>(obbs, first, group), {});
            writer.write(first, bits(overlap_lanes(frames, triangle_w)), group.count);
        });
    }
    writer.finish();
}

template <class Arch, bool HasAxis>
BROADSIDE_FORCE_INLINE void obbs_triangle_impacts_lanes(const ObbSoaView& obbs,
                                                        const Vec3SoaView& obb_displacements,
                                                        const Triangle& triangle, Vec3 triangle_displacement,
                                                        ImpactOutput out) {
    using namespace simd;
    const TriangleW<Arch> triangle_w = broadcast_triangle<Arch>(triangle);
    const Vec3W<Arch> triangle_moves = broadcast<Arch>(triangle_displacement);
    for_each_any_group<Arch>(obbs.count(), [&](std::size_t first, auto group) {
        const Vec3W<Arch> motion = obb_displacements.count == 0
                                       ? triangle_moves
                                       : triangle_moves - load_vectors<Arch>(obb_displacements, first, group);
        const ObbFrameW<Arch> frames = make_obb_frames<true>(load_obbs<Arch>(obbs, first, group), motion);
        store_impacts(out, first, group, impact_lanes<HasAxis>(frames, triangle_w));
    });
}

template <class Arch>
void obbs_triangle_impacts_kernel(const ObbSoaView& obbs, const Vec3SoaView& obb_displacements,
                                  const Triangle& triangle, Vec3 triangle_displacement, ImpactOutput out) {
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < obbs.count(); ++i) {
            const Vec3 motion = obb_displacements.count == 0 ? triangle_displacement
                                                             : triangle_displacement - obb_displacements[i];
            store_impact(out, i, impact_scalar(make_obb_frame(obbs[i], motion), triangle));
        }
    } else if (out.axis == nullptr) {
        obbs_triangle_impacts_lanes<Arch, false>(obbs, obb_displacements, triangle, triangle_displacement,
                                                 out);
    } else {
        obbs_triangle_impacts_lanes<Arch, true>(obbs, obb_displacements, triangle, triangle_displacement,
                                                out);
    }
}

}  // namespace broadside::narrowphase
