// The arm of examples/arm_motion: its kinematics at angles that can be checked by hand, and the first state that collides.
#include "examples/arm_motion/scene.hpp"

#include <doctest/doctest.h>

using namespace arm_motion;
using namespace broadside;

namespace {

bool is_near(Vec3 a, Vec3 b) { return std::sqrt(dot(a - b, a - b)) < 1e-5f; }

// The middle of the last sphere.
Vec3 tip(const Angles& angles) {
    std::array<Sphere, kSphereCount> spheres;
    place_spheres(angles, spheres);
    return spheres.back().center;
}

std::size_t first_of_all(const std::vector<Sphere>& spheres, const std::vector<Aabb>& boxes) {
    for (std::size_t i = 0; i < spheres.size(); ++i) {
        for (const Aabb& box : boxes) {
            if (overlap(spheres[i], box)) return i;
        }
    }
    return spheres.size();
}

}  // namespace

TEST_CASE("an arm that is stretched out, turned and bent has its tip where geometry says") {
    std::size_t sphere_count = 0;
    float length = 0.0f;
    for (const Link& link : kLinks) {
        sphere_count += link.sphere_count;
        length += link.length;
    }
    CHECK(sphere_count == kSphereCount);
    const Vec3 in_link = sphere_in_link(kLinks.back(), kLinks.back().sphere_count - 1);
    const float below_tip = length - kLinks.back().length;
    CHECK(is_near(tip({}), {in_link.x, in_link.y, below_tip + in_link.z}));
    constexpr float kQuarter = 1.57079633f;
    // A quarter about z takes x to y.
    CHECK(is_near(tip({kQuarter}), {-in_link.y, in_link.x, below_tip + in_link.z}));
    // A quarter about y at the second joint lays all behind the first link along x.
    const float first = kLinks[0].length;
    CHECK(is_near(tip({0, kQuarter}), {below_tip - first + in_link.z, in_link.y, first - in_link.x}));
}

TEST_CASE("the first state of a motion that collides is the one that asking every sphere and box finds") {
    std::size_t free_count = 0;
    for (std::uint32_t seed = 1; seed <= 10; ++seed) {
        for (const Collides collides : {Collides::never, Collides::late, Collides::early}) {
            const Scene scene = make_scene(collides, seed);
            const BoxTree tree = tree_of(scene);
            std::vector<Sphere> spheres;
            place_motion(scene.from, scene.to, kStateCount, spheres);
            const std::size_t expected = first_of_all(spheres, scene.boxes);
            std::uint32_t first = 0;
            REQUIRE(tree.first_overlaps(spheres, kSphereCount, {}, {&first, 1}).status == Status::ok);
            CHECK(first == expected);
            const bool is_free = expected == spheres.size();
            free_count += is_free ? 1 : 0;
            if (collides == Collides::never) CHECK(is_free);
            if (collides == Collides::late) CHECK(first / kSphereCount >= kStateCount - 3);
            // A state each: the verdict of every one.
            std::uint32_t of_states[kStateCount];
            REQUIRE(tree.first_overlaps(spheres, kSphereCount, {}, of_states).status == Status::ok);
            std::size_t state = 0;
            while (state < kStateCount && of_states[state] == kSphereCount) ++state;
            CHECK(state == expected / kSphereCount);
        }
    }
    CHECK(free_count >= 10);
    CHECK(free_count < 30);
}
