// CollisionStage::step: bounds, candidates, exact kernels, and the results in their defined order.
#include <broadside/collision_stage.hpp>
#include <broadside/float_environment.hpp>
#include <broadside/run_tasks.hpp>

#include "core/src/argument.hpp"
#include "core/src/zones.hpp"
#include "stage/src/bad_items.hpp"
#include "stage/src/check_meshes.hpp"
#include "stage/src/filter_bounds.hpp"
#include "stage/src/phase_clock.hpp"
#include "stage/src/result_hash.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace broadside {
namespace {

// Items per task: enough that handing over a task costs nothing, few enough that two threads share evenly.
// The cut depends on nothing else, so results do not either.
constexpr std::size_t kChunk = 4096;

FindPairsSettings broadphase_settings(const StageSettings& settings) noexcept {
    return {.algorithm = settings.algorithm,
            .order = PairOrder::canonical,
            .sweep_axis = settings.sweep_axis,
            .cell_counts = settings.cell_counts,
            .runner = settings.runner,
            .filter = settings.filter};
}

bool can_be_indexed(std::uint64_t count) noexcept { return count < std::uint64_t{1} << 32; }

template <class Queries>
bool check_lists(std::span<const Queries> lists) noexcept {
    bool is_legal = true;
    for (const Queries& list : lists)
        list.visit([&](auto queries) { is_legal = is_legal && check_readable(queries); });
    return is_legal;
}

bool check_rules(std::span<const HitQueries> lists) noexcept {
    bool is_legal = true;
    for (const HitQueries& list : lists)
        is_legal = is_legal && check_inside(list.ray_settings.inside) && check_touch(list.touch);
    return is_legal;
}

// The broadphase and the movers themselves refuse bad settings that only they use (filter, algorithm,
// movers).
bool check_input(const StageInput& input, const StageSettings& settings) noexcept {
    return check_runner(settings.runner) && check_touch(settings.touch) && check_inside(settings.inside) &&
           check_readable(input.rays, input.casts, input.overlaps, input.obbs, input.obb_displacements,
                          input.movers) &&
           check_lists(input.casts) && check_lists(input.overlaps) && check_rules(input.casts) &&
           check_readable(input.boxes) && check_readable(input.displacements) &&
           check_readable(input.triangles) &&
           BROADSIDE_ARGUMENT(input.triangle_bounds.is_readable(),
                              "triangle_bounds: a column is null though the count is not 0") &&
           BROADSIDE_ARGUMENT(
               input.displacements.count == 0 || input.displacements.count == input.boxes.count,
               "displacements: neither none nor one per box") &&
           BROADSIDE_ARGUMENT(
               input.obb_displacements.empty() || input.obb_displacements.size() == input.obbs.size(),
               "obb_displacements: neither none nor one per obb") &&
           BROADSIDE_ARGUMENT(input.triangle_bounds.count == input.triangles.count,
                              "triangle_bounds: not one per triangle") &&
           stage::check_meshes(input.meshes) &&
           BROADSIDE_ARGUMENT(can_be_indexed(input.boxes.count),
                              "boxes: more than a 32-bit index can name") &&
           BROADSIDE_ARGUMENT(can_be_indexed(input.obbs.size()), "obbs: more than a 32-bit index can name") &&
           BROADSIDE_ARGUMENT(can_be_indexed(input.triangles.count),
                              "triangles: more than a 32-bit index can name");
}

}  // namespace

CollisionStage::CollisionStage(const Allocator& allocator) noexcept
    : scratch_(allocator),
      phase_{AlignedArray<float>(allocator),           AlignedArray<Face>(allocator),
             AlignedArray<ContactAxis>(allocator),     AlignedArray<TreeHit>(allocator),
             AlignedArray<Listed<TreeHit>>(allocator), PairBuffer(allocator),
             AlignedArray<MeshHit>(allocator),         AlignedArray<MeshImpact>(allocator),
             AlignedArray<SceneHit>(allocator),        AlignedArray<SceneImpact>(allocator),
             AlignedArray<ObbCast>(allocator)},
      body_tree_(allocator),
      triangle_tree_(allocator),
      known_triangle_bounds_(allocator),
      query_bounds_(allocator),
      body_rows_(allocator),
      obb_bounds_(allocator),
      body_pairs_(allocator),
      query_pairs_(allocator),
      impacts_(allocator),
      ray_hits_(allocator),
      cast_hits_(allocator),
      cast_ends_(allocator),
      overlaps_(allocator),
      overlap_ends_(allocator),
      triangle_impacts_(allocator),
      mesh_hits_(allocator),
      mesh_impacts_(allocator),
      scene_hits_(allocator),
      scene_impacts_(allocator),
      mover_results_(allocator) {}

void CollisionStage::clear_results() noexcept {
    times_ = {};
    body_pairs_.clear();
    impacts_.clear();
    ray_hits_.clear();
    cast_hits_.clear();
    cast_ends_.clear();
    overlaps_.clear();
    overlap_ends_.clear();
    triangle_impacts_.clear();
    mesh_hits_.clear();
    mesh_impacts_.clear();
    scene_hits_.clear();
    scene_impacts_.clear();
    mover_results_.clear();
}

StageResult CollisionStage::step(const StageInput& input, const StageSettings& settings) noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("CollisionStage::step");
    StageResult result;
    clear_results();
    if (!check_input(input, settings)) {
        result.status = Status::invalid_argument;
        return result;
    }
    result.status = find_impacts(input, settings, result);
    if (result.status == Status::ok) result.status = find_ray_hits(input, settings, result);
    if (result.status == Status::ok) result.status = find_queries(input, settings, result);
    if (result.status == Status::ok) result.status = find_triangle_impacts(input, settings, result);
    if (result.status == Status::ok) result.status = list_obb_casts(input);
    if (result.status == Status::ok) result.status = ask_meshes(input, settings);
    if (result.status == Status::ok) result.status = ask_scene(input, settings);
    if (result.status == Status::ok) result.status = step_all_movers(input, settings, result);
    return result;
}

// Swept boxes of the bodies, their pairs, and the time of impact of each pair.
Status CollisionStage::find_impacts(const StageInput& input, const StageSettings& settings,
                                    StageResult& state_result) noexcept {
    BROADSIDE_ZONE("stage/impacts");
    stage::PhaseClock clock;
    if (const Status status = query_bounds_.resize(input.boxes.count); status != Status::ok) return status;
    {
        BROADSIDE_ZONE("stage/bounds");
        for (std::size_t i = 0; i < input.boxes.count; ++i) {
            const Vec3 displacement = input.displacements.count != 0 ? input.displacements[i] : Vec3{};
            const Aabb box = input.boxes[i];
            if (!is_valid(box))
                stage::count_bad(i, state_result.invalid_box_count, state_result.first_invalid_box);
            if (!is_finite(displacement)) {
                stage::count_bad(i, state_result.invalid_displacement_count,
                                 state_result.first_invalid_displacement);
            }
            query_bounds_.set(i, stage::filter_bounds(box, displacement));
        }
    }
    times_.swept_bounds_seconds = clock.lap();

    const FindPairsResult found =
        find_pairs(query_bounds_, broadphase_settings(settings), scratch_, body_pairs_);
    times_.find_pairs_seconds = clock.lap();
    if (found.status != Status::ok) return found.status;

    const std::size_t pair_count = body_pairs_.size();
    if (!phase_.times.resize(pair_count) || !phase_.faces.resize(pair_count)) return Status::out_of_memory;
    const MovingBoxes bodies = {input.boxes, input.displacements};
    // A row costs about as much as it saves on a body's first pair, and saves half of every other one
    // (bench/dead_ends.md).
    const bool has_rows = pair_count >= input.boxes.count;
    const Status prepared = has_rows ? body_rows_.prepare(bodies) : Status::ok;
    if (prepared != Status::ok) return prepared;
    std::atomic<Status> worst = Status::ok;
    run_chunks(settings.runner, pair_count, kChunk, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("stage/impact task");
        const std::span<const IndexPair> pairs =
            std::span<const IndexPair>(body_pairs_).subspan(begin, end - begin);
        const std::span<float> toi = {phase_.times.data() + begin, end - begin};
        const std::span<Face> faces = {phase_.faces.data() + begin, end - begin};
        const BatchResult batch =
            has_rows ? times_of_impact(body_rows_, body_rows_, pairs, settings.touch, toi, faces)
                     : times_of_impact(bodies, bodies, pairs, settings.touch, toi, faces);
        if (batch.status != Status::ok) worst.store(batch.status);
    });
    if (worst != Status::ok) return worst;
    const Status status = keep_impacts();
    times_.impacts_seconds = clock.lap();
    return status;
}

// Overlaps at the start are in order already and are often the majority, so only the other impacts are
// sorted.
Status CollisionStage::keep_impacts() noexcept {
    BROADSIDE_ZONE("stage/keep impacts");
    std::size_t impact_count = 0;
    for (const float toi : phase_.times) impact_count += toi <= 1.0f ? 1 : 0;
    if (!impacts_.reserve(impact_count)) return Status::out_of_memory;
    const auto keep_if = [&](auto&& accept) {
        for (std::size_t i = 0; i < body_pairs_.size(); ++i) {
            if (!accept(phase_.times[i])) continue;
            // Reserved above, so this cannot fail.
            (void)impacts_.push_back({body_pairs_[i], phase_.times[i], phase_.faces[i]});
        }
    };
    keep_if([](float toi) { return toi == 0.0f; });
    const std::size_t initial_count = impacts_.size();
    keep_if([](float toi) { return toi > 0.0f && toi <= 1.0f; });
    std::sort(impacts_.begin() + initial_count, impacts_.end(),
              [](const StageImpact& a, const StageImpact& b) {
                  return a.t != b.t ? a.t < b.t : a.target < b.target;
              });
    return Status::ok;
}

// Makes the tree that of these triangles' boxes. If they are unchanged it costs a comparison at memory speed.
Status CollisionStage::take_triangles(const BoxSoaView& triangle_bounds, const TaskRunner* runner) noexcept {
    const BoxSoaView known = known_triangle_bounds_.view();
    const auto is_same = [&](const float* a, const float* b) {
        return std::memcmp(a, b, triangle_bounds.count * sizeof(float)) == 0;
    };
    const bool is_known =
        known.count == triangle_bounds.count && known.count != 0 &&
        is_same(known.min_x, triangle_bounds.min_x) && is_same(known.min_y, triangle_bounds.min_y) &&
        is_same(known.min_z, triangle_bounds.min_z) && is_same(known.max_x, triangle_bounds.max_x) &&
        is_same(known.max_y, triangle_bounds.max_y) && is_same(known.max_z, triangle_bounds.max_z);
    if (is_known) return Status::ok;
    // Cleared until the tree has the new ones.
    known_triangle_bounds_.clear();
    const Status status = triangle_tree_.update(triangle_bounds, runner);
    return status == Status::ok ? known_triangle_bounds_.assign(triangle_bounds) : status;
}

// Candidate pairs of the moving oriented boxes and the triangles, and the sweep of each pair.
Status CollisionStage::find_triangle_impacts(const StageInput& input, const StageSettings& settings,
                                             StageResult& state_result) noexcept {
    BROADSIDE_ZONE("stage/triangle impacts");
    stage::PhaseClock clock;
    if (input.obbs.empty()) return Status::ok;
    if (!obb_bounds_.resize(input.obbs.size())) return Status::out_of_memory;
    {
        BROADSIDE_ZONE("stage/bounds");
        for (std::size_t i = 0; i < input.obbs.size(); ++i) {
            const Vec3 displacement = !input.obb_displacements.empty() ? input.obb_displacements[i] : Vec3{};
            const Aabb filter = stage::filter_bounds(input.obbs[i], displacement);
            if (is_empty(filter))
                stage::count_bad(i, state_result.invalid_obb_count, state_result.first_invalid_obb);
            obb_bounds_[i] = filter;
        }
    }
    if (const Status status = take_triangles(input.triangle_bounds, settings.runner); status != Status::ok) {
        return status;
    }
    TreeQuerySettings tree_settings;
    tree_settings.runner = settings.runner;
    const std::span<const Aabb> filters = {obb_bounds_.data(), obb_bounds_.size()};
    const WriteResult found = triangle_tree_.find_overlaps(filters, tree_settings, scratch_, query_pairs_);
    times_.triangle_pairs_seconds = clock.lap();
    if (found.status != Status::ok) return found.status;

    const std::size_t pair_count = query_pairs_.size();
    if (!phase_.times.resize(pair_count) || !phase_.axes.resize(pair_count)) return Status::out_of_memory;
    std::atomic<Status> worst = Status::ok;
    run_chunks(settings.runner, pair_count, kChunk, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("stage/triangle impact task");
        const BatchResult batch = times_of_impact(
            input.obbs, input.obb_displacements, input.triangles, {},
            std::span<const IndexPair>(query_pairs_).subspan(begin, end - begin),
            {phase_.times.data() + begin, end - begin}, {phase_.axes.data() + begin, end - begin});
        if (batch.status != Status::ok) worst.store(batch.status);
    });
    if (worst != Status::ok) return worst;
    for (std::size_t i = 0; i < pair_count; ++i) {
        if (!(phase_.times[i] <= 1.0f)) continue;
        if (!triangle_impacts_.push_back(
                {query_pairs_[i].first, query_pairs_[i].second, phase_.times[i], phase_.axes[i]})) {
            return Status::out_of_memory;
        }
    }
    times_.triangle_impacts_seconds = clock.lap();
    return Status::ok;
}

std::uint64_t CollisionStage::result_hash() const noexcept {
    stage::ResultHash hash;
    for (const IndexPair& pair : body_pairs_) {
        hash.add(pair.first);
        hash.add(pair.second);
    }
    for (const StageImpact& impact : impacts_) {
        hash.add(impact.target.first);
        hash.add(impact.target.second);
        hash.add(impact.t);
        hash.add(static_cast<std::uint32_t>(impact.face));
    }
    for (const AlignedArray<Listed<TreeHit>>* hits : {&ray_hits_, &cast_hits_}) {
        for (const Listed<TreeHit>& hit : *hits) {
            hash.add(hit.query);
            hash.add(hit.found.target);
            hash.add(hit.found.t);
            hash.add(static_cast<std::uint32_t>(hit.found.face));
        }
    }
    for (const IndexPair& pair : overlaps_) {
        hash.add(pair.first);
        hash.add(pair.second);
    }
    for (const StageTriangleImpact& impact : triangle_impacts_) {
        hash.add(impact.obb);
        hash.add(impact.triangle);
        hash.add(impact.toi);
        hash.add(static_cast<std::uint32_t>(impact.axis));
    }
    const auto add_hits = [&](const auto& hits) {
        for (const auto& hit : hits) {
            hash.add(hit.query);
            hash.add(hit.found.target.instance_index);
            hash.add(hit.found.target.triangle_index);
            hash.add(hit.found.t);
        }
    };
    add_hits(mesh_hits_);
    add_hits(mesh_impacts_);
    add_hits(scene_hits_);
    add_hits(scene_impacts_);
    for (const MoverResult& result : mover_results_) {
        hash.add(result.position.x);
        hash.add(result.position.y);
        hash.add(result.position.z);
        hash.add(static_cast<std::uint32_t>(result.status));
    }
    return hash.value();
}

}  // namespace broadside
