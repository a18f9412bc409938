// Golden hashes of whole frames: the same in Debug and Release, on every ISA, platform and worker count. A
// change of a scene or of a result is a change of behaviour, and shows here.
#include "tests/stage/stage_scene.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/thread_runner.hpp"

#include <broadside/scenes/street_scene.hpp>

using namespace broadside;
using namespace broadside::test;

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

struct Golden {
    std::uint64_t frame;
    std::uint64_t hash;
};
constexpr Golden kStreet[] = {{0, 0x188a17f13afbdba5}, {17, 0xbb21f8ddf110e61a}, {1000, 0x522bf11b574e89a3}};

}  // namespace

TEST_CASE("frames of the street have their golden hashes on every ISA, for 1 to 8 workers") {
    for (const Golden& golden : kStreet) {
        StageScene scene = street_frame(golden.frame);
        const StageInput input = scene.input();
        INFO("frame " << golden.frame);
        for_each_isa([&](Isa) {
            for (const std::uint32_t workers : {1u, 2u, 3u, 8u}) {
                Threads threads(workers);
                StageSettings settings;
                settings.runner = workers == 1 ? nullptr : threads.runner();
                CollisionStage stage;
                REQUIRE(stage.step(input, settings).status == Status::ok);
                CHECK(stage.impacts().size() > 10);
                CHECK(stage.ray_hits().size() > 100);
                CHECK(stage.triangle_impacts().size() > 50);
                CHECK(stage.result_hash() == golden.hash);
            }
        });
    }
}
