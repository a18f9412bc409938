// The decisions of a BoxTree about oriented boxes and moving spheres, against exact and quadruple arithmetic
// of another form, and at the boundaries.
#include "broadphase/src/tree/kernels.hpp"
#include "broadphase/src/tree/tree_data.hpp"
#include "simd/src/dispatch.hpp"
#include "tests/broadphase/tree/box_tree_oracle.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/quad.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

#include <broadside/obb_obb.hpp>
#include <broadside/sphere_overlap.hpp>

#include <gmpxx.h>

#include <array>

using namespace broadside;
using namespace broadside::test;

namespace {

// Oriented boxes, exactly: the six faces are clipped by the sides of the box. A point that remains is common
// to both; otherwise they are apart unless the box is inside.

using Exact = std::array<mpq_class, 3>;

Exact exact(Vec3 v) { return {mpq_class(v.x), mpq_class(v.y), mpq_class(v.z)}; }

mpq_class determinant(const Exact& a, const Exact& b, const Exact& c) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// The part of the polygon with sign·coordinate <= sign·side.
std::vector<Exact> clipped(const std::vector<Exact>& polygon, std::size_t axis, int sign, float side) {
    if (!is_finite(side)) return polygon;
    const mpq_class limit(side);
    std::vector<Exact> kept;
    const auto excess = [&](const Exact& point) -> mpq_class { return sign * (point[axis] - limit); };
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const Exact& from = polygon[i];
        const Exact& to = polygon[(i + 1) % polygon.size()];
        const mpq_class excess_from = excess(from);
        const mpq_class excess_to = excess(to);
        if (excess_from <= 0) kept.push_back(from);
        if (sgn(excess_from) * sgn(excess_to) >= 0) continue;
        const mpq_class share = excess_from / (excess_from - excess_to);
        Exact cut;
        for (std::size_t k = 0; k < 3; ++k) cut[k] = from[k] + share * (to[k] - from[k]);
        kept.push_back(cut);
    }
    return kept;
}

bool exact_overlap(const Obb& obb, const Aabb& box) {
    const Exact center = exact(obb.center);
    const Exact axes[3] = {exact(obb.axis_x), exact(obb.axis_y), exact(obb.axis_z)};
    const mpq_class half[3] = {obb.half_extent.x, obb.half_extent.y, obb.half_extent.z};
    const auto point = [&](const std::array<int, 3>& signs) {
        Exact at = center;
        for (std::size_t k = 0; k < 3; ++k) {
            for (std::size_t i = 0; i < 3; ++i) at[k] += signs[i] * half[i] * axes[i][k];
        }
        return at;
    };
    const float min[3] = {box.min.x, box.min.y, box.min.z};
    const float max[3] = {box.max.x, box.max.y, box.max.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (const int side : {-1, 1}) {
            const std::size_t u = (axis + 1) % 3;
            const std::size_t v = (axis + 2) % 3;
            std::vector<Exact> polygon;
            for (const auto& [a, b] :
                 {std::pair{-1, -1}, std::pair{1, -1}, std::pair{1, 1}, std::pair{-1, 1}}) {
                std::array<int, 3> signs = {};
                signs[axis] = side;
                signs[u] = a;
                signs[v] = b;
                polygon.push_back(point(signs));
            }
            for (std::size_t k = 0; k < 3; ++k) {
                polygon = clipped(polygon, k, 1, max[k]);
                polygon = clipped(polygon, k, -1, min[k]);
            }
            if (!polygon.empty()) return true;
        }
    }
    // No face meets the box, so the box is inside if one of its points is; an infinite one cannot be.
    if (!is_finite(box.min)) return false;
    const mpq_class volume = determinant(axes[0], axes[1], axes[2]);
    if (volume == 0) return false;
    Exact from_center = exact(box.min);
    for (std::size_t k = 0; k < 3; ++k) from_center[k] -= center[k];
    const mpq_class along[3] = {determinant(from_center, axes[1], axes[2]) / volume,
                                determinant(axes[0], from_center, axes[2]) / volume,
                                determinant(axes[0], axes[1], from_center) / volume};
    for (std::size_t i = 0; i < 3; ++i) {
        if (abs(along[i]) > half[i]) return false;
    }
    return true;
}

// Spheres, in quadruple precision: the distance is convex in time, so thirds find its minimum and halves the
// first touch before it.

struct QuadPath {
    SphereCast cast;
    Aabb box;

    Quad distance_sq(Quad t) const {
        const auto gap = [&](float min, float max, float center, float displacement) {
            const Quad d = std::fabs(displacement) < FLT_MIN ? Quad(0) : Quad(displacement);
            const Quad place = Quad(center) + t * d;
            if (place < Quad(min)) return Quad(min) - place;
            return place > Quad(max) ? place - Quad(max) : Quad(0);
        };
        const Quad x = gap(box.min.x, box.max.x, cast.shape.center.x, cast.displacement.x);
        const Quad y = gap(box.min.y, box.max.y, cast.shape.center.y, cast.displacement.y);
        const Quad z = gap(box.min.z, box.max.z, cast.shape.center.z, cast.displacement.z);
        return x * x + y * y + z * z;
    }
    Quad nearest_time() const {
        Quad begin = 0;
        Quad end = 1;
        for (int i = 0; i < 200; ++i) {
            const Quad third = (end - begin) / 3;
            if (distance_sq(begin + third) <= distance_sq(end - third)) {
                end -= third;
            } else {
                begin += third;
            }
        }
        return end;
    }
    // After `last`, which is within the radius.
    Quad touch_time(Quad last) const {
        const Quad radius_sq = Quad(cast.shape.radius) * Quad(cast.shape.radius);
        Quad begin = 0;
        if (distance_sq(begin) <= radius_sq) return 0;
        for (int i = 0; i < 130; ++i) {
            const Quad middle = (begin + last) / 2;
            (distance_sq(middle) <= radius_sq ? last : begin) = middle;
        }
        return last;
    }
};

double root_of(Quad square) { return std::sqrt(static_cast<double>(square)); }

void check_sphere(const SphereCast& cast, const Aabb& box) {
    const SphereBoxImpact impact = sphere_box_impact(cast.shape, cast.displacement, box);
    const QuadPath path = {cast, box};
    const auto radius = static_cast<double>(cast.shape.radius);
    const Quad nearest = path.nearest_time();
    const double least = root_of(path.distance_sq(nearest));
    const double way = std::sqrt(static_cast<double>(length_sq(cast.displacement)));
    const double rounding = 1e-12 * (radius + least + way);
    CAPTURE(least);
    CAPTURE(radius);
    CAPTURE(impact.toi);
    if (least > radius + rounding) CHECK_FALSE(impact.has_hit);
    if (least < radius - rounding) CHECK(impact.has_hit);
    if (!impact.has_hit) return;
    CHECK(impact.toi >= 0.0f);
    CHECK(impact.toi <= 1.0f);
    // As near as it reports, up to the last digit of a float.
    const double reported = static_cast<double>(impact.toi);
    const double distance = root_of(path.distance_sq(Quad(impact.toi)));
    const double step = way * (reported * 0x1p-23 + 1e-40);
    CHECK(distance <= radius + step + 1e-7 * rounding / 1e-12);
    if (least >= radius - rounding) return;
    // And not later than the first touch, which is flat if the sphere only grazes.
    const auto exact_toi = static_cast<double>(path.touch_time(nearest));
    const double graze = std::sqrt(std::max(0.0, radius * radius - least * least)) + 1e-9;
    CHECK(std::fabs(reported - exact_toi) <= 0x1p-22 * exact_toi + 1e-10 * (1.0 + radius / graze));
}

Aabb sometimes_infinite(Random& random, Aabb box) {
    if (random.chance(6)) box.min.x = -kInfinity;
    if (random.chance(6)) box.max.y = kInfinity;
    if (random.chance(9)) box.max.x = kInfinity;
    return box;
}

// The verdict of floats about the only box of a tree.
enum class FilterVerdict { apart, doubtful, met };

FilterVerdict verdict_of(Isa isa, const BoxTree& tree, const ObbFilter& filter) {
    std::uint64_t hits[2 * nodes::kNodeWidth];
    broadphase::HitBlock<std::uint64_t> block = {hits, hits, std::end(hits), nullptr};
    simd::kernels_of<broadphase::TreeShapeKernels>(isa)->all_obbs(broadphase::view_of(tree), filter, block);
    if (block.count() == 0) return FilterVerdict::apart;
    return hits[0] >> 32 == 0 ? FilterVerdict::met : FilterVerdict::doubtful;
}

}  // namespace

TEST_CASE("oriented boxes overlap boxes if exact clipping of their faces says so" * kLong) {
    Random random(31);
    int hit_count = 0;
    for (int i = 0; i < 2500; ++i) {
        const bool is_grid = random.chance(2);
        const Aabb shape = is_grid ? grid_box(random) : random_box(random, 4, 3);
        const Aabb box = sometimes_infinite(random, shape);
        Obb obb =
            random_obb(random, is_grid ? Vec3{random.grid(-4, 4), random.grid(-4, 4), random.grid(-4, 4)}
                                       : random_vec3(random, -4, 4));
        if (!is_valid(obb)) continue;
        if (is_grid) obb.half_extent = {random.grid(0, 2), random.grid(0, 2), random.grid(0, 2)};
        const bool is_met = exact_overlap(obb, box);
        hit_count += is_met ? 1 : 0;
        INFO("pair " << i);
        CHECK(decided_overlap(obb, box) == is_met);
        // The narrowphase's float version knows nothing else about the same pose.
        if (!is_finite(box.min) || !is_finite(box.max) || is_grid || obb.axis_x.x == 1.0f) continue;
        Obb smaller = obb;
        Obb larger = obb;
        smaller.half_extent = obb.half_extent * 0.9999f;
        larger.half_extent = obb.half_extent * 1.0001f + Vec3{1e-4f, 1e-4f, 1e-4f};
        const Obb other = obb_from_aabb({}, box);
        if (overlap(smaller, other) == overlap(larger, other)) CHECK(overlap(obb, other) == is_met);
    }
    CHECK(hit_count > 200);
    CHECK(hit_count < 2000);
}

TEST_CASE(
    "decisions that floats are certain of agree with doubles for an oriented box and a box, at every scale") {
    Random random(35);
    BoxTree tree;
    int certain_count = 0;
    int met_count = 0;
    int ordinary_count = 0;
    int doubtful_count = 0;
    for (int i = 0; i < 120000; ++i) {
        INFO("pair " << i);
        const bool is_touching = random.chance(3);
        Obb obb = random_obb(random, is_touching ? Vec3{random.grid(-3, 3), random.grid(-3, 3), 0.0f}
                                                 : random_vec3(random, -2, 2));
        Aabb box = is_touching ? grid_box(random) : random_box(random, 4, 3);
        if (!is_valid(obb)) continue;
        // Axes that are far from orthonormal, nearly parallel to x, y and z, or zero.
        if (random.chance(8)) obb.axis_x = obb.axis_x * random.uniform(-3, 3);
        if (random.chance(8)) obb.axis_z = {random.uniform(-1e-7f, 1e-7f), 0, 1};
        if (random.chance(20)) obb.axis_y = {};
        const bool is_ordinary = !is_touching && obb.half_extent.x > 0.1f && obb.half_extent.y > 0.1f &&
                                 obb.half_extent.z > 0.1f && obb.axis_x.x != 0.0f && obb.axis_x.x != 1.0f;
        const auto scale = std::ldexp(1.0f, random.chance(2) ? 0 : static_cast<int>(random.below(250)) - 135);
        obb.center = obb.center * scale;
        obb.half_extent = obb.half_extent * scale;
        box = sometimes_infinite(random, {box.min * scale, box.max * scale});
        if (random.chance(10)) {
            // As far out as floats go, or a little.
            const Vec3 away = random_vec3(random, -1, 1) * (random.chance(2) ? 3e38f : 1e3f * scale);
            obb.center = obb.center + away;
            box = {box.min + away, box.max + away};
        }
        if (!is_valid(obb) || !is_valid(box)) continue;
        const ObbFilter filter = obb_filter_of(obb);
        const bool is_met = decided_overlap(obb, box);
        if (!overlap(box, filter.around)) {
            CHECK_FALSE(is_met);
            continue;
        }
        REQUIRE(tree.set_box(0, box) == Status::ok);
        const FilterVerdict verdict = verdict_of(Isa::scalar, tree, filter);
        for (const Isa isa : supported_isas()) CHECK(verdict_of(isa, tree, filter) == verdict);
        CHECK_FALSE((verdict == FilterVerdict::apart && is_met));
        CHECK_FALSE((verdict == FilterVerdict::met && !is_met));
        certain_count += verdict != FilterVerdict::doubtful ? 1 : 0;
        met_count += verdict == FilterVerdict::met ? 1 : 0;
        ordinary_count += is_ordinary && scale == 1.0f && is_finite(box.min) && is_finite(box.max) ? 1 : 0;
        doubtful_count += verdict == FilterVerdict::doubtful && is_ordinary && scale == 1.0f &&
                                  is_finite(box.min) && is_finite(box.max) && absolute(obb.center.x) < 10.0f
                              ? 1
                              : 0;
    }
    CHECK(certain_count > 5000);
    CHECK(met_count > 2000);
    // Otherwise the doubles would decide them all.
    CHECK(ordinary_count > 1000);
    CHECK(doubtful_count <= ordinary_count / 500);
}

TEST_CASE(
    "oriented boxes that touch, cross with no corner inside, or are parallel are decided to one float") {
    const Aabb unit = {{0, 0, 0}, {1, 1, 1}};
    // A rod turned by an eighth that touches the edge x = 1, y = 1 with its flat side: x + y = 2 on it.
    Obb rod = {{2, 1, 0.5f}, {1, 1, 0}, {-1, 1, 0}, {0, 0, 1}, {0.5f, 7, 0.25f}};
    CHECK(decided_overlap(rod, unit));
    rod.center.x = std::nextafterf(2, 3);
    CHECK_FALSE(decided_overlap(rod, unit));
    // Edge against edge, crossing: only the axis of the two edges separates them.
    Obb cross_rod = {{1.5f, 0.5f, 1.5f}, {1, 0, -1}, {0, 1, 0}, {1, 0, 1}, {4, 0, 0.5f}};
    CHECK(decided_overlap(cross_rod, unit));
    cross_rod.center.z = std::nextafterf(1.5f, 2);
    CHECK_FALSE(decided_overlap(cross_rod, unit));
    // A long needle past the corner of a vast floor.
    const Aabb floor = {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, 0}};
    Obb needle = {{0, 0, 5}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1e6f, 0, 5}};
    CHECK(decided_overlap(needle, floor));
    needle.half_extent.z = std::nextafterf(5, 0);
    CHECK_FALSE(decided_overlap(needle, floor));
    // Far from the origin the floats decide, not the rounding of an addition.
    Obb far = {{1e8f, 0, 0}, {1, 1, 0}, {-1, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    CHECK(decided_overlap(far, {{1e8f + 8, 0, 0}, {1e8f + 16, 1, 1}}) == false);
    CHECK(decided_overlap(far, {{1e8f, 2, 0}, {1e8f + 8, 3, 1}}));
    CHECK_FALSE(decided_overlap(far, {{1e8f, std::nextafterf(2, 3), 0}, {1e8f + 8, 3, 1}}));
}

TEST_CASE("a moving sphere meets a box at the time that quadruple precision says" * kLong) {
    Random random(32);
    for (int i = 0; i < 4000; ++i) {
        INFO("pair " << i);
        const bool is_grid = random.chance(2);
        const Aabb box = sometimes_infinite(random, is_grid ? grid_box(random) : random_box(random, 4, 3));
        SphereCast cast;
        cast.shape.center = is_grid ? Vec3{random.grid(-6, 6), random.grid(-6, 6), random.grid(-6, 6)}
                                    : random_vec3(random, -6, 6);
        cast.shape.radius = is_grid ? random.grid(0, 3) : random.uniform(0, 3);
        cast.displacement = is_grid ? Vec3{random.grid(-8, 8), random.grid(-8, 8), random.grid(-2, 2)}
                                    : random_vec3(random, -8, 8);
        if (random.chance(5)) cast.displacement.y = random.chance(2) ? -0.0f : kDenormal;
        check_sphere(cast, box);
        // The same at other scales that neither overflow nor underflow.
        const float scale = random.chance(2) ? 0x1p-40f : 0x1p40f;
        const SphereCast scaled = {{cast.shape.center * scale, cast.shape.radius * scale},
                                   cast.displacement * scale};
        const SphereBoxImpact impact = sphere_box_impact(cast.shape, cast.displacement, box);
        const SphereBoxImpact other =
            sphere_box_impact(scaled.shape, scaled.displacement, {box.min * scale, box.max * scale});
        if (cast.displacement.y == 0.0f || std::fabs(cast.displacement.y) > 1e-3f) {
            CHECK(impact.toi == other.toi);
            CHECK(impact.face == other.face);
        }
    }
}

TEST_CASE(
    "a cast sphere hits at 0 exactly the boxes that it overlaps, and its push is along the face that is "
    "named") {
    Random random(33);
    int face_count = 0;
    for (int i = 0; i < 20000; ++i) {
        const Aabb box = random.chance(2) ? grid_box(random) : random_box(random, 4, 3);
        const SphereCast cast = {
            {random_vec3(random, -6, 6), random.chance(3) ? random.grid(0, 3) : random.unit()},
            random_vec3(random, -8, 8)};
        const SphereBoxImpact impact = sphere_box_impact(cast.shape, cast.displacement, box);
        INFO("pair " << i);
        CHECK((impact.toi == 0.0f && impact.face == Face::none) == overlap(cast.shape, box));
        if (!impact.has_hit || impact.toi == 0.0f || cast.shape.radius == 0.0f) continue;
        const Vec3 normal = contact_normal(cast, box, impact.toi);
        CHECK(std::fabs(length_sq(normal) - 1.0f) < 1e-5f);
        // The sphere hits the box against its motion.
        CHECK(dot(normal, cast.displacement) < 1e-4f);
        if (impact.face == Face::none) continue;
        ++face_count;
        const int axis = (static_cast<int>(impact.face) - static_cast<int>(Face::min_x)) / 2;
        const bool is_max = (static_cast<int>(impact.face) - static_cast<int>(Face::min_x)) % 2 == 1;
        const float components[3] = {normal.x, normal.y, normal.z};
        CHECK(components[axis] * (is_max ? 1.0f : -1.0f) > 0.9999f);
    }
    CHECK(face_count > 150);
}

TEST_CASE(
    "a tree finds the boxes that capsules and spheres meet one by one, over the whole range of floats") {
    Random random(35);
    std::size_t found_count = 0;
    std::size_t hit_count = 0;
    const auto any_end = [&] {
        Vec3 at = vast_point(random);
        // The largest of all, and numbers near it.
        for (float* const place : {&at.x, &at.y, &at.z}) {
            if (random.chance(3)) *place = random.chance(2) ? FLT_MAX : -FLT_MAX;
            if (random.chance(4)) *place = moved_by_ulps(random, *place * random.unit());
        }
        return is_finite(at) ? at : Vec3{};
    };
    const auto any_float_above = [&](float limit) { return absolute(any_float(random)) * limit; };
    for (int round = 0; round < 240 * test_scale(); ++round) {
        const Capsule capsule = {any_end(), random.chance(6) ? Vec3{} : any_end(),
                                 random.chance(2) ? 0.0f : any_float_above(random.unit())};
        const Vec3 displacement = random.chance(4) ? Vec3{} : any_end();
        std::vector<Aabb> boxes;
        for (std::uint32_t i = 0; i < 1 + random.below(60); ++i) {
            // At an end, between the ends, on the path, or anywhere.
            const double share = random.chance(2) ? static_cast<double>(random.grid(0, 1))
                                                  : static_cast<double>(random.unit());
            const double t = random.chance(2) ? 0.0 : static_cast<double>(random.unit());
            const auto between = [&](float a, float b, float d) {
                const double place = static_cast<double>(a) * (1.0 - share) + static_cast<double>(b) * share +
                                     static_cast<double>(d) * t;
                const double largest = FLT_MAX;
                return moved_by_ulps(random, static_cast<float>(std::clamp(place, -largest, largest)));
            };
            const Vec3 at = {between(capsule.a.x, capsule.b.x, displacement.x),
                             between(capsule.a.y, capsule.b.y, displacement.y),
                             between(capsule.a.z, capsule.b.z, displacement.z)};
            Aabb box = {at, at};
            if (random.chance(2)) box = include(box, any_end());
            if (random.chance(6)) box = vast_box(random);
            if (is_finite(at)) boxes.push_back(random.chance(8) ? Aabb{at, {kInfinity, at.y, at.z}} : box);
        }
        const Sphere sphere = {capsule.a, capsule.radius};
        const CapsuleCast capsule_cast = {capsule, displacement};
        const SphereCast sphere_cast = {sphere, displacement};
        std::vector<std::uint32_t> of_capsule, of_sphere;
        TreeHit first_of_capsule, first_of_sphere;
        const auto keep_first = [](TreeHit& state_first, const OracleHit& hit, std::uint32_t index) {
            if (hit.has_hit && (state_first.target == kNoBox || hit.t < state_first.t))
                state_first = {index, hit.t, hit.face};
        };
        for (std::uint32_t i = 0; i < boxes.size(); ++i) {
            if (overlap(capsule, boxes[i])) of_capsule.push_back(i);
            if (overlap(sphere, boxes[i])) of_sphere.push_back(i);
            keep_first(first_of_capsule, hit_of(capsule_cast, boxes[i]), i);
            keep_first(first_of_sphere, hit_of(sphere_cast, boxes[i]), i);
        }
        found_count += of_capsule.size();
        hit_count += first_of_capsule.target != kNoBox && first_of_capsule.t > 0.0f ? 1 : 0;
        BoxTree tree;
        REQUIRE(tree.build(soa_of(boxes)) == Status::ok);
        const auto found = [&](const auto& shape) {
            BoxScratch scratch;
            PairBuffer pairs;
            REQUIRE(tree.find_overlaps(shape, {}, scratch, pairs).status == Status::ok);
            std::vector<std::uint32_t> indices;
            for (const IndexPair& pair : pairs) indices.push_back(pair.second);
            return indices;
        };
        for_each_isa([&](Isa) {
            INFO("round " << round);
            REQUIRE(found(capsule) == of_capsule);
            REQUIRE(found(sphere) == of_sphere);
            REQUIRE(tree.any_overlap(capsule) == !of_capsule.empty());
            REQUIRE(tree.any_overlap(sphere) == !of_sphere.empty());
            REQUIRE(tree.closest_hit(capsule_cast) == first_of_capsule);
            REQUIRE(tree.closest_hit(sphere_cast) == first_of_sphere);
        });
    }
    CHECK(found_count > 500);
    CHECK(hit_count > 15);
}

TEST_CASE("a sphere without radius is a ray") {
    Random random(34);
    for (int i = 0; i < 20000; ++i) {
        const Aabb box = random_box(random, 4, 3);
        const SphereCast cast = {{random_vec3(random, -6, 6), 0}, random_vec3(random, -12, 12)};
        const RaySolidHit hit = ray_box({cast.shape.center, cast.displacement, 1.0f}, box, {Inside::zero});
        const SphereBoxImpact impact = sphere_box_impact(cast.shape, cast.displacement, box);
        INFO("pair " << i);
        // Rays are decided in floats: those that pass an edge within some ulps may differ.
        if (hit.has_hit && hit.t_exit - hit.t_enter > 1e-5f) CHECK(impact.has_hit);
        if (!hit.has_hit || !impact.has_hit) continue;
        CHECK(std::fabs(impact.toi - hit.t_enter) <= 1e-6f + 1e-5f * hit.t_enter);
    }
}
