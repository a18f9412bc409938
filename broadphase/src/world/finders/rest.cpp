// When resting objects are sorted, and how long that stays useful.
#include "broadphase/src/world/finders/rest.hpp"

#include "broadphase/src/thresholds.hpp"
#include "core/src/zones.hpp"

#include <algorithm>
#include <bit>

namespace broadside::broadphase {
namespace {

std::size_t drift_max(const ObjectTable& objects) {
    return std::max(thresholds().updates.rest_drift_min,
                    objects.object_count / thresholds().updates.objects_per_rest_drift);
}

}  // namespace

// The cells miss no change but those of this update. Updates of few do not touch them.
bool RestFinder::is_current() const noexcept {
    return known_attempt_ + 1 >= objects_.changes.attempt() &&
           cells_.box_count() == objects_.boxes(true).count;
}

bool RestFinder::is_good() const noexcept {
    return cells_.is_built() && is_current() &&
           cells_.count_drift(objects_.changes.bits()) <= drift_max(objects_);
}

void RestFinder::follow() noexcept {
    if (!is_current()) cells_.clear();
    if (cells_.is_built() && cells_.remove(objects_.changes.bits()) != Status::ok) cells_.clear();
    known_attempt_ = objects_.changes.attempt();
}

// Whether about the same objects change as in the update before, so that cells of the others would stay good.
// Keeps these for the next call to compare with.
bool RestFinder::is_lasting() noexcept {
    const std::span<const std::uint64_t> changed = objects_.changes.bits();
    const std::size_t known_words = changed_before_bits_.size();
    if (!changed_before_bits_.resize(changed.size())) return false;
    std::size_t starting_count = 0;
    for (std::size_t word = 0; word < changed.size(); ++word) {
        const std::uint64_t before = word < known_words ? changed_before_bits_.data()[word] : 0;
        starting_count += static_cast<std::size_t>(std::popcount(changed[word] & ~before));
        changed_before_bits_.data()[word] = changed[word];
    }
    return starting_count * thresholds().updates.rest_use_count_min <= drift_max(objects_);
}

bool RestFinder::prepare(bool are_candidates_starting, const TaskRunner* runner, BoxScratch& state_scratch,
                         Status& out_status) noexcept {
    BROADSIDE_ZONE("world/prepare rest");
    const bool is_to_last = is_lasting();
    if (is_good()) return true;
    cells_.clear();
    if (are_candidates_starting || !is_to_last) return false;
    out_status = cells_.build(objects_.boxes(true), objects_.changes.bits(), runner, state_scratch);
    return out_status == Status::ok;
}

Status RestFinder::find(const TaskRunner* runner, BoxScratch& state_scratch, PairBuffer& out_found) noexcept {
    FindPairsSettings settings;
    settings.runner = runner;
    settings.filter.subset_bits = objects_.changes.bits();
    return cells_.find_pairs(objects_.boxes(true), settings, state_scratch, out_found).status;
}

bool RestFinder::has_fixed_mover() const noexcept {
    const std::uint64_t* const mover_bits = cells_.mover_bits().data();
    std::uint64_t fixed = 0;
    for (std::size_t word = 0; word < objects_.mobile_bits.size(); ++word)
        fixed |= mover_bits[word] & ~objects_.mobile_bits.data()[word];
    return fixed != 0;
}

}  // namespace broadside::broadphase
