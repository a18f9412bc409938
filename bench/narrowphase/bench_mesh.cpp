// Meshes: building, rays, points and oriented boxes, on every ISA, checked against scalar.
#include "bench/mesh_scene.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/bits.hpp>

#include <cstring>
#include <functional>
#include <memory>

namespace broadside::bench {
namespace {

struct Built {
    MeshScene scene;
    TriangleMesh mesh;
    TriangleMesh fast;

    Built(const std::string& name, std::size_t count) : scene(make_mesh_scene(name, count)) {
        if (mesh.build(scene.vertices, scene.indices).status != Status::ok ||
            fast.build(scene.vertices, scene.indices, nullptr, MeshBuildQuality::fast).status != Status::ok)
            std::abort();
    }
};

struct Results {
    std::vector<MeshHit> hits = std::vector<MeshHit>(kMeshRayCount);
    std::vector<std::uint64_t> bits = std::vector<std::uint64_t>(bit_word_count(kMeshRayCount));
    std::vector<MeshClosestPoint> closest = std::vector<MeshClosestPoint>(kMeshPointCount);
    std::vector<IndexPair> pairs = std::vector<IndexPair>(1 << 20);
    std::vector<MeshImpact> impacts = std::vector<MeshImpact>(kMeshPointCount);
    MeshScratch scratch;
    std::vector<SphereCast> spheres;
    std::vector<CapsuleCast> capsules;
    std::vector<ObbCast> obbs;

    // Downwards and aside.
    static constexpr Vec3 kWay = {2.0f, -4.0f, 1.0f};
    const std::vector<SphereCast>& spheres_of(const MeshScene& scene) {
        for (std::size_t i = spheres.size(); i < kMeshPointCount; ++i)
            spheres.push_back({{scene.points[i], 0.35f}, kWay});
        return spheres;
    }
    const std::vector<CapsuleCast>& capsules_of(const MeshScene& scene) {
        for (std::size_t i = capsules.size(); i < kMeshPointCount; ++i)
            capsules.push_back({{scene.points[i], scene.points[i] + Vec3{0, 1.1f, 0}, 0.35f}, kWay});
        return capsules;
    }
    const std::vector<ObbCast>& obbs_of(const MeshScene& scene) {
        for (std::size_t i = obbs.size(); i < kMeshPointCount; ++i) obbs.push_back({scene.obbs[i], kWay});
        return obbs;
    }

    friend bool operator==(const Results& a, const Results& b) {
        return a.hits == b.hits && a.bits == b.bits && a.closest == b.closest && a.pairs == b.pairs &&
               a.impacts == b.impacts;
    }
};
using Call = std::function<void(const Built&, Results&)>;

struct Question {
    const char* name;
    std::size_t count;
    Call call;
};
const Question kQuestions[] = {
    {"ray_closest/incoherent", kMeshRayCount,
     [](const Built& b, Results& out) { (void)b.mesh.closest_hits(b.scene.incoherent_rays, {}, out.hits); }},
    {"ray_closest_of_fast/incoherent", kMeshRayCount,
     [](const Built& b, Results& out) { (void)b.fast.closest_hits(b.scene.incoherent_rays, {}, out.hits); }},
    {"ray_closest/coherent", kMeshRayCount,
     [](const Built& b, Results& out) { (void)b.mesh.closest_hits(b.scene.coherent_rays, {}, out.hits); }},
    {"ray_closest/inside", kMeshRayCount,
     [](const Built& b, Results& out) { (void)b.mesh.closest_hits(b.scene.inside_rays, {}, out.hits); }},
    {"ray_closest_alone/incoherent", kMeshRayCount,
     [](const Built& b, Results& out) {
         for (std::size_t i = 0; i < kMeshRayCount; ++i)
             out.hits[i] = b.mesh.closest_hit(b.scene.incoherent_rays[i]);
     }},
    {"ray_closest_alone/inside", kMeshRayCount,
     [](const Built& b, Results& out) {
         for (std::size_t i = 0; i < kMeshRayCount; ++i)
             out.hits[i] = b.mesh.closest_hit(b.scene.inside_rays[i]);
     }},
    {"ray_any_alone/incoherent", kMeshRayCount,
     [](const Built& b, Results& out) {
         for (std::size_t i = 0; i < kMeshRayCount; ++i) {
             const std::uint64_t bit = b.mesh.any_hit(b.scene.incoherent_rays[i]) ? 1 : 0;
             out.bits[i / 64] = (i % 64 == 0 ? 0 : out.bits[i / 64]) | bit << (i % 64);
         }
     }},
    {"ray_any/incoherent", kMeshRayCount,
     [](const Built& b, Results& out) { (void)b.mesh.any_hit(b.scene.incoherent_rays, {}, out.bits); }},
    {"ray_any/coherent", kMeshRayCount,
     [](const Built& b, Results& out) { (void)b.mesh.any_hit(b.scene.coherent_rays, {}, out.bits); }},
    {"ray_any/inside", kMeshRayCount,
     [](const Built& b, Results& out) { (void)b.mesh.any_hit(b.scene.inside_rays, {}, out.bits); }},
    {"closest_points/near", kMeshPointCount,
     [](const Built& b, Results& out) { (void)b.mesh.closest_points(b.scene.points, {}, out.closest); }},
    {"obb_overlaps/near", kMeshPointCount,
     [](const Built& b, Results& out) {
         (void)b.mesh.find_overlaps(b.scene.obbs, {}, out.scratch, out.pairs);
     }},
    {"sphere_casts/near", kMeshPointCount,
     [](const Built& b, Results& out) {
         (void)b.mesh.closest_hits(out.spheres_of(b.scene), {}, out.impacts);
     }},
    {"capsule_casts/near", kMeshPointCount,
     [](const Built& b, Results& out) {
         (void)b.mesh.closest_hits(out.capsules_of(b.scene), {}, out.impacts);
     }},
    {"obb_casts/near", kMeshPointCount,
     [](const Built& b, Results& out) { (void)b.mesh.closest_hits(out.obbs_of(b.scene), {}, out.impacts); }},
};

std::string row_name(const char* question, const MeshSceneName& scene, const std::string& who) {
    const std::string text = question;
    const std::size_t slash = text.find('/');
    // Piece by piece: g++ 12 takes a sum that begins with a literal for an overlapping copy (its bug 105651).
    std::string name = "narrowphase/mesh_";
    name.append(text, 0, slash).append("/").append(scene.name);
    if (slash != std::string::npos) name.append("_").append(text, slash + 1);
    return name.append("/").append(std::to_string(scene.triangle_count)).append("/").append(who);
}

void register_build(const char* question, const MeshSceneName& scene, MeshBuildQuality quality) {
    benchmark::RegisterBenchmark(
        row_name(question, scene, isa_name(Isa::scalar)).c_str(),
        [=](benchmark::State& state) {
            const MeshScene made = make_mesh_scene(scene.name, scene.triangle_count);
            TriangleMesh mesh;
            for (auto _ : state) {
                benchmark::DoNotOptimize(mesh.build(made.vertices, made.indices, nullptr, quality).status);
            }
            count_items(state, "triangle", made.triangle_count());
            state.counters["bytes_per_triangle"] =
                static_cast<double>(mesh.capacity_bytes()) / static_cast<double>(mesh.triangle_count());
        })
        ->Unit(benchmark::kMillisecond);
}

void register_rows() {
    for (const MeshSceneName& scene : kMeshScenes) {
        // Nothing of it depends on the ISA: one reference serves all.
        register_build("build", scene, MeshBuildQuality::standard);
        register_build("build_fast", scene, MeshBuildQuality::fast);
        for (const Question& question : kQuestions) {
            for (const Isa isa : supported_isas()) {
                const std::string name = row_name(question.name, scene, isa_name(isa));
                benchmark::RegisterBenchmark(name.c_str(), [=, &question](benchmark::State& state) {
                    static const Built* built = nullptr;
                    static std::string built_name;
                    if (built_name != scene.name) {
                        delete built;
                        built = new Built(scene.name, scene.triangle_count);
                        built_name = scene.name;
                    }
                    Results expected, out;
                    use_isa(Isa::scalar);
                    question.call(*built, expected);
                    use_isa(isa);
                    question.call(*built, out);
                    require_same(out == expected, name);
                    for (auto _ : state) {
                        question.call(*built, out);
                        benchmark::ClobberMemory();
                    }
                    count_items(state, "query", question.count);
                })->Unit(benchmark::kMillisecond);
            }
        }
    }
}

const Suite suite(
    "mesh", &register_rows,
    {"narrowphase/mesh_build/(terrain|building)/\\d+/scalar",
     "narrowphase/mesh_(ray_closest|ray_any)/\\w+_(incoherent|inside)/\\d+/widest",
     "narrowphase/mesh_ray_closest_alone/\\w+_incoherent/\\d+/widest",
     "narrowphase/mesh_(closest_points|obb_overlaps|sphere_casts|capsule_casts)/\\w+/\\d+/widest"});

}  // namespace
}  // namespace broadside::bench
