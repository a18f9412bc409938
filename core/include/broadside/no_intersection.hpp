// The value for "no impact" and "no hit" of every time and ray parameter.
#pragma once

namespace broadside {

/// The time of impact or ray parameter `t` if there is none. Exactly this float, so compare with `==`. Far
/// above every legal time of impact, which lies in [0, 1] (source_rules.md A4).
inline constexpr float kNoIntersection = 1e30f;

}  // namespace broadside
