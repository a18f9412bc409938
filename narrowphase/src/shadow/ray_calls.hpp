// Shadow verification: the arguments of the kernels of rays.
#pragma once

#include "narrowphase/src/ray/kernels.hpp"
#include "narrowphase/src/shadow/pairs.hpp"
#include "simd/src/shadow_call.hpp"

namespace broadside::simd::shadow {

template <>
struct ShadowCalls<narrowphase::RayBoxKernels> {
    using K = narrowphase::RayBoxKernels;
    static constexpr auto describe_targets = [](auto& call, auto& out_results, std::size_t count) {
        call.begin_fields();
        call.out("out_t_enter", out_results.t_enter, count);
        call.out("out_t_exit", out_results.t_exit, count);
        call.out("out_face", out_results.face, count);
        call.out_bits("out_hit_bits", out_results.hit_bits, count);
        call.end_fields();
    };
    static constexpr auto describe_boxes = [](auto& call, auto& ray, auto& boxes, auto& out_results) {
        call.in("ray", ray);
        call.each("boxes", boxes);
        describe_targets(call, out_results, boxes.count);
    };
    static constexpr auto list = std::tuple{
        shadow_call<&K::hits>("narrowphase::RayBoxKernels::hits",
                              [](auto& call, auto& ray, auto& boxes, auto& out_bits) {
                                  call.in("ray", ray);
                                  call.each("boxes", boxes);
                                  call.out_bits("out_bits", out_bits, boxes.count);
                              }),
        shadow_call<&K::boxes>("narrowphase::RayBoxKernels::boxes", describe_boxes),
        shadow_call<&K::boxes_with_face>("narrowphase::RayBoxKernels::boxes_with_face", describe_boxes),
        shadow_call<&K::pairs>("narrowphase::RayBoxKernels::pairs",
                               [](auto& call, auto& rays, auto& boxes, auto& pairs, auto& pair_count,
                                  auto& settings, auto& out_results) {
                                   call.all("rays", rays, narrowphase::first_extent(pairs, pair_count));
                                   call.all("boxes", boxes);
                                   call.each_counted("pairs", pairs, pair_count);
                                   call.in("settings", settings);
                                   describe_targets(call, out_results, pair_count);
                               }),
        shadow_call<&K::many_hits>(
            "narrowphase::RayBoxKernels::many_hits",
            [](auto& call, auto& rays, auto& ray_count, auto& boxes, auto& settings, auto& out_bits) {
                call.each_counted("rays", rays, ray_count);
                call.all("boxes", boxes);
                call.in("settings", settings);
                // A row of words for each ray.
                call.out("out_bits", out_bits, ray_count * bit_word_count(boxes.count));
            }),
        shadow_call<&K::closest>(
            "narrowphase::RayBoxKernels::closest",
            [](auto& call, auto& rays, auto& ray_count, auto& boxes, auto& settings, auto& out_closest) {
                call.each_counted("rays", rays, ray_count);
                call.all("boxes", boxes);
                call.in("settings", settings);
                call.out("out_closest", out_closest, ray_count);
            })};
};

template <>
struct ShadowCalls<narrowphase::RaySphereKernels> {
    using K = narrowphase::RaySphereKernels;
    static constexpr auto list = std::tuple{
        shadow_call<&K::spheres>("narrowphase::RaySphereKernels::spheres",
                                 [](auto& call, auto& ray, auto& spheres, auto& inside, auto& out_results) {
                                     call.in("ray", ray);
                                     call.each("spheres", spheres);
                                     call.in("inside", inside);
                                     call.begin_fields();
                                     call.out("out_t_enter", out_results.t_enter, spheres.count);
                                     call.out("out_t_exit", out_results.t_exit, spheres.count);
                                     call.out_bits("out_hit_bits", out_results.hit_bits, spheres.count);
                                     call.end_fields();
                                 }),
        shadow_call<&K::closest>(
            "narrowphase::RaySphereKernels::closest",
            [](auto& call, auto& rays, auto& ray_count, auto& spheres, auto& inside, auto& out_closest) {
                call.each_counted("rays", rays, ray_count);
                call.all("spheres", spheres);
                call.in("inside", inside);
                call.out("out_closest", out_closest, ray_count);
            })};
};

template <>
struct ShadowCalls<narrowphase::RayBox4Kernels> {
    using K = narrowphase::RayBox4Kernels;
    // Each item has the results of four rays or boxes.
    static constexpr auto describe_answers = [](auto& call, auto& out_hits, auto& out_t_enter,
                                                std::size_t count) {
        call.out("out_hits", out_hits, count);
        call.out("out_t_enter", out_t_enter, 4 * count);
    };
    static constexpr auto list = std::tuple{
        shadow_call<&K::nodes>(
            "narrowphase::RayBox4Kernels::nodes",
            [](auto& call, auto& ray, auto& nodes, auto& node_count, auto& out_hits, auto& out_t_enter) {
                call.in("ray", ray);
                call.each_counted("nodes", nodes, node_count);
                describe_answers(call, out_hits, out_t_enter, node_count);
            }),
        shadow_call<&K::packet>("narrowphase::RayBox4Kernels::packet",
                                [](auto& call, auto& rays, auto& boxes, auto& out_hits, auto& out_t_enter) {
                                    call.in("rays", rays);
                                    call.each("boxes", boxes);
                                    describe_answers(call, out_hits, out_t_enter, boxes.count);
                                })};
};

}  // namespace broadside::simd::shadow
