// CollisionStage::step: bounds, candidates, exact kernels, and the results in their defined order.
#include <broadside/collision_stage.hpp>
#include <broadside/run_tasks.hpp>

#include "core/src/zones.hpp"
#include "stage/src/filter_bounds.hpp"
#include "stage/src/phase_clock.hpp"
#include "stage/src/result_hash.hpp"

#include <algorithm>
#include <atomic>

namespace broadside {
namespace {

// Items of one task: large enough that handing it over costs nothing, small enough that two threads share evenly.
// The cut depends on nothing else, so results do not either.
constexpr std::size_t kChunk = 4096;

FindPairsSettings broadphase_settings(const StageSettings& settings) noexcept {
    FindPairsSettings broadphase = settings.find_pairs;
    broadphase.order = PairOrder::canonical;
    broadphase.runner = settings.runner;
    return broadphase;
}

bool is_consistent(const StageInput& input) noexcept {
    const std::size_t limit = std::size_t{1} << 32;
    return input.boxes.is_readable() && input.displacements.is_readable() &&
           input.triangle_bounds.is_readable() && input.triangles.is_readable() &&
           (input.displacements.count == 0 || input.displacements.count == input.boxes.count) &&
           (input.obb_displacements.empty() || input.obb_displacements.size() == input.obbs.size()) &&
           input.triangles.count == input.triangle_bounds.count &&  //
           input.boxes.count < limit && input.rays.size() < limit && input.obbs.size() < limit &&
           input.triangles.count < limit;
}

// Counts a bad item and keeps the first one's index.
void count_bad(std::size_t index, std::size_t& state_count, std::size_t& state_first) noexcept {
    if (state_count++ == 0) state_first = index;
}

}  // namespace

CollisionStage::CollisionStage(const Allocator& allocator) noexcept
    : scratch_(allocator),
      query_bounds_(allocator),
      body_pairs_(allocator),
      query_pairs_(allocator),
      pair_times_(allocator),
      pair_faces_(allocator),
      pair_axes_(allocator),
      pair_hits_(allocator),
      impacts_(allocator),
      ray_hits_(allocator),
      contacts_(allocator) {}

StageResult CollisionStage::step(const StageInput& input, const StageSettings& settings) noexcept {
    BROADSIDE_ZONE("CollisionStage::step");
    StageResult result;
    times_ = {};
    body_pairs_.clear();
    impacts_.clear();
    ray_hits_.clear();
    contacts_.clear();
    if (!is_consistent(input)) {
        result.status = Status::invalid_argument;
        return result;
    }
    result.status = find_impacts(input, settings, result);
    if (result.status == Status::ok) result.status = find_ray_hits(input, settings, result);
    if (result.status == Status::ok) result.status = find_contacts(input, settings, result);
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
            if (!is_valid(box)) count_bad(i, state_result.invalid_box_count, state_result.first_invalid_box);
            if (!is_finite(displacement)) {
                count_bad(i, state_result.invalid_displacement_count,
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
    if (!pair_times_.resize(pair_count) || !pair_faces_.resize(pair_count)) return Status::out_of_memory;
    const MovingBoxes bodies = {input.boxes, input.displacements};
    std::atomic<Status> worst = Status::ok;
    run_chunks(settings.runner, pair_count, kChunk, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("stage/impact task");
        const BatchResult batch = times_of_impact_of_pairs(
            bodies, bodies, body_pairs_.span().subspan(begin, end - begin), settings.touch,
            {pair_times_.data() + begin, end - begin}, {pair_faces_.data() + begin, end - begin});
        if (batch.status != Status::ok) worst = batch.status;
    });
    if (worst != Status::ok) return worst;
    const Status status = keep_impacts();
    times_.impacts_seconds = clock.lap();
    return status;
}

// Those that overlap from the start are in order already and are often the most; only the others are sorted.
Status CollisionStage::keep_impacts() noexcept {
    BROADSIDE_ZONE("stage/keep impacts");
    std::size_t impact_count = 0;
    for (const float toi : pair_times_) impact_count += toi <= 1.0f ? 1 : 0;
    if (!impacts_.reserve(impact_count)) return Status::out_of_memory;
    const auto keep_if = [&](auto&& accept) {
        for (std::size_t i = 0; i < body_pairs_.size(); ++i) {
            if (!accept(pair_times_[i])) continue;
            // Reserved above, so this cannot fail.
            (void)impacts_.push_back(
                {body_pairs_[i].first, body_pairs_[i].second, pair_times_[i], pair_faces_[i]});
        }
    };
    keep_if([](float toi) { return toi == 0.0f; });
    const std::size_t initial_count = impacts_.size();
    keep_if([](float toi) { return toi > 0.0f && toi <= 1.0f; });
    std::sort(impacts_.begin() + initial_count, impacts_.end(),
              [](const StageImpact& a, const StageImpact& b) {
                  if (a.toi != b.toi) return a.toi < b.toi;
                  return a.first != b.first ? a.first < b.first : a.second < b.second;
              });
    return Status::ok;
}

// Boxes of the rays against the bodies, and the slab test of each pair.
Status CollisionStage::find_ray_hits(const StageInput& input, const StageSettings& settings,
                                     StageResult& state_result) noexcept {
    BROADSIDE_ZONE("stage/ray hits");
    stage::PhaseClock clock;
    if (const Status status = query_bounds_.resize(input.rays.size()); status != Status::ok) return status;
    {
        BROADSIDE_ZONE("stage/bounds");
        for (std::size_t i = 0; i < input.rays.size(); ++i) {
            if (!is_valid(input.rays[i]))
                count_bad(i, state_result.invalid_ray_count, state_result.first_invalid_ray);
            query_bounds_.set(i, stage::filter_bounds(input.rays[i]));
        }
    }
    const FindPairsResult found =
        find_pairs(query_bounds_, input.boxes, broadphase_settings(settings), scratch_, query_pairs_);
    times_.ray_pairs_seconds = clock.lap();
    if (found.status != Status::ok) return found.status;

    const std::size_t pair_count = query_pairs_.size();
    if (!pair_times_.resize(pair_count) || !pair_faces_.resize(pair_count)) return Status::out_of_memory;
    if (!pair_hits_.resize(bit_word_count(pair_count))) return Status::out_of_memory;
    std::atomic<Status> worst = Status::ok;
    run_chunks(settings.runner, pair_count, kChunk, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("stage/ray task");
        RayBoxOutputs outputs;
        outputs.t_enter = {pair_times_.data() + begin, end - begin};
        outputs.face = {pair_faces_.data() + begin, end - begin};
        outputs.hit_bits = {pair_hits_.data() + begin / 64, bit_word_count(end - begin)};
        const BatchResult batch =
            ray_box_pairs(input.rays, input.boxes, query_pairs_.span().subspan(begin, end - begin),
                          {.inside = settings.inside}, outputs);
        if (batch.status != Status::ok) worst = batch.status;
    });
    if (worst != Status::ok) return worst;
    const Status status = keep_ray_hits(settings.ray_report);
    times_.ray_hits_seconds = clock.lap();
    return status;
}

// The pairs are in order of ray, then box, so all of a ray's hits are neighbours, and the first of equals is the one
// with the smallest box.
Status CollisionStage::keep_ray_hits(RayReport report) noexcept {
    BROADSIDE_ZONE("stage/keep ray hits");
    for (std::size_t i = 0; i < query_pairs_.size(); ++i) {
        if ((pair_hits_[i / 64] >> (i % 64) & 1) == 0) continue;
        const StageRayHit hit = {query_pairs_[i].first, query_pairs_[i].second, pair_times_[i],
                                 pair_faces_[i]};
        const bool is_same_ray = !ray_hits_.is_empty() && ray_hits_[ray_hits_.size() - 1].ray == hit.ray;
        if (report == RayReport::closest && is_same_ray) {
            StageRayHit& closest = ray_hits_[ray_hits_.size() - 1];
            if (hit.t < closest.t) closest = hit;
        } else if (!ray_hits_.push_back(hit)) {
            return Status::out_of_memory;
        }
    }
    return Status::ok;
}

// Boxes of the moving oriented boxes against those of the triangles, and the sweep of each pair.
Status CollisionStage::find_contacts(const StageInput& input, const StageSettings& settings,
                                     StageResult& state_result) noexcept {
    BROADSIDE_ZONE("stage/contacts");
    stage::PhaseClock clock;
    if (const Status status = query_bounds_.resize(input.obbs.size()); status != Status::ok) return status;
    {
        BROADSIDE_ZONE("stage/bounds");
        for (std::size_t i = 0; i < input.obbs.size(); ++i) {
            const Vec3 displacement = !input.obb_displacements.empty() ? input.obb_displacements[i] : Vec3{};
            const Aabb filter = stage::filter_bounds(input.obbs[i], displacement);
            if (is_empty(filter))
                count_bad(i, state_result.invalid_obb_count, state_result.first_invalid_obb);
            query_bounds_.set(i, filter);
        }
    }
    const FindPairsResult found = find_pairs(query_bounds_, input.triangle_bounds,
                                             broadphase_settings(settings), scratch_, query_pairs_);
    times_.contact_pairs_seconds = clock.lap();
    if (found.status != Status::ok) return found.status;

    const std::size_t pair_count = query_pairs_.size();
    if (!pair_times_.resize(pair_count) || !pair_axes_.resize(pair_count)) return Status::out_of_memory;
    std::atomic<Status> worst = Status::ok;
    run_chunks(settings.runner, pair_count, kChunk, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("stage/contact task");
        const BatchResult batch = obb_triangle_impact_pairs(
            input.obbs, input.obb_displacements, input.triangles, {},
            query_pairs_.span().subspan(begin, end - begin), SweepTest::exact,
            {pair_times_.data() + begin, end - begin}, {pair_axes_.data() + begin, end - begin});
        if (batch.status != Status::ok) worst = batch.status;
    });
    if (worst != Status::ok) return worst;
    for (std::size_t i = 0; i < pair_count; ++i) {
        if (!(pair_times_[i] <= 1.0f)) continue;
        if (!contacts_.push_back(
                {query_pairs_[i].first, query_pairs_[i].second, pair_times_[i], pair_axes_[i]})) {
            return Status::out_of_memory;
        }
    }
    times_.contacts_seconds = clock.lap();
    return Status::ok;
}

std::uint64_t CollisionStage::result_hash() const noexcept {
    stage::ResultHash hash;
    for (const IndexPair& pair : body_pairs_) {
        hash.add(pair.first);
        hash.add(pair.second);
    }
    for (const StageImpact& impact : impacts_) {
        hash.add(impact.first);
        hash.add(impact.second);
        hash.add(impact.toi);
        hash.add(static_cast<std::uint32_t>(impact.face));
    }
    for (const StageRayHit& hit : ray_hits_) {
        hash.add(hit.ray);
        hash.add(hit.box);
        hash.add(hit.t);
        hash.add(static_cast<std::uint32_t>(hit.face));
    }
    for (const StageContact& contact : contacts_) {
        hash.add(contact.obb);
        hash.add(contact.triangle);
        hash.add(contact.toi);
        hash.add(static_cast<std::uint32_t>(contact.axis));
    }
    return hash.value();
}

}  // namespace broadside
