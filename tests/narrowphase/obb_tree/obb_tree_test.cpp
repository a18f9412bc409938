// Trees of oriented boxes: rules B29 to B33.
#include "tests/narrowphase/mesh_pairs/placed_meshes.hpp"
#include "tests/support/refusals.hpp"

#include <broadside/obb_obb.hpp>

#include <doctest/doctest.h>

#include <set>

using namespace broadside;
using namespace broadside::test;

namespace {

// The distance of a point outside a box, with its half extents as exact numbers.
double outside(const Obb& box, Vec3 point) {
    const Vec3 axes[3] = {box.axis_x, box.axis_y, box.axis_z};
    const float half[3] = {box.half_extent.x, box.half_extent.y, box.half_extent.z};
    double most = -1e300;
    for (int k = 0; k < 3; ++k) {
        const auto along = [](float axis, float p, float center) {
            return static_cast<double>(axis) * (static_cast<double>(p) - static_cast<double>(center));
        };
        const double place = along(axes[k].x, point.x, box.center.x) +
                             along(axes[k].y, point.y, box.center.y) +
                             along(axes[k].z, point.z, box.center.z);
        most = std::max(most, std::fabs(place) - static_cast<double>(half[k]));
    }
    return most;
}
double surface(const Obb& box) {
    const double x = static_cast<double>(box.half_extent.x), y = static_cast<double>(box.half_extent.y),
                 z = static_cast<double>(box.half_extent.z);
    return x * y + y * z + z * x;
}

// The triangles below a node.
void collect(const ObbTree& tree, std::uint32_t index, std::vector<std::uint32_t>& out_triangles) {
    const ObbTreeNode& node = tree.node(index);
    if (!node.is_leaf()) {
        collect(tree, node.first_child, out_triangles);
        collect(tree, node.second_child, out_triangles);
        return;
    }
    for (std::uint32_t i = 0; i < node.triangle_count; ++i)
        out_triangles.push_back(tree.leaf_triangle(node, i));
}

void check_tree(const TriangleMesh& mesh, const ObbTree& tree, const ObbTreeSettings& settings) {
    for (std::uint32_t i = 0; i < tree.node_count(); ++i) {
        const ObbTreeNode& node = tree.node(i);
        CHECK(is_valid(node.box));
        CHECK(node.depth <= settings.max_depth);
        std::vector<std::uint32_t> triangles;
        collect(tree, i, triangles);
        REQUIRE(triangles.size() == node.triangle_count);
        const std::set<std::uint32_t> different(triangles.begin(), triangles.end());
        REQUIRE(different.size() == triangles.size());
        for (const std::uint32_t index : triangles) {
            const Triangle t = mesh.triangle(index);
            for (const Vec3 corner : {t.a, t.b, t.c}) REQUIRE(outside(node.box, corner) <= 0);
        }
        if (node.is_leaf()) continue;
        CHECK(node.triangle_count > settings.leaf_triangle_count);
        CHECK(tree.node(node.first_child).depth == node.depth + 1);
        CHECK(tree.node(node.second_child).depth == node.depth + 1);
    }
}

}  // namespace

TEST_CASE("B29, B30: every box of the tree holds its triangles, and every triangle is in one leaf") {
    Random random(1681);
    for (const float scale : {1.0f, 0x1p-60f, 0x1p100f}) {
        for (MadeMesh made : {fine_cube(2), sphere(2), hills(random, 9), heap(random, 300, 4.0f)}) {
            for (Vec3& vertex : made.vertices) vertex = (vertex + Vec3{9, -4, 0}) * scale;
            const TriangleMesh mesh = built(made);
            for (const ObbTreeSettings& settings :
                 {ObbTreeSettings{}, ObbTreeSettings{48, 1}, ObbTreeSettings{3, 4}, ObbTreeSettings{0, 1}}) {
                ObbTree tree;
                REQUIRE(tree.build(mesh, settings) == Status::ok);
                REQUIRE(tree.triangle_count() == mesh.triangle_count());
                REQUIRE(tree.node(0).triangle_count == mesh.triangle_count());
                check_tree(mesh, tree, settings);
                if (settings.max_depth == 0) CHECK(tree.node_count() == 1);
            }
        }
    }
}

TEST_CASE("B30: a box is split across its longest axis, else across the second longest") {
    // A long row of triangles: halves lie end to end.
    std::vector<Triangle> row;
    for (int i = 0; i < 64; ++i) {
        const auto x = static_cast<float>(i);
        row.push_back({{x, 0, 0}, {x + 1, 0, 0}, {x, 1, 0.5f}});
    }
    ObbTree tree;
    const TriangleMesh mesh = mesh_of(row);
    REQUIRE(tree.build(mesh) == Status::ok);
    std::vector<std::uint32_t> first;
    collect(tree, tree.node(0).first_child, first);
    CHECK(first.size() == 32);
    const auto [least, most] = std::minmax_element(first.begin(), first.end());
    CHECK(*most - *least == 31);
    // Long triangles side by side: their midpoints agree along the longest axis.
    std::vector<Triangle> planks;
    for (int i = 0; i < 64; ++i) {
        const float y = static_cast<float>(i) * 0.25f;
        planks.push_back({{-50, y, 0}, {50, y, 0}, {0, y + 0.25f, 0.5f}});
    }
    const TriangleMesh floor = mesh_of(planks);
    REQUIRE(tree.build(floor) == Status::ok);
    REQUIRE(!tree.node(0).is_leaf());
    CHECK(tree.node(tree.node(0).first_child).triangle_count == 32);
}

TEST_CASE("B30: triangles with the same midpoint cannot be split and stay together") {
    std::vector<Triangle> same;
    for (int i = 0; i < 100; ++i) {
        const auto size = static_cast<float>(i + 1);
        same.push_back({{-size, -size, 0}, {size, -size, 0}, {0, 2 * size, 0}});
    }
    const TriangleMesh mesh = mesh_of(same);
    ObbTree tree;
    REQUIRE(tree.build(mesh, {48, 1}) == Status::ok);
    check_tree(mesh, tree, {48, 1});
    CHECK(tree.node_count() == 1);
    const TriangleMesh points = mesh_of(std::vector<Triangle>(40, Triangle{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}));
    REQUIRE(tree.build(points, {48, 1}) == Status::ok);
    check_tree(points, tree, {48, 1});
}

TEST_CASE("B29: oriented boxes are smaller than axis-aligned ones around slanted triangles") {
    Random random(1682);
    double straight = 0, oriented = 0;
    for (int i = 0; i < 20; ++i) {
        const Transform turn = any_rotation(random);
        std::vector<Triangle> slab;
        for (int k = 0; k < 200; ++k) {
            const Vec3 place = {random.uniform(-8, 8), random.uniform(-2, 2), random.uniform(-0.1f, 0.1f)};
            const Triangle t = {place, place + Vec3{0.2f, 0, 0}, place + Vec3{0, 0.2f, 0}};
            slab.push_back(
                {transform_point(turn, t.a), transform_point(turn, t.b), transform_point(turn, t.c)});
        }
        const TriangleMesh mesh = mesh_of(slab);
        ObbTree tree;
        REQUIRE(tree.build(mesh) == Status::ok);
        oriented += surface(tree.node(0).box);
        const Vec3 half = (mesh.bounds().max - mesh.bounds().min) * 0.5f;
        straight += surface({{}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, half});
    }
    CHECK(oriented < 0.4 * straight);
}

TEST_CASE("B33, B34: separating axes find no axis if an edge of a box crosses a face of another") {
    Random random(1683);
    std::size_t met_count = 0, contained_count = 0;
    for (int i = 0; i < 4000; ++i) {
        Obb boxes[2];
        for (Obb& box : boxes) {
            const Transform turn = any_rotation(random);
            box = {random_vector(random, 1.5f),
                   {turn.row_x.x, turn.row_y.x, turn.row_z.x},
                   {turn.row_x.y, turn.row_y.y, turn.row_z.y},
                   {turn.row_x.z, turn.row_y.z, turn.row_z.z},
                   {random.uniform(0.05f, 1.5f), random.uniform(0.05f, 1.5f), random.uniform(0.05f, 1.5f)}};
        }
        // The naive test of B33: 12 edges of each against the 6 faces of the other, 144 in all.
        const auto edges_meet_faces = [](const Obb& a, const Obb& b, double slack) {
            const Vec3 axes[3] = {a.axis_x, a.axis_y, a.axis_z};
            const float half[3] = {a.half_extent.x, a.half_extent.y, a.half_extent.z};
            for (int axis = 0; axis < 3; ++axis) {
                for (int corner = 0; corner < 4; ++corner) {
                    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
                    const Vec3 middle = a.center + axes[u] * (corner & 1 ? half[u] : -half[u]) +
                                        axes[v] * (corner & 2 ? half[v] : -half[v]);
                    const Vec3 along = axes[axis] * half[axis];
                    for (int face = 0; face < 6; ++face) {
                        const Vec3 of_b[3] = {b.axis_x, b.axis_y, b.axis_z};
                        const float half_b[3] = {b.half_extent.x, b.half_extent.y, b.half_extent.z};
                        const int k = face / 2;
                        const double wanted =
                            face % 2 == 0 ? static_cast<double>(half_b[k]) : -static_cast<double>(half_b[k]);
                        const double from =
                            static_cast<double>(dot(of_b[k], middle - along - b.center)) - wanted;
                        const double to =
                            static_cast<double>(dot(of_b[k], middle + along - b.center)) - wanted;
                        if (from * to > 0 || from == to) continue;
                        const auto t = static_cast<float>(from / (from - to));
                        const Vec3 point = middle - along + along * (2 * t) - b.center;
                        const int p = (k + 1) % 3, q = (k + 2) % 3;
                        if (std::fabs(static_cast<double>(dot(of_b[p], point))) <=
                                static_cast<double>(half_b[p]) - slack &&
                            std::fabs(static_cast<double>(dot(of_b[q], point))) <=
                                static_cast<double>(half_b[q]) - slack)
                            return true;
                    }
                }
            }
            return false;
        };
        const bool is_met = overlap(boxes[0], boxes[1]);
        const auto naive = [&](double slack) {
            return edges_meet_faces(boxes[0], boxes[1], slack) || edges_meet_faces(boxes[1], boxes[0], slack);
        };
        if (naive(1e-5)) CHECK(is_met);
        met_count += is_met ? 1 : 0;
        // If the naive test misses an overlap, one box holds the other.
        if (is_met && !naive(-1e-5)) {
            ++contained_count;
            CHECK((outside(boxes[0], boxes[1].center) <= 1e-5 || outside(boxes[1], boxes[0].center) <= 1e-5));
        }
    }
    CHECK(met_count > 500);
    CHECK(contained_count > 5);
}

TEST_CASE("a tree refuses settings out of range, and stays unchanged") {
    const TriangleMesh mesh = built(cube());
    ObbTree tree;
    REQUIRE(tree.build(mesh) == Status::ok);
    check_refused({
        {"max_depth: more than 64",
         [&] {
             return tree.build(mesh, {65, 16});
         }},
        {"leaf_triangle_count: zero",
         [&] {
             return tree.build(mesh, {4, 0});
         }},
    });
    CHECK(tree.triangle_count() == 12);
    REQUIRE(tree.build(built({})) == Status::ok);
    CHECK(tree.node_count() == 0);
    REQUIRE(tree.build(mesh) == Status::ok);
    tree.clear();
    CHECK(tree.triangle_count() == 0);
    CHECK(tree.node_count() == 0);
}

TEST_CASE("an oriented tree reports its memory, and keeps it when it is cleared") {
    Random random(1687);
    const TriangleMesh mesh = built(heap(random, 300, 4.0f));
    ObbTree tree;
    CHECK(tree.capacity_bytes() == 0);
    REQUIRE(tree.build(mesh) == Status::ok);
    const std::size_t capacity = tree.capacity_bytes();
    CHECK(capacity >= tree.node_count() * sizeof(ObbTreeNode));
    tree.clear();
    CHECK(tree.node_count() == 0);
    CHECK(tree.capacity_bytes() == capacity);
}
