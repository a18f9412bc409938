// Other libraries' tests of oriented boxes, one pair at a time, on a million distinct items that a branch
// predictor cannot learn.
#pragma once

#include "bench/narrowphase/obb_scenes.hpp"
#include "bench/support.hpp"

#include <broadside/obb_obb.hpp>
#include <broadside/obb_triangle.hpp>

#include <vector>

namespace broadside::bench {

struct ObbPeerScene {
    Obb box;
    std::vector<Triangle> triangles;
    std::vector<Obb> obbs;
};

/// Made by the first run that needs it.
inline const ObbPeerScene& obb_peer_scene() {
    static const ObbPeerScene made = [] {
        constexpr std::size_t kCount = 1000000;
        ObbPeerScene scene;
        Sequence sequence;
        scene.box = random_box(sequence, {});
        for (std::size_t i = 0; i < kCount; ++i) {
            const Vec3 at = sequence.vector(1.6f);
            const Vec3 a = at + sequence.vector(0.5f);
            const Vec3 b = at + sequence.vector(0.5f);
            scene.triangles.push_back({a, b, at + sequence.vector(0.5f)});
            scene.obbs.push_back(random_box(sequence, sequence.vector(1.6f)));
        }
        return scene;
    }();
    return made;
}

/// `Peer` has `kName`, is made from the one box, and has `overlaps(item)`. If it differs, tolerances or
/// rounding decide a touch.
template <class Peer, class Item>
void register_obb_peer(const std::string& algorithm, std::vector<Item> ObbPeerScene::*items_of) {
    const std::string name = "narrowphase/" + algorithm + "/static/1000000/" + Peer::kName;
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
        const std::vector<Item>& items = obb_peer_scene().*items_of;
        const Obb& box = obb_peer_scene().box;
        const Peer peer(box);
        std::size_t differing_count = 0;
        for (const Item& item : items) differing_count += peer.overlaps(item) != overlap(box, item) ? 1 : 0;
        if (!report_differing(state, differing_count, items.size())) return;
        std::vector<std::uint8_t> out(items.size());
        for (auto _ : state) {
            for (std::size_t i = 0; i < items.size(); ++i) out[i] = peer.overlaps(items[i]) ? 1 : 0;
            benchmark::DoNotOptimize(out.data());
            benchmark::ClobberMemory();
        }
        count_items(state, algorithm == "obb_triangles" ? "triangle" : "pair", items.size());
    });
}

}  // namespace broadside::bench
