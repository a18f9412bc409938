// Owners of prepared rows, and argument checks and dispatch of the pairs over them.
#include <broadside/float_environment.hpp>
#include <broadside/moving_aabb_rows.hpp>

#include "narrowphase/src/batch/pair_range.hpp"
#include "narrowphase/src/moving_box/checks.hpp"
#include "narrowphase/src/moving_box/kernels.hpp"
#include "simd/src/dispatch.hpp"

namespace broadside {
namespace {

// Room for whole groups of rows, so that no kernel has to write a part of one.
template <class Row>
Status make_room(AlignedArray<Row>& rows, std::size_t count) noexcept {
    constexpr std::size_t kGroup = narrowphase::kRowGroup;
    const bool has_memory = count <= static_cast<std::size_t>(-1) - kGroup &&
                            rows.reserve((count + kGroup - 1) / kGroup * kGroup) && rows.resize(count);
    return has_memory ? Status::ok : Status::out_of_memory;
}

// `call(kernels, count)` once everything about a batch of pairs is in order.
template <class Call>
BatchResult check_and_call(std::span<const IndexPair> pairs, std::size_t first_count,
                           std::size_t second_count, std::span<float> out_toi, std::span<Face> out_faces,
                           Call&& call) noexcept {
    if (!narrowphase::has_room(pairs.size(), out_toi, out_faces)) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::MovingAabbRowsKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    const std::size_t bad_index = narrowphase::find_bad_pair(pairs, first_count, second_count);
    if (bad_index != kNoIndex) return {Status::invalid_argument, bad_index};
    call(*kernels, out_faces.empty() ? nullptr : out_faces.data());
    return {};
}

}  // namespace

Status RestingBoxRows::prepare(const BoxSoaView& boxes) noexcept {
    const FloatEnvironment environment;
    rows_.clear();
    if (!boxes.is_readable()) return Status::invalid_argument;
    const auto* kernels = simd::active_kernels<narrowphase::MovingAabbRowsKernels>();
    if (kernels == nullptr) return Status::unsupported_isa;
    if (const Status status = make_room(rows_, boxes.count); status != Status::ok) return status;
    kernels->prepare_resting(boxes, rows_.data());
    return Status::ok;
}

Status MovingBoxRows::prepare(const MovingBoxes& movers, Touch touch) noexcept {
    const FloatEnvironment environment;
    rows_.clear();
    policy_.touch = touch;
    if (!narrowphase::is_readable(movers)) return Status::invalid_argument;
    const auto* kernels = simd::active_kernels<narrowphase::MovingAabbRowsKernels>();
    if (kernels == nullptr) return Status::unsupported_isa;
    if (const Status status = make_room(rows_, movers.boxes.count); status != Status::ok) return status;
    kernels->prepare_movers(movers, touch, rows_.data());
    return Status::ok;
}

Status BodyBoxRows::prepare(const MovingBoxes& bodies) noexcept {
    const FloatEnvironment environment;
    rows_.clear();
    if (!narrowphase::is_readable(bodies)) return Status::invalid_argument;
    const auto* kernels = simd::active_kernels<narrowphase::MovingAabbRowsKernels>();
    if (kernels == nullptr) return Status::unsupported_isa;
    if (const Status status = make_room(rows_, bodies.boxes.count); status != Status::ok) return status;
    kernels->prepare_bodies(bodies, rows_.data());
    return Status::ok;
}

BatchResult times_of_impact_of_pairs(const RestingBoxRows& resting, const MovingBoxRows& movers,
                                     std::span<const IndexPair> pairs, std::span<float> out_toi,
                                     std::span<Face> out_faces) noexcept {
    const FloatEnvironment environment;
    return check_and_call(pairs, resting.count(), movers.count(), out_toi, out_faces,
                          [&](const narrowphase::MovingAabbRowsKernels& kernels, Face* faces) {
                              kernels.pairs(resting.data(), movers.data(), pairs.data(), pairs.size(),
                                            movers.touch(), out_toi.data(), faces);
                          });
}

BatchResult times_of_impact_of_pairs(const BodyBoxRows& a, const BodyBoxRows& b,
                                     std::span<const IndexPair> pairs, Touch touch, std::span<float> out_toi,
                                     std::span<Face> out_faces) noexcept {
    const FloatEnvironment environment;
    return check_and_call(pairs, a.count(), b.count(), out_toi, out_faces,
                          [&](const narrowphase::MovingAabbRowsKernels& kernels, Face* faces) {
                              kernels.body_pairs(a.data(), b.data(), pairs.data(), pairs.size(), touch,
                                                 out_toi.data(), faces);
                          });
}

}  // namespace broadside
