// Peers that follow a world from frame to frame, on the frames of bench_world.
#pragma once

#include "bench/broadphase/world_frames.hpp"
#include "bench/peers/pair_check.hpp"

namespace broadside::bench {

/// `Peer` has `kName`, `kCountMax` (more objects would take it too long), a constructor from WorldFrames,
/// `step(frame)`, which is timed, and `pairs()`: the pairs that it knows then, the smaller index first. Pairs
/// of two fixed objects do not count.
template <class Peer>
void register_world_peer(const WorldScene& scene, std::size_t count) {
    if (count > Peer::kCountMax) return;
    const auto body = [=](benchmark::State& state) {
        WorldFrames& frames = world_frames(scene, count);
        Peer peer(frames);
        PairDifference difference;
        for (int k = 0; k < kWarmUpFrameCount; ++k) {
            const WorldFrame& frame = frames.next();
            peer.step(frame);
            difference += compare_pairs(peer.pairs(), expected_pairs(frames, frame.boxes));
        }
        if (!report_difference(state, difference)) return;
        for (auto _ : state) {
            const WorldFrame& frame = frames.next();
            state.SetIterationTime(seconds_of([&] { peer.step(frame); }));
        }
        count_items(state, "box", count);
    };
    const std::string name = peer_name("world", scene.name, count, Peer::kName);
    benchmark::RegisterBenchmark(name.c_str(), body)->Unit(benchmark::kMicrosecond)->UseManualTime();
}

template <class... Peer>
void register_world_peers() {
    for (const WorldScene& scene : kWorldScenes) {
        for (const std::size_t count : kWorldCounts) (register_world_peer<Peer>(scene, count), ...);
    }
}

}  // namespace broadside::bench
