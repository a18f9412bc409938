// Rays and nearest boxes of a tree of doubles or whole numbers. A tree of floats, whose boxes are rounded outwards, says
// which boxes may be meant; their own numbers, as doubles, decide.
#pragma once

#include "arrays.hpp"

#include <broadside/round_outwards.hpp>

#include <algorithm>
#include <array>
#include <exception>

namespace broadside::python {

using Point = std::array<double, 3>;

struct ExactRay {
    Point origin;
    Point direction;
    double reach;
};
struct ExactHit {
    double t = std::numeric_limits<double>::infinity();
    std::int64_t box = -1;
    std::uint8_t face = static_cast<std::uint8_t>(Face::none);

    /// The nearer one first, the smaller index among equals.
    friend bool operator<(const ExactHit& a, const ExactHit& b) {
        return std::tie(a.t, a.box) < std::tie(b.t, b.box);
    }
};

/// Whole numbers beyond 2^53 are rounded to doubles.
class ExactHits {
public:
    template <class Number>
    explicit ExactHits(const ExactBoxView<Number>& boxes) : rows_(boxes.count) {
        for (std::size_t i = 0; i < boxes.count; ++i) {
            const auto corner = [&](const Number* x, const Number* y, const Number* z) {
                const std::size_t at = i * boxes.stride;
                return Point{static_cast<double>(x[at]), static_cast<double>(y[at]),
                             boxes.axis_count == 3 ? static_cast<double>(z[at]) : 0.0};
            };
            rows_[i] = {corner(boxes.min_x, boxes.min_y, boxes.min_z),
                        corner(boxes.max_x, boxes.max_y, boxes.max_z)};
            if (!is_box(rows_[i])) continue;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                bounds_.min[axis] = std::min(bounds_.min[axis], rows_[i].min[axis]);
                bounds_.max[axis] = std::max(bounds_.max[axis], rows_[i].max[axis]);
            }
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double middle = bounds_.min[axis] / 2 + bounds_.max[axis] / 2;
            offset_[axis] = std::isfinite(middle) ? middle : 0.0;
        }
        BoxSoa rounded;
        check(rounded.resize(rows_.size()));
        for (std::size_t i = 0; i < rows_.size(); ++i)
            rounded.set(i, is_box(rows_[i]) ? outwards(rows_[i]) : Aabb::empty());
        check(tree_.build(rounded.view()));
    }

    /// The nearest boxes within the distance, `out_nearest.size()` at most; the rest is left as it is.
    void nearest(const Point& point, double max_distance, std::span<ExactHit> out_nearest) const {
        if (!is_finite_point(point) || !(max_distance >= 0)) return;
        std::vector<ExactHit> found;
        double reach = max_distance;
        const auto add = [&](std::size_t i) {
            const double distance = distance_to(rows_[i], point);
            if (is_box(rows_[i]) && distance <= reach)
                found.push_back({distance, static_cast<std::int64_t>(i), {}});
        };
        const auto [local, slack] = rounded(point);
        // As many boxes that are near bound how far the nearest are.
        std::vector<ClosestBox> near(std::min(out_nearest.size(), rows_.size()));
        check(tree_
                  .closest_boxes(std::span(&local, 1), {.count = static_cast<std::uint32_t>(near.size())}, {},
                                 near)
                  .status);
        if (!near.empty() && near.size() == out_nearest.size() && near.back().target != kNoBox) {
            double farthest = 0;
            for (const ClosestBox& box : near)
                farthest = std::max(farthest, distance_to(rows_[box.target], point));
            reach = std::min(reach, farthest);
        }
        visit(Sphere{local, radius_of(reach, slack)}, add);
        const std::size_t count = std::min(found.size(), out_nearest.size());
        std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count), found.end());
        std::copy_n(found.begin(), count, out_nearest.begin());
    }

    /// What the ray hits, all or the first, in no order.
    std::vector<ExactHit> hits(const ExactRay& ray, bool first_only) const {
        std::vector<ExactHit> found;
        if (!is_finite_point(ray.origin) || !is_finite_point(ray.direction) || !(ray.reach >= 0))
            return found;
        double reach = ray.reach;
        const auto add = [&](std::size_t i) {
            const ExactHit hit = hit_of(ray, reach, i);
            if (hit.box < 0) return;
            if (!first_only || found.empty()) found.push_back(hit);
            if (first_only) found[0] = std::min(found[0], hit);
        };
        if (first_only) {
            // What floats take for the first bounds how far the first is.
            const auto vector = [](const Point& p) {
                return Vec3{nearest_float(p[0]), nearest_float(p[1]), nearest_float(p[2])};
            };
            const TreeHit hit = tree_.closest_hit(Ray{rounded(ray.origin).first, vector(ray.direction)});
            if (hit.target != kNoBox) add(hit.target);
            if (!found.empty()) reach = found[0].t;
        }
        // The part of the ray within the bounds, as a capsule that is as thick as rounding moves its ends.
        double enter = 0;
        std::uint8_t face = 0;
        double end = reach;
        if (!clip(ray, bounds_, enter, end, face, 1e-9)) return found;
        const auto [from, from_slack] = rounded(point_at(ray, enter));
        const auto [to, to_slack] = rounded(point_at(ray, end));
        double size = 0;
        for (const Point& p : {ray.origin, point_at(ray, end), offset_, bounds_.min, bounds_.max}) {
            for (const double x : p) size = std::max(size, std::abs(x));
        }
        visit(Capsule{from, to, radius_of(size * 1e-12, std::max(from_slack, to_slack))}, add);
        return found;
    }

private:
    struct Row {
        Point min;
        Point max;
    };

    static bool is_finite_point(const Point& point) {
        return std::isfinite(point[0]) && std::isfinite(point[1]) && std::isfinite(point[2]);
    }
    static bool is_box(const Row& row) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (!(row.min[axis] <= row.max[axis]) ||
                row.min[axis] == std::numeric_limits<double>::infinity() ||
                row.max[axis] == -std::numeric_limits<double>::infinity())
                return false;
        }
        return true;
    }
    Aabb outwards(const Row& row) const {
        // A difference is rounded, too.
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        const auto min = [&](std::size_t axis) {
            return round_down(std::nextafter(row.min[axis] - offset_[axis], -kInfinity));
        };
        const auto max = [&](std::size_t axis) {
            return round_up(std::nextafter(row.max[axis] - offset_[axis], kInfinity));
        };
        return {{min(0), min(1), min(2)}, {max(0), max(1), max(2)}};
    }
    /// Where a point is in the tree of floats, and how far at most that is from where it should be; not finite when it
    /// is too far away.
    std::pair<Vec3, double> rounded(const Point& point) const {
        float at[3];
        double slack = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double exact = point[axis] - offset_[axis];
            at[axis] = static_cast<float>(exact);
            slack += std::abs(exact - double{at[axis]}) +
                     1e-15 * (std::abs(point[axis]) + std::abs(offset_[axis]));
        }
        return {{at[0], at[1], at[2]}, slack};
    }
    static float radius_of(double reach, double slack) {
        return static_cast<float>((reach + slack) * (1 + 1e-6)) + std::numeric_limits<float>::min();
    }
    /// All boxes that the shape overlaps, and all there are where it is none that floats can tell.
    template <class Shape, class Add>
    void visit(const Shape& shape, Add&& add) const {
        if (!is_valid(shape)) {
            for (std::size_t i = 0; i < rows_.size(); ++i) add(i);
            return;
        }
        std::exception_ptr failure;
        // No exception may leave a visitor.
        const auto visitor = [&](std::uint32_t box) noexcept {
            try {
                add(box);
                return true;
            } catch (...) {
                failure = std::current_exception();
                return false;
            }
        };
        const Status status = tree_.visit_overlaps(shape, {}, visitor);
        if (failure) std::rethrow_exception(failure);
        check(status);
    }
    static double distance_to(const Row& row, const Point& point) {
        Point apart;
        for (std::size_t axis = 0; axis < 3; ++axis)
            apart[axis] = std::max(0.0, std::max(row.min[axis] - point[axis], point[axis] - row.max[axis]));
        return std::hypot(apart[0], apart[1], apart[2]);
    }
    static Point point_at(const ExactRay& ray, double t) {
        Point point = ray.origin;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (ray.direction[axis] != 0) point[axis] += ray.direction[axis] * t;
        }
        return point;
    }
    /// Narrows the range of t to where the ray is in the closed box, which is `margin` of its distances larger.
    static bool clip(const ExactRay& ray, const Row& row, double& enter, double& end, std::uint8_t& face,
                     double margin) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double origin = ray.origin[axis];
            const double slack =
                margin * (std::abs(row.min[axis]) + std::abs(row.max[axis]) + std::abs(origin));
            const double to_min = row.min[axis] - origin - (margin == 0 ? 0 : slack);
            const double to_max = row.max[axis] - origin + (margin == 0 ? 0 : slack);
            if (ray.direction[axis] == 0) {
                if (to_min > 0 || to_max < 0) return false;
                continue;
            }
            const bool is_up = ray.direction[axis] > 0;
            const double near = (is_up ? to_min : to_max) / ray.direction[axis];
            const double far = (is_up ? to_max : to_min) / ray.direction[axis];
            if (near > enter) {
                enter = near;
                face = static_cast<std::uint8_t>(2 * axis + (is_up ? 0 : 1));
            }
            end = std::min(end, far);
        }
        return enter <= end;
    }
    ExactHit hit_of(const ExactRay& ray, double reach, std::size_t i) const {
        ExactHit hit;
        double enter = 0;
        if (!is_box(rows_[i]) || !clip(ray, rows_[i], enter, reach, hit.face, 0)) return {};
        hit.t = enter;
        hit.box = static_cast<std::int64_t>(i);
        return hit;
    }

    std::vector<Row> rows_;
    Row bounds_ = {{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
                    std::numeric_limits<double>::infinity()},
                   {-std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                    -std::numeric_limits<double>::infinity()}};
    Point offset_ = {};
    BoxTree tree_;
};

}  // namespace broadside::python
