// When a moving box meets another exactly as two published texts define it. It serves callers that must
// reproduce their results. It is not batched; moving_aabb.hpp has the library's own rules.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/export.hpp>

namespace BROADSIDE_API broadside {

/// The time of impact of the texts' function (source_rules.md A4-A11 and B24-B25); kNoIntersection if there
/// is none. Axes with motion are Touch::closed, but on an axis without motion a touch is not an impact. The
/// result therefore jumps where a motion becomes zero (source_rules.md A6, G2). Bit for bit what their code
/// returns, except for its errors. An invalid box or a displacement that is not finite has no impact. A
/// displacement below FLT_MIN counts as zero (G4). Underflow never makes boxes that have separated count as
/// touching.
float time_of_impact_text_a(const Aabb& stationary, const Aabb& moving, Vec3 displacement) noexcept;

}  // namespace broadside
