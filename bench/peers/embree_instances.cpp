// Embree's instances (robust, medium build) on the rays of bench_mesh_scene: one by one, and sixteen a call.
#include "bench/peers/embree_rays.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <memory>

namespace broadside::bench {
namespace {

class EmbreeHall {
public:
    explicit EmbreeHall(const Hall& hall) : scene_(device_.make_empty(RTC_BUILD_QUALITY_MEDIUM)) {
        for (std::size_t i = 0; i < std::size(hall.meshes); ++i) meshes_[i] = make_mesh(hall.meshes[i]);
        for (const PlacedMesh& placed : hall.placed) {
            RTCGeometry instance = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_INSTANCE);
            rtcSetGeometryInstancedScene(instance, meshes_[placed.mesh - hall.meshes]);
            const Transform& place = placed.world_from_mesh;
            const Vec3 rows[3] = {place.row_x, place.row_y, place.row_z};
            float matrix[12];
            for (std::size_t row = 0; row < 3; ++row) {
                for (std::size_t column = 0; column < 3; ++column)
                    matrix[4 * row + column] = (&rows[row].x)[column];
                matrix[4 * row + 3] = (&place.translation.x)[row];
            }
            rtcSetGeometryTransform(instance, 0, RTC_FORMAT_FLOAT3X4_ROW_MAJOR, matrix);
            EmbreeDevice::add(scene_, instance);
        }
        rtcCommitScene(scene_);
    }
    EmbreeHall(const EmbreeHall&) = delete;
    EmbreeHall& operator=(const EmbreeHall&) = delete;
    ~EmbreeHall() {
        rtcReleaseScene(scene_);
        for (RTCScene mesh : meshes_) rtcReleaseScene(mesh);
    }

    EmbreeRays ask() const { return EmbreeRays(scene_); }

private:
    RTCScene make_mesh(const TriangleMesh& mesh) const {
        std::vector<Vec3> corners;
        std::vector<std::uint32_t> indices;
        for (std::uint32_t i = 0; i < mesh.triangle_count(); ++i) {
            const Triangle triangle = mesh.triangle(i);
            for (const Vec3 corner : {triangle.a, triangle.b, triangle.c}) {
                indices.push_back(static_cast<std::uint32_t>(corners.size()));
                corners.push_back(corner);
            }
        }
        return device_.make(corners, indices, RTC_BUILD_QUALITY_MEDIUM);
    }

    EmbreeDevice device_;
    RTCScene meshes_[3];
    RTCScene scene_;
};

// Not any of packets: rtcOccluded16 does not return from some coherent ones of instances.
struct Case {
    const char* question;
    bool is_camera;
    bool is_any;
    bool is_packet;
};
constexpr Case kCases[] = {{"ray_closest", false, false, false},
                           {"ray_any", false, true, false},
                           {"ray_closest_camera", true, false, false},
                           {"ray_closest_camera", true, false, true},
                           {"ray_any_camera", true, true, false}};

void run(benchmark::State& state, std::size_t count, const Case& of) {
    const Hall hall(count);
    const EmbreeHall peer(hall);
    const std::vector<Ray> rays = of.is_camera ? hall.camera_rays() : hall.random_rays();
    const auto closest = [&] {
        return of.is_packet ? peer.ask().closest_of_packets(rays) : peer.ask().closest(rays);
    };
    broadside::MeshScene scene;
    if (scene.build(hall.placed).status != Status::ok) std::abort();
    std::vector<SceneHit> hits(rays.size());
    (void)scene.closest_hits(rays, {}, hits);
    const std::vector<SceneTriangle> found = closest();
    std::size_t differing = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) differing += hits[i].target != found[i] ? 1u : 0u;
    // Rounding decides at edges, and in places where instances cut into each other.
    if (!report_differing(state, differing, 20 * rays.size())) return;
    for (auto _ : state) {
        if (of.is_any)
            benchmark::DoNotOptimize(peer.ask().any(rays));
        else
            benchmark::DoNotOptimize(closest().data());
    }
    count_items(state, "query", rays.size());
}

void register_rows() {
    for (const std::size_t count : {std::size_t{1000}, std::size_t{50000}}) {
        for (const Case& of : kCases) {
            std::string name = "stage/mesh_scene_";
            name.append(of.question).append("/hall/").append(std::to_string(count));
            name.append(of.is_packet ? "/embree_packets" : "/embree");
            benchmark::RegisterBenchmark(name.c_str(), [=, &of](benchmark::State& state) {
                run(state, count, of);
            })->Unit(benchmark::kMillisecond);
        }
    }
}

const Suite suite("embree_instances", &register_rows,
                  {"stage/mesh_scene_ray_closest(_camera)?/hall/1000/embree"});

}  // namespace
}  // namespace broadside::bench
