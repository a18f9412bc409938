// The phases of a step, by their names in table, JSON and page.
#pragma once

#include <broadside/collision_stage.hpp>

#include <array>

namespace broadside::demo {

struct Phase {
    const char* key;
    const char* label;
    double (*seconds)(const StageTimes&);
};

inline constexpr std::array<Phase, 9> kPhases = {{
    {"swept_bounds", "swept bounds", [](const StageTimes& t) { return t.swept_bounds_seconds; }},
    {"find_pairs", "find pairs", [](const StageTimes& t) { return t.find_pairs_seconds; }},
    {"impacts", "times of impact", [](const StageTimes& t) { return t.impacts_seconds; }},
    {"body_tree", "tree of the bodies", [](const StageTimes& t) { return t.body_tree_seconds; }},
    {"ray_hits", "ray hits", [](const StageTimes& t) { return t.ray_hits_seconds; }},
    {"contact_pairs", "OBB candidates", [](const StageTimes& t) { return t.triangle_pairs_seconds; }},
    {"contacts", "OBB contacts", [](const StageTimes& t) { return t.triangle_impacts_seconds; }},
    {"meshes", "mesh hits", [](const StageTimes& t) { return t.meshes_seconds; }},
    {"movers", "movers", [](const StageTimes& t) { return t.movers_seconds; }},
}};

}  // namespace broadside::demo
