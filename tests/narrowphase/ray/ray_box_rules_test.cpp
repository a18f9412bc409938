// Ray against box: the rules of text D in the library's own function and in the article's, the inside policy,
// and properties of every ray and box.
#include "tests/narrowphase/ray/centered_cube.hpp"
#include "tests/narrowphase/ray/ray_box_support.hpp"

#include <broadside/obb.hpp>
#include <broadside/ray_box_compat.hpp>
#include <broadside/sphere.hpp>

#include <cmath>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr double kTextMiss = std::numeric_limits<double>::infinity();

double text_d(const Ray& ray, const Aabb& box) { return ray_box_text_d(box, ray.origin, ray.direction); }

}  // namespace

TEST_CASE("D1: a box whose min is above its max is hit by nothing, from any side") {
    const Aabb inverted = {{1, -1, -1}, {-1, 1, 1}};
    Random random(1);
    for (int i = 0; i < 1000; ++i) {
        const Ray ray = {{random.grid(-3, 3), random.grid(-3, 3), random.grid(-3, 3)},
                         {random.grid(-1, 1), random.grid(-1, 1), random.grid(-1, 1)}};
        REQUIRE_FALSE(ray_box(ray, inverted).has_hit);
        REQUIRE(text_d(ray, inverted) == kTextMiss);
    }
}

TEST_CASE(
    "D2: the box of a turned rod is loose, so a ray can hit it and miss the rod; it must be recomputed") {
    const float half_sqrt2 = 0.70710678f;
    const Obb rod = {.center = {0, 0, 0},
                     .axis_x = {half_sqrt2, half_sqrt2, 0},
                     .axis_y = {-half_sqrt2, half_sqrt2, 0},
                     .axis_z = {0, 0, 1},
                     .half_extent = {4, 0.25f, 0.25f}};
    const Ray past_the_rod = {{2.5f, -5, 0}, {0, 1, 0}, 4.0f};
    CHECK(ray_box(past_the_rod, bounds(rod)).has_hit);
    // In the rod's own frame it is a box again, and the ray misses it.
    const Ray in_rod = {vector_in_box(rod, past_the_rod.origin), vector_in_box(rod, past_the_rod.direction),
                        4.0f};
    const Aabb rod_box = {{-4, -0.25f, -0.25f}, {4, 0.25f, 0.25f}};
    CHECK_FALSE(ray_box(in_rod, rod_box).has_hit);
    // The box from before the turn no longer fits: it misses a ray that does hit the rod.
    const Ray through_the_rod = {{2.5f, 5, 0}, {0, -1, 0}};
    CHECK_FALSE(ray_box({through_the_rod.origin, through_the_rod.direction, 4.0f}, rod_box).has_hit);
    CHECK(ray_box({vector_in_box(rod, through_the_rod.origin), vector_in_box(rod, through_the_rod.direction),
                   4.0f},
                  rod_box)
              .has_hit);
}

TEST_CASE(
    "D3: tightness is the object's volume over its box's, 1 for a box, pi/6 for a sphere, 1/2 at 45 "
    "degrees") {
    const auto tightness = [](float object_volume, const Aabb& box) { return object_volume / volume(box); };
    CHECK(tightness(volume(kCenteredCube), kCenteredCube) == 1.0f);
    CHECK(tightness(4.0f / 3.0f * 3.14159265f * 8.0f, bounds(Sphere{{1, 2, 3}, 2.0f})) ==
          doctest::Approx(3.14159265 / 6));
    const float half_sqrt2 = 0.70710678f;
    const Obb turned = {.center = {0, 0, 0},
                        .axis_x = {half_sqrt2, half_sqrt2, 0},
                        .axis_y = {-half_sqrt2, half_sqrt2, 0},
                        .axis_z = {0, 0, 1},
                        .half_extent = {1, 1, 1}};
    CHECK(tightness(8.0f, bounds(turned)) == doctest::Approx(0.5));
}

TEST_CASE(
    "D4: t is (plane - start) / direction per axis, entered at the latest near and left at the first far "
    "one") {
    const Ray ray = {{-5, -4, -2}, {2, 1, 0.5f}};
    // Per axis [2, 3], [3, 5], [2, 6].
    const RaySolidHit hit = ray_box(ray, kCenteredCube);
    CHECK(hit.has_hit);
    CHECK(hit.t_enter == 3.0f);
    CHECK(hit.t_exit == 3.0f);
    CHECK(hit.face == Face::min_y);
    CHECK(text_d(ray, kCenteredCube) == 3.0);
    // From the other side the same planes in the other order.
    const Ray back = {{5, 4, 2}, {-2, -1, -0.5f}};
    CHECK(ray_box(back, kCenteredCube).t_enter == 3.0f);
    CHECK(ray_box(back, kCenteredCube).face == Face::max_y);
    CHECK(text_d(back, kCenteredCube) == 3.0);
}

TEST_CASE("D5: a box behind the start is no hit, one whose far face is the start is") {
    const Ray away = {{3, 0, 0}, {1, 0, 0}};
    CHECK_FALSE(ray_box(away, kCenteredCube).has_hit);
    CHECK(text_d(away, kCenteredCube) == kTextMiss);
    const Ray from_far_face = {{1, 0, 0}, {1, 0, 0}};
    CHECK(ray_box(from_far_face, kCenteredCube, {Inside::negative_t}) ==
          RaySolidHit{-2.0f, 0.0f, true, Face::min_x});
    CHECK(text_d(from_far_face, kCenteredCube) == -2.0);
    const Ray just_past = {{std::nextafter(1.0f, 2.0f), 0, 0}, {1, 0, 0}};
    CHECK_FALSE(ray_box(just_past, kCenteredCube).has_hit);
    CHECK(text_d(just_past, kCenteredCube) == kTextMiss);
}

TEST_CASE("D6: a ray parallel to a slab hits from both planes and between them, not outside") {
    const float past_one = std::nextafter(1.0f, 2.0f);
    const struct {
        float y;
        bool has_hit;
    } rows[] = {{-past_one, false}, {-1, true}, {0, true}, {1, true}, {past_one, false}};
    for (const auto& row : rows) {
        for (const float zero : {0.0f, -0.0f}) {
            const Ray ray = {{-3, row.y, 0}, {1, zero, zero}};
            CHECK(ray_box(ray, kCenteredCube).has_hit == row.has_hit);
            CHECK(text_d(ray, kCenteredCube) == (row.has_hit ? 2.0 : kTextMiss));
        }
    }
}

TEST_CASE("D7: a ray through a corner enters and leaves at one t and is a hit, one beside it is not") {
    const Ray graze = {{-2, 0, 0}, {1, 1, 0}};
    CHECK(ray_box(graze, kCenteredCube) == RaySolidHit{1.0f, 1.0f, true, Face::min_x});
    CHECK(text_d(graze, kCenteredCube) == 1.0);
    const Ray beside = {{-2, 0x1p-20f, 0}, {1, 1, 0}};
    CHECK_FALSE(ray_box(beside, kCenteredCube).has_hit);
    CHECK(text_d(beside, kCenteredCube) == kTextMiss);
}

TEST_CASE(
    "D8: t counts in directions, negative from inside; only the article's function says infinity for none") {
    const Ray half_steps = {{-3, 0, 0}, {0.5f, 0, 0}};
    CHECK(ray_box(half_steps, kCenteredCube).t_enter == 4.0f);
    CHECK(text_d(half_steps, kCenteredCube) == 4.0);
    const Ray inside = {{0.5f, 0, 0}, {0.5f, 0, 0}};
    CHECK(ray_box(inside, kCenteredCube, {Inside::negative_t}).t_enter == -3.0f);
    CHECK(text_d(inside, kCenteredCube) == -3.0);
    const Ray beside = {{-3, 2, 0}, {1, 0, 0}};
    CHECK(text_d(beside, kCenteredCube) == kTextMiss);
    CHECK(ray_box(beside, kCenteredCube).t_enter == kNoIntersection);
}

TEST_CASE("D9: the article's ray has no end, which is the default; with t_max the end itself still hits") {
    const Aabb far_box = {{1e20f, -1, -1}, {2e20f, 1, 1}};
    const Ray endless = {{0, 0, 0}, {1, 0, 0}};
    CHECK(ray_box(endless, far_box).t_enter == 1e20f);
    CHECK(text_d(endless, far_box) == static_cast<double>(1e20f));
    CHECK(ray_box({endless.origin, endless.direction, kInfinity}, far_box) == ray_box(endless, far_box));
    CHECK(ray_box({endless.origin, endless.direction, 1e20f}, far_box).has_hit);
    CHECK_FALSE(ray_box({endless.origin, endless.direction, std::nextafter(1e20f, 0.0f)}, far_box).has_hit);
}

TEST_CASE("D10: a ray of zero length inside returns the lowest number there is, not numeric_limits::min") {
    const Ray ray = {{0, 0, 0}, {0, 0, 0}};
    CHECK(text_d(ray, kCenteredCube) == -1.7976931348623157e308);
    CHECK(ray_box(ray, kCenteredCube, {Inside::negative_t}) ==
          RaySolidHit{-FLT_MAX, FLT_MAX, true, Face::none});
    CHECK(ray_box(ray, kCenteredCube, {Inside::zero}) == RaySolidHit{0.0f, FLT_MAX, true, Face::none});
    CHECK(ray_box(ray, kCenteredCube, {Inside::miss}) == RaySolidHit{});
    // With the trap of C++, whose numeric_limits<double>::min() is above zero, this ray would be a plain hit
    // ahead.
    CHECK(std::numeric_limits<double>::min() > 0.0);
    CHECK(text_d({{2, 0, 0}, {0, 0, 0}}, kCenteredCube) == kTextMiss);
}

TEST_CASE("D11: parallel means a direction of exactly zero, at every scale") {
    for (const float scale : {1e-30f, 1e-10f, 1e-7f, 1.0f, 1e7f, 1e30f}) {
        const Ray ray = {{-3, -3, 0}, {scale, scale, 0}};
        CHECK(ray_box(ray, kCenteredCube).has_hit);
        CHECK(text_d(ray, kCenteredCube) == doctest::Approx(2.0 / static_cast<double>(scale)));
        // Nearly parallel to y, yet it leaves that slab long before it reaches x.
        const Ray steep = {{-3, 0, 0}, {scale, 1e6f * scale, 0}};
        CHECK_FALSE(ray_box(steep, kCenteredCube).has_hit);
        CHECK(text_d(steep, kCenteredCube) == kTextMiss);
    }
    // Below FLT_MIN a component counts as zero in floats (source_rules.md G4); in doubles it is an ordinary
    // number.
    const Ray denormal = {{-3, 0, 0}, {kDenormal, 0, 0}};
    CHECK_FALSE(ray_box(denormal, kCenteredCube).has_hit);
    CHECK(text_d(denormal, kCenteredCube) == doctest::Approx(2.0 / static_cast<double>(kDenormal)));
}

TEST_CASE("D12, G14: the five rays of the article's figure, numbered differently in its text") {
    const Aabb box = {{0, 0, -1}, {4, 2, 1}};
    const struct {
        const char* name;
        Ray ray;
        double t;
    } rows[] = {
        {"1: the near and far spans are disjoint", {{-2, 1, 0}, {1, 2, 0}}, kTextMiss},
        {"2: DIR.Y is 0 and the start is outside of the slab", {{-2, 3, 0}, {1, 0, 0}}, kTextMiss},
        {"3: the start is inside, every Near is negative", {{1, 1, 0}, {1, 1, 0}}, -1.0},
        {"4 in the text, 6 in the figure: the spans overlap", {{-2, -1, 0}, {1, 0.5f, 0}}, 2.0},
        {"5: DIR.Y is 0 and the start is inside of the slab", {{-2, 1, 0}, {1, 0, 0}}, 2.0},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        CHECK(text_d(row.ray, box) == row.t);
        const RaySolidHit hit = ray_box(row.ray, box, {Inside::negative_t});
        CHECK(hit.has_hit == (row.t != kTextMiss));
        if (hit.has_hit) CHECK(static_cast<double>(hit.t_enter) == row.t);
    }
}

TEST_CASE(
    "G14: a parallel ray must lie between Min.Y and Max.Y, not between Min.Y and Max.X as text D prints") {
    const Aabb box = {{0, 0, -1}, {4, 2, 1}};
    const Ray ray = {{-2, 3, 0}, {1, 0, 0}};
    CHECK((box.min.y <= ray.origin.y && ray.origin.y <= box.max.x));
    CHECK_FALSE(ray_box(ray, box).has_hit);
    CHECK(text_d(ray, box) == kTextMiss);
}

TEST_CASE("G7: text D's code drops the ray that runs within a face, its words and ours count it") {
    // The code's test: outside if start <= min or start >= max.
    const auto code_says_inside = [](float start, float min, float max) {
        return !(start <= min || start >= max);
    };
    for (const float y : {-1.0f, 1.0f}) {
        CHECK_FALSE(code_says_inside(y, -1, 1));
        const Ray ray = {{-3, y, 0}, {1, 0, 0}};
        CHECK(ray_box(ray, kCenteredCube).t_enter == 2.0f);
        CHECK(text_d(ray, kCenteredCube) == 2.0);
        // The open test has a jump: turned by the least angle into the box, the same ray hits in every form.
        CHECK(text_d({{-3, y, 0}, {1, y * -1e-30f, 0}}, kCenteredCube) == 2.0);
    }
    // A box without extent would be invisible along its plane.
    CHECK_FALSE(code_says_inside(0, 0, 0));
    CHECK(ray_box({{-3, 0, 0}, {1, 0, 0}}, {{-1, 0, -1}, {1, 0, 1}}).has_hit);
}

TEST_CASE("G13: a start inside is a miss, a negative t or a hit at 0, as the setting says") {
    const Ray ray = {{0.5f, 0, 0}, {1, 0, 0}};
    CHECK(ray_box(ray, kCenteredCube, {Inside::miss}) == RaySolidHit{});
    CHECK(ray_box(ray, kCenteredCube, {Inside::negative_t}) == RaySolidHit{-1.5f, 0.5f, true, Face::min_x});
    CHECK(ray_box(ray, kCenteredCube, {Inside::zero}) == RaySolidHit{0.0f, 0.5f, true, Face::none});
    CHECK(ray_box(ray, kCenteredCube) == ray_box(ray, kCenteredCube, {Inside::zero}));
    // From outside the three agree.
    const Ray outside = {{-3, 0.5f, 0}, {2, 0, 0}};
    for (const Inside inside : kInsidePolicies) {
        CHECK(ray_box(outside, kCenteredCube, {inside}) == RaySolidHit{1.0f, 2.0f, true, Face::min_x});
    }
    // The texts' own: E8 says miss, D8 says negative.
    CHECK(ray_box_box2d(kCenteredCube, ray.origin, ray.origin + ray.direction).face == Face::none);
    CHECK(text_d(ray, kCenteredCube) == -1.5);
}

TEST_CASE(
    "the three policies differ only for a start inside, and nothing that is reported is NaN, -0 or "
    "infinite") {
    Random random(2);
    std::size_t inside_count = 0;
    std::size_t hit_count = 0;
    for (int i = 0; i < 200000; ++i) {
        const Aabb box = adversarial_box(random);
        const Ray ray = adversarial_ray(random, box);
        const RaySolidHit miss = ray_box(ray, box, {Inside::miss});
        const RaySolidHit negative = ray_box(ray, box, {Inside::negative_t});
        const RaySolidHit zero = ray_box(ray, box, {Inside::zero});
        REQUIRE(zero.has_hit == negative.has_hit);
        REQUIRE(same_bits(zero.t_exit, negative.t_exit));
        if (negative.t_enter < 0.0f) {
            ++inside_count;
            REQUIRE_FALSE(miss.has_hit);
            REQUIRE(zero.t_enter == 0.0f);
            REQUIRE(zero.face == Face::none);
        } else {
            REQUIRE(miss == negative);
            REQUIRE(zero == negative);
        }
        hit_count += zero.has_hit ? 1 : 0;
        for (const RaySolidHit& hit : {miss, negative, zero}) {
            for (const float t : {hit.t_enter, hit.t_exit}) {
                REQUIRE(is_finite(t));
                REQUIRE_FALSE(same_bits(t, -0.0f));
            }
            if (hit.has_hit) {
                REQUIRE(is_valid(ray));
                REQUIRE(is_valid(box));
                REQUIRE(hit.t_enter <= hit.t_exit);
                REQUIRE(hit.t_exit >= 0.0f);
                REQUIRE(hit.t_exit <= ray.t_max);
            } else {
                REQUIRE(hit == RaySolidHit{});
            }
        }
    }
    CHECK(inside_count > 5000);
    CHECK(hit_count > 50000);
}

TEST_CASE("a longer reach never loses a hit nor moves its entry, and its end cuts only the exit") {
    Random random(3);
    for (int i = 0; i < 50000; ++i) {
        const Aabb box = adversarial_box(random);
        Ray ray = adversarial_ray(random, box);
        ray.t_max = kInfinity;
        const RaySolidHit endless = ray_box(ray, box);
        for (float reach = 0.0f; reach <= 4.0f; reach += 0.5f) {
            ray.t_max = reach;
            const RaySolidHit hit = ray_box(ray, box);
            REQUIRE(hit.has_hit == (endless.has_hit && endless.t_enter <= reach));
            if (!hit.has_hit) continue;
            REQUIRE(same_bits(hit.t_enter, endless.t_enter));
            REQUIRE(hit.face == endless.face);
            REQUIRE(hit.t_exit == (endless.t_exit < reach ? endless.t_exit : reach));
        }
    }
}

TEST_CASE("the face is the one that holds the entry point, and the ray goes against its normal") {
    Random random(4);
    std::size_t hit_count = 0;
    for (int i = 0; i < 100000; ++i) {
        const Aabb box = random_box(random, 3.0f, 3.0f);
        const Vec3 target = {random.uniform(-2, 4), random.uniform(-2, 4), random.uniform(-2, 4)};
        const Vec3 origin = {random.uniform(-5, 5), random.uniform(-5, 5), random.uniform(-5, 5)};
        const Ray ray = {origin, (target - origin) * 0.25f};
        const RaySolidHit hit = ray_box(ray, box);
        if (!hit.has_hit || hit.face == Face::none) continue;
        ++hit_count;
        const Vec3 normal = outward_normal(hit.face);
        REQUIRE(dot(normal, ray.direction) < 0.0f);
        const Vec3 entry = ray.origin + ray.direction * hit.t_enter;
        const float plane =
            dot(normal, Vec3{normal.x < 0 ? box.min.x : box.max.x, normal.y < 0 ? box.min.y : box.max.y,
                             normal.z < 0 ? box.min.z : box.max.z});
        REQUIRE(std::fabs(dot(normal, entry) - plane) < 1e-4f);
    }
    CHECK(hit_count > 5000);
}
