// Static overlap of boxes in batches.
#include <broadside/float_environment.hpp>
#include <broadside/overlap.hpp>

#include "narrowphase/src/batch/call.hpp"
#include "narrowphase/src/overlap/kernels.hpp"

namespace broadside {

using narrowphase::BatchCall;
using narrowphase::OverlapKernels;

BatchResult overlaps(const Aabb& box, const BoxSoaView& boxes, std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .readable(boxes, "boxes: a column is null though the count is not 0")
        .holds_bits(out_bits, boxes.count)
        .run<OverlapKernels>([&](const auto& kernels) { kernels.boxes(box, boxes, out_bits.data()); });
}

BatchResult overlaps(const BoxSoaView& a, const BoxSoaView& b, std::span<const IndexPair> pairs,
                     std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .readable(a, "a: a column is null though the count is not 0")
        .readable(b, "b: a column is null though the count is not 0")
        .holds_bits(out_bits, pairs.size())
        .in_range(pairs, a.count, b.count)
        .run<OverlapKernels>(
            [&](const auto& kernels) { kernels.pairs(a, b, pairs.data(), pairs.size(), out_bits.data()); });
}

}  // namespace broadside
