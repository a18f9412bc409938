// The probe of one architecture: each function loads, does one operation of simd/, and stores.
#pragma once

#include "simd/src/lanes.hpp"
#include "tests/simd/lane_probe.hpp"

namespace broadside::test {

template <class Arch>
struct LaneProbeKernel {
    using Float = simd::FloatW<Arch>;

    template <Float (*Operation)(Float, Float)>
    static void binary(const float* a, const float* b, float* out) {
        simd::store_unaligned(out, Operation(simd::load_unaligned<Arch>(a), simd::load_unaligned<Arch>(b)));
    }
    template <Float (*Operation)(Float)>
    static void unary(const float* a, float* out) {
        simd::store_unaligned(out, Operation(simd::load_unaligned<Arch>(a)));
    }
    template <simd::MaskW<Arch> (*Operation)(Float, Float)>
    static std::uint32_t compare(const float* a, const float* b) {
        return simd::bits(Operation(simd::load_unaligned<Arch>(a), simd::load_unaligned<Arch>(b)));
    }

    // The operators as functions with an address: always-inline functions cannot be template arguments on all
    // compilers.
    static Float add(Float a, Float b) { return a + b; }
    static Float subtract(Float a, Float b) { return a - b; }
    static Float multiply(Float a, Float b) { return a * b; }
    static Float divide(Float a, Float b) { return a / b; }
    static Float min_keep(Float a, Float b) { return simd::min_keep(a, b); }
    static Float max_keep(Float a, Float b) { return simd::max_keep(a, b); }
    static Float flip_sign(Float a, Float b) { return simd::flip_sign(a, b); }
    static Float negate(Float a) { return -a; }
    static Float absolute(Float a) { return simd::absolute(a); }
    static Float inverse_power_of_two(Float a) { return simd::inverse_power_of_two(a); }
    static simd::MaskW<Arch> less(Float a, Float b) { return a < b; }
    static simd::MaskW<Arch> less_equal(Float a, Float b) { return a <= b; }
    static simd::MaskW<Arch> greater(Float a, Float b) { return a > b; }
    static simd::MaskW<Arch> greater_equal(Float a, Float b) { return a >= b; }
    static simd::MaskW<Arch> equal(Float a, Float b) { return a == b; }

    static std::uint32_t has_sign_bit(const float* a) {
        return simd::bits(simd::has_sign_bit(simd::load_unaligned<Arch>(a)));
    }
    static void select_less(const float* a, const float* b, const float* c, float* out) {
        const Float a_w = simd::load_unaligned<Arch>(a);
        simd::store_unaligned(
            out, simd::select(a_w < simd::load_unaligned<Arch>(b), a_w, simd::load_unaligned<Arch>(c)));
    }
    static void mask_logic(const float* a, const float* b, const float* c, std::uint32_t* out_and_or_not) {
        const simd::MaskW<Arch> first = simd::load_unaligned<Arch>(a) < simd::load_unaligned<Arch>(b);
        const simd::MaskW<Arch> second = simd::load_unaligned<Arch>(b) < simd::load_unaligned<Arch>(c);
        out_and_or_not[0] = simd::bits(first & second);
        out_and_or_not[1] = simd::bits(first | second);
        out_and_or_not[2] = simd::bits(~first);
    }
    static void copy_tail(const float* source, std::uint32_t count, float fill, float* target,
                          float* out_all) {
        const Float lanes = simd::load_tail<Arch>(source, count, fill);
        simd::store_tail(target, count, lanes);
        simd::store_unaligned(out_all, lanes);
    }
    static std::uint32_t compress(std::uint32_t bits, std::int32_t base, std::int32_t* target) {
        return simd::compress_store(target, simd::lane_index<Arch>() + simd::broadcast_int<Arch>(base), bits);
    }
    static std::uint32_t compress_interleaved(std::uint32_t bits, std::int32_t pivot, std::int32_t* target) {
        const auto lane = simd::lane_index<Arch>();
        const auto pivot_w = simd::broadcast_int<Arch>(pivot);
        return simd::compress_store_interleaved(target, simd::min(lane, pivot_w), simd::max(lane, pivot_w),
                                                bits);
    }
    static std::uint32_t all_none_less(const float* a, const float* b) {
        const simd::MaskW<Arch> mask = simd::load_unaligned<Arch>(a) < simd::load_unaligned<Arch>(b);
        return (simd::all(mask) ? 1u : 0u) | (simd::none(mask) ? 2u : 0u);
    }
    static void load_indexed(const float* source, const std::uint32_t* indices, float* out) {
        simd::store_unaligned(out, simd::load_indexed<Arch>(source, indices));
    }

    static constexpr LaneProbe make(const char* isa) {
        return {isa,
                Arch::kLanes,
                &binary<add>,
                &binary<subtract>,
                &binary<multiply>,
                &binary<divide>,
                &binary<min_keep>,
                &binary<max_keep>,
                &binary<flip_sign>,
                &unary<negate>,
                &unary<absolute>,
                &unary<inverse_power_of_two>,
                &compare<less>,
                &compare<less_equal>,
                &compare<greater>,
                &compare<greater_equal>,
                &compare<equal>,
                &has_sign_bit,
                &select_less,
                &mask_logic,
                &copy_tail,
                &compress,
                &compress_interleaved,
                &all_none_less,
                &load_indexed};
    }
};

}  // namespace broadside::test
