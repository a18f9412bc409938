// Argument checks and dispatch of ray against box.
#include <broadside/float_environment.hpp>
#include <broadside/ray_box.hpp>

#include "core/src/geometry/ray_box_scalar.hpp"
#include "narrowphase/src/batch/outputs.hpp"
#include "narrowphase/src/batch/pair_range.hpp"
#include "narrowphase/src/ray/kernels.hpp"
#include "simd/src/dispatch.hpp"

namespace broadside {
namespace {

using narrowphase::has_room;
using narrowphase::pointer_or_null;

bool has_room(const RayBoxOutputs& outputs, std::size_t item_count) noexcept {
    return has_room(outputs.t_enter, item_count) && has_room(outputs.t_exit, item_count) &&
           has_room(outputs.face, item_count) && has_room(outputs.hit_bits, bit_word_count(item_count));
}

narrowphase::RayBoxTargets targets_of(const RayBoxOutputs& outputs) noexcept {
    return {pointer_or_null(outputs.t_enter), pointer_or_null(outputs.t_exit), pointer_or_null(outputs.face),
            pointer_or_null(outputs.hit_bits)};
}

}  // namespace

PreparedRay prepare_ray(const Ray& ray, const RaySettings& settings) noexcept {
    const FloatEnvironment environment;
    return prepared_ray(ray, settings);
}

RayBoxHit ray_box(const Ray& ray, const Aabb& box, const RaySettings& settings) noexcept {
    const FloatEnvironment environment;
    return ray_box_prepared(prepared_ray(ray, settings), box);
}

BatchResult ray_boxes(const Ray& ray, const BoxSoaView& boxes, const RaySettings& settings,
                      const RayBoxOutputs& out_results) noexcept {
    const FloatEnvironment environment;
    if (!boxes.is_readable()) return {Status::invalid_argument};
    if (!has_room(out_results, boxes.count)) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::RayBoxKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    const PreparedRay prepared = prepare_ray(ray, settings);
    const narrowphase::RayBoxTargets targets = targets_of(out_results);
    if (targets.face != nullptr) {
        kernels->boxes_with_face(prepared, boxes, targets);
    } else if (targets.t_enter != nullptr || targets.t_exit != nullptr) {
        kernels->boxes(prepared, boxes, targets);
    } else if (targets.hit_bits != nullptr) {
        kernels->hits(prepared, boxes, targets.hit_bits);
    }
    return {};
}

BatchResult rays_boxes(std::span<const Ray> rays, const BoxSoaView& boxes, const RaySettings& settings,
                       std::span<std::uint64_t> out_hit_bits) noexcept {
    const FloatEnvironment environment;
    if (!boxes.is_readable()) return {Status::invalid_argument};
    const std::size_t row_words = bit_word_count(boxes.count);
    // Divided, so that no product can overflow.
    if (row_words != 0 && rays.size() > out_hit_bits.size() / row_words) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::RayBoxKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->many_hits(rays.data(), rays.size(), boxes, settings, out_hit_bits.data());
    return {};
}

BatchResult closest_hits(std::span<const Ray> rays, const BoxSoaView& boxes, const RaySettings& settings,
                         std::span<ClosestHit> out_closest) noexcept {
    const FloatEnvironment environment;
    if (!boxes.is_readable() || boxes.count >= kNoBox) return {Status::invalid_argument};
    if (out_closest.size() < rays.size()) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::RayBoxKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->closest(rays.data(), rays.size(), boxes, settings, out_closest.data());
    return {};
}

BatchResult ray_box_pairs(std::span<const Ray> rays, const BoxSoaView& boxes,
                          std::span<const IndexPair> pairs, const RaySettings& settings,
                          const RayBoxOutputs& out_results) noexcept {
    const FloatEnvironment environment;
    if (!boxes.is_readable()) return {Status::invalid_argument};
    if (!has_room(out_results, pairs.size())) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::RayBoxKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    const std::size_t bad_index = narrowphase::find_bad_pair(pairs, rays.size(), boxes.count);
    if (bad_index != kNoIndex) return {Status::invalid_argument, bad_index};
    kernels->pairs(rays.data(), boxes, pairs.data(), pairs.size(), settings, targets_of(out_results));
    return {};
}

}  // namespace broadside
