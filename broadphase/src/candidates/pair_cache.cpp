// The kept list looked through, those who left looked up, and both written as one list.
#include "broadphase/src/candidates/pair_cache.hpp"

#include "broadphase/src/find_pairs/scratch_access.hpp"
#include "broadphase/src/lists/canonical_order.hpp"
#include "broadphase/src/lists/gathered_boxes.hpp"
#include "core/src/zones.hpp"

#include <broadside/run_tasks.hpp>

#include <algorithm>

namespace broadside::broadphase {
namespace {

// Boxes for one that has left, below which everything is found anew.
constexpr std::size_t kBoxesPerEscaped = 32;
// Uses that a kept list must have seen to have been worth the longer search.
constexpr std::uint32_t kCacheUseCountMin = 4;
constexpr std::uint32_t kCacheBypassCountMax = 32;
// Boxes for one that is the first to leave, above which many others are about to.
constexpr std::size_t kBoxesPerFirstEscaped = 1024;
// Kept pairs a box from which on finding them is dearer than sorting the boxes.
constexpr std::size_t kManyPairsPerBox = 6;

// Tasks of the refresh, at whole words of bits, and of the test.
constexpr std::size_t kBoxesPerTask = 16384;
constexpr std::size_t kPairsPerTask = 32768;

// The columns of `count` grown boxes, one behind the other in whole cache lines.
constexpr std::size_t column_stride(std::size_t count) { return (count + 15) / 16 * 16; }

}  // namespace

std::size_t PairCacheUpdate::Call::bit_count(const std::uint64_t* bits) const noexcept {
    std::size_t count = 0;
    for (std::size_t word = 0; word < word_count; ++word) {
        count += static_cast<std::size_t>(std::popcount(bits[word]));
    }
    return count;
}

InvalidBoxes PairCacheUpdate::Call::invalid_boxes() const noexcept {
    InvalidBoxes invalid;
    for_each_bit(
        word_count, [&](std::size_t word) { return invalid_bits[word]; },
        [&](std::size_t index) {
            if (invalid.count++ == 0) invalid.first_index = index;
        });
    return invalid;
}

bool PairCacheUpdate::begin(FindPairsResult& state_result, Status& out_status) noexcept {
    out_status = Status::ok;
    if (cache_.memory_.bypass_left != 0) {
        --cache_.memory_.bypass_left;
        return false;
    }
    if (cache_.memory_.is_kept) {
        const bool is_same_set = cache_.memory_.box_count == boxes_.count;
        if (is_same_set && !look_through(out_status)) return true;
        if (is_same_set && is_worth_using()) {
            state_result.plan.cache_use = CacheUse::reused;
            return true;
        }
        cache_.memory_.is_kept = false;
        if (cache_.memory_.use_count < kCacheUseCountMin) {
            cache_.memory_.bypass_count = std::min(2 * cache_.memory_.bypass_count + 1, kCacheBypassCountMax);
            cache_.memory_.bypass_left = cache_.memory_.bypass_count - 1;
            return false;
        }
        cache_.memory_.bypass_count = 0;
    }
    out_status = find_anew(state_result);
    if (out_status != Status::ok || !look_through(out_status)) return true;
    state_result.plan.cache_use = CacheUse::found_anew;
    return true;
}

// Few have left. For the first of them the grown boxes would have to be sorted, which costs as much as
// finding everything anew where pairs are few: after calls enough that has paid, and lasts longer, unless so
// few have left that the others will stay.
bool PairCacheUpdate::is_worth_using() const noexcept {
    const std::size_t escaped_count = call_.escaped_count;
    if (escaped_count * kBoxesPerEscaped > boxes_.count) return false;
    return escaped_count == 0 || cache_.resting_.is_built() || cache_.memory_.use_count < kCacheUseCountMin ||
           escaped_count * kBoxesPerFirstEscaped <= boxes_.count ||
           cache_.candidates_.size() > kManyPairsPerBox * boxes_.count;
}

bool PairCacheUpdate::look_through(Status& out_status) noexcept {
    out_status = place() ? Status::ok : Status::out_of_memory;
    if (out_status != Status::ok) return false;
    refresh();
    call_.escaped_count = call_.bit_count(call_.escaped_bits);
    return true;
}

Status PairCacheUpdate::finish(PairWriter& state_writer, FindPairsResult& state_result) noexcept {
    ++cache_.memory_.use_count;
    state_result.plan.box_count = boxes_.count;
    state_result.plan.escaped_count = call_.escaped_count;
    state_result.plan.tested_count = cache_.candidates_.size();
    state_result.invalid = call_.invalid_boxes();
    cache_.escaped_pairs_.clear();
    if (state_result.plan.escaped_count != 0) {
        const Status status = find_escaped();
        if (status != Status::ok) return status;
    }
    return write(state_writer);
}

BoxSoaView PairCacheUpdate::grown() const noexcept {
    const auto* columns = reinterpret_cast<const float*>(cache_.columns_.data());
    const std::size_t stride = column_stride(boxes_.count);
    return {columns,
            columns + stride,
            columns + 2 * stride,
            columns + 3 * stride,
            columns + 4 * stride,
            columns + 5 * stride,
            boxes_.count};
}

// Grows the boxes and finds their pairs.
Status PairCacheUpdate::find_anew(FindPairsResult& state_result) noexcept {
    BROADSIDE_ZONE("pair cache/find anew");
    cache_.memory_.is_kept = false;
    const std::size_t stride = column_stride(boxes_.count);
    if (!cache_.columns_.reserve(6 * stride * sizeof(float))) return Status::out_of_memory;
    auto* columns = reinterpret_cast<float*>(cache_.columns_.data());
    const float margin = cache_.margin_;
    const float* const mins[3] = {boxes_.min_x, boxes_.min_y, boxes_.min_z};
    const float* const maxs[3] = {boxes_.max_x, boxes_.max_y, boxes_.max_z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t i = 0; i < boxes_.count; ++i) columns[axis * stride + i] = mins[axis][i] - margin;
        for (std::size_t i = 0; i < boxes_.count; ++i)
            columns[(axis + 3) * stride + i] = maxs[axis][i] + margin;
    }
    FindPairsSettings settings;
    settings.algorithm = settings_.algorithm;
    settings.sweep_axis = settings_.sweep_axis;
    settings.cell_counts = settings_.cell_counts;
    settings.runner = settings_.runner;
    if (cache_.has_stable_filter_) settings.filter = settings_.filter;
    const FindPairsResult found = find_pairs(grown(), settings, scratch_, cache_.candidates_);
    if (found.status != Status::ok) return found.status;
    cache_.resting_.clear();
    state_result.plan = found.plan;
    cache_.memory_.is_kept = true;
    cache_.memory_.box_count = boxes_.count;
    cache_.memory_.use_count = 0;
    return Status::ok;
}

bool PairCacheUpdate::place() noexcept {
    const std::size_t candidate_count = cache_.candidates_.size();
    call_.word_count = bit_word_count(boxes_.count);
    call_.task_count = (candidate_count + kPairsPerTask - 1) / kPairsPerTask;
    return place_in(cache_.rows_, [&](Arena& arena) {
        call_.rows = arena.take<CellRecord>(boxes_.count + kCacheRowPadding);
        call_.invalid_bits = arena.take<std::uint64_t>(call_.word_count);
        call_.escaped_bits = arena.take<std::uint64_t>(call_.word_count);
        call_.kept_pairs = arena.take<IndexPair>(candidate_count + 1);
        call_.kept_counts = arena.take<std::size_t>(call_.task_count);
    });
}

void PairCacheUpdate::refresh() const noexcept {
    BROADSIDE_ZONE("pair cache/refresh");
    run_chunks(settings_.runner, boxes_.count, kBoxesPerTask, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("pair cache/refresh task");
        kernels_.refresh(boxes_.part(begin, end - begin), grown().part(begin, end - begin),
                         call_.rows + begin, call_.invalid_bits + begin / 64,
                         call_.escaped_bits + begin / 64);
    });
}

// The pairs of those who left, in order. Where the other box is one that stayed, it is looked up by its grown
// box.
Status PairCacheUpdate::find_escaped() noexcept {
    BROADSIDE_ZONE("pair cache/escaped");
    if (!cache_.resting_.is_built()) {
        const Status status = cache_.resting_.build(grown(), {}, settings_.runner);
        if (status != Status::ok) return status;
    }
    FindPairsSettings settings;
    settings.order = PairOrder::by_algorithm;
    settings.runner = settings_.runner;
    settings.filter.subset_bits = {call_.escaped_bits, call_.word_count};
    settings.resting = &cache_.resting_;
    const FindPairsResult found = find_pairs(boxes_, settings, scratch_, cache_.escaped_pairs_);
    if (found.status != Status::ok) return found.status;
    AlignedArray<IndexPair>& pairs = cache_.escaped_pairs_.storage();
    IndexPair* const end = std::remove_if(pairs.begin(), pairs.end(), [&](const IndexPair& pair) {
        return !overlap(boxes_[pair.first], boxes_[pair.second]);
    });
    (void)pairs.resize(static_cast<std::size_t>(end - pairs.begin()));
    const bool is_sorted =
        sort_pairs({pairs.data(), pairs.size()}, boxes_.count, boxes_.count, ScratchAccess::order(scratch_));
    return is_sorted ? Status::ok : Status::out_of_memory;
}

Status PairCacheUpdate::write(PairWriter& state_writer) noexcept {
    BROADSIDE_ZONE("pair cache/write");
    const std::span<const IndexPair> candidates = cache_.candidates_;
    run_tasks(settings_.runner, static_cast<std::uint32_t>(call_.task_count), [&](std::uint32_t task) {
        BROADSIDE_ZONE("pair cache/test task");
        const std::size_t begin = task * kPairsPerTask;
        const std::size_t count = std::min(kPairsPerTask, candidates.size() - begin);
        call_.kept_counts[task] =
            kernels_.keep_meeting(call_.rows, candidates.data() + begin, count, call_.kept_pairs + begin);
    });
    const IndexPair* escaped = cache_.escaped_pairs_.begin();
    const IndexPair* const escaped_end = cache_.escaped_pairs_.end();
    const auto write_pairs = [&](const IndexPair* begin, const IndexPair* end) {
        if (begin == end) return Status::ok;
        return state_writer.write({begin, static_cast<std::size_t>(end - begin)});
    };
    // Those have passed a stable filter when they were found.
    const auto write_kept = [&](const IndexPair* begin, const IndexPair* end) {
        if (!cache_.has_stable_filter_ || begin == end) return write_pairs(begin, end);
        return state_writer.write_filtered({begin, static_cast<std::size_t>(end - begin)});
    };
    Status status = Status::ok;
    for (std::size_t task = 0; task < call_.task_count && status == Status::ok; ++task) {
        const IndexPair* kept = call_.kept_pairs + task * kPairsPerTask;
        const IndexPair* const kept_end = kept + call_.kept_counts[task];
        // Runs of the one list between items of the other.
        while (escaped != escaped_end && kept != kept_end && status == Status::ok) {
            const IndexPair* const kept_begin = kept;
            kept = std::lower_bound(kept, kept_end, *escaped);
            status = write_kept(kept_begin, kept);
            if (kept == kept_end || status != Status::ok) break;
            const IndexPair* const escaped_begin = escaped;
            while (escaped != escaped_end && *escaped < *kept) ++escaped;
            status = write_pairs(escaped_begin, escaped);
        }
        if (status == Status::ok) status = write_kept(kept, kept_end);
    }
    return status == Status::ok ? write_pairs(escaped, escaped_end) : status;
}

}  // namespace broadside::broadphase
