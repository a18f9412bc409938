// Oriented box against triangles in batches: one box against all triangles of a mesh, against listed ones, and pairs.
#pragma once

#include "narrowphase/src/obb_triangle_lanes.hpp"
#include "narrowphase/src/obb_triangle_scalar.hpp"

#include <broadside/pair_buffer.hpp>

namespace broadside::narrowphase {

/// Where impacts go; `axis` may be null.
struct ImpactOutput {
    float* toi;
    ContactAxis* axis;
};

/// `motion` is the displacement of the triangles minus that of the box. `obb_displacements` may be null.
struct ObbTriangleKernels {
    void (*overlap)(const Obb& obb, const TriangleSoaView& triangles, std::uint64_t* out_bits);
    void (*overlap_indexed)(const Obb& obb, const TriangleSoaView& triangles, const std::uint32_t* indices,
                            std::size_t index_count, std::uint64_t* out_bits);
    void (*overlap_pairs)(const Obb* obbs, const TriangleSoaView& triangles, const IndexPair* pairs,
                          std::size_t pair_count, std::uint64_t* out_bits);
    void (*impacts)(const Obb& obb, Vec3 motion, const TriangleSoaView& triangles, SweepTest test,
                    ImpactOutput out);
    void (*impacts_indexed)(const Obb& obb, Vec3 motion, const TriangleSoaView& triangles,
                            const std::uint32_t* indices, std::size_t index_count, SweepTest test,
                            ImpactOutput out);
    void (*impact_pairs)(const Obb* obbs, const Vec3* obb_displacements, Vec3 triangle_displacement,
                         const TriangleSoaView& triangles, const IndexPair* pairs, std::size_t pair_count,
                         SweepTest test, ImpactOutput out);
};

// Walking. The list of triangles is `index_of(i)` for i below `count`.

/// Calls body(first_item, group, triangles) for every group of lanes of the whole mesh.
template <class Arch, class Body>
BROADSIDE_FORCE_INLINE void for_each_triangle_group(const TriangleSoaView& triangles, Body&& body) {
    simd::for_each_group<Arch>(triangles.count, [&](std::size_t first, auto group) {
        body(first, group, load_triangles<Arch>(triangles, first, group));
    });
}
/// As above for listed triangles. A partial group repeats its first one in the lanes behind.
template <class Arch, class IndexOf, class Body>
BROADSIDE_FORCE_INLINE void for_each_listed_group(const TriangleSoaView& triangles, std::size_t count,
                                                  IndexOf&& index_of, Body&& body) {
    simd::for_each_group<Arch>(count, [&](std::size_t first, auto group) {
        std::uint32_t indices[Arch::kLanes];
        for (std::uint32_t lane = 0; lane < Arch::kLanes; ++lane) {
            indices[lane] = index_of(first + (lane < group.count ? lane : 0));
        }
        body(first, group, load_triangles_indexed<Arch>(triangles, indices));
    });
}

/// Calls body(obb_index, first_pair, pair_count) for every run of pairs with the same box.
template <class Body>
BROADSIDE_FORCE_INLINE void for_each_run(const IndexPair* pairs, std::size_t pair_count, Body&& body) {
    std::size_t begin = 0;
    while (begin < pair_count) {
        const std::uint32_t obb_index = pairs[begin].first;
        std::size_t end = begin + 1;
        while (end < pair_count && pairs[end].first == obb_index) ++end;
        body(obb_index, begin, end - begin);
        begin = end;
    }
}

// Static.

/// Writes bits that may straddle a word, as groups do that start in the middle of one.
BROADSIDE_FORCE_INLINE void write_bits(simd::BitWriter& state, std::size_t first_item,
                                       std::uint32_t lane_bits, std::uint32_t lane_count) {
    const std::uint32_t room = 64 - static_cast<std::uint32_t>(first_item % 64);
    if (lane_count <= room) {
        state.write(first_item, lane_bits, lane_count);
    } else {
        state.write(first_item, lane_bits, room);
        state.write(first_item + room, lane_bits >> room, lane_count - room);
    }
}

/// The listed triangles against one box; their bits start at `first_bit`.
template <class Arch, class IndexOf>
BROADSIDE_FORCE_INLINE void overlap_listed(const ObbFrame& frame, const TriangleSoaView& triangles,
                                           std::size_t count, IndexOf&& index_of, std::size_t first_bit,
                                           simd::BitWriter& state) {
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < count; ++i) {
            state.write(first_bit + i, overlap_scalar(frame, triangles[index_of(i)]) ? 1u : 0u, 1);
        }
    } else {
        const ObbFrameW<Arch> frame_w = broadcast_frame<Arch>(frame);
        for_each_listed_group<Arch>(
            triangles, count, index_of, [&](std::size_t first, auto group, const TriangleW<Arch>& triangle) {
                write_bits(state, first_bit + first, bits(overlap_lanes(frame_w, triangle)), group.count);
            });
    }
}

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
        for_each_triangle_group<Arch>(
            triangles, [&](std::size_t first, auto group, const TriangleW<Arch>& triangle) {
                writer.write(first, bits(overlap_lanes(frame_w, triangle)), group.count);
            });
    }
    writer.finish();
}

template <class Arch>
void obb_triangle_overlap_indexed_kernel(const Obb& obb, const TriangleSoaView& triangles,
                                         const std::uint32_t* indices, std::size_t index_count,
                                         std::uint64_t* out_bits) {
    simd::BitWriter writer(out_bits);
    overlap_listed<Arch>(
        make_obb_frame(obb, {}), triangles, index_count, [=](std::size_t i) { return indices[i]; }, 0,
        writer);
    writer.finish();
}

template <class Arch>
void obb_triangle_overlap_pairs_kernel(const Obb* obbs, const TriangleSoaView& triangles,
                                       const IndexPair* pairs, std::size_t pair_count,
                                       std::uint64_t* out_bits) {
    simd::BitWriter writer(out_bits);
    for_each_run(pairs, pair_count, [&](std::uint32_t obb_index, std::size_t begin, std::size_t count) {
        overlap_listed<Arch>(
            make_obb_frame(obbs[obb_index], {}), triangles, count,
            [=](std::size_t i) { return pairs[begin + i].second; }, begin, writer);
    });
    writer.finish();
}

// Moving.

BROADSIDE_FORCE_INLINE void store_impact(ImpactOutput out, std::size_t item, const TriangleImpact& impact) {
    out.toi[item] = impact.toi;
    if (out.axis != nullptr) out.axis[item] = impact.axis;
}

template <class Arch, class Group>
BROADSIDE_FORCE_INLINE void store_impacts(ImpactOutput out, std::size_t first, Group group,
                                          const TriangleImpactW<Arch>& impact) {
    group.store(out.toi + first, impact.toi);
    if (out.axis == nullptr) return;
    alignas(64) std::int32_t lanes[Arch::kLanes];
    simd::store_unaligned(lanes, impact.axis);
    for (std::uint32_t lane = 0; lane < group.count; ++lane) {
        out.axis[first + lane] = static_cast<ContactAxis>(lanes[lane]);
    }
}

/// One prepared box over lanes: calls walk(body) with the body that answers a group and stores it.
template <class Arch, bool HasAxis, class Walk>
BROADSIDE_FORCE_INLINE void impacts_over_lanes(const ObbFrame& frame, SweepTest test, ImpactOutput out,
                                               Walk&& walk) {
    const ObbFrameW<Arch> frame_w = broadcast_frame<Arch>(frame);
    const bool has_early_reject = test == SweepTest::exact_with_early_reject && is_moving(frame);
    const MotionAxes axes = make_motion_axes(frame);
    const MotionAxes* early_axes = has_early_reject ? &axes : nullptr;
    walk([&](std::size_t first, auto group, const TriangleW<Arch>& triangle) {
        store_impacts(out, first, group, impact_lanes<HasAxis>(frame_w, early_axes, triangle));
    });
}

template <class Arch, class Walk>
BROADSIDE_FORCE_INLINE void impacts_with_or_without_axis(const ObbFrame& frame, SweepTest test,
                                                         ImpactOutput out, Walk&& walk) {
    if (out.axis != nullptr) {
        impacts_over_lanes<Arch, true>(frame, test, out, walk);
    } else {
        impacts_over_lanes<Arch, false>(frame, test, out, walk);
    }
}

/// The listed triangles against one box.
template <class Arch, class IndexOf>
BROADSIDE_FORCE_INLINE void impacts_listed(const ObbFrame& frame, const TriangleSoaView& triangles,
                                           std::size_t count, IndexOf&& index_of, SweepTest test,
                                           ImpactOutput out) {
    if constexpr (simd::is_scalar<Arch>) {
        const bool has_early_reject = test == SweepTest::exact_with_early_reject;
        for (std::size_t i = 0; i < count; ++i) {
            store_impact(out, i, impact_scalar(frame, triangles[index_of(i)], has_early_reject));
        }
    } else {
        impacts_with_or_without_axis<Arch>(frame, test, out, [&](auto&& body) {
            for_each_listed_group<Arch>(triangles, count, index_of, body);
        });
    }
}

template <class Arch>
void obb_triangle_impacts_kernel(const Obb& obb, Vec3 motion, const TriangleSoaView& triangles,
                                 SweepTest test, ImpactOutput out) {
    const ObbFrame frame = make_obb_frame(obb, motion);
    if constexpr (simd::is_scalar<Arch>) {
        const bool has_early_reject = test == SweepTest::exact_with_early_reject;
        for (std::size_t i = 0; i < triangles.count; ++i) {
            store_impact(out, i, impact_scalar(frame, triangles[i], has_early_reject));
        }
    } else {
        impacts_with_or_without_axis<Arch>(
            frame, test, out, [&](auto&& body) { for_each_triangle_group<Arch>(triangles, body); });
    }
}

template <class Arch>
void obb_triangle_impacts_indexed_kernel(const Obb& obb, Vec3 motion, const TriangleSoaView& triangles,
                                         const std::uint32_t* indices, std::size_t index_count,
                                         SweepTest test, ImpactOutput out) {
    impacts_listed<Arch>(
        make_obb_frame(obb, motion), triangles, index_count, [=](std::size_t i) { return indices[i]; }, test,
        out);
}

template <class Arch>
void obb_triangle_impact_pairs_kernel(const Obb* obbs, const Vec3* obb_displacements,
                                      Vec3 triangle_displacement, const TriangleSoaView& triangles,
                                      const IndexPair* pairs, std::size_t pair_count, SweepTest test,
                                      ImpactOutput out) {
    for_each_run(pairs, pair_count, [&](std::uint32_t obb_index, std::size_t begin, std::size_t count) {
        const Vec3 motion = obb_displacements == nullptr
                                ? triangle_displacement
                                : triangle_displacement - obb_displacements[obb_index];
        impacts_listed<Arch>(make_obb_frame(obbs[obb_index], motion), triangles, count,
                             [=](std::size_t i) { return pairs[begin + i].second; }, test,
                             {out.toi + begin, out.axis == nullptr ? nullptr : out.axis + begin});
    });
}

template <class Arch>
constexpr ObbTriangleKernels make_obb_triangle_kernels() {
    return {&obb_triangle_overlap_kernel<Arch>,         &obb_triangle_overlap_indexed_kernel<Arch>,
            &obb_triangle_overlap_pairs_kernel<Arch>,   &obb_triangle_impacts_kernel<Arch>,
            &obb_triangle_impacts_indexed_kernel<Arch>, &obb_triangle_impact_pairs_kernel<Arch>};
}

}  // namespace broadside::narrowphase
