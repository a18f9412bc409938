// Rays against meshes: the results of a loop over all triangles, on every ISA, alone and in batches.
#include "tests/narrowphase/mesh/hit_checks.hpp"
#include "tests/narrowphase/mesh/made_meshes.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_array.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <utility>

using namespace broadside;
using namespace broadside::test;

namespace {

// The hits of a ray, ascending by t as a rational number, then by index.
std::vector<Listed<MeshHit>> hits_of_all(const MadeMesh& mesh, const Ray& ray, std::uint32_t ray_index,
                                         Sides sides) {
    struct Hit {
        mpq_class t;
        std::uint32_t triangle;
    };
    std::vector<Hit> found;
    for (std::uint32_t i = 0; i < mesh.triangle_count(); ++i) {
        if (!ray_triangle(ray, mesh.triangle(i), sides).has_hit) continue;
        found.push_back({exact_hit(ray, mesh.triangle(i)).t, i});
    }
    std::sort(found.begin(), found.end(),
              [](const Hit& a, const Hit& b) { return a.t != b.t ? a.t < b.t : a.triangle < b.triangle; });
    std::vector<Listed<MeshHit>> hits;
    for (const Hit& hit : found) {
        const RayTriangleHit rounded = ray_triangle(ray, mesh.triangle(hit.triangle), sides);
        hits.push_back({ray_index, {rounded.t, rounded.u, rounded.v, hit.triangle}});
    }
    return hits;
}

struct Asked {
    std::vector<Ray> rays;
    Sides sides;
    std::vector<Listed<MeshHit>> expected;

    Asked(const MadeMesh& mesh, std::vector<Ray> rays_in, Sides sides_in)
        : rays(std::move(rays_in)), sides(sides_in) {
        for (std::uint32_t i = 0; i < rays.size(); ++i) {
            const auto hits = hits_of_all(mesh, rays[i], i, sides);
            expected.insert(expected.end(), hits.begin(), hits.end());
        }
    }
    MeshHit closest(std::uint32_t ray) const {
        for (const Listed<MeshHit>& hit : expected) {
            if (hit.query == ray) return hit.found;
        }
        return {};
    }
};

void check_everywhere(const MadeMesh& made, const Asked& asked) {
    const TriangleMesh mesh = built(made);
    const std::size_t count = asked.rays.size();
    for_each_isa([&](Isa) {
        for (const bool is_shuffled : {false, true}) {
            ShuffledRunner shuffled(17, 4);
            const TaskRunner* const runner = is_shuffled ? shuffled.runner() : nullptr;
            GuardedArray<MeshHit> closest(count);
            REQUIRE(mesh.closest_hits({asked.rays, asked.sides}, runner, closest.span()).status ==
                    Status::ok);
            GuardedArray<std::uint64_t> any((count + 63) / 64);
            REQUIRE(mesh.any_hit({asked.rays, asked.sides}, runner, any.span()).status == Status::ok);
            for (std::uint32_t i = 0; i < count; ++i) {
                INFO("ray " << i);
                const MeshHit expected = asked.closest(i);
                REQUIRE(closest[i] == expected);
                REQUIRE(((any[i / 64] >> (i % 64) & 1) != 0) == (expected.target != kNoTriangle));
                if (is_shuffled) continue;
                REQUIRE(mesh.closest_hit({asked.rays[i], asked.sides}) == expected);
                REQUIRE(mesh.any_hit({asked.rays[i], asked.sides}) == (expected.target != kNoTriangle));
            }
            if (count % 64 != 0) CHECK((any[count / 64] >> (count % 64)) == 0);
            MeshScratch scratch;
            GuardedArray<Listed<MeshHit>> all(asked.expected.size());
            const WriteResult result = mesh.find_hits({asked.rays, asked.sides}, runner, scratch, all.span());
            REQUIRE(result.status == Status::ok);
            REQUIRE(result.written == asked.expected.size());
            REQUIRE(result.required == asked.expected.size());
            for (std::size_t i = 0; i < result.written; ++i) REQUIRE(all[i] == asked.expected[i]);
        }
    });
    check_hits<MeshScratch>(
        mesh, MeshRays(asked.rays, asked.sides), count,
        [&](std::size_t i) { return MeshRay(asked.rays[i], asked.sides); }, asked.expected);
}

std::vector<Ray> rays_at(Random& random, const MadeMesh& mesh, float reach, int count) {
    std::vector<Ray> rays;
    for (int i = 0; i < count; ++i) rays.push_back(adversarial_ray(random, mesh, reach));
    return rays;
}

}  // namespace

TEST_CASE(
    "rays against meshes return the same as against every triangle, on every ISA, alone, in batches and in "
    "tasks") {
    Random random(1611);
    for (int round = 0; round < 6 * test_scale(); ++round) {
        const MadeMesh meshes[] = {fine_cube(2), sphere(2), hills(random, 12), heap(random, 300, 4.0f),
                                   heap(random, 1 + random.below(40), 4.0f)};
        for (const MadeMesh& mesh : meshes) {
            const Sides sides = random.chance(2) ? Sides::both : Sides::front;
            check_everywhere(mesh, Asked(mesh, rays_at(random, mesh, 4.0f, 300), sides));
        }
    }
}

TEST_CASE("coherent rays that start at the previous hit return the same as against every triangle") {
    Random random(1620);
    for (int round = 0; round < 2 * test_scale(); ++round) {
        const MadeMesh meshes[] = {fine_cube(2), sphere(1), hills(random, 9), heap(random, 60, 4.0f)};
        for (const MadeMesh& mesh : meshes) {
            // From a camera, over the edges of the mesh and through its holes, some of them too short.
            const Vec3 camera = random_vector(random, 1.0f) + Vec3{1, 2, 9};
            const float reach = random.uniform(0.5f, 1.5f);
            std::vector<Ray> rays;
            for (int row = 0; row < 12; ++row) {
                for (int column = 0; column < 60; ++column) {
                    const Vec3 target = {static_cast<float>(column) * 0.15f - 3.0f,
                                         static_cast<float>(row) * 0.7f - 3.0f, 0};
                    rays.push_back({camera, target - camera, reach});
                }
            }
            check_everywhere(mesh, Asked(mesh, rays, random.chance(2) ? Sides::both : Sides::front));
        }
    }
}

TEST_CASE("meshes with every size of leaf and node, at every scale, return the same as every triangle") {
    Random random(1612);
    for (std::uint32_t count = 1; count <= 40; ++count) {
        const MadeMesh mesh = heap(random, count, 4.0f);
        check_everywhere(mesh, Asked(mesh, rays_at(random, mesh, 4.0f, 20), Sides::both));
    }
    for (const int exponent : {-140, -120, -60, -20, 20, 59, 61, 100, 124}) {
        MadeMesh mesh = heap(random, 100, 4.0f);
        const auto scaled = [&](Vec3 a) {
            return Vec3{std::ldexp(a.x, exponent), std::ldexp(a.y, exponent), std::ldexp(a.z, exponent)};
        };
        std::vector<Ray> rays = rays_at(random, mesh, 4.0f, 100);
        for (Vec3& vertex : mesh.vertices) vertex = scaled(vertex);
        for (Ray& ray : rays) {
            ray.origin = scaled(ray.origin);
            if (random.chance(2)) ray.direction = scaled(ray.direction);
        }
        INFO("times 2^" << exponent);
        check_everywhere(mesh, Asked(mesh, rays, Sides::both));
    }
}

TEST_CASE("coordinates from the whole float range: a mesh returns the same as every triangle" * kLong) {
    Random random(1613);
    const auto vector = [&] { return Vec3{any_float(random), any_float(random), any_float(random)}; };
    for (int round = 0; round < 20; ++round) {
        MadeMesh mesh;
        for (int i = 0; i < 60; ++i) mesh.add({vector(), vector(), vector()});
        std::vector<Ray> rays;
        for (int i = 0; i < 60; ++i) {
            const Vec3 origin = vector();
            const Triangle triangle = mesh.triangle(random.below(mesh.triangle_count()));
            rays.push_back({origin, random.chance(2) ? vector() : triangle.a * 0.5f - origin * 0.5f});
        }
        check_everywhere(mesh, Asked(mesh, rays, Sides::both));
    }
}

TEST_CASE("a NaN ray or one without reach hits no mesh, and an empty mesh is hit by none") {
    const MadeMesh made = fine_cube(1);
    std::vector<Ray> rays;
    for (const float bad : {kNaN, kInfinity, -kInfinity}) {
        rays.push_back({{0, bad, 0}, {1, 0, 0}});
        rays.push_back({{0, 0, 0}, {1, bad, 0}});
    }
    rays.push_back({{0, 0, 0}, {0, 0, 0}});
    rays.push_back({{0, 0, 0}, {1, 0, 0}, -1.0f});
    rays.push_back({{0, 0, 0}, {1, 0, 0}, kNaN});
    rays.push_back({{0, 0, 0}, {1, 0, 0}});
    check_everywhere(made, Asked(made, rays, Sides::both));
    CHECK(built(made).closest_hit(rays.back()).t == 1.0f);
    for_each_isa([&](Isa) {
        const TriangleMesh empty = built({});
        CHECK(empty.bounds() == Aabb::empty());
        CHECK(empty.closest_hit(rays.back()) == MeshHit{});
        CHECK_FALSE(empty.any_hit(rays.back()));
        CHECK(empty.crossing_count({}, {1, 0, 0}) == 0);
    });
}

TEST_CASE("a reach that ends at a wall, or one float before or behind it, is decided exactly") {
    Random random(1618);
    for (int axis = 0; axis < 3; ++axis) {
        MadeMesh wall;
        const float place = random.uniform(-3.0f, 3.0f);
        // Two triangles across the axis, all corners at one depth.
        for (const auto& [u, v] : {std::pair{-4.0f, -4.0f}, {4.0f, -4.0f}, {4.0f, 4.0f}, {-4.0f, 4.0f}}) {
            const float corner[3] = {place, u, v};
            wall.vertices.push_back({corner[(3 - axis) % 3], corner[(4 - axis) % 3], corner[(5 - axis) % 3]});
        }
        wall.indices = {0, 1, 2, 0, 2, 3};
        std::vector<Ray> rays;
        for (int i = 0; i < 200 * test_scale(); ++i) {
            const auto around = [&] { return random.uniform(-1.0f, 1.0f); };
            float origin[3] = {around(), around(), around()};
            origin[axis] = place + (i % 2 == 0 ? 4.0f : -4.0f) * random.uniform(0.5f, 1.0f);
            const float speed = std::exp2(random.uniform(-20.0f, 20.0f));
            float direction[3] = {around() * speed * 0.25f, around() * speed * 0.25f,
                                  around() * speed * 0.25f};
            direction[axis] = origin[axis] < place ? speed : -speed;
            const float t = (place - origin[axis]) / direction[axis];
            float reach = next_down(next_down(next_down(t)));
            for (int step = 0; step < 6; ++step, reach = next_up(reach)) {
                rays.push_back(
                    {{origin[0], origin[1], origin[2]}, {direction[0], direction[1], direction[2]}, reach});
            }
        }
        check_everywhere(wall, Asked(wall, rays, Sides::both));
    }
}

TEST_CASE("among nearly coincident triangles a ray hits the one that rational numbers say" * kLong) {
    Random random(1619);
    for (int round = 0; round < 60 * test_scale(); ++round) {
        // From wide ones across the rays to needles nearly along them.
        const float width = std::exp2(random.uniform(-14.0f, 0.0f));
        const float depth = std::exp2(random.uniform(1.0f, 3.0f));
        const auto corner = [&] {
            return Vec3{width * random.uniform(-1, 1), width * random.uniform(-1, 1),
                        8.0f + depth * random.uniform(-0.5f, 0.5f)};
        };
        const Triangle base = {corner(), corner(), corner()};
        // By about the error of floats for a hit of such a triangle, and by more.
        const float step = std::exp2(random.uniform(-24.0f, -8.0f));
        const auto moved = [&](Vec3 place) {
            const float aside = step * width;
            return place + Vec3{aside * random.uniform(-1, 1), aside * random.uniform(-1, 1),
                                step * random.uniform(-1, 1)};
        };
        MadeMesh mesh;
        for (int i = 0; i < 12; ++i) mesh.add({moved(base.a), moved(base.b), moved(base.c)});
        std::vector<Ray> rays;
        for (int i = 0; i < 24; ++i) {
            const float u = random.uniform(0.05f, 0.6f);
            const float v = random.uniform(0.05f, 0.35f);
            const Vec3 target = base.a + (base.b - base.a) * u + (base.c - base.a) * v;
            const Vec3 origin = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-4, 0)};
            rays.push_back({origin, (target - origin) * std::exp2(random.uniform(-8.0f, 8.0f))});
        }
        check_everywhere(mesh, Asked(mesh, rays, Sides::both));
    }
}

TEST_CASE("hits that do not fit are counted, and the first ones are kept") {
    Random random(1614);
    const MadeMesh made = heap(random, 200, 2.0f);
    const Asked asked(made, rays_at(random, made, 2.0f, 50), Sides::both);
    const TriangleMesh mesh = built(made);
    MeshScratch scratch;
    for (const std::size_t room : {std::size_t{0}, std::size_t{1}, asked.expected.size() - 1}) {
        GuardedArray<Listed<MeshHit>> hits(room);
        const WriteResult result = mesh.find_hits(asked.rays, {}, scratch, hits.span());
        CHECK(result.status == Status::capacity_exceeded);
        CHECK(result.written == room);
        CHECK(result.required == asked.expected.size());
        for (std::size_t i = 0; i < room; ++i) CHECK(hits[i] == asked.expected[i]);
    }
}

TEST_CASE("a shared edge is hit on its lower triangle, in any order of the mesh") {
    Random random(1615);
    MadeMesh mesh = fine_cube(2);
    for (int round = 0; round < 20; ++round) {
        for (std::uint32_t i = mesh.triangle_count(); i > 1; --i) {
            const std::uint32_t j = random.below(i);
            for (std::uint32_t k = 0; k < 3; ++k)
                std::swap(mesh.indices[3 * (i - 1) + k], mesh.indices[3 * j + k]);
        }
        const TriangleMesh made = built(mesh);
        for (const float x : {-0.5f, 0.0f, 0.5f}) {
            for (const float y : {-0.5f, 0.25f, 0.5f}) {
                const Ray ray = {{x, y, 3}, {0, 0, -1}};
                std::uint32_t lowest = kNoTriangle;
                for (std::uint32_t i = 0; i < mesh.triangle_count(); ++i) {
                    if (ray_triangle(ray, mesh.triangle(i)).t == 2.0f && lowest == kNoTriangle) lowest = i;
                }
                REQUIRE(made.closest_hit(ray).target == lowest);
            }
        }
    }
}
