// Embree's triangles (robust, medium build; low beside our fast one) on the rays of bench_mesh: one by one, and
// sixteen a call.
#include "bench/mesh_scene.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <embree3/rtcore.h>

#include <cstring>

namespace broadside::bench {
namespace {

class EmbreeMesh {
public:
    explicit EmbreeMesh(const MeshScene& world, RTCBuildQuality quality = RTC_BUILD_QUALITY_MEDIUM)
        : world_(world), quality_(quality), device_(rtcNewDevice("threads=1")), scene_(make_scene()) {}
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
    std::vector<unsigned> closest_of_packets(const std::vector<Ray>& rays) {
        std::vector<unsigned> triangles;
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
        for (std::size_t i = 0; i < rays.size(); i += kPacket) {
            RTCRayHit16 hits = {};
            set_packet(hits.ray, rays, i);
            for (unsigned& id : hits.hit.geomID) id = RTC_INVALID_GEOMETRY_ID;
            for (unsigned& id : hits.hit.instID[0]) id = RTC_INVALID_GEOMETRY_ID;
            rtcIntersect16(kAllValid, scene_, &context, &hits);
            for (std::size_t k = 0; k < kPacket; ++k) {
                const bool is_hit = hits.hit.geomID[k] != RTC_INVALID_GEOMETRY_ID;
                triangles.push_back(is_hit ? hits.hit.primID[k] : kNoTriangle);
            }
        }
        return triangles;
    }
    std::size_t any_of_packets(const std::vector<Ray>& rays) {
        std::size_t count = 0;
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
        for (std::size_t i = 0; i < rays.size(); i += kPacket) {
            RTCRay16 packet = {};
            set_packet(packet, rays, i);
            rtcOccluded16(kAllValid, scene_, &context, &packet);
            for (const float t : packet.tfar) count += t < 0 ? 1u : 0u;
        }
        return count;
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
    static constexpr std::size_t kPacket = 16;
    static_assert(kMeshRayCount % kPacket == 0);
    alignas(64) static constexpr int kAllValid[kPacket] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                                           -1, -1, -1, -1, -1, -1, -1, -1};

    static void set_packet(RTCRay16& out_packet, const std::vector<Ray>& rays, std::size_t first) {
        for (std::size_t k = 0; k < kPacket; ++k) {
            const Ray& ray = rays[first + k];
            out_packet.org_x[k] = ray.origin.x;
            out_packet.org_y[k] = ray.origin.y;
            out_packet.org_z[k] = ray.origin.z;
            out_packet.dir_x[k] = ray.direction.x;
            out_packet.dir_y[k] = ray.direction.y;
            out_packet.dir_z[k] = ray.direction.z;
            out_packet.tfar[k] = ray.t_max;
            out_packet.mask[k] = ~0u;
        }
    }
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
        rtcSetSceneBuildQuality(scene, quality_);
        RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
        rtcSetGeometryBuildQuality(geometry, quality_);
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
    RTCBuildQuality quality_;
    RTCDevice device_;
    RTCScene scene_;
};

std::string row_name(const std::string& question, const MeshSceneName& scene, const std::string& rays,
                     const std::string& who) {
    return "narrowphase/mesh_" + question + "/" + scene.name + rays + "/" +
           std::to_string(scene.triangle_count) + who;
}

// If hits of two triangles are within rounding of each other, either is named.
bool report(benchmark::State& state, const MeshScene& made, const std::vector<Ray>& rays,
            const std::vector<unsigned>& answers) {
    TriangleMesh mesh;
    if (mesh.build(made.vertices, made.indices).status != Status::ok) std::abort();
    std::vector<MeshHit> hits(rays.size());
    (void)mesh.closest_hits(rays, {}, hits);
    std::size_t differing = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) differing += hits[i].target != answers[i] ? 1u : 0u;
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
                if (!report(state, made, made.incoherent_rays, peer.closest(made.incoherent_rays))) return;
                for (auto _ : state) benchmark::DoNotOptimize(peer.closest(made.incoherent_rays).data());
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
                            return is_packet ? peer.closest_of_packets(rays) : peer.closest(rays);
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
                            benchmark::DoNotOptimize(is_packet ? peer.any_of_packets(rays) : peer.any(rays));
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
