// Meshes as objects: refused input and its reports, their contents, their costs.
#include "tests/narrowphase/mesh/made_meshes.hpp"
#include "tests/support/casts.hpp"
#include "tests/support/check_moves.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/test_scale.hpp"

#include <string>

using namespace broadside;
using namespace broadside::test;

namespace {

void check_refused(const std::string& message, Status status) {
    CHECK(status == Status::invalid_argument);
    const Refusals told = take_refusals();
    CHECK(told.count == (library_asserts() ? 1 : 0));
    if (library_asserts() && told.count != 0) CHECK(std::string(told.last.message) == message);
}

}  // namespace

TEST_CASE("a mesh reports what is wrong with its input, and stays as it was") {
    const MadeMesh made = cube();
    TriangleMesh mesh = built(made);
    (void)take_refusals();
    const auto check = [&](const char* message, std::span<const Vec3> vertices,
                           std::span<const std::uint32_t> indices, MeshFault fault, std::size_t index) {
        INFO(message);
        const MeshBuildResult result = mesh.build(vertices, indices);
        check_refused(message, result.status);
        CHECK(result.fault == fault);
        CHECK(result.index == index);
        CHECK(mesh.triangle_count() == 12);
        CHECK(mesh.closest_hit(Ray{{0.25f, 0.5f, 3}, {0, 0, -1}}).t == 2.0f);
    };
    std::vector<std::uint32_t> indices = made.indices;
    check("indices: their number is no multiple of three", made.vertices, std::span(indices).first(8),
          MeshFault::incomplete_triangle, kNoIndex);
    // No list of 32-bit machines can be so long: it would hold more bytes than there are addresses.
    if constexpr (sizeof(std::size_t) > sizeof(std::uint32_t)) {
        const std::span<const std::uint32_t> too_many(indices.data(), 3 * std::size_t{kMaxTriangleCount});
        check("indices: kMaxTriangleCount triangles or more", made.vertices, too_many,
              MeshFault::too_many_triangles, kNoIndex);
    }
    indices[17] = 8;
    indices[20] = 9;
    check("indices: one is past the last vertex", made.vertices, indices, MeshFault::index_out_of_range, 17);
    for (const float bad : {kNaN, kInfinity, -kInfinity}) {
        std::vector<Vec3> vertices = made.vertices;
        vertices[6].y = bad;
        vertices[7].z = bad;
        check("vertices: one is not finite", vertices, made.indices, MeshFault::vertex_not_finite, 6);
    }
}

TEST_CASE("a mesh refuses invalid settings and outputs before it writes") {
    const TriangleMesh mesh = built(cube());
    const std::vector<Ray> rays(2, Ray{{0, 0, 3}, {0, 0, -1}});
    std::vector<MeshHit> closest(2);
    std::vector<std::uint64_t> bits(1, 7);
    std::vector<Listed<MeshHit>> hits(8);
    MeshScratch scratch;
    (void)take_refusals();
    const MeshRays no_sides = {rays, static_cast<Sides>(2)};
    check_refused("sides: no enumerator", mesh.closest_hits(no_sides, {}, closest).status);
    check_refused("sides: no enumerator", mesh.any_hit({rays, static_cast<Sides>(2)}, {}, bits).status);
    check_refused("sides: no enumerator", mesh.find_hits(no_sides, {}, scratch, hits).status);
    const TaskRunner none = {nullptr, nullptr, 2};
    check_refused("runner: parallel_for is null", mesh.closest_hits(rays, &none, closest).status);
    CHECK(mesh.closest_hits(rays, {}, std::span(closest).first(1)).status == Status::capacity_exceeded);
    CHECK(mesh.any_hit(rays, {}, {}).status == Status::capacity_exceeded);
    CHECK(closest[0] == MeshHit{});
    CHECK(bits[0] == 7);
}

TEST_CASE("a mesh has its connected components: triangles that share a corner, by index or by position") {
    Random random(1653);
    for (int i = 0; i < 60 * test_scale(); ++i) {
        // Corners on a small grid are sometimes shared, by index, by position, or as 0 and -0.
        MadeMesh made;
        const std::uint32_t vertex_count = 3 + random.below(60);
        for (std::uint32_t k = 0; k < vertex_count; ++k) {
            const auto number = [&] {
                return (random.chance(2) ? 1.0f : -1.0f) * static_cast<float>(random.below(3));
            };
            const float x = number(), y = number();
            made.vertices.push_back({x, y, number()});
        }
        const std::uint32_t count = 1 + random.below(12);
        for (std::uint32_t k = 0; k < count; ++k) {
            const std::uint32_t a = random.below(vertex_count), b = random.below(vertex_count);
            made.add(a, b, random.below(vertex_count));
        }
        // Spreads labels from neighbour to neighbour until none changes.
        std::vector<std::uint32_t> names(count);
        for (std::uint32_t k = 0; k < count; ++k) names[k] = k;
        const auto share_corner = [&](const Triangle& p, const Triangle& q) {
            for (const Vec3 from : {p.a, p.b, p.c}) {
                for (const Vec3 to : {q.a, q.b, q.c}) {
                    if (from == to) return true;
                }
            }
            return false;
        };
        for (bool has_changed = true; has_changed;) {
            has_changed = false;
            for (std::uint32_t k = 0; k < count; ++k) {
                for (std::uint32_t l = 0; l < count; ++l) {
                    if (names[k] <= names[l] || !share_corner(made.triangle(k), made.triangle(l))) continue;
                    names[k] = names[l];
                    has_changed = true;
                }
            }
        }
        std::vector<std::uint32_t> expected;
        for (std::uint32_t k = 0; k < count; ++k) {
            if (names[k] == k) expected.push_back(k);
        }
        const TriangleMesh mesh = built(made);
        const std::span<const std::uint32_t> found = mesh.component_triangles();
        CHECK(std::vector<std::uint32_t>(found.begin(), found.end()) == expected);
    }
    CHECK(TriangleMesh().component_triangles().empty());
    CHECK(built(sphere(2)).component_triangles().size() == 1);
}

TEST_CASE("degenerate triangles are counted exactly") {
    MadeMesh made = cube();
    CHECK(built(made).degenerate_count() == 0);
    made.add({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}});
    made.add({{0, 0, 0}, {0, 0, 0}, {2, 1, 2}});
    made.add({{0.1f, 0.1f, 0.1f}, {0.2f, 0.2f, 0.2f}, {0.3f, 0.3f, 0.3f}});
    // Almost: 0.3f is not three times 0.1f.
    made.add({{0.1f, 0.2f, 0}, {0.2f, 0.4f, 0}, {0.3f, 0.6f, 1e-40f}});
    made.add({{1e-45f, 0, 0}, {0, 1e-45f, 0}, {0, 0, 0}});
    CHECK(built(made).degenerate_count() == 3);
}

TEST_CASE("a mesh keeps every triangle, and the box around them") {
    Random random(1631);
    for (const std::uint32_t count : {1u, 15u, 16u, 17u, 256u, 257u, 1000u}) {
        const MadeMesh made = heap(random, count, 4.0f);
        const TriangleMesh mesh = built(made);
        Aabb box = Aabb::empty();
        REQUIRE(mesh.triangle_count() == count);
        for (std::uint32_t i = 0; i < count; ++i) {
            const Triangle triangle = made.triangle(i);
            const Triangle kept = mesh.triangle(i);
            CHECK(kept.a == triangle.a);
            CHECK(kept.b == triangle.b);
            CHECK(kept.c == triangle.c);
            box = include(box, bounds(triangle));
        }
        CHECK(mesh.bounds() == box);
    }
}

TEST_CASE("a cleared mesh is empty, and can be built again") {
    Random random(1632);
    TriangleMesh mesh = built(heap(random, 300, 4.0f));
    const std::size_t capacity = mesh.capacity_bytes();
    mesh.clear();
    CHECK(mesh.triangle_count() == 0);
    CHECK(mesh.bounds() == Aabb::empty());
    CHECK(mesh.degenerate_count() == 0);
    CHECK(mesh.capacity_bytes() == capacity);
    const Ray ray = {{0, 0, 9}, {0, 0, -1}};
    MeshHit hit;
    REQUIRE(mesh.closest_hits(ray, {}, {&hit, 1}).status == Status::ok);
    CHECK(hit == MeshHit{});
    const MadeMesh again = heap(random, 100, 4.0f);
    mesh = built(again);
    CHECK(mesh.triangle_count() == 100);
}

TEST_CASE("meshes that cannot be split are still built: all at one position, nested, along one line") {
    MadeMesh one_place, nested, line;
    for (int i = 0; i < 3000; ++i) {
        const auto size = std::ldexp(1.0f, -(i % 120));
        one_place.add({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
        nested.add({{-size, 0, 0}, {size, 0, 0}, {0, size, 0}});
        line.add({{size, 0, 0}, {size, 1, 0}, {size, 0, 1}});
    }
    for (const MadeMesh& made : {one_place, nested, line}) {
        const TriangleMesh mesh = built(made);
        const Ray ray = {{0.25f, 0.25f, 1}, {0, 0, -1}};
        const Ray across = {{-1, 0.25f, 0.25f}, {1, 0, 0}};
        for (const Ray& asked : {ray, across}) {
            MeshHit expected;
            mpq_class nearest;
            for (std::uint32_t i = 0; i < made.triangle_count(); ++i) {
                const RayTriangleHit hit = ray_triangle(asked, made.triangle(i));
                if (!hit.has_hit) continue;
                const mpq_class t = exact_hit(asked, made.triangle(i)).t;
                if (expected.target != kNoTriangle && t >= nearest) continue;
                expected = {hit.t, hit.u, hit.v, i};
                nearest = t;
            }
            CHECK(mesh.closest_hit(asked) == expected);
        }
    }
}

TEST_CASE("queries allocate nothing, warm lists allocate nothing, and a failed build disturbs nothing") {
    CountingAllocator allocator;
    {
        Random random(1632);
        const MadeMesh made = heap(random, 500, 4.0f);
        TriangleMesh mesh(allocator.hook());
        REQUIRE(mesh.build(made.vertices, made.indices, nullptr, made.quality).status == Status::ok);
        CHECK(mesh.capacity_bytes() == allocator.live_bytes);
        std::vector<Ray> rays;
        for (int i = 0; i < 100; ++i) rays.push_back(adversarial_ray(random, made, 4.0f));
        std::vector<MeshHit> closest(rays.size());
        std::vector<Listed<MeshHit>> hits(10000);
        MeshScratch scratch(allocator.hook());
        REQUIRE(mesh.find_hits(rays, {}, scratch, hits).status == Status::ok);
        std::vector<Sphere> spheres;
        std::vector<Obb> obbs;
        std::vector<Aabb> boxes;
        std::vector<Capsule> capsules;
        std::vector<Vec3> points, ways;
        for (int i = 0; i < 100; ++i) {
            points.push_back(random_vector(random, 4.0f));
            ways.push_back(random_vector(random, 4.0f));
            spheres.push_back({points.back(), 1});
            boxes.push_back({points.back(), points.back() + Vec3{1, 1, 1}});
            capsules.push_back({points.back(), ways.back(), 0.5f});
            obbs.push_back({points.back()});
            obbs.back().half_extent = {1, 1, 1};
        }
        std::vector<IndexPair> pairs(20000);
        const auto find_all_overlaps = [&] {
            REQUIRE(mesh.find_overlaps(spheres, {}, scratch, pairs).status == Status::ok);
            REQUIRE(mesh.find_overlaps(obbs, {}, scratch, pairs).status == Status::ok);
            REQUIRE(mesh.find_overlaps(boxes, {}, scratch, pairs).status == Status::ok);
            REQUIRE(mesh.find_overlaps(capsules, {}, scratch, pairs).status == Status::ok);
        };
        find_all_overlaps();
        const auto obb_casts = casts_of(obbs, ways);
        const auto sphere_casts = casts_of(spheres, ways);
        const auto capsule_casts = casts_of(capsules, ways);
        const std::size_t count = allocator.allocation_count;
        REQUIRE(mesh.find_hits(rays, {}, scratch, hits).status == Status::ok);
        REQUIRE(mesh.closest_hits(rays, {}, closest).status == Status::ok);
        find_all_overlaps();
        std::vector<std::uint64_t> bits(2);
        std::vector<MeshImpact> impacts(100);
        std::vector<MeshClosestPoint> near(100);
        std::vector<float> distances(100);
        REQUIRE(mesh.any_hit(rays, {}, bits).status == Status::ok);
        REQUIRE(mesh.any_overlap(spheres, {}, bits).status == Status::ok);
        REQUIRE(mesh.any_overlap(obbs, {}, bits).status == Status::ok);
        REQUIRE(mesh.any_overlap(boxes, {}, bits).status == Status::ok);
        REQUIRE(mesh.any_overlap(capsules, {}, bits).status == Status::ok);
        REQUIRE(mesh.closest_hits(obb_casts, {}, impacts).status == Status::ok);
        REQUIRE(mesh.closest_hits(sphere_casts, {}, impacts).status == Status::ok);
        REQUIRE(mesh.closest_hits(capsule_casts, {}, impacts).status == Status::ok);
        REQUIRE(mesh.closest_points(points, {}, near).status == Status::ok);
        REQUIRE(mesh.contain(points, {}, bits).status == Status::ok);
        REQUIRE(mesh.signed_distances(points, {}, distances).status == Status::ok);
        CHECK(allocator.allocation_count == count);

        const MadeMesh other = heap(random, 1500, 4.0f);
        std::size_t refused_count = 0;
        for (std::size_t spare = 0;; ++spare) {
            allocator.fail_after = allocator.allocation_count + spare;
            const Status status = mesh.build(other.vertices, other.indices, nullptr, other.quality).status;
            if (status == Status::ok) break;
            REQUIRE(status == Status::out_of_memory);
            ++refused_count;
            REQUIRE(mesh.triangle_count() == 500);
            std::vector<MeshHit> again(rays.size());
            REQUIRE(mesh.closest_hits(rays, {}, again).status == Status::ok);
            REQUIRE(again == closest);
        }
        CHECK(refused_count > 12);
        allocator.fail_after = allocator.allocation_count;
        MeshScratch unready(allocator.hook());
        CHECK(mesh.find_hits(rays, {}, unready, hits).status == Status::out_of_memory);
    }
    CHECK(allocator.live_bytes == 0);
}

TEST_CASE("a mesh takes at most 90 bytes a triangle") {
    Random random(1633);
    for (MadeMesh& made : std::vector<MadeMesh>{sphere(5), hills(random, 100), heap(random, 10000, 20.0f)}) {
        made.sizes = {};
        for (const MeshBuildQuality quality : {MeshBuildQuality::standard, MeshBuildQuality::fast}) {
            made.quality = quality;
            CHECK(built(made).capacity_bytes() <= 90 * std::size_t{made.triangle_count()});
        }
    }
}

TEST_CASE("moves: TriangleMesh") {
    check_moves<TriangleMesh>([](const Allocator& allocator) { return TriangleMesh(allocator); },
                              [](TriangleMesh& mesh) {
                                  const MadeMesh made = fine_cube(2);
                                  REQUIRE(mesh.build(made.vertices, made.indices).status == Status::ok);
                              },
                              [](TriangleMesh& mesh) {
                                  Answers answers;
                                  answers.add(mesh.triangle_count());
                                  answers.add(mesh.degenerate_count());
                                  answers.add(mesh.bounds());
                                  answers.add(mesh.capacity_bytes());
                                  const MeshHit hit = mesh.closest_hit(Ray{{0.3f, 0.2f, 5}, {0, 0, -1}});
                                  answers.add(hit.t);
                                  answers.add(hit.target);
                                  return answers;
                              });
}

TEST_CASE("moves: MeshScratch") {
    check_moves<MeshScratch>([](const Allocator& allocator) { return MeshScratch(allocator); },
                             [](MeshScratch& scratch) { REQUIRE(scratch.hits.reserve(100)); },
                             [](MeshScratch& scratch) {
                                 Answers answers;
                                 answers.add(scratch.capacity_bytes());
                                 return answers;
                             });
}
