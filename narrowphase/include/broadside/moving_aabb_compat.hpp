// When a moving box meets another exactly as two published texts define it, for callers who must reproduce
// their answers. It is not batched; moving_aabb.hpp has the library's own rules.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/export.hpp>

namespace BROADSIDE_API broadside {

/// The time of impact of the texts' function (source_rules.md A4-A11 and B24-B25), kNoIntersection when there is
/// none. It is Touch::closed on axes with motion, but on an axis without motion a touch is no meeting: so it
/// jumps where a motion becomes zero (source_rules.md A6, G2). To the last bit what their code returns, but for its
/// errors: an invalid box or a displacement that is not finite has no impact, a displacement below FLT_MIN
/// counts as zero (G4), and underflow takes no box that has parted for one that touches.
float time_of_impact_text_a(const Aabb& stationary, const Aabb& moving, Vec3 displacement) noexcept;

}  // namespace broadside
