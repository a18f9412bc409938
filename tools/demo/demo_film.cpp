// Pairs with their state, impacts, rays up to their hits, oriented boxes with their impacts on the mesh.
#include "tools/demo/demo_film.hpp"

#include "tools/demo/demo_phases.hpp"

#include <algorithm>

namespace broadside::demo {
namespace {

// More rays would hide the scene.
constexpr std::size_t kRayLimit = 500;

}  // namespace

std::vector<std::string> film_phases() {
    std::vector<std::string> names;
    for (const Phase& phase : kPhases) names.emplace_back(phase.label);
    return names;
}

std::size_t ray_stride(std::size_t ray_count) { return std::max<std::size_t>(1, ray_count / kRayLimit); }

viewer::FilmFrame film_frame(const Frame& frame, const StageInput& input, const CollisionStage& stage) {
    viewer::FilmFrame film;
    film.boxes = input.boxes;
    film.ids = frame.ids;
    film.is_fixed = frame.is_fixed;
    for (const StageImpact& impact : stage.impacts()) {
        // At time 0 they overlap already: a pair, no event.
        if (impact.toi > 0) film.impacts.push_back({impact.first, impact.second, impact.toi});
    }
    for (const IndexPair& pair : stage.candidate_pairs()) {
        const bool is_overlapping = overlap(input.boxes[pair.first], input.boxes[pair.second]);
        film.pairs.push_back(
            {pair.first, pair.second,
             is_overlapping ? viewer::PairState::overlapping : viewer::PairState::candidate});
    }
    const std::size_t stride = ray_stride(input.rays.size());
    for (const StageRayHit& hit : stage.ray_hits()) {
        const Ray& ray = input.rays[hit.ray];
        if (hit.ray % stride == 0) film.rays.push_back({ray.origin, ray.origin + ray.direction * hit.t});
    }
    for (const Obb& obb : input.obbs) film.obbs.push_back({obb, kNoIntersection});
    for (const StageTriangleImpact& impact : stage.triangle_impacts()) {
        float& toi = film.obbs[impact.obb].toi;
        toi = std::min(toi, impact.toi);
    }
    for (const Phase& phase : kPhases) {
        film.phase_ms.push_back(static_cast<float>(1e3 * phase.seconds(stage.times())));
    }
    return film;
}

}  // namespace broadside::demo
