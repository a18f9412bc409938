// Every call of the library that takes a TaskRunner, with an invalid one and with numbers of workers that no
// machine has.
#include "tests/broadphase/exact/exact_oracle.hpp"
#include "tests/broadphase/tree/box_tree_oracle.hpp"
#include "tests/broadphase/world/support.hpp"
#include "tests/guards/source_tree.hpp"
#include "tests/stage/stage_scene.hpp"
#include "tests/support/answers.hpp"
#include "tests/support/casts.hpp"
#include "tests/support/thread_runner.hpp"

#include <broadside/bits.hpp>
#include <broadside/clash.hpp>
#include <broadside/mesh.hpp>
#include <broadside/mesh_scene.hpp>
#include <broadside/mover.hpp>
#include <broadside/pair_cache.hpp>
#include <broadside/world_query.hpp>
#include <broadside/world_view.hpp>

#include <algorithm>
#include <regex>
#include <string>
#include <thread>

using namespace broadside;
using namespace broadside::test;

namespace {

// The inputs of the calls: large enough for the calls that split their work.
constexpr std::size_t kCount = 20000;
struct Material {
    std::vector<Aabb> boxes = make_scene(pair_scenes()[0], kCount, 1);
    BoxSoa soa = soa_of(boxes);
    BoxSoa few = soa_of(make_scene(pair_scenes()[0], 2000, 2));
    std::vector<Aabb> later_boxes = boxes;
    BoxSoa later;
    std::vector<std::uint64_t> mover_bits = std::vector<std::uint64_t>(bit_word_count(kCount));
    TreeQuestions questions = make_questions(boxes, 300, 3);

    Material() {
        for (std::size_t i = 0; i < mover_bits.size(); i += 3) mover_bits[i] = 0x8001;
        for (std::size_t i = 0; i < kCount; i += 40) {
            later_boxes[i] = {boxes[i].min + Vec3{1, 0, 2}, boxes[i].max + Vec3{1, 0, 2}};
        }
        later = soa_of(later_boxes);
    }
};
const Material& material() {
    static const Material all;
    return all;
}

// The outcome of calls with one runner.
class Log {
public:
    Answers answers;

    void add(const std::string& call, Status status) { outcomes_.push_back({call, status}); }
    void require_all(Status status) const {
        REQUIRE_FALSE(outcomes_.empty());
        for (const Outcome& outcome : outcomes_) {
            INFO(outcome.call << ": " << status_name(outcome.status));
            CHECK(outcome.status == status);
        }
    }

private:
    struct Outcome {
        std::string call;
        Status status;
    };
    std::vector<Outcome> outcomes_;
};

void call_find_pairs(const TaskRunner* runner, Log& out_log) {
    const Material& m = material();
    FindPairsScratch scratch;
    PairBuffer pairs;
    const auto add = [&](const std::string& call, const FindPairsResult& result) {
        out_log.add(call, result.status);
        out_log.answers.add_pairs(pairs);
    };
    FindPairsSettings settings;
    settings.runner = runner;
    for (const PairOrder order : {PairOrder::canonical, PairOrder::by_algorithm}) {
        settings.order = order;
        for (const PairAlgorithm algorithm : {PairAlgorithm::automatic, PairAlgorithm::brute_force,
                                              PairAlgorithm::sweep_and_prune, PairAlgorithm::cells}) {
            settings.algorithm = algorithm;
            const BoxSoa& boxes = algorithm == PairAlgorithm::brute_force ? m.few : m.soa;
            const std::string name = std::string("find_pairs, ") + pair_algorithm_name(algorithm);
            add(name, find_pairs(boxes, settings, scratch, pairs));
            add(name + ", two sets", find_pairs(boxes, m.few, settings, scratch, pairs));
        }
    }
    settings = {};
    settings.runner = runner;
    add("find_pairs, no scratch", find_pairs(m.soa, settings, pairs));
    PairCache cache(0.05f);
    add("PairCache::find_pairs, new", cache.find_pairs(m.soa, settings, scratch, pairs));
    for (int i = 0; i < 6; ++i) REQUIRE(cache.find_pairs(m.soa, {}, scratch, pairs).status == Status::ok);
    add("PairCache::find_pairs, used", cache.find_pairs(m.later, settings, scratch, pairs));
    settings.filter.subset_bits = m.mover_bits;
    add("find_pairs, subset", find_pairs(m.soa, settings, scratch, pairs));
    RestingBoxes resting;
    REQUIRE(resting.build(m.soa, m.mover_bits) == Status::ok);
    add("RestingBoxes::find_pairs", resting.find_pairs(m.soa, settings, scratch, pairs));
    out_log.add("RestingBoxes::build", resting.build(m.soa, m.mover_bits, runner));
    out_log.answers.add(resting.resting_count());
    out_log.answers.add(resting.find_moved_box(m.later, {}));
    out_log.add("RestingBoxes::build, in a scratch", resting.build(m.soa, m.mover_bits, runner, scratch));
    settings.runner = nullptr;
    REQUIRE(
        (!resting.is_built() || resting.find_pairs(m.soa, settings, scratch, pairs).status == Status::ok));
    out_log.answers.add_pairs(pairs);
}

void call_exact_boxes(const TaskRunner* runner, Log& out_log) {
    FindPairsScratch scratch;
    QueryScratch tree_scratch;
    PairBuffer pairs;
    for (const auto& scene : exact_scenes<double>(300, 1)) {
        out_log.add("find_pairs, exact", find_pairs(scene.view(), {.runner = runner}, scratch, pairs).status);
        out_log.answers.add_pairs(pairs);
        ExactBoxTree<double> tree;
        out_log.add("ExactBoxTree::build", tree.build(scene.view(), runner));
        out_log.add("ExactBoxTree::find_overlaps",
                    tree.find_overlaps(scene.view(), {.runner = runner}, tree_scratch, pairs).status);
        out_log.answers.add_pairs(pairs);
        std::vector<std::uint64_t> bits(bit_word_count(scene.count()));
        out_log.add("ExactBoxTree::any_overlap",
                    tree.any_overlap(scene.view(), {.runner = runner}, tree_scratch, bits).status);
        out_log.add("ExactBoxTree::find_pairs",
                    tree.find_pairs({.runner = runner}, tree_scratch, pairs).status);
        out_log.answers.add_pairs(pairs);
    }
}

void add_hits(const AlignedArray<Listed<TreeHit>>& hits, Answers& out_answers) {
    out_answers.add_all(hits, [&](const Listed<TreeHit>& hit) {
        out_answers.add(hit.query);
        out_answers.add(hit.found.target);
        out_answers.add(hit.found.t);
    });
}
void add_hits(const AlignedArray<Listed<WorldHit>>& hits, Answers& out_answers) {
    out_answers.add_all(hits, [&](const Listed<WorldHit>& hit) {
        out_answers.add(hit.query);
        out_answers.add(hit.found.target.value);
        out_answers.add(hit.found.t);
    });
}
std::uint64_t name_of(const TreeHit& box) { return box.target; }
std::uint64_t name_of(const WorldHit& object) { return object.target.value; }
std::uint64_t name_of(const ClosestBox& box) { return box.target; }
std::uint64_t name_of(const ClosestObject& object) { return object.target.value; }

// Rays, casts and overlaps, which trees and worlds have under the same names.
template <class Hit, class First, class Asked, class Settings, class Scratch, class Overlaps,
          class AddOverlaps>
void call_common_queries(const Asked& asked, const Settings& settings, Scratch& scratch, Overlaps& overlaps,
                         AddOverlaps&& add_overlaps, Log& out_log) {
    const TreeQuestions& questions = material().questions;
    std::vector<std::uint64_t> bits(bit_word_count(questions.rays.size()));
    std::vector<First> first(questions.rays.size());
    AlignedArray<Hit> hits;
    const auto add = [&](const char* call, const auto& result) {
        out_log.add(call, result.status);
        out_log.answers.add(bits);
        add_hits(hits, out_log.answers);
        for (const First& item : first) out_log.answers.add(name_of(item));
        add_overlaps(overlaps, out_log.answers);
    };
    const auto add_shapes = [&](const auto& shapes) {
        const std::span queries(shapes);
        add("find_overlaps", asked.find_overlaps(queries, settings, scratch, overlaps));
        add("any_overlap", asked.any_overlap(queries, settings, bits));
        std::vector<std::uint32_t> motions(queries.size());
        add("first_overlaps", asked.first_overlaps(queries, 1, settings, motions));
        out_log.answers.add(motions);
    };
    add_shapes(questions.boxes);
    add_shapes(questions.points);
    add_shapes(questions.spheres);
    add_shapes(questions.obbs);
    add_shapes(questions.volumes);
    add("find_hits", asked.find_hits(questions.rays, settings, scratch, hits));
    add("any_hit", asked.any_hit(questions.rays, settings, bits));
    const std::span<const BoxCast> casts = questions.casts;
    add("find_impacts, boxes", asked.find_hits({casts, Touch::closed}, settings, scratch, hits));
    add("closest_hits, boxes", asked.closest_hits({casts, Touch::closed}, settings, first));
    add("any_impact, boxes", asked.any_hit({casts, Touch::closed}, settings, bits));
    const std::span<const SphereCast> spheres = questions.sphere_casts;
    add("find_impacts, spheres", asked.find_hits(spheres, settings, scratch, hits));
    add("closest_hits, spheres", asked.closest_hits(spheres, settings, first));
    add("any_impact, spheres", asked.any_hit(spheres, settings, bits));
}

void call_trees(const TaskRunner* runner, Log& out_log) {
    const Material& m = material();
    QueryScratch scratch;
    PairBuffer pairs;
    // The order of the tree, which differs if the tree does.
    TreeQuerySettings by_algorithm;
    by_algorithm.order = PairOrder::by_algorithm;
    const auto add = [&](const char* call, Status status, const BoxTree& tree) {
        out_log.add(call, status);
        out_log.answers.add(tree.growth());
        const std::span<const Aabb> queries = m.questions.boxes;
        REQUIRE(tree.find_overlaps(queries, by_algorithm, scratch, pairs).status == Status::ok);
        out_log.answers.add_pairs(pairs);
    };
    BoxTree built;
    add("BoxTree::build", built.build(m.soa, runner), built);
    BoxTree of_subset;
    add("BoxTree::build_subset", of_subset.build_subset(m.soa, m.mover_bits, runner), of_subset);
    BoxTree tree;
    REQUIRE(tree.build(m.soa) == Status::ok);
    add("BoxTree::refit", tree.refit(m.later, runner), tree);
    add("BoxTree::update", tree.update(m.soa, runner), tree);
    BoxTree other;
    REQUIRE(other.build(m.soa) == Status::ok);
    add("BoxTree::update, other boxes", other.update(m.few, runner), other);

    FindPairsSettings pair_settings;
    pair_settings.runner = runner;
    for (const PairOrder order : {PairOrder::canonical, PairOrder::by_algorithm}) {
        pair_settings.order = order;
        out_log.add("BoxTree::find_pairs", tree.find_pairs(pair_settings, scratch, pairs).status);
        out_log.answers.add_pairs(pairs);
        out_log.add("BoxTree::find_pairs, two trees",
                    tree.find_pairs(other, pair_settings, scratch, pairs).status);
        out_log.answers.add_pairs(pairs);
    }
    TreeQuerySettings settings;
    settings.runner = runner;
    call_common_queries<Listed<TreeHit>, TreeHit>(
        tree, settings, scratch, pairs,
        [](const PairBuffer& list, Answers& out_answers) { out_answers.add_pairs(list); }, out_log);
    std::vector<TreeHit> closest(m.questions.rays.size());
    out_log.add("closest_hits", tree.closest_hits(m.questions.rays, settings, closest).status);
    for (const TreeHit& box : closest) out_log.answers.add(name_of(box));
    std::vector<ClosestBox> near(3 * m.questions.points.size());
    out_log.add("closest_boxes", tree.closest_boxes(m.questions.points, {.count = 3}, settings, near).status);
    for (const ClosestBox& box : near) out_log.answers.add(name_of(box));
}

void add_world(const World& world, Answers& out_answers) {
    out_answers.add(world.pairs_hash());
    out_answers.add(world.pair_count());
    out_answers.add(world.begun().size());
    out_answers.add(world.ended().size());
}

void call_world(const TaskRunner* runner, Log& out_log) {
    const Material& m = material();
    World world;
    std::vector<ObjectHandle> handles(kCount);
    REQUIRE(world.add(m.soa, {}, handles).status == Status::ok);
    const auto update_world = [&](const char* call) {
        out_log.add(call, world.update(runner).status);
        add_world(world, out_log.answers);
    };
    update_world("World::update, all new");
    update(world);
    update_world("World::update, nothing changed");
    // Movers among resting objects, then so many that all are tested.
    for (int frame = 0; frame < 6; ++frame) {
        const std::vector<Aabb>& boxes = frame % 2 == 0 ? m.later_boxes : m.boxes;
        for (std::size_t i = 0; i < kCount; i += 40)
            REQUIRE(world.set_box(handles[i], boxes[i]) == Status::ok);
        update_world("World::update, some moved");
    }
    for (int frame = 0; frame < 3; ++frame) {
        REQUIRE(world.shift_origin({1, 0, 0}) == Status::ok);
        update_world("World::update, all moved");
    }
    for (int frame = 0; frame < 2; ++frame) {
        const BoxSoaView boxes = m.soa;
        out_log.add("World::set_boxes", world.set_boxes(handles, boxes, runner).status);
        update_world("World::update, boxes set by tasks");
        REQUIRE(world.shift_origin({1, 0, 0}) == Status::ok);
    }
    const WorldQueries built = world.queries(runner);
    out_log.add("World::queries", built.status());
    const WorldView view = world.view(runner);
    out_log.add("World::view", view.status());

    const WorldQueries queries = world.queries();
    REQUIRE(queries.status() == Status::ok);
    WorldQuerySettings settings;
    settings.runner = runner;
    QueryScratch scratch;
    AlignedArray<Listed<ObjectHandle>> overlaps;
    call_common_queries<Listed<WorldHit>, WorldHit>(
        queries, settings, scratch, overlaps,
        [](const AlignedArray<Listed<ObjectHandle>>& list, Answers& out_answers) {
            out_answers.add_all(list, [&](const Listed<ObjectHandle>& item) {
                out_answers.add(item.query);
                out_answers.add(item.found.value);
            });
        },
        out_log);
    std::vector<WorldHit> closest(m.questions.rays.size());
    out_log.add("closest_hits", queries.closest_hits(m.questions.rays, settings, closest).status);
    for (const WorldHit& object : closest) out_log.answers.add(name_of(object));
    std::vector<ClosestObject> near(3 * m.questions.points.size());
    out_log.add("closest_objects",
                queries.closest_objects(m.questions.points, {.count = 3}, settings, near).status);
    for (const ClosestObject& object : near) out_log.answers.add(name_of(object));
}

void call_stage(const TaskRunner* runner, Log& out_log) {
    StageScene scene = make_stage_scene(5, 3000, false, true);
    const StageInput input = scene.input();
    CollisionStage stage;
    StageSettings settings;
    settings.runner = runner;
    for (const RayReport report : {RayReport::closest, RayReport::all}) {
        settings.ray_report = report;
        out_log.add("CollisionStage::step", stage.step(input, settings).status);
        out_log.answers.add(stage.result_hash());
    }
    out_log.add("CollisionStage::step, nothing to do", stage.step({}, settings).status);
}

void call_mesh(const TaskRunner* runner, Log& out_log) {
    std::vector<Vec3> vertices;
    std::vector<std::uint32_t> indices;
    for (const Aabb& box : material().boxes) {
        for (const Vec3 corner : {box.min, Vec3{box.max.x, box.min.y, box.min.z}, box.max}) {
            indices.push_back(static_cast<std::uint32_t>(vertices.size()));
            vertices.push_back(corner);
        }
    }
    TriangleMesh built;
    out_log.add("TriangleMesh::build", built.build(vertices, indices, runner).status);
    std::vector<std::byte> bytes(built.snapshot_bytes());
    REQUIRE(built.save(bytes) == Status::ok);
    for (const std::byte byte : bytes) out_log.answers.add(static_cast<std::uint32_t>(byte));
    static const TriangleMesh mesh = [&] {
        TriangleMesh made;
        REQUIRE(made.build(vertices, indices).status == Status::ok);
        return made;
    }();
    std::vector<Ray> rays;
    for (std::size_t i = 0; i < 1000; ++i) rays.push_back({material().boxes[i].min, {1, 0.5f, 0.25f}});
    std::vector<MeshHit> closest(rays.size());
    out_log.add("TriangleMesh::closest_hits", mesh.closest_hits(rays, {.runner = runner}, closest).status);
    for (const MeshHit& hit : closest) {
        out_log.answers.add(hit.t);
        out_log.answers.add(hit.target);
    }
    std::vector<std::uint64_t> bits(bit_word_count(rays.size()));
    out_log.add("TriangleMesh::any_hit", mesh.any_hit(rays, {.runner = runner}, bits).status);
    out_log.answers.add(bits);
    std::vector<Vec3> points;
    std::vector<Sphere> spheres;
    std::vector<Obb> obbs;
    for (const Ray& ray : rays) {
        points.push_back(ray.origin);
        spheres.push_back({ray.origin, 0.5f});
        obbs.push_back({ray.origin, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5f, 0.25f, 0.125f}});
    }
    out_log.add("TriangleMesh::any_overlap", mesh.any_overlap(spheres, {runner}, bits).status);
    out_log.answers.add(bits);
    out_log.add("TriangleMesh::any_overlap, oriented", mesh.any_overlap(obbs, {runner}, bits).status);
    out_log.answers.add(bits);
    std::vector<std::uint32_t> motions(obbs.size());
    out_log.add("TriangleMesh::first_overlaps", mesh.first_overlaps(obbs, 1, {runner}, motions).status);
    out_log.answers.add(motions);
    std::vector<PlacedMesh> placed;
    for (std::uint32_t i = 0; i < 100; ++i) {
        const float place = static_cast<float>(i);
        placed.push_back({&mesh, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {place, 0.25f * place, 0}}});
    }
    ClashScratch scratch;
    std::vector<Clash> clashes(5000);
    MeshRelationSettings settings;
    settings.runner = runner;
    const ClashResult clashing = find_clashes(placed, settings, scratch, std::span(clashes));
    out_log.add("find_clashes", clashing.status);
    out_log.answers.add(clashing.required);
    for (std::size_t i = 0; i < clashing.written; ++i) out_log.answers.add(clashes[i].relation);
    MeshScene scene;
    out_log.add("MeshScene::build", scene.build(placed, runner).status);
    out_log.add("MeshScene::update", scene.update(std::vector<Transform>(placed.size()), runner).status);
    std::vector<SceneHit> of_scene(rays.size());
    out_log.add("MeshScene::closest_hits", scene.closest_hits(rays, {.runner = runner}, of_scene).status);
    for (const SceneHit& hit : of_scene) out_log.answers.add(hit.target.instance_index);
    out_log.add("MeshScene::any_hit", scene.any_hit(rays, {.runner = runner}, bits).status);
    out_log.answers.add(bits);
    out_log.add("MeshScene::any_overlap", scene.any_overlap(spheres, {runner}, bits).status);
    out_log.answers.add(bits);
    out_log.add("MeshScene::any_overlap, oriented", scene.any_overlap(obbs, {runner}, bits).status);
    out_log.answers.add(bits);
    std::vector<SceneClosestPoint> near_in_scene(points.size());
    out_log.add("MeshScene::closest_points", scene.closest_points(points, {runner}, near_in_scene).status);
    for (const SceneClosestPoint& point : near_in_scene) out_log.answers.add(point.target.instance_index);
    std::vector<MeshImpact> impacts(obbs.size());
    out_log.add("TriangleMesh::closest_hits, oriented boxes",
                mesh.closest_hits(casts_of(obbs, points), {runner}, impacts).status);
    for (const MeshImpact& impact : impacts) out_log.answers.add(impact.t);
    std::vector<Capsule> capsules;
    std::vector<Mover> movers;
    for (const Sphere& sphere : spheres) {
        capsules.push_back({sphere.center, sphere.center + Vec3{0, 1, 0}, sphere.radius});
        movers.push_back({{MoverForm::sphere, {}, 0.25f, 0}, sphere.center, {0.5f, 0.25f, -0.5f}});
    }
    std::vector<SceneImpact> scene_impacts(obbs.size());
    out_log.add("MeshScene::closest_hits, oriented boxes",
                scene.closest_hits(casts_of(obbs, points), {runner}, scene_impacts).status);
    for (const SceneImpact& impact : scene_impacts) out_log.answers.add(impact.t);
    std::vector<SceneImpact> scene_shape_impacts(obbs.size());
    out_log.add("MeshScene::closest_hits, spheres",
                scene.closest_hits(casts_of(spheres, points), {runner}, scene_shape_impacts).status);
    for (const SceneImpact& impact : scene_shape_impacts) out_log.answers.add(impact.t);
    out_log.add("MeshScene::closest_hits, capsules",
                scene.closest_hits(casts_of(capsules, points), {runner}, scene_shape_impacts).status);
    for (const SceneImpact& impact : scene_shape_impacts) out_log.answers.add(impact.t);
    out_log.add("MeshScene::any_overlap, boxes",
                scene.any_overlap(std::span(material().boxes).first(rays.size()), {runner}, bits).status);
    out_log.answers.add(bits);
    out_log.add("MeshScene::any_overlap, capsules", scene.any_overlap(capsules, {runner}, bits).status);
    out_log.answers.add(bits);
    std::vector<MeshImpact> shape_impacts(obbs.size());
    out_log.add("TriangleMesh::closest_hits, spheres",
                mesh.closest_hits(casts_of(spheres, points), {runner}, shape_impacts).status);
    for (const MeshImpact& impact : shape_impacts) out_log.answers.add(impact.t);
    out_log.add("TriangleMesh::closest_hits, capsules",
                mesh.closest_hits(casts_of(capsules, points), {runner}, shape_impacts).status);
    for (const MeshImpact& impact : shape_impacts) out_log.answers.add(impact.t);
    out_log.add("TriangleMesh::any_overlap, boxes",
                mesh.any_overlap(std::span(material().boxes).first(rays.size()), {runner}, bits).status);
    out_log.answers.add(bits);
    out_log.add("TriangleMesh::any_overlap, capsules", mesh.any_overlap(capsules, {runner}, bits).status);
    out_log.answers.add(bits);
    std::vector<float> scene_distances(points.size());
    out_log.add("MeshScene::signed_distances",
                scene.signed_distances(points, {runner}, scene_distances).status);
    for (const float distance : scene_distances) out_log.answers.add(distance);
    out_log.add("MeshScene::contain", scene.contain(points, {runner}, bits).status);
    out_log.answers.add(bits);
    const TriangleMesh* const meshes[1] = {&mesh};
    MoverSettings mover_settings;
    mover_settings.runner = runner;
    std::vector<MoverResult> moved(movers.size());
    out_log.add("step_movers", step_movers(movers, {nullptr, meshes}, mover_settings, moved).status);
    for (const MoverResult& result : moved) out_log.answers.add(result.position);
    std::vector<MeshClosestPoint> near(points.size());
    out_log.add("TriangleMesh::closest_points", mesh.closest_points(points, {runner}, near).status);
    for (const MeshClosestPoint& closest_one : near) out_log.answers.add(closest_one.target);
    std::vector<float> distances(points.size());
    out_log.add("TriangleMesh::signed_distances", mesh.signed_distances(points, {runner}, distances).status);
    for (const float distance : distances) out_log.answers.add(distance);
    out_log.add("TriangleMesh::contain", mesh.contain(points, {runner}, bits).status);
    out_log.answers.add(bits);
}

using Calls = void (*)(const TaskRunner* runner, Log& out_log);
constexpr Calls kAllCalls[] = {call_find_pairs, call_exact_boxes, call_trees,
                               call_world,      call_mesh,        call_stage};

// Worst cases of a scheduler. Each runs the tasks in an order of its own: from the middle on, or backwards on
// another thread, or backwards with other work of the program between them.
enum class Manner { from_the_middle, elsewhere, nested };
struct HostileRunner {
    Manner manner;
    std::size_t run_count = 0;
    std::size_t other_count = 0;
    std::uint32_t depth = 0;
    TaskRunner runner = {&parallel_for, this, 5};

    explicit HostileRunner(Manner manner_in) : manner(manner_in) {}
    HostileRunner(const HostileRunner&) = delete;
    HostileRunner& operator=(const HostileRunner&) = delete;

    // A thread that waits for its tasks takes other work of the program, which calls the library, too.
    void do_other_work() {
        if (manner != Manner::nested || depth != 0 || run_count > 40) return;
        ++depth;
        ++other_count;
        FindPairsSettings settings;
        settings.runner = &runner;
        FindPairsScratch scratch;
        PairBuffer pairs;
        REQUIRE(find_pairs(material().soa, settings, scratch, pairs).status == Status::ok);
        --depth;
    }
    static void parallel_for(void* user, std::uint32_t task_count, TaskFunction task,
                             void* context) noexcept {
        auto& self = *static_cast<HostileRunner*>(user);
        ++self.run_count;
        const auto run_all = [&] {
            for (std::uint32_t i = 0; i < task_count; ++i) {
                const std::uint32_t from_the_middle = (i + task_count / 2) % task_count;
                task(context, self.manner == Manner::from_the_middle ? from_the_middle : task_count - 1 - i);
                self.do_other_work();
            }
        };
        // None runs on the caller's thread, nor before the caller waits for all.
        if (self.manner == Manner::elsewhere)
            std::thread(run_all).join();
        else
            run_all();
    }
};

void run_in_turn(void* user, std::uint32_t task_count, TaskFunction task, void* context) noexcept {
    ++*static_cast<std::size_t*>(user);
    for (std::uint32_t i = 0; i < task_count; ++i) task(context, i);
}

}  // namespace

TEST_CASE("a runner without a function is an invalid argument to every call that takes one") {
    const TaskRunner none = {nullptr, nullptr, 4};
    for (const Calls calls : kAllCalls) {
        Log log;
        calls(&none, log);
        log.require_all(Status::invalid_argument);
    }
}

TEST_CASE("no result depends on the number of workers that a runner claims, be it zero or any other") {
    for (const Calls calls : kAllCalls) {
        Log expected;
        calls(nullptr, expected);
        expected.require_all(Status::ok);
        // The clamping by worker_count() of other numbers, and that nothing bypasses it, is tested below.
        for (const std::uint32_t worker_count : {0u, 3u, ~0u}) {
            INFO(worker_count << " workers");
            std::size_t run_count = 0;
            const TaskRunner runner = {run_in_turn, &run_count, worker_count};
            Log log;
            calls(&runner, log);
            log.require_all(Status::ok);
            CHECK(log.answers == expected.answers);
            CHECK(run_count != 0);
        }
    }
}

TEST_CASE("no result depends on when, where and in which order a runner runs the tasks") {
    for (const Calls calls : kAllCalls) {
        Log expected;
        calls(nullptr, expected);
        for (const Manner manner : {Manner::from_the_middle, Manner::elsewhere, Manner::nested}) {
            INFO("manner " << static_cast<int>(manner));
            HostileRunner hostile(manner);
            Log log;
            calls(&hostile.runner, log);
            log.require_all(Status::ok);
            CHECK(log.answers == expected.answers);
            CHECK(hostile.run_count != 0);
            CHECK((hostile.other_count != 0) == (manner == Manner::nested));
        }
    }
}

// The form of every call that runs under ThreadSanitizer.
TEST_CASE("no result depends on which thread of a runner takes a task") {
    for (const Calls calls : kAllCalls) {
        Log expected;
        calls(nullptr, expected);
        Threads threads(3);
        Log log;
        calls(threads.runner(), log);
        log.require_all(Status::ok);
        CHECK(log.answers == expected.answers);
    }
}

TEST_CASE("work is split for 1 to kMaxWorkerCount workers, whatever a runner claims") {
    CHECK(worker_count(nullptr) == 1);
    for (const std::uint32_t claimed :
         {0u, 1u, 2u, kMaxWorkerCount, kMaxWorkerCount + 1, 1u << 29, 1u << 30, 1u << 31, ~0u}) {
        const TaskRunner runner = {run_in_turn, nullptr, claimed};
        CHECK(worker_count(&runner) == std::clamp(claimed, 1u, kMaxWorkerCount));
    }
    static const std::regex claim(R"((\.|->)worker_count\b)");
    for (const SourceFile& file : source_files({"core", "simd", "broadphase", "narrowphase", "stage"})) {
        INFO(file.path);
        CHECK((file.name() == "task_runner.hpp" || !std::regex_search(file.text, claim)));
    }
}

TEST_CASE("a call that refuses its runner leaves its object as it was") {
    const Material& m = material();
    const TaskRunner none = {nullptr, nullptr, 4};
    BoxTree tree;
    REQUIRE(tree.build(m.few) == Status::ok);
    const TreeAnswers before = TreeAsker(tree, m.questions, {}).ask(Inside::zero, Touch::closed);
    CHECK(tree.build(m.soa, &none) == Status::invalid_argument);
    CHECK(tree.build_subset(m.soa, m.mover_bits, &none) == Status::invalid_argument);
    CHECK(tree.update(m.soa, &none) == Status::invalid_argument);
    CHECK((TreeAsker(tree, m.questions, {}).ask(Inside::zero, Touch::closed) == before));

    // Refused at each frame of one world, which must end like the other.
    World refused;
    World undisturbed;
    std::vector<ObjectHandle> handles(kCount);
    for (World* world : {&refused, &undisturbed}) {
        REQUIRE(world->add(m.soa, {}, handles).status == Status::ok);
        for (int frame = 0; frame < 8; ++frame) {
            const std::vector<Aabb>& boxes = frame % 2 == 0 ? m.later_boxes : m.boxes;
            const std::size_t one_in = frame < 6 ? 40 : 1;
            for (std::size_t i = 0; i < kCount; i += one_in)
                REQUIRE(world->set_box(handles[i], boxes[i]) == Status::ok);
            if (world == &refused) {
                const std::size_t pair_count = world->pair_count();
                const UpdateResult result = world->update(&none);
                CHECK(result.status == Status::invalid_argument);
                CHECK(result.pair_count == pair_count);
                CHECK(world->pair_count() == pair_count);
                CHECK(world->queries(&none).status() == Status::invalid_argument);
                CHECK(world->set_boxes(handles, m.soa, &none).status == Status::invalid_argument);
                const BoxAosView structs = {boxes.data(), sizeof(Aabb), 0, sizeof(Vec3), kCount};
                CHECK(world->set_boxes(handles, structs, &none).status == Status::invalid_argument);
                const std::vector<double> row(6 * kCount);
                const auto doubles = ExactBoxView<double>::rows(row.data(), kCount, 3);
                CHECK(world->set_boxes(handles, doubles, &none).status == Status::invalid_argument);
                CHECK(world->publish(&none) == Status::invalid_argument);
            }
            update(*world);
        }
    }
    Answers of_refused;
    Answers of_undisturbed;
    add_world(refused, of_refused);
    add_world(undisturbed, of_undisturbed);
    CHECK(of_refused == of_undisturbed);
    CHECK(refused.is_consistent());
}

// A new call is added above.
TEST_CASE("every call that takes a runner is tested here") {
    static const std::regex entry(R"(const TaskRunner\* runner = nullptr[;,)])");
    std::size_t entry_count = 0;
    for (const SourceFile& file : source_files({"core", "simd", "broadphase", "narrowphase", "stage"})) {
        if (!file.is_public_header()) continue;
        entry_count += static_cast<std::size_t>(std::distance(
            std::sregex_iterator(file.text.begin(), file.text.end(), entry), std::sregex_iterator()));
    }
    // Settings of find_pairs, of queries of a tree, of queries of a world, of queries of a mesh, of relations of
    // meshes, of movers and of the stage; RestingBoxes::build, the four of BoxTree, the one of ExactBoxTree, the one of TriangleMesh and the two of MeshScene that change it, the
    // three of World::set_boxes, World::update, World::queries, World::publish and World::view.
    CHECK(entry_count == 23);
}
