// The kernels of closest points, compiled once for each ISA.
#include "narrowphase/src/sphere/closest_point_kernel.hpp"
#include "narrowphase/src/sphere/kernels.hpp"
#include "simd/src/unit.hpp"

namespace broadside::narrowphase {

using simd::UnitArch;

constinit const ClosestPointKernels ClosestPointKernels::BROADSIDE_UNIT_ISA = {
    .of_box = &closest_points_of_kernel<UnitArch, Aabb>,
    .of_obb = &closest_points_of_kernel<UnitArch, Obb>,
    .of_triangle = &closest_points_of_kernel<UnitArch, Triangle>,
    .on_boxes = &closest_points_on_boxes_kernel<UnitArch>,
    .on_obbs = &closest_points_on_obbs_kernel<UnitArch>,
    .on_triangles = &closest_points_on_triangles_kernel<UnitArch>,
};

}  // namespace broadside::narrowphase
