// Oriented box against oriented box, single and in batches.
#include <broadside/float_environment.hpp>
#include <broadside/obb_obb.hpp>

#include "narrowphase/src/batch/call.hpp"
#include "narrowphase/src/obb/kernels.hpp"

#include <cmath>

namespace broadside {
using narrowphase::BatchCall;
using narrowphase::ObbObbKernels;
using narrowphase::ObbObbSingle;
using narrowphase::pointer_or_null;

bool overlap(const Obb& a, const Obb& b) noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(ObbObbSingle::scalar.overlap(a, b));
}

ObbContact obb_contact(const Obb& a, const Obb& b) noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(ObbObbSingle::scalar.contact(a, b));
}

ObbImpact first_impact(const Obb& a, Vec3 a_displacement, const Obb& b, Vec3 b_displacement) noexcept {
    const FloatEnvironment environment(a_displacement, b_displacement);
    return FloatEnvironment::result(ObbObbSingle::scalar.impact(a, b, b_displacement - a_displacement));
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
    return FloatEnvironment::result(dot(normal, a.center - b.center) < 0.0f ? -normal : normal);
}

BatchResult overlaps(const Obb& a, const ObbSoaView& b, std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .readable(b, "b: counts differ, or a column is null though the count is not 0")
        .holds_bits(out_bits, b.count())
        .run<ObbObbKernels>([&](const auto& kernels) { kernels.overlap(a, b, out_bits.data()); });
}

BatchResult obb_contacts(const Obb& a, const ObbSoaView& b, std::span<float> out_depth,
                         std::span<ObbAxis> out_axis) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .readable(b, "b: counts differ, or a column is null though the count is not 0")
        .holds(out_depth, b.count())
        .holds_if_wanted(out_axis, b.count())
        .run<ObbObbKernels>([&](const auto& kernels) {
            kernels.contacts(a, b, {out_depth.data(), pointer_or_null(out_axis)});
        });
}

BatchResult times_of_impact(const Obb& a, Vec3 a_displacement, const ObbSoaView& b,
                            const Vec3SoaView& b_displacements, std::span<float> out_toi,
                            std::span<ObbAxis> out_axis) noexcept {
    const FloatEnvironment environment(a_displacement);
    return BatchCall()
        .readable(b, "b: counts differ, or a column is null though the count is not 0")
        .readable(b_displacements, "b_displacements: a column is null though the count is not 0")
        .none_or_one_each(b_displacements.count, b.count(),
                          "b_displacements: neither none nor one per box")
        .holds(out_toi, b.count())
        .holds_if_wanted(out_axis, b.count())
        .run<ObbObbKernels>([&](const auto& kernels) {
            kernels.impacts(a, a_displacement, b, b_displacements,
                            {out_toi.data(), pointer_or_null(out_axis)});
        });
}

BatchResult overlaps(std::span<const Obb> a, std::span<const Obb> b, std::span<const IndexPair> pairs,
                     std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .readable(a, b)
        .holds_bits(out_bits, pairs.size())
        .in_range(pairs, a.size(), b.size())
        .run<ObbObbKernels>([&](const auto& kernels) {
            kernels.overlap_pairs(a.data(), b.data(), pairs.data(), pairs.size(), out_bits.data());
        });
}

BatchResult obb_contacts(std::span<const Obb> a, std::span<const Obb> b, std::span<const IndexPair> pairs,
                         std::span<float> out_depth, std::span<ObbAxis> out_axis) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .readable(a, b)
        .holds(out_depth, pairs.size())
        .holds_if_wanted(out_axis, pairs.size())
        .in_range(pairs, a.size(), b.size())
        .run<ObbObbKernels>([&](const auto& kernels) {
            kernels.contact_pairs(a.data(), b.data(), pairs.data(), pairs.size(),
                                  {out_depth.data(), pointer_or_null(out_axis)});
        });
}

BatchResult times_of_impact(std::span<const Obb> a, std::span<const Vec3> a_displacements,
                            std::span<const Obb> b, std::span<const Vec3> b_displacements,
                            std::span<const IndexPair> pairs, std::span<float> out_toi,
                            std::span<ObbAxis> out_axis) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .readable(a, a_displacements, b, b_displacements)
        .none_or_one_each(a_displacements.size(), a.size(),
                          "a_displacements: neither none nor one per box")
        .none_or_one_each(b_displacements.size(), b.size(),
                          "b_displacements: neither none nor one per box")
        .holds(out_toi, pairs.size())
        .holds_if_wanted(out_axis, pairs.size())
        .in_range(pairs, a.size(), b.size())
        .run<ObbObbKernels>([&](const auto& kernels) {
            const narrowphase::MovingObbs moving_a = {a.data(), pointer_or_null(a_displacements)};
            const narrowphase::MovingObbs moving_b = {b.data(), pointer_or_null(b_displacements)};
            kernels.impact_pairs(moving_a, moving_b, pairs.data(), pairs.size(),
                                 {out_toi.data(), pointer_or_null(out_axis)});
        });
}

}  // namespace broadside
