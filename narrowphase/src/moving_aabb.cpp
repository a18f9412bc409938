// Single moving-box questions, and argument checks and dispatch of the batches.
#include <broadside/moving_aabb.hpp>

#include "core/src/moving_aabb_scalar.hpp"
#include "core/src/pair_check.hpp"
#include "narrowphase/src/kernel_table.hpp"

namespace broadside {
namespace {

bool is_readable(const MovingBoxes& moving) noexcept {
    return moving.boxes.is_readable() && moving.displacements.is_readable() &&
           (moving.displacements.count == 0 || moving.displacements.count == moving.boxes.count);
}

bool has_room(std::size_t count, std::span<float> out_toi, std::span<Face> out_faces) noexcept {
    return out_toi.size() >= count && (out_faces.empty() || out_faces.size() >= count);
}

}  // namespace

float time_of_impact(const Aabb& stationary, const Aabb& moving, Vec3 displacement, Touch touch) noexcept {
    return first_impact_scalar(stationary, moving, displacement, touch).toi;
}

Impact first_impact(const Aabb& stationary, const Aabb& moving, Vec3 displacement, Touch touch) noexcept {
    return first_impact_scalar(stationary, moving, displacement, touch);
}

BatchResult times_of_impact(const MovingBoxes& a, const MovingBoxes& b, Touch touch, std::span<float> out_toi,
                            std::span<Face> out_faces) noexcept {
    if (!is_readable(a) || !is_readable(b) || a.boxes.count != b.boxes.count)
        return {Status::invalid_argument};
    if (!has_room(a.boxes.count, out_toi, out_faces)) return {Status::capacity_exceeded};
    const narrowphase::Kernels* kernels = narrowphase::active_kernels();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->moving_aabb.streams(a, b, touch, out_toi.data(), out_faces.empty() ? nullptr : out_faces.data());
    return {};
}

BatchResult times_of_impact_of_pairs(const MovingBoxes& a, const MovingBoxes& b,
                                     std::span<const IndexPair> pairs, Touch touch, std::span<float> out_toi,
                                     std::span<Face> out_faces) noexcept {
    if (!is_readable(a) || !is_readable(b)) return {Status::invalid_argument};
    if (!has_room(pairs.size(), out_toi, out_faces)) return {Status::capacity_exceeded};
    const std::size_t bad_index = find_pair_out_of_range(pairs, a.boxes.count, b.boxes.count);
    if (bad_index != kNoIndex) return {Status::invalid_argument, bad_index};
    const narrowphase::Kernels* kernels = narrowphase::active_kernels();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->moving_aabb.pairs(a, b, pairs.data(), pairs.size(), touch, out_toi.data(),
                               out_faces.empty() ? nullptr : out_faces.data());
    return {};
}

}  // namespace broadside
