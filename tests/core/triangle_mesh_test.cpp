// TriangleSoa and the boxes of triangles.
#include "tests/support/counting_allocator.hpp"
#include "tests/support/generators.hpp"

#include <doctest/doctest.h>

#include <broadside/triangle_mesh.hpp>

using namespace broadside;
using namespace broadside::test;

namespace {

bool same(const Triangle& a, const Triangle& b) { return a.a == b.a && a.b == b.b && a.c == b.c; }

}  // namespace

TEST_CASE("an indexed mesh becomes nine arrays, each on its own cache line") {
    const Vec3 positions[] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}};
    const std::uint32_t indices[] = {0, 1, 2, 3, 2, 1};
    TriangleSoa mesh;
    REQUIRE(mesh.assign(positions, indices).status == Status::ok);
    REQUIRE(mesh.count() == 2);
    CHECK(same(mesh[0], {positions[0], positions[1], positions[2]}));
    CHECK(same(mesh[1], {positions[3], positions[2], positions[1]}));
    const TriangleSoaView view = mesh.view();
    for (const float* array :
         {view.a_x, view.a_y, view.a_z, view.b_x, view.b_y, view.b_z, view.c_x, view.c_y, view.c_z}) {
        CHECK(reinterpret_cast<std::uintptr_t>(array) % 64 == 0);
    }
    CHECK(same(view.part(1, 1)[0], mesh[1]));
    CHECK(TriangleSoa().view().is_readable());
    CHECK(TriangleSoa().view().part(0, 0).count == 0);
}

TEST_CASE("an invalid index reports its triangle and changes nothing") {
    const Vec3 positions[] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}};
    const std::uint32_t good[] = {0, 1, 2};
    const std::uint32_t bad[] = {0, 1, 2, 2, 3, 0};
    TriangleSoa mesh;
    REQUIRE(mesh.assign(positions, good).status == Status::ok);
    const BatchResult result = mesh.assign(positions, bad);
    CHECK(result.status == Status::invalid_argument);
    CHECK(result.bad_index == 1);
    CHECK(mesh.assign(positions, {bad, 4}).status == Status::invalid_argument);
    CHECK(mesh.count() == 1);
    CHECK(same(mesh[0], {positions[0], positions[1], positions[2]}));
    CHECK(mesh.assign({}, {}).status == Status::ok);
    CHECK(mesh.count() == 0);
}

TEST_CASE("triangles keep their values when the arrays grow, and shrinking does not allocate") {
    CountingAllocator allocator;
    {
        TriangleSoa mesh(allocator.hook());
        Random random(81);
        std::vector<Triangle> expected;
        for (const std::size_t count : {1u, 16u, 17u, 40u, 3u, 100u}) {
            const std::size_t allocations_before = allocator.allocation_count;
            const bool fits = count <= mesh.capacity();
            REQUIRE(mesh.resize(count) == Status::ok);
            CHECK((allocator.allocation_count == allocations_before) == fits);
            expected.resize(count);
            for (std::size_t i = 0; i < count; ++i) REQUIRE(same(mesh[i], expected[i]));
            for (std::size_t i = 0; i < count; ++i) {
                expected[i] = {{random.unit(), random.unit(), random.unit()},
                               {random.unit(), random.unit(), random.unit()},
                               {random.unit(), random.unit(), random.unit()}};
                mesh.set(i, expected[i]);
            }
        }
        allocator.fail_after = allocator.allocation_count;
        CHECK(mesh.resize(1000) == Status::out_of_memory);
        CHECK(mesh.count() == 100);
        CHECK(same(mesh[99], expected[99]));
    }
    CHECK(allocator.live_bytes == 0);
}

TEST_CASE("the boxes of triangles hold their corners, and a NaN corner makes an invalid box") {
    TriangleSoa mesh;
    REQUIRE(mesh.resize(3) == Status::ok);
    mesh.set(0, {{1, -2, 3}, {-4, 5, 6}, {7, 8, -9}});
    mesh.set(1, {{1, 1, 1}, {kNaN, 2, 2}, {3, 3, 3}});
    BoxSoa boxes;
    REQUIRE(triangle_bounds(mesh, boxes) == Status::ok);
    REQUIRE(boxes.count() == 3);
    CHECK(boxes[0] == Aabb{{-4, -2, -9}, {7, 8, 6}});
    CHECK_FALSE(is_valid(boxes[1]));
    CHECK(boxes[2] == Aabb{{0, 0, 0}, {0, 0, 0}});
    TriangleSoaView unreadable;
    unreadable.count = 1;
    CHECK(triangle_bounds(unreadable, boxes) == Status::invalid_argument);
    CHECK(boxes.count() == 3);
}
