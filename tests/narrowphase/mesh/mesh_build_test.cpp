// Meshes built in tasks: the bytes of a mesh built without them, whichever task builds which part.
#include "tests/narrowphase/mesh/made_meshes.hpp"
#include "tests/support/alternating_runner.hpp"
#include "tests/support/check_moves.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"
#include "tests/support/thread_runner.hpp"

#include <doctest/doctest.h>

#include <cstring>

using namespace broadside;
using namespace broadside::test;

namespace {

std::vector<std::byte> bytes_of(const TriangleMesh& mesh) {
    std::vector<std::byte> bytes(mesh.snapshot_bytes());
    REQUIRE(mesh.save(bytes) == Status::ok);
    return bytes;
}

// Large enough for several subtrees and runs of triangles; some that no grid and no split divides, and one of
// so many small leaves that its first node array is too small.
std::vector<MadeMesh> large_meshes(Random& random) {
    std::vector<MadeMesh> meshes = {sphere(6), hills(random, 150), heap(random, 40000, 40.0f)};
    MadeMesh one_place, nested, line, apart;
    for (int i = 0; i < 20000; ++i) {
        const auto size = std::ldexp(1.0f, -(i % 120));
        one_place.add({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
        nested.add({{-size, 0, 0}, {size, 0, 0}, {0, size, 0}});
        line.add({{size, 0, 0}, {size, 1, 0}, {size, 0, 1}});
    }
    // Large triangles among small ones, each of which needs a leaf of its own.
    for (int i = 0; i < 40000; ++i) {
        const Vec3 place = {random.uniform(-100, 100), random.uniform(-100, 100), random.uniform(-100, 100)};
        const float size = std::exp2(random.uniform(-12.0f, 5.0f));
        const auto corner = [&] { return place + random_vector(random, size); };
        const Vec3 a = corner(), b = corner();
        apart.add({a, b, corner()});
    }
    for (MadeMesh& mesh : std::vector<MadeMesh>{one_place, nested, line, apart})
        meshes.push_back(std::move(mesh));
    const std::size_t count = meshes.size();
    for (std::size_t i = 0; i < count; ++i) {
        meshes[i].quality = MeshBuildQuality::standard;
        meshes[i].sizes = {};
        meshes.push_back(meshes[i]);
        meshes.back().quality = MeshBuildQuality::fast;
    }
    return meshes;
}

// Builds with one allocation more each time, until there are enough.
void check_without_memory(const MadeMesh& made, CountingAllocator& allocator) {
    TriangleMesh mesh(allocator.hook());
    const MadeMesh few = cube();
    REQUIRE(mesh.build(few.vertices, few.indices).status == Status::ok);
    const std::vector<std::byte> before = bytes_of(mesh);
    ThreadRunner threads(2);
    std::size_t refused_count = 0;
    for (std::size_t spare = 0;; ++spare) {
        allocator.fail_after = allocator.allocation_count + spare;
        const Status status = mesh.build(made.vertices, made.indices, threads.runner(), made.quality).status;
        if (status == Status::ok) break;
        REQUIRE(status == Status::out_of_memory);
        REQUIRE(bytes_of(mesh) == before);
        ++refused_count;
    }
    CHECK(refused_count > 15);
    CHECK(mesh.capacity_bytes() == allocator.live_bytes);
    CHECK(bytes_of(mesh) == bytes_of(built(made)));
}

}  // namespace

TEST_CASE("a mesh has the same bytes for any runner, number of workers and order of tasks" * kLong) {
    Random random(1661);
    AlternatingRunner alternating;
    ThreadRunner threads(3);
    std::vector<MadeMesh> meshes = large_meshes(random);
    const std::size_t large_count = meshes.size();
    while (meshes.size() < large_count + 100) meshes.push_back(heap(random, 1 + random.below(200), 4.0f));
    for (std::size_t i = 0; i < meshes.size(); ++i) {
        const MadeMesh& made = meshes[i];
        const UsedMeshBuildSizes used(made.sizes);
        const std::vector<std::byte> expected = bytes_of(built(made));
        const auto check = [&](const TaskRunner* runner) {
            TriangleMesh mesh;
            REQUIRE(mesh.build(made.vertices, made.indices, runner, made.quality).status == Status::ok);
            const std::vector<std::byte> bytes = bytes_of(mesh);
            REQUIRE(bytes.size() == expected.size());
            REQUIRE(std::memcmp(bytes.data(), expected.data(), bytes.size()) == 0);
        };
        check(alternating.runner());
        check(threads.runner());
        for (const std::uint32_t worker_count : {0u, 1u, 2u, 3u, 8u, 1000u}) {
            ShuffledRunner shuffled(random.below(1000), worker_count);
            check(shuffled.runner());
            if (i < large_count) CHECK(shuffled.task_count() > 8);
        }
    }
}

TEST_CASE("a large mesh without memory stays unchanged, and no task allocates") {
    Random random(1662);
    MadeMesh made = heap(random, 20000, 20.0f);
    made.sizes = {};
    for (const MeshBuildQuality quality : {MeshBuildQuality::standard, MeshBuildQuality::fast}) {
        made.quality = quality;
        CountingAllocator allocator;
        check_without_memory(made, allocator);
        CHECK(allocator.live_bytes == 0);
    }
}

TEST_CASE("a mesh refuses a runner without a function and a quality that is none, and reports no fault") {
    const MadeMesh made = cube();
    TriangleMesh mesh = built(fine_cube(1));
    const TaskRunner none = {nullptr, nullptr, 2};
    MeshBuildResult result;
    check_refused({{"runner: parallel_for is null",
                    [&] { return (result = mesh.build(made.vertices, made.indices, &none)).status; }},
                   {"quality: no enumerator", [&] {
                        const auto quality = static_cast<MeshBuildQuality>(2);
                        return (result = mesh.build(made.vertices, made.indices, nullptr, quality)).status;
                    }}});
    CHECK(result.fault == MeshFault::none);
    CHECK(mesh.triangle_count() == 48);
}
