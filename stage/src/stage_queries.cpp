// CollisionStage on the bodies' boxes at the start of the step: rays, casts and overlaps, all with one tree.
#include <broadside/collision_stage.hpp>

#include "core/src/zones.hpp"
#include "stage/src/bad_items.hpp"
#include "stage/src/phase_clock.hpp"

#include <algorithm>

namespace broadside {
namespace {

bool is_legal(Vec3 point) { return is_finite(point); }
template <class Query>
bool is_legal(const Query& query) {
    return is_valid(query);
}

template <class Queries>
void count_bad_queries(std::span<const Queries> lists, StageResult& state_result) {
    for (const Queries& list : lists) {
        list.visit([&](auto queries) {
            for (std::size_t i = 0; i < queries.size(); ++i) {
                if (is_legal(queries[i])) continue;
                stage::count_bad(i, state_result.invalid_query_count, state_result.first_invalid_query);
            }
        });
    }
}

bool has_queries(const StageInput& input) { return !input.casts.empty() || !input.overlaps.empty(); }

TreeQuerySettings tree_settings_of(const StageSettings& settings) {
    TreeQuerySettings tree_settings;
    tree_settings.runner = settings.runner;
    return tree_settings;
}

// Appends the first hit of each query that has one.
Status keep_found(const AlignedArray<TreeHit>& closest, AlignedArray<Listed<TreeHit>>& state_hits) {
    if (!state_hits.reserve_to_append(closest.size())) return Status::out_of_memory;
    for (std::uint32_t i = 0; i < closest.size(); ++i) {
        // Reserved above, so this cannot fail.
        if (closest[i].target != kNoBox) (void)state_hits.push_back({i, closest[i]});
    }
    return Status::ok;
}

// Appends the items of a list.
template <class Item>
bool keep_list(const AlignedArray<Item>& list, AlignedArray<Item>& state_items) {
    const std::size_t begin = state_items.size();
    if (!state_items.append(list.size())) return false;
    std::copy(list.begin(), list.end(), state_items.begin() + begin);
    return true;
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
    if (!settings.report_all_ray_hits) {
        if (!phase_.closest.resize(input.rays.size())) return Status::out_of_memory;
        status = body_tree_
                     .closest_hits({input.rays, ray_settings}, tree_settings,
                                   {phase_.closest.data(), phase_.closest.size()})
                     .status;
        if (status == Status::ok) status = keep_found(phase_.closest, ray_hits_);
    } else {
        status = body_tree_.find_hits({input.rays, ray_settings}, tree_settings, scratch_, ray_hits_).status;
    }
    times_.ray_hits_seconds = clock.lap();
    return status;
}

Status CollisionStage::find_queries(const StageInput& input, const StageSettings& settings,
                                    StageResult& state_result) noexcept {
    if (!has_queries(input)) return Status::ok;
    BROADSIDE_ZONE("stage/queries");
    stage::PhaseClock clock;
    count_bad_queries(input.casts, state_result);
    count_bad_queries(input.overlaps, state_result);
    const TreeQuerySettings tree_settings = tree_settings_of(settings);
    for (const HitQueries& casts : input.casts) {
        Status status = Status::ok;
        if (!settings.report_all_cast_hits) {
            if (!phase_.closest.resize(casts.size())) return Status::out_of_memory;
            const std::span<TreeHit> closest = {phase_.closest.data(), phase_.closest.size()};
            status = body_tree_.closest_hits(casts, tree_settings, closest).status;
            if (status == Status::ok) status = keep_found(phase_.closest, cast_hits_);
        } else {
            status = body_tree_.find_hits(casts, tree_settings, scratch_, phase_.tree_hits).status;
            if (status == Status::ok && !keep_list(phase_.tree_hits, cast_hits_))
                status = Status::out_of_memory;
        }
        if (status != Status::ok) return status;
        if (!cast_ends_.push_back(cast_hits_.size())) return Status::out_of_memory;
    }
    for (const OverlapQueries& shapes : input.overlaps) {
        const Status status =
            body_tree_.find_overlaps(shapes, tree_settings, scratch_, phase_.tree_pairs).status;
        if (status != Status::ok) return status;
        if (!keep_list(phase_.tree_pairs, overlaps_) || !overlap_ends_.push_back(overlaps_.size()))
            return Status::out_of_memory;
    }
    times_.queries_seconds = clock.lap();
    return Status::ok;
}

}  // namespace broadside
