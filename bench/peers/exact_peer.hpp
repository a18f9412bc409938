// Peers that find the pairs of boxes of doubles from scratch.
#pragma once

#include "bench/broadphase/exact_scene.hpp"
#include "bench/peers/pair_check.hpp"

namespace broadside::bench {

/// `Peer` has `kName`, `kCountMax` and `find(rows)`, as pair peers have for floats.
template <class Peer>
void register_exact_peer(const char* scene, ExactRows (*make)(std::size_t)) {
    for (const std::size_t count : kExactCounts) {
        if (count > Peer::kCountMax) continue;
        const std::string name = peer_name("find_pairs_double", scene, count, Peer::kName);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            const ExactRows rows = make(count);
            Peer peer;
            if (!report_difference(state, compare_pairs(peer.find(rows), exact_pairs_of(rows)))) return;
            for (auto _ : state) benchmark::DoNotOptimize(peer.find(rows).data());
            count_items(state, "box", count);
        })->Unit(benchmark::kMicrosecond);
    }
}

}  // namespace broadside::bench
