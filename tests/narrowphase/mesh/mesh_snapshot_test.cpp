// Meshes as bytes: they are restored as they were, and damaged ones are refused.
#include "tests/narrowphase/mesh/made_meshes.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/file_bytes.hpp"
#include "tests/support/guarded_array.hpp"
#include "tests/support/refusals.hpp"

#include "core/src/checksum.hpp"
#include "tests/support/suites.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace broadside;
using namespace broadside::test;

namespace {

std::vector<std::byte> saved(const TriangleMesh& mesh) {
    std::vector<std::byte> bytes(mesh.snapshot_bytes());
    REQUIRE(mesh.save(bytes) == Status::ok);
    return bytes;
}

// Ends where an unreadable page begins.
Status restored(TriangleMesh& mesh, const std::vector<std::byte>& bytes) {
    const GuardedArray<std::byte> guarded(bytes);
    return mesh.restore({guarded.data(), guarded.size()});
}

// The checksum of deliberately changed bytes.
void sign(std::vector<std::byte>& bytes) {
    constexpr std::size_t kPlace = 24;
    const std::uint64_t checksum = checksum_of(bytes.data() + kPlace + 8, bytes.size() - kPlace - 8);
    copy_little_endian(bytes.data() + kPlace, &checksum, sizeof checksum, kNumberBytes<std::uint64_t>);
}

constexpr Ray kRay = {{0.3f, 0.2f, 5}, {0, 0, -1}};

}  // namespace

TEST_CASE("a mesh is restored from its bytes as it was, and the same input makes the same bytes") {
    Random random(1651);
    for (const MadeMesh& made : {MadeMesh{}, cube(), fine_cube(3), heap(random, 2000, 4.0f)}) {
        const TriangleMesh mesh = built(made);
        const std::vector<std::byte> bytes = saved(mesh);
        CHECK(saved(built(made)) == bytes);
        TriangleMesh copy = built(cube());
        REQUIRE(restored(copy, bytes) == Status::ok);
        CHECK(saved(copy) == bytes);
        CHECK(copy.triangle_count() == mesh.triangle_count());
        CHECK(copy.degenerate_count() == mesh.degenerate_count());
        CHECK(copy.bounds() == mesh.bounds());
        CHECK(std::ranges::equal(copy.component_triangles(), mesh.component_triangles()));
        for (int i = 0; i < 200 && made.triangle_count() != 0; ++i) {
            const Ray ray = adversarial_ray(random, made, 4.0f);
            CHECK(copy.closest_hit(ray) == mesh.closest_hit(ray));
        }
    }
    std::vector<std::byte> room(built(cube()).snapshot_bytes() - 1, std::byte{7});
    CHECK(built(cube()).save(room) == Status::capacity_exceeded);
    CHECK(room == std::vector<std::byte>(room.size(), std::byte{7}));
}

TEST_CASE("triangles anywhere make a complete tree, with boxes exact to the last bit" * kLong) {
    Random random(1653);
    const MadeMesh scattered = heap(random, 3000, 4.0f);
    const auto changed = [&](auto&& change) {
        MadeMesh made = scattered;
        for (Vec3& vertex : made.vertices) vertex = change(vertex);
        return made;
    };
    // One cell of the grid holds nearly all.
    MadeMesh crowded = changed([](Vec3 a) { return a * 1e-6f; });
    for (int i = 0; i < 50; ++i)
        crowded.add({{100, 0, 0}, {101, 0, 0}, {100, 1.0f + static_cast<float>(i), 0}});
    // No triangle has these corners.
    MadeMesh with_unused = scattered;
    with_unused.vertices.push_back({FLT_MAX, -FLT_MAX, FLT_MAX});
    MadeMesh nested;
    for (int i = 0; i < 2000; ++i) {
        const auto size = std::ldexp(1.0f, i % 250 - 125);
        nested.add({{-size, 0, 0}, {size, 0, 0}, {0, size, -size}});
    }
    const MadeMesh meshes[] = {
        heap(random, 1023, 4.0f),
        heap(random, 1024, 4.0f),
        scattered,
        hills(random, 60),
        crowded,
        with_unused,
        nested,
        changed([](Vec3 a) {
            return Vec3{a.x, 0.0f * a.y, a.z};
        }),
        changed([](Vec3 a) {
            return Vec3{-0.0f, a.y, -0.0f};
        }),
        changed([](Vec3) {
            return Vec3{1, -0.0f, 3};
        }),
        changed([](Vec3 a) { return a * 0x1p100f; }),
        changed([](Vec3 a) { return a * 0x1p-105f; }),
        changed([](Vec3 a) {
            return Vec3{std::copysign(FLT_MAX, a.x), a.y, std::copysign(FLT_MAX, a.z)};
        }),
        changed([](Vec3 a) {
            return Vec3{std::copysign(FLT_TRUE_MIN, a.x), a.y * 0x1p-140f, a.z};
        }),
    };
    for (std::size_t which = 0; which < std::size(meshes); ++which) {
        INFO("mesh " << which);
        const MadeMesh& made = meshes[which];
        const TriangleMesh mesh = built(made);
        const std::vector<std::byte> bytes = saved(mesh);
        // Reads every index, box and triangle.
        TriangleMesh copy;
        CHECK(restored(copy, bytes) == Status::ok);
        Aabb box = Aabb::empty();
        for (std::uint32_t i = 0; i < made.triangle_count(); ++i) {
            const Triangle triangle = made.triangle(i);
            REQUIRE(mesh.triangle(i).a == triangle.a);
            REQUIRE(mesh.triangle(i).b == triangle.b);
            REQUIRE(mesh.triangle(i).c == triangle.c);
            box = include(box, bounds(triangle));
        }
        CHECK(mesh.bounds() == box);
        for (int i = 0; i < 20; ++i) {
            const Ray ray = adversarial_ray(random, made, 4.0f);
            std::size_t hit_count = 0;
            for (std::uint32_t k = 0; k < made.triangle_count(); ++k)
                hit_count += ray_triangle(ray, made.triangle(k)).has_hit ? 1u : 0u;
            MeshScratch scratch;
            CHECK(mesh.find_hits(ray, {}, scratch, {}).required == hit_count);
        }
    }
}

TEST_CASE("bytes that are cut off anywhere, or have one byte changed, are refused and change nothing") {
    const std::vector<std::byte> bytes = saved(built(fine_cube(1)));
    TriangleMesh mesh = built(cube());
    const std::vector<std::byte> before = saved(mesh);
    (void)take_refusals();
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        REQUIRE(restored(mesh, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)}) ==
                Status::invalid_argument);
    }
    for (std::size_t place = 0; place < bytes.size(); ++place) {
        for (const unsigned flipped : {1u, 0x80u, 0xFFu}) {
            std::vector<std::byte> damaged = bytes;
            damaged[place] ^= static_cast<std::byte>(flipped);
            INFO("byte " << place);
            REQUIRE(restored(mesh, damaged) == Status::invalid_argument);
        }
    }
    std::vector<std::byte> longer = bytes;
    longer.push_back(std::byte{0});
    CHECK(restored(mesh, longer) == Status::invalid_argument);
    CHECK(saved(mesh) == before);
    CHECK(take_refusals().count == 0);
}

TEST_CASE("forged bytes with a valid checksum do no harm") {
    Random random(1652);
    const std::vector<std::byte> bytes = saved(built(fine_cube(2)));
    TriangleMesh mesh;
    std::size_t accepted_count = 0;
    for (int i = 0; i < 4000; ++i) {
        std::vector<std::byte> damaged = bytes;
        for (std::uint32_t count = 1 + random.below(3); count > 0; --count) {
            const std::size_t place =
                random.below(static_cast<std::uint32_t>(bytes.size() / 4)) * std::size_t{4};
            std::uint32_t word;
            copy_little_endian(&word, damaged.data() + place, sizeof word, kNumberBytes<std::uint32_t>);
            word = random.chance(2) ? word + 1 - random.below(3) : static_cast<std::uint32_t>(random.next());
            copy_little_endian(damaged.data() + place, &word, sizeof word, kNumberBytes<std::uint32_t>);
        }
        sign(damaged);
        if (restored(mesh, damaged) != Status::ok) continue;
        ++accepted_count;
        (void)mesh.closest_hit(kRay);
        CHECK(saved(mesh) == damaged);
    }
    // Bytes that may differ without harm: counts, and lanes without a triangle.
    CHECK(accepted_count < 4000);
}

TEST_CASE("forged bytes with a valid checksum are refused if a query could go astray") {
    // Offsets of the format; see narrowphase/src/mesh/snapshot.cpp and layout.hpp.
    constexpr std::size_t kNodeCount = 32, kDegenerateCount = 56, kComponentCount = 64, kBounds = 72,
                          kRoot = 96, kUnused = 100, kNodes = 104;
    constexpr std::size_t kNodeBytes = 448, kChildren = 384, kLeafBytes = 640, kTriangles = 576;
    const std::vector<std::byte> bytes = saved(built(fine_cube(2)));
    std::uint64_t counts[2];
    copy_little_endian(counts, bytes.data() + kNodeCount, sizeof counts, kNumberBytes<std::uint64_t>);
    const auto node_count = static_cast<std::size_t>(counts[0]),
               leaf_count = static_cast<std::size_t>(counts[1]);
    const std::size_t leaves = kNodes + node_count * kNodeBytes;
    const std::size_t slots = leaves + leaf_count * kLeafBytes;
    const std::size_t components = slots + 192 * 4;
    REQUIRE(bytes.size() == components + 4);
    TriangleMesh mesh;
    const auto check = [&](const char* what, std::size_t place, auto&& change) {
        INFO(what);
        std::vector<std::byte> damaged = bytes;
        std::uint32_t word;
        copy_little_endian(&word, damaged.data() + place, sizeof word, kNumberBytes<std::uint32_t>);
        word = change(word);
        copy_little_endian(damaged.data() + place, &word, sizeof word, kNumberBytes<std::uint32_t>);
        sign(damaged);
        CHECK(restored(mesh, damaged) == Status::invalid_argument);
    };
    const auto next = [](std::uint32_t word) { return word + 1; };
    const auto not_a_number = [](std::uint32_t) { return bits_of(kNaN); };
    check("the root is another", kRoot, next);
    check("there is one component more", kComponentCount, next);
    check("the first component has no first triangle", components, next);
    check("there is no root", kRoot, [](std::uint32_t) { return 0xFFFFFFFFu; });
    check("the box around all is another", kBounds, next);
    check("a triangle more is degenerate", kDegenerateCount, next);
    check("there is something where nothing is", kUnused, next);
    check("a child is another", kNodes + kChildren, [](std::uint32_t word) { return word + 16; });
    check("a child has one triangle less", kNodes + kChildren, [](std::uint32_t word) { return word - 1; });
    check("a child is its parent", kNodes + kChildren, [](std::uint32_t) { return 0u; });
    check("a child is missing", kNodes + kChildren, [](std::uint32_t) { return 0xFFFFFFFFu; });
    check("the box of a child is another", kNodes, next);
    check("a corner is elsewhere", leaves, [](std::uint32_t) { return bits_of(7.0f); });
    check("a corner is not finite", leaves, not_a_number);
    check("a triangle has the name of another", leaves + kTriangles, next);
    check("a triangle has a name past all", leaves + kTriangles, [](std::uint32_t) { return 192u; });
    check("a triangle is said to be elsewhere", slots, next);
}

TEST_CASE("bytes whose components do not ascend, or name missing triangles, are refused") {
    MadeMesh made;
    for (int i = 0; i < 4; ++i) {
        const auto x = static_cast<float>(3 * i);
        made.add({{x, 0, 0}, {x + 1, 0, 0}, {x, 1, 0}});
    }
    const TriangleMesh whole = built(made);
    REQUIRE(whole.component_triangles().size() == 4);
    const std::vector<std::byte> bytes = saved(whole);
    const std::size_t components = bytes.size() - 4 * sizeof(std::uint32_t);
    const auto with = [&](const std::vector<std::uint32_t>& names) {
        std::vector<std::byte> other = bytes;
        copy_little_endian(other.data() + components, names.data(), names.size() * sizeof(std::uint32_t),
                           kNumberBytes<std::uint32_t>);
        sign(other);
        TriangleMesh mesh;
        return restored(mesh, other);
    };
    CHECK(with({0, 1, 2, 3}) == Status::ok);
    for (const std::vector<std::uint32_t>& names : std::vector<std::vector<std::uint32_t>>{{0, 2, 1, 3},
                                                                                           {0, 1, 3, 2},
                                                                                           {0, 1, 1, 3},
                                                                                           {0, 0, 2, 3},
                                                                                           {0, 1, 3, 3},
                                                                                           {1, 0, 2, 3},
                                                                                           {0, 1, 2, 4}})
        CHECK(with(names) == Status::invalid_argument);
}

TEST_CASE("a mesh without memory to restore stays as it was") {
    CountingAllocator allocator;
    const std::vector<std::byte> bytes = saved(built(fine_cube(2)));
    TriangleMesh mesh(allocator.hook());
    const MadeMesh made = cube();
    REQUIRE(mesh.build(made.vertices, made.indices).status == Status::ok);
    const std::vector<std::byte> before = saved(mesh);
    for (std::size_t spare = 0; spare < 4; ++spare) {
        allocator.fail_after = allocator.allocation_count + spare;
        CHECK(mesh.restore(bytes) == Status::out_of_memory);
        CHECK(saved(mesh) == before);
    }
    allocator.fail_after = static_cast<std::size_t>(-1);
    CHECK(mesh.restore(bytes) == Status::ok);
    CHECK(saved(mesh) == bytes);
}

TEST_CASE("the fuzzer's seeds are meshes of this version") {
    for (const char* name : {"empty", "triangle", "cube", "hills"}) {
        INFO(name);
        std::vector<std::byte> seed = file_bytes(std::string("tests/fuzz/seeds/mesh_snapshot/") + name);
        REQUIRE(!seed.empty());
        // The first byte of a seed chooses the instruction set.
        seed.erase(seed.begin());
        TriangleMesh mesh;
        REQUIRE(restored(mesh, seed) == Status::ok);
        CHECK(saved(mesh) == seed);
    }
}

TEST_CASE("bytes of an empty mesh with a box, or with degenerate triangles, are refused") {
    const std::vector<std::byte> bytes = saved(TriangleMesh());
    TriangleMesh mesh;
    REQUIRE(restored(mesh, bytes) == Status::ok);
    for (const std::size_t place : {56u, 64u, 84u, 92u}) {
        INFO("byte " << place);
        std::vector<std::byte> damaged = bytes;
        damaged[place] ^= std::byte{1};
        sign(damaged);
        CHECK(restored(mesh, damaged) == Status::invalid_argument);
    }
}
