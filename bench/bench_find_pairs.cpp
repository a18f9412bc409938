// find_pairs: scenes in motion by the automatic choice in both orders, two sets, and brute force where it competes.
#include "bench/suites.hpp"
#include "bench/support.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/find_pairs.hpp>
#include <broadside/scenes/box_scene.hpp>

#include <memory>
#include <vector>

namespace broadside::bench {
namespace {

// Frames that take turns, so that no call sees the boxes of the call before.
constexpr std::size_t kFrameCount = 4;

struct Input {
    std::vector<BoxSoa> frames;
    // The scalar ISA's list of the first frame; made by the first run that needs it.
    std::vector<IndexPair> expected;
};

struct Run {
    std::string algorithm;
    std::string scene;
    std::size_t count;
    FindPairsSettings settings;
    bool is_bipartite;
};

void make_frames(const Run& run, Input& out_input) {
    const scenes::NamedScene scene = scenes::find_scene(run.scene).value();
    const scenes::BoxScene boxes(scene.layout, scenes::Motion::all, run.count);
    scenes::BoxFrame frame;
    for (std::size_t index = 0; index < kFrameCount; ++index) {
        boxes.frame(index, frame);
        const BoxAosView view = {
            .data = frame.boxes.data(), .stride_bytes = sizeof(Aabb), .count = frame.boxes.size()};
        if (out_input.frames.emplace_back().assign(view) != Status::ok) std::abort();
    }
}

// One set, or its first half against its second.
FindPairsResult find(const Run& run, const BoxSoaView& boxes, FindPairsScratch& scratch,
                     PairBuffer& out_pairs) {
    if (!run.is_bipartite) return find_pairs(boxes, run.settings, scratch, out_pairs);
    const std::size_t half = boxes.count / 2;
    return find_pairs(boxes.part(0, half), boxes.part(half, boxes.count - half), run.settings, scratch,
                      out_pairs);
}

void measure(benchmark::State& state, const Run& run, const std::string& name, Isa isa, Input& input) {
    if (input.frames.empty()) make_frames(run, input);
    FindPairsScratch scratch;
    PairBuffer pairs;
    if (input.expected.empty()) {
        use_isa(Isa::scalar);
        find(run, input.frames[0], scratch, pairs);
        input.expected.assign(pairs.begin(), pairs.end());
    }
    use_isa(isa);
    FindPairsResult result = find(run, input.frames[0], scratch, pairs);
    require_same(std::equal(pairs.begin(), pairs.end(), input.expected.begin(), input.expected.end()), name);
    std::size_t frame = 0;
    for (auto _ : state) {
        result = find(run, input.frames[frame], scratch, pairs);
        frame = (frame + 1) % kFrameCount;
        benchmark::DoNotOptimize(pairs.data());
    }
    count_items(state, "box", run.count);
    state.counters["pairs"] = static_cast<double>(result.required);
    state.counters["tests_per_box"] =
        static_cast<double>(result.plan.tested_count) / static_cast<double>(run.count);
    state.counters["bytes"] = static_cast<double>(scratch.capacity_bytes());
}

void register_run(const Run& run) {
    const auto input = std::make_shared<Input>();
    for (const Isa isa : supported_isas()) {
        const std::string name = benchmark_name("broadphase/" + run.algorithm, run.scene, run.count, isa);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            measure(state, run, name, isa, *input);
        })->Unit(benchmark::kMicrosecond);
    }
}

}  // namespace

void register_find_pairs_benchmarks() {
    const FindPairsSettings as_found = {.order = PairOrder::by_algorithm};
    const FindPairsSettings canonical = {.order = PairOrder::canonical};
    for (const char* scene : {"uniform", "mixed", "city", "pile", "wall"}) {
        for (const std::size_t count : {1000u, 10000u, 100000u, 1000000u}) {
            register_run({"find_pairs", scene, count, as_found, false});
            register_run({"find_pairs_canonical", scene, count, canonical, false});
        }
        for (const std::size_t count : {10000u, 100000u}) {
            register_run({"find_pairs_bipartite", scene, count, as_found, true});
        }
    }
    // Where brute force gives way.
    for (const char* scene : {"uniform", "pile"}) {
        for (const std::size_t count : {64u, 128u, 192u, 256u, 384u}) {
            for (const auto& [name, algorithm] :
                 {std::pair("brute_force", PairAlgorithm::brute_force),
                  std::pair("sweep_and_prune", PairAlgorithm::sweep_and_prune),
                  std::pair("cells", PairAlgorithm::cells)}) {
                register_run(
                    {name, scene, count, {.algorithm = algorithm, .order = PairOrder::by_algorithm}, false});
            }
        }
    }
}

}  // namespace broadside::bench
