// The entry points of the stage.
#include "tests/entry_points/entry_points.hpp"
#include "tests/stage/stage_scene.hpp"

#include <broadside/collision_stage.hpp>
#include <broadside/mover.hpp>

#include <doctest/doctest.h>

namespace broadside::test {
namespace {

void add_movers(const Material& m, EntryPoints& list) {
    const std::span<const TriangleMesh* const> meshes =
        list.keep(std::vector<const TriangleMesh*>(1, &m.mesh));
    std::vector<Mover> mover_list;
    for (const Vec3 point : m.queries.points)
        mover_list.push_back({{MoverForm::capsule, {}, 0.1f, 0.1f}, point, {0.5f, -0.25f, -1}});
    const std::span<const Mover> movers = list.keep(mover_list);
    const std::span<MoverResult> results = list.room<MoverResult>(movers.size());
    list.add(
        "step_movers",
        [=](Call& call, auto of, auto out) {
            return step_movers(of, {nullptr, meshes}, call.settings<MoverSettings>(), out);
        },
        movers, results);
    list.add(
        "MoverObstacles::meshes",
        [=](Call& call, auto obstacles, const auto& out) {
            return step_movers(movers.first(1), {.meshes = obstacles}, call.settings<MoverSettings>(),
                               std::get<0>(out.spans));
        },
        meshes, unvaried(results.first(1)));
    list.add("step_mover", [=](Call& call) {
        const MoverResult result = step_mover(movers[0], {nullptr, meshes}, call.settings<MoverSettings>());
        call.add(result);
        return result.status == MoverStatus::invalid ? Status::invalid_argument : Status::ok;
    });
}

void add_stages(const Material& m, EntryPoints& list) {
    const EnvironmentShapes& q = m.queries;
    BoxSoa& bounds = *list.list<BoxSoa>();
    REQUIRE(triangle_bounds(q.triangle_soa, bounds) == Status::ok);
    const std::span<const HitQueries> casts = list.keep(
        std::vector<HitQueries>{std::span(m.box_casts).first(90), std::span(m.sphere_casts).first(90)});
    const std::span<const OverlapQueries> overlaps = list.keep(std::vector<OverlapQueries>{
        std::span(q.boxes).first(80), std::span(q.spheres).first(80), std::span(q.obbs).first(80)});
    static StageScene many = make_stage_scene(5, 3000, false, true);
    StageInput all = m.count() > 1000 ? many.input() : StageInput();
    if (m.count() <= 1000) {
        all.boxes = q.box_soa;
        all.displacements = q.displacement_view();
        all.rays = q.rays;
        all.obbs = std::span(q.obbs).first(120);
        all.obb_displacements = std::span(q.displacements).first(120);
        all.triangles = q.triangle_soa;
        all.triangle_bounds = bounds;
    }
    all.casts = casts;
    all.overlaps = overlaps;
    // Two steps, so that a tree is refitted.
    const auto step = [](Call& call, const StageInput& input, const StageSettings& given) {
        CollisionStage stage;
        StageResult result;
        for (int i = 0; i < 2; ++i) {
            result = stage.step(input, call.settings(given));
            if (result.status != Status::ok) break;
            call.add(result.invalid_box_count, result.invalid_displacement_count, result.invalid_ray_count,
                     result.invalid_query_count, result.invalid_obb_count);
            call.add(stage.candidate_pairs().size(), stage.impacts().size(), stage.ray_hits().size(),
                     stage.triangle_impacts().size(), stage.result_hash());
        }
        return result;
    };
    list.add("CollisionStage::step", [=](Call& call) { return step(call, all, {}); });
    list.add("CollisionStage::step, all hits of rays",
             [=](Call& call) { return step(call, all, {.report_all_ray_hits = true}); });
    list.add("CollisionStage::step, nothing to do", [=](Call& call) { return step(call, {}, {}); });
    // `change(input)` of everything.
    const auto bad = [&](const char* message, auto change) {
        StageInput input = all;
        change(input);
        list.bad(message, [=](Call& call) { return step(call, input, {}); });
    };
    bad("boxes: a column is null though the count is not 0",
        [](StageInput& input) { input.boxes.max_z = nullptr; });
    bad("displacements: a column is null though the count is not 0",
        [](StageInput& input) { input.displacements.y = nullptr; });
    bad("triangles: a column is null though the count is not 0",
        [](StageInput& input) { input.triangles.c_z = nullptr; });
    bad("triangle_bounds: a column is null though the count is not 0",
        [](StageInput& input) { input.triangle_bounds.min_x = nullptr; });
    bad("displacements: neither none nor one per box",
        [](StageInput& input) { input.displacements.count -= 1; });
    bad("obb_displacements: neither none nor one per obb",
        [](StageInput& input) { input.obb_displacements = input.obb_displacements.first(1); });
    bad("triangle_bounds: not one per triangle", [](StageInput& input) { input.triangle_bounds.count -= 1; });
    // On 32-bit processors no count is so large. Claimed only: refused arguments are not read.
    constexpr auto kTooMany = static_cast<std::size_t>(std::uint64_t{1} << 32);
    if (kTooMany != 0) {
        bad("boxes: more than a 32-bit index can name", [](StageInput& input) {
            input.boxes.count = kTooMany;
            input.displacements = {};
        });
        bad("obbs: more than a 32-bit index can name", [](StageInput& input) {
            input.obbs = {input.obbs.data(), kTooMany};
            input.obb_displacements = {};
        });
        bad("triangles: more than a 32-bit index can name", [](StageInput& input) {
            input.triangles.group_bounds = {};
            input.triangles.count = kTooMany;
            input.triangle_bounds.count = kTooMany;
        });
    }
    const auto with = [&](const char* name, auto make, auto span) {
        list.add(
            name, [=](Call& call, auto given) { return step(call, make(given), {}); }, span);
    };
    const std::span<const Obb> obbs = all.obbs;
    const std::span<const TriangleMesh* const> meshes =
        list.keep(std::vector<const TriangleMesh*>(1, &m.mesh));
    with(
        "StageInput::rays", [](auto given) { return StageInput{.rays = given}; }, all.rays);
    with(
        "StageInput::casts", [](auto given) { return StageInput{.casts = given}; }, casts);
    with(
        "StageInput::overlaps", [](auto given) { return StageInput{.overlaps = given}; }, overlaps);
    with(
        "StageInput::obbs", [](auto given) { return StageInput{.obbs = given}; }, obbs);
    with(
        "StageInput::obb_displacements",
        [=](auto given) { return StageInput{.obbs = obbs, .obb_displacements = given}; },
        all.obb_displacements);
    with(
        "StageInput::meshes", [](auto given) { return StageInput{.meshes = given}; }, meshes);
    with(
        "StageInput::movers", [](auto given) { return StageInput{.movers = given}; },
        list.keep(std::vector<Mover>(2)));
}

}  // namespace

void add_stage(const Material& m, EntryPoints& list) {
    add_movers(m, list);
    add_stages(m, list);
}

}  // namespace broadside::test
