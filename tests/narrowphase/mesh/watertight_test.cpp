// Closed meshes have no gaps: rays at their edges and corners hit, and cross the surface an even number of
// times.
#include "tests/narrowphase/mesh/made_meshes.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::test;

namespace {

// A ray from inside or outside at a corner or an edge of the mesh; floats miss it by their rounding.
Ray ray_at_edge(Random& random, const MadeMesh& mesh, Vec3 origin) {
    const Triangle triangle = mesh.triangle(random.below(mesh.triangle_count()));
    const float part = random.chance(3) ? 0.0f : random.chance(3) ? 0.5f : random.unit();
    const Vec3 target = triangle.a * (1 - part) + triangle.b * part;
    return {origin, target - origin};
}

}  // namespace

TEST_CASE("no ray from inside leaves a closed mesh through an edge or a corner") {
    Random random(1621);
    const MadeMesh meshes[] = {cube(), fine_cube(3), sphere(3)};
    for (const MadeMesh& made : meshes) {
        const TriangleMesh mesh = built(made);
        std::vector<Ray> rays;
        for (int i = 0; i < 10000 * test_scale(); ++i) {
            const Vec3 origin =
                random.chance(3) ? grid_vector(random, 3) * 0.25f : random_vector(random, 0.99f);
            rays.push_back(ray_at_edge(random, made, origin));
        }
        for_each_isa([&](Isa) {
            std::vector<MeshHit> hits(rays.size());
            REQUIRE(mesh.closest_hits(rays, {}, hits).status == Status::ok);
            std::vector<std::uint64_t> bits((rays.size() + 63) / 64);
            REQUIRE(mesh.any_hit(rays, {}, bits).status == Status::ok);
            std::size_t leak_count = 0;
            for (std::size_t i = 0; i < rays.size(); ++i) {
                leak_count += hits[i].target == kNoTriangle || (bits[i / 64] >> (i % 64) & 1) == 0;
            }
            CHECK(leak_count == 0);
        });
    }
}

TEST_CASE("a line crosses a closed mesh an even number of times from outside and an odd one from inside") {
    Random random(1622);
    const MadeMesh meshes[] = {cube(), fine_cube(2), sphere(2)};
    for (const MadeMesh& made : meshes) {
        const TriangleMesh mesh = built(made);
        const bool is_cube = made.vertices[0] == Vec3{-1, -1, -1};
        const float outside = is_cube ? 1.25f : 2.25f;
        std::size_t crossed_count = 0;
        for_each_isa([&](Isa) {
            for (int i = 0; i < 3000 * test_scale(); ++i) {
                Vec3 origin =
                    random.chance(2) ? grid_vector(random, 3) * 0.25f : random_vector(random, 0.99f);
                const bool is_inside = random.chance(2);
                if (!is_inside) {
                    origin = random.chance(2) ? grid_vector(random, 4) * 0.75f : random_vector(random, 3.0f);
                    (random.chance(2) ? origin.x : origin.y) = random.chance(2) ? outside : -outside;
                }
                Ray ray = ray_at_edge(random, made, origin);
                // Along axes, edges, diagonals and faces.
                if (random.chance(3)) ray.direction = grid_vector(random, 1);
                if (ray.direction == Vec3{}) continue;
                const std::size_t count = mesh.crossing_count(origin, ray.direction);
                INFO("from " << origin.x << " " << origin.y << " " << origin.z << " to " << ray.direction.x
                             << " " << ray.direction.y << " " << ray.direction.z);
                REQUIRE(count % 2 == (is_inside ? 1u : 0u));
                crossed_count += count;
            }
        });
        CHECK(crossed_count > 1000);
    }
}

TEST_CASE(
    "a line through the surface itself, on its faces, edges and corners, is on the same side of it for all "
    "rays") {
    // The point is shifted a little aside: always the same way.
    const MadeMesh made = fine_cube(2);
    const TriangleMesh mesh = built(made);
    Random random(1623);
    for_each_isa([&](Isa) {
        for (const Vec3 vertex : made.vertices) {
            const std::size_t first = mesh.crossing_count(vertex, {1, 0, 0});
            for (int i = 0; i < 50; ++i) {
                const Vec3 direction =
                    random.chance(2) ? grid_vector(random, 1) : random_vector(random, 1.0f);
                if (direction == Vec3{}) continue;
                REQUIRE(mesh.crossing_count(vertex, direction) % 2 == first % 2);
            }
        }
    });
}

TEST_CASE(
    "crossing counts of the batch match those of single triangles, also for lines that had to be shifted" *
    kLong) {
    Random random(1624);
    const MadeMesh made = heap(random, 200, 4.0f);
    const TriangleMesh mesh = built(made);
    for (int i = 0; i < 300; ++i) {
        const Ray ray = adversarial_ray(random, made, 4.0f);
        if (!is_finite(ray.origin) || !is_finite(ray.direction) || ray.direction == Vec3{}) continue;
        // A line that no rounding can get wrong, next to it: as many crossings as hits.
        std::size_t hit_count = 0;
        bool is_plain = true;
        for (std::uint32_t k = 0; k < made.triangle_count(); ++k) {
            const ExactHit hit = exact_hit({ray.origin, ray.direction}, made.triangle(k));
            if (!hit.has_hit) continue;
            ++hit_count;
            is_plain = is_plain && hit.u > 0 && hit.v > 0 && hit.u + hit.v < 1 && hit.t > 0;
        }
        if (!is_plain) continue;
        // Triangles in whose plane the line lies may be crossed after the shift, an even number of times or
        // not.
        CHECK(mesh.crossing_count(ray.origin, ray.direction) >= hit_count);
    }
}
