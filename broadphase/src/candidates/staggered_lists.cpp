// The lists of candidates, their bits, and the changes that these show.
#include "broadphase/src/candidates/staggered_pairs.hpp"

#include "broadphase/src/candidates/pair_cache_scalar.hpp"
#include "broadphase/src/lists/canonical_order.hpp"
#include "broadphase/src/thresholds.hpp"
#include "core/src/zones.hpp"
#include "simd/src/dispatch.hpp"

#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <utility>

namespace broadside::broadphase {
namespace {

// Changes are sorted by ranges of first indices, in two lists.
constexpr int kChangeRangeBits = 5;
constexpr std::uint32_t kChangeKeys = 2u << kChangeRangeBits;

}  // namespace

// Void candidates get the row of no box, which meets nothing, not even itself. That row becomes a slot's when
// slots are added, and holds a box when an object is added there. This sets its bit in `reborn_bits`, so
// candidates that name it are void again.
void StaggeredPairs::drop_voids() noexcept {
    const auto none = static_cast<std::uint32_t>(regions_.box_count());
    for (const Void& nothing : voids_) candidates_[nothing.candidate] = {none, none};
    voids_.clear();
}

// Replaces the list before, and the candidates of other lists with boxes of its region.
void StaggeredPairs::take_new_list() noexcept {
    if (renewed_ == GrownRegions::kNone) return;
    const std::uint32_t regions = regions_.region_count();
    std::swap(slices_[renewed_], slices_[regions]);
    for (std::uint32_t r = 0; r < regions; ++r)
        if (r != renewed_) used_keys_[slices_[r]] &= ~(std::uint64_t{1} << renewed_);
    renewed_ = GrownRegions::kNone;
}

bool StaggeredPairs::are_far() const noexcept {
    return regions_.box_count() > thresholds().candidates.near_rows_max;
}

void StaggeredPairs::forget_new() noexcept {
    new_candidates_.clear();
    new_list_count_ = 0;
}

// Opens lists for `count` tasks behind the present ones, with room for `room` candidates in equal shares.
bool StaggeredPairs::open_new_lists(std::uint32_t count, std::size_t room) noexcept {
    BROADSIDE_ASSERT(new_list_count_ + count <= kNewListMax, "new candidates: more lists than a step has");
    const std::size_t begin = new_candidates_.size();
    if (!resize_amply(new_candidates_, begin + room)) return false;
    for (std::uint32_t k = 0; k < count; ++k)
        new_lists_[new_list_count_++] = {begin + part_begin(room, k, count), 0};
    return true;
}

std::size_t StaggeredPairs::new_count() const noexcept {
    std::size_t count = 0;
    for (std::uint32_t k = 0; k < new_list_count_; ++k) count += new_lists_[k].count;
    return count;
}

void StaggeredPairs::count_keys(const TaskRunner* runner, KeyCounts* out_counts) const noexcept {
    run_tasks(runner, new_list_count_, [&](std::uint32_t index) {
        BROADSIDE_ZONE("world/renew task");
        std::uint32_t* const counts = out_counts[index];
        std::fill_n(counts, key_count(), 0u);
        const NewCandidate* const begin = new_candidates_.data() + new_lists_[index].begin;
        const NewCandidate* const end = begin + new_lists_[index].count;
        for (const NewCandidate* each = begin; each != end; ++each) ++counts[each->key];
    });
}

// Stores each new candidate behind `begins` of its key, at the next position of its list there.
void StaggeredPairs::put_by_key(const TaskRunner* runner, KeyCounts* state_places,
                                const std::size_t* begins) noexcept {
    run_tasks(runner, new_list_count_, [&](std::uint32_t index) {
        BROADSIDE_ZONE("world/renew task");
        std::uint32_t* const places = state_places[index];
        IndexPair* const pairs = candidates_.data();
        const NewCandidate* const begin = new_candidates_.data() + new_lists_[index].begin;
        const NewCandidate* const end = begin + new_lists_[index].count;
        for (const NewCandidate* each = begin; each != end; ++each)
            pairs[begins[each->key] + places[each->key]++] = each->pair;
    });
}

// Appends each new candidate to the list that its key names. The test adds its bit of the last update.
bool StaggeredPairs::append_to_tails(const TaskRunner* runner) noexcept {
    const std::uint32_t regions = regions_.region_count();
    if (new_count() < thresholds().candidates.shared_candidate_count_min) runner = nullptr;
    KeyCounts places[kNewListMax];
    count_keys(runner, places);
    std::size_t largest = 0;
    std::size_t ends[GrownRegions::kRegionMax];
    for (std::uint32_t r = 0; r < regions; ++r) {
        const Segment& tail = list(slices_[r])[regions];
        new_tail_begins_[r] = ends[r] = tail.count;
        for (std::uint32_t k = 0; k < new_list_count_; ++k) {
            const std::uint32_t count = places[k][r];
            places[k][r] = static_cast<std::uint32_t>(ends[r]);
            ends[r] += count;
        }
        largest = std::max(largest, tail.begin - slices_[r] * slice_size_ + ends[r]);
    }
    if (!reserve_lists(largest)) return false;
    std::size_t begins[GrownRegions::kRegionMax];
    for (std::uint32_t r = 0; r < regions; ++r) {
        Segment& tail = list(slices_[r])[regions];
        begins[r] = tail.begin;
        tail.count = ends[r];
    }
    put_by_key(runner, places, begins);
    has_new_tails_ = true;
    forget_new();
    return true;
}

// Drops new candidates that will not be tested.
void StaggeredPairs::drop_new_tails() noexcept {
    const std::uint32_t regions = regions_.region_count();
    for (std::uint32_t r = 0; has_new_tails_ && r < regions; ++r)
        list(slices_[r])[regions].count = new_tail_begins_[r];
    has_new_tails_ = false;
}

// Makes room for this many candidates in every list.
bool StaggeredPairs::reserve_lists(std::size_t candidate_count) noexcept {
    if (candidate_count + kSliceSpare <= slice_size_) return true;
    return resize_lists(candidate_count + candidate_count / 2 + kSliceSpare);
}

// Lists vary from one renewal to the next. While all are made for the first time, there is time to grow them.
bool StaggeredPairs::reserve_lists_amply() noexcept {
    std::size_t largest = 0;
    for (std::uint32_t r = 0; r < regions_.region_count(); ++r) {
        std::size_t count = 0;
        for_each_segment_of(slices_[r], [&](const Segment& segment) { count += segment.count; });
        largest = std::max(largest, count);
    }
    const std::size_t size = largest + largest * 3 / 8 + kSliceSpare;
    if (size > slice_size_ && !resize_lists(size)) return false;
    // The lists of a renewal vary with the candidates of its region.
    return found_.reserve(slice_size_) && new_candidates_.reserve(slice_size_) &&
           members_.reserve(regions_.region_capacity()) && stale_.reserve(regions_.region_capacity());
}

bool StaggeredPairs::resize_lists(std::size_t size) noexcept {
    const std::size_t words = size / 64 + 2 * std::size_t{key_count()};
    const std::uint32_t slices = regions_.region_count() + 1;
    PairBuffer pairs = candidates_.make_empty();
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
    candidates_ = std::move(pairs);
    bits_ = std::move(bits);
    next_bits_ = std::move(next_bits);
    slice_size_ = size;
    slice_words_ = words;
    return true;
}

// Writes the new candidates to the spare list, by the region of the other box.
bool StaggeredPairs::write_new_list(std::uint32_t region, const TaskRunner* runner) noexcept {
    const std::size_t count = new_count();
    if (!reserve_lists(count)) return false;
    if (count < thresholds().candidates.shared_candidate_count_min) runner = nullptr;
    KeyCounts places[kNewListMax];
    count_keys(runner, places);
    const std::uint32_t regions = regions_.region_count();
    Segment* const segments = list(slices_[regions]);
    std::size_t begins[GrownRegions::kRegionMax + 1];
    std::size_t begin = slices_[regions] * slice_size_;
    std::size_t word = slices_[regions] * slice_words_;
    std::uint64_t& used_keys = used_keys_[slices_[regions]];
    used_keys = 0;
    for (std::uint32_t key = 0; key <= regions; ++key) {
        std::uint32_t end = 0;
        for (std::uint32_t k = 0; k < new_list_count_; ++k) {
            const std::uint32_t of_list = places[k][key];
            places[k][key] = end;
            end += of_list;
        }
        if (key < regions && end != 0) used_keys |= std::uint64_t{1} << key;
        begins[key] = begin;
        segments[key] = {begin, end, word};
        begin += end;
        word += bit_word_count(end);
    }
    put_by_key(runner, places, begins);
    renewed_ = region;
    return true;
}

// Marks whether the candidates that were looked up one by one in this update met at the last one.
void StaggeredPairs::mark_new_tail(std::uint32_t region) noexcept {
    const Segment& tail = list(slices_[region])[regions_.region_count()];
    for (std::size_t k = new_tail_begins_[region]; k < tail.count; ++k) {
        const IndexPair pair = candidates_[tail.begin + k];
        const bool were_pair = boxes_meet(rows_.data()[pair.first], rows_.data()[pair.second]);
        if (k % 64 == 0) bits_.data()[tail.word + k / 64] = 0;
        set_bit(bits_, tail.word * 64 + k, were_pair);
    }
}

void StaggeredPairs::test(const TaskRunner* runner) noexcept {
    const std::uint32_t regions = regions_.region_count();
    const std::uint32_t pieces = piece_count(runner);
    const PairCacheKernels& kernels = *simd::active_kernels<PairCacheKernels>();
    const bool are_rows_far = are_far();
    run_tasks(runner, list_count() * pieces, [&](std::uint32_t task) {
        BROADSIDE_ZONE("world/test task");
        const std::uint32_t r = task / pieces;
        for_each_segment_of(slices_[r], [&](const Segment& segment) {
            const Segment piece = piece_of(segment, task % pieces, pieces);
            const auto mark = [&](const CellRecord* rows, std::uint64_t* out_bits) {
                kernels.mark_overlapping(rows, candidates_.begin() + piece.begin, piece.count, are_rows_far,
                                         out_bits + piece.word);
            };
            mark(next_rows_.data(), next_bits_.data());
            if (r == regions) mark(rows_.data(), bits_.data());
        });
        // Candidates that are new have no bits from before.
        if (is_known_ && has_new_tails_ && r != regions && task % pieces == 0) mark_new_tail(r);
    });
    for (const Void& nothing : voids_) set_bit(next_bits_, nothing.bit, false);
}

bool StaggeredPairs::tell_difference(const Call& call, PairBuffer& out_come) noexcept {
    const bool is_shared =
        worker_count(call.runner) > 1 && regions_.box_count() >= thresholds().candidates.shared_box_count_min;
    if (!(is_shared ? tell_in_tasks(*call.runner, out_come) : tell_alone(call, out_come))) return false;
    if (call.reruled_bits != nullptr) leave_out_lasting(call, out_come);
    return true;
}

// Boxes whose rules have changed have lost all of their candidates and got them anew. A pair that has gone
// and come this way has not changed.
void StaggeredPairs::leave_out_lasting(const Call& call, PairBuffer& state_come) noexcept {
    const auto is_same = [&](std::uint32_t box) {
        return !has_bit(call.reborn_bits, box) || has_bit(call.reruled_bits, box);
    };
    std::size_t gone_count = 0;
    std::size_t come_count = 0;
    std::size_t next_come = 0;
    for (const IndexPair pair : gone_) {
        while (next_come < state_come.size() && key_of(state_come[next_come]) < key_of(pair))
            state_come[come_count++] = state_come[next_come++];
        const bool is_lasting = next_come < state_come.size() && state_come[next_come] == pair &&
                                is_same(pair.first) && is_same(pair.second);
        next_come += is_lasting ? 1u : 0u;
        if (!is_lasting) gone_[gone_count++] = pair;
    }
    while (next_come < state_come.size()) state_come[come_count++] = state_come[next_come++];
    (void)gone_.resize(gone_count);
    (void)state_come.resize(come_count);
}

bool StaggeredPairs::tell_alone(const Call& call, PairBuffer& out_come) noexcept {
    gone_.clear();
    out_come.clear();
    bool has_memory = true;
    for_each_segment([&](const Segment& segment) {
        for (std::size_t word = 0; word < bit_word_count(segment.count); ++word) {
            if (bits_.data()[segment.word + word] == next_bits_.data()[segment.word + word]) continue;
            // Room for all of a word, and one more, because each is written to both lists.
            has_memory = has_memory && reserve_amply(gone_, gone_.size() + 65) &&
                         reserve_amply(out_come, out_come.size() + 65);
            if (!has_memory) return;
            IndexPair* next_gone = gone_.data() + gone_.size();
            IndexPair* next_come = out_come.data() + out_come.size();
            for_each_change_in(segment, word, [&](const IndexPair& pair, std::size_t is_come) {
                *next_gone = *next_come = pair;
                next_come += is_come;
                next_gone += 1 - is_come;
            });
            (void)gone_.resize(static_cast<std::size_t>(next_gone - gone_.data()));
            (void)out_come.resize(static_cast<std::size_t>(next_come - out_come.data()));
        }
    });
    if (!has_memory) return false;
    return sort_unique_pairs(gone_, call.scratch.order) && sort_unique_pairs(out_come, call.scratch.order);
}

// Changes are counted by task and range of first indices, gathered by range, and sorted from there.
bool StaggeredPairs::tell_in_tasks(const TaskRunner& runner, PairBuffer& out_come) noexcept {
    const std::uint32_t pieces = piece_count(&runner);
    const std::uint32_t task_count = list_count() * pieces;
    const int index_bits = static_cast<int>(std::bit_width(regions_.box_count()));
    const int shift = std::max(index_bits - kChangeRangeBits, 0);
    if (!resize_amply(change_counts_, std::size_t{task_count} * kChangeKeys)) return false;
    // Keys of pairs that are gone come first, then those of pairs that have come.
    const auto for_each_change = [&](std::uint32_t task, auto&& visit) {
        std::uint32_t* const counts = change_counts_.data() + std::size_t{task} * kChangeKeys;
        for_each_segment_of(slices_[task / pieces], [&](const Segment& segment) {
            const Segment piece = piece_of(segment, task % pieces, pieces);
            for (std::size_t word = 0; word < bit_word_count(piece.count); ++word) {
                for_each_change_in(piece, word, [&](const IndexPair& pair, std::size_t is_come) {
                    visit(pair, is_come, counts[is_come << kChangeRangeBits | pair.first >> shift]);
                });
            }
        });
    };
    run_tasks(&runner, task_count, [&](std::uint32_t task) {
        BROADSIDE_ZONE("world/difference task");
        std::fill_n(change_counts_.data() + std::size_t{task} * kChangeKeys, kChangeKeys, 0u);
        for_each_change(task,
                        [](const IndexPair&, std::size_t, std::uint32_t& state_count) { ++state_count; });
    });
    PairBuffer* const lists[2] = {&gone_, &out_come};
    std::size_t begins[kChangeKeys];
    std::size_t kept[kChangeKeys];
    std::size_t buckets[kChangeKeys];
    std::size_t bucket_end = std::size_t{task_count} * kChangeKeys;
    std::size_t counts[2] = {};
    for (std::uint32_t kind = 0; kind < 2; ++kind) {
        std::uint32_t end = 0;
        for (std::uint32_t key = kind << kChangeRangeBits; key < (kind + 1) << kChangeRangeBits; ++key) {
            begins[key] = end;
            for (std::uint32_t task = 0; task < task_count; ++task) {
                std::uint32_t& of_task = change_counts_.data()[std::size_t{task} * kChangeKeys + key];
                const std::uint32_t place = end;
                end += of_task;
                of_task = place;
            }
            kept[key] = end - begins[key];
            buckets[key] = bucket_end;
            bucket_end += range_bucket_count(kept[key]);
        }
        if (!resize_amply(*lists[kind], end)) return false;
        counts[kind] = end;
    }
    if (!resize_amply(found_, counts[0] + counts[1]) || !resize_amply(change_counts_, bucket_end))
        return false;
    const TaskRunner* const sharing =
        counts[0] + counts[1] < thresholds().candidates.shared_change_count_min ? nullptr : &runner;
    IndexPair* const sources[2] = {found_.data(), found_.data() + counts[0]};
    IndexPair* const targets[2] = {lists[0]->data(), lists[1]->data()};
    run_tasks(sharing, task_count, [&](std::uint32_t task) {
        BROADSIDE_ZONE("world/difference task");
        for_each_change(task, [&](const IndexPair& pair, std::size_t is_come, std::uint32_t& state_place) {
            sources[is_come][state_place++] = pair;
        });
    });
    const std::size_t keys_per_task =
        std::max<std::size_t>(kChangeKeys / (worker_count(&runner) * kChunksPerWorker), 1);
    run_chunks(sharing, kChangeKeys, keys_per_task, [&](std::size_t key_begin, std::size_t key_end) {
        BROADSIDE_ZONE("world/difference task");
        for (std::size_t key = key_begin; key < key_end; ++key) {
            const std::size_t kind = key >> kChangeRangeBits;
            IndexPair* const begin = targets[kind] + begins[key];
            const auto first = static_cast<std::uint32_t>(key - (kind << kChangeRangeBits)) << shift;
            sort_range({sources[kind] + begins[key], kept[key]}, {first, shift},
                       change_counts_.data() + buckets[key], begin);
            kept[key] = static_cast<std::size_t>(std::unique(begin, begin + kept[key]) - begin);
        }
    });
    for (std::uint32_t kind = 0; kind < 2; ++kind) {
        std::size_t end = 0;
        for (std::uint32_t key = kind << kChangeRangeBits; key < (kind + 1) << kChangeRangeBits; ++key) {
            if (begins[key] != end) std::copy_n(targets[kind] + begins[key], kept[key], targets[kind] + end);
            end += kept[key];
        }
        (void)lists[kind]->resize(end);
    }
    return true;
}

bool StaggeredPairs::write(const Bits& bits, PairBuffer& out_pairs,
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

}  // namespace broadside::broadphase
