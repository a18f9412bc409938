// The ground that a mover stands on.
#include "stage/src/mover/move.hpp"

namespace broadside::stage {

// True if the hit includes a face that is ground and rises towards the contact. True on an edge between two
// slopes, false on the edge of a ledge.
bool Move::has_low_face(const Hit& hit, const Vec3Double& at) const {
    const Vec3Double& normal = hit.gap.normal;
    const Vec3Double leaning = level(normal);
    const Vec3Double nowhere = {0.0, 0.0, 0.0};
    bool is_low = false;
    const ObstacleBits around =
        near(at, nowhere, swept(at, nowhere, 2.0 * offset_), hit.gap.gap + 0.25 * offset_);
    around.for_each([&](std::uint32_t i) {
        const Obstacle obstacle = near_.obstacle(i);
        if (obstacle.is_box) return true;
        const Gap gap = gap_of(body_, at, obstacle);
        const Vec3Double turned = gap.normal - normal;
        if (__builtin_fabs(gap.gap - hit.gap.gap) > 0.25 * offset_ || dot(turned, turned) > 0x1p-8)
            return true;
        const TriangleDouble triangle = triangle_from(obstacle.corners, at);
        const double size = length(triangle.edges.normal);
        if (!(size > 0.0)) return true;
        const double sign = dot(triangle.edges.normal, normal) < 0.0 ? -1.0 : 1.0;
        const Vec3Double face = triangle.edges.normal * (sign / size);
        is_low = dot(face, rules_.up) >= rules_.min_ground_cosine &&
                 dot(face, leaning) >= dot(leaning, leaning) - 0x1p-8;
        return !is_low;
    });
    return is_low;
}

Move::Kind Move::kind_of(const Hit& hit, const Vec3Double& at) const {
    const Vec3Double& normal = hit.gap.normal;
    const double upward = dot(normal, rules_.up);
    if (upward < rules_.min_ground_cosine) return upward > 0x1p-10 ? Kind::steep : Kind::other;
    // A box stands on its flat bottom. A round mover may have met an edge higher than its step.
    if (body_.form == MoverForm::box) return Kind::ground;
    if ((1.0 - upward) * body_.radius <= rules_.step_height + offset_) return Kind::ground;
    return has_low_face(hit, at) ? Kind::ground : Kind::steep;
}

// True if something supports the mover, even an edge.
bool Move::is_supported() {
    for (std::uint32_t i = 0; i < contact_count_; ++i) {
        if (dot(contacts_[i].normal, rules_.up) > kSupportCosine) return true;
    }
    const Hit hit = cast(at_, rules_.up * (-2.0 * offset_));
    return hit.has_hit && dot(hit.gap.normal, rules_.up) > kSupportCosine;
}

// The most level obstacle within twice the offset, among those within `margin`. False if one is not further
// away than `least_gap`.
bool Move::find_ground(const Vec3Double& at, double margin, double least_gap, Hit& out_ground) {
    bool is_free = true;
    around(at, margin).for_each([&](std::uint32_t i) {
        const Gap& gap = gap_at(at, i);
        is_free = gap.gap > least_gap;
        if (!is_free) return false;
        const double upward = dot(gap.normal, rules_.up);
        if (gap.gap > 2.0 * offset_ || upward < rules_.min_ground_cosine) return true;
        Hit other;
        other.gap = gap;
        other.obstacle = near_.obstacle(i);
        other.index = i;
        other.fetch = near_.fetch_count();
        other.has_hit = true;
        const double best_upward = out_ground.has_hit ? dot(out_ground.gap.normal, rules_.up) : -1.0;
        other.t = out_ground.t = 0.0;
        if (upward > best_upward || (upward == best_upward && is_before(other, out_ground)))
            out_ground = other;
        return true;
    });
    return is_free;
}

}  // namespace broadside::stage
