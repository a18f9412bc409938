// The seven-axis swept test of oriented box and triangle as a published text defines it, with its four-lane
// helpers, for callers who must reproduce its answers. It is not batched; obb_triangle.hpp has the exact
// answer, with time.
#pragma once

#include <broadside/export.hpp>
#include <broadside/mask4.hpp>
#include <broadside/obb.hpp>
#include <broadside/triangle.hpp>

namespace BROADSIDE_API broadside {

/// Four floats, one to a lane: lanes x, y and z are three axes, lane w is padding that may hold anything, NaN
/// included.
struct Float4 {
    /// x, y, z, w.
    float lane[4] = {};
};

/// For each of three axes, can the triangle whose corners project to p0, p1 and p2 meet the box that projects
/// to [-radius, radius]? No only when all three lie above radius or all three below -radius, so touching is
/// yes, and so is NaN: a rejection has to be proved. The bit of lane w is zero (source_rules.md C11).
BROADSIDE_FORCE_INLINE constexpr Mask4 projected_overlap(const Float4& p0, const Float4& p1, const Float4& p2,
                                                         const Float4& radius) noexcept {
    unsigned bits = 0;
    for (unsigned i = 0; i < 3; ++i) {
        const float r = radius.lane[i];
        const bool is_above = p0.lane[i] > r && p1.lane[i] > r && p2.lane[i] > r;
        const bool is_below = p0.lane[i] < -r && p1.lane[i] < -r && p2.lane[i] < -r;
        bits |= (is_above || is_below ? 0u : 1u) << i;
    }
    return {static_cast<std::uint8_t>(bits)};
}

/// As above while the triangle travels by w along the axis, of either sign: apart only if it stays above,
/// from min(w, 0) on, or below, up to max(w, 0). The text's helper, `> r` or `< -r - w`, holds for w >= 0
/// only (source_rules.md C12, G9).
BROADSIDE_FORCE_INLINE constexpr Mask4 projected_overlap_moving(const Float4& p0, const Float4& p1,
                                                                const Float4& p2, const Float4& radius,
                                                                const Float4& w) noexcept {
    unsigned bits = 0;
    for (unsigned i = 0; i < 3; ++i) {
        const float r = radius.lane[i];
        const float fall = min_keep(w.lane[i], 0.0f);
        const float rise = max_keep(w.lane[i], 0.0f);
        const bool is_above = p0.lane[i] + fall > r && p1.lane[i] + fall > r && p2.lane[i] + fall > r;
        const bool is_below = p0.lane[i] + rise < -r && p1.lane[i] + rise < -r && p2.lane[i] + rise < -r;
        bits |= (is_above || is_below ? 0u : 1u) << i;
    }
    return {static_cast<std::uint8_t>(bits)};
}

/// May the moving box meet the moving triangle within the step? Tests motion × edges, motion × box axes and
/// the motion itself (source_rules.md C7-C10). "No" is always right, at any scale: a gap below 1/512 of box,
/// triangle and path counts as none, and products are double, so that none underflows. "Yes" is wrong for a
/// few per cent of the pairs that miss. Within the domain of obb_triangle.hpp "no" means that
/// `first_impact` finds no impact either. Without relative motion all seven axes vanish and would say
/// yes to everything; it is then the static 13-axis `overlap` (G10). What that header calls illegal answers
/// no.
bool swept_overlap_7_axes(const Obb& obb, Vec3 obb_displacement, const Triangle& triangle,
                          Vec3 triangle_displacement) noexcept;

}  // namespace broadside
