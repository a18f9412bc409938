// Growth, renewal and looking up; the lists of candidates; and what the bits tell.
#include "broadphase/src/candidates/staggered_pairs.hpp"

#include "broadphase/src/candidates/pair_cache_scalar.hpp"
#include "broadphase/src/lists/box_sample.hpp"
#include "broadphase/src/lists/canonical_order.hpp"
#include "core/src/zones.hpp"
#include "simd/src/dispatch.hpp"

#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <cfloat>
#include <utility>

namespace broadside::broadphase {
namespace {

// A box is grown to where it will be after so many updates, a power of two, or fewer where that would make it
// larger by more than this share of the mean extent: beyond, candidates to test outnumber those to find.
constexpr std::uint32_t kLifeMax = 64;
constexpr std::uint32_t kLifeMin = 4;
constexpr float kExtentsGrown = 0.4f;
// To all sides, in mean extents, and at most so many mean steps: who turns round should not be out at once.
constexpr float kExtentsOfSlack = 0.025f;
constexpr float kStepsOfSlackMax = 16;
// No box is grown by more mean extents, and a longer step says nothing about the next one.
constexpr float kExtentsGrownMax = 1;
// Boxes larger than so many usual ones are looked up one by one: a region with them would reach everywhere.
constexpr float kLargeExtents = 4;
constexpr std::size_t kLargeSampleShare = 32;
constexpr std::size_t kMotionSampleMax = 512;
constexpr std::size_t kBoxesPerRegionMin = 128;
// Few have changed: rows are written one by one, not all.
constexpr std::size_t kBoxesPerChange = 4;
// Few of a region have moved since they were grown: they are looked up one by one, and what is known of the
// others stays.
constexpr std::size_t kMembersPerStale = 5;
// Lives until such a region is put into leaves anew.
constexpr std::uint32_t kCyclesPerRepack = 8;
// One in so many leaves in one update: the others' motion is no better known.
constexpr std::size_t kBoxesPerLeaver = 16;
// While not all are grown yet.
constexpr std::size_t kBoxesPerEarlyLeaver = 32;
// Nanoseconds: for a box, a candidate, and a box looked up; and what a search for everything and its
// comparison take for a box and a pair (rows world_frames and find_pairs of the benches, avx512).
constexpr std::uint64_t kBoxCost = 22;
constexpr std::uint64_t kTestedCandidateCost = 2;
constexpr std::uint64_t kEscapedCost = 700;
constexpr std::uint64_t kSearchedBoxCost = 30;
constexpr std::uint64_t kSearchedPairCost = 18;
// The same where few have changed, and the search is one among cells of what rests.
constexpr std::uint64_t kChangedBoxCost = 40;
constexpr std::uint64_t kSearchedMoverCost = 150;
constexpr std::uint64_t kMergedPairCost = 6;
// Updates that make up for the beginning, and searches for everything when there were fewer.
constexpr std::uint32_t kStaggeredUseMin = 32;
// Updates in which all regions are grown for the first time, beside a search for everything in each.
constexpr std::uint32_t kFirstUpdates = 16;
constexpr std::uint32_t kLeaveCountMax = 64;
// The cost is that of so many updates, on average.
constexpr std::uint64_t kCostUpdates = 8;

// What no region is, nor what GrownRegions says of a box in none.
constexpr std::uint32_t kNoRegion = GrownRegions::kRegionMax;

constexpr std::size_t kRowsPerTask = 16384;
// Rows up to here are in a near cache, where asking for them ahead only costs.
constexpr std::size_t kNearRowsMax = 32768;
constexpr std::size_t kRowsAhead = 8;
// To begin with.
constexpr std::size_t kCandidatesPerBox = 6;
// Behind a list, for those who read and write ahead.
constexpr std::size_t kSliceSpare = kPairsAhead + kKeptPadding;

bool is_box(const CellRecord& row) { return row.min[0] == row.min[0]; }

Aabb box_in_row(const CellRecord& row) {
    return {{row.min[0], row.min[1], row.min[2]}, {row.max[0], row.max[1], row.max[2]}};
}

// With room for more: sizes vary from update to update.
template <class T>
bool reserve_amply(AlignedArray<T>& array, std::size_t count) {
    return count <= array.capacity() || array.reserve(count + count / 2);
}
template <class T>
bool resize_amply(AlignedArray<T>& array, std::size_t count) {
    return reserve_amply(array, count) && array.resize(count);
}

}  // namespace

StaggeredPairs::StaggeredPairs(const Allocator& allocator) noexcept
    : regions_(allocator),
      rows_(allocator),
      next_rows_(allocator),
      changed_before_bits_(allocator),
      escaped_bits_(allocator),
      stale_bits_(allocator),
      candidates_(allocator),
      bits_(allocator),
      next_bits_(allocator),
      segments_(allocator),
      new_candidates_(allocator),
      voids_(allocator),
      members_(allocator),
      near_(allocator),
      stale_(allocator),
      subset_bits_(allocator),
      gathered_memory_(allocator),
      found_(allocator),
      gone_(allocator) {}

std::size_t StaggeredPairs::capacity_bytes() const noexcept {
    std::size_t bytes = regions_.capacity_bytes() + segments_.capacity_bytes() +
                        new_candidates_.capacity_bytes() + voids_.capacity_bytes() +
                        gathered_memory_.capacity_bytes();
    for (const auto* array : {&rows_, &next_rows_}) bytes += array->capacity_bytes();
    for (const auto* array :
         {&changed_before_bits_, &escaped_bits_, &stale_bits_, &bits_, &next_bits_, &subset_bits_}) {
        bytes += array->capacity_bytes();
    }
    for (const auto* array : {&members_, &near_, &stale_}) bytes += array->capacity_bytes();
    for (const PairBuffer* buffer : {&candidates_, &found_, &gone_}) bytes += buffer->capacity_bytes();
    return bytes;
}

void StaggeredPairs::clear() noexcept {
    has_rows_ = is_known_ = is_pending_ = will_be_known_ = is_incomplete_ = false;
    life_ = age_ = use_count_ = 0;
    refresh_all_left_ = 2;
    voids_.clear();
    renewed_ = GrownRegions::kNone;
}

// Too soon: what it cost to begin is not to be paid over and over.
void StaggeredPairs::leave() noexcept {
    const bool was_long = use_count_ >= kStaggeredUseMin;
    life_limit_ = was_long ? kLifeMax : std::max(life_ / 2, kLifeMin);
    bypass_count_ = was_long ? 0 : std::min(2 * bypass_count_ + 1, kLeaveCountMax);
    bypass_left_ = bypass_count_;
    clear();
}

bool StaggeredPairs::find(const Call& call, AlignedArray<IndexPair>& out_come) noexcept {
    BROADSIDE_ZONE("world/test candidates");
    if (is_pending_ || is_incomplete_ || call.boxes.count < regions_.box_count()) return false;
    is_pending_ = true;
    will_be_known_ = refresh(call) && is_worth_it(call) && advance(call) && tell_difference(call, out_come);
    if (!will_be_known_) renewed_ = GrownRegions::kNone;
    return will_be_known_;
}

// What left is looked up, the next region is renewed when it is time, and all candidates are tested.
bool StaggeredPairs::advance(const Call& call) noexcept {
    const std::uint32_t regions = regions_.region_count();
    const std::uint32_t region = age_ * regions / life_;
    const bool is_due = (age_ + 1) * regions / life_ != region;
    if (!regrow_escaped(call, is_due ? region : kNoRegion)) return false;
    if (is_due && !renew(call, region)) return false;
    age_ = age_ + 1 == life_ ? 0 : age_ + 1;
    cycle_ += age_ == 0 ? 1 : 0;
    ++use_count_;
    test(call.runner);
    return true;
}

void StaggeredPairs::follow(const Call& call) noexcept {
    if (is_pending_ || is_known_ || is_incomplete_ || call.boxes.count < regions_.box_count()) clear();
    if (bypass_left_ != 0) {
        --bypass_left_;
        return;
    }
    // Boxes that have just come have no motion to begin with.
    if (!has_rows_ && call.reborn_bits != nullptr) return;
    is_pending_ = true;
    bool is_good = refresh(call);
    if (is_good && has_rows_) {
        drop_voids();
        is_good = life_ != 0 || plan(call);
        is_good = is_good && escaped_count_ * kBoxesPerEarlyLeaver <= call.boxes.count;
        is_good = is_good && regrow_escaped(call, kNoRegion);
        const std::uint32_t regions = regions_.region_count();
        const std::uint32_t end = std::min(age_ + (regions + kFirstUpdates - 1) / kFirstUpdates, regions);
        for (; is_good && age_ < end; ++age_) {
            is_good = renew(call, age_);
            if (is_good) take_new_list();
        }
        if (is_good && age_ == regions) {
            test(call.runner);
            will_be_known_ = true;
            age_ = 0;
        }
    }
    if (!is_good) leave();
}

void StaggeredPairs::commit() noexcept {
    if (!is_pending_) return;
    std::swap(rows_, next_rows_);
    std::swap(bits_, next_bits_);
    drop_voids();
    take_new_list();
    has_rows_ = true;
    refresh_all_left_ -= refresh_all_left_ != 0 ? 1 : 0;
    is_known_ = will_be_known_;
    is_pending_ = false;
}

void StaggeredPairs::drop_voids() noexcept {
    const auto none = static_cast<std::uint32_t>(regions_.box_count());
    for (const Void& nothing : voids_) candidates_.storage()[nothing.candidate] = {none, none};
    voids_.clear();
}

// In place of the one before, and of what others have with boxes of its region.
void StaggeredPairs::take_new_list() noexcept {
    if (renewed_ == GrownRegions::kNone) return;
    const std::uint32_t regions = regions_.region_count();
    std::swap(slices_[renewed_], slices_[regions]);
    for (std::uint32_t r = 0; r < regions; ++r)
        if (r != renewed_) used_keys_[slices_[r]] &= ~(std::uint64_t{1} << renewed_);
    renewed_ = GrownRegions::kNone;
}

// Where boxes are now, and who is not within its grown box.
bool StaggeredPairs::refresh(const Call& call) noexcept {
    const std::size_t count = call.boxes.count;
    const std::size_t before = has_rows_ ? regions_.box_count() : 0;
    const CellRecord no_box = cache_row(Aabb::empty(), false);
    voids_.clear();
    new_candidates_.clear();
    renewed_ = GrownRegions::kNone;
    if (!rows_.resize(count + kCacheRowPadding) || !next_rows_.resize(count + kCacheRowPadding) ||
        !escaped_bits_.resize(bit_word_count(count)) || !changed_before_bits_.resize(bit_word_count(count)) ||
        !stale_bits_.resize(bit_word_count(count)) || !regions_.resize(count)) {
        return false;
    }
    if (count != before) {
        refresh_all_left_ = 2;
        std::fill(rows_.begin() + before, rows_.end(), no_box);
        std::fill(next_rows_.begin() + count, next_rows_.end(), no_box);
    }
    if (refresh_all_left_ == 0 && call.changed_count * kBoxesPerChange <= count) {
        refresh_changed(call);
    } else {
        refresh_all(call);
    }
    changed_again_count_ = 0;
    for (std::size_t word = 0; word < changed_before_bits_.size(); ++word) {
        const std::uint64_t changed = call.changed_bits[word];
        const std::uint64_t again = changed_before_bits_.data()[word] & changed;
        if (life_ == 0 && again != 0) changed_again_count_ += static_cast<std::size_t>(std::popcount(again));
        changed_before_bits_.data()[word] = changed;
        stale_bits_.data()[word] |= changed;
    }
    if (life_ == 0) return true;
    if (count != before) {
        // The row of none is another one now.
        for_each_segment([&](const Segment& segment) {
            for (std::size_t k = segment.begin; k < segment.begin + segment.count; ++k) {
                IndexPair& pair = candidates_.storage()[k];
                if (pair.first == before)
                    pair = {static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(count)};
            }
        });
    }
    if (call.reborn_bits != nullptr) note_reborn(call);
    escaped_count_ = 0;
    for (const std::uint64_t word : escaped_bits_)
        escaped_count_ += word == 0 ? 0 : static_cast<std::size_t>(std::popcount(word));
    return true;
}

void StaggeredPairs::refresh_all(const Call& call) noexcept {
    const PairCacheKernels& kernels = *simd::active_kernels<PairCacheKernels>();
    run_chunks(call.runner, call.boxes.count, kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("world/look task");
        kernels.refresh_rows(call.boxes.part(begin, end - begin), regions_.rows() + begin,
                             next_rows_.data() + begin, escaped_bits_.data() + begin / 64);
    });
}

// The rows that are written are those of two updates before: right where nothing has changed since.
void StaggeredPairs::refresh_changed(const Call& call) noexcept {
    run_chunks(call.runner, call.boxes.count, kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("world/look task");
        const BoxSoaView boxes = call.boxes;
        for (std::size_t word = begin / 64; word * 64 < end; ++word) {
            const std::uint64_t changed = call.changed_bits[word];
            std::uint64_t escaped = 0;
            for (std::uint64_t left = changed; left != 0; left &= left - 1) {
                const std::size_t box = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
                const bool is_valid_box = is_valid(boxes[box]);
                const CellRecord row = cache_row(boxes[box], is_valid_box);
                next_rows_.data()[box] = row;
                const bool has_left = is_valid_box && !is_within(row, regions_.rows()[box]);
                escaped |= std::uint64_t{has_left ? 1u : 0u} << box % 64;
            }
            for (std::uint64_t left = changed_before_bits_.data()[word] & ~changed; left != 0;
                 left &= left - 1) {
                const std::size_t box = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
                next_rows_.data()[box] = rows_.data()[box];
            }
            escaped_bits_.data()[word] = escaped;
        }
    });
}

// They are looked up anew, and their candidates are void.
void StaggeredPairs::note_reborn(const Call& call) noexcept {
    for_each_bit(
        escaped_bits_.size(), [&](std::size_t word) { return call.reborn_bits[word]; },
        [&](std::size_t box) {
            rows_.data()[box] = cache_row(Aabb::empty(), false);
            if (is_box(next_rows_.data()[box])) set_bit(escaped_bits_, box);
        });
    for_each_segment([&](const Segment& segment) {
        for (std::size_t k = 0; k < segment.count; ++k) {
            const IndexPair pair = candidates_[segment.begin + k];
            if (pair.first < regions_.box_count() &&
                (has_bit(call.reborn_bits, pair.first) || has_bit(call.reborn_bits, pair.second))) {
                if (!voids_.push_back({segment.begin + k, segment.word * 64 + k})) is_incomplete_ = true;
            }
        }
    });
}

bool StaggeredPairs::plan(const Call& call) noexcept {
    double steps = 0;
    double extents = 0;
    std::size_t count = 0;
    std::size_t mover_count = 0;
    float largest[kMotionSampleMax];
    std::size_t valid_count = 0;
    for_each_sampled_index(call.boxes.count, kMotionSampleMax, [&](std::size_t box) {
        if (!is_box(next_rows_.data()[box])) return;
        const Vec3 extent = size(box_in_row(next_rows_.data()[box]));
        largest[valid_count++] = max_keep(extent.x, max_keep(extent.y, extent.z));
        const Vec3 step = box_in_row(next_rows_.data()[box]).min - box_in_row(rows_.data()[box]).min;
        const float extent_sum = extent.x + extent.y + extent.z;
        const float step_sum = absolute(step.x) + absolute(step.y) + absolute(step.z);
        // Neither a huge box nor a teleport says anything about the others.
        if (!(extent_sum < FLT_MAX) || !(step_sum <= extent_sum)) return;
        steps += static_cast<double>(step_sum);
        mover_count += step_sum > 0 ? 1u : 0u;
        extents += static_cast<double>(extent_sum);
        ++count;
    });
    // Others move each time.
    if (changed_again_count_ * 2 <= call.changed_count) return false;
    if (mover_count == 0 || count * 2 <= valid_count) return false;
    const auto step = static_cast<float>(steps / static_cast<double>(3 * mover_count));
    const auto extent = static_cast<float>(extents / static_cast<double>(3 * count));
    life_ = kLifeMax;
    while (life_ > life_limit_) life_ /= 2;
    while (life_ >= kLifeMin && static_cast<float>(life_) * step > extent * kExtentsGrown) life_ /= 2;
    if (life_ < kLifeMin) return false;
    std::sort(largest, largest + valid_count);
    growth_ = {static_cast<float>(life_), min_keep(extent * kExtentsOfSlack, step * kStepsOfSlackMax),
               extent * kExtentsGrownMax,
               max_keep(largest[valid_count / 2] * kLargeExtents,
                        largest[valid_count - 1 - valid_count / kLargeSampleShare]) +
                   extent};
    std::uint32_t regions = std::min(life_, GrownRegions::kRegionMax);
    while (regions > 1 && call.boxes.count / regions < kBoxesPerRegionMin) regions /= 2;
    if (!regions_.start(call.boxes, regions) || !segments_.resize(std::size_t{regions + 1} * (regions + 1)))
        return false;
    for (std::uint32_t r = 0; r <= regions; ++r) slices_[r] = r;
    age_ = 0;
    cost_ = 0;
    escaped_count_ = 0;
    std::fill(escaped_bits_.begin(), escaped_bits_.end(), 0);
    // None is grown yet.
    std::fill(stale_bits_.begin(), stale_bits_.end(), ~std::uint64_t{0});
    // All memory that is there, for what was needed before is likely to be needed again.
    const std::uint32_t slices = regions + 1;
    slice_size_ = std::max(kCandidatesPerBox * call.boxes.count / regions + kSliceSpare,
                           candidates_.capacity() / slices);
    slice_words_ = slice_size_ / 64 + 2 * key_count();
    for (std::uint32_t slice = 0; slice < slices; ++slice) {
        used_keys_[slice] = 0;
        std::fill_n(list(slice), key_count(), Segment{slice * slice_size_, 0, slice * slice_words_});
    }
    return candidates_.storage().resize(slices * slice_size_) && bits_.resize(slices * slice_words_) &&
           next_bits_.resize(slices * slice_words_);
}

// Swept along its last step for as long as it is to last.
Aabb StaggeredPairs::grown_box(std::uint32_t box) const noexcept {
    const Aabb now = box_in_row(next_rows_.data()[box]);
    const CellRecord& before = rows_.data()[box];
    const Vec3 step = is_box(before) ? now.min - box_in_row(before).min : Vec3{0, 0, 0};
    const float s = growth_.slack;
    // Without branches: which way a box goes is a coin toss.
    const auto ahead = [&](float length) {
        const float by = length * growth_.calls;
        return absolute(length) <= growth_.limit ? max_keep(min_keep(by, growth_.limit), -growth_.limit)
                                                 : 0.0f;
    };
    const Vec3 way = {ahead(step.x), ahead(step.y), ahead(step.z)};
    const Vec3 below = {(way.x - absolute(way.x)) * 0.5f - s, (way.y - absolute(way.y)) * 0.5f - s,
                        (way.z - absolute(way.z)) * 0.5f - s};
    const Vec3 above = {(way.x + absolute(way.x)) * 0.5f + s, (way.y + absolute(way.y)) * 0.5f + s,
                        (way.z + absolute(way.z)) * 0.5f + s};
    return {now.min + below, now.max + above};
}

bool StaggeredPairs::is_large(const Aabb& grown) const noexcept {
    const Vec3 extent = size(grown);
    return !(max_keep(extent.x, max_keep(extent.y, extent.z)) <= growth_.large);
}

bool StaggeredPairs::keep(const Call& call, std::uint32_t a, std::uint32_t b, std::uint32_t key) noexcept {
    const IndexPair pair = {a < b ? a : b, a < b ? b : a};
    if (call.may_pair != nullptr && !call.may_pair(call.user, pair.first, pair.second)) return true;
    return new_candidates_.push_back({pair, key});
}

// All that its grown box meets, with the region of the other one as the key, or this one. Of two that have
// moved in the region in which all such are looked up, it is the lower one that finds the pair.
bool StaggeredPairs::look_up(const Call& call, std::uint32_t box, std::uint32_t key,
                             std::uint32_t region) noexcept {
    bool has_memory = true;
    regions_.for_each_meeting(*simd::active_kernels<PairCacheKernels>(), box_in_row(regions_.rows()[box]),
                              [&](std::uint32_t position, std::uint32_t at) {
                                  const std::uint32_t other = regions_.box_at(position);
                                  if (other == box) return;
                                  if (other < box && at == region && has_bit(stale_bits_, other)) return;
                                  const std::uint32_t list = key == GrownRegions::kNone ? at : key;
                                  has_memory = keep(call, box, other, list) && has_memory;
                              });
    return has_memory;
}

// What has left its grown box gets a new one, and its candidates.
bool StaggeredPairs::regrow_escaped(const Call& call, std::uint32_t due) noexcept {
    if (escaped_count_ == 0) return !is_incomplete_;
    BROADSIDE_ZONE("world/keep up with movers");
    if (!resize_amply(members_, 2 * escaped_count_)) return false;
    std::uint32_t* const escaped = members_.data();
    std::size_t count = 0;
    for_each_bit(
        escaped_bits_.size(), [&](std::size_t word) { return escaped_bits_.data()[word]; },
        [&](std::size_t box) {
            escaped[count++] = static_cast<std::uint32_t>(box);
            regions_.prefetch_position(static_cast<std::uint32_t>(box));
        });
    bool is_good = true;
    std::size_t ends[GrownRegions::kRegionMax + 1] = {};
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t box = escaped[i];
        const std::uint32_t ahead = escaped[std::min(i + kRowsAhead, count - 1)];
        regions_.prefetch(ahead);
        __builtin_prefetch(rows_.data() + ahead);
        if (regions_.region_of(box) == due) continue;
        const Aabb grown = grown_box(box);
        regions_.set_row(box, cache_row(grown, true));
        set_bit(stale_bits_, box, false);
        if (!regions_.move(box, grown)) return false;
        escaped[kept++] = box;
        ++ends[regions_.region_of(box) + 1];
    }
    // One region after the other, whose boxes are near in memory.
    for (std::uint32_t r = 0; r < regions_.region_count(); ++r) ends[r + 1] += ends[r];
    std::uint32_t* const by_region = escaped + escaped_count_;
    for (std::size_t i = 0; i < kept; ++i) by_region[ends[regions_.region_of(escaped[i])]++] = escaped[i];
    for (std::size_t i = 0; i < kept && is_good; ++i)
        is_good = look_up(call, by_region[i], regions_.region_of(by_region[i]), GrownRegions::kNone);
    return is_good && append_to_tails() && !is_incomplete_;
}

// Each to the end of the list that its key names, with its bit as of the last update.
bool StaggeredPairs::append_to_tails() noexcept {
    std::size_t counts[GrownRegions::kRegionMax] = {};
    for (const NewCandidate& candidate : new_candidates_) ++counts[candidate.key];
    const std::uint32_t regions = regions_.region_count();
    std::size_t largest = 0;
    const auto tail_of = [&](std::uint32_t r) -> Segment& { return list(slices_[r])[regions]; };
    const auto end_of = [&](std::uint32_t r) {
        return tail_of(r).begin + tail_of(r).count - slices_[r] * slice_size_;
    };
    for (std::uint32_t r = 0; r < regions; ++r) {
        largest = std::max(largest, end_of(r) + counts[r]);
    }
    if (!reserve_lists(largest)) return false;
    for (const NewCandidate& candidate : new_candidates_) {
        Segment& tail = tail_of(candidate.key);
        const IndexPair pair = candidate.pair;
        candidates_.storage()[tail.begin + tail.count] = pair;
        const bool were_pair = boxes_meet(rows_.data()[pair.first], rows_.data()[pair.second]);
        if (tail.count % 64 == 0) bits_.data()[tail.word + tail.count / 64] = 0;
        set_bit(bits_, tail.word * 64 + tail.count, were_pair);
        ++tail.count;
    }
    new_candidates_.clear();
    return true;
}

// Room for so many candidates in every list.
bool StaggeredPairs::reserve_lists(std::size_t candidate_count) noexcept {
    if (candidate_count + kSliceSpare <= slice_size_) return true;
    const std::size_t size = candidate_count + candidate_count / 2 + kSliceSpare;
    const std::size_t words = size / 64 + 2 * key_count();
    const std::uint32_t slices = regions_.region_count() + 1;
    AlignedArray<IndexPair> pairs = candidates_.storage().make_empty();
    Bits bits = bits_.make_empty();
    Bits next_bits = bits_.make_empty();
    if (!pairs.resize(slices * size) || !bits.resize(slices * words) || !next_bits.resize(slices * words))
        return false;
    for (std::uint32_t slice = 0; slice < slices; ++slice) {
        for (std::uint32_t key = 0; key < key_count(); ++key) {
            Segment& segment = list(slice)[key];
            const Segment from = segment;
            segment.begin = slice * size + (from.begin - slice * slice_size_);
            segment.word = slice * words + (from.word - slice * slice_words_);
            if (from.count == 0) continue;
            std::copy_n(candidates_.begin() + from.begin, from.count, pairs.data() + segment.begin);
            std::copy_n(bits_.data() + from.word, bit_word_count(from.count), bits.data() + segment.word);
        }
    }
    for (Void& nothing : voids_) {
        const std::size_t slice = nothing.candidate / slice_size_;
        nothing.candidate += slice * (size - slice_size_);
        nothing.bit += slice * (words - slice_words_) * 64;
    }
    candidates_.storage() = std::move(pairs);
    bits_ = std::move(bits);
    next_bits_ = std::move(next_bits);
    slice_size_ = size;
    slice_words_ = words;
    return true;
}

// Where few have moved since they were grown, those are looked up, and the candidates of the others stay; else
// all are grown, and one search finds theirs.
bool StaggeredPairs::renew(const Call& call, std::uint32_t region) noexcept {
    BROADSIDE_ZONE("world/renew");
    new_candidates_.clear();
    stale_.clear();
    if (!list_members(region) || !reserve_amply(stale_, members_.size())) return false;
    for (const std::uint32_t box : members_) {
        if (has_bit(stale_bits_, box)) (void)stale_.push_back(box);
    }
    const bool are_few = stale_.size() * kMembersPerStale <= members_.size();
    const bool is_good = are_few ? renew_few(call, region) : renew_all(call, region);
    for (const std::uint32_t box : stale_) set_bit(stale_bits_, box, false);
    return is_good && write_new_list(region);
}

bool StaggeredPairs::list_members(std::uint32_t region) noexcept {
    return resize_amply(members_, regions_.count(region)) &&
           members_.resize(regions_.list(region, members_.data()));
}

bool StaggeredPairs::renew_few(const Call& call, std::uint32_t region) noexcept {
    for (const std::uint32_t box : stale_) regions_.set_row(box, cache_row(Aabb::empty(), false));
    if (!keep_valid(region)) return false;
    for (const std::uint32_t box : stale_) {
        if (!is_box(next_rows_.data()[box])) {
            regions_.drop(box);
            continue;
        }
        const Aabb grown = grown_box(box);
        regions_.set_row(box, cache_row(grown, true));
        if (!regions_.move(box, grown)) return false;
    }
    if ((cycle_ + region) % kCyclesPerRepack == 0 && !repack(region)) return false;
    for (const std::uint32_t box : stale_) {
        if (is_box(next_rows_.data()[box]) && !look_up(call, box, GrownRegions::kNone, region)) return false;
    }
    return true;
}

// What is moved one by one leaves its leaves large, and holes behind.
bool StaggeredPairs::repack(std::uint32_t region) noexcept {
    if (!list_members(region)) return false;
    regions_.empty(region);
    Aabb bounds = Aabb::empty();
    const std::size_t count = part_members(bounds, [&](std::uint32_t box, Aabb& out_grown) {
        out_grown = box_in_row(regions_.rows()[box]);
        return is_large(out_grown);
    });
    near_.clear();
    GatheredBoxes boxes;
    return gather_members(count, boxes) && regions_.put(region, boxes, bounds) && move_members_from(count);
}

bool StaggeredPairs::renew_all(const Call& call, std::uint32_t region) noexcept {
    const Aabb place = regions_.bounds(region);
    // When they are grown for the first time, they are anywhere in the space of the region.
    const bool has_place = is_known_;
    regions_.empty(region);
    Aabb bounds = Aabb::empty();
    const std::size_t count = part_members(bounds, [&](std::uint32_t box, Aabb& out_grown) {
        out_grown = grown_box(box);
        regions_.set_row(box, cache_row(out_grown, is_box(next_rows_.data()[box])));
        return is_large(out_grown) || (has_place && !overlap(place, out_grown));
    });
    near_.clear();
    bool is_good = true;
    regions_.for_each_meeting(
        *simd::active_kernels<PairCacheKernels>(), bounds,
        [&](std::uint32_t position, std::uint32_t) { is_good = near_.push_back(position) && is_good; });
    GatheredBoxes boxes;
    if (!is_good || !gather_members(count, boxes)) return false;
    GatheredBoxes members = boxes;
    members.count = count;
    if (!regions_.put(region, members, bounds) || !move_members_from(count) || !search(call, boxes, count))
        return false;
    for (std::size_t i = count; i < members_.size(); ++i) {
        if (!look_up(call, members_[i], GrownRegions::kNone, GrownRegions::kNone)) return false;
    }
    return true;
}

// The members that are boxes: in front those to be put together, with their bounds, and behind those that are
// `is_apart(box, grown)`, which writes the grown box. Answers how many are in front.
template <class IsApart>
std::size_t StaggeredPairs::part_members(Aabb& state_bounds, IsApart&& is_apart) noexcept {
    std::size_t count = 0;
    std::size_t apart_begin = members_.size();
    std::size_t end = members_.size();
    for (std::size_t i = 0; i < apart_begin; ++i) {
        const std::uint32_t box = members_[i];
        // Rows are anywhere in memory.
        const std::uint32_t ahead = members_[std::min(i + kRowsAhead, members_.size() - 1)];
        __builtin_prefetch(rows_.data() + ahead);
        __builtin_prefetch(next_rows_.data() + ahead);
        __builtin_prefetch(regions_.rows() + ahead, 1);
        Aabb grown;
        const bool is_alone = is_apart(box, grown);
        if (!is_box(next_rows_.data()[box])) {
            regions_.forget(box);
        } else if (is_alone) {
            std::swap(members_[i--], members_[--apart_begin]);
        } else {
            state_bounds = include(state_bounds, grown);
            members_[count++] = box;
        }
    }
    std::copy(members_.begin() + apart_begin, members_.begin() + end, members_.begin() + count);
    (void)members_.resize(count + end - apart_begin);
    return count;
}

bool StaggeredPairs::move_members_from(std::size_t first) noexcept {
    bool is_good = true;
    for (std::size_t i = first; i < members_.size(); ++i) {
        regions_.forget(members_[i]);
        is_good = regions_.move(members_[i], box_in_row(regions_.rows()[members_[i]])) && is_good;
    }
    return is_good;
}

// The first ones of the members, and behind them what is near.
bool StaggeredPairs::gather_members(std::size_t member_count, GatheredBoxes& out_boxes) noexcept {
    const std::size_t count = member_count + near_.size();
    if (count > gathered_most_) gathered_most_ = count + count / 2;
    if (!reserve_arrays(gathered_memory_,
                        [&](Arena& arena) { reserve_gathered(arena, gathered_most_, out_boxes); })) {
        return false;
    }
    const auto append = [&](std::uint32_t box, const Aabb& grown) {
        const float corners[6] = {grown.min.x, grown.min.y, grown.min.z,
                                  grown.max.x, grown.max.y, grown.max.z};
        for (int column = 0; column < 6; ++column)
            out_boxes.columns[column][out_boxes.count] = corners[column];
        out_boxes.ids[out_boxes.count++] = box;
    };
    for (std::size_t i = 0; i < member_count; ++i)
        append(members_[i], box_in_row(regions_.rows()[members_[i]]));
    for (const std::uint32_t position : near_) append(regions_.box_at(position), regions_.grown_at(position));
    return true;
}

// The candidates of a region whose grown boxes still meet, for its new list. Those of boxes whose row is none
// are dropped.
bool StaggeredPairs::keep_valid(std::uint32_t region) noexcept {
    const PairCacheKernels& kernels = *simd::active_kernels<PairCacheKernels>();
    bool has_memory = true;
    const auto keep_of = [&](const Segment& segment) {
        const std::size_t words = bit_word_count(segment.count);
        has_memory = has_memory && resize_amply(subset_bits_, words) &&
                     reserve_amply(new_candidates_, new_candidates_.size() + segment.count);
        if (!has_memory) return;
        const IndexPair* const pairs = candidates_.begin() + segment.begin;
        kernels.mark_overlapping(regions_.rows(), pairs, segment.count, are_far(), subset_bits_.data());
        for_each_bit(
            words, [&](std::size_t word) { return subset_bits_.data()[word]; },
            [&](std::size_t k) {
                const std::uint32_t first_region = regions_.region_of(pairs[k].first);
                const std::uint32_t key =
                    first_region == region ? regions_.region_of(pairs[k].second) : first_region;
                (void)new_candidates_.push_back({pairs[k], key});
            });
    };
    for_each_segment_of(slices_[region], keep_of);
    for (std::uint32_t r = 0; r < regions_.region_count(); ++r) {
        const std::uint32_t slice = slices_[r];
        if (r != region && (used_keys_[slice] >> region & 1) != 0) keep_of(list(slice)[region]);
    }
    return has_memory;
}

bool StaggeredPairs::are_far() const noexcept { return regions_.box_count() > kNearRowsMax; }

// The pairs of the first ones with each other and with those behind.
bool StaggeredPairs::search(const Call& call, const GatheredBoxes& boxes, std::size_t member_count) noexcept {
    if (member_count == 0) return true;
    if (!resize_amply(subset_bits_, bit_word_count(boxes.count))) return false;
    for (std::size_t word = 0; word < subset_bits_.size(); ++word)
        subset_bits_[word] = word * 64 < member_count ? item_bits_in_word(word, member_count) : 0;
    FindPairsSettings settings;
    settings.algorithm = PairAlgorithm::cells;
    settings.order = PairOrder::by_algorithm;
    settings.runner = call.runner;
    if (member_count != boxes.count) settings.filter.subset_bits = {subset_bits_.data(), subset_bits_.size()};
    if (find_pairs(boxes.view(), settings, call.scratch, found_).status != Status::ok) return false;
    if (!new_candidates_.reserve_to_append(found_.size())) return false;
    bool has_memory = true;
    for (const IndexPair& pair : found_) {
        const std::uint32_t other = boxes.ids[pair.second];
        has_memory = keep(call, boxes.ids[pair.first], other, regions_.region_of(other)) && has_memory;
    }
    return has_memory;
}

// To the spare list, by the region of the other box.
bool StaggeredPairs::write_new_list(std::uint32_t region) noexcept {
    if (!reserve_lists(new_candidates_.size())) return false;
    const std::uint32_t regions = regions_.region_count();
    Segment* const segments = list(slices_[regions]);
    for (std::uint32_t key = 0; key <= regions; ++key) segments[key].count = 0;
    for (const NewCandidate& candidate : new_candidates_) ++segments[candidate.key].count;
    std::size_t begin = slices_[regions] * slice_size_;
    std::size_t word = slices_[regions] * slice_words_;
    std::uint64_t& used_keys = used_keys_[slices_[regions]];
    used_keys = 0;
    for (std::uint32_t key = 0; key <= regions; ++key) {
        const std::size_t count = segments[key].count;
        if (key < regions && count != 0) used_keys |= std::uint64_t{1} << key;
        segments[key] = {begin, 0, word};
        begin += count;
        word += bit_word_count(count);
    }
    for (const NewCandidate& candidate : new_candidates_) {
        Segment& segment = segments[candidate.key];
        candidates_.storage()[segment.begin + segment.count++] = candidate.pair;
    }
    renewed_ = region;
    return true;
}

void StaggeredPairs::test(const TaskRunner* runner) noexcept {
    const std::uint32_t regions = regions_.region_count();
    const std::uint32_t lists = regions + (renewed_ != GrownRegions::kNone ? 1 : 0);
    const PairCacheKernels& kernels = *simd::active_kernels<PairCacheKernels>();
    run_tasks(runner, lists, [&](std::uint32_t r) {
        BROADSIDE_ZONE("world/test task");
        for_each_segment_of(slices_[r], [&](const Segment& segment) {
            const auto mark = [&](const CellRecord* rows, std::uint64_t* out_bits) {
                kernels.mark_overlapping(rows, candidates_.begin() + segment.begin, segment.count, are_far(),
                                         out_bits + segment.word);
            };
            mark(next_rows_.data(), next_bits_.data());
            if (r == regions) mark(rows_.data(), bits_.data());
        });
    });
    for (const Void& nothing : voids_) set_bit(next_bits_, nothing.bit, false);
}

bool StaggeredPairs::tell_difference(const Call& call, AlignedArray<IndexPair>& out_come) noexcept {
    AlignedArray<IndexPair>& gone = gone_.storage();
    gone.clear();
    out_come.clear();
    bool has_memory = true;
    for_each_segment([&](const Segment& segment) {
        const IndexPair* const pairs = candidates_.begin() + segment.begin;
        const std::uint64_t* const before = bits_.data() + segment.word;
        const std::uint64_t* const now = next_bits_.data() + segment.word;
        for (std::size_t word = 0; word < bit_word_count(segment.count); ++word) {
            std::uint64_t changed = before[word] ^ now[word];
            if (changed == 0) continue;
            // All of a word, and one more, for one is written to both lists.
            has_memory = has_memory && reserve_amply(gone, gone.size() + 65) &&
                         reserve_amply(out_come, out_come.size() + 65);
            if (!has_memory) return;
            IndexPair* next_gone = gone.data() + gone.size();
            IndexPair* next_come = out_come.data() + out_come.size();
            for (; changed != 0; changed &= changed - 1) {
                const auto bit = static_cast<std::uint32_t>(std::countr_zero(changed));
                const std::size_t is_come = now[word] >> bit & 1;
                *next_gone = *next_come = pairs[word * 64 + bit];
                next_come += is_come;
                next_gone += 1 - is_come;
            }
            (void)gone.resize(static_cast<std::size_t>(next_gone - gone.data()));
            (void)out_come.resize(static_cast<std::size_t>(next_come - out_come.data()));
        }
    });
    if (!has_memory) return false;
    return sort_unique_pairs(gone, call.scratch.order) && sort_unique_pairs(out_come, call.scratch.order);
}

bool StaggeredPairs::write(const Bits& bits, AlignedArray<IndexPair>& out_pairs,
                           AlignedArray<std::byte>& scratch) const noexcept {
    BROADSIDE_ZONE("pair cache/write");
    std::size_t count = 0;
    for_each_segment([&](const Segment& segment) {
        for (std::size_t word = 0; word < bit_word_count(segment.count); ++word)
            count += static_cast<std::size_t>(std::popcount(bits.data()[segment.word + word]));
    });
    if (!resize_amply(out_pairs, count + kKeptPadding)) return false;
    const PairCacheKernels& kernels = *simd::active_kernels<PairCacheKernels>();
    std::size_t kept = 0;
    for_each_segment([&](const Segment& segment) {
        kept += kernels.keep_marked(candidates_.begin() + segment.begin, segment.count,
                                    bits.data() + segment.word, out_pairs.data() + kept);
    });
    return out_pairs.resize(kept) && sort_unique_pairs(out_pairs, scratch);
}

bool StaggeredPairs::is_worth_it(const Call& call) noexcept {
    if (escaped_count_ * kBoxesPerLeaver > call.boxes.count) return false;
    std::size_t candidate_count = 0;
    for_each_segment([&](const Segment& segment) { candidate_count += segment.count; });
    const bool are_few = call.changed_count * kBoxesPerChange <= call.boxes.count;
    const std::uint64_t cost =
        (are_few ? call.changed_count * kChangedBoxCost : call.boxes.count * kBoxCost) +
        candidate_count * kTestedCandidateCost + escaped_count_ * kEscapedCost;
    const std::uint64_t plain =
        are_few
            ? call.changed_count * kSearchedMoverCost + call.pair_count * kMergedPairCost + call.boxes.count
            : call.boxes.count * kSearchedBoxCost + call.pair_count * kSearchedPairCost;
    cost_ = cost_ == 0 ? cost : cost_ + cost / kCostUpdates - cost_ / kCostUpdates;
    return cost_ <= plain;
}

}  // namespace broadside::broadphase
