// The lists of candidates: how they are made, replaced and tested.
#include "broadphase/src/candidates/candidate_lists.hpp"

#include "broadphase/src/candidates/pair_cache_scalar.hpp"
#include "broadphase/src/lists/canonical_order.hpp"
#include "broadphase/src/lists/reserve_amply.hpp"
#include "broadphase/src/thresholds.hpp"
#include "core/src/zones.hpp"
#include "simd/src/dispatch.hpp"

#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <utility>

namespace broadside::broadphase {
namespace {

// Room behind a list: kernels read and write ahead.
constexpr std::size_t kSliceSpare = kPairsAhead + kKeptPadding;

}  // namespace

CandidateLists::CandidateLists(const GrownRegions& regions, const Allocator& allocator) noexcept
    : regions_(regions),
      candidates_(allocator),
      bits_(allocator),
      next_bits_(allocator),
      segments_(allocator),
      voids_(allocator) {}

std::size_t CandidateLists::capacity_bytes() const noexcept {
    return candidates_.capacity_bytes() + bits_.capacity_bytes() + next_bits_.capacity_bytes() +
           segments_.capacity_bytes() + voids_.capacity_bytes();
}

bool CandidateLists::start(std::size_t size) noexcept {
    const std::uint32_t slices = regions_.region_count() + 1;
    if (!segments_.resize(std::size_t{slices} * slices)) return false;
    // Uses all present memory, because what was needed before is likely to be needed again.
    slice_size_ = std::max(size + kSliceSpare, candidates_.capacity() / slices);
    slice_words_ = slice_size_ / 64 + 2 * std::size_t{key_count()};
    for (std::uint32_t slice = 0; slice < slices; ++slice) {
        slices_[slice] = slice;
        used_keys_[slice] = 0;
        std::fill_n(list(slice), key_count(), Segment{slice * slice_size_, 0, slice * slice_words_});
    }
    return candidates_.resize(slices * slice_size_) && bits_.resize(slices * slice_words_) &&
           next_bits_.resize(slices * slice_words_);
}

void CandidateLists::begin_update() noexcept {
    voids_.clear();
    renewed_ = GrownRegions::kNone;
    has_new_tails_ = false;
}

void CandidateLists::commit() noexcept {
    std::swap(bits_, next_bits_);
    drop_voids();
    take_new_list();
}

bool CandidateLists::note_voids(const std::uint64_t* reborn_bits) noexcept {
    bool has_memory = true;
    for_each_segment([&](const Segment& segment) {
        for (std::size_t k = 0; k < segment.count; ++k) {
            const IndexPair pair = candidates_[segment.begin + k];
            if (pair.first < regions_.box_count() &&
                (has_bit(reborn_bits, pair.first) || has_bit(reborn_bits, pair.second))) {
                has_memory = voids_.push_back({segment.begin + k, segment.word * 64 + k}) && has_memory;
            }
        }
    });
    return has_memory;
}

// Void candidates get the row of no box, which meets nothing, not even itself. That row becomes a slot's when
// slots are added, and holds a box when an object is added there. This sets its bit in `reborn_bits`, so
// candidates that name it are void again.
void CandidateLists::drop_voids() noexcept {
    const auto none = static_cast<std::uint32_t>(regions_.box_count());
    for (const Void& nothing : voids_) candidates_[nothing.candidate] = {none, none};
    voids_.clear();
}

void CandidateLists::take_new_list() noexcept {
    if (renewed_ == GrownRegions::kNone) return;
    const std::uint32_t regions = regions_.region_count();
    std::swap(slices_[renewed_], slices_[regions]);
    for (std::uint32_t r = 0; r < regions; ++r)
        if (r != renewed_) used_keys_[slices_[r]] &= ~(std::uint64_t{1} << renewed_);
    renewed_ = GrownRegions::kNone;
}

bool CandidateLists::are_rows_far() const noexcept {
    return regions_.box_count() > thresholds().tasks.near_rows_max;
}

std::uint32_t CandidateLists::piece_count(const TaskRunner* runner) const noexcept {
    constexpr std::uint32_t kTaskMax = 64;
    const std::uint32_t workers = worker_count(runner);
    const auto wanted =
        static_cast<std::uint32_t>(std::min<std::size_t>(workers * kChunksPerWorker, kTaskMax));
    return workers > 1 ? wanted / list_count() + 1 : 1;
}

bool CandidateLists::append_to_tails(const NewCandidates& found, const TaskRunner* runner) noexcept {
    const std::uint32_t regions = regions_.region_count();
    if (found.count() < thresholds().tasks.shared_item_count_min) runner = nullptr;
    NewCandidates::KeyCounts positions[NewCandidates::kListMax];
    found.count_keys(runner, key_count(), positions);
    std::size_t largest = 0;
    std::size_t ends[GrownRegions::kRegionMax];
    for (std::uint32_t r = 0; r < regions; ++r) {
        const Segment& tail = list(slices_[r])[regions];
        new_tail_begins_[r] = ends[r] = tail.count;
        for (std::uint32_t k = 0; k < found.list_count(); ++k) {
            const std::uint32_t count = positions[k][r];
            positions[k][r] = static_cast<std::uint32_t>(ends[r]);
            ends[r] += count;
        }
        largest = std::max(largest, tail.begin - slices_[r] * slice_size_ + ends[r]);
    }
    if (!reserve(largest)) return false;
    std::size_t begins[GrownRegions::kRegionMax];
    for (std::uint32_t r = 0; r < regions; ++r) {
        Segment& tail = list(slices_[r])[regions];
        begins[r] = tail.begin;
        tail.count = ends[r];
    }
    found.put_by_key(runner, positions, begins, candidates_.data());
    has_new_tails_ = true;
    return true;
}

void CandidateLists::drop_update() noexcept {
    renewed_ = GrownRegions::kNone;
    const std::uint32_t regions = regions_.region_count();
    for (std::uint32_t r = 0; has_new_tails_ && r < regions; ++r)
        list(slices_[r])[regions].count = new_tail_begins_[r];
    has_new_tails_ = false;
}

// Makes room for this many candidates in every list.
bool CandidateLists::reserve(std::size_t candidate_count) noexcept {
    if (candidate_count + kSliceSpare <= slice_size_) return true;
    return resize(candidate_count + candidate_count / 2 + kSliceSpare);
}

bool CandidateLists::reserve_amply() noexcept {
    std::size_t largest = 0;
    for (std::uint32_t r = 0; r < regions_.region_count(); ++r) {
        std::size_t count = 0;
        for_each_segment_of(r, [&](const Segment& segment) { count += segment.count; });
        largest = std::max(largest, count);
    }
    const std::size_t size = largest + largest * 3 / 8 + kSliceSpare;
    return size <= slice_size_ || resize(size);
}

bool CandidateLists::resize(std::size_t size) noexcept {
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

bool CandidateLists::write_new_list(std::uint32_t region, const NewCandidates& found,
                                    const TaskRunner* runner) noexcept {
    const std::size_t count = found.count();
    if (!reserve(count)) return false;
    if (count < thresholds().tasks.shared_item_count_min) runner = nullptr;
    NewCandidates::KeyCounts positions[NewCandidates::kListMax];
    found.count_keys(runner, key_count(), positions);
    const std::uint32_t regions = regions_.region_count();
    Segment* const segments = list(slices_[regions]);
    std::size_t begins[GrownRegions::kRegionMax + 1];
    std::size_t begin = slices_[regions] * slice_size_;
    std::size_t word = slices_[regions] * slice_words_;
    std::uint64_t& used_keys = used_keys_[slices_[regions]];
    used_keys = 0;
    for (std::uint32_t key = 0; key <= regions; ++key) {
        std::uint32_t end = 0;
        for (std::uint32_t k = 0; k < found.list_count(); ++k) {
            const std::uint32_t of_list = positions[k][key];
            positions[k][key] = end;
            end += of_list;
        }
        if (key < regions && end != 0) used_keys |= std::uint64_t{1} << key;
        begins[key] = begin;
        segments[key] = {begin, end, word};
        begin += end;
        word += bit_word_count(end);
    }
    found.put_by_key(runner, positions, begins, candidates_.data());
    renewed_ = region;
    return true;
}

// Marks whether the candidates that were looked up one by one in this update met at the last one.
void CandidateLists::mark_new_tail(std::uint32_t region, const CellRecord* rows) noexcept {
    const Segment& tail = list(slices_[region])[regions_.region_count()];
    for (std::size_t k = new_tail_begins_[region]; k < tail.count; ++k) {
        const IndexPair pair = candidates_[tail.begin + k];
        const bool were_pair = boxes_meet(rows[pair.first], rows[pair.second]);
        if (k % 64 == 0) bits_.data()[tail.word + k / 64] = 0;
        set_bit(bits_, tail.word * 64 + k, were_pair);
    }
}

void CandidateLists::test(const CellRecord* rows, const CellRecord* next_rows, bool are_known,
                          const TaskRunner* runner) noexcept {
    const std::uint32_t regions = regions_.region_count();
    const std::uint32_t pieces = piece_count(runner);
    const PairCacheKernels& kernels = *simd::active_kernels<PairCacheKernels>();
    const bool are_far = are_rows_far();
    run_tasks(runner, list_count() * pieces, [&](std::uint32_t task) {
        BROADSIDE_ZONE("world/test task");
        const std::uint32_t r = task / pieces;
        for_each_segment_of(r, [&](const Segment& segment) {
            const Segment piece = piece_of(segment, task % pieces, pieces);
            const auto mark = [&](const CellRecord* of, std::uint64_t* out_bits) {
                kernels.mark_overlapping(of, pairs_of(piece), piece.count, are_far, out_bits + piece.word);
            };
            mark(next_rows, next_bits_.data());
            if (r == regions) mark(rows, bits_.data());
        });
        // Candidates that are new have no bits from before.
        if (are_known && has_new_tails_ && r != regions && task % pieces == 0) mark_new_tail(r, rows);
    });
    for (const Void& nothing : voids_) set_bit(next_bits_, nothing.bit, false);
}

bool CandidateLists::write(const Bits& bits, PairBuffer& out_pairs,
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
        kept += kernels.keep_marked(pairs_of(segment), segment.count, bits.data() + segment.word,
                                    out_pairs.data() + kept);
    });
    return out_pairs.resize(kept) && sort_unique_pairs(out_pairs, scratch);
}

}  // namespace broadside::broadphase
