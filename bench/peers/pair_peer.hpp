// Peers that find the pairs of a list from scratch, on the lists of find_pairs.
#pragma once

#include "bench/frames.hpp"
#include "bench/peers/pair_check.hpp"

namespace broadside::bench {

/// `Peer` has `kName`, `kCountMax` (more boxes would take it too long), and `find(boxes)`, which returns the
/// pairs of the boxes, the smaller index first, in a list that lives until the next call.
template <class Peer>
void register_pair_peer(const std::string& scene, std::size_t count) {
    if (count > Peer::kCountMax) return;
    const std::string name = peer_name("find_pairs", scene, count, Peer::kName);
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
        const Frames lists = make_lists(scene, count);
        Peer peer;
        if (!report_difference(state, compare_pairs(peer.find(lists[0]), exact_pairs(lists[0])))) return;
        std::size_t list = 0;
        for (auto _ : state) {
            benchmark::DoNotOptimize(peer.find(lists[list]).data());
            list = (list + 1) % lists.size();
        }
        count_items(state, "box", mean_box_count(lists));
    })->Unit(benchmark::kMicrosecond);
}

/// On all scenes of bench_find_pairs.
template <class Peer>
void register_pair_peer() {
    for (const char* scene : kFindPairsScenes) {
        for (const std::size_t count : kFindPairsCounts) register_pair_peer<Peer>(scene, count);
    }
    for (const FileScene& file : file_scenes()) register_pair_peer<Peer>(file.name, file.box_count());
}

}  // namespace broadside::bench
