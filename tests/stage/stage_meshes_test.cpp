// The meshes and movers of a CollisionStage: the results of queries of each mesh and of steps of the movers
// alone.
#include "tests/stage/stage_scene.hpp"
#include "tests/support/casts.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/shuffled_runner.hpp"

using namespace broadside;
using namespace broadside::test;

namespace {

struct Meshes {
    TriangleMesh first;
    TriangleMesh second;
    const TriangleMesh* all[2] = {&first, &second};

    explicit Meshes(const std::vector<Triangle>& triangles) {
        for (int part = 0; part < 2; ++part) {
            std::vector<Vec3> vertices;
            std::vector<std::uint32_t> indices;
            for (std::size_t i = static_cast<std::size_t>(part); i < triangles.size(); i += 2) {
                // A mesh refuses corners that are not finite.
                if (!is_finite(triangles[i].a) || !is_finite(triangles[i].b) || !is_finite(triangles[i].c))
                    continue;
                for (const Vec3 corner : {triangles[i].a, triangles[i].b, triangles[i].c}) {
                    indices.push_back(static_cast<std::uint32_t>(vertices.size()));
                    vertices.push_back(corner);
                }
            }
            REQUIRE((part == 0 ? first : second).build(vertices, indices).status == Status::ok);
        }
    }
};

}  // namespace

TEST_CASE("a stage queries all meshes, and steps movers through bodies and meshes, on every ISA and runner") {
    StageScene scene = make_stage_scene(11, 300, false, true);
    const Meshes meshes(scene.triangles);
    std::vector<Mover> movers;
    for (std::size_t i = 0; i < 60; ++i) {
        const Vec3 at = scene.rays[i % scene.rays.size()].origin;
        movers.push_back({{MoverForm::capsule, {}, 0.2f, 0.2f}, at, {0.5f, -0.25f, -1}});
    }
    movers[7].position.x = std::numeric_limits<float>::quiet_NaN();
    StageInput input = scene.input();
    input.meshes = meshes.all;
    input.movers = movers;
    StageSettings settings;
    settings.movers.step_height = 0.3f;
    BoxTree tree;
    REQUIRE(tree.build(input.boxes) == Status::ok);
    std::uint64_t hash = 0;
    for_each_isa([&](Isa isa) {
        ShuffledRunner shuffled(3, 4);
        for (const TaskRunner* runner : {static_cast<const TaskRunner*>(nullptr), shuffled.runner()}) {
            settings.runner = runner;
            CollisionStage stage;
            const StageResult result = stage.step(input, settings);
            REQUIRE(result.status == Status::ok);
            CHECK(result.invalid_mover_count == 1);
            CHECK(result.first_invalid_mover == 7);
            if (isa == Isa::scalar && runner == nullptr) hash = stage.result_hash();
            CHECK(stage.result_hash() == hash);
            std::size_t hit_count = 0;
            for (std::uint32_t i = 0; i < input.rays.size(); ++i) {
                const MeshHit a = meshes.first.closest_hit(input.rays[i]);
                const MeshHit b = meshes.second.closest_hit(input.rays[i]);
                const bool is_second = b.t < a.t;
                const MeshHit& best = is_second ? b : a;
                if (best.target == kNoTriangle) continue;
                REQUIRE(hit_count < stage.mesh_hits().size());
                const Listed<SceneHit>& hit = stage.mesh_hits()[hit_count++];
                CHECK(hit.query == i);
                CHECK(hit.found == SceneHit{best.t, best.u, best.v, {is_second ? 1u : 0u, best.target}});
            }
            CHECK(hit_count == stage.mesh_hits().size());
            std::vector<MeshImpact> of_first(input.obbs.size()), of_second(input.obbs.size());
            const auto casts = casts_of(input.obbs, input.obb_displacements);
            REQUIRE(meshes.first.closest_hits(casts, {}, of_first).status == Status::ok);
            REQUIRE(meshes.second.closest_hits(casts, {}, of_second).status == Status::ok);
            std::size_t impact_count = 0;
            for (std::uint32_t i = 0; i < input.obbs.size(); ++i) {
                const bool is_second = of_second[i].t < of_first[i].t;
                const MeshImpact& best = is_second ? of_second[i] : of_first[i];
                if (best.target == kNoTriangle) continue;
                REQUIRE(impact_count < stage.mesh_impacts().size());
                const Listed<SceneImpact>& impact = stage.mesh_impacts()[impact_count++];
                CHECK(impact.query == i);
                CHECK(impact.found ==
                      SceneImpact{
                          best.t, {is_second ? 1u : 0u, best.target}, best.point, best.normal, best.axis});
            }
            CHECK(impact_count == stage.mesh_impacts().size());
            REQUIRE(stage.mover_results().size() == movers.size());
            for (std::size_t i = 0; i < movers.size(); ++i) {
                if (i == 7) continue;
                CHECK(stage.mover_results()[i] ==
                      step_mover(movers[i], {&tree, input.meshes}, settings.movers));
            }
            // No input: no results left over.
            REQUIRE(stage.step({}, settings).status == Status::ok);
            CHECK(stage.mesh_hits().empty());
            CHECK(stage.mesh_impacts().empty());
            CHECK(stage.mover_results().empty());
        }
    });
}

TEST_CASE("a stage queries a scene of placed meshes, and movers walk on it, on every ISA and runner") {
    StageScene scene = make_stage_scene(12, 300, false, false);
    const Meshes meshes(scene.triangles);
    std::vector<PlacedMesh> instances;
    for (int i = 0; i < 12; ++i) {
        const auto along = static_cast<float>(i) - 6;
        instances.push_back(
            {meshes.all[i % 2], {{0.6f, 0.8f, 0}, {-0.8f, 0.6f, 0}, {0, 0, 1}, {along, 2, 0}}});
    }
    MeshScene placed;
    REQUIRE(placed.build(instances).status == Status::ok);
    std::vector<Mover> movers;
    for (std::size_t i = 0; i < 60; ++i) {
        const Vec3 at = scene.rays[i % scene.rays.size()].origin;
        movers.push_back({{MoverForm::capsule, {}, 0.2f, 0.2f}, at, {0.5f, -0.25f, -1}});
    }
    StageInput input = scene.input();
    input.scene = &placed;
    input.movers = movers;
    StageSettings settings;
    BoxTree tree;
    REQUIRE(tree.build(input.boxes) == Status::ok);
    std::uint64_t hash = 0;
    for_each_isa([&](Isa isa) {
        ShuffledRunner shuffled(3, 4);
        for (const TaskRunner* runner : {static_cast<const TaskRunner*>(nullptr), shuffled.runner()}) {
            for (const bool is_moving : {true, false}) {
                settings.runner = runner;
                StageInput in_step = input;
                if (!is_moving) in_step.obb_displacements = {};
                CollisionStage stage;
                REQUIRE(stage.step(in_step, settings).status == Status::ok);
                CHECK(stage.mesh_hits().empty());
                CHECK(stage.mesh_impacts().empty());
                if (isa == Isa::scalar && runner == nullptr && is_moving) hash = stage.result_hash();
                CHECK((stage.result_hash() == hash) == is_moving);
                std::size_t hit_count = 0;
                for (std::uint32_t i = 0; i < input.rays.size(); ++i) {
                    const SceneHit hit = placed.closest_hit(input.rays[i]);
                    if (hit.target.instance_index == kNoInstance) continue;
                    REQUIRE(hit_count < stage.scene_hits().size());
                    CHECK(stage.scene_hits()[hit_count].query == i);
                    CHECK(stage.scene_hits()[hit_count++].found == hit);
                }
                CHECK(hit_count == stage.scene_hits().size());
                CHECK(hit_count > 10);
                std::size_t impact_count = 0;
                for (std::uint32_t i = 0; i < input.obbs.size(); ++i) {
                    const SceneImpact impact = placed.closest_hit(
                        ObbCast{input.obbs[i], is_moving ? input.obb_displacements[i] : Vec3{}});
                    if (impact.target.instance_index == kNoInstance) continue;
                    REQUIRE(impact_count < stage.scene_impacts().size());
                    CHECK(stage.scene_impacts()[impact_count].query == i);
                    CHECK(stage.scene_impacts()[impact_count++].found == impact);
                }
                CHECK(impact_count == stage.scene_impacts().size());
                CHECK(impact_count > 10);
                REQUIRE(stage.mover_results().size() == movers.size());
                std::size_t blocked_count = 0;
                for (std::size_t i = 0; i < movers.size(); ++i) {
                    const MoverResult alone = step_mover(movers[i], {&tree, {}, &placed}, settings.movers);
                    CHECK(stage.mover_results()[i] == alone);
                    if (alone != step_mover(movers[i], {&tree}, settings.movers)) ++blocked_count;
                }
                CHECK(blocked_count > 5);
                // No input: no results left over.
                REQUIRE(stage.step({}, settings).status == Status::ok);
                CHECK(stage.scene_hits().empty());
                CHECK(stage.scene_impacts().empty());
            }
        }
    });
}

TEST_CASE("a stage refuses a mesh that is null") {
    const TriangleMesh* const meshes[1] = {nullptr};
    StageInput input;
    input.meshes = meshes;
    CollisionStage stage;
    check_refused({{"meshes: one is null", [&] { return stage.step(input).status; }}});
}
