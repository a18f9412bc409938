// The ray casts of two texts, axis by axis as written there.
#include <broadside/float_environment.hpp>
#include <broadside/ray_box_compat.hpp>

#include <limits>

namespace broadside {
namespace {

// The smallest step of 1.0f, as Box2D's b2_epsilon: an absolute length below which a ray counts as parallel.
constexpr float kBox2dEpsilon = FLT_EPSILON;

struct Box2dState {
    float t_min = -FLT_MAX;
    float t_max = FLT_MAX;
    Face face = Face::none;
};

// One iteration of Box2D's loop over axes; false ends the cast with a miss.
bool cast_axis(float lower, float upper, float p, float d, Face min_face, Box2dState& state) noexcept {
    if (absolute(d) < kBox2dEpsilon) return !(p < lower || upper < p);
    const float inv_d = 1.0f / d;
    float t1 = (lower - p) * inv_d;
    float t2 = (upper - p) * inv_d;
    unsigned side = 0;
    if (t1 > t2) {
        const float first = t2;
        t2 = t1;
        t1 = first;
        side = 1;
    }
    if (t1 > state.t_min) {
        state.face = static_cast<Face>(static_cast<unsigned>(min_face) + side);
        state.t_min = t1;
    }
    state.t_max = min_keep(state.t_max, t2);
    return !(state.t_min > state.t_max);
}

struct TextDState {
    double near = std::numeric_limits<double>::lowest();
    double far = std::numeric_limits<double>::max();
};

// One axis of the article; false if the ray runs parallel to the slab and outside it.
bool cut_axis(double min, double max, double start, double direction, TextDState& state) noexcept {
    if (direction == 0.0) return min <= start && start <= max;
    const double t_min = (min - start) / direction;
    const double t_max = (max - start) / direction;
    const double near = t_min < t_max ? t_min : t_max;
    const double far = t_min < t_max ? t_max : t_min;
    state.near = near > state.near ? near : state.near;
    state.far = far < state.far ? far : state.far;
    return true;
}

}  // namespace

Impact ray_box_box2d(const Aabb& box, Vec3 p1, Vec3 p2, float max_fraction) noexcept {
    const FloatEnvironment environment(p1, p2, max_fraction);
    if (!is_valid(box) || !is_finite(p1) || !is_finite(p2)) return {};
    const Vec3 d = p2 - p1;
    Box2dState state;
    if (!cast_axis(box.min.x, box.max.x, p1.x, d.x, Face::min_x, state)) return {};
    if (!cast_axis(box.min.y, box.max.y, p1.y, d.y, Face::min_y, state)) return {};
    if (!cast_axis(box.min.z, box.max.z, p1.z, d.z, Face::min_z, state)) return {};
    // Written as acceptance, so that a NaN reach misses.
    if (!(state.t_min >= 0.0f && state.t_min <= max_fraction)) return {};
    return FloatEnvironment::result(Impact{state.t_min, state.face});
}

double ray_box_text_d(const Aabb& box, Vec3 start, Vec3 direction) noexcept {
    const FloatEnvironment environment(start, direction);
    constexpr double kMiss = std::numeric_limits<double>::infinity();
    if (!is_valid(box) || !is_finite(start) || !is_finite(direction)) return kMiss;
    TextDState state;
    const bool is_within = cut_axis(static_cast<double>(box.min.x), static_cast<double>(box.max.x),
                                    static_cast<double>(start.x), static_cast<double>(direction.x), state) &&
                           cut_axis(static_cast<double>(box.min.y), static_cast<double>(box.max.y),
                                    static_cast<double>(start.y), static_cast<double>(direction.y), state) &&
                           cut_axis(static_cast<double>(box.min.z), static_cast<double>(box.max.z),
                                    static_cast<double>(start.z), static_cast<double>(direction.z), state);
    if (!is_within || state.far < 0.0 || state.far < state.near) return kMiss;
    return FloatEnvironment::result(state.near);
}

}  // namespace broadside
