// The kernels of bounds and fits as function pointers.
#pragma once

#include <broadside/bounds.hpp>
#include "narrowphase/src/bounds/fit_passes.hpp"

namespace broadside::narrowphase {

struct BoundsKernels {
    void (*spheres)(const SphereSoaView& spheres, Rounding rounding, const BoxSoaSpan& out_boxes);
    void (*obbs)(const Obb* obbs, std::size_t obb_count, Rounding rounding, const BoxSoaSpan& out_boxes);
    void (*boxes)(const Transform& transform, const BoxSoaView& boxes, Rounding rounding,
                  const BoxSoaSpan& out_boxes);
    void (*boxes_each)(const Transform* transforms, const BoxSoaView& boxes, Rounding rounding,
                       const BoxSoaSpan& out_boxes);

    static const BoundsKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

struct FitKernels {
    void (*extents)(const FitFrame& frame, const Vec3SoaView& points, FrameExtents& out_extents);
    void (*farthest)(const Vec3Double& center, const Vec3SoaView& points, FarthestPoint& out_farthest);

    static const FitKernels scalar, sse2, avx2, avx512, neon64, wasm128;
};

}  // namespace broadside::narrowphase
