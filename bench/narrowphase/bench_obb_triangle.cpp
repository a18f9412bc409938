// Oriented box against triangles: one box and a mesh, static and moving, random and coherent; and pairs by
// box.
#include "bench/file_scenes.hpp"
#include "bench/narrowphase/book_obb.hpp"
#include "bench/narrowphase/obb_scenes.hpp"
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
    std::vector<Triangle> rows;
    std::vector<Obb> obbs;
    std::vector<Vec3> displacements;
    // As many boxes as triangles, for tests against the one triangle.
    ObbSoa obb_soa;
    std::vector<float> displacement_x;
    std::vector<float> displacement_y;
    std::vector<float> displacement_z;
    // Near the order of the triangles, as from a tree query.
    std::vector<std::uint32_t> indices;
    std::vector<IndexPair> pairs;
    std::vector<IndexPair> shuffled_pairs;
};

// Triangles of about half a metre around a box of about one metre: one in ten overlaps it. About sixteen
// triangles a box in the pairs.
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
    // From 8 to 24 triangles a box, so that groups of lanes straddle boxes.
    std::uint32_t obb_index = 0;
    std::uint32_t left = 16;
    for (std::size_t i = 0; i < count; ++i) {
        const auto second = static_cast<std::uint32_t>((i + sequence.below(64)) % count);
        scene.indices.push_back(second);
        scene.pairs.push_back({obb_index, second});
        if (--left != 0) continue;
        left = 8 + sequence.below(17);
        obb_index = (obb_index + 1) % static_cast<std::uint32_t>(scene.obbs.size());
    }
    scene.shuffled_pairs = scene.pairs;
    for (std::size_t i = count; i > 1; --i)
        std::swap(scene.shuffled_pairs[i - 1],
                  scene.shuffled_pairs[sequence.below(static_cast<std::uint32_t>(i))]);
    for (std::size_t i = 0; i < count; ++i) scene.rows.push_back(scene.triangles[i]);
    if (scene.obb_soa.resize(count) != Status::ok) std::abort();
    for (std::size_t i = 0; i < count; ++i) {
        scene.obb_soa.set(i, turned_box(sequence.vector(1.6f), sequence.next(0, 6), sequence.next(0, 6),
                                        {0.6f, 0.5f, 0.7f}));
        scene.displacement_x.push_back(sequence.next(-0.8f, 0.8f));
        scene.displacement_y.push_back(sequence.next(-0.8f, 0.8f));
        scene.displacement_z.push_back(sequence.next(-0.8f, 0.8f));
    }
    return scene;
}

Scene mesh_scene(const scene_io::TriangleMesh& mesh, const Obb& obb, Vec3 displacement) {
    Scene scene;
    std::vector<std::uint32_t> indices;
    for (const auto& corners : mesh.triangles) indices.insert(indices.end(), corners.begin(), corners.end());
    if (scene.triangles.assign(mesh.positions, indices).status != Status::ok) std::abort();
    scene.obbs = {obb};
    scene.displacements = {displacement};
    return scene;
}

// A box on rolling ground: whole groups of triangles are far from it.
Scene terrain_scene(std::uint32_t quad_count_per_side) {
    scenes::TerrainSettings settings;
    settings.quad_count_per_side = quad_count_per_side;
    const scenes::Terrain terrain(settings);
    const float middle = settings.quad_size * static_cast<float>(quad_count_per_side) / 2;
    const Vec3 at = {middle, terrain.height(middle, middle) + 1, middle};
    return mesh_scene(terrain.mesh(), turned_box(at, 0.4f, 0.1f, {2, 1, 4}), {0.5f, -0.5f, 1.0f});
}

// A box of a twentieth of a mesh from a file, at one of its corners, which moves along by its own size.
Scene file_scene(const scene_io::TriangleMesh& mesh) {
    Aabb bounds = Aabb::empty();
    for (const Vec3 position : mesh.positions) bounds = include(bounds, {position, position});
    const Vec3 half = size(bounds) * 0.025f;
    return mesh_scene(mesh, turned_box(mesh.positions[mesh.positions.size() / 2], 0.4f, 0.1f, half),
                      half * 2.0f);
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
    (void)overlaps(scene.obbs[0], scene.triangles, out_bits);
}
void sweep_mesh(const Scene& scene, Bits&, Times& out_toi) {
    (void)times_of_impact(scene.obbs[0], scene.displacements[0], scene.triangles, {}, out_toi);
}
// Without the boxes of groups, as in a caller's own arrays.
void static_mesh_no_groups(const Scene& scene, Bits& out_bits, Times&) {
    TriangleSoaView triangles = scene.triangles;
    triangles.group_bounds = {};
    (void)overlaps(scene.obbs[0], triangles, out_bits);
}
void sweep_mesh_no_groups(const Scene& scene, Bits&, Times& out_toi) {
    TriangleSoaView triangles = scene.triangles;
    triangles.group_bounds = {};
    (void)times_of_impact(scene.obbs[0], scene.displacements[0], triangles, {}, out_toi);
}
void swept_mesh(const Scene& scene, Bits& out_bits, Times&) {
    (void)swept_overlaps(scene.obbs[0], scene.displacements[0], scene.triangles, {}, out_bits);
}
void static_index_list(const Scene& scene, Bits& out_bits, Times&) {
    (void)overlaps(scene.obbs[0], scene.rows, scene.indices, out_bits);
}
void sweep_index_list(const Scene& scene, Bits&, Times& out_toi) {
    (void)times_of_impact(scene.obbs[0], scene.displacements[0], scene.rows, {}, scene.indices, out_toi);
}
void static_index_list_of_arrays(const Scene& scene, Bits& out_bits, Times&) {
    (void)overlaps(scene.obbs[0], scene.triangles, scene.indices, out_bits);
}
void sweep_index_list_of_arrays(const Scene& scene, Bits&, Times& out_toi) {
    (void)times_of_impact(scene.obbs[0], scene.displacements[0], scene.triangles, {}, scene.indices, out_toi);
}
void sweep_pairs_of_arrays(const Scene& scene, Bits&, Times& out_toi) {
    (void)times_of_impact(scene.obbs, scene.displacements, scene.triangles, {}, scene.pairs, out_toi);
}
void static_pairs(const Scene& scene, Bits& out_bits, Times&) {
    (void)overlaps(scene.obbs, scene.rows, scene.pairs, out_bits);
}
void static_pairs_of_arrays(const Scene& scene, Bits& out_bits, Times&) {
    (void)overlaps(scene.obbs, scene.triangles, scene.pairs, out_bits);
}
void static_shuffled_pairs(const Scene& scene, Bits& out_bits, Times&) {
    (void)overlaps(scene.obbs, scene.rows, scene.shuffled_pairs, out_bits);
}
void sweep_pairs(const Scene& scene, Bits&, Times& out_toi) {
    (void)times_of_impact(scene.obbs, scene.displacements, scene.rows, {}, scene.pairs, out_toi);
}
void static_obbs(const Scene& scene, Bits& out_bits, Times&) {
    (void)overlaps(scene.obb_soa, scene.rows[0], out_bits);
}
void sweep_obbs(const Scene& scene, Bits&, Times& out_toi) {
    const Vec3SoaView displacements = {scene.displacement_x.data(), scene.displacement_y.data(),
                                       scene.displacement_z.data(), scene.displacement_x.size()};
    (void)times_of_impact(scene.obb_soa, displacements, scene.rows[0], {}, out_toi);
}

// The book's code on the same scene. It rounds differently: a few results in a million may differ.
void register_book(const std::string& scene_name, const std::shared_ptr<Scene>& scene) {
    const std::size_t count = scene->triangles.count();
    const std::string name =
        "narrowphase/obb_triangles/" + scene_name + "/" + std::to_string(count) + "/book";
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
        std::vector<Triangle> rows;
        for (std::size_t i = 0; i < count; ++i) rows.push_back(scene->triangles[i]);
        const Obb obb = scene->obbs[0];
        std::size_t differing_count = 0;
        for (const Triangle& row : rows)
            differing_count += book_overlap(obb, row) != overlap(obb, row) ? 1 : 0;
        require_same(differing_count <= count / 100000 + 1, name);
        std::vector<std::uint8_t> out(count);
        for (auto _ : state) {
            for (std::size_t i = 0; i < count; ++i) out[i] = book_overlap(obb, rows[i]) ? 1 : 0;
            benchmark::DoNotOptimize(out.data());
            benchmark::ClobberMemory();
        }
        count_items(state, "triangle", count);
    });
}

void register_rows() {
    for (const std::size_t count : {std::size_t{1024}, std::size_t{1000000}}) {
        const auto scene = std::make_shared<Scene>(random_scene(count));
        register_on_every_isa("narrowphase/obb_triangles", "static", scene, static_mesh);
        register_on_every_isa("narrowphase/obb_triangles", "sweep", scene, sweep_mesh);
        register_on_every_isa("narrowphase/obb_triangles", "swept_overlap", scene, swept_mesh);
        register_book("static", scene);
        register_on_every_isa("narrowphase/obb_triangle_list", "static", scene, static_index_list);
        register_on_every_isa("narrowphase/obb_triangle_list", "sweep", scene, sweep_index_list);
        register_on_every_isa("narrowphase/obb_triangle_list", "static_of_arrays", scene,
                              static_index_list_of_arrays);
        register_on_every_isa("narrowphase/obb_triangle_list", "sweep_of_arrays", scene,
                              sweep_index_list_of_arrays);
        register_on_every_isa("narrowphase/obb_triangle_pairs", "static", scene, static_pairs);
        register_on_every_isa("narrowphase/obb_triangle_pairs", "static_of_arrays", scene,
                              static_pairs_of_arrays);
        register_on_every_isa("narrowphase/obb_triangle_pairs", "static_shuffled", scene,
                              static_shuffled_pairs);
        register_on_every_isa("narrowphase/obb_triangle_pairs", "sweep", scene, sweep_pairs);
        register_on_every_isa("narrowphase/obb_triangle_pairs", "sweep_of_arrays", scene,
                              sweep_pairs_of_arrays);
        register_on_every_isa("narrowphase/obbs_triangle", "static", scene, static_obbs);
        register_on_every_isa("narrowphase/obbs_triangle", "sweep", scene, sweep_obbs);
    }
    for (const std::uint32_t quad_count_per_side : {22u, 707u}) {
        const auto scene = std::make_shared<Scene>(terrain_scene(quad_count_per_side));
        register_on_every_isa("narrowphase/obb_triangles", "terrain_static", scene, static_mesh);
        register_on_every_isa("narrowphase/obb_triangles", "terrain_sweep", scene, sweep_mesh);
        register_on_every_isa("narrowphase/obb_triangles", "terrain_static_no_groups", scene,
                              static_mesh_no_groups);
        register_on_every_isa("narrowphase/obb_triangles", "terrain_sweep_no_groups", scene,
                              sweep_mesh_no_groups);
        register_book("terrain_static", scene);
    }
    for (const FileScene& file : file_scenes()) {
        if (file.mesh.triangles.empty()) continue;
        const auto scene = std::make_shared<Scene>(file_scene(file.mesh));
        register_on_every_isa("narrowphase/obb_triangles", file.name + "_static", scene, static_mesh);
        register_on_every_isa("narrowphase/obb_triangles", file.name + "_sweep", scene, sweep_mesh);
    }
}

const Suite suite("obb_triangle", &register_rows,
                  {"narrowphase/obb_triangles/(static|sweep)/1000000/.*",
                   "narrowphase/obb_triangles/terrain_sweep/999698/widest",
                   "narrowphase/obb_triangle_pairs/static/1024/widest"});

}  // namespace

}  // namespace broadside::bench
