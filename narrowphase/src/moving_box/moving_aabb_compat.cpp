// The moving-box test of two texts: ours, without touches at rest.
#include <broadside/float_environment.hpp>
#include <broadside/moving_aabb_compat.hpp>

#include "core/src/geometry/moving_aabb_scalar.hpp"

namespace broadside {
namespace {

// Whether the slabs touch and have no relative motion.
bool touch_at_rest(float s_min, float s_max, float m_min, float m_max, float displacement) noexcept {
    return flush_denormal(displacement) == 0.0f && (s_min == m_max || s_max == m_min);
}

}  // namespace

float time_of_impact_text_a(const Aabb& s, const Aabb& m, Vec3 displacement) noexcept {
    const FloatEnvironment environment(displacement);
    if (touch_at_rest(s.min.x, s.max.x, m.min.x, m.max.x, displacement.x) ||
        touch_at_rest(s.min.y, s.max.y, m.min.y, m.max.y, displacement.y) ||
        touch_at_rest(s.min.z, s.max.z, m.min.z, m.max.z, displacement.z)) {
        return kNoIntersection;
    }
    return FloatEnvironment::result(first_impact_scalar(s, m, displacement, Touch::closed).toi);
}

}  // namespace broadside
