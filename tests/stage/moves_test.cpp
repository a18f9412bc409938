// Moves of the stage.
#include "tests/stage/stage_scene.hpp"
#include "tests/support/check_moves.hpp"

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
    input.casts = casts;
    input.sphere_casts = sphere_casts;
    input.overlap_spheres = spheres;
    input.overlap_boxes = std::span(scene.bodies).first(20);
    input.overlap_obbs = scene.obbs;

    const auto ask = [](CollisionStage& stage) {
        Answers answers;
        answers.add(stage.result_hash());
        answers.add(stage.candidate_pairs().size());
        answers.add(stage.impacts().size());
        answers.add(stage.ray_hits().size());
        answers.add(stage.cast_hits().size());
        answers.add(stage.sphere_cast_hits().size());
        answers.add_pairs(stage.box_overlaps());
        answers.add_pairs(stage.sphere_overlaps());
        answers.add_pairs(stage.obb_overlaps());
        answers.add(stage.triangle_impacts().size());
        answers.add(stage.times().total_seconds() == 0);
        return answers;
    };
    const auto step = [&](CollisionStage& stage) { REQUIRE(stage.step(input).status == Status::ok); };
    const auto make = [](const Allocator& allocator) { return CollisionStage(allocator); };
    check_moves<CollisionStage>(make, step, ask);

    // What a step remembers is no longer true of the next one.
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
