// Triangles near the path of a moving body: skipped ones never come near, and few others are kept.
#include "narrowphase/src/reach/kernels.hpp"
#include "simd/src/dispatch.hpp"
#include "stage/src/mover/gap.hpp"
#include "tests/support/bits.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/generators.hpp"
#include "tests/support/guarded_array.hpp"
#include "tests/support/test_scale.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace broadside;
using namespace broadside::test;
using narrowphase::ReachKernels;
using narrowphase::ReachQuery;

namespace {

// A triangle of any size, near or far from the origin; may be a needle, a segment or a point.
Triangle triangle_near(Random& random, Vec3 place, float scale) {
    const float size = scale * (random.chance(6) ? 1000.0f : random.chance(3) ? 0.1f : 2.0f);
    const Vec3 a = place + random_vector(random, size);
    Vec3 b = a + random_vector(random, size);
    Vec3 c = a + random_vector(random, size);
    if (random.chance(6)) c = a + (b - a) * random.unit() + random_vector(random, size * 1e-5f);
    if (random.chance(20)) c = b;
    if (random.chance(40)) b = c = a;
    return {a, b, c};
}

struct Body {
    stage::MoverBody body = {};
    ReachQuery query = {};
};
Body any_body(Random& random, MoverForm form, Vec3 place, float scale) {
    Body made;
    made.query.center = place;
    made.query.way = random.chance(4) ? Vec3{} : random_vector(random, scale);
    made.query.limit = random.chance(4) ? 0.0f : random.unit() * 0.2f * scale;
    made.query.is_round = form != MoverForm::box;
    made.body.form = form;
    made.body.enough = 1e30;
    const Vec3 size = absolute(random_vector(random, scale));
    if (form == MoverForm::box) made.query.half_extent = random.chance(8) ? Vec3{} : size;
    if (form != MoverForm::box) made.query.radius = random.chance(4) ? 0.0f : size.x * 0.5f;
    if (form == MoverForm::capsule) made.query.half_axis = random_vector(random, 0.5f * scale);
    made.body.half_extent = widened(made.query.half_extent);
    made.body.half_axis = widened(made.query.half_axis);
    made.body.radius = static_cast<double>(made.query.radius);
    const Vec3 far = (absolute(made.query.half_extent) + absolute(made.query.half_axis)) +
                     Vec3{made.query.radius, made.query.radius, made.query.radius};
    const Vec3 reach = far + absolute(made.query.way) + Vec3{scale, scale, scale};
    made.query.box = {place - reach, place + reach};
    return made;
}

}  // namespace

TEST_CASE("a triangle that a mover's search skips is nowhere on its path within the limit") {
    Random random(1751);
    std::size_t left_out_count = 0;
    std::size_t near_count = 0;
    std::size_t kept_count = 0;
    for (int round = 0; round < 900 * test_scale(); ++round) {
        // One in three anywhere in the range of floats.
        const int exponent = round % 5 == 0 ? -12 : round % 5 == 1 ? 12 : 0;
        const float scale =
            std::ldexp(1.0f, random.chance(3) ? static_cast<int>(random.below(220)) - 120 : exponent);
        const Vec3 place = random_vector(random, scale * (random.chance(3) ? 4096.0f : 4.0f));
        const auto form = static_cast<MoverForm>(round % 3);
        const Body made = any_body(random, form, place, scale);
        const std::size_t count = awkward_counts()[random.below(35)];
        TriangleSoa triangles;
        REQUIRE(triangles.resize(count) == Status::ok);
        for (std::size_t i = 0; i < count; ++i) triangles.set(i, triangle_near(random, place, scale));
        std::vector<std::uint64_t> of_scalar;
        for_each_isa([&](Isa isa) {
            std::vector<std::uint64_t> bits((count + 63) / 64, ~std::uint64_t{0});
            simd::active_kernels<ReachKernels>()->near_bits(made.query, triangles, bits.data());
            if (isa == Isa::scalar) of_scalar = bits;
            REQUIRE(bits == of_scalar);
        });
        for (std::size_t i = 0; i < count; ++i) {
            const Triangle triangle = triangles.view()[i];
            const Aabb box = bounds(triangle);
            if (!overlap(box, made.query.box)) {
                REQUIRE(!has_bit(of_scalar, i));
                continue;
            }
            double gap = 1e300;
            for (int step = 0; step <= 32; ++step) {
                const double t = step / 32.0;
                const Vec3Double at = widened(place) + widened(made.query.way) * t;
                gap = std::min(gap, stage::gap_of(made.body, at, {triangle, false}).gap);
            }
            INFO(round << " " << i << " gap " << gap << " limit " << made.query.limit);
            const bool is_kept = has_bit(of_scalar, i);
            REQUIRE((is_kept || gap > static_cast<double>(made.query.limit)));
            const bool is_near = gap <= static_cast<double>(made.query.limit);
            near_count += is_near ? 1 : 0;
            kept_count += is_kept && !is_near ? 1 : 0;
            left_out_count += is_kept ? 0 : 1;
        }
    }
    CHECK(near_count > 500);
    // Most of the triangles that are not near are skipped, also for boxes among edges.
    CHECK(left_out_count > kept_count);
}

TEST_CASE("triangles around a walker on the flat are skipped, except those that it stands on") {
    TriangleSoa triangles;
    REQUIRE(triangles.resize(200) == Status::ok);
    for (int i = 0; i < 100; ++i) {
        const Vec3 a = {static_cast<float>(i % 10) - 5, 0, static_cast<float>(i / 10) - 5};
        const Vec3 b = a + Vec3{1, 0, 0}, c = a + Vec3{0, 0, 1}, d = a + Vec3{1, 0, 1};
        triangles.set(static_cast<std::size_t>(2 * i), {a, c, b});
        triangles.set(static_cast<std::size_t>(2 * i + 1), {b, c, d});
    }
    ReachQuery query;
    query.is_round = true;
    query.box = {{-4, -4, -4}, {4, 4, 4}};
    query.center = {0.3f, 0.91f, 0.3f};
    query.half_axis = {0, 0.55f, 0};
    query.radius = 0.35f;
    query.limit = 0.02f;
    for_each_isa([&](Isa) {
        std::vector<std::uint64_t> bits(4);
        simd::active_kernels<ReachKernels>()->near_bits(query, triangles, bits.data());
        std::size_t count = 0;
        for (std::size_t i = 0; i < 200; ++i) count += has_bit(bits, i) ? 1 : 0;
        // Its foot is 0.1 from the next triangle, and within 0.12 of the touched ones.
        CHECK(count >= 1);
        CHECK(count <= 3);
    });
}
