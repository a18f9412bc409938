// Every argument that CollisionStage::step refuses, and its report to the assert handler.
#include "tests/stage/stage_scene.hpp"
#include "tests/support/refusals.hpp"

#include <broadside/collision_stage.hpp>

using namespace broadside;
using namespace broadside::test;

TEST_CASE("CollisionStage: every refused argument has its own message") {
    StageScene scene = make_stage_scene(9, 20, false, false);
    const StageInput good = scene.input();
    CollisionStage stage;
    REQUIRE(stage.step(good).status == Status::ok);
    std::vector<StageInput> inputs;
    const auto input = [&](const char* message, auto&& change) {
        StageInput bad = good;
        change(bad);
        check_refused({{message, [&] { return stage.step(bad).status; }}});
    };
    const auto settings = [&](const char* message, auto&& change) {
        StageSettings bad;
        change(bad);
        // With nothing to do, too.
        for (const StageInput& any : {good, StageInput{}}) {
            check_refused({{message, [&] { return stage.step(any, bad).status; }}});
        }
    };
    constexpr auto kTooMany = static_cast<std::size_t>(std::uint64_t{1} << 32);
    const TaskRunner no_function = {nullptr, nullptr, 4};
    const std::uint64_t words[1] = {};
    settings("runner: parallel_for is null", [&](StageSettings& bad) { bad.runner = &no_function; });
    settings("touch: no enumerator", [](StageSettings& bad) { bad.touch = static_cast<Touch>(200); });
    settings("inside: no enumerator", [](StageSettings& bad) { bad.inside = static_cast<Inside>(200); });
    settings("ray_report: no enumerator",
             [](StageSettings& bad) { bad.ray_report = static_cast<RayReport>(200); });
    settings("cast_report: no enumerator",
             [](StageSettings& bad) { bad.cast_report = static_cast<RayReport>(200); });
    // Refused by find_pairs, and reported once.
    settings("algorithm: no enumerator",
             [](StageSettings& bad) { bad.algorithm = static_cast<PairAlgorithm>(200); });
    settings("filter: masks are neither none nor one per box", [&](StageSettings& bad) {
        bad.filter.masks = {words, 1};
    });

    input("boxes: a column is null though the count is not 0",
          [](StageInput& bad) { bad.boxes.max_z = nullptr; });
    input("displacements: a column is null though the count is not 0",
          [](StageInput& bad) { bad.displacements.y = nullptr; });
    input("triangles: a column is null though the count is not 0",
          [](StageInput& bad) { bad.triangles.c_z = nullptr; });
    input("triangle_bounds: a column is null though the count is not 0",
          [](StageInput& bad) { bad.triangle_bounds.min_x = nullptr; });
    input("displacements: neither none nor one per box",
          [](StageInput& bad) { bad.displacements.count -= 1; });
    input("obb_displacements: neither none nor one per obb",
          [](StageInput& bad) { bad.obb_displacements = bad.obb_displacements.first(1); });
    input("triangle_bounds: not one per triangle", [](StageInput& bad) { bad.triangle_bounds.count -= 1; });
    // On 32-bit processors no count is so large.
    if (kTooMany == 0) return;
    // Claimed only: refused arguments are not read.
    input("boxes: more than a 32-bit index can name", [](StageInput& bad) {
        bad.boxes.count = kTooMany;
        bad.displacements = {};
    });
    input("obbs: more than a 32-bit index can name", [](StageInput& bad) {
        bad.obbs = {bad.obbs.data(), kTooMany};
        bad.obb_displacements = {};
    });
    input("triangles: more than a 32-bit index can name", [](StageInput& bad) {
        bad.triangles.group_bounds = {};
        bad.triangles.count = kTooMany;
        bad.triangle_bounds.count = kTooMany;
    });
}
