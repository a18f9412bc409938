// Moves of the owners of triangles and of prepared rows.
#include "tests/support/check_moves.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/mesh_pairs.hpp>
#include <broadside/moving_aabb_rows.hpp>
#include <broadside/obb_tree.hpp>
#include <broadside/sphere_tree.hpp>
#include <broadside/triangle_mesh.hpp>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr std::uint32_t kMovesCount = 40;

BoxSoa make_boxes() {
    Random random(3);
    BoxSoa boxes;
    for (std::uint32_t i = 0; i < kMovesCount; ++i) REQUIRE(boxes.push_back(grid_box(random)) == Status::ok);
    return boxes;
}
const std::vector<float>& steps() {
    static const std::vector<float> some = [] {
        Random random(4);
        std::vector<float> list;
        for (std::uint32_t i = 0; i < kMovesCount; ++i) list.push_back(random.grid(-3, 3));
        return list;
    }();
    return some;
}
MovingBoxes moving(const BoxSoa& boxes) {
    return {boxes, {steps().data(), steps().data(), steps().data(), kMovesCount}};
}

std::vector<IndexPair> some_pairs() {
    std::vector<IndexPair> pairs;
    for (std::uint32_t i = 0; i + 1 < kMovesCount; ++i) pairs.push_back({i, i + 1});
    return pairs;
}

// Pairs of rows, which must be refused if there are no rows.
template <class Call>
void add_impacts(Call&& call, Answers& out_answers) {
    std::vector<float> toi(kMovesCount, -1.0f);
    const BatchResult none = call(std::span<const IndexPair>(), std::span<float>());
    out_answers.add(none.status);
    const std::vector<IndexPair> pairs = some_pairs();
    const BatchResult result = call(std::span<const IndexPair>(pairs), std::span<float>(toi));
    out_answers.add(result.status);
    out_answers.add(result.bad_index);
    for (const float time : toi) out_answers.add(time);
}

}  // namespace

TEST_CASE("moves: TriangleSoa") {
    check_moves<TriangleSoa>(
        [](const Allocator& allocator) { return TriangleSoa(allocator); },
        [](TriangleSoa& mesh) {
            const std::vector<Vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
            std::vector<std::uint32_t> indices;
            for (std::uint32_t i = 0; i < 3 * kMovesCount; ++i) indices.push_back(i * i % 4);
            REQUIRE(mesh.assign(corners, indices).status == Status::ok);
        },
        [](TriangleSoa& mesh) {
            Answers answers;
            const TriangleSoaView view = mesh.view();
            answers.add(mesh.capacity());
            answers.add(mesh.count());
            answers.add(view.count);
            answers.add(view.is_readable());
            answers.add(view.a_x == nullptr);
            answers.add(view.group_bounds.count);
            for (std::size_t i = 0; i < mesh.count(); ++i) answers.add(bounds(mesh[i]));
            BoxSoa boxes;
            answers.add(triangle_bounds(mesh, boxes));
            answers.add(boxes.count());
            answers.add(mesh.update_group_bounds());
            return answers;
        });
}

TEST_CASE("moves: RestingBoxRows") {
    const BoxSoa boxes = make_boxes();
    MovingBoxRows movers;
    REQUIRE(movers.prepare(moving(boxes)) == Status::ok);
    check_moves<RestingBoxRows>([](const Allocator& allocator) { return RestingBoxRows(allocator); },
                                [&](RestingBoxRows& rows) { REQUIRE(rows.prepare(boxes) == Status::ok); },
                                [&](const RestingBoxRows& rows) {
                                    Answers answers;
                                    answers.add(rows.count());
                                    answers.add(rows.data() == nullptr);
                                    add_impacts(
                                        [&](std::span<const IndexPair> pairs, std::span<float> out) {
                                            return times_of_impact(rows, movers, pairs, out);
                                        },
                                        answers);
                                    return answers;
                                });
}

TEST_CASE("moves: MovingBoxRows") {
    const BoxSoa boxes = make_boxes();
    RestingBoxRows resting;
    REQUIRE(resting.prepare(boxes) == Status::ok);
    check_moves<MovingBoxRows>(
        [](const Allocator& allocator) { return MovingBoxRows(allocator); },
        [&](MovingBoxRows& rows) { REQUIRE(rows.prepare(moving(boxes), Touch::open) == Status::ok); },
        [&](const MovingBoxRows& rows) {
            Answers answers;
            answers.add(rows.count());
            answers.add(rows.data() == nullptr);
            // The policy of the existing rows; if there are none, that of a new object.
            answers.add(rows.touch());
            add_impacts([&](std::span<const IndexPair> pairs,
                            std::span<float> out) { return times_of_impact(resting, rows, pairs, out); },
                        answers);
            return answers;
        });
}

TEST_CASE("moves: BodyBoxRows") {
    const BoxSoa boxes = make_boxes();
    check_moves<BodyBoxRows>([](const Allocator& allocator) { return BodyBoxRows(allocator); },
                             [&](BodyBoxRows& rows) { REQUIRE(rows.prepare(moving(boxes)) == Status::ok); },
                             [&](const BodyBoxRows& rows) {
                                 Answers answers;
                                 answers.add(rows.count());
                                 answers.add(rows.data() == nullptr);
                                 add_impacts(
                                     [&](std::span<const IndexPair> pairs, std::span<float> out) {
                                         return times_of_impact(rows, rows, pairs, Touch::closed, out);
                                     },
                                     answers);
                                 return answers;
                             });
}

TEST_CASE("moves: ObbTree") {
    const std::vector<Vec3> vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {4, 0, 0}, {5, 0, 0}, {4, 1, 1}};
    const std::vector<std::uint32_t> indices = {0, 1, 2, 3, 4, 5};
    TriangleMesh mesh;
    REQUIRE(mesh.build(vertices, indices).status == Status::ok);
    check_moves<ObbTree>([](const Allocator& allocator) { return ObbTree(allocator); },
                         [&](ObbTree& tree) {
                             REQUIRE(tree.build(mesh, {48, 1}) == Status::ok);
                         },
                         [&](const ObbTree& tree) {
                             Answers answers;
                             answers.add(tree.triangle_count());
                             answers.add(tree.node_count());
                             for (std::uint32_t i = 0; i < tree.node_count(); ++i)
                                 answers.add(tree.node(i).box.center);
                             return answers;
                         });
}

TEST_CASE("moves: SphereTree") {
    const std::vector<Sphere> parts = {{{0, 0, 0}, 1}, {{2, 0, 0}, 1}, {{2, 5, 0}, 1}};
    check_moves<SphereTree>([](const Allocator& allocator) { return SphereTree(allocator); },
                            [&](SphereTree& tree) { REQUIRE(tree.build(parts).status == Status::ok); },
                            [](const SphereTree& tree) {
                                Answers answers;
                                answers.add(tree.part_count());
                                for (std::uint32_t i = 0; i < tree.node_count(); ++i) {
                                    answers.add(tree.node(i).sphere.center);
                                    answers.add(tree.node(i).sphere.radius);
                                }
                                return answers;
                            });
}
