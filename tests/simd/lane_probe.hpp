// The operations of simd/ behind plain function pointers, so that tests can feed every ISA without its
// compile flags.
#pragma once

#include <cstddef>
#include <cstdint>

namespace broadside::test {

/// One group of lanes in, one out; arrays of `lane_count` values unless said otherwise.
struct LaneProbe {
    const char* isa;
    std::uint32_t lane_count;

    using Binary = void (*)(const float* a, const float* b, float* out);
    Binary add, subtract, multiply, divide, min_keep, max_keep, flip_sign;
    using Unary = void (*)(const float* a, float* out);
    Unary negate, absolute, inverse_power_of_two;
    using Compare = std::uint32_t (*)(const float* a, const float* b);
    Compare less, less_equal, greater, greater_equal, equal;
    std::uint32_t (*has_sign_bit)(const float* a);
    /// Lanes where a < b take a, the others c.
    void (*select_less)(const float* a, const float* b, const float* c, float* out);
    /// Combinations of (a < b) and (b < c): and, or, not of the first.
    void (*mask_logic)(const float* a, const float* b, const float* c, std::uint32_t* out_and_or_not);
    /// Copies `count` floats through load_tail and store_tail; all lanes go to `out_all`.
    void (*copy_tail)(const float* source, std::uint32_t count, float fill, float* target, float* out_all);
    /// compress_store of the lane numbers plus `base`; `target` has room for lane_count values.
    std::uint32_t (*compress)(std::uint32_t bits, std::int32_t base, std::int32_t* target);
    /// compress_store_interleaved of the smaller and the larger of (lane number, `pivot`) in every lane;
    /// `target` has room for twice lane_count values.
    std::uint32_t (*compress_interleaved)(std::uint32_t bits, std::int32_t pivot, std::int32_t* target);
    /// True if all lanes, and if no lane, have a < b; bits 0 and 1.
    std::uint32_t (*all_none_less)(const float* a, const float* b);
    void (*load_indexed)(const float* source, const std::uint32_t* indices, float* out);
};

// One per file in probes/; null where the ISA is not built.
const LaneProbe* lane_probe_scalar();
const LaneProbe* lane_probe_sse2();
const LaneProbe* lane_probe_avx2();
const LaneProbe* lane_probe_avx512();
const LaneProbe* lane_probe_neon64();

}  // namespace broadside::test
