// Pairs with their state, impacts, rays up to their hits, oriented boxes with their impacts on the mesh, movers.
#include "extras/demo/demo_film.hpp"

#include "extras/demo/demo_phases.hpp"

#include <algorithm>

namespace broadside::demo {
namespace {

// More rays would hide the scene.
constexpr std::size_t kRayLimit = 500;

// Each ray up to its first hit: a body, or the mesh. All rays of the movers, and some of the others.
void add_rays(const Frame& frame, const StageInput& input, const CollisionStage& stage,
              viewer::FilmFrame& state_film) {
    const std::size_t stride = ray_stride(input.rays.size());
    const std::size_t begin = input.movers.empty() ? input.rays.size() : frame.mover_ray_begin;
    std::vector<float> mesh_times(input.rays.size(), kNoIntersection);
    for (const Listed<SceneHit>& hit : stage.mesh_hits()) mesh_times[hit.query] = hit.found.t;
    const auto add = [&](std::uint32_t index, float t, std::vector<viewer::FilmRay>& out_rays) {
        const Ray& ray = input.rays[index];
        if (index >= begin || index % stride == 0) {
            out_rays.push_back({ray.origin, ray.origin + ray.direction * t});
        }
    };
    for (const Listed<TreeHit>& hit : stage.ray_hits()) {
        if (hit.found.t <= mesh_times[hit.query]) {
            add(hit.query, hit.found.t, state_film.rays);
            mesh_times[hit.query] = kNoIntersection;
        }
    }
    for (std::uint32_t i = 0; i < mesh_times.size(); ++i) {
        if (mesh_times[i] != kNoIntersection) add(i, mesh_times[i], state_film.mesh_rays);
    }
}

viewer::FilmMover film_mover(const Mover& mover, const MoverSettings& settings, const MoverResult& result) {
    const MoverShape& shape = mover.shape;
    const Vec3 round = Vec3{1.0f, 1.0f, 1.0f} * shape.radius;
    const Vec3 up = settings.up * shape.half_length;
    const Vec3 axis = {max_keep(up.x, -up.x), max_keep(up.y, -up.y), max_keep(up.z, -up.z)};
    viewer::FilmMover film = {mover.position, round + axis, shape.radius, viewer::MoverState::on_ground};
    if (length_sq(result.wall_normal) > 0.0f) film.state = viewer::MoverState::at_wall;
    if (!result.is_grounded) film.state = viewer::MoverState::in_the_air;
    if (result.has_stepped) film.state = viewer::MoverState::stepping;
    return film;
}

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
    film.kinds = frame.kinds;
    for (const StageImpact& impact : stage.impacts()) {
        // At time 0 they overlap already: a pair, no event.
        if (impact.t > 0) film.impacts.push_back({impact.target.first, impact.target.second, impact.t});
    }
    for (const IndexPair& pair : stage.candidate_pairs()) {
        const bool is_overlapping = overlap(input.boxes[pair.first], input.boxes[pair.second]);
        film.pairs.push_back(
            {pair.first, pair.second,
             is_overlapping ? viewer::PairState::overlapping : viewer::PairState::candidate});
    }
    add_rays(frame, input, stage, film);
    for (const Obb& obb : input.obbs) film.obbs.push_back({obb, kNoIntersection});
    for (const StageTriangleImpact& impact : stage.triangle_impacts()) {
        float& toi = film.obbs[impact.obb].toi;
        toi = std::min(toi, impact.toi);
    }
    for (std::size_t i = 0; i < input.movers.size(); ++i) {
        film.movers.push_back(film_mover(input.movers[i], frame.mover_settings, stage.mover_results()[i]));
    }
    for (const Phase& phase : kPhases) {
        film.phase_ms.push_back(static_cast<float>(1e3 * phase.seconds(stage.times())));
    }
    return film;
}

}  // namespace broadside::demo
