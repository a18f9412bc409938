// All narrowphase kernels of one ISA as plain function pointers, and the set of tables.
#pragma once

#include "narrowphase/src/moving_aabb_kernel.hpp"
#include "narrowphase/src/moving_aabb_rows_kernel.hpp"
#include "narrowphase/src/obb_triangle_kernel.hpp"
#include "narrowphase/src/one_mover_kernel.hpp"
#include "narrowphase/src/overlap_kernel.hpp"
#include "narrowphase/src/pair_range_kernel.hpp"
#include "narrowphase/src/ray_box_kernel.hpp"
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
};

template <class Arch>
constexpr Kernels make_kernels() {
    return {
        make_overlap_kernels<Arch>(),          make_moving_aabb_kernels<Arch>(),
        make_moving_aabb_rows_kernels<Arch>(), make_one_mover_kernels<Arch>(),
        make_pair_range_kernels<Arch>(),       make_ray_box_kernels<Arch>(),
        make_obb_triangle_kernels<Arch>(),
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
