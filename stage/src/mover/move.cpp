// One step of one mover: sliding, steps, and the final position.
#include "stage/src/mover/move.hpp"

namespace broadside::stage {
MoverBody body_of(const MoverShape& shape, const Vec3Double& up) {
    MoverBody body = {};
    body.form = shape.form;
    if (shape.form == MoverForm::box) {
        body.half_extent = widened(shape.half_extent);
        body.reach = body.half_extent;
        return body;
    }
    body.radius = static_cast<double>(shape.radius);
    if (shape.form == MoverForm::capsule) body.half_axis = up * static_cast<double>(shape.half_length);
    const Vec3Double& axis = body.half_axis;
    body.reach = {__builtin_fabs(axis.x) + body.radius, __builtin_fabs(axis.y) + body.radius,
                  __builtin_fabs(axis.z) + body.radius};
    return body;
}

Move::Move(const Mover& mover, const MoveRules& rules, Surroundings& surroundings)
    : mover_(mover),
      rules_(rules),
      near_(surroundings),
      body_(body_of(mover.shape, rules.up)),
      start_(widened(mover.position)),
      at_(start_),
      wish_(widened(mover.displacement)) {
    offset_ = max_keep(rules.contact_offset, size_at(start_) * kOffsetShare);
    body_.enough = 4.0 * offset_ + length(wish_);
    is_walking_ = dot(wish_, rules.up) <= 0.0;
}

void Move::go(const Vec3Double& to, const Hit& hit) {
    at_ = to;
    offset_ = max_keep(offset_, hit.offset);
}

// Fetches all obstacles within a margin around a position, and returns the margin, or 0 if there are too
// many.
double Move::cover_around(const Vec3Double& at) {
    // In a crowd the nearest obstacles must do.
    for (const double margin : {2.0 * offset_, 0.5 * offset_}) {
        if (near_.cover(swept(at, {0.0, 0.0, 0.0}, margin))) return margin;
    }
    return 0.0;
}

// Pushes a mover out that begins closer than a quarter of its offset, or up to the offset inside. False if it
// stays inside.
bool Move::recover() {
    for (int round = 0; round < 6; ++round) {
        const double margin = cover_around(at_);
        if (margin == 0.0) {
            result_.status = MoverStatus::crowded;
            return false;
        }
        const Vec3Double nowhere = {0.0, 0.0, 0.0};
        Gap deepest = {__builtin_inf(), nowhere};
        around(at_, margin).for_each([&](std::uint32_t i) {
            const Gap& gap = gap_at(at_, i);
            if (gap.gap < deepest.gap || (gap.gap == deepest.gap && comes_before(gap.normal, deepest.normal)))
                deepest = gap;
            return true;
        });
        if (deepest.gap >= 0.25 * offset_) return true;
        const bool has_way_out = dot(deepest.normal, deepest.normal) > 0.5;
        // In a gap narrower than two offsets it is enough to be outside.
        if (round >= 4 && deepest.gap > 0.0) return true;
        if (deepest.gap < -offset_ || !has_way_out) break;
        const Vec3Double push = deepest.normal * (0.5 * offset_ - deepest.gap);
        const Hit hit = cast(at_, push);
        go(at_ + push * hit.t, hit);
    }
    at_ = start_;
    result_.status = MoverStatus::started_inside;
    return false;
}

void Move::keep_contact(const Hit& hit, Kind kind) {
    // If there are too many, the oldest goes.
    if (contact_count_ == kContactCount) {
        for (std::uint32_t i = 1; i < kContactCount; ++i) contacts_[i - 1] = contacts_[i];
        --contact_count_;
    }
    contacts_[contact_count_++] = {hit.obstacle, hit.gap.normal, kind, hit.index, hit.fetch};
}

// Drops contacts that the mover has left, and updates the normals of the others.
void Move::refresh_contacts() {
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < contact_count_; ++i) {
        const Contact& contact = contacts_[i];
        const bool is_at_hand = contact.fetch == near_.fetch_count();
        const Gap gap = is_at_hand ? gap_at(at_, contact.index) : gap_of(body_, at_, contact.obstacle);
        if (gap.gap > 1.25 * offset_) continue;
        contacts_[kept] = contacts_[i];
        if (dot(gap.normal, contacts_[kept].normal) > 0.75) contacts_[kept].normal = gap.normal;
        ++kept;
    }
    contact_count_ = kept;
}

// The wish, projected to the ground, if the mover stands on some, and to all that blocks it. Slopes that are
// too steep block like walls, so a mover does not rise on them.
Vec3Double Move::next_way() const {
    Planes planes;
    const Contact* ground = nullptr;
    for (std::uint32_t i = 0; i < contact_count_; ++i) {
        const Contact& contact = contacts_[i];
        planes.add(contact.normal);
        if (contact.kind == Kind::ground) {
            if (ground == nullptr || dot(contact.normal, wish_) < dot(ground->normal, wish_))
                ground = &contact;
        } else if (contact.kind == Kind::steep) {
            const Vec3Double leaning = level(contact.normal);
            planes.add(leaning * (1.0 / length(leaning)));
        }
    }
    Vec3Double wish = wish_;
    if (is_walking_ && ground != nullptr && dot(ground->normal, wish) <= 0.0) {
        const Vec3Double flat = level(wish);
        const double flat_length = length(flat);
        const double rise = -dot(ground->normal, flat) / dot(ground->normal, rules_.up);
        const Vec3Double along = flat + rules_.up * rise;
        const double along_length = length(along);
        wish = along_length > 0.0 ? along * (flat_length / along_length) : Vec3Double{0.0, 0.0, 0.0};
    }
    return allowed_way(wish, planes);
}

// Up, forward and down again, if there is ground that is not too high. A round mover that would land on its
// edge needs ground a radius further on.
bool Move::try_step(Vec3Double& state_wish) {
    const Vec3Double forward = level(state_wish);
    const double forward_length = length(forward);
    if (!(forward_length > 0.0) || !is_supported()) return false;
    const Vec3Double rise = rules_.up * rules_.step_height;
    const Hit above = cast(at_, rise);
    if (above.is_crowded) return false;
    const double height = rules_.step_height * above.t;
    if (height < offset_) return false;
    const Vec3Double raised = at_ + rules_.up * height;
    const Hit ahead = cast(raised, forward);
    if (ahead.is_crowded || ahead.t * forward_length < 0x1p-10 * offset_) return false;
    const Vec3Double down = rules_.up * -(height + offset_);
    // The landing may be at most one step higher than the present ground.
    const auto is_low_enough = [&](const Vec3Double& place, const Hit& landing) {
        const double rise_of_foot = dot(place + down * landing.t - at_, rules_.up);
        const double above_foot =
            body_.form == MoverForm::box ? 0.0 : (1.0 - dot(landing.gap.normal, rules_.up)) * body_.radius;
        return rise_of_foot + above_foot <= rules_.step_height + 0.5 * offset_;
    };
    const auto is_ground_at = [&](const Vec3Double& place, Hit& out_landing) {
        out_landing = cast(place, down);
        return out_landing.has_hit && out_landing.t > 0.0 && is_low_enough(place, out_landing) &&
               kind_of(out_landing, place + down * out_landing.t) == Kind::ground;
    };
    const Vec3Double place = raised + forward * ahead.t;
    Hit landing;
    if (!is_ground_at(place, landing)) {
        if (body_.form == MoverForm::box) return false;
        const double probe_length = max_keep(forward_length, body_.radius + 4.0 * offset_);
        const Vec3Double probe = forward * (probe_length / forward_length);
        const Hit free_way = cast(raised, probe);
        Hit probed;
        if (free_way.is_crowded || !is_ground_at(raised + probe * free_way.t, probed)) return false;
    }
    if (landing.is_crowded || (landing.has_hit && !is_low_enough(place, landing))) return false;
    const Vec3Double landed = place + down * (landing.has_hit ? landing.t : height / (height + offset_));
    go(landed, landing);
    state_wish = forward * (1.0 - ahead.t);
    contact_count_ = 0;
    if (landing.has_hit) keep_contact(landing, kind_of(landing, at_));
    result_.has_stepped = true;
    return true;
}

// Moves a mover that was on ground down to ground that is near.
void Move::stick() {
    if (!(rules_.stick_distance > 0.0) || !is_walking_ || !was_on_ground_) return;
    refresh_contacts();
    for (std::uint32_t i = 0; i < contact_count_; ++i) {
        if (contacts_[i].kind == Kind::ground) return;
    }
    const Vec3Double down = rules_.up * -(rules_.stick_distance + offset_);
    const Hit hit = cast(at_, down);
    if (hit.has_hit && dot(hit.gap.normal, rules_.up) > kSupportCosine) go(at_ + down * hit.t, hit);
}

void Move::slide() {
    const double asked = length(wish_);
    result_.status = MoverStatus::finished;
    while (length(wish_) > asked * 0x1p-40) {
        refresh_contacts();
        Vec3Double way = next_way();
        if (!(length(way) > asked * 0x1p-40)) return;
        const Hit hit = cast(at_, way);
        go(at_ + way * hit.t, hit);
        wish_ = wish_ * (1.0 - hit.t);
        if (hit.is_crowded) result_.status = MoverStatus::crowded;
        if (!hit.has_hit) return;
        if (result_.iteration_count++ == rules_.max_iterations) {
            --result_.iteration_count;
            result_.status = MoverStatus::iterations_used_up;
            return;
        }
        const Kind kind = kind_of(hit, at_);
        if (kind == Kind::ground) was_on_ground_ = true;
        if (kind != Kind::ground) {
            const bool may_step =
                rules_.step_height > 0.0 && is_walking_ && dot(hit.gap.normal, rules_.up) > -0x1p-4;
            if (may_step && try_step(wish_)) continue;
            result_.wall_normal = narrowed(hit.gap.normal);
        }
        keep_contact(hit, kind);
    }
}

// True if nothing lies between two positions at distance `apart`, as far as their gaps tell: no gap falls by
// more than the distance between them.
bool Move::is_joined(const Vec3Double& from, const Vec3Double& at, double apart, double margin) {
    bool is_free = true;
    around(at, margin).for_each([&](std::uint32_t i) {
        const double gap = gap_at(at, i).gap;
        is_free = gap > apart || gap + gap_of(body_, from, near_.obstacle(i)).gap > apart;
        return is_free;
    });
    return is_free;
}

// True if the mover at a position of floats is at least `least_gap` outside of everything, and reaches it
// through nothing. Records the ground.
bool Move::settle(const Vec3Double& from, Vec3 rounded, double least_gap) {
    const Vec3Double at = widened(rounded);
    if (!is_finite(rounded)) return false;
    const double margin = cover_around(at);
    if (margin == 0.0) return false;
    Hit ground;
    if (!find_ground(at, margin, least_gap, ground)) return false;
    const double apart = length(at - from);
    if (apart > least_gap && !is_joined(from, at, apart, margin)) return false;
    result_.position = rounded;
    result_.is_grounded = ground.has_hit && kind_of(ground, at) == Kind::ground;
    result_.ground_normal = result_.is_grounded ? narrowed(ground.gap.normal) : Vec3{};
    return true;
}

// Rounds the position to floats: to the nearest or, if that loses much of the clearance, away from the
// contacts.
MoverResult Move::finish() {
    const Vec3 nearest = narrowed(at_);
    if (settle(at_, nearest, 0.5 * offset_)) return result_;
    Vec3Double away = {0.0, 0.0, 0.0};
    refresh_contacts();
    for (std::uint32_t i = 0; i < contact_count_; ++i) away = away + contacts_[i].normal;
    const auto rounded = [](double value, double direction) {
        const auto closest = static_cast<float>(value);
        const auto wide = static_cast<double>(closest);
        if (direction > 0x1p-20 && wide < value) return next_up(closest);
        if (direction < -0x1p-20 && wide > value) return next_down(closest);
        return closest;
    };
    const Vec3 outward = {rounded(at_.x, away.x), rounded(at_.y, away.y), rounded(at_.z, away.z)};
    if (settle(at_, outward, 0.0)) return result_;
    // The mover's start is outside, unless it was pushed out of something.
    result_.is_grounded = false;
    if (!settle(at_, nearest, 0.0) && !settle(start_, mover_.position, 0.0)) {
        result_.position = mover_.position;
        if (result_.status != MoverStatus::crowded) result_.status = MoverStatus::started_inside;
    }
    return result_;
}

MoverResult Move::run() {
    result_.position = mover_.position;
    // Fetches everything that a short step may reach, at once.
    const double reach = length(wish_);
    if (reach <= 2.0 * (largest(body_.reach) + offset_)) {
        // Boxes are grown by it twice.
        const double margin = 0.5 * reach + 2.5 * offset_;
        Aabb all = swept(at_, {0.0, 0.0, 0.0}, margin);
        all = include(all, swept(at_, rules_.up * (rules_.step_height + offset_), margin));
        all = include(all, swept(at_, rules_.up * -(rules_.stick_distance + 2.0 * offset_), margin));
        (void)near_.cover(all);
    }
    if (!recover()) return result_;
    if (is_walking_ && (rules_.step_height > 0.0 || rules_.stick_distance > 0.0)) {
        Hit below;
        (void)find_ground(at_, cover_around(at_), -offset_, below);
        if (!below.has_hit || below.gap.gap > 1.25 * offset_ || kind_of(below, at_) != Kind::ground) {
            const Vec3Double down = rules_.up * (-2.0 * offset_);
            below = cast(at_, down);
        }
        // An edge that supports it counts.
        was_on_ground_ = below.has_hit && dot(below.gap.normal, rules_.up) > kSupportCosine;
        if (below.has_hit && kind_of(below, at_) == Kind::ground) keep_contact(below, Kind::ground);
    }
    slide();
    stick();
    return finish();
}

}  // namespace broadside::stage
