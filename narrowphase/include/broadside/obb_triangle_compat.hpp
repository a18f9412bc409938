// The seven-axis swept test of oriented box and triangle as a published text defines it, with its four-lane
// helpers. It serves callers that must reproduce its results. It is not batched; obb_triangle.hpp has the
// exact test, with time.
#pragma once

#include <broadside/export.hpp>
#include <broadside/mask4.hpp>
#include <broadside/obb.hpp>
#include <broadside/triangle.hpp>

#include <array>

namespace BROADSIDE_API broadside {

/// Arguments have a float for each lane: x, y and z are three axes, w is padding that may hold anything, NaN
/// included. The result is the axes, of three, on which a triangle with corners projected to p0, p1 and p2
/// may meet the box projected to [-radius, radius]. The bit of an axis is zero only if all three corners lie
/// above radius or all three below -radius. So it is one for a touch and for NaN, because a rejection has to
/// be proved. The bit of lane w is zero (source_rules.md C11).
BROADSIDE_FORCE_INLINE constexpr Mask4 projected_overlap(const std::array<float, 4>& p0,
                                                         const std::array<float, 4>& p1,
                                                         const std::array<float, 4>& p2,
                                                         const std::array<float, 4>& radius) noexcept {
    unsigned bits = 0;
    for (unsigned i = 0; i < 3; ++i) {
        const float r = radius[i];
        const bool is_above = p0[i] > r && p1[i] > r && p2[i] > r;
        const bool is_below = p0[i] < -r && p1[i] < -r && p2[i] < -r;
        bits |= (is_above || is_below ? 0u : 1u) << i;
    }
    return {static_cast<std::uint8_t>(bits)};
}

/// As above for a triangle that moves by w along the axis, of either sign. The bit is zero only if the
/// triangle stays above, moved by min(w, 0), or below, moved by max(w, 0). The text's helper, `> r` or
/// `< -r - w`, holds for w >= 0 only (source_rules.md C12, G9).
BROADSIDE_FORCE_INLINE constexpr Mask4 projected_overlap_moving(const std::array<float, 4>& p0,
                                                                const std::array<float, 4>& p1,
                                                                const std::array<float, 4>& p2,
                                                                const std::array<float, 4>& radius,
                                                                const std::array<float, 4>& w) noexcept {
    unsigned bits = 0;
    for (unsigned i = 0; i < 3; ++i) {
        const float r = radius[i];
        const float fall = min_keep(w[i], 0.0f);
        const float rise = max_keep(w[i], 0.0f);
        const bool is_above = p0[i] + fall > r && p1[i] + fall > r && p2[i] + fall > r;
        const bool is_below = p0[i] + rise < -r && p1[i] + rise < -r && p2[i] + rise < -r;
        bits |= (is_above || is_below ? 0u : 1u) << i;
    }
    return {static_cast<std::uint8_t>(bits)};
}

/// Whether the moving box may meet the moving triangle within the step. Tests motion × edges, motion × box
/// axes and the motion itself (source_rules.md C7-C10). "No" is always right, at any scale: a gap below 1/512
/// of box, triangle and path counts as none, and products are double, so that none underflows. "Yes" is wrong
/// for a few per cent of the pairs that miss. Within the domain of obb_triangle.hpp, "no" means that
/// `first_impact` finds no impact either. Without relative motion all seven axes vanish and would accept
/// everything; the static 13-axis `overlap` decides then (G10). Input outside that domain gives "no".
bool swept_overlap_7_axes(const Obb& obb, Vec3 obb_displacement, const Triangle& triangle,
                          Vec3 triangle_displacement) noexcept;

}  // namespace broadside
