// Candidates tested, and their bits beside those of the last update.
#include "broadphase/src/candidates/tracked_pairs.hpp"

#include "broadphase/src/candidates/pair_cache_call.hpp"
#include "broadphase/src/find_pairs/arguments.hpp"

#include <utility>

namespace broadside::broadphase {
namespace {

// Both ascending; from the end, in place.
bool merge_into(AlignedArray<IndexPair>& state_pairs, std::span<const IndexPair> added) {
    std::size_t from = state_pairs.size();
    std::size_t left = added.size();
    if (!state_pairs.reserve_to_append(left) || !state_pairs.resize(from + left)) return false;
    IndexPair* const pairs = state_pairs.data();
    for (std::size_t to = from + left; left != 0;) {
        const bool is_old = from != 0 && added[left - 1] < pairs[from - 1];
        pairs[--to] = is_old ? pairs[--from] : added[--left];
    }
    return true;
}

}  // namespace

Status TrackedPairs::find(const Call& call, PairBuffer& out_pairs, Found& out_found) noexcept {
    has_next_ = false;
    Status status = check_arguments({call.boxes}, call.settings, out_pairs);
    if (status != Status::ok) return status;
    FindPairsResult unused;
    PairCache::Call cached(cache, call.boxes, call.settings, call.scratch);
    const bool is_reused = cached.reuse(unused, status);
    if (status != Status::ok) return status;
    const bool tells_difference = is_reused && are_known_ && call.wants_difference;
    out_found = tells_difference ? Found::difference : Found::list;
    if (!tells_difference) {
        if (are_known_ && !call.keep_known(call.user)) return Status::out_of_memory;
        are_known_ = false;
        if (!is_reused && !cached.begin_anew(unused, status))
            return find_pairs(call.boxes, call.settings, call.scratch, out_pairs).status;
        if (status != Status::ok) return status;
    }
    if (!call.wants_difference) {
        const PairFilter filter(call.settings.filter, call.settings.filter);
        PairWriter writer(out_pairs, &filter);
        status = cached.finish(writer, unused);
        writer.report(status, unused);
        return unused.status;
    }
    status = cached.look_up_escaped(unused);
    if (status != Status::ok) return status;
    if (!next_bits_.resize(bit_word_count(candidates().size())) || !keep_escaped(call))
        return Status::out_of_memory;
    cached.mark_overlapping(next_bits_.data());
    has_next_ = true;
    AlignedArray<IndexPair>& out = out_pairs.storage();
    const bool has_memory =
        tells_difference ? write_difference(out) : write_list(next_bits_, next_escaped_, out);
    return has_memory ? Status::ok : Status::out_of_memory;
}

// Candidates that have their bit, and pairs of boxes that have left.
bool TrackedPairs::write_list(const AlignedArray<std::uint64_t>& bits, std::span<const IndexPair> escaped,
                              AlignedArray<IndexPair>& out_pairs) const noexcept {
    BROADSIDE_ZONE("pair cache/write");
    const PairCacheKernels* const kernels = simd::active_kernels<PairCacheKernels>();
    std::size_t count = 0;
    for (const std::uint64_t word : bits) count += static_cast<std::size_t>(std::popcount(word));
    if (kernels == nullptr || !out_pairs.reserve(count + kKeptPadding)) return false;
    const std::span<const IndexPair> all = candidates();
    (void)kernels->keep_marked(all.data(), all.size(), bits.data(), out_pairs.data());
    return out_pairs.resize(count) && merge_into(out_pairs, escaped);
}

bool TrackedPairs::keep_escaped(const Call& call) noexcept {
    const std::span<const IndexPair> escaped = cache.escaped_pairs_;
    AlignedArray<IndexPair>& kept = next_escaped_.storage();
    if (!kept.resize(escaped.size())) return false;
    const PairFilter filter(call.settings.filter, call.settings.filter);
    return kept.resize(filter.keep(escaped.data(), escaped.size(), kept.data()));
}

bool TrackedPairs::write_difference(AlignedArray<IndexPair>& out_come) noexcept {
    BROADSIDE_ZONE("pair cache/write");
    AlignedArray<IndexPair>& gone = before_.storage();
    gone.clear();
    out_come.clear();
    const std::span<const IndexPair> all = candidates();
    bool has_memory = true;
    for_each_bit(
        next_bits_.size(), [&](std::size_t word) { return bits_.data()[word] ^ next_bits_.data()[word]; },
        [&](std::size_t k) {
            has_memory = (has_bit(next_bits_.data(), k) ? out_come : gone).push_back(all[k]) && has_memory;
        });
    return has_memory && merge_into(gone, escaped_) && merge_into(out_come, next_escaped_);
}

void TrackedPairs::commit() noexcept {
    if (has_next_) {
        std::swap(bits_, next_bits_);
        std::swap(escaped_, next_escaped_);
    }
    are_known_ = has_next_;
    has_next_ = false;
}

}  // namespace broadside::broadphase
