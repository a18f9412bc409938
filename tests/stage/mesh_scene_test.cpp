// Scenes of placed meshes: the results of a loop over all instances, on every ISA and for any number of
// workers.
#include "tests/narrowphase/mesh/hit_checks.hpp"
#include "tests/narrowphase/mesh/ray_bundles.hpp"
#include "tests/narrowphase/mesh_pairs/placed_meshes.hpp"
#include "tests/support/casts.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/faulty_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

#include <broadside/mesh_scene.hpp>
#include <broadside/sphere_overlap.hpp>

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::test;

namespace {

struct Town {
    TriangleMesh meshes[4] = {built(cube()), built(sphere(1)), built(fine_cube(1)), built({})};
    std::vector<PlacedMesh> instances;
    MeshScene scene;

    Town(Random& random, int count) {
        for (int i = 0; i < count; ++i) {
            Transform place = any_placement(random, random.chance(3) ? 0.3f : 1.0f, 9.0f);
            if (random.chance(3)) place = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, grid_vector(random, 4)};
            instances.push_back({&meshes[random.chance(20) ? 3 : random.below(3)], place});
            if (random.chance(10)) instances.push_back(instances.back());
        }
        REQUIRE(scene.build(instances).status == Status::ok);
    }
};

Vec3 place_in(Random& random) {
    return random.chance(3) ? grid_vector(random, 5) : random_vector(random, 12.0f);
}

SceneHit closest_one_by_one(const Town& town, const Ray& ray, Sides sides) {
    SceneHit closest;
    for (std::uint32_t i = 0; i < town.instances.size(); ++i) {
        const PlacedMesh& placed = town.instances[i];
        const MeshHit hit = placed.mesh->closest_hit({seen_from_mesh(placed.world_from_mesh, ray), sides});
        const bool is_first = closest.target.instance_index == kNoInstance;
        if (hit.target != kNoTriangle && (is_first || hit.t < closest.t))
            closest = {hit.t, hit.u, hit.v, {i, hit.target}};
    }
    return closest;
}

template <class Shape>
void check_overlaps(const Town& town, const std::vector<Shape>& shapes) {
    std::vector<Listed<SceneTriangle>> expected;
    std::vector<bool> is_met(shapes.size());
    for (std::uint32_t i = 0; i < shapes.size(); ++i) {
        for (std::uint32_t k = 0; k < town.instances.size(); ++k) {
            const PlacedMesh& placed = town.instances[k];
            const auto seen = seen_from_mesh(placed.world_from_mesh, shapes[i]);
            for (std::uint32_t t = 0; t < placed.mesh->triangle_count(); ++t) {
                if (!overlap(seen, placed.mesh->triangle(t))) continue;
                expected.push_back({i, {k, t}});
                is_met[i] = true;
            }
        }
    }
    REQUIRE(expected.size() > 100);
    for_each_isa([&](Isa) {
        MeshScratch scratch;
        std::vector<Listed<SceneTriangle>> overlaps(expected.size());
        const WriteResult result = town.scene.find_overlaps(shapes, {}, scratch, overlaps);
        REQUIRE(result.status == Status::ok);
        CHECK(overlaps == expected);
        const WriteResult too_few =
            town.scene.find_overlaps(shapes, {}, scratch, std::span(overlaps).first(7));
        CHECK(too_few.status == Status::capacity_exceeded);
        CHECK(too_few.required == expected.size());
        ShuffledRunner shuffled(3, 4);
        for (const TaskRunner* runner : {static_cast<const TaskRunner*>(nullptr), shuffled.runner()}) {
            std::vector<std::uint64_t> bits((shapes.size() + 63) / 64, ~std::uint64_t{0});
            REQUIRE(town.scene.any_overlap(shapes, runner, bits).status == Status::ok);
            for (std::size_t i = 0; i < shapes.size(); ++i)
                REQUIRE(((bits[i / 64] >> (i % 64) & 1) != 0) == is_met[i]);
        }
        for (std::size_t i = 0; i < shapes.size(); ++i)
            REQUIRE(town.scene.any_overlap(shapes[i]) == is_met[i]);
    });
}

}  // namespace

TEST_CASE("rays hit in a scene what they hit of all its instances") {
    Random random(1701);
    const Town town(random, 120);
    for (const Sides sides : {Sides::both, Sides::front}) {
        std::vector<Ray> rays;
        std::vector<SceneHit> expected;
        std::vector<Listed<SceneHit>> all;
        std::size_t hit_count = 0;
        for (std::uint32_t i = 0; i < 200u * static_cast<unsigned>(test_scale()); ++i) {
            Ray ray = {place_in(random), place_in(random)};
            if (random.chance(4)) ray.t_max = random.unit();
            if (i == 7) ray.origin.x = kNaN;
            rays.push_back(ray);
            expected.push_back(closest_one_by_one(town, ray, sides));
            hit_count += expected.back().target.instance_index != kNoInstance ? 1 : 0;
            std::vector<Listed<SceneHit>> of_ray;
            for (std::uint32_t k = 0; k < town.instances.size(); ++k) {
                const PlacedMesh& placed = town.instances[k];
                const Ray seen = seen_from_mesh(placed.world_from_mesh, ray);
                for (std::uint32_t t = 0; t < placed.mesh->triangle_count(); ++t) {
                    const RayTriangleHit hit = ray_triangle(seen, placed.mesh->triangle(t), sides);
                    if (hit.has_hit) of_ray.push_back({i, {hit.t, hit.u, hit.v, {k, t}}});
                }
            }
            std::stable_sort(
                of_ray.begin(), of_ray.end(),
                [](const Listed<SceneHit>& a, const Listed<SceneHit>& b) { return a.found.t < b.found.t; });
            all.insert(all.end(), of_ray.begin(), of_ray.end());
        }
        CHECK(hit_count > 50);
        for_each_isa([&](Isa) {
            ShuffledRunner shuffled(3, 4);
            for (const TaskRunner* runner : {static_cast<const TaskRunner*>(nullptr), shuffled.runner()}) {
                std::vector<SceneHit> closest(rays.size());
                REQUIRE(town.scene.closest_hits({rays, sides}, runner, closest).status == Status::ok);
                std::vector<std::uint64_t> bits((rays.size() + 63) / 64, ~std::uint64_t{0});
                REQUIRE(town.scene.any_hit({rays, sides}, runner, bits).status == Status::ok);
                for (std::size_t i = 0; i < rays.size(); ++i) {
                    INFO(i);
                    REQUIRE(closest[i] == expected[i]);
                    REQUIRE(((bits[i / 64] >> (i % 64) & 1) != 0) ==
                            (expected[i].target.instance_index != kNoInstance));
                }
            }
            MeshScratch scratch;
            std::vector<Listed<SceneHit>> hits(all.size());
            const WriteResult result = town.scene.find_hits({rays, sides}, {}, scratch, hits);
            REQUIRE(result.status == Status::ok);
            CHECK(hits == all);
        });
        check_hits<MeshScratch>(
            town.scene, MeshRays(rays, sides), rays.size(),
            [&](std::size_t i) { return MeshRay(rays[i], sides); }, all);
    }
}

TEST_CASE("coherent rays have in a scene the hits that each has alone" * kLong) {
    Random random(1903);
    // Few instances and many, large and small ones; the last rays are so far away that rounding puts hits before
    // the boxes of their instances.
    struct Case {
        int count;
        float extent;
        float far;
    };
    for (const Case& of : {Case{1, 4, 0}, {20, 9, 0}, {400, 12, 0}, {20, 9, 3e5f}, {400, 12, 3e7f}}) {
        const Town town(random, of.count);
        std::size_t hit_count = 0;
        for (const Sides sides : {Sides::both, Sides::front}) {
            std::vector<Ray> rays;
            for (int i = 0; i < 150 * test_scale(); ++i) {
                add_bundle(random, of.extent, rays);
                if (of.far == 0) continue;
                const std::span<Ray> bundle = std::span(rays).last(kBundle);
                const Vec3 aside = random_vec3(random, -1, 1) * of.far;
                for (Ray& ray : bundle) {
                    const Vec3 target = ray.origin;
                    ray.origin = target + aside;
                    ray.direction = (target - ray.origin) + ray.direction;
                }
            }
            hit_count += check_bundles<SceneHit, MeshRay>(town.scene, rays, sides);
        }
        CHECK(hit_count > 100);
    }
}

TEST_CASE("far rays that graze instances have the hits that each has alone" * kLong) {
    // Rounding in the space of a mesh moves such a ray by more than boxes are grown by: it hits an edge of the
    // mesh before it enters the box that touches this edge, and another instance in between.
    Random random(1905);
    const TriangleMesh mesh = built(cube());
    constexpr float kCos = 0.8f, kSin = 0.6f, kTop = 1.4f;
    std::vector<PlacedMesh> instances;
    for (int i = 0; i < 60; ++i) {
        const Vec3 at = {random.uniform(-3, 3), random.uniform(-2e-3f, 0), random.uniform(-0.3f, 0.3f)};
        instances.push_back({&mesh, {{kCos, -kSin, 0}, {kSin, kCos, 0}, {0, 0, 1}, at}});
    }
    MeshScene scene;
    REQUIRE(scene.build(instances).status == Status::ok);
    std::vector<Ray> rays;
    for (int i = 0; i < 1000; ++i) {
        const float far = std::ldexp(1.0f, 12 + static_cast<int>(random.below(4)));
        const float slope = std::ldexp(1.0f, -9 - static_cast<int>(random.below(6)));
        const Vec3 origin = {-far, kTop + slope * far, 0.1f};
        for (std::size_t k = 0; k < kBundle; ++k) {
            const Vec3 target = {random.uniform(-3, 3), kTop + random.uniform(-1, 1) * far * 0x1p-23f,
                                 random.uniform(-0.2f, 0.2f)};
            rays.push_back({origin, target - origin});
        }
    }
    CHECK(check_bundles<SceneHit, MeshRay>(scene, rays, Sides::both) > 1000);
}

TEST_CASE("rays hit in a scene beyond the distance that stands for no hit") {
    Random random(1904);
    const Town town(random, 40);
    std::size_t late_count = 0;
    for (int i = 0; i < 200; ++i) {
        const Vec3 origin = place_in(random);
        const Ray ray = {origin, random_vector(random, 1.0f) * 1e-31f};
        const SceneHit hit = town.scene.closest_hit(ray);
        REQUIRE(hit == closest_one_by_one(town, ray, Sides::both));
        late_count += hit.target.instance_index != kNoInstance && hit.t > kNoIntersection ? 1 : 0;
    }
    CHECK(late_count > 20);
}

TEST_CASE("shapes overlap in a scene what they overlap of all its instances") {
    Random random(1702);
    const Town town(random, 120);
    std::vector<Sphere> spheres;
    std::vector<Obb> obbs;
    for (int i = 0; i < 90 * test_scale(); ++i) {
        spheres.push_back({place_in(random), random.unit() * 2});
        const Transform turn = any_rotation(random);
        obbs.push_back({place_in(random),
                        turn.row_x,
                        turn.row_y,
                        turn.row_z,
                        {random.unit() * 2, random.unit() * 2, random.unit()}});
    }
    spheres.push_back({{0, 0, 0}, -1});
    obbs.push_back({{kNaN, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}});
    std::vector<Aabb> boxes;
    std::vector<Capsule> capsules;
    for (int i = 0; i < 90 * test_scale(); ++i) {
        const Vec3 corner = place_in(random);
        boxes.push_back({corner, corner + Vec3{random.unit(), random.unit() * 2, random.unit()}});
        capsules.push_back({place_in(random), place_in(random), random.unit()});
    }
    boxes.push_back({{1, 1, 1}, {0, 2, 2}});
    boxes.push_back({{kNaN, 0, 0}, {1, 1, 1}});
    capsules.push_back({{0, 0, 0}, {1, 1, 1}, -1});
    check_overlaps(town, spheres);
    check_overlaps(town, obbs);
    check_overlaps(town, boxes);
    check_overlaps(town, capsules);
}

namespace {

// The first hit of all instances, each queried alone by its mesh: the first in time, then in the list.
template <class Shape>
SceneImpact first_one_by_one(const Town& town, const Cast<Shape>& cast) {
    SceneImpact first;
    for (std::uint32_t i = 0; i < town.instances.size(); ++i) {
        const PlacedMesh& placed = town.instances[i];
        const MeshImpact impact = placed.mesh->closest_hit(seen_from_mesh(placed.world_from_mesh, cast));
        if (impact.target != kNoTriangle && impact.t < first.t)
            first = {impact.t, {i, impact.target}, impact.point, impact.normal, impact.axis};
    }
    return first;
}

// The mesh's own point and normal, placed.
bool is_same(const SceneImpact& impact, const SceneImpact& of_mesh, const Town& town) {
    if (impact.target != of_mesh.target || impact.t != of_mesh.t || impact.axis != of_mesh.axis) return false;
    if (impact.target.instance_index == kNoInstance) return impact == SceneImpact{};
    const Transform& place = town.instances[impact.target.instance_index].world_from_mesh;
    const bool has_point = of_mesh.axis == ContactAxis::none;
    if (impact.point != (has_point ? placed(place, of_mesh.point) : Vec3{})) return false;
    const Vec3 normal = impact.normal;
    if (of_mesh.normal == Vec3{}) return normal == Vec3{};
    // Back in the space of the mesh it is the mesh's, up to its length.
    const Vec3 back = way_seen_from_mesh(place, normal);
    const float share = 1.0f / std::sqrt(length_sq(back));
    return length_sq(back * share - of_mesh.normal) < 1e-9f && std::abs(length_sq(normal) - 1.0f) < 1e-5f;
}

template <class Shape>
MeshImpact impact_on(const Cast<Shape>& cast, const Triangle& triangle, std::uint32_t index) {
    const ShapeImpact impact = first_impact(cast.shape, cast.displacement, triangle);
    return {impact.toi, index, impact.point, impact.normal};
}
MeshImpact impact_on(const ObbCast& cast, const Triangle& triangle, std::uint32_t index) {
    const TriangleImpact impact = first_impact(cast.shape, cast.displacement, triangle, {});
    if (impact.axis == ContactAxis::none) return {};
    return {impact.toi, index, {}, contact_normal(cast.shape, triangle, impact.axis), impact.axis};
}

// All impacts are those of all triangles of all instances.
template <class Shape>
void check_all_impacts(const Town& town, const std::vector<Cast<Shape>>& casts) {
    std::vector<Listed<SceneImpact>> expected;
    for (std::uint32_t i = 0; i < casts.size(); ++i) {
        for (std::uint32_t k = 0; k < town.instances.size(); ++k) {
            const PlacedMesh& placed = town.instances[k];
            const auto seen = seen_from_mesh(placed.world_from_mesh, casts[i]);
            for (std::uint32_t t = 0; t < placed.mesh->triangle_count(); ++t) {
                const MeshImpact impact = impact_on(seen, placed.mesh->triangle(t), t);
                if (impact.t == kNoIntersection || !(impact.t <= casts[i].t_max)) continue;
                expected.push_back({i, {impact.t, {k, t}, impact.point, impact.normal, impact.axis}});
            }
        }
    }
    sort_by_time(expected);
    REQUIRE(expected.size() > casts.size());
    std::vector<Listed<SceneImpact>> all(expected.size());
    MeshScratch scratch;
    REQUIRE(town.scene.find_hits(casts, {}, scratch, all).status == Status::ok);
    for (std::size_t i = 0; i < all.size(); ++i) {
        REQUIRE(all[i].query == expected[i].query);
        REQUIRE(is_same(all[i].found, expected[i].found, town));
    }
    check_cast_hits<MeshScratch>(town.scene, casts, all);
}

template <class Shape>
void check_impacts(const Town& town, const std::vector<Shape>& shapes, const std::vector<Vec3>& ways) {
    std::vector<SceneImpact> expected;
    std::vector<Cast<Shape>> casts = casts_of(shapes, ways);
    // Every third ends early, some on the impact.
    for (std::size_t i = 0; i < casts.size(); i += 3) {
        const float t = first_one_by_one(town, casts[i]).t;
        casts[i].t_max = i % 2 == 0 ? min_keep(t, 1.0f) : 0.5f;
    }
    casts[7].t_max = kNaN;
    casts[8].t_max = -0.5f;
    std::size_t met_count = 0;
    std::size_t late_count = 0;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        expected.push_back(first_one_by_one(town, casts[i]));
        met_count += expected.back().target.instance_index != kNoInstance ? 1 : 0;
        late_count += expected.back().t > 0.0f && expected.back().t <= 1.0f ? 1 : 0;
    }
    CHECK(met_count > shapes.size() / 4);
    CHECK(late_count > shapes.size() / 10);
    for_each_isa([&](Isa) {
        ShuffledRunner shuffled(3, 4);
        for (const TaskRunner* runner : {static_cast<const TaskRunner*>(nullptr), shuffled.runner()}) {
            std::vector<SceneImpact> impacts(shapes.size());
            REQUIRE(town.scene.closest_hits(casts, runner, impacts).status == Status::ok);
            std::vector<std::uint64_t> bits(bit_word_count(casts.size()));
            REQUIRE(town.scene.any_hit(casts, runner, bits).status == Status::ok);
            for (std::size_t i = 0; i < shapes.size(); ++i) {
                INFO(i);
                REQUIRE(is_same(impacts[i], expected[i], town));
                REQUIRE(town.scene.closest_hit(casts[i]) == impacts[i]);
                const bool is_met = impacts[i].target != SceneTriangle{};
                REQUIRE(town.scene.any_hit(casts[i]) == is_met);
                REQUIRE((bits[i / 64] >> i % 64 & 1) == (is_met ? 1u : 0u));
            }
        }
        std::vector<SceneImpact> impacts(shapes.size());
        CHECK(town.scene.closest_hits(casts, {}, std::span(impacts).first(3)).status ==
              Status::capacity_exceeded);
    });
    check_all_impacts(town, casts);
}

}  // namespace

TEST_CASE("shapes that touch an instance from outside overlap it in its scene, too") {
    Random random(1712);
    // In the middle of its own space, and far from it.
    MadeMesh made = cube();
    const TriangleMesh central = built(made);
    for (Vec3& vertex : made.vertices) vertex = vertex + Vec3{100, 200, 300};
    const TriangleMesh distant = built(made);
    int touch_count = 0;
    for (int round = 0; round < 4000; ++round) {
        const TriangleMesh& mesh = round % 2 == 0 ? central : distant;
        const PlacedMesh placed_mesh = {&mesh, any_placement(random, 0.3f, 9.0f)};
        MeshScene scene;
        REQUIRE(scene.build(std::span(&placed_mesh, 1)).status == Status::ok);
        // At the corner that extends furthest, separate by no more than roundings.
        Vec3 corner = placed(placed_mesh.world_from_mesh, mesh.triangle(0).a);
        for (std::uint32_t t = 1; t < mesh.triangle_count(); ++t) {
            const Vec3 other = placed(placed_mesh.world_from_mesh, mesh.triangle(t).a);
            if (other.x > corner.x) corner = other;
        }
        // No further from the origin than the header allows.
        const float radius = random.uniform(0.01f, 1.0f) * (random.chance(2) ? 1.0f : 500.0f);
        Sphere sphere = {{corner.x + radius, corner.y, corner.z}, radius};
        for (std::uint32_t step = random.below(4); step > 0; --step)
            sphere.center.x = next_up(sphere.center.x);
        const bool is_met = mesh.any_overlap(seen_from_mesh(placed_mesh.world_from_mesh, sphere));
        touch_count += is_met ? 1 : 0;
        REQUIRE(scene.any_overlap(sphere) == is_met);
    }
    CHECK(touch_count > 100);
}

TEST_CASE("a moving shape first meets in a scene what it first meets of all its instances" * kLong) {
    Random random(1708);
    const Town town(random, 120);
    std::vector<Sphere> spheres;
    std::vector<Capsule> capsules;
    std::vector<Obb> obbs;
    std::vector<Vec3> ways;
    for (int i = 0; i < 120 * test_scale(); ++i) {
        const Vec3 at = place_in(random);
        const float size = random.chance(4) ? 0.0f : random.unit() * 0.5f;
        spheres.push_back({at, size});
        capsules.push_back({at, at + random_vector(random, 1.0f), size});
        const Transform turn = any_rotation(random);
        obbs.push_back({at, turn.row_x, turn.row_y, turn.row_z, {size, random.unit(), size}});
        ways.push_back(random.chance(8) ? Vec3{} : place_in(random));
    }
    spheres[5].radius = -1;
    capsules[5].b.y = kNaN;
    obbs[5].half_extent.z = -1;
    ways[6].x = kInfinity;
    check_impacts(town, spheres, ways);
    check_impacts(town, capsules, ways);
    check_impacts(town, obbs, ways);
}

TEST_CASE("a single query returns the result of a scene's batch") {
    Random random(1709);
    const Town town(random, 60);
    std::vector<Ray> rays;
    std::vector<Vec3> points;
    for (int i = 0; i < 100; ++i) {
        rays.push_back({place_in(random), place_in(random)});
        points.push_back(place_in(random));
    }
    for (const Sides sides : {Sides::both, Sides::front}) {
        std::vector<SceneHit> closest(rays.size());
        std::vector<std::uint64_t> bits(2);
        REQUIRE(town.scene.closest_hits({rays, sides}, {}, closest).status == Status::ok);
        REQUIRE(town.scene.any_hit({rays, sides}, {}, bits).status == Status::ok);
        for (std::size_t i = 0; i < rays.size(); ++i) {
            CHECK(town.scene.closest_hit({rays[i], sides}) == closest[i]);
            CHECK(town.scene.any_hit({rays[i], sides}) == ((bits[i / 64] >> (i % 64) & 1) != 0));
        }
    }
    std::vector<SceneClosestPoint> near(points.size());
    REQUIRE(town.scene.closest_points(points, {}, near).status == Status::ok);
    for (std::size_t i = 0; i < points.size(); ++i) CHECK(town.scene.closest_point(points[i]) == near[i]);
}

TEST_CASE("the closest point of a scene is that of all its instances" * kLong) {
    Random random(1703);
    const Town town(random, 120);
    std::vector<Vec3> points;
    std::vector<SceneClosestPoint> expected;
    for (int i = 0; i < 300 * test_scale(); ++i) {
        static constexpr float kScales[] = {1, 1, 1, 1, 50, 1e9f, 1e16f, 1e17f};
        points.push_back(place_in(random) * kScales[random.below(std::size(kScales))]);
        if (i == 9) points.back().z = kInfinity;
        // The least distance; its instance is the first that has it.
        SceneClosestPoint least;
        for (std::uint32_t k = 0; k < town.instances.size() && i != 9; ++k) {
            const PlacedMesh& instance = town.instances[k];
            const Vec3 seen = seen_from_mesh(instance.world_from_mesh, points.back());
            MeshClosestPoint near;
            REQUIRE(instance.mesh->closest_points({&seen, 1}, {}, {&near, 1}).status == Status::ok);
            if (near.target == kNoTriangle) continue;
            const Vec3 row = instance.world_from_mesh.row_x;
            const auto square = [](float a) { return static_cast<double>(a) * static_cast<double>(a); };
            const double scale_sq = (square(row.x) + square(row.y)) + square(row.z);
            const auto distance_sq = static_cast<float>(static_cast<double>(near.distance_sq) * scale_sq);
            if (least.target.instance_index == kNoInstance || distance_sq < least.distance_sq)
                least = {placed(instance.world_from_mesh, near.point), distance_sq, {k, near.target}};
        }
        expected.push_back(least);
    }
    for_each_isa([&](Isa) {
        ShuffledRunner shuffled(3, 4);
        for (const TaskRunner* runner : {static_cast<const TaskRunner*>(nullptr), shuffled.runner()}) {
            std::vector<SceneClosestPoint> closest(points.size());
            REQUIRE(town.scene.closest_points(points, runner, closest).status == Status::ok);
            for (std::size_t i = 0; i < points.size(); ++i) {
                INFO(i);
                REQUIRE(closest[i] == expected[i]);
            }
        }
    });
}

TEST_CASE("a scene holds the points that any instance holds, and is as far away as its nearest instance") {
    Random random(1711);
    const Town town(random, 120);
    std::vector<Vec3> points;
    std::vector<float> expected;
    std::vector<bool> is_held;
    std::size_t held_count = 0, deeper_count = 0;
    for (int i = 0; i < 600 * test_scale(); ++i) {
        points.push_back(random.chance(8) ? place_in(random) * 50.0f : place_in(random));
        if (i == 9) points.back().z = kNaN;
        float least = kInfinity;
        bool is_held_by_any = false;
        std::size_t holder_count = 0;
        for (std::uint32_t k = 0; k < town.instances.size() && i != 9; ++k) {
            const PlacedMesh& instance = town.instances[k];
            const Vec3 seen = seen_from_mesh(instance.world_from_mesh, points.back());
            const Vec3 row = instance.world_from_mesh.row_x;
            const auto square = [](float a) { return static_cast<double>(a) * static_cast<double>(a); };
            const double scale = std::sqrt((square(row.x) + square(row.y)) + square(row.z));
            const double distance = static_cast<double>(instance.mesh->signed_distance(seen));
            if (instance.mesh->triangle_count() != 0)
                least = std::min(least, static_cast<float>(distance * scale));
            const bool is_holder = instance.mesh->contains(seen);
            is_held_by_any = is_held_by_any || is_holder;
            holder_count += is_holder ? 1u : 0u;
        }
        expected.push_back(least);
        is_held.push_back(is_held_by_any);
        held_count += is_held_by_any ? 1u : 0u;
        deeper_count += holder_count > 1 ? 1u : 0u;
    }
    CHECK(held_count > 50);
    CHECK(deeper_count > 5);
    for_each_isa([&](Isa) {
        ShuffledRunner shuffled(3, 4);
        for (const TaskRunner* runner : {static_cast<const TaskRunner*>(nullptr), shuffled.runner()}) {
            std::vector<float> distances(points.size());
            std::vector<std::uint64_t> bits((points.size() + 63) / 64, ~std::uint64_t{0});
            REQUIRE(town.scene.signed_distances(points, runner, distances).status == Status::ok);
            REQUIRE(town.scene.contain(points, runner, bits).status == Status::ok);
            for (std::size_t i = 0; i < points.size(); ++i) {
                INFO(i);
                REQUIRE(distances[i] == expected[i]);
                REQUIRE(((bits[i / 64] >> (i % 64) & 1) != 0) == is_held[i]);
                REQUIRE(town.scene.signed_distance(points[i]) == expected[i]);
                REQUIRE(town.scene.contains(points[i]) == is_held[i]);
            }
        }
    });
    std::vector<float> distances(2, 7.0f);
    std::vector<std::uint64_t> bits(1, 7);
    CHECK(town.scene.signed_distances(points, {}, distances).status == Status::capacity_exceeded);
    CHECK(town.scene.contain(points, {}, bits).status == Status::capacity_exceeded);
    CHECK(MeshScene().signed_distance({}) == kInfinity);
    CHECK_FALSE(MeshScene().contains({}));
}

TEST_CASE("moved instances are found at their new position, and a refused change has no effect") {
    Random random(1704);
    Town town(random, 60);
    std::vector<Transform> places;
    for (PlacedMesh& instance : town.instances) {
        instance.world_from_mesh = any_placement(random, 1.0f, 9.0f);
        places.push_back(instance.world_from_mesh);
    }
    REQUIRE(town.scene.update(places).status == Status::ok);
    std::vector<Ray> rays;
    for (int i = 0; i < 100; ++i) rays.push_back({place_in(random), place_in(random)});
    std::vector<SceneHit> closest(rays.size());
    const auto check = [&] {
        REQUIRE(town.scene.closest_hits(rays, {}, closest).status == Status::ok);
        for (std::size_t i = 0; i < rays.size(); ++i)
            CHECK(closest[i] == closest_one_by_one(town, rays[i], Sides::both));
    };
    check();
    const TaskRunner none = {nullptr, nullptr, 2};
    std::vector<Transform> bad = places;
    bad[5].row_x = {};
    std::vector<PlacedMesh> null = town.instances, far = town.instances, skewed = town.instances;
    null[2].mesh = nullptr;
    far[3].mesh = &town.meshes[0];
    far[3].world_from_mesh.translation.x = FLT_MAX;
    skewed[4].world_from_mesh.row_y = skewed[4].world_from_mesh.row_x;
    std::vector<std::uint64_t> bits(2);
    MeshScratch scratch;
    const char* const skew = "instances: a world_from_mesh is no rotation times a scale";
    const char* const no_runner = "runner: parallel_for is null";
    check_refused({
        {"instances: one has no mesh", [&] { return town.scene.build(null).status; }},
        {skew, [&] { return town.scene.build(skewed).status; }},
        {skew, [&] { return town.scene.update(bad).status; }},
        {"instances: one is out of the range of floats once placed",
         [&] { return town.scene.build(far).status; }},
        {"world_from_meshes: not one for each instance",
         [&] { return town.scene.update(std::span(places).first(3)).status; }},
        {no_runner, [&] { return town.scene.build(town.instances, &none).status; }},
        {no_runner, [&] { return town.scene.update(places, &none).status; }},
        {no_runner, [&] { return town.scene.closest_hits(rays, &none, closest).status; }},
        {no_runner, [&] { return town.scene.any_hit(rays, &none, bits).status; }},
        {"sides: no enumerator",
         [&] {
             return town.scene.closest_hits({rays, static_cast<Sides>(2)}, {}, closest).status;
         }},
        {no_runner, [&] { return town.scene.find_hits(rays, &none, scratch, {}).status; }},
    });
    CHECK(town.scene.build(null).bad_index == 2);
    CHECK(town.scene.update(bad).bad_index == 5);
    CHECK(town.scene.closest_hits(rays, {}, std::span(closest).first(5)).status == Status::capacity_exceeded);
    CHECK(town.scene.any_hit(rays, {}, std::span(bits).first(1)).status == Status::capacity_exceeded);
    check();
    town.scene.clear();
    CHECK(town.scene.instance_count() == 0);
    REQUIRE(town.scene.closest_hits(rays, {}, closest).status == Status::ok);
    CHECK(closest[0] == SceneHit{});
}

TEST_CASE("a build without memory leaves a scene that can be moved and queried as before") {
    Random random(1711);
    const Town town(random, 40);
    std::vector<Transform> places;
    for (std::size_t i = 0; i < 20; ++i) places.push_back(any_placement(random, 1.0f, 9.0f));
    std::vector<PlacedMesh> some(town.instances.begin(), town.instances.begin() + 20);
    std::vector<PlacedMesh> moved = some;
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i].world_from_mesh = places[i];
    MeshScene expected;
    REQUIRE(expected.build(moved).status == Status::ok);
    for (const std::size_t count : {town.instances.size(), std::size_t{3}}) {
        const std::span<const PlacedMesh> others = std::span(town.instances).first(count);
        std::size_t failure_count = 0;
        for (Status built = Status::out_of_memory; built != Status::ok; ++failure_count) {
            FaultyAllocator memory;
            MeshScene scene(memory.hook());
            REQUIRE(scene.build(some).status == Status::ok);
            memory.fail_first = memory.request_count + failure_count;
            built = scene.build(others).status;
            if (built == Status::ok) break;
            REQUIRE(built == Status::out_of_memory);
            REQUIRE(scene.update(places).status == Status::ok);
            REQUIRE(scene.bounds() == expected.bounds());
            for (int i = 0; i < 40; ++i) {
                const Ray ray = {place_in(random), place_in(random)};
                REQUIRE(scene.closest_hit(ray) == expected.closest_hit(ray));
            }
        }
        // Fewer instances need no more memory but for the copies of them.
        CHECK(failure_count >= (count > some.size() ? 3 : 1));
    }
}

TEST_CASE("a warm scene is queried and updated without allocation") {
    Random random(1705);
    const Town town(random, 100);
    std::vector<Transform> places;
    for (const PlacedMesh& instance : town.instances) places.push_back(instance.world_from_mesh);
    CountingAllocator counting;
    MeshScene scene(counting.hook());
    MeshScratch scratch(counting.hook());
    REQUIRE(scene.build(town.instances).status == Status::ok);
    std::vector<Sphere> spheres(30);
    std::vector<Ray> rays(30);
    for (std::size_t i = 0; i < spheres.size(); ++i) {
        spheres[i] = {place_in(random), 2};
        rays[i] = {place_in(random), place_in(random)};
    }
    const auto casts = casts_of(spheres, std::vector<Vec3>(spheres.size(), Vec3{1, -2, 3}));
    std::vector<SceneImpact> impacts(spheres.size());
    std::vector<Listed<SceneTriangle>> overlaps(20000);
    std::vector<Listed<SceneHit>> hits(20000);
    std::vector<Listed<SceneImpact>> all_impacts(40000);
    const auto ask = [&] {
        CHECK(scene.update(places).status == Status::ok);
        CHECK(scene.find_overlaps(spheres, {}, scratch, overlaps).status == Status::ok);
        CHECK(scene.find_hits(rays, {}, scratch, hits).status == Status::ok);
        CHECK(scene.closest_hits(casts, {}, impacts).status == Status::ok);
        CHECK(scene.find_hits(casts, {}, scratch, all_impacts).status == Status::ok);
    };
    ask();
    const std::size_t before = counting.allocation_count;
    for (int i = 0; i < 3; ++i) ask();
    CHECK(counting.allocation_count == before);
}

TEST_CASE("the box of an instance holds its triangles, and that of the scene all boxes") {
    Random random(1712);
    const Town town(random, 40);
    Aabb all = Aabb::empty();
    for (std::uint32_t i = 0; i < town.instances.size(); ++i) {
        INFO("instance " << i);
        const PlacedMesh& instance = town.instances[i];
        const Aabb box = town.scene.bounds(i);
        for (std::uint32_t k = 0; k < instance.mesh->triangle_count(); ++k) {
            const Triangle triangle = placed(instance.world_from_mesh, instance.mesh->triangle(k));
            for (const Vec3 corner : {triangle.a, triangle.b, triangle.c}) CHECK(contains(box, corner));
        }
        CHECK(is_valid(box) == (instance.mesh->triangle_count() != 0));
        if (is_valid(box)) all = include(all, box);
    }
    CHECK(town.scene.bounds() == all);
}
