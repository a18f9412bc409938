// Trees of spheres: rule B7.
#include "tests/narrowphase/mesh_pairs/placed_meshes.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/test_scale.hpp"

#include <broadside/fit.hpp>
#include <broadside/sphere_tree.hpp>

#include <doctest/doctest.h>

#include <algorithm>

using namespace broadside;
using namespace broadside::test;

namespace {

double distance(Vec3 a, Vec3 b) {
    const double x = static_cast<double>(a.x) - static_cast<double>(b.x);
    const double y = static_cast<double>(a.y) - static_cast<double>(b.y);
    const double z = static_cast<double>(a.z) - static_cast<double>(b.z);
    return std::sqrt(x * x + y * y + z * z);
}

// The parts below a node.
void collect(const SphereTree& tree, std::uint32_t index, std::vector<std::uint32_t>& out_parts) {
    const SphereTreeNode& node = tree.node(index);
    if (node.is_leaf()) {
        out_parts.push_back(node.part);
        return;
    }
    collect(tree, node.first_child, out_parts);
    collect(tree, node.first_child + 1, out_parts);
}

std::vector<Sphere> some_parts(Random& random, std::uint32_t count, float reach) {
    std::vector<Sphere> parts;
    for (std::uint32_t i = 0; i < count; ++i) {
        const Vec3 place =
            random.chance(3) ? grid_vector(random, 3) * reach : random_vector(random, 4 * reach);
        parts.push_back({place, random.chance(6) ? 0.0f : random.unit() * reach});
    }
    return parts;
}

// A body: its parts and their tree, at some position.
struct Body {
    std::vector<Sphere> parts;
    SphereTree tree;
    Transform place;
};

}  // namespace

TEST_CASE("B7: every sphere of the tree holds the spheres of its parts, and every part has one leaf") {
    Random random(1711);
    for (const float scale : {1.0f, 0x1p-100f, 0x1p100f}) {
        for (const std::uint32_t count : {1u, 2u, 3u, 17u, 200u}) {
            const std::vector<Sphere> parts = some_parts(random, count, scale);
            SphereTree tree;
            REQUIRE(tree.build(parts).status == Status::ok);
            REQUIRE(tree.part_count() == count);
            REQUIRE(tree.node_count() == 2 * count - 1);
            for (std::uint32_t i = 0; i < tree.node_count(); ++i) {
                const SphereTreeNode& node = tree.node(i);
                std::vector<std::uint32_t> below;
                collect(tree, i, below);
                std::sort(below.begin(), below.end());
                CHECK(std::adjacent_find(below.begin(), below.end()) == below.end());
                if (i == 0) CHECK(below.size() == count);
                for (const std::uint32_t part : below) {
                    const Sphere& sphere = parts[part];
                    REQUIRE(distance(sphere.center, node.sphere.center) +
                                static_cast<double>(sphere.radius) <=
                            static_cast<double>(node.sphere.radius));
                }
                if (node.is_leaf()) {
                    CHECK(node.sphere.center == parts[node.part].center);
                    CHECK(node.sphere.radius == parts[node.part].radius);
                }
            }
        }
    }
}

TEST_CASE("B7: spheres over the triangles of a mesh hold their corners and are nearly the smallest") {
    Random random(1712);
    for (const MadeMesh& made : {fine_cube(3), sphere(3), hills(random, 20), heap(random, 500, 4.0f)}) {
        const TriangleMesh mesh = built(made);
        SphereTree tree;
        REQUIRE(tree.build(mesh).status == Status::ok);
        REQUIRE(tree.part_count() == mesh.triangle_count());
        std::vector<double> ratios;
        for (std::uint32_t i = 0; i < tree.node_count(); ++i) {
            const SphereTreeNode& node = tree.node(i);
            std::vector<std::uint32_t> below;
            collect(tree, i, below);
            std::vector<float> x, y, z;
            for (const std::uint32_t part : below) {
                const Triangle t = mesh.triangle(part);
                for (const Vec3 corner : {t.a, t.b, t.c}) {
                    REQUIRE(distance(corner, node.sphere.center) <= static_cast<double>(node.sphere.radius));
                    x.push_back(corner.x);
                    y.push_back(corner.y);
                    z.push_back(corner.z);
                }
            }
            const Fitted<Sphere> least = fit_sphere({x.data(), y.data(), z.data(), x.size()});
            if (node.is_leaf() || least.shape.radius == 0) continue;
            ratios.push_back(static_cast<double>(node.sphere.radius) /
                             static_cast<double>(least.shape.radius));
        }
        std::sort(ratios.begin(), ratios.end());
        INFO("median " << ratios[ratios.size() / 2] << ", largest " << ratios.back());
        CHECK(ratios[ratios.size() / 2] <= 1.2);
        CHECK(ratios.back() <= 1.5);
    }
}

TEST_CASE("B7: two bodies meet in the parts whose spheres overlap one by one") {
    Random random(1713);
    std::size_t pair_count = 0, apart_count = 0;
    for (int i = 0; i < 120 * test_scale(); ++i) {
        const float scales[3] = {1.0f, 0x1p-40f, 0x1p60f};
        const float size = scales[random.below(3)];
        Body bodies[2];
        const Vec3 far = random.chance(3) ? random_vector(random, 1000 * size) : Vec3{};
        for (Body& body : bodies) {
            if (!random.chance(20))
                body.parts = some_parts(random, 1 + random.below(random.chance(3) ? 200 : 30), size);
            REQUIRE(body.tree.build(body.parts).status == Status::ok);
            body.place = any_placement(random, random.chance(2) ? 1.0f : random.uniform(0.25f, 4), 4 * size);
            body.place.translation = body.place.translation + far;
        }
        std::vector<IndexPair> expected;
        for (std::uint32_t a = 0; a < bodies[0].parts.size(); ++a) {
            for (std::uint32_t b = 0; b < bodies[1].parts.size(); ++b) {
                if (overlap(placed(bodies[0].place, bodies[0].parts[a]),
                            placed(bodies[1].place, bodies[1].parts[b])))
                    expected.push_back({a, b});
            }
        }
        pair_count += expected.size();
        apart_count += expected.empty() ? 1 : 0;
        for_each_isa([&](Isa) {
            MeshScratch scratch;
            std::vector<IndexPair> pairs(expected.size());
            PairSearchCounts counts;
            const WriteResult result = find_part_pairs(bodies[0].tree, bodies[0].place, bodies[1].tree,
                                                       bodies[1].place, scratch, pairs, &counts);
            REQUIRE(result.status == Status::ok);
            REQUIRE(result.required == expected.size());
            REQUIRE(pairs == expected);
            const AnyPairResult any =
                any_part_pair(bodies[0].tree, bodies[0].place, bodies[1].tree, bodies[1].place);
            REQUIRE(any.found == !expected.empty());
            CHECK(any.counts.node_tests <= counts.node_tests);
            if (expected.size() < 2) return;
            const WriteResult too_few = find_part_pairs(bodies[0].tree, bodies[0].place, bodies[1].tree,
                                                        bodies[1].place, scratch, std::span(pairs).first(1));
            CHECK(too_few.status == Status::capacity_exceeded);
            CHECK(too_few.required == expected.size());
        });
    }
    CHECK(pair_count > 500);
    CHECK(apart_count > 5);
}

TEST_CASE(
    "B7: bodies whose outer spheres are apart cost one test, and any_part_pair ends at the first pair") {
    const TriangleMesh mesh = built(sphere(3));
    SphereTree tree;
    REQUIRE(tree.build(mesh).status == Status::ok);
    const Transform away = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {5, 0, 0}};
    CHECK(any_part_pair(tree, {}, tree, away).counts.node_tests == 1);
    const AnyPairResult same = any_part_pair(tree, {}, tree, {});
    CHECK(same.found);
    CHECK(same.counts.leaf_pairs <= 2);
    CHECK(same.counts.node_tests < 60);
}

TEST_CASE("trees of spheres refuse invalid arguments, and stay unchanged") {
    SphereTree tree;
    const std::vector<Sphere> parts = {{{0, 0, 0}, 1}, {{2, 0, 0}, 1}};
    REQUIRE(tree.build(parts).status == Status::ok);
    std::vector<Sphere> bad = parts;
    bad[1].radius = -1;
    MeshScratch scratch;
    Transform skewed;
    skewed.row_x.y = 0.5f;
    check_refused({
        {"parts: one is no valid sphere", [&] { return tree.build(bad).status; }},
        {"parts: too many, 2^30 at most",
         [&] {
             return tree.build(std::span<const Sphere>(parts.data(), (std::size_t{1} << 30) + 1)).status;
         }},
        {"world_from_tree: no rotation times a scale",
         [&] { return any_part_pair(tree, skewed, tree, {}).status; }},
    });
    CHECK(tree.build(bad).bad_index == 1);
    CHECK(tree.part_count() == 2);
    tree.clear();
    CHECK(tree.node_count() == 0);
    CHECK(!any_part_pair(tree, {}, tree, {}).found);
}

TEST_CASE("a warm search of parts does not allocate") {
    SphereTree tree;
    REQUIRE(tree.build(built(sphere(2))).status == Status::ok);
    CountingAllocator counting;
    MeshScratch scratch(counting.hook());
    std::vector<IndexPair> pairs(100000);
    REQUIRE(find_part_pairs(tree, {}, tree, {}, scratch, pairs).required > 100);
    const std::size_t before = counting.allocation_count;
    CHECK(find_part_pairs(tree, {}, tree, {}, scratch, pairs).required > 100);
    CHECK(counting.allocation_count == before);
}
