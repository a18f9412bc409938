// Shadow verification: the arguments of the kernels of oriented boxes.
#pragma once

#include "narrowphase/src/obb/kernels.hpp"
#include "narrowphase/src/shadow/pairs.hpp"
#include "simd/src/shadow_call.hpp"

namespace broadside::simd::shadow {

template <>
struct ShadowCalls<narrowphase::ObbObbKernels> {
    using K = narrowphase::ObbObbKernels;
    static constexpr auto describe_output = [](auto& call, auto& out, std::size_t count) {
        call.begin_fields();
        call.out("out_value", out.value, count);
        call.out("out_axis", out.axis, count);
        call.end_fields();
    };
    static constexpr auto describe_pairs = [](auto& call, auto& a, auto& b, auto& pairs, auto& pair_count) {
        call.all("a", a, narrowphase::first_extent(pairs, pair_count));
        call.all("b", b, narrowphase::second_extent(pairs, pair_count));
        call.each_counted("pairs", pairs, pair_count);
    };
    static constexpr auto describe_obbs = [](auto& call, const char* name, const char* displacements_name,
                                             const auto& moving, std::size_t count) {
        call.begin_fields();
        call.all(name, moving.obbs, count);
        call.all(displacements_name, moving.displacements, count);
        call.end_fields();
    };
    static constexpr auto list = std::tuple{
        shadow_call<&K::overlap>("narrowphase::ObbObbKernels::overlap",
                                 [](auto& call, auto& a, auto& b, auto& out_bits) {
                                     call.in("a", a);
                                     call.each("b", b);
                                     call.out_bits("out_bits", out_bits, b.count());
                                 }),
        shadow_call<&K::overlap_pairs>(
            "narrowphase::ObbObbKernels::overlap_pairs",
            [](auto& call, auto& a, auto& b, auto& pairs, auto& pair_count, auto& out_bits) {
                describe_pairs(call, a, b, pairs, pair_count);
                call.out_bits("out_bits", out_bits, pair_count);
            }),
        shadow_call<&K::contacts>("narrowphase::ObbObbKernels::contacts",
                                  [](auto& call, auto& a, auto& b, auto& out) {
                                      call.in("a", a);
                                      call.each("b", b);
                                      describe_output(call, out, b.count());
                                  }),
        shadow_call<&K::contact_pairs>(
            "narrowphase::ObbObbKernels::contact_pairs",
            [](auto& call, auto& a, auto& b, auto& pairs, auto& pair_count, auto& out) {
                describe_pairs(call, a, b, pairs, pair_count);
                describe_output(call, out, pair_count);
            }),
        shadow_call<&K::impacts>(
            "narrowphase::ObbObbKernels::impacts",
            [](auto& call, auto& a, auto& a_displacement, auto& b, auto& b_displacements, auto& out) {
                call.in("a", a);
                call.in("a_displacement", a_displacement);
                call.each("b", b);
                call.each("b_displacements", b_displacements);
                describe_output(call, out, b.count());
            }),
        shadow_call<&K::impact_pairs>(
            "narrowphase::ObbObbKernels::impact_pairs",
            [](auto& call, auto& a, auto& b, auto& pairs, auto& pair_count, auto& out) {
                describe_obbs(call, "a", "a_displacements", a, narrowphase::first_extent(pairs, pair_count));
                describe_obbs(call, "b", "b_displacements", b, narrowphase::second_extent(pairs, pair_count));
                call.each_counted("pairs", pairs, pair_count);
                describe_output(call, out, pair_count);
            })};
};

inline constexpr auto describe_impacts = [](auto& call, auto& out, std::size_t count) {
    call.begin_fields();
    call.out("out_toi", out.toi, count);
    call.out("out_axis", out.axis, count);
    call.end_fields();
};

template <>
struct ShadowCalls<narrowphase::ObbTriangleKernels> {
    using K = narrowphase::ObbTriangleKernels;
    static constexpr auto list = std::tuple{
        shadow_call<&K::overlap>("narrowphase::ObbTriangleKernels::overlap",
                                 [](auto& call, auto& obb, auto& triangles, auto& out_bits) {
                                     call.in("obb", obb);
                                     call.each("triangles", triangles);
                                     call.out_bits("out_bits", out_bits, triangles.count);
                                 }),
        shadow_call<&K::impacts>("narrowphase::ObbTriangleKernels::impacts",
                                 [](auto& call, auto& obb, auto& motion, auto& triangles, auto& out) {
                                     call.in("obb", obb);
                                     call.in("motion", motion);
                                     call.each("triangles", triangles);
                                     describe_impacts(call, out, triangles.count);
                                 }),
        shadow_call<&K::swept_overlap>(
            "narrowphase::ObbTriangleKernels::swept_overlap",
            [](auto& call, auto& obb, auto& motion, auto& triangles, auto& out_bits) {
                call.in("obb", obb);
                call.in("motion", motion);
                call.each("triangles", triangles);
                call.out_bits("out_bits", out_bits, triangles.count);
            }),
        shadow_call<&K::overlap_obbs>("narrowphase::ObbTriangleKernels::overlap_obbs",
                                      [](auto& call, auto& obbs, auto& triangle, auto& out_bits) {
                                          call.each("obbs", obbs);
                                          call.in("triangle", triangle);
                                          call.out_bits("out_bits", out_bits, obbs.count());
                                      }),
        shadow_call<&K::obb_impacts>("narrowphase::ObbTriangleKernels::obb_impacts",
                                     [](auto& call, auto& obbs, auto& obb_displacements, auto& triangle,
                                        auto& triangle_displacement, auto& out) {
                                         call.each("obbs", obbs);
                                         call.each("obb_displacements", obb_displacements);
                                         call.in("triangle", triangle);
                                         call.in("triangle_displacement", triangle_displacement);
                                         describe_impacts(call, out, obbs.count());
                                     })};
};

template <>
struct ShadowCalls<narrowphase::ListedTriangleKernels> {
    using K = narrowphase::ListedTriangleKernels;
    static constexpr auto describe_list = [](auto& call, const auto& triangles, std::size_t count) {
        call.begin_fields();
        call.all("triangles", triangles.arrays);
        call.all("triangle_structs", triangles.structs, count);
        call.end_fields();
    };
    static constexpr auto list = std::tuple{
        shadow_call<&K::overlap_indexed>(
            "narrowphase::ListedTriangleKernels::overlap_indexed",
            [](auto& call, auto& obb, auto& triangles, auto& indices, auto& index_count, auto& out_bits) {
                call.in("obb", obb);
                describe_list(call, triangles, narrowphase::index_extent(indices, index_count));
                call.each_counted("indices", indices, index_count);
                call.out_bits("out_bits", out_bits, index_count);
            }),
        shadow_call<&K::overlap_pairs>(
            "narrowphase::ListedTriangleKernels::overlap_pairs",
            [](auto& call, auto& obbs, auto& triangles, auto& pairs, auto& pair_count, auto& out_bits) {
                call.all("obbs", obbs, narrowphase::first_extent(pairs, pair_count));
                describe_list(call, triangles, narrowphase::second_extent(pairs, pair_count));
                call.each_counted("pairs", pairs, pair_count);
                call.out_bits("out_bits", out_bits, pair_count);
            }),
        shadow_call<&K::impacts_indexed>("narrowphase::ListedTriangleKernels::impacts_indexed",
                                         [](auto& call, auto& obb, auto& motion, auto& triangles,
                                            auto& indices, auto& index_count, auto& out) {
                                             call.in("obb", obb);
                                             call.in("motion", motion);
                                             describe_list(call, triangles,
                                                           narrowphase::index_extent(indices, index_count));
                                             call.each_counted("indices", indices, index_count);
                                             describe_impacts(call, out, index_count);
                                         }),
        shadow_call<&K::impact_pairs>(
            "narrowphase::ListedTriangleKernels::impact_pairs",
            [](auto& call, auto& obbs, auto& triangles, auto& pairs, auto& pair_count, auto& out) {
                const std::size_t obb_count = narrowphase::first_extent(pairs, pair_count);
                call.begin_fields();
                call.all("obbs", obbs.obbs, obb_count);
                call.all("displacements", obbs.displacements, obb_count);
                call.in("triangle_displacement", obbs.triangle_displacement);
                call.end_fields();
                describe_list(call, triangles, narrowphase::second_extent(pairs, pair_count));
                call.each_counted("pairs", pairs, pair_count);
                describe_impacts(call, out, pair_count);
            })};
};

}  // namespace broadside::simd::shadow
