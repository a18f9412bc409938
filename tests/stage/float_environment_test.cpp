// The whole stage, and calls that are large enough to be split among workers, in any floating-point
// environments of caller and workers.
#include "tests/support/casts.hpp"
#include "tests/support/environment_shapes.hpp"
#include "tests/support/foreign_environment.hpp"

#include <broadside/clash.hpp>
#include <broadside/collision_stage.hpp>
#include <broadside/mesh_scene.hpp>
#include <broadside/mover.hpp>
#include <broadside/pair_cache.hpp>
#include <broadside/world.hpp>

#include <algorithm>

using namespace broadside;
using namespace broadside::test;

namespace {

void add_results(ResultBytes& answers, const CollisionStage& stage, const StageResult& result) {
    answers.add(result.status, result.invalid_box_count, result.invalid_displacement_count,
                result.invalid_ray_count, result.invalid_query_count, result.invalid_obb_count);
    answers.add(stage.candidate_pairs().size(), stage.impacts().size(), stage.ray_hits().size(),
                stage.triangle_impacts().size(), stage.result_hash());
}

// Two steps, so that a tree is refitted.
EnvironmentCall stage_call(const EnvironmentShapes& s, const BoxSoa& bounds) {
    return {"CollisionStage::step",
            [&](const TaskRunner* runner, ResultBytes& answers) {
                static const std::vector<BoxCast> casts = [&] {
                    std::vector<BoxCast> made;
                    for (std::size_t i = 0; i < 90; ++i) made.push_back({s.boxes[i], s.displacements[i]});
                    return made;
                }();
                StageInput input;
                input.boxes = s.box_soa;
                input.displacements = s.displacement_view();
                input.rays = s.rays;
                const HitQueries cast_list = casts;
                const OverlapQueries overlaps[] = {std::span(s.boxes).first(80),
                                                   std::span(s.spheres).first(80),
                                                   std::span(s.obbs).first(80)};
                input.casts = {&cast_list, 1};
                input.overlaps = overlaps;
                input.obbs = std::span(s.obbs).first(120);
                input.obb_displacements = std::span(s.displacements).first(120);
                input.triangles = s.triangle_soa;
                input.triangle_bounds = bounds;
                StageSettings settings;
                settings.runner = runner;
                settings.ray_report = RayReport::all;
                CollisionStage stage;
                for (int step = 0; step < 2; ++step) add_results(answers, stage, stage.step(input, settings));
            },
            true};
}

// A heap of cubes askew.
EnvironmentCall clash_call(const EnvironmentShapes& s) {
    return {"find_clashes, MeshScene and movers",
            [&](const TaskRunner* runner, ResultBytes& answers) {
                static const TriangleMesh mesh = [] {
                    const std::vector<Vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
                    const std::vector<std::uint32_t> indices = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
                    TriangleMesh made;
                    REQUIRE(made.build(corners, indices).status == Status::ok);
                    return made;
                }();
                static const std::vector<PlacedMesh> meshes = [] {
                    std::vector<PlacedMesh> made;
                    for (int i = 0; i < 70; ++i) {
                        const auto place = static_cast<float>(i);
                        made.push_back({&mesh,
                                        {{0.6f, 0.8f, 0},
                                         {-0.8f, 0.6f, 0},
                                         {0, 0, 1},
                                         {place * 0.1f, place * place * 0.01f, 0.3f}}});
                    }
                    return made;
                }();
                ClashScratch scratch;
                std::vector<Clash> clashes(3000);
                MeshRelationSettings settings;
                settings.clearance = 0.1f;
                settings.runner = runner;
                answers.add(find_clashes(meshes, settings, scratch, std::span(clashes)).required);
                for (const Clash& clash : clashes) answers.add(clash.a, clash.b, clash.relation);
                MeshScene scene;
                answers.add(scene.build(meshes, runner).status);
                answers.add(scene.update(std::vector<Transform>(meshes.size()), runner).status);
                answers.add(scene.build(meshes, runner).status);
                std::vector<SceneHit> hits(s.rays.size());
                answers.add(scene.closest_hits(s.rays, {.runner = runner}, hits).status);
                for (const SceneHit& hit : hits) answers.add(hit.t, hit.target.instance_index);
                std::vector<SceneClosestPoint> closest(s.points.size());
                answers.add(scene.closest_points(s.points, {runner}, closest).status);
                for (const SceneClosestPoint& near : closest) answers.add(near.point, near.distance_sq);
                SceneScratch scene_scratch;
                std::vector<Listed<SceneTriangle>> overlaps(2000);
                answers.add(scene.find_overlaps(s.spheres, {}, scene_scratch, overlaps).required);
                answers.add(scene.find_overlaps(s.obbs, {}, scene_scratch, overlaps).required);
                answers.add(scene.find_overlaps(s.boxes, {}, scene_scratch, overlaps).required);
                std::vector<Capsule> capsules;
                for (std::size_t i = 0; i + 1 < s.spheres.size(); ++i)
                    capsules.push_back({s.spheres[i].center, s.spheres[i + 1].center, s.spheres[i].radius});
                answers.add(scene.find_overlaps(capsules, {}, scene_scratch, overlaps).required);
                const std::size_t count = std::min({s.points.size(), s.obbs.size(), capsules.size()});
                const std::span<const Vec3> ways = std::span(s.points).first(count);
                std::vector<SceneImpact> impacts(count);
                const auto of_obbs = casts_of(std::span(s.obbs).first(count), ways);
                const auto of_spheres = casts_of(std::span(s.spheres).first(count), ways);
                const auto of_capsules = casts_of(std::span(capsules).first(count), ways);
                answers.add(scene.closest_hits(of_obbs, {runner}, impacts).status);
                for (const SceneImpact& impact : impacts) answers.add(impact.t);
                std::vector<SceneImpact> shape_impacts(count);
                answers.add(scene.closest_hits(of_spheres, {runner}, shape_impacts).status);
                for (const SceneImpact& impact : shape_impacts)
                    answers.add(impact.t, impact.point, impact.normal);
                answers.add(scene.closest_hits(of_capsules, {runner}, shape_impacts).status);
                for (const SceneImpact& impact : shape_impacts)
                    answers.add(impact.t, impact.point, impact.normal);
                for (std::size_t i = 0; i < count; ++i) {
                    answers.add(scene.closest_hit(s.rays[i]).t, scene.any_hit(s.rays[i]));
                    answers.add(scene.closest_hit(of_obbs[i]).t);
                    answers.add(scene.closest_hit(of_spheres[i]).normal);
                    answers.add(scene.closest_hit(of_capsules[i]).normal);
                    answers.add(scene.any_overlap(s.boxes[i]), scene.any_overlap(capsules[i]));
                    answers.add(scene.closest_point(ways[i]).distance_sq);
                }
                const TriangleMesh* const in_the_way[1] = {&mesh};
                std::vector<Mover> movers;
                for (const Vec3 point : s.points)
                    movers.push_back({{MoverForm::capsule, {}, 0.1f, 0.1f}, point, {0.5f, -0.25f, -1}});
                std::vector<MoverResult> moved(movers.size());
                MoverSettings mover_settings;
                mover_settings.runner = runner;
                answers.add(step_movers(movers, {nullptr, in_the_way}, mover_settings, moved).status);
                for (const MoverResult& result : moved) answers.add(result.position, result.status);
                answers.add(step_mover(movers[0], {nullptr, in_the_way}, mover_settings).position);
                std::vector<Listed<SceneHit>> ray_hits(2000);
                answers.add(scene.find_hits(s.rays, {}, scene_scratch, ray_hits).required);
                std::vector<Listed<SceneImpact>> all_impacts(2000);
                const SphereCast cast = {{s.points[0], 0.25f}, {0.5f, -0.25f, -1}};
                answers.add(scene.find_hits(cast, {}, scene_scratch, all_impacts).required);
                for (const Listed<SceneImpact>& impact : all_impacts) answers.add(impact.found.t);
            },
            true};
}

// Some environments, for slow calls.
std::vector<Environment> some_environments() {
    const std::vector<Environment> all = all_environments();
    return {all[0], all[14], all[5], all[27]};
}

// One box in eight is denormal, the others fill a cube.
const BoxSoa& many_boxes() {
    static const BoxSoa made = [] {
        Random random(7);
        BoxSoa boxes;
        for (std::uint32_t i = 0; i < 12000; ++i) {
            const auto tiny = [&](std::uint32_t reach) {
                return static_cast<float>(random.below(reach)) * 0x1p-149f;
            };
            const Vec3 corner = {tiny(3000000), tiny(3000000), tiny(3000000)};
            const Vec3 extent = {tiny(150000), tiny(150000), tiny(150000)};
            const Aabb box = i % 8 == 0 ? Aabb{corner, corner + extent} : random_box(random, 50, 6);
            REQUIRE(boxes.push_back(box) == Status::ok);
        }
        return boxes;
    }();
    return made;
}

std::vector<EnvironmentCall> large_calls() {
    const BoxSoa& boxes = many_boxes();
    std::vector<EnvironmentCall> calls;
    for (const PairAlgorithm algorithm : {PairAlgorithm::sweep_and_prune, PairAlgorithm::cells}) {
        calls.push_back({std::string("find_pairs by ") + pair_algorithm_name(algorithm),
                         [&, algorithm](const TaskRunner* runner, ResultBytes& answers) {
                             FindPairsSettings settings;
                             settings.algorithm = algorithm;
                             settings.runner = runner;
                             settings.order = PairOrder::by_algorithm;
                             PairBuffer pairs;
                             answers.add(find_pairs(boxes, settings, pairs).status);
                             answers.add_all(pairs);
                         },
                         true});
    }
    calls.push_back(
        {"BoxTree",
         [&](const TaskRunner* runner, ResultBytes& answers) {
             BoxTree tree;
             answers.add(tree.build(boxes, runner), tree.bounds());
             QueryScratch scratch;
             PairBuffer pairs;
             const FindPairsSettings settings = {.order = PairOrder::by_algorithm, .runner = runner};
             answers.add(tree.find_pairs(settings, scratch, pairs).status);
             answers.add_all(pairs);
             pairs.clear();
             const auto add = [&](const IndexPair& pair) { return pairs.push_back(pair); };
             answers.add(tree.any_pair(), tree.visit_pairs({}, add));
             answers.add(tree.any_pair(tree), tree.visit_pairs(tree, {}, add));
             const auto add_near = [&](const ClosePair& near) {
                 answers.add(near.distance, near.target);
                 return near.distance;
             };
             const ClosePair within = tree.closest_pair();
             answers.add(within.distance, within.target, tree.visit_close_pairs({}, add_near));
             const ClosePair between = tree.closest_pair(tree);
             answers.add(between.distance, between.target, tree.visit_close_pairs(tree, {}, add_near));
             answers.add_all(pairs);
         },
         true});
    calls.push_back({"World and PairCache",
                     [&](const TaskRunner* runner, ResultBytes& answers) {
                         World world;
                         std::vector<ObjectHandle> handles(boxes.count());
                         answers.add(world.add(boxes, {}, handles).status);
                         answers.add(world.update(runner).status, world.pairs_hash());
                         PairCache cache(0.05f);
                         FindPairsSettings settings;
                         settings.runner = runner;
                         PairBuffer pairs;
                         FindPairsScratch scratch;
                         for (int frame = 0; frame < 2; ++frame) {
                             answers.add(cache.find_pairs(boxes, settings, scratch, pairs).status);
                             answers.add_all(pairs);
                         }
                         answers.add(world.remove(std::span(handles).first(1000)).status);
                         answers.add(world.update(runner).status, world.pairs_hash());
                     },
                     true});
    return calls;
}

}  // namespace

TEST_CASE("the stage returns the same in every floating-point environment of caller and workers") {
    const EnvironmentShapes shapes(300, 4);
    BoxSoa bounds;
    REQUIRE(triangle_bounds(shapes.triangle_soa, bounds) == Status::ok);
    check_in_every_environment({stage_call(shapes, bounds), clash_call(shapes)}, all_environments());
}

TEST_CASE("calls shared by workers return the same in any environments of the workers' threads") {
    check_in_every_environment(large_calls(), some_environments());
}
