// Moves of the stage.
#include "tests/stage/stage_scene.hpp"
#include "tests/support/check_moves.hpp"

#include <broadside/clash.hpp>
#include <broadside/mesh_scene.hpp>

using namespace broadside;
using namespace broadside::test;

TEST_CASE("moves: CollisionStage") {
    StageScene scene = make_stage_scene(5, 120, true, false);
    StageInput input = scene.input();
    std::vector<BoxCast> casts;
    std::vector<SphereCast> sphere_casts;
    std::vector<Sphere> spheres;
    for (std::size_t i = 0; i < scene.bodies.size(); i += 7) {
        casts.push_back({scene.bodies[i], {3, 1, 0}});
        sphere_casts.push_back({{scene.bodies[i].min, 1}, {1, -3, 2}});
        spheres.push_back({scene.bodies[i].max, 2});
    }
    const HitQueries cast_lists[] = {casts, sphere_casts};
    const OverlapQueries overlap_lists[] = {std::span(scene.bodies).first(20), spheres, scene.obbs};
    input.casts = cast_lists;
    input.overlaps = overlap_lists;

    const auto ask = [](CollisionStage& stage) {
        Answers answers;
        answers.add(stage.result_hash());
        answers.add(stage.candidate_pairs().size());
        answers.add(stage.impacts().size());
        answers.add(stage.ray_hits().size());
        for (const std::size_t list : {0u, 1u}) answers.add(stage.cast_hits(list).size());
        for (const std::size_t list : {0u, 1u, 2u}) answers.add_pairs(stage.overlaps(list));
        answers.add(stage.triangle_impacts().size());
        answers.add(stage.times().total_seconds() == 0);
        return answers;
    };
    const auto step = [&](CollisionStage& stage) { REQUIRE(stage.step(input).status == Status::ok); };
    const auto make = [](const Allocator& allocator) { return CollisionStage(allocator); };
    check_moves<CollisionStage>(make, step, ask);

    // Data remembered from a step is stale in the next one.
    const auto step_anew = [&](CollisionStage& stage) {
        Answers answers;
        answers.add(stage.step(input).status);
        answers.add(stage.result_hash());
        StageInput less = input;
        less.boxes = {};
        less.displacements = {};
        less.triangles = {};
        less.triangle_bounds = {};
        answers.add(stage.step(less).status);
        answers.add(stage.result_hash());
        return answers;
    };
    CollisionStage stage;
    step(stage);
    const CollisionStage taken = std::move(stage);
    CollisionStage unmoved;
    CHECK(step_anew(stage) == step_anew(unmoved));
}

TEST_CASE("moves: MeshScene") {
    const std::vector<Vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const std::vector<std::uint32_t> indices = {0, 1, 2};
    TriangleMesh mesh;
    REQUIRE(mesh.build(corners, indices).status == Status::ok);
    std::vector<PlacedMesh> instances;
    for (int i = 0; i < 40; ++i)
        instances.push_back({&mesh, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {static_cast<float>(i), 0, 0}}});
    check_moves<MeshScene>([](const Allocator& allocator) { return MeshScene(allocator); },
                           [&](MeshScene& scene) { REQUIRE(scene.build(instances).status == Status::ok); },
                           [](const MeshScene& scene) {
                               Answers answers;
                               answers.add(scene.instance_count());
                               answers.add(scene.bounds());
                               const Ray ray = {{-1, 0.25f, 0.5f}, {10, 0, -1}};
                               SceneHit hit;
                               REQUIRE(scene.closest_hits(ray, {}, {&hit, 1}).status == Status::ok);
                               answers.add(hit.target.instance_index);
                               return answers;
                           });
}
