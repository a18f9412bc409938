// Argument checks and dispatch of the batches of bounds.
#include <broadside/bounds.hpp>
#include <broadside/float_environment.hpp>

#include "narrowphase/src/bounds/kernels.hpp"
#include "simd/src/dispatch.hpp"

namespace broadside {
namespace {

// The checks of every batch; `call(kernels)` runs when they pass.
template <class Call>
BatchResult run_batch(bool is_readable, std::size_t count, const BoxSoaSpan& out, Call&& call) noexcept {
    const bool is_writable = out.min_x != nullptr && out.min_y != nullptr && out.min_z != nullptr &&
                             out.max_x != nullptr && out.max_y != nullptr && out.max_z != nullptr;
    if (!is_readable || (!is_writable && out.count != 0)) return {Status::invalid_argument};
    if (out.count < count) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::BoundsKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    call(*kernels);
    return {};
}

}  // namespace

BatchResult sphere_bounds(const SphereSoaView& spheres, Rounding rounding, BoxSoaSpan out_boxes) noexcept {
    const FloatEnvironment environment;
    return run_batch(spheres.is_readable(), spheres.count, out_boxes,
                     [&](const auto& kernels) { kernels.spheres(spheres, rounding, out_boxes); });
}

BatchResult obb_bounds(std::span<const Obb> obbs, Rounding rounding, BoxSoaSpan out_boxes) noexcept {
    const FloatEnvironment environment;
    return run_batch(true, obbs.size(), out_boxes, [&](const auto& kernels) {
        kernels.obbs(obbs.data(), obbs.size(), rounding, out_boxes);
    });
}

BatchResult transformed_boxes(const Transform& a_from_b, const BoxSoaView& boxes_in_b, Rounding rounding,
                              BoxSoaSpan out_boxes) noexcept {
    const FloatEnvironment environment;
    return run_batch(boxes_in_b.is_readable(), boxes_in_b.count, out_boxes,
                     [&](const auto& kernels) { kernels.boxes(a_from_b, boxes_in_b, rounding, out_boxes); });
}

BatchResult transformed_boxes(std::span<const Transform> a_from_b, const BoxSoaView& boxes_in_b,
                              Rounding rounding, BoxSoaSpan out_boxes) noexcept {
    const FloatEnvironment environment;
    const bool is_legal = boxes_in_b.is_readable() && a_from_b.size() == boxes_in_b.count;
    return run_batch(is_legal, boxes_in_b.count, out_boxes, [&](const auto& kernels) {
        kernels.boxes_each(a_from_b.data(), boxes_in_b, rounding, out_boxes);
    });
}

}  // namespace broadside
