// Bounds of shapes in batches.
#include <broadside/bounds.hpp>
#include <broadside/float_environment.hpp>

#include "narrowphase/src/batch/call.hpp"
#include "narrowphase/src/bounds/kernels.hpp"

namespace broadside {

using narrowphase::BatchCall;
using narrowphase::BoundsKernels;

namespace {

BatchCall& check_output(BatchCall& call, std::size_t count, const BoxSoaSpan& out) noexcept {
    const bool is_writable = out.min_x != nullptr && out.min_y != nullptr && out.min_z != nullptr &&
                             out.max_x != nullptr && out.max_y != nullptr && out.max_z != nullptr;
    return call.legal(is_writable || out.count == 0, "out_boxes: a column is null though the count is not 0")
        .room(out.count >= count);
}

}  // namespace

BatchResult bounds(const SphereSoaView& spheres, Rounding rounding, BoxSoaSpan out_boxes) noexcept {
    const FloatEnvironment environment;
    BatchCall call;
    call.readable(spheres, "spheres: a column is null though the count is not 0");
    return check_output(call, spheres.count, out_boxes).run<BoundsKernels>([&](const auto& kernels) {
        kernels.spheres(spheres, rounding, out_boxes);
    });
}

BatchResult bounds(std::span<const Obb> obbs, Rounding rounding, BoxSoaSpan out_boxes) noexcept {
    const FloatEnvironment environment;
    BatchCall call;
    call.readable(obbs);
    return check_output(call, obbs.size(), out_boxes).run<BoundsKernels>([&](const auto& kernels) {
        kernels.obbs(obbs.data(), obbs.size(), rounding, out_boxes);
    });
}

BatchResult transformed_bounds(const Transform& a_from_b, const BoxSoaView& boxes_in_b, Rounding rounding,
                               BoxSoaSpan out_boxes) noexcept {
    const FloatEnvironment environment;
    BatchCall call;
    call.readable(boxes_in_b, "boxes_in_b: a column is null though the count is not 0");
    return check_output(call, boxes_in_b.count, out_boxes).run<BoundsKernels>([&](const auto& kernels) {
        kernels.boxes(a_from_b, boxes_in_b, rounding, out_boxes);
    });
}

BatchResult transformed_bounds(std::span<const Transform> a_from_b, const BoxSoaView& boxes_in_b,
                               Rounding rounding, BoxSoaSpan out_boxes) noexcept {
    const FloatEnvironment environment;
    BatchCall call;
    call.readable(boxes_in_b, "boxes_in_b: a column is null though the count is not 0")
        .readable(a_from_b)
        .legal(a_from_b.size() == boxes_in_b.count, "a_from_b: not one for each box");
    return check_output(call, boxes_in_b.count, out_boxes).run<BoundsKernels>([&](const auto& kernels) {
        kernels.boxes_each(a_from_b.data(), boxes_in_b, rounding, out_boxes);
    });
}

}  // namespace broadside
