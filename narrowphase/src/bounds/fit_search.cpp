// Descent over orientations. The size of the box is continuous in the orientation but has kinks at its
// minima, where faces lie flush with edges of the hull. So no slopes are used, only trial turns in many
// directions, with ever smaller angles.
#include "narrowphase/src/bounds/fit_search.hpp"

#include "narrowphase/src/bounds/fit_checks.hpp"

#include <cmath>
#include <cstdint>

namespace broadside::narrowphase {
namespace {

// Starts: seven steps an axis, some 16 degrees apart, and the principal axes. With five steps, 12 followed
// and 3 finished, the worst of 600 random sets got a box 2.3 % too large; with these, 0.2 %.
constexpr int kStartsPerAxis = 7;
constexpr double kStartStep = 0.138;
// The best starts are followed, first roughly, then the best of these to the end.
constexpr int kFollowed = 16;
constexpr int kFinished = 4;
// Turns, as tangents of the half angle: from nearly the distance of two starts to below float precision.
constexpr double kFirstTurn = 0.1;
constexpr double kRoughTurn = 0x1p-8;
constexpr double kLastTurn = 0x1p-22;
// Directions that are tried at each length of turn: the axes, the diagonals, and some random ones.
constexpr int kAxisTrials = 6;
constexpr int kDiagonalTrials = 8;
constexpr int kRandomTrials = 6;

struct Candidate {
    Orientation orientation;
    double size;
};

// splitmix64 (Steele, Lea, Flood 2014): the same directions everywhere.
double next_number(std::uint64_t& state) {
    std::uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
}

Vec3Double unit(const Vec3Double& a) { return a * (1.0 / std::sqrt(dot(a, a))); }

// `o` turned about `turn`, whose length is the tangent of the half angle (Cayley), orthonormal again.
Orientation turned(const Orientation& o, const Vec3Double& turn) {
    const double scale = 2.0 / (1.0 + dot(turn, turn));
    const auto apply = [&](const Vec3Double& a) {
        const Vec3Double across = cross(turn, a);
        return a + (across + cross(turn, across)) * scale;
    };
    const Vec3Double x = unit(apply(o.axis[0]));
    const Vec3Double z = unit(cross(x, apply(o.axis[1])));
    return {{x, cross(z, x), z}};
}

Orientation from_turn(double x, double y, double z) {
    return turned({{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}}, {x, y, z});
}

double size_at(const FitKernels& kernels, const FitPoints& points, const Orientation& o) {
    FrameExtents extents;
    kernels.extents(frame_of(o, points.origin), points.view(), extents);
    return size_of(extents);
}

// The direction of trial number `trial`, in the frame of the box.
Vec3Double trial_direction(int trial, std::uint64_t& random_state) {
    if (trial < kAxisTrials) {
        const double sign = (trial & 1) != 0 ? -1.0 : 1.0;
        return {trial / 2 == 0 ? sign : 0.0, trial / 2 == 1 ? sign : 0.0, trial / 2 == 2 ? sign : 0.0};
    }
    const auto bits = static_cast<unsigned>(trial - kAxisTrials);
    if (trial < kAxisTrials + kDiagonalTrials)
        return {(bits & 1u) != 0 ? -0.6 : 0.6, (bits & 2u) != 0 ? -0.6 : 0.6, (bits & 4u) != 0 ? -0.6 : 0.6};
    const double x = next_number(random_state);
    const double y = next_number(random_state);
    return {x, y, next_number(random_state)};
}

// Applies turns that shrink the box, from `first` to `last` in length; a direction that helps is reused.
void descend(const FitKernels& kernels, const FitPoints& points, double first, double last,
             Candidate& state) {
    std::uint64_t random_state = 1;
    for (double length = first; length >= last; length *= 0.5) {
        int trial = 0;
        while (trial < kAxisTrials + kDiagonalTrials + kRandomTrials) {
            const Vec3Double d = trial_direction(trial, random_state);
            const Orientation& o = state.orientation;
            const Vec3Double turn = (o.axis[0] * d.x + o.axis[1] * d.y + o.axis[2] * d.z) * length;
            bool has_helped = false;
            for (;;) {
                const Orientation next = turned(state.orientation, turn);
                const double size = size_at(kernels, points, next);
                // A relative step, so that rounding cannot make the loop endless.
                if (!(size < state.size * (1.0 - 0x1p-40))) break;
                state = {next, size};
                has_helped = true;
            }
            trial = has_helped ? 0 : trial + 1;
        }
    }
}

// The principal axes: eigenvectors of the covariance by Jacobi's rotations.
Orientation principal_axes(const FitPoints& points) {
    Vec3Double mean = {0.0, 0.0, 0.0};
    const Vec3SoaView view = points.view();
    const double weight = 1.0 / static_cast<double>(points.count);
    for (std::size_t i = 0; i < points.count; ++i) mean = mean + (widened(view[i]) - points.origin) * weight;
    double m[3][3] = {};
    for (std::size_t i = 0; i < points.count; ++i) {
        const Vec3Double offset = (widened(view[i]) - points.origin) - mean;
        const double d[3] = {offset.x, offset.y, offset.z};
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 3; ++column) m[row][column] += d[row] * d[column] * weight;
        }
    }
    double v[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int sweep = 0; sweep < 24; ++sweep) {
        const int p = sweep % 3 == 2 ? 1 : 0;
        const int q = sweep % 3 == 0 ? 1 : 2;
        if (m[p][q] == 0.0) continue;
        const double theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
        const double root = std::sqrt(theta * theta + 1.0);
        const double t = 1.0 / (theta >= 0.0 ? theta + root : theta - root);
        const double c = 1.0 / std::sqrt(t * t + 1.0);
        const double s = t * c;
        for (int k = 0; k < 3; ++k) {
            const double a = m[k][p];
            m[k][p] = c * a - s * m[k][q];
            m[k][q] = s * a + c * m[k][q];
        }
        for (int k = 0; k < 3; ++k) {
            const double a = m[p][k];
            m[p][k] = c * a - s * m[q][k];
            m[q][k] = s * a + c * m[q][k];
            const double b = v[k][p];
            v[k][p] = c * b - s * v[k][q];
            v[k][q] = s * b + c * v[k][q];
        }
    }
    const Vec3Double x = unit({v[0][0], v[1][0], v[2][0]});
    const Vec3Double z = unit(cross(x, {v[0][1], v[1][1], v[2][1]}));
    return {{x, cross(z, x), z}};
}

// Keeps the `capacity` smallest, in ascending order.
void keep_best(Candidate* candidates, int capacity, int& state_count, const Candidate& candidate) {
    if (state_count == capacity && !(candidate.size < candidates[capacity - 1].size)) return;
    int place = state_count < capacity ? state_count++ : capacity - 1;
    for (; place > 0 && candidate.size < candidates[place - 1].size; --place)
        candidates[place] = candidates[place - 1];
    candidates[place] = candidate;
}

}  // namespace

Vec3 rounded_to_float(const Vec3Double& a) noexcept { return narrowed(a); }

void FitPoints::add(const Vec3SoaView& points, std::size_t index) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
        if (index_[i] == index) return;
    }
    if (count == kCapacity) return;
    x_[count] = points.x[index];
    y_[count] = points.y[index];
    z_[count] = points.z[index];
    index_[count++] = index;
}

void FitPoints::add_extremes(const Vec3SoaView& points, const FrameExtents& extents) noexcept {
    for (const Extent& extent : extents.along) {
        add(points, extent.min_index);
        add(points, extent.max_index);
    }
}

// Quaternions (1, x, y, z) with |x|, |y|, |z| <= tan(45°/2) hold all orientations of a box up to symmetry.
Orientation coarse_orientation(int index) noexcept {
    constexpr double kStep = 0.3;
    const int steps[3] = {index % 3 - 1, index / 3 % 3 - 1, index / 9 - 1};
    return from_turn(steps[0] * kStep, steps[1] * kStep, steps[2] * kStep);
}

double size_of(const FrameExtents& extents) noexcept {
    const double x = extents.along[0].max - extents.along[0].min;
    const double y = extents.along[1].max - extents.along[1].min;
    const double z = extents.along[2].max - extents.along[2].min;
    const double thickness = max_keep(max_keep(x, y), z) * 0x1p-16;
    return (x + thickness) * (y + thickness) * (z + thickness);
}

Orientation search_all(const FitKernels& kernels, const FitPoints& points) noexcept {
    Candidate followed[kFollowed] = {};
    int followed_count = 0;
    const auto start = [&](const Orientation& o) {
        keep_best(followed, kFollowed, followed_count, {o, size_at(kernels, points, o)});
    };
    start(principal_axes(points));
    for (int index = 0; index < kStartsPerAxis * kStartsPerAxis * kStartsPerAxis; ++index) {
        const auto along = [&](int divisor) {
            const int steps = index / divisor % kStartsPerAxis - kStartsPerAxis / 2;
            return steps * kStartStep;
        };
        start(from_turn(along(1), along(kStartsPerAxis), along(kStartsPerAxis * kStartsPerAxis)));
    }
    Candidate finished[kFinished] = {};
    int finished_count = 0;
    for (int i = 0; i < followed_count; ++i) {
        descend(kernels, points, kFirstTurn, kRoughTurn, followed[i]);
        keep_best(finished, kFinished, finished_count, followed[i]);
    }
    Candidate best = finished[0];
    for (int i = 0; i < finished_count; ++i) {
        descend(kernels, points, kRoughTurn, kLastTurn, finished[i]);
        if (finished[i].size < best.size) best = finished[i];
    }
    return best.orientation;
}

Orientation search_from(const FitKernels& kernels, const FitPoints& points,
                        const Orientation& start) noexcept {
    Candidate candidate = {start, size_at(kernels, points, start)};
    descend(kernels, points, kFirstTurn, kLastTurn, candidate);
    return candidate.orientation;
}

}  // namespace broadside::narrowphase
