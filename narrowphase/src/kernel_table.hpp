// All narrowphase kernels of one ISA as plain function pointers, and the set of tables.
#pragma once

#include "narrowphase/src/batch/pair_range_kernel.hpp"
#include "narrowphase/src/bounds/bounds_kernel.hpp"
#include "narrowphase/src/bounds/fit_kernel.hpp"
#include "narrowphase/src/moving_box/moving_aabb_kernel.hpp"
#include "narrowphase/src/moving_box/one_mover_kernel.hpp"
#include "narrowphase/src/moving_box/rows_kernel.hpp"
#include "narrowphase/src/obb/obb_obb_kernel.hpp"
#include "narrowphase/src/obb/obb_triangle_kernel.hpp"
#include "narrowphase/src/overlap/overlap_kernel.hpp"
#include "narrowphase/src/ray/ray_box_kernel.hpp"
#include "narrowphase/src/ray/ray_sphere_kernel.hpp"
#include "narrowphase/src/sphere/closest_point_kernel.hpp"
#include "narrowphase/src/sphere/moving_sphere_kernel.hpp"
#include "narrowphase/src/sphere/sphere_overlap_kernel.hpp"
#include "simd/src/dispatch.hpp"

namespace broadside::narrowphase {

struct Kernels {
    OverlapKernels overlap;
    MovingAabbKernels moving_aabb;
    MovingAabbRowsKernels moving_aabb_rows;
    OneMoverKernels one_mover;
    PairRangeKernels pair_range;
    RayBoxKernels ray_box;
    ObbTriangleKernels obb_triangle;
    ClosestPointKernels closest_point;
    SphereOverlapKernels sphere_overlap;
    MovingSphereKernels moving_sphere;
    RaySphereKernels ray_sphere;
    BoundsKernels bounds;
    FitKernels fit;
    ObbObbKernels obb_obb;
};

template <class Arch>
constexpr Kernels make_kernels() {
    return {
        make_overlap_kernels<Arch>(),
        make_moving_aabb_kernels<Arch>(),
        make_moving_aabb_rows_kernels<Arch>(),
        make_one_mover_kernels<Arch>(),
        make_pair_range_kernels<Arch>(),
        make_ray_box_kernels<Arch>(),
        make_obb_triangle_kernels<Arch>(),
        make_closest_point_kernels<Arch>(),
        make_sphere_overlap_kernels<Arch>(),
        make_moving_sphere_kernels<Arch>(),
        make_ray_sphere_kernels<Arch>(),
        make_bounds_kernels<Arch>(),
        make_fit_kernels<Arch>(),
        make_obb_obb_kernels<Arch>(),
    };
}

// One per unit in isa/.
extern const Kernels kKernelsScalar;
extern const Kernels kKernelsSse2;
extern const Kernels kKernelsAvx2;
extern const Kernels kKernelsAvx512;
extern const Kernels kKernelsNeon64;

/// The kernels of the active ISA, or null when none is active.
const Kernels* active_kernels() noexcept;

}  // namespace broadside::narrowphase
