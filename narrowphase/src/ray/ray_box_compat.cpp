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
    Vec3 normal;
};

// One iteration of Box2D's loop over axes; false ends the cast with a miss.
bool cast_axis(float lower, float upper, float p, float d, Vec3 axis, Box2dState& state) noexcept {
    if (absolute(d) < kBox2dEpsilon) return !(p < lower || upper < p);
    const float inv_d = 1.0f / d;
    float t1 = (lower - p) * inv_d;
    float t2 = (upper - p) * inv_d;
    float sign = -1.0f;
    if (t1 > t2) {
        const float first = t2;
        t2 = t1;
        t1 = first;
        sign = 1.0f;
    }
    if (t1 > state.t_min) {
        // Each axis has a single 1, so the zeros of the others come out as +0.
        state.normal = {axis.x != 0.0f ? sign : 0.0f, axis.y != 0.0f ? sign : 0.0f,
                        axis.z != 0.0f ? sign : 0.0f};
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

bool ray_box_box2d(const Aabb& box, const Box2dRayCastInput& input, Box2dRayCastOutput* out_output) noexcept {
    const FloatEnvironment environment;
    if (!is_valid(box) || !is_finite(input.p1) || !is_finite(input.p2)) return false;
    const Vec3 d = input.p2 - input.p1;
    Box2dState state;
    if (!cast_axis(box.min.x, box.max.x, input.p1.x, d.x, {1, 0, 0}, state)) return false;
    if (!cast_axis(box.min.y, box.max.y, input.p1.y, d.y, {0, 1, 0}, state)) return false;
    if (!cast_axis(box.min.z, box.max.z, input.p1.z, d.z, {0, 0, 1}, state)) return false;
    // Written as acceptance, so that a NaN reach misses.
    if (!(state.t_min >= 0.0f && state.t_min <= input.max_fraction)) return false;
    if (out_output != nullptr) *out_output = {state.normal, state.t_min};
    return FloatEnvironment::result(true);
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
