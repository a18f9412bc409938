// Oriented box against triangles: one box and a mesh, static and moving, random and coherent; and pairs by box.
#include "bench/book_obb.hpp"
#include "bench/obb_scenes.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/obb_triangle.hpp>
#include <broadside/scenes/terrain.hpp>

#include <cstring>
#include <memory>
#include <vector>

namespace broadside::bench {
namespace {

struct Scene {
    TriangleSoa triangles;
    std::vector<Obb> obbs;
    std::vector<Vec3> displacements;
    std::vector<IndexPair> pairs;
};

// Triangles of the size of half a metre around a box of about one metre: one in ten overlaps it. Sixteen triangles a
// box in the pairs.
Scene random_scene(std::size_t count) {
    Scene scene;
    if (scene.triangles.resize(count) != Status::ok) std::abort();
    Sequence sequence;
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 at = sequence.vector(1.6f);
        scene.triangles.set(
            i, {at + sequence.vector(0.5f), at + sequence.vector(0.5f), at + sequence.vector(0.5f)});
    }
    for (std::size_t i = 0; i < count / 16; ++i) {
        scene.obbs.push_back(
            turned_box(sequence.vector(0.2f), sequence.next(0, 6), sequence.next(0, 6), {0.6f, 0.5f, 0.7f}));
        scene.displacements.push_back(sequence.vector(0.8f));
    }
    for (std::size_t i = 0; i < count; ++i) {
        const auto second = static_cast<std::uint32_t>(static_cast<std::size_t>(sequence.next(0, 64)) + i);
        scene.pairs.push_back(
            {static_cast<std::uint32_t>(i / 16), second % static_cast<std::uint32_t>(count)});
    }
    return scene;
}

// A box on rolling ground: whole groups of triangles are far from it.
Scene terrain_scene(std::uint32_t quad_count_per_side) {
    Scene scene;
    scenes::TerrainSettings settings;
    settings.quad_count_per_side = quad_count_per_side;
    const scenes::Terrain terrain(settings);
    std::vector<std::uint32_t> indices;
    for (const auto& corners : terrain.mesh().triangles)
        indices.insert(indices.end(), corners.begin(), corners.end());
    if (scene.triangles.assign(terrain.mesh().positions, indices).status != Status::ok) std::abort();
    const float middle = settings.quad_size * static_cast<float>(quad_count_per_side) / 2;
    scene.obbs = {turned_box({middle, terrain.height(middle, middle) + 1, middle}, 0.4f, 0.1f, {2, 1, 4})};
    scene.displacements = {{0.5f, -0.5f, 1.0f}};
    return scene;
}

// Registers `call(scene, out_bits, out_toi)` on every ISA; it fills one of the two.
template <class Call>
void register_on_every_isa(const std::string& algorithm, const std::string& scene_name,
                           const std::shared_ptr<Scene>& scene, Call call) {
    const std::size_t count = scene->triangles.count();
    for (const Isa isa : supported_isas()) {
        const std::string name = benchmark_name(algorithm, scene_name, count, isa);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            std::vector<std::uint64_t> expected_bits(bit_word_count(count));
            std::vector<std::uint64_t> out_bits(bit_word_count(count));
            std::vector<float> expected_toi(count);
            std::vector<float> out_toi(count);
            use_isa(Isa::scalar);
            call(*scene, expected_bits, expected_toi);
            use_isa(isa);
            call(*scene, out_bits, out_toi);
            require_same(out_bits == expected_bits &&
                             std::memcmp(out_toi.data(), expected_toi.data(), count * sizeof(float)) == 0,
                         name);
            for (auto _ : state) {
                call(*scene, out_bits, out_toi);
                benchmark::DoNotOptimize(out_bits.data());
                benchmark::DoNotOptimize(out_toi.data());
                benchmark::ClobberMemory();
            }
            count_items(state, "triangle", count);
        });
    }
}

using Bits = std::vector<std::uint64_t>;
using Times = std::vector<float>;

void static_mesh(const Scene& scene, Bits& out_bits, Times&) {
    overlap_triangles(scene.obbs[0], scene.triangles, out_bits);
}
void sweep_mesh(const Scene& scene, Bits&, Times& out_toi) {
    obb_triangle_impacts(scene.obbs[0], scene.displacements[0], scene.triangles, {}, SweepTest::exact,
                         out_toi);
}
void sweep_mesh_early(const Scene& scene, Bits&, Times& out_toi) {
    obb_triangle_impacts(scene.obbs[0], scene.displacements[0], scene.triangles, {},
                         SweepTest::exact_with_early_reject, out_toi);
}
void static_pairs(const Scene& scene, Bits& out_bits, Times&) {
    overlap_obb_triangle_pairs(scene.obbs, scene.triangles, scene.pairs, out_bits);
}
void sweep_pairs(const Scene& scene, Bits&, Times& out_toi) {
    obb_triangle_impact_pairs(scene.obbs, scene.displacements, scene.triangles, {}, scene.pairs,
                              SweepTest::exact, out_toi);
}

}  // namespace

void register_obb_triangle_benchmarks() {
    for (const std::size_t count : {std::size_t{1024}, std::size_t{1000000}}) {
        const auto scene = std::make_shared<Scene>(random_scene(count));
        register_on_every_isa("narrowphase/obb_triangles", "static", scene, static_mesh);
        register_on_every_isa("narrowphase/obb_triangles", "sweep", scene, sweep_mesh);
        register_on_every_isa("narrowphase/obb_triangles", "sweep_early_reject", scene, sweep_mesh_early);
        register_on_every_isa("narrowphase/obb_triangle_pairs", "static", scene, static_pairs);
        register_on_every_isa("narrowphase/obb_triangle_pairs", "sweep", scene, sweep_pairs);
    }
    for (const std::uint32_t quad_count_per_side : {22u, 707u}) {
        const auto scene = std::make_shared<Scene>(terrain_scene(quad_count_per_side));
        register_on_every_isa("narrowphase/obb_triangles", "terrain_static", scene, static_mesh);
        register_on_every_isa("narrowphase/obb_triangles", "terrain_sweep", scene, sweep_mesh);
    }
}

}  // namespace broadside::bench
