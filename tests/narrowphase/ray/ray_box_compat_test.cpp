// Text E, Box2D's ray cast: its rules, and bit for bit against its two-dimensional text.
#include "tests/narrowphase/ray/ray_box_support.hpp"

#include <broadside/ray_box_compat.hpp>

#include <cmath>

using namespace broadside;
using namespace broadside::test;

namespace {

struct Vec2 {
    float x;
    float y;
    float operator()(int i) const { return i == 0 ? x : y; }
};
struct Output2 {
    Vec2 normal;
    float fraction;
};

// b2AABB::RayCast of Box2D 2.4, in two dimensions.
bool ray_cast_2d(Vec2 lower, Vec2 upper, Vec2 p1, Vec2 p2, float max_fraction, Output2* output) {
    float t_min = -FLT_MAX;
    float t_max = FLT_MAX;
    const Vec2 d = {p2.x - p1.x, p2.y - p1.y};
    Vec2 normal = {0, 0};
    for (int i = 0; i < 2; ++i) {
        if (std::fabs(d(i)) < FLT_EPSILON) {
            if (p1(i) < lower(i) || upper(i) < p1(i)) return false;
            continue;
        }
        const float inv_d = 1.0f / d(i);
        float t1 = (lower(i) - p1(i)) * inv_d;
        float t2 = (upper(i) - p1(i)) * inv_d;
        float s = -1.0f;
        if (t1 > t2) {
            std::swap(t1, t2);
            s = 1.0f;
        }
        if (t1 > t_min) {
            normal = i == 0 ? Vec2{s, 0} : Vec2{0, s};
            t_min = t1;
        }
        t_max = t_max < t2 ? t_max : t2;
        if (t_min > t_max) return false;
    }
    if (t_min < 0.0f || max_fraction < t_min) return false;
    *output = {normal, t_min};
    return true;
}

// The box in two dimensions: infinite in z.
Aabb flat(Vec2 lower, Vec2 upper) { return {{lower.x, lower.y, -kInfinity}, {upper.x, upper.y, kInfinity}}; }
constexpr Aabb kSquare = {{-1, -1, -kInfinity}, {1, 1, kInfinity}};

struct Cast {
    bool has_hit;
    float fraction;
    Vec3 normal;
};
Cast cast_3d(const Aabb& box, Vec3 p1, Vec3 p2, float max_fraction = 1.0f) {
    const Impact impact = ray_box_box2d(box, p1, p2, max_fraction);
    return {impact.face != Face::none, impact.toi, outward_normal(impact.face)};
}
Cast cast(const Aabb& box, Vec2 p1, Vec2 p2, float max_fraction = 1.0f) {
    return cast_3d(box, {p1.x, p1.y, 0}, {p2.x, p2.y, 0}, max_fraction);
}
bool is_miss(const Cast& result) { return !result.has_hit && result.fraction == kNoIntersection; }
bool is_hit(const Cast& result, float fraction, Vec3 normal) {
    return result.has_hit && result.fraction == fraction && result.normal == normal;
}

}  // namespace

TEST_CASE("E1: a ray hits exactly if its parts inside the slabs have a point in common") {
    // Inside the x slab during [0.25, 0.5], inside the y slab during [0.75, 1]: in each, but never in both.
    CHECK(is_miss(cast(kSquare, {-3, -7}, {5, 1})));
    CHECK(is_hit(cast(kSquare, {-3, -7}, {5, 5}), 0.5f, {0, -1, 0}));
    Random random(1);
    for (int i = 0; i < 20000; ++i) {
        const Vec2 p1 = {random.uniform(-3, 3), random.uniform(-3, 3)};
        const Vec2 p2 = {random.uniform(-3, 3), random.uniform(-3, 3)};
        const Cast result = cast(kSquare, p1, p2);
        // A point of the segment that is well inside proves a hit, unless the start is inside too.
        bool is_start_inside = std::fabs(p1.x) <= 1 && std::fabs(p1.y) <= 1;
        for (int step = 0; step <= 64; ++step) {
            const float t = static_cast<float>(step) / 64;
            const float x = p1.x + t * (p2.x - p1.x);
            const float y = p1.y + t * (p2.y - p1.y);
            if (std::fabs(x) < 0.999f && std::fabs(y) < 0.999f) REQUIRE((result.has_hit || is_start_inside));
        }
    }
}

TEST_CASE("E2: the fraction is (plane - p) / d") {
    CHECK(is_hit(cast(kSquare, {-5, 0}, {3, 0}), 0.5f, {-1, 0, 0}));
    CHECK(is_hit(cast(kSquare, {0, 9}, {0, -7}), 0.5f, {0, 1, 0}));
}

TEST_CASE("E3: the ray goes from p1 to max_fraction of the way to p2, and returns normal and fraction") {
    CHECK(is_hit(cast(kSquare, {-4, 0}, {-2, 0}, 2.0f), 1.5f, {-1, 0, 0}));
    CHECK(is_miss(cast(kSquare, {-4, 0}, {-2, 0}, 1.0f)));
}

TEST_CASE(
    "E4: below an absolute 1.19e-7 a component is parallel, and a parallel ray on an edge of the slab hits") {
    const float past_one = std::nextafter(1.0f, 2.0f);
    CHECK(is_hit(cast(kSquare, {-2, 1}, {2, 1}), 0.25f, {-1, 0, 0}));
    CHECK(is_hit(cast(kSquare, {-2, -1}, {2, -1}), 0.25f, {-1, 0, 0}));
    CHECK(is_miss(cast(kSquare, {-2, past_one}, {2, past_one})));
    // The bound itself is not parallel.
    CHECK(is_hit(cast(flat({0, -1}, {1e-8f, 1}), {0, 0}, {FLT_EPSILON, 0}), 0.0f, {-1, 0, 0}));
    CHECK(is_miss(cast(flat({0, -1}, {1e-8f, 1}), {0, 0}, {std::nextafter(FLT_EPSILON, 0.0f), 0})));
}

TEST_CASE("E5: the normal points against the ray on all sides") {
    CHECK(is_hit(cast(kSquare, {-2, 0}, {2, 0}), 0.25f, {-1, 0, 0}));
    CHECK(is_hit(cast(kSquare, {2, 0}, {-2, 0}), 0.25f, {1, 0, 0}));
    CHECK(is_hit(cast(kSquare, {0, -2}, {0, 2}), 0.25f, {0, -1, 0}));
    CHECK(is_hit(cast(kSquare, {0, 2}, {0, -2}), 0.25f, {0, 1, 0}));
    CHECK(ray_box_box2d({{-1, -1, -1}, {1, 1, 1}}, {0, 0, 2}, {0, 0, -2}).face == Face::max_z);
}

TEST_CASE("E6: on a corner the first axis has the normal, here as in ray_box") {
    CHECK(is_hit(cast(kSquare, {-2, -2}, {2, 2}), 0.25f, {-1, 0, 0}));
    CHECK(is_hit(cast(kSquare, {2, 2}, {-2, -2}), 0.25f, {1, 0, 0}));
    CHECK(ray_box({{-2, -2, -2}, {4, 4, 4}}, {{-1, -1, -1}, {1, 1, 1}}).face == Face::min_x);
    CHECK(ray_box({{0, -2, 2}, {0, 4, -4}}, {{-1, -1, -1}, {1, 1, 1}}).face == Face::min_y);
}

TEST_CASE("E7: a touch of a corner is a hit") {
    CHECK(is_hit(cast(kSquare, {-2, 0}, {0, 2}), 0.5f, {-1, 0, 0}));
    CHECK(is_miss(cast(kSquare, {-2, 0.01f}, {0, 2.01f})));
}

TEST_CASE("E8: a start inside is a miss, and so is a box behind") {
    CHECK(is_miss(cast(kSquare, {0, 0}, {3, 0})));
    CHECK(is_miss(cast(kSquare, {2, 0}, {4, 0})));
}

TEST_CASE("E9: a fraction equal to max_fraction is a hit, a greater one is not") {
    CHECK(is_hit(cast(kSquare, {-2, 0}, {2, 0}, 0.25f), 0.25f, {-1, 0, 0}));
    CHECK(is_miss(cast(kSquare, {-2, 0}, {2, 0}, 0.2499f)));
    CHECK(is_miss(cast(kSquare, {-2, 0}, {2, 0}, std::nextafter(0.25f, 0.0f))));
}

TEST_CASE(
    "E10: a start on a face moving in is a hit at 0 with the normal, moving out a miss; ray_box agrees") {
    const Aabb cube = {{-1, -1, -1}, {1, 1, 1}};
    CHECK(is_hit(cast(kSquare, {-1, 0}, {1, 0}), 0.0f, {-1, 0, 0}));
    CHECK(is_miss(cast(kSquare, {1, 0}, {3, 0})));
    for (const Inside inside : kInsidePolicies) {
        const RaySolidHit moving_in = ray_box({{-1, 0, 0}, {2, 0, 0}}, cube, {inside});
        CHECK(moving_in == RaySolidHit{0.0f, 1.0f, true, Face::min_x});
    }
    CHECK(ray_box({{1, 0, 0}, {2, 0, 0}}, cube, {Inside::miss}) == RaySolidHit{});
}

TEST_CASE("E11: a ray of zero length is a miss everywhere; ray_box under Inside::miss agrees") {
    for (const float x : {-2.0f, -1.0f, 0.0f, 1.0f, 2.0f}) {
        CHECK(is_miss(cast(kSquare, {x, 0}, {x, 0})));
        CHECK(ray_box({{x, 0, 0}, {0, 0, 0}}, {{-1, -1, -1}, {1, 1, 1}}, {Inside::miss}) == RaySolidHit{});
    }
}

TEST_CASE("E12: a miss has no fraction and no normal") {
    CHECK(is_miss(cast(kSquare, {-2, 3}, {2, 3})));
    CHECK(cast(kSquare, {-2, 3}, {2, 3}).normal == Vec3{});
}

TEST_CASE("E13: the square of 2 from (-2,0) to (2,0) is hit at a quarter with normal (-1,0)") {
    CHECK(is_hit(cast(kSquare, {-2, 0}, {2, 0}), 0.25f, {-1, 0, 0}));
    CHECK(is_hit(cast(kSquare, {2, 0}, {-2, 0}), 0.25f, {1, 0, 0}));
}

TEST_CASE(
    "E: bit for bit the two-dimensional text of Box2D, and in three dimensions whichever axis is left out") {
    Random random(2);
    std::size_t hit_count = 0;
    for (int i = 0; i < 200000; ++i) {
        const bool is_grid = random.chance(2);
        const auto number = [&](float reach) {
            return is_grid ? random.grid(-static_cast<int>(reach), static_cast<int>(reach))
                           : random.uniform(-reach, reach);
        };
        const Vec2 lower = {number(3), number(3)};
        const Vec2 upper = {lower.x + std::fabs(number(3)), lower.y + std::fabs(number(3))};
        const Vec2 p1 = {number(5), number(5)};
        Vec2 p2 = {number(5), number(5)};
        if (random.chance(4)) p2.x = p1.x + random.uniform(-2e-7f, 2e-7f);
        const float max_fraction = random.chance(2) ? 1.0f : random.grid(0, 8) * 0.25f;
        Output2 expected = {{0, 0}, 0};
        const bool expected_hit = ray_cast_2d(lower, upper, p1, p2, max_fraction, &expected);

        const Cast in_xy = cast(flat(lower, upper), p1, p2, max_fraction);
        REQUIRE(in_xy.has_hit == expected_hit);
        const Cast in_yz = cast_3d({{-kInfinity, lower.x, lower.y}, {kInfinity, upper.x, upper.y}},
                                   {0, p1.x, p1.y}, {0, p2.x, p2.y}, max_fraction);
        REQUIRE(in_yz.has_hit == expected_hit);
        if (!expected_hit) continue;
        ++hit_count;
        REQUIRE(same_bits(in_xy.fraction, expected.fraction));
        REQUIRE(in_xy.normal == Vec3{expected.normal.x, expected.normal.y, 0});
        REQUIRE(same_bits(in_yz.fraction, expected.fraction));
        REQUIRE(in_yz.normal == Vec3{0, expected.normal.x, expected.normal.y});
    }
    CHECK(hit_count > 20000);
}

TEST_CASE("E, D: if the texts define no answer, the result is a miss") {
    const Aabb bad_boxes[] = {{{1, -1, -1}, {-1, 1, 1}},
                              {{kNaN, -1, -1}, {1, 1, 1}},
                              Aabb::empty(),
                              {{kInfinity, -1, -1}, {kInfinity, 1, 1}}};
    const Aabb cube = {{-1, -1, -1}, {1, 1, 1}};
    for (const Aabb& box : bad_boxes) {
        CHECK(is_miss(cast_3d(box, {-2, 0, 0}, {2, 0, 0})));
        CHECK(ray_box_text_d(box, {-2, 0, 0}, {1, 0, 0}) == std::numeric_limits<double>::infinity());
    }
    for (const float bad : {kNaN, kInfinity, -kInfinity}) {
        CHECK(is_miss(cast_3d(cube, {-2, bad, 0}, {2, 0, 0})));
        CHECK(is_miss(cast_3d(cube, {-2, 0, 0}, {2, bad, 0})));
        CHECK(ray_box_text_d(cube, {-2, bad, 0}, {1, 0, 0}) == std::numeric_limits<double>::infinity());
        CHECK(ray_box_text_d(cube, {-2, 0, 0}, {1, bad, 0}) == std::numeric_limits<double>::infinity());
    }
    CHECK(is_miss(cast_3d(cube, {-2, 0, 0}, {2, 0, 0}, kNaN)));
}

TEST_CASE("G8: a ray 1e-7 long that crosses a box is lost by both parallel tests of the texts, not by ours") {
    // A wall much thinner than the ray is long; the ray goes right through it.
    const Aabb wall = {{4e-8f, -1, -1}, {5e-8f, 1, 1}};
    const Vec3 start = {0, 0, 0};
    const Vec3 direction = {1e-7f, 0, 0};
    const RaySolidHit hit = ray_box({start, direction, 1.0f}, wall);
    CHECK(hit.has_hit);
    CHECK(hit.t_enter == doctest::Approx(0.4));
    CHECK(hit.t_exit == doctest::Approx(0.5));
    CHECK(hit.face == Face::min_x);
    CHECK(ray_box_text_d(wall, start, direction) == doctest::Approx(0.4));

    // Text E: an absolute epsilon. Ten thousand times larger, the same picture is a hit.
    CHECK(is_miss(cast_3d(wall, start, direction)));
    CHECK(cast_3d({wall.min * 1e4f, wall.max * 1e4f}, start, direction * 1e4f).has_hit);

    // Text D: AlmostRelativeEquals(0) does not say what it is relative to. Of the two usual readings, the
    // first falls back to an absolute error near zero and takes this ray for parallel; the second divides by
    // zero and does not even take a direction of 0 for parallel, so that 0/0 follows.
    const auto with_fallback = [](float a, float b) {
        constexpr float kMaxError = 10 * 0x1p-24f;
        if (a == 0.0f || b == 0.0f) return std::fabs(a - b) < kMaxError;
        return std::fabs(a - b) < kMaxError * std::fmax(std::fabs(a), std::fabs(b));
    };
    const auto as_quotient = [](float a, float b) { return std::fabs((a - b) / b) < 1e-6f; };
    CHECK(with_fallback(direction.x, 0.0f));
    CHECK_FALSE((wall.min.x <= start.x && start.x <= wall.max.x));
    CHECK_FALSE(as_quotient(direction.y, 0.0f));
    CHECK(std::isnan((0.0f - start.y) / direction.y));
}
