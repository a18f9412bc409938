// One call of a PairCache: filters the kept list, looks up the boxes that left, and writes both as one list.
#pragma once

#include <broadside/pair_cache.hpp>

#include "broadphase/src/candidates/kernels.hpp"
#include "broadphase/src/lists/bits.hpp"
#include "broadphase/src/lists/gathered_boxes.hpp"
#include "broadphase/src/lists/pair_writer.hpp"
#include "broadphase/src/thresholds.hpp"
#include "core/src/zones.hpp"
#include "simd/src/dispatch.hpp"

#include <broadside/run_tasks.hpp>

#include <algorithm>

namespace broadside {

namespace broadphase {

// The columns of `count` grown boxes are consecutive, in whole cache lines.
inline constexpr std::size_t column_stride(std::size_t count) { return (count + 15) / 16 * 16; }

}  // namespace broadphase

using namespace broadphase;

// One call, with valid boxes, settings and output.
class PairCache::Call {
public:
    Call(PairCache& cache, const BoxSoaView& boxes, const FindPairsSettings& settings,
         BoxScratch& scratch) noexcept
        : cache_(cache),
          boxes_(boxes),
          settings_(settings),
          kernels_(*simd::active_kernels<PairCacheKernels>()),
          scratch_(scratch) {}

    // Prepares the cache for this call. Returns false if the call is better made without it. Under any status
    // but ok the call has failed.
    bool begin(FindPairsResult& state_result, Status& out_status) {
        out_status = Status::ok;
        Memory& memory = cache_.memory_;
        if (memory.bypass_left == 0 && memory.is_kept && memory.box_count == boxes_.count) {
            const bool is_reused = look_through(out_status) && is_worth_using();
            if (is_reused) state_result.plan.cache_use = CacheUse::reused;
            if (is_reused || out_status != Status::ok) return true;
        }
        if (memory.bypass_left != 0) {
            --memory.bypass_left;
            return false;
        }
        if (memory.is_kept) {
            memory.is_kept = false;
            if (memory.use_count < thresholds().cache.use_count_min) {
                memory.bypass_count =
                    std::min(2 * memory.bypass_count + 1, thresholds().cache.bypass_count_max);
                memory.bypass_left = memory.bypass_count - 1;
                return false;
            }
            memory.bypass_count = 0;
        }
        out_status = find_anew(state_result);
        if (out_status != Status::ok || !look_through(out_status)) return true;
        state_result.plan.cache_use = CacheUse::found_anew;
        return true;
    }

    // Then writes the canonical list, filtered by the writer. Returns ok or out_of_memory.
    Status finish(PairWriter& state_writer, FindPairsResult& state_result) {
        ++cache_.memory_.use_count;
        state_result.plan.box_count = boxes_.count;
        state_result.plan.escaped_count = escaped_count_;
        state_result.plan.tested_count = cache_.candidates_.size();
        state_result.invalid = invalid_boxes();
        cache_.escaped_pairs_.clear();
        const Status status = escaped_count_ != 0 ? find_escaped() : Status::ok;
        return status == Status::ok ? write(state_writer) : status;
    }

private:
    // True if few boxes have left. For the first of them the grown boxes would have to be sorted, which costs
    // as much as finding everything anew if pairs are few. After enough calls the last search has paid off,
    // and a new one lasts longer, unless so few have left that the others will stay.
    bool is_worth_using() const {
        if (escaped_count_ * thresholds().cache.boxes_per_escaped > boxes_.count) return false;
        return escaped_count_ == 0 || cache_.resting_.is_built() ||
               cache_.memory_.use_count < thresholds().cache.use_count_min ||
               escaped_count_ * thresholds().cache.boxes_per_first_escaped <= boxes_.count ||
               cache_.candidates_.size() > thresholds().cache.many_pairs_per_box * boxes_.count;
    }

    bool look_through(Status& out_status) {
        out_status = place() ? Status::ok : Status::out_of_memory;
        if (out_status != Status::ok) return false;
        refresh();
        escaped_count_ = count_escaped();
        return true;
    }

    bool place() {
        const std::size_t candidate_count = cache_.candidates_.size();
        word_count_ = bit_word_count(boxes_.count);
        pairs_per_task_ = thresholds().cache.pairs_per_task;
        task_count_ = (candidate_count + pairs_per_task_ - 1) / pairs_per_task_;
        return reserve_arrays(cache_.rows_, [&](Arena& arena) {
            rows_ = arena.reserve<CellRecord>(boxes_.count + kCacheRowPadding);
            invalid_bits_ = arena.reserve<std::uint64_t>(word_count_);
            escaped_bits_ = arena.reserve<std::uint64_t>(word_count_);
            kept_pairs_ = arena.reserve<IndexPair>(candidate_count + 1);
            kept_counts_ = arena.reserve<std::size_t>(task_count_);
        });
    }

    void refresh() const {
        BROADSIDE_ZONE("pair cache/refresh");
        run_chunks(settings_.runner, boxes_.count, thresholds().cache.boxes_per_task,
                   [&](std::size_t begin, std::size_t end) {
                       BROADSIDE_ZONE("pair cache/refresh task");
                       kernels_.refresh(boxes_.part(begin, end - begin), grown().part(begin, end - begin),
                                        rows_ + begin, invalid_bits_ + begin / 64,
                                        escaped_bits_ + begin / 64);
                   });
    }

    std::size_t count_escaped() const {
        std::size_t count = 0;
        for (std::size_t word = 0; word < word_count_; ++word) {
            count += static_cast<std::size_t>(std::popcount(escaped_bits_[word]));
        }
        return count;
    }

    InvalidBoxes invalid_boxes() const {
        InvalidBoxes invalid;
        for_each_bit(
            word_count_, [&](std::size_t word) { return invalid_bits_[word]; },
            [&](std::size_t index) {
                if (invalid.count++ == 0) invalid.first_index = index;
            });
        return invalid;
    }

    BoxSoaView grown() const {
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
    Status find_anew(FindPairsResult& state_result) {
        BROADSIDE_ZONE("pair cache/find anew");
        cache_.memory_.is_kept = false;
        const std::size_t stride = column_stride(boxes_.count);
        if (!cache_.columns_.reserve(6 * stride * sizeof(float))) return Status::out_of_memory;
        auto* columns = reinterpret_cast<float*>(cache_.columns_.data());
        const float margin = cache_.margin_;
        const float* const mins[3] = {boxes_.min_x, boxes_.min_y, boxes_.min_z};
        const float* const maxs[3] = {boxes_.max_x, boxes_.max_y, boxes_.max_z};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (std::size_t i = 0; i < boxes_.count; ++i)
                columns[axis * stride + i] = mins[axis][i] - margin;
            for (std::size_t i = 0; i < boxes_.count; ++i)
                columns[(axis + 3) * stride + i] = maxs[axis][i] + margin;
        }
        FindPairsSettings settings = settings_;
        settings.order = PairOrder::canonical;
        if (!cache_.has_stable_filter_) settings.filter = {};
        const FindPairsResult found = broadside::find_pairs(grown(), settings, scratch_, cache_.candidates_);
        if (found.status != Status::ok) return found.status;
        cache_.resting_.clear();
        state_result.plan = found.plan;
        cache_.memory_.is_kept = true;
        cache_.memory_.box_count = boxes_.count;
        cache_.memory_.use_count = 0;
        return Status::ok;
    }

    // Finds the pairs of the boxes that left, in order. A box that stayed is looked up by its grown box.
    Status find_escaped() {
        BROADSIDE_ZONE("pair cache/escaped");
        if (!cache_.resting_.is_built()) {
            const Status status = cache_.resting_.build(grown(), {}, settings_.runner);
            if (status != Status::ok) return status;
        }
        FindPairsSettings settings;
        settings.runner = settings_.runner;
        settings.filter.subset_bits = {escaped_bits_, word_count_};
        const FindPairsResult found =
            cache_.resting_.find_pairs(boxes_, settings, scratch_, cache_.escaped_pairs_);
        if (found.status != Status::ok) return found.status;
        PairBuffer& pairs = cache_.escaped_pairs_;
        IndexPair* const end = std::remove_if(pairs.begin(), pairs.end(), [&](const IndexPair& pair) {
            return !overlap(boxes_[pair.first], boxes_[pair.second]);
        });
        (void)pairs.resize(static_cast<std::size_t>(end - pairs.begin()));
        return Status::ok;
    }

    Status write(PairWriter& state_writer) {
        BROADSIDE_ZONE("pair cache/write");
        const std::span<const IndexPair> candidates = cache_.candidates_;
        run_tasks(settings_.runner, static_cast<std::uint32_t>(task_count_), [&](std::uint32_t task) {
            BROADSIDE_ZONE("pair cache/test task");
            const std::size_t begin = task * pairs_per_task_;
            const std::size_t count = std::min(pairs_per_task_, candidates.size() - begin);
            kept_counts_[task] =
                kernels_.keep_overlapping(rows_, candidates.data() + begin, count, kept_pairs_ + begin);
        });
        const IndexPair* escaped = cache_.escaped_pairs_.begin();
        const IndexPair* const escaped_end = cache_.escaped_pairs_.end();
        const auto write_pairs = [&](const IndexPair* begin, const IndexPair* end) {
            if (begin == end) return Status::ok;
            return state_writer.write({begin, static_cast<std::size_t>(end - begin)});
        };
        // A stable filter was applied when these were found.
        const auto write_kept = [&](const IndexPair* begin, const IndexPair* end) {
            if (!cache_.has_stable_filter_ || begin == end) return write_pairs(begin, end);
            return state_writer.write_filtered({begin, static_cast<std::size_t>(end - begin)});
        };
        Status status = Status::ok;
        for (std::size_t task = 0; task < task_count_ && status == Status::ok; ++task) {
            const IndexPair* kept = kept_pairs_ + task * pairs_per_task_;
            const IndexPair* const kept_end = kept + kept_counts_[task];
            // Runs of one list between items of the other.
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

    PairCache& cache_;
    const BoxSoaView& boxes_;
    const FindPairsSettings& settings_;
    const PairCacheKernels& kernels_;
    BoxScratch& scratch_;
    // Data in the rows of the cache during the call.
    CellRecord* rows_ = nullptr;
    std::uint64_t* invalid_bits_ = nullptr;
    std::uint64_t* escaped_bits_ = nullptr;
    std::size_t word_count_ = 0;
    std::size_t escaped_count_ = 0;
    // The pairs that are left of each task's share of the kept list.
    IndexPair* kept_pairs_ = nullptr;
    std::size_t* kept_counts_ = nullptr;
    std::size_t pairs_per_task_ = 0;
    std::size_t task_count_ = 0;
};

}  // namespace broadside
