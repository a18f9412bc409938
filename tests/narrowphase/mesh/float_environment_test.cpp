// Results of meshes, in any floating-point environment of the build and of the queries.
#include "tests/support/casts.hpp"
#include "tests/support/environment_shapes.hpp"
#include "tests/support/foreign_environment.hpp"

#include <broadside/bits.hpp>
#include <broadside/mesh.hpp>

#include <numeric>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr std::size_t kCount = 63;

// All triangles of the scene that are finite.
struct Corners {
    std::vector<Vec3> vertices;
    std::vector<std::uint32_t> indices;

    explicit Corners(const EnvironmentShapes& shapes) {
        for (const Triangle& triangle : shapes.triangles) {
            if (!is_finite(triangle.a) || !is_finite(triangle.b) || !is_finite(triangle.c)) continue;
            for (const Vec3 corner : {triangle.a, triangle.b, triangle.c}) vertices.push_back(corner);
        }
        indices.resize(vertices.size());
        std::iota(indices.begin(), indices.end(), 0u);
    }
};

void add(ResultBytes& answers, const MeshHit& hit) { answers.add(hit.t, hit.u, hit.v, hit.target); }

}  // namespace

TEST_CASE("meshes return the same bits in every floating-point environment") {
    const EnvironmentShapes s(kCount);
    const Corners corners(s);
    TriangleMesh mesh;
    REQUIRE(mesh.build(corners.vertices, corners.indices).status == Status::ok);
    const std::vector<EnvironmentCall> calls = {
        {"ray_triangle",
         [&](const TaskRunner*, ResultBytes& answers) {
             for (const Ray& ray : s.rays) {
                 for (const Triangle& triangle : s.triangles) {
                     const RayTriangleHit hit = ray_triangle(ray, triangle);
                     answers.add(hit.t, hit.u, hit.v, hit.has_hit, hit.is_front);
                 }
             }
         }},
        {"TriangleMesh::build",
         [&](const TaskRunner*, ResultBytes& answers) {
             TriangleMesh built;
             answers.add(built.build(corners.vertices, corners.indices).status);
             answers.add(built.bounds().min, built.bounds().max);
             answers.add(built.degenerate_count());
             std::vector<std::byte> bytes(built.snapshot_bytes());
             answers.add(built.save(bytes));
             for (const std::byte byte : bytes) answers.add(static_cast<std::uint8_t>(byte));
             answers.add(built.restore(bytes));
         }},
        {"TriangleMesh::closest_hits",
         [&](const TaskRunner* runner, ResultBytes& answers) {
             std::vector<MeshHit> closest(s.rays.size());
             answers.add(mesh.closest_hits(s.rays, {.runner = runner}, closest).status);
             for (const MeshHit& hit : closest) add(answers, hit);
             for (const Ray& ray : s.rays) add(answers, mesh.closest_hit(ray));
         }},
        {"TriangleMesh::any_hit",
         [&](const TaskRunner* runner, ResultBytes& answers) {
             std::vector<std::uint64_t> bits(bit_word_count(s.rays.size()));
             answers.add(mesh.any_hit(s.rays, {.runner = runner}, bits).status);
             answers.add_all(bits);
             for (const Ray& ray : s.rays) answers.add(mesh.any_hit(ray));
         }},
        {"TriangleMesh::find_hits",
         [&](const TaskRunner*, ResultBytes& answers) {
             MeshScratch scratch;
             std::vector<Listed<MeshHit>> hits(4000);
             const WriteResult result = mesh.find_hits(s.rays, {}, scratch, hits);
             answers.add(result.status, result.required);
             for (const Listed<MeshHit>& hit : hits) add(answers, hit.found);
             for (const Ray& ray : s.rays) {
                 (void)mesh.visit_hits(ray, [&](const MeshHit& hit) {
                     add(answers, hit);
                     return hit.t;
                 });
             }
         }},
        {"TriangleMesh::find_overlaps",
         [&](const TaskRunner*, ResultBytes& answers) {
             MeshScratch scratch;
             std::vector<IndexPair> pairs(8000);
             answers.add(mesh.find_overlaps(s.spheres, {}, scratch, pairs).required);
             for (const IndexPair& pair : pairs) answers.add(pair.second);
             answers.add(mesh.find_overlaps(s.obbs, {}, scratch, pairs).required);
             for (const IndexPair& pair : pairs) answers.add(pair.second);
         }},
        {"TriangleMesh::any_overlap",
         [&](const TaskRunner* runner, ResultBytes& answers) {
             std::vector<std::uint64_t> bits(bit_word_count(kCount));
             answers.add(mesh.any_overlap(s.spheres, {runner}, bits).status);
             answers.add_all(bits);
             answers.add(mesh.any_overlap(s.obbs, {runner}, bits).status);
             answers.add_all(bits);
             std::vector<std::uint32_t> first(s.obbs.size() / 8);
             const auto motions = std::span(s.obbs).first(first.size() * 8);
             answers.add(mesh.first_overlaps(motions, 2, {runner}, first).status);
             answers.add_all(first);
         }},
        {"TriangleMesh::closest_hits, shapes",
         [&](const TaskRunner* runner, ResultBytes& answers) {
             std::vector<MeshImpact> impacts(s.obbs.size());
             const std::span<const Vec3> displacements(s.points.data(), s.obbs.size());
             answers.add(mesh.closest_hits(casts_of(s.obbs, displacements), {runner}, impacts).status);
             for (const MeshImpact& impact : impacts) answers.add(impact.t, impact.target, impact.axis);
         }},
        {"boxes, spheres and capsules against triangles and meshes",
         [&](const TaskRunner* runner, ResultBytes& answers) {
             std::vector<Capsule> capsules;
             for (std::size_t i = 0; i + 1 < s.spheres.size(); ++i)
                 capsules.push_back({s.spheres[i].center, s.spheres[i + 1].center, s.spheres[i].radius});
             const std::span<const Vec3> ways = std::span(s.points).first(capsules.size());
             for (std::size_t i = 0; i < capsules.size(); ++i) {
                 for (const Triangle& triangle : s.triangles) {
                     answers.add(overlap(s.boxes[i], triangle), overlap(capsules[i], triangle));
                     const ShapeImpact of_sphere = first_impact(s.spheres[i], ways[i], triangle);
                     const ShapeImpact of_capsule = first_impact(capsules[i], ways[i], triangle);
                     answers.add(of_sphere.toi, of_sphere.point, of_sphere.normal);
                     answers.add(of_capsule.toi, of_capsule.point, of_capsule.normal);
                 }
                 answers.add(mesh.closest_hit(SphereCast{s.spheres[i], ways[i]}).t);
                 answers.add(mesh.closest_hit(CapsuleCast{capsules[i], ways[i]}).t);
                 answers.add(mesh.closest_hit(ObbCast{s.obbs[i], ways[i]}).t);
                 answers.add(mesh.any_overlap(s.spheres[i]), mesh.any_overlap(s.obbs[i]));
                 answers.add(mesh.any_overlap(s.boxes[i]), mesh.any_overlap(capsules[i]));
                 answers.add(mesh.closest_point(ways[i]).distance_sq);
                 answers.add(mesh.contains(ways[i]), mesh.signed_distance(ways[i]));
             }
             std::vector<MeshImpact> impacts(capsules.size());
             answers.add(mesh.closest_hits(casts_of(capsules, ways), {runner}, impacts).status);
             for (const MeshImpact& impact : impacts) answers.add(impact.t, impact.target);
             const auto spheres = std::span(s.spheres).first(capsules.size());
             answers.add(mesh.closest_hits(casts_of(spheres, ways), {runner}, impacts).status);
             for (const MeshImpact& impact : impacts) answers.add(impact.t, impact.target);
             MeshScratch scratch;
             std::vector<IndexPair> pairs(1000);
             answers.add(mesh.find_overlaps(s.boxes, {}, scratch, pairs).required);
             answers.add(mesh.find_overlaps(capsules, {}, scratch, pairs).required);
             std::vector<std::uint64_t> bits(bit_word_count(s.boxes.size()));
             answers.add(mesh.any_overlap(s.boxes, {runner}, bits).status);
             answers.add_all(bits);
             answers.add(mesh.any_overlap(capsules, {runner}, bits).status);
             answers.add_all(bits);
         }},
        {"TriangleMesh::closest_points",
         [&](const TaskRunner* runner, ResultBytes& answers) {
             std::vector<MeshClosestPoint> closest(s.points.size());
             answers.add(mesh.closest_points(s.points, {runner}, closest).status);
             for (const MeshClosestPoint& near : closest)
                 answers.add(near.point, near.distance_sq, near.target);
         }},
        {"TriangleMesh::contain and signed_distances",
         [&](const TaskRunner* runner, ResultBytes& answers) {
             std::vector<std::uint64_t> bits(bit_word_count(s.points.size()));
             answers.add(mesh.contain(s.points, {runner}, bits).status);
             answers.add_all(bits);
             std::vector<float> distances(s.points.size());
             answers.add(mesh.signed_distances(s.points, {runner}, distances).status);
             answers.add_all(distances);
         }},
        {"TriangleMesh::crossing_count",
         [&](const TaskRunner*, ResultBytes& answers) {
             for (const Ray& ray : s.rays) answers.add(mesh.crossing_count(ray.origin, ray.direction));
         }},
    };
    check_in_every_environment(calls, all_environments());
}
