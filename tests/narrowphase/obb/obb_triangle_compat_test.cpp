// The seven-axis test of text C at the worst rounding and range. Its rules are in
// obb_triangle_rules_test.cpp.
#include "tests/narrowphase/obb/obb_triangle_oracle.hpp"
#include "tests/support/suites.hpp"

#include <doctest/doctest.h>

#include <broadside/obb_triangle_compat.hpp>

using namespace broadside;
using namespace broadside::test;

namespace {

Obb scaled(Obb obb, float at, float size) {
    obb.center = obb.center * at;
    obb.half_extent = obb.half_extent * size;
    return obb;
}
Triangle scaled(const Triangle& t, float at, float size) {
    return {t.a * at, t.a * at + (t.b - t.a) * size, t.a * at + (t.c - t.a) * size};
}
Vec3 flushed(Vec3 a) { return {flush_denormal(a.x), flush_denormal(a.y), flush_denormal(a.z)}; }

// Counted over sweeps with motion; a rejection of one that meets in long double fails.
struct Rejections {
    int overlap_count = 0;
    int missing_count = 0;
    int rejected_count = 0;

    void add(const Obb& obb, const Triangle& t, Vec3 motion) {
        if (motion == Vec3{}) return;
        const bool meets = time_textbook(in_box<long double>(obb, t, as<long double>(motion))) >= 0;
        const bool may_meet = swept_overlap_7_axes(obb, {}, t, motion);
        overlap_count += meets ? 1 : 0;
        missing_count += meets ? 0 : 1;
        rejected_count += may_meet ? 0 : 1;
        REQUIRE((may_meet || !meets));
    }
};

}  // namespace

TEST_CASE("C7: at every scale the seven axes reject most sweeps that miss, and none that meets" * kLong) {
    for (int exponent = -142; exponent <= 55; ++exponent) {
        CAPTURE(exponent);
        Random random(45);
        const float scale = std::ldexp(1.0f, exponent);
        Rejections count;
        for (int i = 0; i < 1000; ++i) {
            const Obb obb = scaled(random_obb(random, 1.0f, 1.0f), scale, scale);
            const Triangle t = scaled(random_triangle(random, 2.0f, 1.0f), scale, scale);
            count.add(obb, t, flushed(random_vec3(random, 4.0f) * scale));
        }
        // Below, motions and then sizes are denormal.
        if (exponent < -120) continue;
        CHECK(count.overlap_count > 100);
        CHECK(count.rejected_count > count.missing_count * 9 / 10);
    }
}

TEST_CASE("C7: boxes, triangles and motions of unequal scales lose no sweep that meets to the seven axes" *
          kLong) {
    Random random(46);
    Rejections count;
    for (int i = 0; i < 300000; ++i) {
        const auto scale = [&] { return std::ldexp(1.0f, static_cast<int>(random.below(198)) - 142); };
        const float box = scale();
        const float at = random.chance(2) ? box : scale();
        const Obb obb = scaled(random_obb(random, 1.0f, 1.0f), at, box);
        const Triangle t = scaled(random_triangle(random, 1.0f, 1.0f), random.chance(2) ? box : at,
                                  random.chance(2) ? box : scale());
        // Straight at the box, or anywhere.
        const Vec3 way = random.chance(2) ? obb.center - t.a : random_vec3(random, 4.0f) * scale();
        count.add(obb, t, flushed(way));
    }
    CHECK(count.overlap_count > 30000);
    CHECK(count.rejected_count > 30000);
}

TEST_CASE("the seven axes never reject what the exact test accepts, on 200,000 adversarial sweeps") {
    Random random(53);
    int hit_count = 0;
    int rejected_count = 0;
    for (int i = 0; i < 200000; ++i) {
        Obb obb = adversarial_obb(random);
        Triangle t = adversarial_triangle(random);
        if (random.chance(2)) {
            // A cap near the box: the exact test may call it touching at some distance.
            obb = random_obb(random, 0.5f, 0.5f);
            t = random_triangle(random, 1.0f, 1.0f);
            t.b = t.a + (t.c - t.a) * random.unit() + random_vec3(random, std::exp2(-random.uniform(2, 24)));
        }
        Vec3 motion = adversarial_displacement(random);
        // Along an edge, or nearly: W x E is then rounding noise.
        if (random.chance(4)) motion = (t.c - t.a) * random.uniform(-3, 3);
        if (random.chance(16)) motion = motion * std::exp2(-random.uniform(0, 60));
        const bool is_hit = first_impact(obb, {}, t, motion).axis != ContactAxis::none;
        const bool may_meet = swept_overlap_7_axes(obb, {}, t, motion);
        hit_count += is_hit ? 1 : 0;
        rejected_count += may_meet ? 0 : 1;
        REQUIRE((may_meet || !is_hit));
    }
    CHECK(hit_count > 20000);
    CHECK(rejected_count > 20000);
}
