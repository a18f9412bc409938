// The course of an update: where boxes are, whether candidates pay, and how boxes are grown.
#include "broadphase/src/candidates/staggered_pairs.hpp"

#include "broadphase/src/candidates/pair_cache_scalar.hpp"
#include "broadphase/src/lists/box_sample.hpp"
#include "broadphase/src/thresholds.hpp"
#include "core/src/zones.hpp"
#include "simd/src/dispatch.hpp"

#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cfloat>
#include <utility>

namespace broadside::broadphase {
namespace {

// Most share of the mean extent by which growth along the motion enlarges a box: beyond, candidates to test
// outnumber those to find.
constexpr float kExtentsGrown = 0.4f;
// Growth to all sides, in mean extents, and at most this many mean steps: turning round should not mean
// leaving.
constexpr float kExtentsOfSlack = 0.025f;
constexpr float kStepsOfSlackMax = 16;
// No box is grown by more mean extents than this; a longer step says nothing about the next one.
constexpr float kExtentsGrownMax = 1;
// Boxes larger than this many usual ones are looked up one by one: a region with them would reach everywhere.
constexpr float kLargeExtents = 4;
constexpr std::size_t kLargeSampleShare = 32;
constexpr std::size_t kMotionSampleMax = 512;

}  // namespace

bool StaggeredPairs::are_few(const Call& call) noexcept {
    return call.changed_count * thresholds().candidates.boxes_per_change <= call.boxes.count;
}

StaggeredPairs::StaggeredPairs(const Allocator& allocator) noexcept
    : regions_(allocator),
      rows_(allocator),
      next_rows_(allocator),
      changed_before_bits_(allocator),
      escaped_bits_(allocator),
      stale_bits_(allocator),
      lists_(regions_, allocator),
      new_candidates_(allocator),
      work_(allocator),
      change_counts_(allocator),
      found_(allocator),
      gone_(allocator),
      trial_(allocator) {}

std::size_t StaggeredPairs::capacity_bytes() const noexcept {
    const auto sum = [](const auto&... parts) { return (parts.capacity_bytes() + ...); };
    return sum(regions_, rows_, next_rows_, changed_before_bits_, escaped_bits_, stale_bits_, lists_,
               new_candidates_, work_, change_counts_, found_, gone_, trial_.samples);
}

void StaggeredPairs::clear() noexcept {
    has_rows_ = is_known_ = is_pending_ = will_be_known_ = is_incomplete_ = false;
    pace_.clear();
    refresh_all_left_ = 2;
    lists_.begin_update();
}

// After a short use the next attempt waits longer, because each costs something to begin.
void StaggeredPairs::Pace::leave() noexcept {
    const bool was_long = use_count >= thresholds().candidates.use_count_min;
    life_limit =
        was_long ? thresholds().candidates.slow_life : std::max(life / 2, thresholds().candidates.life_min);
    bypass_count = was_long ? 0 : std::min(2 * bypass_count + 1, thresholds().candidates.leave_count_max);
    bypass_left = bypass_count;
}

void StaggeredPairs::leave() noexcept {
    pace_.leave();
    clear();
}

bool StaggeredPairs::find(const Call& call, PairBuffer& out_come) noexcept {
    BROADSIDE_ZONE("world/test candidates");
    if (is_pending_ || is_incomplete_ || call.boxes.count < regions_.box_count()) return false;
    is_pending_ = true;
    will_be_known_ = refresh(call) && is_worth_it(call) && advance(call) && tell_difference(call, out_come);
    if (!will_be_known_) {
        lists_.drop_update();
    }
    return will_be_known_;
}

// Looks up boxes that left, renews the next region when it is time, and tests all candidates.
bool StaggeredPairs::advance(const Call& call) noexcept {
    // Lists vary from one renewal to the next. The first update without a search has time to grow them.
    if (pace_.use_count == 0 && (!lists_.reserve_amply() || !reserve_renewals())) return false;
    const std::uint32_t regions = regions_.region_count();
    const std::uint32_t region = pace_.age * regions / pace_.life;
    // While nearly all boxes rest, few leave their grown boxes, and nothing is renewed for them.
    const bool is_calm =
        call.changed_count * thresholds().candidates.boxes_per_calm_change < call.boxes.count;
    const bool is_due = !is_calm && (pace_.age + 1) * regions / pace_.life != region;
    if (!regrow_escaped(call, is_due ? std::uint64_t{1} << region : 0)) return false;
    if (is_due && !renew(call, region)) return false;
    if (!is_calm) pace_.age = pace_.age + 1 == pace_.life ? 0 : pace_.age + 1;
    ++pace_.use_count;
    lists_.test(rows_.data(), next_rows_.data(), is_known_, call.runner);
    return true;
}

void StaggeredPairs::follow(const Call& call) noexcept {
    if (is_pending_ || is_known_ || is_incomplete_ || call.boxes.count < regions_.box_count()) clear();
    if (pace_.bypass_left != 0) {
        --pace_.bypass_left;
        return;
    }
    // Boxes that have just come have no known motion.
    if (!has_rows_ && call.reborn_bits != nullptr) return;
    if (!has_rows_ && rows_.size() < call.boxes.count + kCacheRowPadding) {
        if (!touch_rows(call.boxes.count)) leave();
        return;
    }
    is_pending_ = true;
    bool is_good = refresh(call);
    if (is_good && has_rows_) {
        lists_.drop_voids();
        is_good = pace_.life == 0 ? plan(call) : regions_.are_placed() ? grow_next(call) : place(call);
    }
    if (!is_good) leave();
}

// Grows some regions for the first time, within the life of those that are grown first.
bool StaggeredPairs::grow_next(const Call& call) noexcept {
    if (escaped_count_ * thresholds().candidates.boxes_per_early_leaver > call.boxes.count) return false;
    const std::uint32_t regions = regions_.region_count();
    const std::uint32_t updates = std::min(thresholds().candidates.first_updates, pace_.life);
    const std::uint32_t step = (regions + updates - 1) / updates;
    const std::uint32_t end = std::min(pace_.age + step, regions);
    std::uint64_t due = 0;
    for (std::uint32_t region = pace_.age; region < end; ++region) due |= std::uint64_t{1} << region;
    if (!regrow_escaped(call, due)) return false;
    // The first test of all candidates has an update of its own where boxes live for one more; if they live
    // for less, it follows the last step.
    const bool is_test_due = pace_.age == regions || (pace_.age + step >= regions &&
                                                      pace_.life < thresholds().candidates.first_updates);
    for (; pace_.age < end; ++pace_.age) {
        if (!renew(call, pace_.age)) return false;
        lists_.take_new_list();
    }
    if (!is_test_due) return true;
    lists_.test(rows_.data(), next_rows_.data(), is_known_, call.runner);
    will_be_known_ = true;
    pace_.age = 0;
    return true;
}

void StaggeredPairs::commit() noexcept {
    if (!is_pending_) return;
    std::swap(rows_, next_rows_);
    lists_.commit();
    has_rows_ = true;
    refresh_all_left_ -= refresh_all_left_ != 0 ? 1 : 0;
    is_known_ = will_be_known_;
    is_pending_ = false;
}

// Touches a part of the rows of `count` boxes. Returns false if out of memory.
bool StaggeredPairs::touch_rows(std::size_t count) noexcept {
    const std::size_t before = rows_.size();
    const std::size_t all = count + kCacheRowPadding;
    const std::size_t end =
        std::min(std::max(before, kCacheRowPadding) + count / thresholds().candidates.touch_updates + 1, all);
    for (AlignedArray<CellRecord>* const rows : {&rows_, &next_rows_}) {
        if (!rows->reserve(all) || !rows->resize(end)) return false;
        std::fill(rows->begin() + before, rows->end(), cache_row(Aabb::empty(), false));
    }
    return regions_.reserve(count) && regions_.resize(end - kCacheRowPadding);
}

// Notes where boxes are now, and which are not within their grown boxes.
bool StaggeredPairs::refresh(const Call& call) noexcept {
    const std::size_t count = call.boxes.count;
    const std::size_t before = regions_.box_count();
    const std::size_t known_words = std::min(stale_bits_.size(), bit_word_count(count));
    const CellRecord no_box = cache_row(Aabb::empty(), false);
    new_candidates_.clear();
    lists_.begin_update();
    if (!rows_.resize(count + kCacheRowPadding) || !next_rows_.resize(count + kCacheRowPadding) ||
        !escaped_bits_.resize(bit_word_count(count)) || !changed_before_bits_.resize(bit_word_count(count)) ||
        !stale_bits_.resize(bit_word_count(count)) || !regions_.resize(count)) {
        return false;
    }
    for (Bits* const bits : {&changed_before_bits_, &stale_bits_})
        std::fill(bits->begin() + known_words, bits->end(), 0);
    if (count != before) {
        refresh_all_left_ = 2;
        std::fill(rows_.begin() + before, rows_.end(), no_box);
        std::fill(next_rows_.begin() + count, next_rows_.end(), no_box);
    }
    const bool is_partial = refresh_all_left_ == 0 && are_few(call);
    std::atomic<std::size_t> changed_again_count = 0;
    std::atomic<std::size_t> escaped_count = 0;
    run_chunks(call.runner, count, chunk_for(call.runner, count, thresholds().tasks.rows_per_task),
               [&](std::size_t begin, std::size_t end) {
                   BROADSIDE_ZONE("world/look task");
                   is_partial ? refresh_changed(call, begin, end) : refresh_all(call, begin, end);
                   std::size_t again_count = 0;
                   std::size_t left_count = 0;
                   for (std::size_t word = begin / 64; word * 64 < end; ++word) {
                       const std::uint64_t changed = call.changed_bits[word];
                       const std::uint64_t again = changed_before_bits_.data()[word] & changed;
                       if (pace_.life == 0 && again != 0)
                           again_count += static_cast<std::size_t>(std::popcount(again));
                       changed_before_bits_.data()[word] = changed;
                       stale_bits_.data()[word] |= changed;
                       const std::uint64_t escaped = escaped_bits_.data()[word];
                       left_count += escaped == 0 ? 0 : static_cast<std::size_t>(std::popcount(escaped));
                   }
                   changed_again_count.fetch_add(again_count, std::memory_order_relaxed);
                   escaped_count.fetch_add(left_count, std::memory_order_relaxed);
               });
    changed_again_count_ = changed_again_count;
    escaped_count_ = escaped_count;
    if (has_regions() && call.reborn_bits != nullptr) note_reborn(call);
    return true;
}

void StaggeredPairs::refresh_all(const Call& call, std::size_t begin, std::size_t end) noexcept {
    // A box is within itself while none is grown.
    const CellRecord* const grown = has_regions() ? regions_.rows() : next_rows_.data();
    simd::active_kernels<PairCacheKernels>()->refresh_rows(call.boxes.part(begin, end - begin), grown + begin,
                                                           next_rows_.data() + begin,
                                                           escaped_bits_.data() + begin / 64);
}

// The rows that are written are those of two updates before; they are right if nothing has changed since.
void StaggeredPairs::refresh_changed(const Call& call, std::size_t begin, std::size_t end) noexcept {
    const BoxSoaView boxes = call.boxes;
    for (std::size_t word = begin / 64; word * 64 < end; ++word) {
        const std::uint64_t changed = call.changed_bits[word];
        std::uint64_t escaped = 0;
        for (std::uint64_t left = changed; left != 0; left &= left - 1) {
            const std::size_t box = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
            const bool is_valid_box = is_valid(boxes[box]);
            CellRecord& row = next_rows_.data()[box];
            row = cache_row(boxes[box], is_valid_box);
            const bool has_left = is_valid_box && !is_within(row, regions_.rows()[box]);
            escaped |= std::uint64_t{has_left ? 1u : 0u} << box % 64;
        }
        for (std::uint64_t left = changed_before_bits_.data()[word] & ~changed; left != 0; left &= left - 1) {
            const std::size_t box = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
            next_rows_.data()[box] = rows_.data()[box];
        }
        escaped_bits_.data()[word] = escaped;
    }
}

// Boxes in `reborn_bits` are looked up anew, and their candidates are void.
void StaggeredPairs::note_reborn(const Call& call) noexcept {
    for_each_bit(
        escaped_bits_.size(), [&](std::size_t word) { return call.reborn_bits[word]; },
        [&](std::size_t box) {
            rows_.data()[box] = cache_row(Aabb::empty(), false);
            // Without candidates, it is looked up once it is valid again, even if it is where it was.
            if (!is_box(next_rows_.data()[box]))
                return regions_.set_row(static_cast<std::uint32_t>(box), rows_.data()[box]);
            if (has_bit(escaped_bits_, box)) return;
            set_bit(escaped_bits_, box);
            ++escaped_count_;
        });
    if (!lists_.note_voids(call.reborn_bits)) is_incomplete_ = true;
}

bool StaggeredPairs::plan(const Call& call) noexcept {
    double steps = 0;
    double extents = 0;
    std::size_t count = 0;
    std::size_t mover_count = 0;
    float largest[kMotionSampleMax];
    std::size_t valid_count = 0;
    std::size_t jump_count = 0;
    for_each_sampled_index(call.boxes.count, kMotionSampleMax, [&](std::size_t box) {
        if (!is_box(next_rows_.data()[box])) return;
        const Vec3 extent = size(box_in_row(next_rows_.data()[box]));
        largest[valid_count++] = max_keep(extent.x, max_keep(extent.y, extent.z));
        const Vec3 step = box_in_row(next_rows_.data()[box]).min - box_in_row(rows_.data()[box]).min;
        const float extent_sum = extent.x + extent.y + extent.z;
        const float step_sum = absolute(step.x) + absolute(step.y) + absolute(step.z);
        // Neither a huge box nor a teleport says anything about the others.
        jump_count += step_sum <= extent_sum ? 0u : 1u;
        if (!(extent_sum < FLT_MAX) || !(step_sum <= extent_sum)) return;
        steps += static_cast<double>(step_sum);
        mover_count += step_sum > 0 ? 1u : 0u;
        extents += static_cast<double>(extent_sum);
        ++count;
    });
    // Other boxes move each time.
    if (changed_again_count_ * 2 <= call.changed_count) return false;
    if (mover_count == 0 || count * 2 <= valid_count) return false;
    const auto step = static_cast<float>(steps / static_cast<double>(3 * mover_count));
    const auto extent = static_cast<float>(extents / static_cast<double>(3 * count));
    pace_.life = thresholds().candidates.life_max;
    while (pace_.life > pace_.life_limit) pace_.life /= 2;
    while (pace_.life >= thresholds().candidates.life_min &&
           static_cast<float>(pace_.life) * step > extent * kExtentsGrown)
        pace_.life /= 2;
    if (pace_.life < thresholds().candidates.life_min) return false;
    if (pace_.life == thresholds().candidates.life_max &&
        pace_.life_limit > thresholds().candidates.life_max &&
        static_cast<float>(thresholds().candidates.slow_life) * step <= extent * kExtentsGrown)
        pace_.life = thresholds().candidates.slow_life;
    // In extents: at most kExtentsGrown, or nothing if boxes have no extent.
    const float growth = extent > 0 ? static_cast<float>(pace_.life) * step / extent : 0.0f;
    const auto larger = static_cast<double>(1 + 2 * kExtentsOfSlack + growth);
    const auto candidate_count =
        static_cast<std::uint64_t>(static_cast<double>(call.pair_count) * larger * larger * larger);
    if (!are_few(call)) {
        // Estimates for boxes as much larger as they will be; boxes that leapt are known to leave.
        const std::uint64_t leaver_count = call.boxes.count / thresholds().candidates.boxes_per_usual_leaver +
                                           std::uint64_t{call.boxes.count} * jump_count / valid_count;
        const std::uint64_t cost = cost_of(call, candidate_count, leaver_count);
        if (cost * 5 > search_cost(call) * thresholds().candidates.worthwhile_fifths) return false;
    }
    const auto nth_extent = [&](std::size_t n) {
        std::nth_element(largest, largest + n, largest + valid_count);
        return largest[n];
    };
    growth_ = {static_cast<float>(pace_.life), min_keep(extent * kExtentsOfSlack, step * kStepsOfSlackMax),
               static_cast<float>(pace_.life) * step, extent * kExtentsGrownMax,
               max_keep(nth_extent(valid_count / 2) * kLargeExtents,
                        nth_extent(valid_count - 1 - valid_count / kLargeSampleShare)) +
                   extent};
    std::uint32_t regions = std::bit_floor(std::min(pace_.life, GrownRegions::kRegionMax));
    while (regions > 1 && call.boxes.count / regions < thresholds().candidates.boxes_per_region_min)
        regions /= 2;
    regions_.start(regions);
    pace_.age = 0;
    pace_.cost = 0;
    // None is grown yet, and none has left its grown box.
    escaped_count_ = 0;
    // The longest lists exceed the mean by half.
    const auto room = static_cast<std::size_t>(
        std::max<std::uint64_t>(thresholds().candidates.candidates_per_box * call.boxes.count,
                                candidate_count + candidate_count / 2));
    return lists_.start(room / regions) && start_trial(call);
}

bool StaggeredPairs::start_trial(const Call& call) noexcept {
    trial_.age = 0;
    trial_.updates = pace_.bypass_count == 0 ? 0 : thresholds().candidates.trial_updates;
    return grow_sample(call.boxes.count);
}

bool StaggeredPairs::grow_sample(std::size_t box_count) noexcept {
    trial_.samples.clear();
    bool has_memory = trial_.samples.reserve(kMotionSampleMax / 4);
    for_each_sampled_index(box_count, kMotionSampleMax / 4, [&](std::size_t i) {
        const auto box = static_cast<std::uint32_t>(i);
        if (is_box(next_rows_.data()[i]))
            has_memory = trial_.samples.push_back({cache_row(grown_box(box), true), box}) && has_memory;
    });
    return has_memory;
}

// The trial goes on while few of the sample have left their grown boxes, and these are grown anew when all would
// be.
bool StaggeredPairs::passes_trial(const Call& call) noexcept {
    const std::uint32_t age = trial_.age++ % pace_.life + 1;
    std::size_t left_count = 0;
    for (const Trial::Sample& sample : trial_.samples) {
        const CellRecord& row = next_rows_.data()[sample.box];
        left_count += is_box(row) && !is_within(row, sample.grown) ? 1u : 0u;
    }
    return left_count * thresholds().candidates.boxes_per_early_leaver <= (age + 1) * trial_.samples.size() &&
           (age < pace_.life || grow_sample(call.boxes.count));
}

// Brings boxes into regions. If they change meanwhile, they are moved when they are grown.
bool StaggeredPairs::place(const Call& call) noexcept {
    if (!passes_trial(call)) return false;
    if (trial_.age < trial_.updates) return true;
    if (!regions_.place(call.boxes, call.boxes.count / thresholds().candidates.place_updates + 1))
        return false;
    if (!regions_.are_placed()) return true;
    std::fill(stale_bits_.begin(), stale_bits_.end(), ~std::uint64_t{0});
    return reserve_renewals();
}

bool StaggeredPairs::reserve_renewals() noexcept {
    return found_.reserve(lists_.list_capacity()) && new_candidates_.reserve(lists_.list_capacity()) &&
           work_.members.reserve(regions_.region_capacity()) &&
           work_.stale.reserve(regions_.region_capacity());
}

std::uint64_t StaggeredPairs::cost_of(const Call& call, std::uint64_t candidate_count,
                                      std::uint64_t leaver_count) const noexcept {
    const std::uint64_t lasting =
        are_few(call) ? call.changed_count * thresholds().candidate_costs.changed_box_cost
                      : call.boxes.count * thresholds().candidate_costs.box_cost +
                            (call.boxes.count * thresholds().candidate_costs.renewed_box_cost +
                             candidate_count * thresholds().candidate_costs.renewed_candidate_cost) /
                                pace_.life;
    return lasting + candidate_count * thresholds().candidate_costs.tested_candidate_cost +
           leaver_count * thresholds().candidate_costs.escaped_cost;
}

std::uint64_t StaggeredPairs::search_cost(const Call& call) noexcept {
    return are_few(call)
               ? call.changed_count * thresholds().candidate_costs.searched_mover_cost +
                     call.pair_count * thresholds().candidate_costs.merged_pair_cost + call.boxes.count
               : call.boxes.count * thresholds().candidate_costs.searched_box_cost +
                     call.pair_count * thresholds().candidate_costs.searched_pair_cost;
}

bool StaggeredPairs::is_worth_it(const Call& call) noexcept {
    if (escaped_count_ * thresholds().candidates.boxes_per_leaver > call.boxes.count) return false;
    std::size_t candidate_count = 0;
    lists_.for_each_segment([&](const Segment& segment) { candidate_count += segment.count; });
    const std::uint64_t cost = cost_of(call, candidate_count, escaped_count_);
    pace_.cost = pace_.cost == 0 ? cost
                                 : pace_.cost + cost / thresholds().candidates.cost_updates -
                                       pace_.cost / thresholds().candidates.cost_updates;
    // To search for few among cells of resting boxes, those cells would have to be made first.
    return std::min(cost, pace_.cost) <=
           search_cost(call) * (are_few(call) ? thresholds().candidates.few_factor : 1);
}

}  // namespace broadside::broadphase
