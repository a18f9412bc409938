// Peers that find the pairs of a frame from scratch, on the frames of find_pairs.
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
        const Frames frames = make_frames(scene, count);
        Peer peer;
        if (!report_difference(state, compare_pairs(peer.find(frames[0]), exact_pairs(frames[0])))) return;
        std::size_t frame = 0;
        for (auto _ : state) {
            benchmark::DoNotOptimize(peer.find(frames[frame]).data());
            frame = (frame + 1) % frames.size();
        }
        count_items(state, "box", mean_box_count(frames));
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
