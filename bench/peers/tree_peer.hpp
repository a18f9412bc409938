// Peers with the queries of bench_box_tree, on the same worlds.
#pragma once

#include "bench/peers/pair_check.hpp"
#include "bench/query_scene.hpp"

#include <utility>

namespace broadside::bench {

/// The numbers of our tree's results, to compare the peers with.
struct TreeAnswers {
    std::size_t overlaps = 0;
    std::size_t ray_hits = 0;
    std::size_t rays_with_hit = 0;
    std::size_t casts_with_hit = 0;

    explicit TreeAnswers(const QueryScene& scene) {
        BoxTree tree;
        if (tree.build(soa_of(scene.boxes)) != Status::ok) std::abort();
        BoxScratch scratch;
        PairBuffer pairs;
        AlignedArray<Listed<TreeHit>> hits;
        std::vector<TreeHit> closest(kQueryCount);
        const auto count_found = [&] {
            return static_cast<std::size_t>(std::count_if(
                closest.begin(), closest.end(), [](const TreeHit& box) { return box.target != kNoBox; }));
        };
        const scenes::QuerySet& queries = scene.queries;
        overlaps = tree.find_overlaps(queries.overlaps, {}, scratch, pairs).written;
        ray_hits = tree.find_hits(queries.rays, {}, scratch, hits).written;
        (void)tree.closest_hits(queries.rays, {}, closest);
        rays_with_hit = count_found();
        (void)tree.closest_hits({queries.casts, Touch::closed}, {}, closest);
        casts_with_hit = count_found();
    }
};

/// The ray test in callbacks of peers: entry, or FLT_MAX if the box is missed before t_max.
inline float entry_t(Vec3 origin, Vec3 inv_direction, float t_max, const Aabb& box) {
    const auto near_far = [](float origin_in, float inv, float min, float max) {
        const float a = (min - origin_in) * inv;
        const float b = (max - origin_in) * inv;
        return std::pair(std::min(a, b), std::max(a, b));
    };
    const auto [near_x, far_x] = near_far(origin.x, inv_direction.x, box.min.x, box.max.x);
    const auto [near_y, far_y] = near_far(origin.y, inv_direction.y, box.min.y, box.max.y);
    const auto [near_z, far_z] = near_far(origin.z, inv_direction.z, box.min.z, box.max.z);
    const float t_enter = std::max(std::max(near_x, near_y), std::max(near_z, 0.0f));
    const float t_exit = std::min(std::min(far_x, far_y), std::min(far_z, t_max));
    return t_enter <= t_exit ? t_enter : FLT_MAX;
}
inline Vec3 inverse(Vec3 v) { return {1.0f / v.x, 1.0f / v.y, 1.0f / v.z}; }

/// A query whose result is a number; building has none, and its time is per box.
template <class Peer>
struct TreePeerQuestion {
    std::string name;
    std::size_t (Peer::*ask)();
    std::size_t TreeAnswers::*expected;
};

/// Writes to the row how many results are extra or missing. Boxes are compared exactly, so there must be
/// none; arithmetic of another form may decide grazing rays otherwise, so one in 10,000 may differ.
inline bool report_answers(benchmark::State& state, std::size_t answers, std::size_t expected,
                           bool is_exact) {
    const std::size_t extra = answers > expected ? answers - expected : 0;
    const std::size_t missing = expected > answers ? expected - answers : 0;
    const std::string text = std::to_string(extra) + " extra, " + std::to_string(missing) + " missing of " +
                             std::to_string(expected) + " answers";
    if (extra + missing > (is_exact ? 0 : 2 + expected / 10000)) {
        state.SkipWithError(text.c_str());
        return false;
    }
    state.counters["answers"] = static_cast<double>(answers);
    state.counters["extra_answers"] = static_cast<double>(extra);
    state.counters["missing_answers"] = static_cast<double>(missing);
    if (extra + missing != 0) state.SetLabel(text);
    return true;
}

/// `Peer` is made from a QueryScene that outlives it, and has `kName` and `questions()`.
template <class Peer>
void register_tree_peer(const std::string& scene_name, std::size_t count) {
    for (const TreePeerQuestion<Peer>& question : Peer::questions()) {
        const std::string name = peer_name("box_tree_" + question.name, scene_name, count, Peer::kName);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            const QueryScene scene = make_query_scene(scene_name, count, scenes::QueryOrder::incoherent);
            Peer peer(scene);
            const bool is_build = question.expected == nullptr;
            const std::size_t answers = (peer.*question.ask)();
            if (!is_build && !report_answers(state, answers, TreeAnswers(scene).*question.expected,
                                             question.expected == &TreeAnswers::overlaps)) {
                return;
            }
            for (auto _ : state) benchmark::DoNotOptimize((peer.*question.ask)());
            count_items(state, is_build ? "box" : "query", is_build ? count : kQueryCount);
        })->Unit(benchmark::kMicrosecond);
    }
}

template <class Peer>
void register_tree_peer() {
    for (const char* scene : kTreeScenes) {
        for (const std::size_t count : {std::size_t{10000}, std::size_t{100000}}) {
            register_tree_peer<Peer>(scene, count);
        }
    }
}

}  // namespace broadside::bench
