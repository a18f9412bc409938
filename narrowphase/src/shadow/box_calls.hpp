// Shadow verification: the arguments of the kernels of boxes, bounds and pair ranges.
#pragma once

#include "narrowphase/src/batch/kernels.hpp"
#include "narrowphase/src/bounds/kernels.hpp"
#include "narrowphase/src/moving_box/kernels.hpp"
#include "narrowphase/src/moving_box/rows_scalar.hpp"
#include "narrowphase/src/overlap/kernels.hpp"
#include "narrowphase/src/shadow/pairs.hpp"
#include "simd/src/shadow_call.hpp"

namespace broadside::simd::shadow {

template <>
struct ShadowCalls<narrowphase::PairRangeKernels> {
    using K = narrowphase::PairRangeKernels;
    static constexpr auto list = std::tuple{shadow_call<&K::are_in_range>(
        "narrowphase::PairRangeKernels::are_in_range",
        [](auto& call, auto& pairs, auto& pair_count, auto& first_count, auto& second_count) {
            call.each_counted("pairs", pairs, pair_count);
            call.in("first_count", first_count);
            call.in("second_count", second_count);
        })};
};

template <>
struct ShadowCalls<narrowphase::OverlapKernels> {
    using K = narrowphase::OverlapKernels;
    static constexpr auto list =
        std::tuple{shadow_call<&K::boxes>("narrowphase::OverlapKernels::boxes",
                                          [](auto& call, auto& box, auto& boxes, auto& out_bits) {
                                              call.in("box", box);
                                              call.each("boxes", boxes);
                                              call.out_bits("out_bits", out_bits, boxes.count);
                                          }),
                   shadow_call<&K::pairs>(
                       "narrowphase::OverlapKernels::pairs",
                       [](auto& call, auto& a, auto& b, auto& pairs, auto& pair_count, auto& out_bits) {
                           call.all("a", a);
                           call.all("b", b);
                           call.each_counted("pairs", pairs, pair_count);
                           call.out_bits("out_bits", out_bits, pair_count);
                       })};
};

/// Boxes and their displacements, as items of the call or shared by all items.
template <class Operands, class Bodies>
void describe_each(Operands& state_call, const char* name, const char* displacements_name, Bodies& boxes,
                   Vec3SoaView& state_displacements) {
    state_call.begin_fields();
    state_call.each(name, boxes);
    state_call.each(displacements_name, state_displacements);
    state_call.end_fields();
}
template <class Operands, class Bodies>
void describe_all(Operands& state_call, const char* name, const char* displacements_name, const Bodies& boxes,
                  const Vec3SoaView& displacements) {
    state_call.begin_fields();
    state_call.all(name, boxes);
    state_call.all(displacements_name, displacements);
    state_call.end_fields();
}

template <>
struct ShadowCalls<narrowphase::MovingAabbKernels> {
    using K = narrowphase::MovingAabbKernels;
    static constexpr auto list = std::tuple{
        shadow_call<&K::streams>(
            "narrowphase::MovingAabbKernels::streams",
            [](auto& call, auto& a, auto& b, auto& touch, auto& out_toi, auto& out_faces) {
                describe_each(call, "a", "a_displacements", a.shapes, a.displacements);
                describe_each(call, "b", "b_displacements", b.shapes, b.displacements);
                call.in("touch", touch);
                call.out("out_toi", out_toi, a.shapes.count);
                call.out("out_faces", out_faces, a.shapes.count);
            }),
        shadow_call<&K::pairs>("narrowphase::MovingAabbKernels::pairs",
                               [](auto& call, auto& a, auto& b, auto& pairs, auto& pair_count, auto& touch,
                                  auto& out_toi, auto& out_faces) {
                                   describe_all(call, "a", "a_displacements", a.shapes, a.displacements);
                                   describe_all(call, "b", "b_displacements", b.shapes, b.displacements);
                                   call.each_counted("pairs", pairs, pair_count);
                                   call.in("touch", touch);
                                   call.out("out_toi", out_toi, pair_count);
                                   call.out("out_faces", out_faces, pair_count);
                               })};
};

template <>
struct ShadowCalls<narrowphase::MovingAabbRowsKernels> {
    using K = narrowphase::MovingAabbRowsKernels;
    // Whole groups of rows are written; rows behind the last box are meaningless.
    static std::size_t room(std::size_t count) {
        return (count + narrowphase::kRowGroup - 1) / narrowphase::kRowGroup * narrowphase::kRowGroup;
    }
    static constexpr auto describe_pairs = [](auto& call, const auto* first, const char* first_name,
                                              const auto* second, const char* second_name, auto& pairs,
                                              auto& pair_count, auto& touch, auto& out_toi, auto& out_faces) {
        call.all(first_name, first, narrowphase::first_extent(pairs, pair_count));
        call.all(second_name, second, narrowphase::second_extent(pairs, pair_count));
        call.each_counted("pairs", pairs, pair_count);
        call.in("touch", touch);
        call.out("out_toi", out_toi, pair_count);
        call.out("out_faces", out_faces, pair_count);
    };
    static constexpr auto list = std::tuple{
        shadow_call<&K::prepare_resting>("narrowphase::MovingAabbRowsKernels::prepare_resting",
                                         [](auto& call, auto& boxes, auto& out_rows) {
                                             call.each("boxes", boxes);
                                             call.out("out_rows", out_rows, boxes.count, room(boxes.count));
                                         }),
        shadow_call<&K::prepare_movers>(
            "narrowphase::MovingAabbRowsKernels::prepare_movers",
            [](auto& call, auto& movers, auto& touch, auto& out_rows) {
                describe_each(call, "movers", "displacements", movers.shapes, movers.displacements);
                call.in("touch", touch);
                call.out("out_rows", out_rows, movers.shapes.count, room(movers.shapes.count));
            }),
        shadow_call<&K::prepare_bodies>(
            "narrowphase::MovingAabbRowsKernels::prepare_bodies",
            [](auto& call, auto& bodies, auto& out_rows) {
                describe_each(call, "bodies", "displacements", bodies.shapes, bodies.displacements);
                call.out("out_rows", out_rows, bodies.shapes.count, room(bodies.shapes.count));
            }),
        shadow_call<&K::pairs>("narrowphase::MovingAabbRowsKernels::pairs",
                               [](auto& call, auto& resting, auto& movers, auto&... rest) {
                                   describe_pairs(call, resting, "resting", movers, "movers", rest...);
                               }),
        shadow_call<&K::body_pairs>("narrowphase::MovingAabbRowsKernels::body_pairs",
                                    [](auto& call, auto& a, auto& b, auto&... rest) {
                                        describe_pairs(call, a, "a", b, "b", rest...);
                                    })};
};

template <>
struct ShadowCalls<narrowphase::OneMoverKernels> {
    using K = narrowphase::OneMoverKernels;
    static constexpr auto list = std::tuple{shadow_call<&K::boxes>(
        "narrowphase::OneMoverKernels::boxes", [](auto& call, auto& mover, auto& displacement, auto& resting,
                                                  auto& touch, auto& out_toi, auto& out_faces) {
            call.in("mover", mover);
            call.in("displacement", displacement);
            call.each("resting", resting);
            call.in("touch", touch);
            call.out("out_toi", out_toi, resting.count);
            call.out("out_faces", out_faces, resting.count);
        })};
};

template <>
struct ShadowCalls<narrowphase::BoundsKernels> {
    using K = narrowphase::BoundsKernels;
    static constexpr auto describe_boxes = [](auto& call, auto& out_boxes, std::size_t count) {
        call.begin_fields();
        call.out("out_min_x", out_boxes.min_x, count);
        call.out("out_min_y", out_boxes.min_y, count);
        call.out("out_min_z", out_boxes.min_z, count);
        call.out("out_max_x", out_boxes.max_x, count);
        call.out("out_max_y", out_boxes.max_y, count);
        call.out("out_max_z", out_boxes.max_z, count);
        call.count(count);
        call.end_fields();
    };
    static constexpr auto list = std::tuple{
        shadow_call<&K::spheres>("narrowphase::BoundsKernels::spheres",
                                 [](auto& call, auto& spheres, auto& rounding, auto& out_boxes) {
                                     call.each("spheres", spheres);
                                     call.in("rounding", rounding);
                                     describe_boxes(call, out_boxes, spheres.count);
                                 }),
        shadow_call<&K::obbs>("narrowphase::BoundsKernels::obbs",
                              [](auto& call, auto& obbs, auto& obb_count, auto& rounding, auto& out_boxes) {
                                  call.each_counted("obbs", obbs, obb_count);
                                  call.in("rounding", rounding);
                                  describe_boxes(call, out_boxes, obb_count);
                              }),
        shadow_call<&K::boxes>("narrowphase::BoundsKernels::boxes",
                               [](auto& call, auto& transform, auto& boxes, auto& rounding, auto& out_boxes) {
                                   call.in("transform", transform);
                                   call.each("boxes", boxes);
                                   call.in("rounding", rounding);
                                   describe_boxes(call, out_boxes, boxes.count);
                               }),
        shadow_call<&K::boxes_each>(
            "narrowphase::BoundsKernels::boxes_each",
            [](auto& call, auto& transforms, auto& boxes, auto& rounding, auto& out_boxes) {
                call.each("transforms", transforms, boxes.count);
                call.each("boxes", boxes);
                call.in("rounding", rounding);
                describe_boxes(call, out_boxes, boxes.count);
            })};
};

template <>
struct ShadowCalls<narrowphase::FitKernels> {
    using K = narrowphase::FitKernels;
    static constexpr auto describe_points = [](auto& call, auto& direction, auto& points, auto& out_answer) {
        call.in("direction", direction);
        call.all("points", points);
        call.state("out_answer", out_answer);
    };
    static constexpr auto list =
        std::tuple{shadow_call<&K::extents>("narrowphase::FitKernels::extents", describe_points),
                   shadow_call<&K::farthest>("narrowphase::FitKernels::farthest", describe_points)};
};

}  // namespace broadside::simd::shadow
