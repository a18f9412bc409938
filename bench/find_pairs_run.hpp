// One benchmark of find_pairs: frames of a scene that take turns, settings, and the answer checked beforehand.
#pragma once

#include "bench/support.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/find_pairs.hpp>
#include <broadside/scenes/box_scene.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace broadside::bench {

// Frames that take turns, so that no call sees the boxes of the call before.
inline constexpr std::size_t kFrameCount = 4;

struct FindPairsInput {
    std::vector<BoxSoa> frames;
    // The scalar ISA's list of the first frame; made by the first run that needs it.
    std::vector<IndexPair> expected;
};

struct FindPairsRun {
    std::string algorithm;
    std::string scene;
    std::size_t count;
    FindPairsSettings settings;
    bool is_bipartite;
};

inline void make_frames(const FindPairsRun& run, FindPairsInput& out_input) {
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
inline FindPairsResult find(const FindPairsRun& run, const BoxSoaView& boxes, FindPairsScratch& scratch,
                            PairBuffer& out_pairs) {
    if (!run.is_bipartite) return find_pairs(boxes, run.settings, scratch, out_pairs);
    const std::size_t half = boxes.count / 2;
    return find_pairs(boxes.part(0, half), boxes.part(half, boxes.count - half), run.settings, scratch,
                      out_pairs);
}

inline void measure(benchmark::State& state, const FindPairsRun& run, const std::string& name, Isa isa,
                    FindPairsInput& input) {
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

inline void register_run(const FindPairsRun& run) {
    const auto input = std::make_shared<FindPairsInput>();
    for (const Isa isa : supported_isas()) {
        const std::string name = benchmark_name("broadphase/" + run.algorithm, run.scene, run.count, isa);
        auto* const registered = benchmark::RegisterBenchmark(
            name.c_str(), [=](benchmark::State& state) { measure(state, run, name, isa, *input); });
        registered->Unit(benchmark::kMicrosecond);
        // The caller's processor time says nothing about what others do meanwhile.
        if (run.settings.runner != nullptr) registered->UseRealTime();
    }
}

}  // namespace broadside::bench
