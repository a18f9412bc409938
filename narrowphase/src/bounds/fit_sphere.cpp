// The smallest sphere around a set of points, by growing the few points that support it.
#include <broadside/fit.hpp>
#include <broadside/float_environment.hpp>

#include "narrowphase/src/bounds/fit_checks.hpp"
#include "narrowphase/src/bounds/kernels.hpp"
#include "simd/src/dispatch.hpp"

#include <cmath>

namespace broadside {
namespace {

using narrowphase::FarthestPoint;

// Rounds of the search: far more than any set has needed; past them only the radius grows.
constexpr int kMaxSphereRounds = 200;
// Relative slack: how far rounding may leave a point outside a sphere that was solved to contain it.
constexpr double kSlack = 1e-13;

struct DoubleSphere {
    Vec3Double center;
    double radius_sq;
};

struct Support {
    Vec3Double points[5];
    int count = 0;
};

// The smallest sphere through all of `s.points`, affinely independent and at most four. Its center is p0 + Σ
// λ_i·q_i with q_i = p_i - p0, and q_j · center = q_j·q_j / 2. Returns false if they are dependent.
bool circumscribe(const Support& s, DoubleSphere& out_sphere) {
    if (s.count == 1) {
        out_sphere = {s.points[0], 0.0};
        return true;
    }
    const Vec3Double none = {0.0, 0.0, 0.0};
    const Vec3Double q1 = s.points[1] - s.points[0];
    const Vec3Double q2 = s.count > 2 ? s.points[2] - s.points[0] : none;
    const Vec3Double q3 = s.count > 3 ? s.points[3] - s.points[0] : none;
    Vec3Double offset = q1 * 0.5;
    if (s.count == 3) {
        const Vec3Double normal = cross(q1, q2);
        const double normal_sq = dot(normal, normal);
        if (!(normal_sq > 0.0)) return false;
        offset = cross(normal, q1 * dot(q2, q2) - q2 * dot(q1, q1)) * (0.5 / normal_sq);
    } else if (s.count == 4) {
        const double volume = dot(q1, cross(q2, q3));
        if (volume == 0.0) return false;
        offset = (cross(q2, q3) * dot(q1, q1) + cross(q3, q1) * dot(q2, q2) + cross(q1, q2) * dot(q3, q3)) *
                 (0.5 / volume);
    }
    out_sphere = {s.points[0] + offset, dot(offset, offset)};
    return true;
}

bool holds(const DoubleSphere& sphere, const Support& s) {
    for (int i = 0; i < s.count; ++i) {
        const Vec3Double offset = s.points[i] - sphere.center;
        if (!(dot(offset, offset) <= sphere.radius_sq * (1.0 + kSlack))) return false;
    }
    return true;
}

// The smallest sphere around at most five points, the last of which lies on its surface. Every subset with
// the last point defines a sphere; the smallest that contains all wins. Its subset becomes the support.
bool solve_smallest(Support& state, DoubleSphere& state_sphere) {
    DoubleSphere best = {{0.0, 0.0, 0.0}, __builtin_inf()};
    Support best_support;
    const int last = state.count - 1;
    for (unsigned subset = 0; subset < 1u << last; ++subset) {
        Support chosen;
        chosen.points[chosen.count++] = state.points[last];
        if (__builtin_popcount(subset) > 3) continue;
        for (int i = 0; i < last; ++i) {
            if ((subset >> i & 1u) != 0) chosen.points[chosen.count++] = state.points[i];
        }
        DoubleSphere sphere;
        if (!circumscribe(chosen, sphere) || !(sphere.radius_sq < best.radius_sq)) continue;
        if (!holds(sphere, state)) continue;
        best = sphere;
        best_support = chosen;
    }
    if (!(best.radius_sq > state_sphere.radius_sq)) return false;
    state = best_support;
    state_sphere = best;
    return true;
}

Vec3Double point_at(const Vec3SoaView& points, std::size_t index) { return widened(points[index]); }

// Relative to `origin`, which preserves the digits of sets far from the world's origin.
DoubleSphere smallest_sphere(const narrowphase::FitKernels& kernels, const Vec3SoaView& points,
                             const Vec3Double& origin) {
    Support support;
    support.points[support.count++] = {0.0, 0.0, 0.0};
    DoubleSphere sphere = {{0.0, 0.0, 0.0}, 0.0};
    for (int round = 0; round < kMaxSphereRounds; ++round) {
        FarthestPoint farthest;
        kernels.farthest(origin + sphere.center, points, farthest);
        if (farthest.distance_sq <= sphere.radius_sq * (1.0 + kSlack)) break;
        support.points[support.count++] = point_at(points, farthest.index) - origin;
        if (!solve_smallest(support, sphere)) break;
    }
    return sphere;
}

}  // namespace

Fitted<Sphere> fit_sphere(const Vec3SoaView& points) noexcept {
    const FloatEnvironment environment;
    std::size_t bad_index;
    if (const Status status = narrowphase::check_points(points, bad_index); status != Status::ok)
        return {status, bad_index, {}};
    const auto* kernels = simd::active_kernels<narrowphase::FitKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa, kNoIndex, {}};

    const Vec3Double origin = point_at(points, 0);
    const DoubleSphere sphere = smallest_sphere(*kernels, points, origin);
    const Vec3 center = narrowphase::rounded_to_float(origin + sphere.center);
    FarthestPoint farthest;
    kernels->farthest(widened(center), points, farthest);
    // The square is off by a few 2^-53; a root that is larger by that much contains every point exactly.
    const double radius = std::sqrt(farthest.distance_sq) * (1.0 + 0x1p-50);
    if (!narrowphase::check_fit(radius <= static_cast<double>(FLT_MAX)))
        return {Status::invalid_argument, kNoIndex, {}};
    return FloatEnvironment::result(
        Fitted<Sphere>{Status::ok, kNoIndex, {center, narrowphase::rounded_up(radius)}});
}

}  // namespace broadside
