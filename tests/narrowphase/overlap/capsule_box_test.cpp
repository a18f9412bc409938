// Capsules against boxes: overlaps against exact rationals, casts against quadruple precision, batches on every ISA.
#include "core/src/geometry/capsule_box.hpp"
#include "tests/broadphase/tree/box_tree_oracle.hpp"
#include "tests/support/exact_squares.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/quad.hpp"
#include "tests/support/suites.hpp"

#include <broadside/bits.hpp>
#include <broadside/capsule_box.hpp>
#include <broadside/sphere_overlap.hpp>

#include <gmpxx.h>

#include <array>

using namespace broadside;
using namespace broadside::geometry;
using namespace broadside::test;

namespace {

struct Column {
    float at[3];
};
Column column(Vec3 v) { return {{v.x, v.y, v.z}}; }

// The least squared distance of a segment to the box. It is convex on the segment, and quadratic between its
// crossings with planes of the box: its candidates are the ends of each piece, and zeros of the slope
// between.
template <class Number>
Number least_distance_sq(const std::array<Number, 3>& begin, const std::array<Number, 3>& along,
                         const Aabb& box) {
    const Column min = column(box.min);
    const Column max = column(box.max);
    const auto gap = [&](std::size_t axis, const Number& s) -> Number {
        const Number at = begin[axis] + s * along[axis];
        if (is_finite(min.at[axis]) && at < Number(min.at[axis])) return at - Number(min.at[axis]);
        if (is_finite(max.at[axis]) && at > Number(max.at[axis])) return at - Number(max.at[axis]);
        return Number(0);
    };
    const auto square = [&](const Number& s) -> Number {
        Number sum(0);
        for (std::size_t axis = 0; axis < 3; ++axis) sum += gap(axis, s) * gap(axis, s);
        return sum;
    };
    std::vector<Number> places = {Number(0), Number(1)};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (const float side : {min.at[axis], max.at[axis]}) {
            if (!is_finite(side) || along[axis] == 0) continue;
            const Number s = (Number(side) - begin[axis]) / along[axis];
            if (s > 0 && s < 1) places.push_back(s);
        }
    }
    std::sort(places.begin(), places.end());
    Number least = square(places[0]);
    const auto look_at = [&](const Number& s) {
        const Number distance_sq = square(s);
        if (distance_sq < least) least = distance_sq;
    };
    for (std::size_t i = 1; i < places.size(); ++i) {
        look_at(places[i]);
        const Number middle = (places[i - 1] + places[i]) / Number(2);
        Number slope(0);
        Number curvature(0);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const Number open = gap(axis, middle);
            if (open == 0) continue;
            slope += open * along[axis];
            curvature += along[axis] * along[axis];
        }
        if (curvature == 0) continue;
        const Number s = middle - slope / curvature;
        if (s > places[i - 1] && s < places[i]) look_at(s);
    }
    return least;
}

template <class Number>
Number least_distance_sq(const Capsule& capsule, Vec3 displacement, const Number& t, const Aabb& box) {
    const Column a = column(capsule.a);
    const Column b = column(capsule.b);
    const Column d = column(displacement);
    std::array<Number, 3> begin;
    std::array<Number, 3> along;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        begin[axis] = Number(a.at[axis]) + t * Number(flush_denormal(d.at[axis]));
        along[axis] = Number(b.at[axis]) - Number(a.at[axis]);
    }
    return least_distance_sq<Number>(begin, along, box);
}

Capsule random_capsule(Random& random, bool is_grid) {
    const auto point = [&] {
        return is_grid ? Vec3{random.grid(-5, 5), random.grid(-5, 5), random.grid(-5, 5)}
                       : random_vec3(random, -5, 5);
    };
    const Vec3 a = point();
    const Vec3 b = random.chance(6) ? a : point();
    return {a, b, random.chance(5) ? 0.0f : is_grid ? random.grid(0, 3) : random.uniform(0, 3)};
}
Aabb random_target(Random& random, bool is_grid) {
    Aabb box = is_grid ? grid_box(random) : random_box(random, 4, 3);
    if (random.chance(6)) box.min.x = -kInfinity;
    if (random.chance(6)) box.max.y = kInfinity;
    return box;
}

double length_of(const Capsule& capsule) {
    return static_cast<double>(capsule.radius) + std::sqrt(distance_sq_double(capsule.a, capsule.b));
}

double distance_at(const CapsuleCast& cast, Quad t, const Aabb& box) {
    return std::sqrt(static_cast<double>(least_distance_sq<Quad>(cast.shape, cast.displacement, t, box)));
}
// The time of the least distance, which is convex in time.
Quad nearest_time(const CapsuleCast& cast, const Aabb& box) {
    Quad begin = 0;
    Quad end = 1;
    for (int i = 0; i < 130; ++i) {
        const Quad third = (end - begin) / 3;
        const auto at = [&](Quad t) {
            return least_distance_sq<Quad>(cast.shape, cast.displacement, t, box);
        };
        (at(begin + third) <= at(end - third) ? end : begin) =
            at(begin + third) <= at(end - third) ? end - third : begin + third;
    }
    return end;
}

void check_cast(const CapsuleCast& cast, const Aabb& box) {
    const CapsuleBoxImpact impact = capsule_box_impact(cast.shape, cast.displacement, box);
    const auto radius = static_cast<double>(cast.shape.radius);
    const Quad nearest = nearest_time(cast, box);
    const double least = distance_at(cast, nearest, box);
    const double way = std::sqrt(static_cast<double>(length_sq(cast.displacement)));
    const double rounding = 1e-12 * (length_of(cast.shape) + least + way);
    CAPTURE(least);
    CAPTURE(radius);
    CAPTURE(impact.toi);
    if (least > radius + rounding) CHECK_FALSE(impact.has_hit);
    if (least < radius - rounding) CHECK(impact.has_hit);
    CHECK((impact.has_hit && impact.toi == 0.0f) >= capsule_box_overlap(cast.shape, box));
    const CapsuleBoxImpact hit = capsule_cast_hit(cast.shape, cast.displacement, 1.0f, box);
    if (least <= radius) CHECK(hit.has_hit);
    CHECK(hit.has_hit <= impact.has_hit);
    if (!impact.has_hit) return;
    const nodes::SphereQuery query = swept_query(cast.shape, cast.displacement, 1.0f);
    CHECK(nodes::test(query, box, 1.0f).key <= impact.toi);
    CHECK(impact.toi >= 0.0f);
    CHECK(impact.toi <= 1.0f);
    const auto reported = static_cast<double>(impact.toi);
    CHECK(distance_at(cast, Quad(impact.toi), box) <= radius + way * reported * 0x1p-23 + 10 * rounding);
    if (least >= radius - rounding || capsule_box_overlap(cast.shape, box)) return;
    Quad begin = 0;
    Quad last = nearest;
    for (int i = 0; i < 100; ++i) {
        const Quad middle = (begin + last) / 2;
        (distance_at(cast, middle, box) <= radius ? last : begin) = middle;
    }
    const auto exact_toi = static_cast<double>(last);
    const double graze = std::sqrt(std::max(0.0, radius * radius - least * least)) + 1e-9;
    CHECK(std::fabs(reported - exact_toi) <= 0x1p-22 * exact_toi + 1e-9 * (1.0 + radius / graze));
}

}  // namespace

TEST_CASE("capsules overlap boxes if exact rationals say so, also in a mere touch" * kLong) {
    Random random(41);
    int met_count = 0;
    int touch_count = 0;
    for (int i = 0; i < 12000; ++i) {
        INFO("pair " << i);
        const bool is_grid = random.chance(2);
        const Capsule capsule = random_capsule(random, is_grid);
        const Aabb box = random_target(random, is_grid);
        const mpq_class least = least_distance_sq<mpq_class>(capsule, {}, mpq_class(0), box);
        const mpq_class radius_sq = mpq_class(capsule.radius) * mpq_class(capsule.radius);
        const bool is_met = capsule_box_overlap(capsule, box);
        met_count += is_met ? 1 : 0;
        touch_count += least == radius_sq && least != 0 ? 1 : 0;
        CHECK(is_met == (least <= radius_sq));
        // The ends may be exchanged, and powers of two change nothing.
        CHECK(is_met == capsule_box_overlap({capsule.b, capsule.a, capsule.radius}, box));
        const float scale = random.chance(2) ? 0x1p-40f : 0x1p60f;
        CHECK(is_met == capsule_box_overlap({capsule.a * scale, capsule.b * scale, capsule.radius * scale},
                                            {box.min * scale, box.max * scale}));
        const Sphere at_end = {capsule.a, capsule.radius};
        if (overlap(at_end, box)) CHECK(is_met);
        CHECK(capsule_box_overlap({capsule.a, capsule.a, capsule.radius}, box) == overlap(at_end, box));
    }
    CHECK(met_count > 1000);
    CHECK(met_count < 11000);
    CHECK(touch_count > 60);
}

TEST_CASE("capsules are decided exactly over the whole float range, however near the touch" * kLong) {
    Random random(44);
    int met_count = 0;
    int near_count = 0;
    const auto check = [&](const Capsule& capsule, const Aabb& box) {
        const mpq_class least = least_distance_sq<mpq_class>(capsule, {}, mpq_class(0), box);
        const mpq_class radius_sq = mpq_class(capsule.radius) * mpq_class(capsule.radius);
        const bool is_met = capsule_box_overlap(capsule, box);
        CHECK(is_met == (least <= radius_sq));
        met_count += is_met ? 1 : 0;
        near_count += radius_sq != 0 && abs(least - radius_sq) < radius_sq * mpq_class(1e-6) ? 1 : 0;
    };
    for (int i = 0; i < 4000; ++i) {
        INFO("pair " << i);
        Capsule capsule = {{any_float(random), any_float(random), any_float(random)},
                           {any_float(random), any_float(random), any_float(random)},
                           std::fabs(any_float(random))};
        Aabb box = {{any_float(random), any_float(random), any_float(random)},
                    {any_float(random), any_float(random), any_float(random)}};
        for (auto side : {&Vec3::x, &Vec3::y, &Vec3::z}) {
            if (random.chance(6)) capsule.b.*side = capsule.a.*side;
            if (random.chance(6)) capsule.a.*side = 0.0f;
            if (random.chance(6)) box.min.*side = capsule.a.*side;
            if (box.min.*side > box.max.*side) std::swap(box.min.*side, box.max.*side);
        }
        check(capsule, box);
        // With the radius at which it just touches, or one float off.
        const mpq_class least = least_distance_sq<mpq_class>(capsule, {}, mpq_class(0), box);
        const double distance = std::sqrt(least.get_d());
        if (!(distance <= static_cast<double>(FLT_MAX))) continue;
        capsule.radius = std::fabs(moved_by_ulps(random, static_cast<float>(distance)));
        check(capsule, box);
    }
    // Past a small box from end to end of the range, as near as the digits of the ends allow.
    for (int i = 0; i < 4000; ++i) {
        INFO("long pair " << i);
        const float scale = __builtin_ldexpf(1.0f, static_cast<int>(random.below(128)));
        const Vec3 far = random_vec3(random, -1, 1) * scale;
        const Capsule capsule = {far + random_vec3(random, -2, 2), far * -random.uniform(0.1f, 1.0f),
                                 random.uniform(0, 3)};
        check(capsule, random_target(random, random.chance(2)));
    }
    // An end whose distance from a corner a double can hardly tell from the radius.
    const Aabb corner = {{-9, -9, -9}, {0, 0, 0}};
    for (int i = 0; i < 4000; ++i) {
        INFO("end " << i);
        const float radius = random.uniform(0.5f, 2);
        const Vec3 end =
            absolute(sides_of_square(random, static_cast<double>(radius) * static_cast<double>(radius)));
        check({end, end + absolute(random_vec3(random, 0, 5)), radius}, corner);
        check({end + Vec3{3, -end.y, 0}, end, radius}, corner);
    }
    CHECK(met_count > 1000);
    CHECK(near_count > 1000);
}

TEST_CASE("a moving capsule meets a box at the time that quadruple precision says" * kLong) {
    Random random(42);
    int hit_count = 0;
    for (int i = 0; i < 1500; ++i) {
        INFO("pair " << i);
        const bool is_grid = random.chance(2);
        CapsuleCast cast = {random_capsule(random, is_grid), random_vec3(random, -8, 8)};
        if (is_grid) cast.displacement = {random.grid(-8, 8), random.grid(-8, 8), random.grid(-2, 2)};
        if (random.chance(5)) cast.displacement.y = random.chance(2) ? -0.0f : kDenormal;
        const Aabb box = random_target(random, is_grid);
        check_cast(cast, box);
        const CapsuleBoxImpact impact = capsule_box_impact(cast.shape, cast.displacement, box);
        hit_count += impact.has_hit && impact.toi > 0.0f ? 1 : 0;
        if (!impact.has_hit || impact.toi == 0.0f || cast.shape.radius == 0.0f) continue;
        const Vec3 normal = contact_normal(cast, box, impact.toi);
        CHECK(std::fabs(length_sq(normal) - 1.0f) < 1e-5f);
        CHECK(dot(normal, cast.displacement) < 1e-3f);
    }
    CHECK(hit_count > 100);
}

TEST_CASE("a capsule of one point is a sphere, and one that slides or just arrives meets the box") {
    Random random(43);
    for (int i = 0; i < 10000; ++i) {
        INFO("pair " << i);
        const Aabb box = random_target(random, random.chance(2));
        const Sphere sphere = {random_vec3(random, -6, 6), random.uniform(0, 2)};
        const Vec3 displacement = random_vec3(random, -8, 8);
        const Capsule point = {sphere.center, sphere.center, sphere.radius};
        const SphereBoxImpact expected = sphere_box_impact(sphere, displacement, box);
        const CapsuleBoxImpact impact = capsule_box_impact(point, displacement, box);
        CHECK(impact.has_hit == expected.has_hit);
        CHECK(same_bits(impact.toi, expected.toi));
        CHECK(impact.face == expected.face);
        // A capsule longer by the smallest float gives the same, up to the last digits.
        Capsule longer = point;
        longer.b.x = next_up(longer.b.x);
        const CapsuleBoxImpact near = capsule_box_impact(longer, displacement, box);
        if (near.has_hit && expected.has_hit) CHECK(std::fabs(near.toi - expected.toi) <= 2e-3f);
        const float t = random.uniform(0, 1);
        CHECK(contact_normal(CapsuleCast{point, displacement}, box, t) ==
              contact_normal(SphereCast{sphere, displacement}, box, t));
    }
    const Aabb unit = {{0, 0, 0}, {1, 1, 1}};
    // Along a face at exactly the radius, and to the box at the very end.
    const Capsule upright = {{-3, 0.5f, 1.5f}, {-3, 0.5f, 3}, 0.5f};
    CHECK(capsule_box_impact(upright, {8, 0, 0}, unit).has_hit);
    CHECK_FALSE(
        capsule_box_impact({upright.a, upright.b, std::nextafterf(0.5f, 0)}, {8, 0, 0}, unit).has_hit);
    const Capsule standing = {{-3, 0.5f, -2}, {-3, 0.5f, 3}, 0.5f};
    const CapsuleBoxImpact arrival = capsule_box_impact(standing, {2.5f, 0, 0}, unit);
    CHECK(arrival.has_hit);
    CHECK(arrival.toi == 1.0f);
    CHECK(arrival.face == Face::min_x);
    CHECK_FALSE(capsule_box_impact(standing, {std::nextafterf(2.5f, 0), 0, 0}, unit).has_hit);
    CHECK(capsule_box_impact(standing, {5, 0, 0}, unit).toi == 0.5f);
    // As large as floats allow.
    const Capsule vast = {{-FLT_MAX, 0.5f, 0.5f}, {FLT_MAX, 0.5f, 0.5f}, 1.0f};
    CHECK(capsule_box_overlap(vast, unit));
    CHECK_FALSE(capsule_box_overlap(vast, {{0, 2, 0}, {1, 3, 1}}));
    CHECK_FALSE(capsule_box_overlap({{0, 0, 0}, {1, 1, 1}, -1.0f}, unit));
    CHECK_FALSE(capsule_box_overlap({{kNaN, 0, 0}, {1, 1, 1}, 1.0f}, unit));
}

TEST_CASE("a moving sphere or capsule meets a box at 0 exactly if the two overlap, at every scale" * kLong) {
    Random random(47);
    int near_count = 0;
    int late_count = 0;
    int zero_count = 0;
    const auto check = [&](const Capsule& capsule, Vec3 displacement, const Aabb& box) {
        const mpq_class least = least_distance_sq<mpq_class>(capsule, {}, mpq_class(0), box);
        const mpq_class radius_sq = mpq_class(capsule.radius) * mpq_class(capsule.radius);
        const CapsuleBoxImpact impact = capsule_box_impact(capsule, displacement, box);
        const bool is_at_zero = impact.has_hit && impact.toi == 0.0f;
        CHECK(is_at_zero == (least <= radius_sq));
        const Impact single = first_impact(box, capsule, displacement);
        CHECK((single.toi == 0.0f) == is_at_zero);
        zero_count += is_at_zero ? 1 : 0;
        near_count += radius_sq != 0 && abs(least - radius_sq) < radius_sq * mpq_class(1e-6) ? 1 : 0;
        late_count += impact.has_hit && !is_at_zero && impact.toi < 1e-6f ? 1 : 0;
        if (!(capsule.a == capsule.b)) return;
        const Sphere sphere = {capsule.a, capsule.radius};
        const SphereBoxImpact of_sphere = sphere_box_impact(sphere, displacement, box);
        CHECK((of_sphere.has_hit && of_sphere.toi == 0.0f) == is_at_zero);
        CHECK(overlap(sphere, box) == is_at_zero);
        if (!of_sphere.has_hit) return;
        CHECK(nodes::test(swept_query(sphere, displacement, 1.0f), box, 1.0f).meets);
    };
    const auto side_at = [&](float place) { return random.chance(4) ? any_float(random) : place; };
    for (int i = 0; i < 6000; ++i) {
        INFO("pair " << i);
        // Around a corner of the box, at any scale; the radius is the distance, or a few floats off.
        const float scale = std::ldexp(1.0f, static_cast<int>(random.below(270)) - 145);
        const Vec3 corner = random.chance(3) ? Vec3{} : random_vec3(random, -2, 2) * scale;
        Vec3 away = random_vec3(random, 0, 2) * scale;
        if (random.chance(4)) away.x = 0;
        if (random.chance(4)) away.y = random.chance(2) ? 0.0f : FLT_TRUE_MIN;
        const Aabb box = include(Aabb{corner, corner},
                                 Vec3{side_at(corner.x - scale), corner.y - scale, corner.z - scale});
        Capsule capsule = {corner + away, corner + away, 0};
        if (random.chance(2)) capsule.b = capsule.a + random_vec3(random, -1, 3) * scale;
        const mpq_class least = least_distance_sq<mpq_class>(capsule, {}, mpq_class(0), box);
        mpz_class root_of_units;
        // In units of 2^-149, whose squares are integers here.
        const mpz_class units = (least.get_num() << 298) / least.get_den();
        mpz_sqrt(root_of_units.get_mpz_t(), units.get_mpz_t());
        const double distance = std::ldexp(root_of_units.get_d(), -149);
        if (!(distance <= static_cast<double>(FLT_MAX))) continue;
        capsule.radius = std::fabs(moved_by_ulps(random, static_cast<float>(distance)));
        if (!is_finite(capsule.radius)) continue;
        const Vec3 towards = away * -random.uniform(0, 3) + random_vec3(random, -1, 1) * scale;
        for (const Vec3 way : {towards, towards * -1.0f, Vec3{}, vast_point(random)}) {
            if (is_finite(way)) check(capsule, way, box);
        }
    }
    CHECK(near_count > 2000);
    CHECK(late_count > 100);
    CHECK(zero_count > 2000);
}

TEST_CASE("one capsule against many boxes has the bits of the single function on every ISA and count") {
    for_each_isa([](Isa) {
        Random random(45);
        for (std::size_t count = 0; count < 140; ++count) {
            std::vector<Aabb> boxes;
            for (std::size_t i = 0; i < count; ++i)
                boxes.push_back(random.chance(8) ? adversarial_box(random) : random_target(random, true));
            const GuardedBoxes arrays(boxes);
            Capsule capsule = random_capsule(random, true);
            if (count % 16 == 15) capsule.radius = random.chance(2) ? -1.0f : kInfinity;
            if (count % 16 == 7) capsule.b.z = random.chance(2) ? FLT_MAX : kNaN;
            std::vector<std::uint64_t> bits(bit_word_count(count), ~std::uint64_t{0});
            REQUIRE(overlaps(capsule, arrays.view(), bits).status == Status::ok);
            for (std::size_t i = 0; i < 64 * bits.size(); ++i) {
                INFO("box " << i << " of " << count);
                const bool is_met = i < count && overlap(capsule, boxes[i]);
                REQUIRE((bits[i / 64] >> i % 64 & 1) == (is_met ? 1u : 0u));
            }
        }
    });
}

TEST_CASE("a capsule's impact is the one that a tree finds") {
    Random random(46);
    for (int i = 0; i < 2000; ++i) {
        const CapsuleCast cast = {random_capsule(random, random.chance(2)), random_vec3(random, -8, 8)};
        const Aabb box = random_target(random, random.chance(2));
        const Impact impact = first_impact(box, cast.shape, cast.displacement);
        const OracleHit hit = hit_of(cast, box);
        CHECK(same_bits(impact.toi, hit.t));
        CHECK(impact.face == hit.face);
        CHECK(hit.has_hit == (impact.toi <= 1.0f));
        CHECK((impact.toi == 0.0f) >= overlap(cast.shape, box));
    }
}
