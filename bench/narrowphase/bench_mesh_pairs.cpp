// Mesh against mesh: all pairs of triangles, the test for any, first contact, distances, spheres and clashes,
// on every ISA, checked against scalar.
#include "bench/mesh_pair_scene.hpp"
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/clash.hpp>
#include <broadside/obb_tree.hpp>
#include <broadside/sphere_tree.hpp>

#include <functional>
#include <memory>

namespace broadside::bench {
namespace {

struct Pair {
    MeshPairScene scene;
    TriangleMesh mesh;
    ObbTree obbs;
    SphereTree spheres;

    explicit Pair(const MeshPairSceneName& name)
        : scene(make_mesh_pair_scene(name.name, name.triangle_count)) {
        if (mesh.build(scene.vertices, scene.indices).status != Status::ok) std::abort();
        if (obbs.build(mesh) != Status::ok || spheres.build(mesh).status != Status::ok) std::abort();
    }
    PlacedMesh at(const Transform& place, bool has_obbs) const {
        return {&mesh, place, has_obbs ? &obbs : nullptr};
    }
};

struct Results {
    std::vector<std::size_t> counts;
    std::vector<float> times;
    PairSearchCounts tests;
    MeshScratch scratch;
    std::vector<TrianglePair> pairs = std::vector<TrianglePair>(1 << 20);

    friend bool operator==(const Results& a, const Results& b) {
        return a.counts == b.counts && a.times == b.times && a.tests == b.tests;
    }
    void add(const PairSearchCounts& counts_of_one) {
        tests.node_tests += counts_of_one.node_tests;
        tests.leaf_pairs += counts_of_one.leaf_pairs;
        tests.triangle_tests += counts_of_one.triangle_tests;
    }
};

using Call = std::function<void(const Pair&, bool has_obbs, Results&)>;
struct Question {
    const char* name;
    bool has_obbs;
    Call call;
};
void find_all(const Pair& p, bool has_obbs, Results& out) {
    for (const Transform& place : p.scene.places) {
        PairSearchCounts counts;
        const WriteResult result =
            find_triangle_pairs(p.at({}, has_obbs), p.at(place, has_obbs), out.scratch, out.pairs, &counts);
        out.counts.push_back(result.required);
        out.add(counts);
    }
}
void find_any(const Pair& p, bool has_obbs, Results& out) {
    for (const Transform& place : p.scene.places) {
        const AnyPairResult answer = any_triangle_pair(p.at({}, has_obbs), p.at(place, has_obbs));
        out.counts.push_back(answer.found ? 1 : 0);
        out.add(answer.counts);
    }
}
void find_impacts(const Pair& p, bool has_obbs, Results& out) {
    for (std::size_t i = 0; i < p.scene.starts.size(); ++i) {
        const MeshPairImpact impact =
            first_impact(p.at({}, has_obbs), {}, p.at(p.scene.starts[i], has_obbs), p.scene.displacements[i]);
        out.times.push_back(impact.toi);
        out.add(impact.counts);
    }
}
const Question kQuestions[] = {
    {"all", false, find_all},
    {"all_obb", true, find_all},
    {"any", false, find_any},
    {"any_obb", true, find_any},
    {"impact", false, find_impacts},
    {"impact_obb", true, find_impacts},
    {"any_sphere", false,
     [](const Pair& p, bool, Results& out) {
         for (const Transform& place : p.scene.places) {
             const AnyPairResult answer = any_part_pair(p.spheres, {}, p.spheres, place);
             out.counts.push_back(answer.found ? 1 : 0);
             out.tests.node_tests += answer.counts.node_tests;
         }
     }},
    {"all_sphere", false,
     [](const Pair& p, bool, Results& out) {
         for (const Transform& place : p.scene.places) {
             PairSearchCounts counts;
             const WriteResult result =
                 find_part_pairs(p.spheres, {}, p.spheres, place, out.scratch, {}, &counts);
             out.counts.push_back(result.required);
             out.tests.node_tests += counts.node_tests;
         }
     }},
};

void register_clash_rows() {
    for (const std::size_t count : {std::size_t{5000}, std::size_t{50000}}) {
        for (const Isa isa : supported_isas()) {
            std::string name = "stage/clash/hall/";
            name.append(std::to_string(count)).append("/").append(isa_name(isa));
            benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
                const Hall hall(count);
                BoxScratch scratch;
                std::vector<Clash> expected(1 << 20), clashes(1 << 20);
                use_isa(Isa::scalar);
                ClashResult result = find_clashes(hall.placed, {}, scratch, std::span(expected));
                use_isa(isa);
                result = find_clashes(hall.placed, {}, scratch, std::span(clashes));
                require_same(result.status == Status::ok && clashes == expected, name);
                for (auto _ : state) {
                    result = find_clashes(hall.placed, {}, scratch, std::span(clashes));
                    benchmark::ClobberMemory();
                }
                count_items(state, "pair", result.candidate_count);
                state.counters["clashes"] = static_cast<double>(result.required);
            })->Unit(benchmark::kMillisecond);
        }
    }
}

void register_distance_rows(const MeshDistanceSceneName& scene) {
    for (const Isa isa : supported_isas()) {
        const std::string name = mesh_distance_row(scene, isa_name(isa));
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            const MeshDistanceScene made = make_mesh_distance_scene(scene);
            use_isa(Isa::scalar);
            const std::vector<ClosestTrianglePair> expected = our_mesh_distances(made);
            use_isa(isa);
            const std::vector<ClosestTrianglePair> found = our_mesh_distances(made);
            PairSearchCounts counts;
            for (std::size_t i = 0; i < expected.size(); ++i) {
                require_same(found[i].closest == expected[i].closest && found[i].a == expected[i].a &&
                                 found[i].b == expected[i].b && found[i].counts == expected[i].counts,
                             name);
                counts.node_tests += found[i].counts.node_tests;
                counts.triangle_tests += found[i].counts.triangle_tests;
            }
            TriangleMesh a, b;
            if (a.build(made.vertices, made.indices).status != Status::ok) std::abort();
            if (b.build(made.other_vertices, made.indices).status != Status::ok) std::abort();
            for (auto _ : state) {
                for (const Transform& place : made.places)
                    benchmark::DoNotOptimize(closest_triangle_pair({&a}, {&b, place}));
            }
            count_items(state, "call", made.places.size());
            state.counters["box_tests"] = static_cast<double>(counts.node_tests);
            state.counters["triangle_tests"] = static_cast<double>(counts.triangle_tests);
        })->Unit(benchmark::kMillisecond);
    }
}

void register_rows() {
    register_clash_rows();
    for (const MeshDistanceSceneName& scene : kMeshDistanceScenes) register_distance_rows(scene);
    for (const MeshPairSceneName& scene : kMeshPairScenes) {
        benchmark::RegisterBenchmark(mesh_pair_row("obb_tree_build", scene, isa_name(Isa::scalar)).c_str(),
                                     [=](benchmark::State& state) {
                                         const Pair pair(scene);
                                         ObbTree tree;
                                         for (auto _ : state) benchmark::DoNotOptimize(tree.build(pair.mesh));
                                         count_items(state, "triangle", pair.scene.triangle_count());
                                     })
            ->Unit(benchmark::kMillisecond);
        benchmark::RegisterBenchmark(mesh_pair_row("sphere_tree_build", scene, isa_name(Isa::scalar)).c_str(),
                                     [=](benchmark::State& state) {
                                         const Pair pair(scene);
                                         SphereTree tree;
                                         for (auto _ : state)
                                             benchmark::DoNotOptimize(tree.build(pair.mesh).status);
                                         count_items(state, "triangle", pair.scene.triangle_count());
                                     })
            ->Unit(benchmark::kMillisecond);
        for (const Question& question : kQuestions) {
            for (const Isa isa : supported_isas()) {
                const std::string name = mesh_pair_row(question.name, scene, isa_name(isa));
                benchmark::RegisterBenchmark(name.c_str(), [=, &question](benchmark::State& state) {
                    static std::unique_ptr<Pair> pair;
                    static std::string pair_name;
                    const std::string wanted = scene.name + std::to_string(scene.triangle_count);
                    if (pair_name != wanted) pair = std::make_unique<Pair>(scene);
                    pair_name = wanted;
                    Results expected, out;
                    use_isa(Isa::scalar);
                    question.call(*pair, question.has_obbs, expected);
                    use_isa(isa);
                    question.call(*pair, question.has_obbs, out);
                    require_same(out == expected, name);
                    for (auto _ : state) {
                        out.counts.clear();
                        out.times.clear();
                        question.call(*pair, question.has_obbs, out);
                        benchmark::ClobberMemory();
                    }
                    count_items(state, "call", pair->scene.places.size());
                    std::size_t found = 0;
                    for (const std::size_t count : expected.counts) found += count;
                    for (const float time : expected.times) found += time <= 1.0f ? 1u : 0u;
                    state.counters["found"] = static_cast<double>(found);
                    state.counters["box_tests"] = static_cast<double>(expected.tests.node_tests);
                    state.counters["triangle_tests"] = static_cast<double>(expected.tests.triangle_tests);
                })->Unit(benchmark::kMillisecond);
            }
        }
    }
}

const Suite suite("mesh_pairs", &register_rows,
                  {"narrowphase/mesh_pairs_(all|any|impact)(_obb|_sphere)?/\\w+/\\d+/widest",
                   "narrowphase/mesh_distance/balls_near/20000/widest", "stage/clash/hall/50000/widest"});

}  // namespace
}  // namespace broadside::bench
