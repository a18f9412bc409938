// One benchmark of find_pairs: frames of a scene in turn, settings, and a check of the result before timing.
#pragma once

#include "bench/frames.hpp"
#include "bench/support.hpp"

#include <broadside/find_pairs.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace broadside::bench {

struct FindPairsRun {
    std::string algorithm;
    std::string scene;
    std::size_t count;
    FindPairsSettings settings;
    bool is_bipartite = false;
};

// One set, or its first half against its second.
inline FindPairsResult find(const FindPairsRun& run, const BoxSoaView& boxes, BoxScratch& scratch,
                            PairBuffer& out_pairs) {
    if (!run.is_bipartite) return find_pairs(boxes, run.settings, scratch, out_pairs);
    const std::size_t half = boxes.count / 2;
    return find_pairs(boxes.part(0, half), boxes.part(half, boxes.count - half), run.settings, scratch,
                      out_pairs);
}

// The scalar ISA's list of pairs of the first list, which the rows of all ISAs share.
inline const std::vector<IndexPair>& scalar_pairs(const FindPairsRun& run, const BoxSoaView& boxes) {
    static LastUsed<std::vector<IndexPair>> last;
    return last.get(benchmark_name(run.algorithm, run.scene, run.count, Isa::scalar), [&] {
        use_isa(Isa::scalar);
        BoxScratch scratch;
        PairBuffer pairs;
        (void)find(run, boxes, scratch, pairs);
        return std::vector<IndexPair>(pairs.begin(), pairs.end());
    });
}

inline void measure(benchmark::State& state, const FindPairsRun& run, const std::string& name, Isa isa) {
    const SoaLists& lists = soa_lists(run.scene, run.count);
    const std::vector<IndexPair>& expected = scalar_pairs(run, lists.boxes[0]);
    use_isa(isa);
    BoxScratch scratch;
    PairBuffer pairs;
    FindPairsResult result = find(run, lists.boxes[0], scratch, pairs);
    require_same(std::equal(pairs.begin(), pairs.end(), expected.begin(), expected.end()), name);
    std::size_t list = 0;
    for (auto _ : state) {
        result = find(run, lists.boxes[list], scratch, pairs);
        list = (list + 1) % lists.boxes.size();
        benchmark::DoNotOptimize(pairs.data());
    }
    count_items(state, "box", lists.mean_count);
    state.counters["pairs"] = static_cast<double>(result.required);
    state.counters["tests_per_box"] =
        static_cast<double>(result.plan.tested_count) / static_cast<double>(lists.mean_count);
    state.counters["bytes"] = static_cast<double>(scratch.capacity_bytes());
}

inline void register_run(const FindPairsRun& run) {
    for (const Isa isa : supported_isas()) {
        const std::string name = benchmark_name("broadphase/" + run.algorithm, run.scene, run.count, isa);
        auto* const registered = benchmark::RegisterBenchmark(
            name.c_str(), [=](benchmark::State& state) { measure(state, run, name, isa); });
        registered->Unit(benchmark::kMicrosecond);
        // The caller's processor time does not include the work of other threads.
        if (run.settings.runner != nullptr) registered->UseRealTime();
    }
}

}  // namespace broadside::bench
