// The zones of the library's calls: every zone of the sources appears in a trace of all algorithms and
// objects, tasks lie inside their phases and on the threads that ran them, and the documentation lists them
// all.
#include "tests/guards/source_tree.hpp"
#include "tests/support/alternating_runner.hpp"
#include "tests/support/folders.hpp"
#include "tests/zones/trace_reader.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/box_tree.hpp>
#include <broadside/clash.hpp>
#include <broadside/collision_stage.hpp>
#include <broadside/exact_box_tree.hpp>
#include <broadside/mesh.hpp>
#include <broadside/mesh_distance.hpp>
#include <broadside/mesh_pairs.hpp>
#include <broadside/mesh_scene.hpp>
#include <broadside/mover.hpp>
#include <broadside/obb_tree.hpp>
#include <broadside/pair_cache.hpp>
#include <broadside/scenes/box_scene.hpp>
#include <broadside/scenes/street_scene.hpp>
#include <broadside/sphere_tree.hpp>
#include <broadside/world_query.hpp>

#include <cmath>
#include <regex>

using namespace broadside;
using namespace broadside::test;

namespace {

BoxSoa boxes_of(const std::vector<Aabb>& made) {
    BoxSoa boxes;
    REQUIRE(boxes.assign({.data = made.data(), .stride_bytes = sizeof(Aabb), .count = made.size()}) ==
            Status::ok);
    return boxes;
}
BoxSoa boxes_of(scenes::Layout layout, std::size_t count) {
    return boxes_of(scenes::make_boxes(layout, count));
}

// Every algorithm on one set and on two, and the cells with boxes larger than they are.
void call_algorithms(const TaskRunner* runner) {
    BoxScratch scratch;
    PairBuffer pairs;
    const BoxSoa uniform = boxes_of(scenes::Layout::uniform, 6000);
    const BoxSoaView view = uniform;
    for (const PairAlgorithm algorithm :
         {PairAlgorithm::brute_force, PairAlgorithm::sweep_and_prune, PairAlgorithm::cells}) {
        FindPairsSettings settings;
        settings.algorithm = algorithm;
        settings.runner = runner;
        REQUIRE(find_pairs(view, settings, scratch, pairs).status == Status::ok);
        REQUIRE(find_pairs(view.part(0, 3000), view.part(3000, 3000), settings, scratch, pairs).status ==
                Status::ok);
    }
    FindPairsSettings settings;
    settings.algorithm = PairAlgorithm::cells;
    settings.runner = runner;
    std::vector<Aabb> few_large = scenes::make_boxes(scenes::Layout::uniform, 20000);
    for (std::size_t i = 7; i < few_large.size(); i += 200)
        few_large[i].max = few_large[i].min + Vec3{30, 30, 30};
    REQUIRE(find_pairs(boxes_of(few_large), settings, scratch, pairs).plan.large_count != 0);
    // More distant positions than an axis tells apart: a cell holds crowds.
    std::vector<Aabb> places = scenes::make_boxes(scenes::Layout::uniform, 25600);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto place = static_cast<float>(i % 64);
        const Vec3 offset = Vec3{place, std::fmod(place * 37, 64.0f), std::fmod(place * 23, 64.0f)} * 1e4f;
        places[i] = {places[i].min + offset, places[i].max + offset};
    }
    REQUIRE(find_pairs(boxes_of(places), settings, scratch, pairs).status == Status::ok);
    // Each long on one of the axes.
    std::vector<Aabb> sticks = scenes::make_boxes(scenes::Layout::uniform, 12000);
    for (std::size_t i = 0; i < sticks.size(); ++i) {
        sticks[i] = {sticks[i].min * 8.0f, sticks[i].min * 7.0f + sticks[i].max};
        (&sticks[i].max.x)[i % 3] += 120;
    }
    settings.algorithm = PairAlgorithm::automatic;
    REQUIRE(find_pairs(boxes_of(sticks), settings, scratch, pairs).plan.part_count == 3);
}

// Numbers that floats tell apart, and numbers that are listed.
void call_exact_boxes(const TaskRunner* runner) {
    std::vector<double> rows;
    for (int i = 0; i < 40000; ++i) {
        for (int side = 0; side < 6; ++side) rows.push_back((i % 2 == 0 ? 0 : 1e15) + (i + side) % 1000);
    }
    const ExactBoxView<double> boxes = ExactBoxView<double>::rows(rows.data(), 400, 3);
    PairBuffer pairs;
    REQUIRE(find_pairs(boxes, {.runner = runner}, pairs).status == Status::ok);
    ExactBoxTree<double> tree;
    REQUIRE(tree.build(ExactBoxView<double>::rows(rows.data(), 40000, 3), runner) == Status::ok);
    BoxScratch scratch;
    REQUIRE(tree.find_overlaps(boxes, {.runner = runner}, scratch, pairs).status == Status::ok);
}

// A subset with a small reach, resting boxes, cached pairs.
void call_companions(const TaskRunner* runner) {
    BoxScratch scratch;
    PairBuffer pairs;
    const BoxSoa boxes = boxes_of(scenes::Layout::uniform, 40000);
    std::vector<std::uint64_t> subset(boxes.count() / 64, 0);
    subset[0] = 0xFF;
    FindPairsSettings settings;
    settings.runner = runner;
    settings.filter.subset_bits = subset;
    REQUIRE(find_pairs(boxes, settings, scratch, pairs).status == Status::ok);

    RestingBoxes resting;
    REQUIRE(resting.build(boxes, subset, runner) == Status::ok);
    REQUIRE(resting.find_pairs(boxes, settings, scratch, pairs).status == Status::ok);

    PairCache cache(0.01f);
    FindPairsSettings cached;
    cached.runner = runner;
    BoxSoa moved = boxes_of(scenes::Layout::uniform, 40000);
    REQUIRE(cache.find_pairs(moved, cached, scratch, pairs).status == Status::ok);
    const BoxSoaView before = moved;
    moved.set(7, before[8]);
    const FindPairsResult result = cache.find_pairs(moved, cached, scratch, pairs);
    REQUIRE(result.plan.cache_use == CacheUse::reused);
    REQUIRE(result.plan.escaped_count == 1);
}

// One update in which all objects have changed, then frames in which one in twenty moves a little.
void update_world(const TaskRunner* runner) {
    const BoxSoa boxes = boxes_of(scenes::Layout::uniform, 8000);
    const BoxSoaView view = boxes;
    World world;
    std::vector<ObjectHandle> handles(view.count);
    REQUIRE(world.add(view, {}, handles).status == Status::ok);
    REQUIRE(world.update(runner).path == UpdatePath::complete);
    const BoxSoa many = boxes_of(scenes::Layout::uniform, 9000);
    World large;
    std::vector<ObjectHandle> many_handles(many.count());
    REQUIRE(large.add(many, {}, many_handles).status == Status::ok);
    REQUIRE(large.set_boxes(many_handles, many, runner).status == Status::ok);
    // Rules are only applied if there are some.
    REQUIRE(large.set_filter(many_handles[0], {.category = 2}) == Status::ok);
    REQUIRE(large.update(runner).path == UpdatePath::complete);
    for (int frame = 1; frame <= 60; ++frame) {
        for (std::size_t i = 0; i < view.count; i += 20) {
            // The first one leaves the others behind.
            const float speed = i == 0 ? 0.5f : 0.001f;
            const Vec3 by = {static_cast<float>(frame) * speed, 0, 0};
            REQUIRE(world.set_box(handles[i], {view[i].min + by, view[i].max + by}) == Status::ok);
        }
        REQUIRE(world.update(runner).status == Status::ok);
    }
    // All of them, steadily.
    for (int frame = 1; frame <= 40; ++frame) {
        for (std::size_t i = 0; i < view.count; ++i) {
            const Vec3 by = {0, 0, static_cast<float>(frame) * (i % 2 == 0 ? 0.002f : -0.002f)};
            REQUIRE(world.set_box(handles[i], {view[i].min + by, view[i].max + by}) == Status::ok);
        }
        REQUIRE(world.update(runner).status == Status::ok);
    }
    // All, one alone long enough for its tree, all.
    float up = 0;
    for (int frame = 0; frame < 14; ++frame) {
        const std::size_t stride = frame == 0 || frame == 13 ? 1 : view.count;
        for (std::size_t i = 0; i < view.count; i += stride) {
            const Vec3 by = {0, up += 0.002f, 0};
            REQUIRE(world.set_box(handles[i], {view[i].min + by, view[i].max + by}) == Status::ok);
        }
        REQUIRE(world.update(runner).status == Status::ok);
    }
    REQUIRE(large.pairs().size() == large.pair_count());
    (void)large.pairs_of(many_handles.front());
    WorldQuerySettings settings;
    settings.runner = runner;
    const std::vector<Vec3> points(300);
    std::vector<ClosestObject> nearest(points.size());
    REQUIRE(world.queries(runner).closest_objects(points, {}, settings, nearest).status == Status::ok);
}

void ask_tree(const TaskRunner* runner) {
    const std::vector<Aabb> made = scenes::make_boxes(scenes::Layout::uniform, 20000);
    const BoxSoa boxes = boxes_of(made);
    BoxTree tree;
    REQUIRE(tree.build(boxes, runner) == Status::ok);
    REQUIRE(tree.refit(boxes, runner) == Status::ok);

    constexpr std::size_t kCount = 300;
    std::vector<Vec3> points;
    std::vector<Ray> rays;
    std::vector<BoxCast> casts;
    for (std::size_t i = 0; i < kCount; ++i) {
        points.push_back(made[i].min);
        rays.push_back({made[i].min, {1, 0.5f, 0.25f}, 20});
        casts.push_back({made[i], {1, 1, 0}});
    }
    const std::span<const Aabb> shapes(made.data(), kCount);
    BoxScratch scratch;
    PairBuffer pairs;
    AlignedArray<Listed<TreeHit>> hits;
    std::vector<TreeHit> closest(kCount);
    std::vector<ClosestBox> near(kCount);
    std::vector<std::uint64_t> bits((kCount + 63) / 64);
    std::vector<std::uint32_t> first(kCount);
    TreeQuerySettings settings;
    settings.runner = runner;
    CHECK(tree.find_overlaps(shapes, settings, scratch, pairs).status == Status::ok);
    CHECK(tree.any_overlap(shapes, settings, bits).status == Status::ok);
    CHECK(tree.first_overlaps(shapes, 1, settings, first).status == Status::ok);
    CHECK(tree.closest_hits(rays, settings, closest).status == Status::ok);
    CHECK(tree.find_hits(rays, settings, scratch, hits).status == Status::ok);
    CHECK(tree.any_hit(rays, settings, bits).status == Status::ok);
    CHECK(tree.closest_hits({casts, Touch::closed}, settings, closest).status == Status::ok);
    CHECK(tree.find_hits({casts, Touch::closed}, settings, scratch, hits).status == Status::ok);
    CHECK(tree.any_hit({casts, Touch::closed}, settings, bits).status == Status::ok);
    CHECK(tree.closest_boxes(points, {}, settings, near).status == Status::ok);
    CHECK(tree.find_pairs({.runner = runner}, scratch, pairs).status == Status::ok);
}

void step_stage(const TaskRunner* runner) {
    const scenes::StreetScene street({.box_count = 4000});
    scenes::StreetFrame frame;
    street.frame(0, frame);
    const BoxSoa boxes = boxes_of(frame.boxes);
    const scene_io::TriangleMesh& mesh = street.terrain_mesh();
    TriangleSoa triangles;
    REQUIRE(
        triangles.assign(mesh.positions, {mesh.triangles.data()->data(), 3 * mesh.triangles.size()}).status ==
        Status::ok);
    BoxSoa bounds;
    REQUIRE(triangle_bounds(triangles, bounds) == Status::ok);
    StageInput input;
    input.boxes = boxes;
    input.rays = frame.rays;
    input.obbs = frame.obbs;
    input.obb_displacements = frame.obb_displacements;
    input.triangles = triangles;
    input.triangle_bounds = bounds;
    const OverlapQueries overlaps = std::span(frame.boxes).first(10);
    input.overlaps = {&overlaps, 1};
    const std::vector<Vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const std::vector<std::uint32_t> indices = {0, 1, 2};
    TriangleMesh ground;
    REQUIRE(ground.build(corners, indices).status == Status::ok);
    const TriangleMesh* const meshes[] = {&ground};
    const std::vector<Mover> movers(2);
    MeshScene scene;
    REQUIRE(scene.build(std::vector<PlacedMesh>(2, PlacedMesh{&ground})).status == Status::ok);
    input.scene = &scene;
    input.meshes = meshes;
    input.movers = movers;
    StageSettings settings;
    settings.runner = runner;
    CollisionStage stage;
    REQUIRE(stage.step(input, settings).status == Status::ok);
}

void ask_mesh(const TaskRunner* runner) {
    const std::vector<Vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const std::vector<std::uint32_t> indices = {0, 1, 2};
    TriangleMesh mesh;
    REQUIRE(mesh.build(corners, indices, runner).status == Status::ok);
    const std::vector<Ray> rays(1200, Ray{{0.25f, 0.25f, 1}, {0, 0, -1}});
    std::vector<MeshHit> closest(rays.size());
    CHECK(mesh.closest_hits(rays, runner, closest).status == Status::ok);
    const TriangleMesh* const meshes[1] = {&mesh};
    const std::vector<Mover> movers(40, Mover{{}, {0.25f, 0.25f, 1}, {0, 0, -2}});
    std::vector<MoverResult> moved(movers.size());
    MoverSettings mover_settings;
    mover_settings.runner = runner;
    CHECK(step_movers(movers, {nullptr, meshes}, mover_settings, moved).status == Status::ok);
    ObbTree tree;
    REQUIRE(tree.build(mesh) == Status::ok);
    MeshScratch scratch;
    std::vector<TrianglePair> pairs(4);
    CHECK(find_triangle_pairs({&mesh}, {&mesh}, scratch, pairs).status == Status::ok);
    CHECK(closest_triangle_pair({&mesh}, {&mesh}).status == Status::ok);
    SphereTree spheres;
    REQUIRE(spheres.build(mesh).status == Status::ok);
    std::vector<IndexPair> parts(1);
    CHECK(find_part_pairs(spheres, {}, spheres, {}, scratch, parts).status == Status::ok);
    const std::vector<PlacedMesh> copies(20, PlacedMesh{&mesh});
    MeshScene scene;
    REQUIRE(scene.build(copies).status == Status::ok);
    REQUIRE(scene.update(std::vector<Transform>(copies.size())).status == Status::ok);
    std::vector<SceneHit> of_scene(rays.size());
    CHECK(scene.closest_hits(rays, runner, of_scene).status == Status::ok);
    BoxScratch clash_scratch;
    std::vector<Clash> clashes(200);
    MeshRelationSettings clash_settings;
    clash_settings.runner = runner;
    CHECK(find_clashes(copies, clash_settings, clash_scratch, std::span(clashes)).required == 190);
}

TraceFile trace_of_everything(const TaskRunner* runner) {
    ZoneTrace trace;
    REQUIRE(trace.start() == Status::ok);
    call_algorithms(runner);
    call_exact_boxes(runner);
    call_companions(runner);
    update_world(runner);
    ask_tree(runner);
    ask_mesh(runner);
    step_stage(runner);
    trace.stop();
    CHECK(trace.lost_count() == 0);
    return read_trace(trace);
}

// Names in text: those of zones in sources, or the first column of a table.
std::set<std::string> names_in(const std::string& text, const std::regex& pattern) {
    std::set<std::string> names;
    for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
        names.insert((*match)[1]);
    }
    return names;
}

const std::regex kZone(R"re(BROADSIDE_ZONE\("([^"]+)"\);)re");

std::set<std::string> names_in_sources() {
    std::set<std::string> names;
    for (const SourceFile& file : source_files({"core", "simd", "broadphase", "narrowphase", "stage"})) {
        names.merge(names_in(file.text, kZone));
    }
    return names;
}

std::string difference(const std::set<std::string>& a, const std::set<std::string>& b) {
    std::string text;
    for (const std::string& name : a) text += b.count(name) == 0 ? name + "; " : "";
    return text;
}

}  // namespace

TEST_CASE("every zone of the sources appears in a trace, on one thread and on two, and zones nest properly") {
    const std::set<std::string> expected = names_in_sources();
    REQUIRE(expected.size() > 40);
    AlternatingRunner two;
    for (const TaskRunner* runner : {static_cast<const TaskRunner*>(nullptr), two.runner()}) {
        const TraceFile file = trace_of_everything(runner);
        CHECK(nests_properly(file));
        // Some tasks exist only if there is a worker to run them.
        if (runner == nullptr) continue;
        CHECK(difference(expected, file.names()) == "");
        CHECK(difference(file.names(), expected) == "");
    }
}

TEST_CASE("tasks are on the threads that ran them, inside the phase that created them") {
    AlternatingRunner two;
    ZoneTrace trace;
    REQUIRE(trace.start() == Status::ok);
    call_algorithms(two.runner());
    trace.stop();
    const TraceFile file = read_trace(trace);
    CHECK(trace.thread_count() == 2);
    CHECK(file.threads_of("find_pairs") == std::set<std::uint32_t>{1});
    const std::pair<const char*, const char*> kTasks[] = {{"cells/scan task", "cells/scan"},
                                                          {"passes/task", "passes"}};
    for (const auto& [task, phase] : kTasks) {
        INFO(task);
        CHECK(file.threads_of(task) == std::set<std::uint32_t>{1, 2});
        for (const TraceEvent& event : file.events) {
            if (event.name != task) continue;
            const bool is_inside = std::any_of(file.events.begin(), file.events.end(),
                                               [&, outer = phase](const TraceEvent& other) {
                                                   return other.name == outer && other.contains(event);
                                               });
            CHECK(is_inside);
        }
    }
}

TEST_CASE("docs/profiling.md lists every zone, and no other") {
    std::ostringstream page;
    page << std::ifstream(source_folder() / "docs/profiling.md", std::ios::binary).rdbuf();
    const std::string text = page.str();
    const std::size_t table = text.find("\n| zone |");
    REQUIRE(table != std::string::npos);
    const std::set<std::string> listed = names_in(text.substr(table), std::regex(R"re(\n\| `([^`]+)` \|)re"));
    const std::set<std::string> named = names_in_sources();
    CHECK(difference(named, listed) == "");
    CHECK(difference(listed, named) == "");
}

TEST_CASE("zones stay out of kernels, public headers and ISA units, and every task has one") {
    static const std::regex given_away(R"re(\brun_(tasks|chunks)\()re");
    static const std::regex zoned_body(
        R"re(\brun_(tasks|chunks)\([^;]*?\[&\]\([^)]*\) \{\s*BROADSIDE_ZONE\()re");
    const auto count = [](const std::string& text, const std::regex& pattern) {
        return std::distance(std::sregex_iterator(text.begin(), text.end(), pattern), std::sregex_iterator());
    };
    for (const SourceFile& file : source_files({"core", "simd", "broadphase", "narrowphase", "stage"})) {
        INFO(file.path);
        const bool is_shared = file.is_public_header() ||
                               file.path.find("_kernel.hpp") != std::string::npos ||
                               file.path.find("_scalar.hpp") != std::string::npos ||
                               file.path.find("unit.cpp") != std::string::npos ||
                               file.path.find("kernels.hpp") != std::string::npos;
        if (is_shared) {
            CHECK_FALSE(std::regex_search(file.text, kZone));
            CHECK(file.text.find("core/src/zones.hpp") == std::string::npos);
            continue;
        }
        INFO("a task's lambda begins with BROADSIDE_ZONE(\"<what> task\");");
        CHECK(count(file.text, zoned_body) == count(file.text, given_away));
    }
}
