// Relations of meshes, in any floating-point environment.
#include "tests/support/environment_shapes.hpp"
#include "tests/support/foreign_environment.hpp"

#include <broadside/mesh_distance.hpp>
#include <broadside/mesh_pairs.hpp>
#include <broadside/obb_tree.hpp>

#include <numeric>

using namespace broadside;
using namespace broadside::test;

TEST_CASE("pairs of meshes return the same bits in every floating-point environment") {
    const EnvironmentShapes s(63);
    std::vector<Vec3> vertices;
    for (const Triangle& triangle : s.triangles) {
        // Within reach of each other, and such that placed coordinates are floats.
        for (const Vec3 corner : {triangle.a, triangle.b, triangle.c}) {
            const Vec3 size = absolute(corner);
            if (!is_finite(corner) || !(max_keep(max_keep(size.x, size.y), size.z) <= 1e6f)) break;
            vertices.push_back(corner);
        }
        while (vertices.size() % 3 != 0) vertices.pop_back();
    }
    std::vector<std::uint32_t> indices(vertices.size());
    std::iota(indices.begin(), indices.end(), 0u);
    REQUIRE(indices.size() > 30);
    TriangleMesh mesh;
    REQUIRE(mesh.build(vertices, indices).status == Status::ok);
    ObbTree tree;
    REQUIRE(tree.build(mesh) == Status::ok);
    const Transform aside = {{0.6f, 0.8f, 0}, {-0.8f, 0.6f, 0}, {0, 0, 1}, {0.1f, 0.3f, 0.7f}};
    const PlacedMesh a = {&mesh, {}, &tree};
    const PlacedMesh b = {&mesh, aside, &tree};
    const ObbTree* const trees[] = {nullptr, &tree};
    const std::vector<EnvironmentCall> calls = {
        {"triangle_pair",
         [&](const TaskRunner*, ResultBytes& answers) {
             for (const Triangle& first : s.triangles) {
                 for (const Triangle& second : s.triangles) answers.add(triangle_pair(first, second));
             }
         }},
        {"closest_points of two triangles",
         [&](const TaskRunner*, ResultBytes& answers) {
             for (const Triangle& first : s.triangles) {
                 for (const Triangle& second : s.triangles) {
                     const ClosestTrianglePoints closest = closest_points(first, second);
                     answers.add(closest.point_a, closest.point_b, closest.distance);
                 }
             }
         }},
        {"closest_triangle_pair",
         [&](const TaskRunner*, ResultBytes& answers) {
             Transform far = aside;
             far.translation.x = 3e6f;
             for (const Transform& place : {aside, far}) {
                 const ClosestTrianglePair pair = closest_triangle_pair(a, {&mesh, place});
                 answers.add(pair.a, pair.b, pair.closest.point_a, pair.closest.point_b);
                 answers.add(pair.closest.distance, pair.counts.node_tests, pair.counts.triangle_tests);
             }
         }},
        {"placed, is_placement and placed_bounds",
         [&](const TaskRunner*, ResultBytes& answers) {
             answers.add(is_placement(aside));
             for (const Vec3 vertex : vertices) {
                 answers.add(placed(aside, vertex));
                 answers.add(seen_from_mesh(aside, vertex));
             }
             for (const Ray& ray : s.rays) answers.add(seen_from_mesh(aside, ray).direction);
             for (const Sphere& sphere : s.spheres) answers.add(seen_from_mesh(aside, sphere).radius);
             for (const Obb& obb : s.obbs) answers.add(seen_from_mesh(aside, obb).axis_y);
             for (const Aabb& box : s.boxes) answers.add(seen_from_mesh(aside, box).half_extent);
             for (const Sphere& sphere : s.spheres) {
                 const Capsule seen = seen_from_mesh(aside, Capsule{sphere.center, {}, sphere.radius});
                 answers.add(seen.a, seen.b, seen.radius);
                 answers.add(way_seen_from_mesh(aside, sphere.center));
             }
             for (const Triangle& triangle : s.triangles) answers.add(placed(aside, triangle).b);
             answers.add(placed_bounds(b).min, placed_bounds(b).max);
         }},
        {"ObbTree::build",
         [&](const TaskRunner*, ResultBytes& answers) {
             ObbTree built;
             answers.add(built.build(mesh));
             for (std::uint32_t i = 0; i < built.node_count(); ++i) {
                 const Obb& box = built.node(i).box;
                 answers.add(box.center, box.axis_x, box.axis_y, box.axis_z, box.half_extent);
             }
         }},
        {"find_triangle_pairs and any_triangle_pair",
         [&](const TaskRunner*, ResultBytes& answers) {
             for (const ObbTree* const of_b : trees) {
                 MeshScratch scratch;
                 std::vector<TrianglePair> pairs(4000);
                 const PairSearchResult result = find_triangle_pairs(a, {&mesh, aside, of_b}, scratch, pairs);
                 answers.add(result.status, result.required, result.counts.node_tests);
                 for (const TrianglePair& pair : pairs) answers.add(pair.a, pair.b, pair.kind);
                 answers.add(any_triangle_pair(a, {&mesh, aside, of_b}).has_pair);
             }
         }},
        {"first_impact",
         [&](const TaskRunner*, ResultBytes& answers) {
             for (const ObbTree* const of_b : trees) {
                 const MeshPairImpact impact =
                     first_impact(a, {0.1f, 0, 0}, {&mesh, aside, of_b}, {0.3f, 0.2f, 0.1f});
                 answers.add(impact.toi, impact.a, impact.b);
             }
         }},
        {"mesh_relation",
         [&](const TaskRunner*, ResultBytes& answers) {
             for (const float clearance : {0.0f, 0.3f})
                 answers.add(mesh_relation(a, b, {.clearance = clearance}).relation);
         }},
    };
    check_in_every_environment(calls, all_environments());
}
