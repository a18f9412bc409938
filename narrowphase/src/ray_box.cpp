// Argument checks and dispatch of ray against box.
#include <broadside/ray_box.hpp>

#include "core/src/ray_box_scalar.hpp"
#include "narrowphase/src/batch_outputs.hpp"
#include "narrowphase/src/pair_range.hpp"

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
    return prepared_ray(ray, settings);
}

RayBoxHit ray_box(const Ray& ray, const Aabb& box, const RaySettings& settings) noexcept {
    return ray_box_prepared(prepared_ray(ray, settings), box);
}

BatchResult ray_boxes(const Ray& ray, const BoxSoaView& boxes, const RaySettings& settings,
                      const RayBoxOutputs& out_results) noexcept {
    if (!boxes.is_readable()) return {Status::invalid_argument};
    if (!has_room(out_results, boxes.count)) return {Status::capacity_exceeded};
    const narrowphase::Kernels* kernels = narrowphase::active_kernels();
    if (kernels == nullptr) return {Status::unsupported_isa};
    const PreparedRay prepared = prepare_ray(ray, settings);
    const narrowphase::RayBoxTargets targets = targets_of(out_results);
    if (targets.face != nullptr) {
        kernels->ray_box.boxes_with_face(prepared, boxes, targets);
    } else if (targets.t_enter != nullptr || targets.t_exit != nullptr) {
        kernels->ray_box.boxes(prepared, boxes, targets);
    } else if (targets.hit_bits != nullptr) {
        kernels->ray_box.hits(prepared, boxes, targets.hit_bits);
    }
    return {};
}

BatchResult rays_boxes(std::span<const Ray> rays, const BoxSoaView& boxes, const RaySettings& settings,
                       std::span<std::uint64_t> out_hit_bits) noexcept {
    if (!boxes.is_readable()) return {Status::invalid_argument};
    const std::size_t row_words = bit_word_count(boxes.count);
    // Divided, so that no product can overflow.
    if (row_words != 0 && rays.size() > out_hit_bits.size() / row_words) return {Status::capacity_exceeded};
    const narrowphase::Kernels* kernels = narrowphase::active_kernels();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->ray_box.many_hits(rays.data(), rays.size(), boxes, settings, out_hit_bits.data());
    return {};
}

BatchResult closest_boxes(std::span<const Ray> rays, const BoxSoaView& boxes, const RaySettings& settings,
                          std::span<ClosestBox> out_closest) noexcept {
    if (!boxes.is_readable() || boxes.count >= kNoBox) return {Status::invalid_argument};
    if (out_closest.size() < rays.size()) return {Status::capacity_exceeded};
    const narrowphase::Kernels* kernels = narrowphase::active_kernels();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->ray_box.closest(rays.data(), rays.size(), boxes, settings, out_closest.data());
    return {};
}

BatchResult ray_box_pairs(std::span<const Ray> rays, const BoxSoaView& boxes,
                          std::span<const IndexPair> pairs, const RaySettings& settings,
                          const RayBoxOutputs& out_results) noexcept {
    if (!boxes.is_readable()) return {Status::invalid_argument};
    if (!has_room(out_results, pairs.size())) return {Status::capacity_exceeded};
    const narrowphase::Kernels* kernels = narrowphase::active_kernels();
    if (kernels == nullptr) return {Status::unsupported_isa};
    const std::size_t bad_index = narrowphase::find_bad_pair(*kernels, pairs, rays.size(), boxes.count);
    if (bad_index != kNoIndex) return {Status::invalid_argument, bad_index};
    kernels->ray_box.pairs(rays.data(), boxes, pairs.data(), pairs.size(), settings, targets_of(out_results));
    return {};
}

}  // namespace broadside
