// CollisionStage on the bodies' boxes at the start of the step: rays, casts and overlaps, all with one tree.
#include <broadside/collision_stage.hpp>

#include "core/src/zones.hpp"
#include "stage/src/bad_items.hpp"
#include "stage/src/phase_clock.hpp"

namespace broadside {
namespace {

bool is_valid_cast(const BoxCast& cast) { return is_valid(cast.box) && is_finite(cast.displacement); }
bool is_valid_cast(const SphereCast& cast) { return is_valid(cast.sphere) && is_finite(cast.displacement); }

template <class Item, class IsValid>
void count_bad_queries(std::span<const Item> items, IsValid&& is_valid_item, StageResult& state_result) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (is_valid_item(items[i])) continue;
        stage::count_bad(i, state_result.invalid_query_count, state_result.first_invalid_query);
    }
}

bool has_queries(const StageInput& input) {
    return !input.casts.empty() || !input.sphere_casts.empty() || !input.overlap_boxes.empty() ||
           !input.overlap_spheres.empty() || !input.overlap_obbs.empty();
}

TreeQuerySettings tree_settings_of(const StageSettings& settings) {
    TreeQuerySettings tree_settings;
    tree_settings.runner = settings.runner;
    return tree_settings;
}

// Lists the first hit of each query that has one.
template <class Hit>
Status keep_found(const AlignedArray<ClosestHit>& closest, AlignedArray<Hit>& out_hits) {
    if (!out_hits.reserve(closest.size())) return Status::out_of_memory;
    for (std::uint32_t i = 0; i < closest.size(); ++i) {
        const ClosestHit& found = closest[i];
        if (found.box_index == kNoBox) continue;
        // Reserved above, so this cannot fail.
        (void)out_hits.push_back({i, found.box_index, found.t, found.face});
    }
    return Status::ok;
}

}  // namespace

// Finds the hits of rays, after an update of the tree for all queries.
Status CollisionStage::find_ray_hits(const StageInput& input, const StageSettings& settings,
                                     StageResult& state_result) noexcept {
    if (input.rays.empty() && !has_queries(input) && input.movers.empty()) return Status::ok;
    BROADSIDE_ZONE("stage/ray hits");
    stage::PhaseClock clock;
    const Status built = body_tree_.update(input.boxes, settings.runner);
    times_.body_tree_seconds = clock.lap();
    if (built != Status::ok) return built;

    for (std::size_t i = 0; i < input.rays.size(); ++i) {
        if (is_valid(input.rays[i])) continue;
        stage::count_bad(i, state_result.invalid_ray_count, state_result.first_invalid_ray);
    }
    const RaySettings ray_settings = {.inside = settings.inside};
    const TreeQuerySettings tree_settings = tree_settings_of(settings);
    Status status = Status::ok;
    if (settings.ray_report == RayReport::closest) {
        if (!phase_.closest.resize(input.rays.size())) return Status::out_of_memory;
        status = body_tree_
                     .closest_hits({input.rays, ray_settings}, tree_settings,
                                   {phase_.closest.data(), phase_.closest.size()})
                     .status;
        if (status == Status::ok) status = keep_found(phase_.closest, ray_hits_);
    } else {
        status =
            body_tree_.find_hits({input.rays, ray_settings}, tree_settings, tree_scratch_, phase_.tree_hits)
                .status;
        if (status == Status::ok && !ray_hits_.reserve(phase_.tree_hits.size()))
            status = Status::out_of_memory;
        if (status != Status::ok) return status;
        for (const TreeHit& hit : phase_.tree_hits)
            (void)ray_hits_.push_back({hit.query, hit.box, hit.t, hit.face});
    }
    times_.ray_hits_seconds = clock.lap();
    return status;
}

Status CollisionStage::find_queries(const StageInput& input, const StageSettings& settings,
                                    StageResult& state_result) noexcept {
    if (!has_queries(input)) return Status::ok;
    BROADSIDE_ZONE("stage/queries");
    stage::PhaseClock clock;
    const auto is_valid_shape = [](const auto& shape) { return is_valid(shape); };
    const auto is_legal_cast = [](const auto& cast) { return is_valid_cast(cast); };
    count_bad_queries(input.casts, is_legal_cast, state_result);
    count_bad_queries(input.sphere_casts, is_legal_cast, state_result);
    count_bad_queries(input.overlap_boxes, is_valid_shape, state_result);
    count_bad_queries(input.overlap_spheres, is_valid_shape, state_result);
    count_bad_queries(input.overlap_obbs, is_valid_shape, state_result);

    const TreeQuerySettings tree_settings = tree_settings_of(settings);
    const BoxTree& tree = body_tree_;
    Status status = Status::ok;
    const auto run = [&](auto&& ask) {
        if (status == Status::ok) status = ask().status;
    };
    if (settings.cast_report == RayReport::closest) {
        const auto run_first = [&](std::size_t cast_count, AlignedArray<TreeHit>& out_hits, auto&& ask) {
            if (status != Status::ok) return;
            if (!phase_.closest.resize(cast_count)) {
                status = Status::out_of_memory;
                return;
            }
            status = ask(std::span<ClosestHit>(phase_.closest.data(), phase_.closest.size())).status;
            if (status == Status::ok) status = keep_found(phase_.closest, out_hits);
        };
        run_first(input.casts.size(), cast_hits_, [&](std::span<ClosestHit> out_closest) {
            return tree.closest_hits({input.casts, settings.touch}, tree_settings, out_closest);
        });
        run_first(input.sphere_casts.size(), sphere_cast_hits_, [&](std::span<ClosestHit> out_closest) {
            return tree.closest_hits(input.sphere_casts, tree_settings, out_closest);
        });
    } else {
        run([&] {
            return tree.find_hits({input.casts, settings.touch}, tree_settings, tree_scratch_, cast_hits_);
        });
        run([&] {
            return tree.find_hits(input.sphere_casts, tree_settings, tree_scratch_, sphere_cast_hits_);
        });
    }
    run([&] { return tree.find_overlaps(input.overlap_boxes, tree_settings, tree_scratch_, box_overlaps_); });
    run([&] {
        return tree.find_overlaps(input.overlap_spheres, tree_settings, tree_scratch_, sphere_overlaps_);
    });
    run([&] { return tree.find_overlaps(input.overlap_obbs, tree_settings, tree_scratch_, obb_overlaps_); });
    times_.queries_seconds = clock.lap();
    return status;
}

}  // namespace broadside
