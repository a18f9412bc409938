// Other libraries' tests of one ray against many boxes, one box after the other, on the boxes of
// bench_ray_box.
#pragma once

#include "bench/narrowphase/ray_box_scene.hpp"

#include <broadside/ray_box.hpp>

namespace broadside::bench {

/// Tests with another hit than ours, of `test_count`. Peers differ on grazing rays.
template <class Peer>
std::size_t count_differing(Peer& peer, const RayBoxScene& scene, std::size_t& out_test_count) {
    constexpr std::size_t kCheckedRayCount = 8;
    const std::size_t count = scene.boxes.count();
    LineVector<float> t(count);
    LineVector<std::uint64_t> bits(bit_word_count(count));
    std::size_t differing_count = 0;
    for (std::size_t r = 0; r < kCheckedRayCount; ++r) {
        peer.ask(scene.rays[r], t);
        (void)ray_boxes(scene.rays[r], scene.boxes, {}, {.hit_bits = bits});
        for (std::size_t i = 0; i < count; ++i) {
            const bool is_ours = (bits[i / 64] >> (i % 64) & 1) != 0;
            differing_count += is_ours != (t[i] != kNoIntersection) ? 1 : 0;
        }
    }
    out_test_count = kCheckedRayCount * count;
    return differing_count;
}

/// `Peer` has `kName`, is made from the boxes once, and `ask(ray, out_t)` fills in the entry of each box, or
/// kNoIntersection.
template <class Peer>
void register_ray_box_peer() {
    for (const std::size_t count : {std::size_t{1024}, std::size_t{1000000}}) {
        const std::string name = "narrowphase/ray_boxes/t/" + std::to_string(count) + "/" + Peer::kName;
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            const auto scene = make_ray_box_scene(count);
            Peer peer(scene->boxes);
            std::size_t test_count = 0;
            const std::size_t differing_count = count_differing(peer, *scene, test_count);
            if (!report_differing(state, differing_count, test_count)) return;
            LineVector<float> out_t(count);
            std::size_t turn = 0;
            for (auto _ : state) {
                peer.ask(scene->rays[turn++ % kRayCount], out_t);
                benchmark::DoNotOptimize(out_t.data());
                benchmark::ClobberMemory();
            }
            count_items(state, "test", count);
        });
    }
}

}  // namespace broadside::bench
