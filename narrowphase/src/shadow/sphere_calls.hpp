// Shadow verification: the arguments of the kernels of spheres and closest points.
#pragma once

#include "narrowphase/src/shadow/box_calls.hpp"
#include "narrowphase/src/sphere/kernels.hpp"

namespace broadside::simd::shadow {

template <>
struct ShadowCalls<narrowphase::ClosestPointKernels> {
    using K = narrowphase::ClosestPointKernels;
    static constexpr auto describe_targets = [](auto& call, auto& out, std::size_t count) {
        call.begin_fields();
        call.out("out_x", out.x, count);
        call.out("out_y", out.y, count);
        call.out("out_z", out.z, count);
        call.out("out_distance_sq", out.distance_sq, count);
        call.end_fields();
    };
    static constexpr auto describe_points = [](auto& call, auto& shape, auto& points, auto& out) {
        call.in("shape", shape);
        call.each("points", points);
        describe_targets(call, out, points.count);
    };
    static constexpr auto describe_shapes = [](auto& call, auto& point, auto& shapes, auto& out) {
        call.in("point", point);
        call.each("shapes", shapes);
        describe_targets(call, out, shapes.count);
    };
    static constexpr auto list = std::tuple{
        shadow_call<&K::of_box>("narrowphase::ClosestPointKernels::of_box", describe_points),
        shadow_call<&K::of_obb>("narrowphase::ClosestPointKernels::of_obb", describe_points),
        shadow_call<&K::of_triangle>("narrowphase::ClosestPointKernels::of_triangle", describe_points),
        shadow_call<&K::on_boxes>("narrowphase::ClosestPointKernels::on_boxes", describe_shapes),
        shadow_call<&K::on_obbs>("narrowphase::ClosestPointKernels::on_obbs",
                                 [](auto& call, auto& point, auto& obbs, auto& obb_count, auto& out) {
                                     call.in("point", point);
                                     call.each_counted("obbs", obbs, obb_count);
                                     describe_targets(call, out, obb_count);
                                 }),
        shadow_call<&K::on_triangles>("narrowphase::ClosestPointKernels::on_triangles", describe_shapes)};
};

template <>
struct ShadowCalls<narrowphase::SphereOverlapKernels> {
    using K = narrowphase::SphereOverlapKernels;
    static constexpr auto describe_shapes = [](auto& call, auto& shape, auto& shapes, auto& out_bits) {
        call.in("shape", shape);
        call.each("shapes", shapes);
        call.out_bits("out_bits", out_bits, shapes.count);
    };
    static constexpr auto list = std::tuple{
        shadow_call<&K::spheres>("narrowphase::SphereOverlapKernels::spheres", describe_shapes),
        shadow_call<&K::boxes>("narrowphase::SphereOverlapKernels::boxes", describe_shapes),
        shadow_call<&K::obbs>("narrowphase::SphereOverlapKernels::obbs",
                              [](auto& call, auto& sphere, auto& obbs, auto& obb_count, auto& out_bits) {
                                  call.in("sphere", sphere);
                                  call.each_counted("obbs", obbs, obb_count);
                                  call.out_bits("out_bits", out_bits, obb_count);
                              }),
        shadow_call<&K::triangles>("narrowphase::SphereOverlapKernels::triangles", describe_shapes),
        shadow_call<&K::of_box>("narrowphase::SphereOverlapKernels::of_box", describe_shapes),
        shadow_call<&K::of_obb>("narrowphase::SphereOverlapKernels::of_obb", describe_shapes),
        shadow_call<&K::of_triangle>("narrowphase::SphereOverlapKernels::of_triangle", describe_shapes)};
};

template <>
struct ShadowCalls<narrowphase::MovingSphereKernels> {
    using K = narrowphase::MovingSphereKernels;
    static constexpr auto list = std::tuple{
        shadow_call<&K::one>("narrowphase::MovingSphereKernels::one",
                             [](auto& call, auto& sphere, auto& displacement, auto& others, auto& out_toi) {
                                 call.in("sphere", sphere);
                                 call.in("displacement", displacement);
                                 describe_each(call, "others", "displacements", others.shapes,
                                               others.displacements);
                                 call.out("out_toi", out_toi, others.shapes.count);
                             }),
        shadow_call<&K::streams>("narrowphase::MovingSphereKernels::streams",
                                 [](auto& call, auto& a, auto& b, auto& out_toi) {
                                     describe_each(call, "a", "a_displacements", a.shapes, a.displacements);
                                     describe_each(call, "b", "b_displacements", b.shapes, b.displacements);
                                     call.out("out_toi", out_toi, a.shapes.count);
                                 }),
        shadow_call<&K::pairs>(
            "narrowphase::MovingSphereKernels::pairs",
            [](auto& call, auto& a, auto& b, auto& pairs, auto& pair_count, auto& out_toi) {
                describe_all(call, "a", "a_displacements", a.shapes, a.displacements);
                describe_all(call, "b", "b_displacements", b.shapes, b.displacements);
                call.each_counted("pairs", pairs, pair_count);
                call.out("out_toi", out_toi, pair_count);
            })};
};

}  // namespace broadside::simd::shadow
