// Times of impact of spheres in batches: every ISA against the single function.
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_columns.hpp"

#include <broadside/moving_sphere.hpp>

#include <utility>

using namespace broadside;
using namespace broadside::test;
using namespace broadside::test::solids;

namespace {

// Spheres of ordinary and odd sizes, of which about half meet within the step.
struct Movers {
    std::vector<Sphere> spheres;
    std::vector<Vec3> displacements;
    GuardedSpheres sphere_arrays;
    GuardedPoints displacement_arrays;

    Movers(Random& random, std::size_t count)
        : spheres(list_of<Sphere>(random, count, adversarial_sphere)),
          displacements(list_of<Vec3>(random, count, adversarial_vector)),
          sphere_arrays(spheres),
          displacement_arrays(displacements) {}
    MovingSpheres moving() const { return {sphere_arrays.view(), displacement_arrays.view()}; }
    MovingSpheres resting() const { return {sphere_arrays.view(), {}}; }
};

}  // namespace

TEST_CASE("B5: one moving sphere against many has the bits of the single function on every ISA and count") {
    int impact_count = 0;
    for_each_isa([&](Isa) {
        Random random(1);
        for (const std::size_t count : awkward_counts()) {
            const Movers others(random, count);
            const Sphere sphere = adversarial_sphere(random);
            const Vec3 displacement = adversarial_vector(random);
            GuardedArray<float> toi(count);
            REQUIRE(times_of_impact(sphere, displacement, others.moving(), toi.span()).status == Status::ok);
            for (std::size_t i = 0; i < count; ++i) {
                const float expected =
                    time_of_impact(sphere, others.spheres[i], displacement, others.displacements[i]);
                REQUIRE(same_bits(toi[i], expected));
                impact_count += expected > 0 && expected <= 1 ? 1 : 0;
            }
            REQUIRE(times_of_impact(sphere, displacement, others.resting(), toi.span()).status == Status::ok);
            for (std::size_t i = 0; i < count; ++i)
                REQUIRE(same_bits(toi[i], time_of_impact(sphere, others.spheres[i], displacement, {})));
        }
    });
    CHECK(impact_count > 70 * static_cast<int>(supported_isas().size()));
}

TEST_CASE("streams and pairs of moving spheres have the bits of the single function on every ISA and count") {
    for_each_isa([](Isa) {
        Random random(2);
        for (const std::size_t count : awkward_counts()) {
            const Movers a(random, count);
            const Movers b(random, count);
            GuardedArray<float> toi(count);
            REQUIRE(times_of_impact(a.moving(), b.moving(), toi.span()).status == Status::ok);
            for (std::size_t i = 0; i < count; ++i)
                REQUIRE(same_bits(toi[i], time_of_impact(a.spheres[i], b.spheres[i], a.displacements[i],
                                                         b.displacements[i])));
            if (count == 0) continue;
            GuardedArray<IndexPair> pairs(count);
            for (std::size_t i = 0; i < count; ++i) {
                const std::uint32_t first = random.below(static_cast<std::uint32_t>(count));
                pairs[i] = {first, random.below(static_cast<std::uint32_t>(count))};
            }
            REQUIRE(times_of_impact(a.moving(), b.resting(), pairs.span(), toi.span()).status == Status::ok);
            for (std::size_t i = 0; i < count; ++i)
                REQUIRE(
                    same_bits(toi[i], time_of_impact(a.spheres[pairs[i].first], b.spheres[pairs[i].second],
                                                     a.displacements[pairs[i].first], {})));
        }
    });
}

TEST_CASE("invalid arguments of a batch of moving spheres are reported, and nothing is written") {
    Random random(3);
    const Movers a(random, 5);
    const Movers b(random, 6);
    std::vector<float> toi(5, -7.0f);
    CHECK(times_of_impact(a.moving(), b.moving(), toi).status == Status::invalid_argument);
    CHECK(times_of_impact({a.sphere_arrays.view(), b.displacement_arrays.view()}, a.moving(), toi).status ==
          Status::invalid_argument);
    CHECK(times_of_impact(Sphere{}, {}, b.moving(), toi).status == Status::capacity_exceeded);
    const IndexPair pairs[] = {{4, 5}, {5, 0}};
    const BatchResult result = times_of_impact(a.moving(), b.moving(), pairs, toi);
    CHECK(result.status == Status::invalid_argument);
    CHECK(result.bad_index == 1);
    CHECK(toi == std::vector<float>(5, -7.0f));
}
