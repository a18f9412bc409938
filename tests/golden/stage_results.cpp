// Golden results of whole frames of the stage, and all golden results together.
#include "tests/golden/golden_hash.hpp"
#include "tests/stage/stage_scene.hpp"

#include <broadside/scenes/street_scene.hpp>

namespace broadside::test {
namespace {

// A smaller town than the demo's, with everything in it.
StageScene street_frame(std::uint64_t index) {
    scenes::StreetSettings settings;
    settings.box_count = 2000;
    settings.ray_count = 500;
    settings.obb_count = 100;
    settings.terrain_quad_count_per_side = 32;
    const scenes::StreetScene street(settings);
    scenes::StreetFrame frame;
    street.frame(index, frame);
    StageScene scene;
    scene.bodies = frame.boxes;
    scene.displacements = frame.box_displacements;
    scene.rays = frame.rays;
    scene.obbs = frame.obbs;
    scene.obb_displacements = frame.obb_displacements;
    const scene_io::TriangleMesh& mesh = street.terrain_mesh();
    for (const auto& corner : mesh.triangles) {
        scene.triangles.push_back(
            {mesh.positions[corner[0]], mesh.positions[corner[1]], mesh.positions[corner[2]]});
    }
    return scene;
}

}  // namespace

void add_stage_results(const GoldenWay& way, GoldenHashes& out_hashes) {
    StageSettings settings;
    settings.runner = way.runner;
    for (const std::uint64_t index : {0u, 17u, 1000u}) {
        StageScene scene = street_frame(index);
        const StageInput input = scene.input();
        CollisionStage stage;
        REQUIRE(stage.step(input, settings).status == Status::ok);
        CHECK(stage.impacts().size() > 10);
        CHECK(stage.ray_hits().size() > 100);
        CHECK(stage.triangle_impacts().size() > 50);
        out_hashes["stage/street/" + std::to_string(index)] = stage.result_hash();
    }
    for (const bool with_bad : {false, true}) {
        StageScene scene = make_stage_scene(11, 400, with_bad, with_bad);
        const StageInput input = scene.input();
        CollisionStage stage;
        REQUIRE(stage.step(input, settings).status == Status::ok);
        out_hashes[with_bad ? "stage/grid/hostile" : "stage/anywhere"] = stage.result_hash();
    }
}

GoldenHashes golden_results(const GoldenWay& way) {
    GoldenHashes hashes;
    add_broadphase_results(way, hashes);
    // Nothing is inserted for these.
    if (way.shuffle_seed != 0) return hashes;
    add_stage_results(way, hashes);
    // These take no runner.
    if (way.runner == nullptr) add_narrowphase_results(hashes);
    return hashes;
}

}  // namespace broadside::test
