// Argument checks and dispatch of the static overlap batches.
#include <broadside/float_environment.hpp>
#include <broadside/overlap.hpp>

#include "core/src/pair_check.hpp"
#include "narrowphase/src/overlap/kernels.hpp"
#include "simd/src/dispatch.hpp"

namespace broadside {

BatchResult overlap_boxes(const Aabb& box, const BoxSoaView& boxes,
                          std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    if (!boxes.is_readable()) return {Status::invalid_argument};
    if (out_bits.size() < bit_word_count(boxes.count)) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::OverlapKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->boxes(box, boxes, out_bits.data());
    return {};
}

BatchResult overlap_pairs(const BoxSoaView& a, const BoxSoaView& b, std::span<const IndexPair> pairs,
                          std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    if (!a.is_readable() || !b.is_readable()) return {Status::invalid_argument};
    if (out_bits.size() < bit_word_count(pairs.size())) return {Status::capacity_exceeded};
    const std::size_t bad_index = find_pair_out_of_range(pairs, a.count, b.count);
    if (bad_index != kNoIndex) return {Status::invalid_argument, bad_index};
    const auto* kernels = simd::active_kernels<narrowphase::OverlapKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->pairs(a, b, pairs.data(), pairs.size(), out_bits.data());
    return {};
}

}  // namespace broadside
