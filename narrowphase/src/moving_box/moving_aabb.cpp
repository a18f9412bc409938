// Argument checks and dispatch of the batches of moving boxes.
#include <broadside/float_environment.hpp>
#include <broadside/moving_aabb.hpp>

#include "narrowphase/src/batch/pair_range.hpp"
#include "narrowphase/src/moving_box/checks.hpp"
#include "narrowphase/src/moving_box/kernels.hpp"
#include "simd/src/dispatch.hpp"

namespace broadside {

BatchResult times_of_impact(const MovingBoxes& a, const MovingBoxes& b, Touch touch, std::span<float> out_toi,
                            std::span<Face> out_faces) noexcept {
    const FloatEnvironment environment;
    if (!narrowphase::is_readable(a) || !narrowphase::is_readable(b) || a.boxes.count != b.boxes.count)
        return {Status::invalid_argument};
    if (!narrowphase::has_room(a.boxes.count, out_toi, out_faces)) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::MovingAabbKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->streams(a, b, touch, out_toi.data(), out_faces.empty() ? nullptr : out_faces.data());
    return {};
}

BatchResult times_of_impact_of_pairs(const MovingBoxes& a, const MovingBoxes& b,
                                     std::span<const IndexPair> pairs, Touch touch, std::span<float> out_toi,
                                     std::span<Face> out_faces) noexcept {
    const FloatEnvironment environment;
    if (!narrowphase::is_readable(a) || !narrowphase::is_readable(b)) return {Status::invalid_argument};
    if (!narrowphase::has_room(pairs.size(), out_toi, out_faces)) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::MovingAabbKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    const std::size_t bad_index = narrowphase::find_bad_pair(pairs, a.boxes.count, b.boxes.count);
    if (bad_index != kNoIndex) return {Status::invalid_argument, bad_index};
    kernels->pairs(a, b, pairs.data(), pairs.size(), touch, out_toi.data(),
                   out_faces.empty() ? nullptr : out_faces.data());
    return {};
}

BatchResult times_of_impact_of_mover(const Aabb& mover, Vec3 displacement, const BoxSoaView& resting,
                                     Touch touch, std::span<float> out_toi,
                                     std::span<Face> out_faces) noexcept {
    const FloatEnvironment environment(displacement);
    if (!resting.is_readable()) return {Status::invalid_argument};
    if (!narrowphase::has_room(resting.count, out_toi, out_faces)) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::OneMoverKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->boxes(mover, displacement, resting, touch, out_toi.data(),
                   out_faces.empty() ? nullptr : out_faces.data());
    return {};
}

}  // namespace broadside
