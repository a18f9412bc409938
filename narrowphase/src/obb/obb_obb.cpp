// Single questions, argument checks and dispatch of oriented box against oriented box.
#include <broadside/float_environment.hpp>
#include <broadside/obb_obb.hpp>

#include "core/src/pair_check.hpp"
#include "narrowphase/src/batch/outputs.hpp"
#include "narrowphase/src/obb/kernels.hpp"
#include "narrowphase/src/obb/obb_obb_scalar.hpp"
#include "simd/src/dispatch.hpp"

#include <cmath>

namespace broadside {

bool overlap(const Obb& a, const Obb& b) noexcept {
    const FloatEnvironment environment;
    return narrowphase::overlap_scalar(a, b);
}

ObbContact obb_contact(const Obb& a, const Obb& b) noexcept {
    const FloatEnvironment environment;
    return narrowphase::contact_scalar(a, b);
}

ObbImpact obb_obb_impact(const Obb& a, Vec3 a_displacement, const Obb& b, Vec3 b_displacement) noexcept {
    const FloatEnvironment environment(a_displacement, b_displacement);
    return narrowphase::impact_scalar(a, b, b_displacement - a_displacement);
}

namespace {

Vec3 axis_of(const Obb& obb, unsigned index) {
    return index == 0 ? obb.axis_x : index == 1 ? obb.axis_y : obb.axis_z;
}

}  // namespace

Vec3 contact_normal(const Obb& a, const Obb& b, ObbAxis axis) noexcept {
    const FloatEnvironment environment;
    if (axis == ObbAxis::initial || axis == ObbAxis::none) return {};
    const auto index = static_cast<unsigned>(axis);
    const Vec3 direction = index < 3   ? axis_of(a, index)
                           : index < 6 ? axis_of(b, index - 3)
                                       : cross(axis_of(a, (index - 6) % 3), axis_of(b, (index - 6) / 3));
    const float length = std::sqrt(length_sq(direction));
    if (!(length > 0.0f)) return {};
    const Vec3 normal = direction * (1.0f / length);
    return dot(normal, a.center - b.center) < 0.0f ? -normal : normal;
}

namespace {

bool fits(std::span<const Vec3> displacements, std::span<const Obb> obbs) {
    return displacements.empty() || displacements.size() == obbs.size();
}

narrowphase::MovingObbs moving(std::span<const Obb> obbs, std::span<const Vec3> displacements) {
    return {obbs.data(), displacements.empty() ? nullptr : displacements.data()};
}

}  // namespace

BatchResult overlap_obbs(const Obb& a, const ObbSoaView& b, std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    if (!b.is_readable()) return {Status::invalid_argument};
    if (out_bits.size() < bit_word_count(b.count())) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::ObbObbKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->overlap(a, b, out_bits.data());
    return {};
}

BatchResult obb_contacts(const Obb& a, const ObbSoaView& b, std::span<float> out_depth,
                         std::span<ObbAxis> out_axis) noexcept {
    const FloatEnvironment environment;
    if (!b.is_readable()) return {Status::invalid_argument};
    if (narrowphase::is_too_short(b.count(), out_depth, out_axis)) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::ObbObbKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->contacts(a, b, {out_depth.data(), narrowphase::pointer_or_null(out_axis)});
    return {};
}

BatchResult obb_obb_impacts(const Obb& a, Vec3 a_displacement, const ObbSoaView& b,
                            const Vec3SoaView& b_displacements, std::span<float> out_toi,
                            std::span<ObbAxis> out_axis) noexcept {
    const FloatEnvironment environment(a_displacement);
    const bool fits_b = b_displacements.count == 0 || b_displacements.count == b.count();
    if (!b.is_readable() || !b_displacements.is_readable() || !fits_b) return {Status::invalid_argument};
    if (narrowphase::is_too_short(b.count(), out_toi, out_axis)) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::ObbObbKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->impacts(a, a_displacement, b, b_displacements,
                     {out_toi.data(), narrowphase::pointer_or_null(out_axis)});
    return {};
}

BatchResult overlap_obb_pairs(std::span<const Obb> a, std::span<const Obb> b,
                              std::span<const IndexPair> pairs, std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    if (out_bits.size() < bit_word_count(pairs.size())) return {Status::capacity_exceeded};
    const std::size_t bad_index = find_pair_out_of_range(pairs, a.size(), b.size());
    if (bad_index != kNoIndex) return {Status::invalid_argument, bad_index};
    const auto* kernels = simd::active_kernels<narrowphase::ObbObbKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->overlap_pairs(a.data(), b.data(), pairs.data(), pairs.size(), out_bits.data());
    return {};
}

BatchResult obb_contact_pairs(std::span<const Obb> a, std::span<const Obb> b,
                              std::span<const IndexPair> pairs, std::span<float> out_depth,
                              std::span<ObbAxis> out_axis) noexcept {
    const FloatEnvironment environment;
    if (narrowphase::is_too_short(pairs.size(), out_depth, out_axis)) return {Status::capacity_exceeded};
    const std::size_t bad_index = find_pair_out_of_range(pairs, a.size(), b.size());
    if (bad_index != kNoIndex) return {Status::invalid_argument, bad_index};
    const auto* kernels = simd::active_kernels<narrowphase::ObbObbKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->contact_pairs(a.data(), b.data(), pairs.data(), pairs.size(),
                           {out_depth.data(), narrowphase::pointer_or_null(out_axis)});
    return {};
}

BatchResult obb_obb_impact_pairs(std::span<const Obb> a, std::span<const Vec3> a_displacements,
                                 std::span<const Obb> b, std::span<const Vec3> b_displacements,
                                 std::span<const IndexPair> pairs, std::span<float> out_toi,
                                 std::span<ObbAxis> out_axis) noexcept {
    const FloatEnvironment environment;
    if (!fits(a_displacements, a) || !fits(b_displacements, b)) return {Status::invalid_argument};
    if (narrowphase::is_too_short(pairs.size(), out_toi, out_axis)) return {Status::capacity_exceeded};
    const std::size_t bad_index = find_pair_out_of_range(pairs, a.size(), b.size());
    if (bad_index != kNoIndex) return {Status::invalid_argument, bad_index};
    const auto* kernels = simd::active_kernels<narrowphase::ObbObbKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->impact_pairs(moving(a, a_displacements), moving(b, b_displacements), pairs.data(), pairs.size(),
                          {out_toi.data(), narrowphase::pointer_or_null(out_axis)});
    return {};
}

}  // namespace broadside
