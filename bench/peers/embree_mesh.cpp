// Embree's triangles (robust, medium build) on the rays of bench_mesh: rtcIntersect1 and rtcOccluded1.
#include "bench/mesh_scene.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <embree3/rtcore.h>

#include <cstring>

namespace broadside::bench {
namespace {

class EmbreeMesh {
public:
    explicit EmbreeMesh(const MeshScene& world)
        : world_(world), device_(rtcNewDevice("threads=1")), scene_(make_scene()) {}
    EmbreeMesh(const EmbreeMesh&) = delete;
    EmbreeMesh& operator=(const EmbreeMesh&) = delete;
    ~EmbreeMesh() {
        rtcReleaseScene(scene_);
        rtcReleaseDevice(device_);
    }

    void build() {
        rtcReleaseScene(scene_);
        scene_ = make_scene();
    }
    std::vector<unsigned> closest(const std::vector<Ray>& rays) {
        std::vector<unsigned> triangles;
        for (const Ray& ray : rays) {
            RTCIntersectContext context;
            rtcInitIntersectContext(&context);
            RTCRayHit hit = {};
            hit.ray = embree_ray(ray);
            hit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
            hit.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
            rtcIntersect1(scene_, &context, &hit);
            triangles.push_back(hit.hit.geomID == RTC_INVALID_GEOMETRY_ID ? kNoTriangle : hit.hit.primID);
        }
        return triangles;
    }
    std::size_t any(const std::vector<Ray>& rays) {
        std::size_t count = 0;
        for (const Ray& ray : rays) {
            RTCIntersectContext context;
            rtcInitIntersectContext(&context);
            RTCRay asked = embree_ray(ray);
            rtcOccluded1(scene_, &context, &asked);
            count += asked.tfar < 0 ? 1u : 0u;
        }
        return count;
    }

private:
    static RTCRay embree_ray(const Ray& ray) {
        return {ray.origin.x,
                ray.origin.y,
                ray.origin.z,
                0,
                ray.direction.x,
                ray.direction.y,
                ray.direction.z,
                0,
                ray.t_max,
                ~0u,
                0,
                0};
    }
    RTCScene make_scene() {
        RTCScene scene = rtcNewScene(device_);
        rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
        rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_MEDIUM);
        RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
        void* const corners = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                                      sizeof(Vec3), world_.vertices.size());
        std::memcpy(corners, world_.vertices.data(), world_.vertices.size() * sizeof(Vec3));
        void* const indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                                      12, world_.triangle_count());
        std::memcpy(indices, world_.indices.data(), world_.indices.size() * 4);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene, geometry);
        rtcReleaseGeometry(geometry);
        rtcCommitScene(scene);
        return scene;
    }

    const MeshScene& world_;
    RTCDevice device_;
    RTCScene scene_;
};

std::string row_name(const std::string& question, const MeshSceneName& scene, const std::string& rays) {
    return "narrowphase/mesh_" + question + "/" + scene.name + rays + "/" +
           std::to_string(scene.triangle_count) + "/embree";
}

// If hits of two triangles are within rounding of each other, either is named.
bool report(benchmark::State& state, const MeshScene& made, const std::vector<Ray>& rays,
            const std::vector<unsigned>& answers) {
    TriangleMesh mesh;
    if (mesh.build(made.vertices, made.indices).status != Status::ok) std::abort();
    std::vector<MeshHit> hits(rays.size());
    (void)mesh.closest_hits(rays, {}, hits);
    std::size_t differing = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) differing += hits[i].triangle_index != answers[i] ? 1u : 0u;
    return report_differing(state, differing, 100 * rays.size());
}

void register_rows() {
    for (const MeshSceneName& scene : kMeshScenes) {
        benchmark::RegisterBenchmark(row_name("build", scene, "").c_str(), [=](benchmark::State& state) {
            const MeshScene made = make_mesh_scene(scene.name, scene.triangle_count);
            EmbreeMesh peer(made);
            for (auto _ : state) peer.build();
            count_items(state, "triangle", made.triangle_count());
        })->Unit(benchmark::kMillisecond);
        for (const bool is_coherent : {false, true}) {
            const std::string rays_name = is_coherent ? "_coherent" : "_incoherent";
            benchmark::RegisterBenchmark(
                row_name("ray_closest", scene, rays_name).c_str(),
                [=](benchmark::State& state) {
                    const MeshScene made = make_mesh_scene(scene.name, scene.triangle_count);
                    const std::vector<Ray>& rays = is_coherent ? made.coherent_rays : made.incoherent_rays;
                    EmbreeMesh peer(made);
                    if (!report(state, made, rays, peer.closest(rays))) return;
                    for (auto _ : state) benchmark::DoNotOptimize(peer.closest(rays).data());
                    count_items(state, "query", rays.size());
                })
                ->Unit(benchmark::kMillisecond);
            benchmark::RegisterBenchmark(row_name("ray_any", scene, rays_name).c_str(), [=](benchmark::State&
                                                                                                state) {
                const MeshScene made = make_mesh_scene(scene.name, scene.triangle_count);
                const std::vector<Ray>& rays = is_coherent ? made.coherent_rays : made.incoherent_rays;
                EmbreeMesh peer(made);
                for (auto _ : state) benchmark::DoNotOptimize(peer.any(rays));
                count_items(state, "query", rays.size());
            })->Unit(benchmark::kMillisecond);
        }
    }
}

const Suite suite("embree_mesh", &register_rows,
                  {"narrowphase/mesh_(build|ray_closest|ray_any)/\\w+/\\d+/embree"});

}  // namespace
}  // namespace broadside::bench
