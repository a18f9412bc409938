// Shadow verification: the kernels of the narrowphase, with the names of their arguments in reports.
#pragma once

#include "narrowphase/src/batch/kernels.hpp"
#include "narrowphase/src/bounds/kernels.hpp"
#include "narrowphase/src/moving_box/kernels.hpp"
#include "narrowphase/src/moving_box/rows_scalar.hpp"
#include "narrowphase/src/obb/kernels.hpp"
#include "narrowphase/src/overlap/kernels.hpp"
#include "narrowphase/src/ray/kernels.hpp"
#include "narrowphase/src/shadow/roles.hpp"
#include "narrowphase/src/sphere/kernels.hpp"
#include "simd/src/shadow_call.hpp"

namespace broadside::simd::shadow {

template <class Shapes>
inline constexpr std::string_view kFields<Moving<Shapes>> = "shapes displacements";
template <>
inline constexpr std::string_view kFields<narrowphase::MovingObbs> = "obbs displacements";
template <>
inline constexpr std::string_view kFields<narrowphase::ObbsOfPairs> =
    "obbs displacements triangle_displacement";
template <>
inline constexpr std::string_view kFields<narrowphase::TriangleList> = "arrays structs";
template <>
inline constexpr std::string_view kFields<BoxSoaSpan> = "min_x min_y min_z max_x max_y max_z count";
template <>
inline constexpr std::string_view kFields<narrowphase::RayBoxTargets> = "t_enter t_exit face hit_bits";
template <>
inline constexpr std::string_view kFields<narrowphase::RaySphereTargets> = "t_enter t_exit hit_bits";
template <>
inline constexpr std::string_view kFields<narrowphase::ClosestPointTargets> = "x y z distance_sq";
template <>
inline constexpr std::string_view kFields<narrowphase::ObbOutput> = "value axis";
template <>
inline constexpr std::string_view kFields<narrowphase::ImpactOutput> = "toi axis";

template <>
inline constexpr std::size_t kOutputGroup<narrowphase::RestingBoxRow> = narrowphase::kRowGroup;
template <>
inline constexpr std::size_t kOutputGroup<narrowphase::MovingBoxRow> = narrowphase::kRowGroup;
template <>
inline constexpr std::size_t kOutputGroup<narrowphase::BodyBoxRow> = narrowphase::kRowGroup;

inline constexpr auto kNarrowphaseCalls = [] {
    using namespace narrowphase;
    return std::tuple{
        shadow_call<&PairRangeKernels::are_in_range>("are_in_range(pairs, first_count, second_count)"),
        shadow_call<&OverlapKernels::boxes>("boxes(box, boxes, out_bits)"),
        shadow_call<&OverlapKernels::pairs>("pairs(a, b, pairs, out_bits)"),
        shadow_call<&MovingAabbKernels::streams>(
            "streams(a, a_displacements, b, b_displacements, touch, out_toi, out_faces)"),
        shadow_call<&MovingAabbKernels::pairs>(
            "pairs(a, a_displacements, b, b_displacements, pairs, touch, out_toi, out_faces)"),
        shadow_call<&MovingAabbRowsKernels::prepare_resting>("prepare_resting(boxes, out_rows)"),
        shadow_call<&MovingAabbRowsKernels::prepare_movers>(
            "prepare_movers(movers, displacements, touch, out_rows)"),
        shadow_call<&MovingAabbRowsKernels::prepare_bodies>(
            "prepare_bodies(bodies, displacements, out_rows)"),
        shadow_call<&MovingAabbRowsKernels::pairs>(
            "pairs(resting, movers, pairs, touch, out_toi, out_faces)"),
        shadow_call<&MovingAabbRowsKernels::body_pairs>("body_pairs(a, b, pairs, touch, out_toi, out_faces)"),
        shadow_call<&OneMoverKernels::boxes>(
            "boxes(mover, displacement, resting, touch, out_toi, out_faces)"),
        shadow_call<&BoundsKernels::spheres>("spheres(spheres, rounding, out)"),
        shadow_call<&BoundsKernels::obbs>("obbs(obbs, rounding, out)"),
        shadow_call<&BoundsKernels::boxes>("boxes(transform, boxes, rounding, out)"),
        shadow_call<&BoundsKernels::boxes_each>("boxes_each(transforms, boxes, rounding, out)"),
        shadow_call<&FitKernels::extents>("extents(direction, points, out_answer)"),
        shadow_call<&FitKernels::farthest>("farthest(direction, points, out_answer)"),
        shadow_call<&RayBoxKernels::hits>("hits(ray, boxes, out_bits)"),
        shadow_call<&RayBoxKernels::boxes>("boxes(ray, boxes, out)"),
        shadow_call<&RayBoxKernels::boxes_with_face>("boxes_with_face(ray, boxes, out)"),
        shadow_call<&RayBoxKernels::pairs>("pairs(rays, boxes, pairs, settings, out)"),
        shadow_call<&RayBoxKernels::many_hits>("many_hits(rays, boxes, settings, out_bits)"),
        shadow_call<&RayBoxKernels::closest>("closest(rays, boxes, settings, out_closest)"),
        shadow_call<&RaySphereKernels::spheres>("spheres(ray, spheres, inside, out)"),
        shadow_call<&RaySphereKernels::closest>("closest(rays, spheres, inside, out_closest)"),
        shadow_call<&RayBox4Kernels::nodes>("nodes(ray, nodes, out_hits, out_t_enter[4])"),
        shadow_call<&RayBox4Kernels::packet>("packet(rays, boxes, out_hits, out_t_enter[4])"),
        shadow_call<&ClosestPointKernels::of_box>("of_box(shape, points, out)"),
        shadow_call<&ClosestPointKernels::of_obb>("of_obb(shape, points, out)"),
        shadow_call<&ClosestPointKernels::of_triangle>("of_triangle(shape, points, out)"),
        shadow_call<&ClosestPointKernels::on_boxes>("on_boxes(point, shapes, out)"),
        shadow_call<&ClosestPointKernels::on_obbs>("on_obbs(point, obbs, out)"),
        shadow_call<&ClosestPointKernels::on_triangles>("on_triangles(point, shapes, out)"),
        shadow_call<&SphereOverlapKernels::spheres>("spheres(shape, shapes, out_bits)"),
        shadow_call<&SphereOverlapKernels::boxes>("boxes(shape, shapes, out_bits)"),
        shadow_call<&SphereOverlapKernels::obbs>("obbs(sphere, obbs, out_bits)"),
        shadow_call<&SphereOverlapKernels::triangles>("triangles(shape, shapes, out_bits)"),
        shadow_call<&SphereOverlapKernels::of_box>("of_box(shape, shapes, out_bits)"),
        shadow_call<&SphereOverlapKernels::of_obb>("of_obb(shape, shapes, out_bits)"),
        shadow_call<&SphereOverlapKernels::of_triangle>("of_triangle(shape, shapes, out_bits)"),
        shadow_call<&MovingSphereKernels::one>("one(sphere, displacement, others, displacements, out_toi)"),
        shadow_call<&MovingSphereKernels::streams>(
            "streams(a, a_displacements, b, b_displacements, out_toi)"),
        shadow_call<&MovingSphereKernels::pairs>(
            "pairs(a, a_displacements, b, b_displacements, pairs, out_toi)"),
        shadow_call<&ObbObbKernels::overlap>("overlap(a, b, out_bits)"),
        shadow_call<&ObbObbKernels::overlap_pairs>("overlap_pairs(a, b, pairs, out_bits)"),
        shadow_call<&ObbObbKernels::contacts>("contacts(a, b, out)"),
        shadow_call<&ObbObbKernels::contact_pairs>("contact_pairs(a, b, pairs, out)"),
        shadow_call<&ObbObbKernels::impacts>("impacts(a, a_displacement, b, b_displacements, out)"),
        shadow_call<&ObbObbKernels::impact_pairs>(
            "impact_pairs(a, a_displacements, b, b_displacements, pairs, out)"),
        shadow_call<&ObbTriangleKernels::overlap>("overlap(obb, triangles, out_bits)"),
        shadow_call<&ObbTriangleKernels::impacts>("impacts(obb, motion, triangles, out)"),
        shadow_call<&ObbTriangleKernels::swept_overlap>("swept_overlap(obb, motion, triangles, out_bits)"),
        shadow_call<&ObbTriangleKernels::overlap_obbs>("overlap_obbs(obbs, triangle, out_bits)"),
        shadow_call<&ObbTriangleKernels::obb_impacts>(
            "obb_impacts(obbs, obb_displacements, triangle, triangle_displacement, out)"),
        shadow_call<&ListedTriangleKernels::overlap_indexed>(
            "overlap_indexed(obb, triangles, triangle_structs, indices, out_bits)"),
        shadow_call<&ListedTriangleKernels::overlap_pairs>(
            "overlap_pairs(obbs, triangles, triangle_structs, pairs, out_bits)"),
        shadow_call<&ListedTriangleKernels::impacts_indexed>(
            "impacts_indexed(obb, motion, triangles, triangle_structs, indices, out)"),
        shadow_call<&ListedTriangleKernels::impact_pairs>(
            "impact_pairs(obbs, displacements, triangle_displacement, triangles, triangle_structs, pairs, "
            "out)"),
    };
}();

template <class Kernels>
requires(std::tuple_size_v<decltype(calls_of<Kernels>(kNarrowphaseCalls))> != 0) struct ShadowCalls<Kernels> {
    static constexpr auto list = calls_of<Kernels>(kNarrowphaseCalls);
};

}  // namespace broadside::simd::shadow
