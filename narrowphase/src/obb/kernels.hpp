// The kernels of oriented boxes as function pointers.
#pragma once

#include <broadside/obb_obb.hpp>
#include <broadside/obb_triangle.hpp>
#include "narrowphase/src/obb/obb_triangle_frame.hpp"

namespace broadside::narrowphase {

/// Outputs for depths or times, and for axes; `axis` may be null.
struct ObbOutput {
    float* value;
    ObbAxis* axis;
};

/// Boxes of the caller and their displacements; `displacements` may be null.
struct MovingObbs {
    const Obb* obbs;
    const Vec3* displacements;
};

/// Single calls: the text over lanes at one lane, so null except in `scalar`.
struct ObbObbSingle {
    bool (*overlap)(const Obb& a, const Obb& b);
    ObbContact (*contact)(const Obb& a, const Obb& b);
    ObbImpact (*impact)(const Obb& a, const Obb& b, Vec3 motion);

    static const ObbObbSingle scalar, sse2, avx2, avx512, neon64, wasm128;
};

struct ObbObbKernels {
    void (*overlap)(const Obb& a, const ObbSoaView& b, std::uint64_t* out_bits);
    void (*overlap_pairs)(const Obb* a, const Obb* b, const IndexPair* pairs, std::size_t pair_count,
                          std::uint64_t* out_bits);
    void (*contacts)(const Obb& a, const ObbSoaView& b, ObbOutput out);
    void (*contact_pairs)(const Obb* a, const Obb* b, const IndexPair* pairs, std::size_t pair_count,
                          ObbOutput out);
    void (*impacts)(const Obb& a, Vec3 a_displacement, const ObbSoaView& b,
                    const Vec3SoaView& b_displacements, ObbOutput out);
    void (*impact_pairs)(const MovingObbs& a, const MovingObbs& b, const IndexPair* pairs,
                         std::size_t pair_count, ObbOutput out);

    static const ObbObbKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

/// Outputs for impacts; `axis` may be null.
struct ImpactOutput {
    float* toi;
    ContactAxis* axis;
};

/// Boxes of the caller and their displacements; `displacements` may be null.
struct ObbsOfPairs {
    const Obb* obbs;
    const Vec3* displacements;
    Vec3 triangle_displacement;

    BROADSIDE_FORCE_INLINE ObbFrame frame(std::uint32_t index) const {
        return make_obb_frame(obbs[index], displacements == nullptr
                                               ? triangle_displacement
                                               : triangle_displacement - displacements[index]);
    }
};

/// The caller's triangles: structs, or arrays if `structs` is null.
struct TriangleList {
    TriangleSoaView arrays;
    const Triangle* structs;

    BROADSIDE_FORCE_INLINE Triangle operator[](std::size_t index) const {
        return structs != nullptr ? structs[index] : arrays[index];
    }
};

/// `motion` is the displacement of the triangles minus that of the box. `obb_displacements` may be empty.
struct ObbTriangleKernels {
    void (*overlap)(const Obb& obb, const TriangleSoaView& triangles, std::uint64_t* out_bits);
    void (*impacts)(const Obb& obb, Vec3 motion, const TriangleSoaView& triangles, ImpactOutput out);
    void (*swept_overlap)(const Obb& obb, Vec3 motion, const TriangleSoaView& triangles,
                          std::uint64_t* out_bits);
    void (*overlap_obbs)(const ObbSoaView& obbs, const Triangle& triangle, std::uint64_t* out_bits);
    void (*obb_impacts)(const ObbSoaView& obbs, const Vec3SoaView& obb_displacements,
                        const Triangle& triangle, Vec3 triangle_displacement, ImpactOutput out);

    static const ObbTriangleKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

struct ListedTriangleKernels {
    void (*overlap_indexed)(const Obb& obb, const TriangleList& triangles, const std::uint32_t* indices,
                            std::size_t index_count, std::uint64_t* out_bits);
    void (*overlap_pairs)(const Obb* obbs, const TriangleList& triangles, const IndexPair* pairs,
                          std::size_t pair_count, std::uint64_t* out_bits);
    void (*impacts_indexed)(const Obb& obb, Vec3 motion, const TriangleList& triangles,
                            const std::uint32_t* indices, std::size_t index_count, ImpactOutput out);
    void (*impact_pairs)(const ObbsOfPairs& obbs, const TriangleList& triangles, const IndexPair* pairs,
                         std::size_t pair_count, ImpactOutput out);

    static const ListedTriangleKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

}  // namespace broadside::narrowphase
