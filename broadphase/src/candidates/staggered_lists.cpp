// The lists of candidates, their bits, and what those tell.
#include "broadphase/src/candidates/staggered_pairs.hpp"

#include "broadphase/src/candidates/pair_cache_scalar.hpp"
#include "broadphase/src/lists/canonical_order.hpp"
#include "core/src/zones.hpp"
#include "simd/src/dispatch.hpp"

#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <utility>

namespace broadside::broadphase {
namespace {

// Rows up to here are in a near cache, where asking for them ahead only costs.
constexpr std::size_t kNearRowsMax = 32768;

}  // namespace

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

bool StaggeredPairs::are_far() const noexcept { return regions_.box_count() > kNearRowsMax; }

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

}  // namespace broadside::broadphase
