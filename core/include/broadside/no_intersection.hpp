// The value that stands for "no impact" and "no hit" wherever a time or a ray parameter is answered.
#pragma once

namespace broadside {

/// What a time of impact and a ray's `t` are when there is none. Exactly this float, compare with `==`; far
/// above every legal time of impact, which lies in [0, 1] (source_rules.md A4).
inline constexpr float kNoIntersection = 1e30f;

}  // namespace broadside
