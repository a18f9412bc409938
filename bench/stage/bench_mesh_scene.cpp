// Many placed meshes under one tree: building, moving all, rays, boxes and points, on every ISA, checked against scalar.
#include "bench/mesh_pair_scene.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/bits.hpp>
#include <broadside/mesh_scene.hpp>

#include <functional>
#include <memory>

namespace broadside::bench {
namespace {

struct Instances {
    Hall hall;
    broadside::MeshScene scene;
    std::vector<Transform> places;
    std::vector<Ray> rays;
    std::vector<Ray> camera_rays;
    std::vector<Vec3> points;
    std::vector<Obb> obbs;

    explicit Instances(std::size_t count)
        : hall(count), rays(hall.random_rays()), camera_rays(hall.camera_rays()) {
        if (scene.build(hall.placed).status != Status::ok) std::abort();
        for (const PlacedMesh& placed : hall.placed) places.push_back(placed.world_from_mesh);
        Sequence sequence;
        for (std::size_t i = 0; i < kMeshPointCount; ++i) {
            points.push_back(sequence.vector(0, hall.side));
            obbs.push_back({points.back(), {1, 0, 0}, {0, 0.6f, 0.8f}, {0, -0.8f, 0.6f}, {0.3f, 0.4f, 0.5f}});
        }
    }
};

struct Results {
    std::vector<SceneHit> hits = std::vector<SceneHit>(kMeshRayCount);
    std::vector<std::uint64_t> bits = std::vector<std::uint64_t>(bit_word_count(kMeshRayCount));
    std::vector<SceneClosestPoint> closest = std::vector<SceneClosestPoint>(kMeshPointCount);
    std::vector<Listed<SceneTriangle>> overlaps = std::vector<Listed<SceneTriangle>>(1 << 20);
    MeshScratch scratch;

    friend bool operator==(const Results& a, const Results& b) {
        return a.hits == b.hits && a.bits == b.bits && a.closest == b.closest && a.overlaps == b.overlaps;
    }
};

struct Question {
    const char* name;
    std::function<std::size_t(const Instances&)> count;
    std::function<void(Instances&, Results&)> call;
};
const Question kQuestions[] = {
    {"build", [](const Instances& of) { return of.places.size(); },
     [](Instances& of, Results&) { (void)of.scene.build(of.hall.placed); }},
    {"update", [](const Instances& of) { return of.places.size(); },
     [](Instances& of, Results&) { (void)of.scene.update(of.places); }},
    {"ray_closest", [](const Instances& of) { return of.rays.size(); },
     [](Instances& of, Results& out) { (void)of.scene.closest_hits(of.rays, {}, out.hits); }},
    {"ray_any", [](const Instances& of) { return of.rays.size(); },
     [](Instances& of, Results& out) { (void)of.scene.any_hit(of.rays, {}, out.bits); }},
    {"ray_closest_camera", [](const Instances& of) { return of.camera_rays.size(); },
     [](Instances& of, Results& out) { (void)of.scene.closest_hits(of.camera_rays, {}, out.hits); }},
    {"ray_closest_camera_alone", [](const Instances& of) { return of.camera_rays.size(); },
     [](Instances& of, Results& out) {
         for (std::size_t i = 0; i < of.camera_rays.size(); ++i)
             out.hits[i] = of.scene.closest_hit(of.camera_rays[i]);
     }},
    {"ray_any_camera", [](const Instances& of) { return of.camera_rays.size(); },
     [](Instances& of, Results& out) { (void)of.scene.any_hit(of.camera_rays, {}, out.bits); }},
    {"obb_overlaps", [](const Instances& of) { return of.obbs.size(); },
     [](Instances& of, Results& out) {
         (void)of.scene.find_overlaps(of.obbs, {}, out.scratch, out.overlaps);
     }},
    {"closest_points", [](const Instances& of) { return of.points.size(); },
     [](Instances& of, Results& out) { (void)of.scene.closest_points(of.points, {}, out.closest); }},
};

void register_rows() {
    for (const std::size_t count : {std::size_t{1000}, std::size_t{50000}}) {
        for (const Question& question : kQuestions) {
            for (const Isa isa : supported_isas()) {
                std::string name = "stage/mesh_scene_";
                name.append(question.name).append("/hall/").append(std::to_string(count));
                name.append("/").append(isa_name(isa));
                benchmark::RegisterBenchmark(name.c_str(), [=, &question](benchmark::State& state) {
                    static std::unique_ptr<Instances> instances;
                    if (instances == nullptr || instances->places.size() != count)
                        instances = std::make_unique<Instances>(count);
                    Results expected, out;
                    use_isa(Isa::scalar);
                    question.call(*instances, expected);
                    use_isa(isa);
                    question.call(*instances, out);
                    require_same(out == expected, name);
                    for (auto _ : state) {
                        question.call(*instances, out);
                        benchmark::ClobberMemory();
                    }
                    count_items(state, "query", question.count(*instances));
                })->Unit(benchmark::kMillisecond);
            }
        }
    }
}

const Suite suite("mesh_scene", &register_rows, {"stage/mesh_scene_\\w+/hall/1000/widest"});

}  // namespace
}  // namespace broadside::bench
