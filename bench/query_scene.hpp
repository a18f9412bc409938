// The worlds for the queries of bench_box_tree and its peers.
#pragma once

#include "bench/frames.hpp"

#include <broadside/box_tree.hpp>
#include <broadside/scenes/query_set.hpp>

namespace broadside::bench {

inline constexpr std::size_t kQueryCount = 10000;
inline constexpr const char* kTreeScenes[] = {"uniform", "clustered", "mixed", "city", "pile"};

struct QueryScene {
    std::vector<Aabb> boxes;
    scenes::QuerySet queries;
};

inline QueryScene make_query_scene(const std::string& scene_name, std::size_t box_count,
                                   scenes::QueryOrder order) {
    QueryScene scene;
    scene.boxes = make_frames(scene_name, box_count)[0];
    scene.queries = scenes::make_queries(scene.boxes, kQueryCount, order);
    return scene;
}

}  // namespace broadside::bench
