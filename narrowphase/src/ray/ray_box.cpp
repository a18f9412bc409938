// Ray against box, single and in batches.
#include <broadside/float_environment.hpp>
#include <broadside/ray_box.hpp>

#include "core/src/geometry/ray_box_scalar.hpp"
#include "narrowphase/src/batch/call.hpp"
#include "narrowphase/src/ray/kernels.hpp"

namespace broadside {
using narrowphase::BatchCall;
using narrowphase::pointer_or_null;
using narrowphase::RayBoxKernels;

namespace {

BatchCall& check_outputs(BatchCall& batch, std::size_t count, const RayOutputs& outputs) noexcept {
    return batch.holds_if_wanted(outputs.t_enter, count)
        .holds_if_wanted(outputs.t_exit, count)
        .holds_if_wanted(outputs.face, count)
        .holds_if_wanted(outputs.hit_bits, bit_word_count(count));
}

narrowphase::RayBoxTargets targets_of(const RayOutputs& outputs) noexcept {
    return {pointer_or_null(outputs.t_enter), pointer_or_null(outputs.t_exit), pointer_or_null(outputs.face),
            pointer_or_null(outputs.hit_bits)};
}

}  // namespace

PreparedRay prepare_ray(const Ray& ray, const RaySettings& settings) noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(prepared_ray(ray, settings));
}

RaySolidHit ray_box(const Ray& ray, const Aabb& box, const RaySettings& settings) noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(ray_box_prepared(prepared_ray(ray, settings), box));
}

BatchResult ray_boxes(const Ray& ray, const BoxSoaView& boxes, const RaySettings& settings,
                      const RayOutputs& out_results) noexcept {
    const FloatEnvironment environment;
    BatchCall batch;
    batch.readable(boxes, "boxes: a column is null though the count is not 0").policy(settings.inside);
    return check_outputs(batch, boxes.count, out_results).run<RayBoxKernels>([&](const auto& kernels) {
        const PreparedRay prepared = prepare_ray(ray, settings);
        const narrowphase::RayBoxTargets targets = targets_of(out_results);
        if (targets.face != nullptr) {
            kernels.boxes_with_face(prepared, boxes, targets);
        } else if (targets.t_enter != nullptr || targets.t_exit != nullptr) {
            kernels.boxes(prepared, boxes, targets);
        } else if (targets.hit_bits != nullptr) {
            kernels.hits(prepared, boxes, targets.hit_bits);
        }
    });
}

BatchResult ray_boxes(std::span<const Ray> rays, const BoxSoaView& boxes, const RaySettings& settings,
                      std::span<std::uint64_t> out_hit_bits) noexcept {
    const FloatEnvironment environment;
    const std::size_t row_words = bit_word_count(boxes.count);
    return BatchCall()
        .readable(boxes, "boxes: a column is null though the count is not 0")
        .readable(rays, out_hit_bits)
        .policy(settings.inside)
        // Divided, so that no product can overflow.
        .room(row_words == 0 || rays.size() <= out_hit_bits.size() / row_words)
        .run<RayBoxKernels>([&](const auto& kernels) {
            kernels.many_hits(rays.data(), rays.size(), boxes, settings, out_hit_bits.data());
        });
}

BatchResult ray_boxes(std::span<const Ray> rays, const BoxSoaView& boxes, std::span<const IndexPair> pairs,
                      const RaySettings& settings, const RayOutputs& out_results) noexcept {
    const FloatEnvironment environment;
    BatchCall batch;
    batch.readable(boxes, "boxes: a column is null though the count is not 0")
        .readable(rays)
        .policy(settings.inside);
    return check_outputs(batch, pairs.size(), out_results)
        .in_range(pairs, rays.size(), boxes.count)
        .run<RayBoxKernels>([&](const auto& kernels) {
            kernels.pairs(rays.data(), boxes, pairs.data(), pairs.size(), settings, targets_of(out_results));
        });
}

BatchResult closest_hits(std::span<const Ray> rays, const BoxSoaView& boxes, const RaySettings& settings,
                         std::span<TreeHit> out_closest) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .readable(boxes, "boxes: a column is null though the count is not 0")
        .readable(rays)
        .policy(settings.inside)
        .legal(boxes.count < kNoBox, "boxes: as many as kNoBox, or more")
        .holds(out_closest, rays.size())
        .run<RayBoxKernels>([&](const auto& kernels) {
            kernels.closest(rays.data(), rays.size(), boxes, settings, out_closest.data());
        });
}

}  // namespace broadside
