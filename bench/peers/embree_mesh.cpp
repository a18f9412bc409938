// Embree's triangles (robust, medium build; low beside our fast one) on the rays of bench_mesh: one by one, and
// sixteen a call.
#include "bench/peers/embree_rays.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

namespace broadside::bench {
namespace {

class EmbreeMesh {
public:
    explicit EmbreeMesh(const MeshScene& world, RTCBuildQuality quality = RTC_BUILD_QUALITY_MEDIUM)
        : world_(world), quality_(quality), scene_(make_scene()) {}
    EmbreeMesh(const EmbreeMesh&) = delete;
    EmbreeMesh& operator=(const EmbreeMesh&) = delete;
    ~EmbreeMesh() { rtcReleaseScene(scene_); }

    void build() {
        rtcReleaseScene(scene_);
        scene_ = make_scene();
    }
    EmbreeRays ask() const { return EmbreeRays(scene_); }

private:
    RTCScene make_scene() const { return device_.make(world_.vertices, world_.indices, quality_); }

    const MeshScene& world_;
    RTCBuildQuality quality_;
    EmbreeDevice device_;
    RTCScene scene_;
};

std::string row_name(const std::string& question, const MeshSceneName& scene, const std::string& rays,
                     const std::string& who) {
    return "narrowphase/mesh_" + question + "/" + scene.name + rays + "/" +
           std::to_string(scene.triangle_count) + who;
}

// If hits of two triangles are within rounding of each other, either is named.
bool report(benchmark::State& state, const MeshScene& made, const std::vector<Ray>& rays,
            const std::vector<SceneTriangle>& answers) {
    TriangleMesh mesh;
    if (mesh.build(made.vertices, made.indices).status != Status::ok) std::abort();
    std::vector<MeshHit> hits(rays.size());
    (void)mesh.closest_hits(rays, {}, hits);
    std::size_t differing = 0;
    for (std::size_t i = 0; i < rays.size(); ++i)
        differing += hits[i].target != answers[i].triangle_index ? 1u : 0u;
    return report_differing(state, differing, 100 * rays.size());
}

void register_build(const char* question, const MeshSceneName& scene, RTCBuildQuality quality) {
    benchmark::RegisterBenchmark(row_name(question, scene, "", "/embree").c_str(),
                                 [=](benchmark::State& state) {
                                     const MeshScene made = make_mesh_scene(scene.name, scene.triangle_count);
                                     EmbreeMesh peer(made, quality);
                                     for (auto _ : state) peer.build();
                                     count_items(state, "triangle", made.triangle_count());
                                 })
        ->Unit(benchmark::kMillisecond);
}

void register_rows() {
    for (const MeshSceneName& scene : kMeshScenes) {
        register_build("build", scene, RTC_BUILD_QUALITY_MEDIUM);
        register_build("build_fast", scene, RTC_BUILD_QUALITY_LOW);
        benchmark::RegisterBenchmark(
            row_name("ray_closest_of_fast", scene, "_incoherent", "/embree").c_str(),
            [=](benchmark::State& state) {
                const MeshScene made = make_mesh_scene(scene.name, scene.triangle_count);
                EmbreeMesh peer(made, RTC_BUILD_QUALITY_LOW);
                if (!report(state, made, made.incoherent_rays, peer.ask().closest(made.incoherent_rays)))
                    return;
                for (auto _ : state)
                    benchmark::DoNotOptimize(peer.ask().closest(made.incoherent_rays).data());
                count_items(state, "query", made.incoherent_rays.size());
            })
            ->Unit(benchmark::kMillisecond);
        for (const MeshRays& kind : kMeshRays) {
            for (const bool is_packet : {false, true}) {
                // Packets of rays without order are slower than the rays one by one.
                if (is_packet && kind.rays == &MeshScene::incoherent_rays) continue;
                const std::string rays_name = std::string("_") + kind.name;
                const char* const who = is_packet ? "/embree_packets" : "/embree";
                benchmark::RegisterBenchmark(
                    row_name("ray_closest", scene, rays_name, who).c_str(),
                    [=](benchmark::State& state) {
                        const MeshScene made = make_mesh_scene(scene.name, scene.triangle_count);
                        const std::vector<Ray>& rays = made.*kind.rays;
                        EmbreeMesh peer(made);
                        const auto ask = [&] {
                            return is_packet ? peer.ask().closest_of_packets(rays) : peer.ask().closest(rays);
                        };
                        if (!report(state, made, rays, ask())) return;
                        for (auto _ : state) benchmark::DoNotOptimize(ask().data());
                        count_items(state, "query", rays.size());
                    })
                    ->Unit(benchmark::kMillisecond);
                benchmark::RegisterBenchmark(
                    row_name("ray_any", scene, rays_name, who).c_str(),
                    [=](benchmark::State& state) {
                        const MeshScene made = make_mesh_scene(scene.name, scene.triangle_count);
                        const std::vector<Ray>& rays = made.*kind.rays;
                        EmbreeMesh peer(made);
                        for (auto _ : state)
                            benchmark::DoNotOptimize(is_packet ? peer.ask().any_of_packets(rays)
                                                               : peer.ask().any(rays));
                        count_items(state, "query", rays.size());
                    })
                    ->Unit(benchmark::kMillisecond);
            }
        }
    }
}

const Suite suite("embree_mesh", &register_rows,
                  {"narrowphase/mesh_build/\\w+/\\d+/embree",
                   "narrowphase/mesh_(ray_closest|ray_any)/\\w+_(incoherent|inside)/\\d+/embree"});

}  // namespace
}  // namespace broadside::bench
