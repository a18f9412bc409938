// Casts of a mover: the distance it can go before the gap of an obstacle falls to its clearance.
#include "stage/src/mover/move.hpp"

namespace broadside::stage {
namespace {

// Share of the clearance that a move may lose without a hit. Seams of boxes whose tops differ by rounding lie
// within it. A hit stays where it was met.
constexpr double kSeamShare = 1.0 / 64.0;
constexpr int kStopSteps = 32;

// The share of the displacement after which a coordinate is beyond `bound`, or 1.
double share_within(const Vec3Double& from, const Vec3Double& way, double bound) {
    const auto share = [&](double at, double by) {
        if (__builtin_fabs(at + by) <= bound) return 1.0;
        return max_keep((bound - (by < 0.0 ? -at : at)) / __builtin_fabs(by), 0.0);
    };
    return min_keep(min_keep(share(from.x, way.x), share(from.y, way.y)), share(from.z, way.z));
}

bool comes_before(const Obstacle& a, const Obstacle& b) {
    const Vec3 of_a[3] = {a.corners.a, a.corners.b, a.corners.c};
    const Vec3 of_b[3] = {b.corners.a, b.corners.b, b.corners.c};
    for (int i = 0; i < 3; ++i) {
        if (of_a[i] == of_b[i]) continue;
        return stage::comes_before(widened(of_a[i]), widened(of_b[i]));
    }
    return a.is_box && !b.is_box;
}

}  // namespace

// The largest coordinate of the mover.
double Move::size_at(const Vec3Double& at) const { return largest(at) + largest(body_.reach); }

// The box of the motion, grown by `margin`.
Aabb Move::swept(const Vec3Double& from, const Vec3Double& way, double margin) const {
    // The margin is doubled because floats of that size may be coarser than the offset by 2^-2.
    const Vec3Double to = from + way;
    const auto wide = static_cast<float>(margin * 2.0);
    const auto low = [&](double a, double b, double reach) {
        return static_cast<float>(min_keep(a, b) - reach) - wide;
    };
    const auto high = [&](double a, double b, double reach) {
        return static_cast<float>(max_keep(a, b) + reach) + wide;
    };
    const Vec3Double& reach = body_.reach;
    return {{low(from.x, to.x, reach.x), low(from.y, to.y, reach.y), low(from.z, to.z, reach.z)},
            {high(from.x, to.x, reach.x), high(from.y, to.y, reach.y), high(from.z, to.z, reach.z)}};
}

// The obstacles that meet the box of the motion and whose gap on it is not certainly above the limit.
ObstacleBits Move::near(const Vec3Double& from, const Vec3Double& way, const Aabb& box, double limit) const {
    return near_.near({.box = box,
                       .center = narrowed(from),
                       .way = narrowed(way),
                       .is_round = body_.form != MoverForm::box,
                       .half_extent = narrowed(body_.half_extent),
                       .half_axis = narrowed(body_.half_axis),
                       .radius = static_cast<float>(body_.radius),
                       .limit = next_up(static_cast<float>(limit))});
}

// The time at which the gap of an obstacle falls to `clearance`, if it then falls further by the share of
// seams. Found by tangents, which are never above the gap. False if there is none within the displacement.
bool Move::stop_time(const Obstacle& obstacle, const Gap& at_start, const Vec3Double& from,
                     const Vec3Double& way, double clearance, double limit, Hit& out_hit) const {
    const double goal = min_keep(clearance, at_start.gap);
    const double floor = at_start.gap > 0.0 ? goal * (1.0 - kSeamShare) : at_start.gap - offset_ * kSeamShare;
    const double near_goal = goal + clearance * 0x1p-12;
    bool has_stop = false;
    Gap gap = at_start;
    double t = 0.0;
    for (int step = 0; step < kStopSteps; ++step) {
        if (step != 0) gap = gap_of(body_, from + way * t, obstacle);
        if (!has_stop && gap.gap <= near_goal) {
            has_stop = true;
            out_hit.t = t;
            out_hit.gap = gap;
        }
        if (gap.gap <= floor || (dot(gap.normal, gap.normal) < 0.5)) break;
        const double closing = -dot(gap.normal, way);
        if (!(closing > 0.0)) return false;
        const double next = t + (gap.gap - (has_stop ? floor : goal)) / closing;
        // Slightly past the tangent, so that motion that ends on the floor is found there.
        if (next > (has_stop ? 1.0 : limit)) return false;
        t = max_keep(next, t + 0x1p-50);
    }
    if (!has_stop) {
        out_hit.t = t;
        out_hit.gap = gap;
    }
    // At the stop, another side of the obstacle may be nearer than the one that the mover would enter.
    out_hit.is_turned = dot(out_hit.gap.normal, gap.normal) < 0.75;
    if (out_hit.is_turned) out_hit.gap.normal = gap.normal;
    out_hit.obstacle = obstacle;
    out_hit.has_hit = true;
    return true;
}

// Caches the gaps at a position while the mover stays there: a move needs them several times before it goes.
void Move::know(const Vec3Double& at) {
    const bool is_there = at.x == known_at_.x && at.y == known_at_.y && at.z == known_at_.z;
    if (is_there && near_.fetch_count() == known_fetch_) return;
    known_at_ = at;
    known_fetch_ = near_.fetch_count();
    is_known_.clear();
    known_margin_ = -1.0;
}

// The obstacles within a margin of a position whose gap may be as narrow as twice the offset.
const ObstacleBits& Move::around(const Vec3Double& at, double margin) {
    know(at);
    if (known_margin_ != margin) {
        const Vec3Double nowhere = {0.0, 0.0, 0.0};
        known_around_ = near(at, nowhere, swept(at, nowhere, margin), 2.0 * offset_);
        known_margin_ = margin;
    }
    return known_around_;
}

const Gap& Move::gap_at(const Vec3Double& at, std::uint32_t index) {
    know(at);
    if (!is_known_.has(index)) {
        is_known_.add(index);
        known_gaps_[index] = gap_of(body_, at, near_.obstacle(index));
    }
    return known_gaps_[index];
}

// Order of hits: the first one; among equals, one on the nearest side.
bool Move::is_before(const Hit& a, const Hit& b) {
    if (!b.has_hit || a.t != b.t) return !b.has_hit || a.t < b.t;
    if (a.is_turned != b.is_turned) return b.is_turned;
    if (comes_before(a.gap.normal, b.gap.normal)) return true;
    return !comes_before(b.gap.normal, a.gap.normal) && comes_before(a.obstacle, b.obstacle);
}

// Casts until the clearance (the offset, or the present gap if that is smaller) would be lost. A surface
// level with the nearest one is never nearer than it, so seams between them stop nothing.
Move::Hit Move::cast_piece(const Vec3Double& from, const Vec3Double& way, const Aabb& box, double offset) {
    Hit hit;
    hit.offset = offset;
    std::uint32_t indices[kMoverNeighbourCount];
    Gap gaps[kMoverNeighbourCount];
    std::uint32_t count = 0;
    double clearance = offset;
    const double way_length = length(way);
    // An obstacle further away than the offset stops nothing. A stop is accurate to 2^-12 of its clearance.
    near(from, way, box, offset * (1.0 + 0x1p-11)).for_each([&](std::uint32_t i) {
        const Gap& gap = gap_at(from, i);
        clearance = min_keep(clearance, gap.gap);
        if (gap.gap > offset + way_length) return true;
        indices[count] = i;
        gaps[count++] = gap;
        return true;
    });
    clearance = max_keep(clearance, offset * kSeamShare);
    for (std::uint32_t i = 0; i < count; ++i) {
        const Obstacle obstacle = near_.obstacle(indices[i]);
        Hit other;
        if (!stop_time(obstacle, gaps[i], from, way, clearance, hit.t, other) || !is_before(other, hit))
            continue;
        other.index = indices[i];
        other.fetch = near_.fetch_count();
        other.offset = offset;
        hit = other;
    }
    return hit;
}

// Casts in pieces. They are shorter if the motion has too many neighbours, or leads so far that floats get
// coarser than a clearance allows. On one piece coordinates at most double.
Move::Hit Move::cast_far(const Vec3Double& from, const Vec3Double& way, double longest) {
    // It stops at the largest float.
    const double end = share_within(from, way, static_cast<double>(FLT_MAX));
    Hit hit;
    hit.t = 0.0;
    while (hit.t < end) {
        const Vec3Double at = from + way * hit.t;
        const double bound =
            max_keep(offset_ * (1.0 / kOffsetShare), 2.0 * size_at(at)) - largest(body_.reach);
        double share = min_keep(longest, end - hit.t);
        share *= share_within(at, way * share, bound);
        const Vec3Double piece = way * share;
        hit.offset = max_keep(offset_, size_at(at + piece) * kOffsetShare);
        const Aabb box = swept(at, piece, hit.offset);
        if (!near_.cover(box)) {
            hit.is_crowded = length(piece) <= hit.offset * kSeamShare;
            if (hit.is_crowded) return hit;
            longest = 0.5 * share;
            continue;
        }
        Hit met = cast_piece(at, piece, box, hit.offset);
        met.t = hit.t + share * met.t;
        if (met.has_hit) return met;
        hit.t = share == end - hit.t ? end : met.t;
        // If there are many obstacles already, a longer piece would have too many.
        longest = 4 * near_.count() <= kMoverNeighbourCount ? 2.0 * share : share;
    }
    return hit;
}

Move::Hit Move::cast(const Vec3Double& from, const Vec3Double& way) {
    // One piece is the usual case.
    if (size_at(from + way) > min_keep(offset_ * (1.0 / kOffsetShare), static_cast<double>(FLT_MAX)))
        return cast_far(from, way, 1.0);
    const Aabb box = swept(from, way, offset_);
    if (!near_.cover(box)) return cast_far(from, way, 0.5);
    return cast_piece(from, way, box, offset_);
}

}  // namespace broadside::stage
