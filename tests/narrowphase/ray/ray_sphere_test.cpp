// Rays against spheres: every ISA against the specification, and that against 113-bit arithmetic.
#include "tests/narrowphase/sphere/closest_point_oracle.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_columns.hpp"

#include <broadside/ray_sphere.hpp>

#include <algorithm>
#include <utility>

using namespace broadside;
using namespace broadside::test;
using namespace broadside::test::solids;

namespace {

constexpr Inside kPolicies[] = {Inside::zero, Inside::miss, Inside::negative_t};

Ray any_sphere_ray(Random& random) {
    Ray ray = {adversarial_vector(random), adversarial_vector(random)};
    if (random.chance(3)) ray.t_max = random.uniform(0, 4);
    if (random.chance(12)) ray.t_max = special_float(random);
    return ray;
}

Quad square_root(Quad a) {
    Quad root = std::sqrt(static_cast<double>(a));
    for (int round = 0; round < 3 && root != 0; ++round) root = (root + a / root) / 2;
    return root;
}

bool same_hit(const RaySolidHit& hit, float t_enter, float t_exit, bool has_hit) {
    return same_bits(hit.t_enter, t_enter) && same_bits(hit.t_exit, t_exit) && hit.has_hit == has_hit;
}

}  // namespace

TEST_CASE("one ray against many spheres has the bits of the single function on every ISA, count and policy") {
    for_each_isa([](Isa) {
        Random random(1);
        for (const std::size_t count : awkward_counts()) {
            const std::vector<Sphere> list = list_of<Sphere>(random, count, adversarial_sphere);
            const GuardedSpheres spheres(list);
            for (const Inside inside : kPolicies) {
                const Ray ray = any_sphere_ray(random);
                GuardedArray<float> t_enter(count);
                GuardedArray<float> t_exit(count);
                GuardedArray<std::uint64_t> bits(bit_word_count(count));
                // One more than there are spheres, which stays as it is.
                GuardedArray<Face> faces(count + 1);
                faces[count] = Face::max_z;
                const RayOutputs out = {t_enter.span(), t_exit.span(), faces.span(), bits.span()};
                REQUIRE(ray_spheres(ray, spheres.view(), {inside}, out).status == Status::ok);
                for (std::size_t i = 0; i < count; ++i) REQUIRE(faces[i] == Face::none);
                REQUIRE(faces[count] == Face::max_z);
                for (std::size_t i = 0; i < bits.size() * 64; ++i) {
                    const bool has_bit = (bits[i / 64] >> (i % 64) & 1) != 0;
                    if (i >= count)
                        REQUIRE_FALSE(has_bit);
                    else
                        REQUIRE(same_hit(ray_sphere(ray, list[i], {inside}), t_enter[i], t_exit[i], has_bit));
                }
            }
        }
    });
}

TEST_CASE("the closest sphere of each ray is the first of the smallest t on every ISA and count") {
    for_each_isa([](Isa) {
        Random random(2);
        for (const std::size_t count : awkward_counts()) {
            const std::vector<Sphere> list = list_of<Sphere>(random, count, adversarial_sphere);
            const GuardedSpheres spheres(list);
            const GuardedArray<Ray> rays(list_of<Ray>(random, 7, any_sphere_ray));
            for (const Inside inside : kPolicies) {
                GuardedArray<TreeHit> closest(7);
                REQUIRE(closest_hits({rays.data(), 7}, spheres.view(), {inside}, closest.span()).status ==
                        Status::ok);
                for (std::size_t r = 0; r < 7; ++r) {
                    TreeHit expected;
                    for (std::size_t i = 0; i < count; ++i) {
                        const RaySolidHit hit = ray_sphere(rays.data()[r], list[i], {inside});
                        if (!hit.has_hit) continue;
                        if (expected.target == kNoBox || hit.t_enter < expected.t)
                            expected = {static_cast<std::uint32_t>(i), hit.t_enter};
                    }
                    REQUIRE(closest[r] == expected);
                }
            }
        }
    });
}

TEST_CASE("the t of a ray against a sphere is that of 113-bit arithmetic, at every scale and far away") {
    Random random(3);
    double worst = 0;
    int hit_count = 0;
    int wrong_count = 0;
    for (int round = 0; round < 100000; ++round) {
        const float scale = std::ldexp(1.0f, static_cast<int>(random.below(9)) * 10 - 40);
        const Vec3 away = random.chance(3) ? random_vector(random, 1e5f * scale) : Vec3{};
        const Sphere sphere = {random_vector(random, scale) + away, random.unit() * scale};
        const float distance = std::ldexp(scale, static_cast<int>(random.below(12)));
        const Vec3 origin = random_vector(random, distance) + away;
        const Vec3 aim = sphere.center + random_vector(random, 1.2f * sphere.radius);
        const Ray ray = {origin, (aim - origin) * random.uniform(0.25f, 4)};
        const QuadVector o = quad(origin) - quad(sphere.center);
        const QuadVector d = quad(ray.direction);
        const Quad a = dot(d, d), b = -dot(o, d);
        const Quad c = dot(o, o) - static_cast<Quad>(sphere.radius) * sphere.radius;
        const Quad discriminant = b * b - a * c;
        const RaySolidHit hit = ray_sphere(ray, sphere, {Inside::negative_t});
        const bool expected = discriminant >= 0 && b + square_root(discriminant) >= 0 && a > 0;
        if (hit.has_hit != expected) {
            ++wrong_count;
            continue;
        }
        if (!expected) continue;
        ++hit_count;
        const Quad root = square_root(discriminant);
        for (const auto& [answer, truth] :
             {std::pair{hit.t_enter, (b - root) / a}, std::pair{hit.t_exit, (b + root) / a}}) {
            const double error = std::fabs(static_cast<double>(answer - truth));
            // Near a tangent the root magnifies the loss of the coordinate differences in double.
            const double size = std::fabs(static_cast<double>(truth)) + 0x1p-20 * static_cast<double>(b / a);
            worst = std::max(worst, error / size);
        }
    }
    CHECK(hit_count > 40000);
    CHECK(wrong_count == 0);
    CHECK(worst <= 0x1.0001p-24);
}

TEST_CASE("a start inside a sphere is a hit however far behind, in t, the line entered") {
    const Ray ray = {{2, 0, 0}, {0, 0, FLT_MIN}, 2.0f};
    const Sphere sphere = {{0, 0, 0}, 16};
    const std::vector<float> center(9, 0.0f);
    const std::vector<float> radius(9, 16.0f);
    const SphereSoaView spheres = {center.data(), center.data(), center.data(), radius.data(), 9};
    for (const auto& [inside, t_enter] :
         {std::pair{Inside::zero, 0.0f}, std::pair{Inside::miss, kNoIntersection},
          std::pair{Inside::negative_t, -FLT_MAX}}) {
        const bool has_hit = inside != Inside::miss;
        const float t_exit = has_hit ? 2.0f : kNoIntersection;
        CHECK(same_hit(ray_sphere(ray, sphere, {inside}), t_enter, t_exit, has_hit));
        CHECK(ray_box(ray, {{-16, -16, -16}, {16, 16, 16}}, {inside}).has_hit == has_hit);
        for_each_isa([&, inside = inside, t_enter = t_enter](Isa) {
            float enter[9];
            float exit[9];
            std::uint64_t bits[1];
            TreeHit closest[1];
            REQUIRE(ray_spheres(ray, spheres, {inside}, {.t_enter = enter, .t_exit = exit, .hit_bits = bits})
                        .status == Status::ok);
            REQUIRE(closest_hits({&ray, 1}, spheres, {inside}, closest).status == Status::ok);
            for (std::size_t i = 0; i < 9; ++i)
                CHECK(same_hit({enter[i], exit[i], (bits[0] >> i & 1) != 0}, t_enter, t_exit, has_hit));
            CHECK(closest[0] == (has_hit ? TreeHit{0, t_enter} : TreeHit{}));
        });
    }
}

TEST_CASE("a batch of rays and spheres writes nothing if its arguments are invalid") {
    Random random(4);
    const GuardedSpheres spheres(list_of<Sphere>(random, 9, adversarial_sphere));
    std::vector<float> t(8, -7.0f);
    CHECK(ray_spheres({}, spheres.view(), {}, {.t_enter = t}).status == Status::capacity_exceeded);
    CHECK(ray_spheres({}, {nullptr, nullptr, nullptr, nullptr, 1}, {}, {.t_enter = t}).status ==
          Status::invalid_argument);
    CHECK(t == std::vector<float>(8, -7.0f));
    const Ray rays[2] = {};
    TreeHit closest[1];
    CHECK(closest_hits(rays, spheres.view(), {}, closest).status == Status::capacity_exceeded);
}
