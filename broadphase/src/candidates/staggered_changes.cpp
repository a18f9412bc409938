// The pairs that have begun and ended: candidates whose bits have changed, sorted.
#include "broadphase/src/candidates/staggered_pairs.hpp"

#include "broadphase/src/lists/canonical_order.hpp"
#include "broadphase/src/thresholds.hpp"
#include "core/src/zones.hpp"

#include <broadside/run_tasks.hpp>

#include <algorithm>

namespace broadside::broadphase {
namespace {

// Changes are sorted by ranges of first indices, in two lists.
constexpr int kChangeRangeBits = 5;
constexpr std::uint32_t kChangeKeys = 2u << kChangeRangeBits;

}  // namespace

bool StaggeredPairs::tell_difference(const Call& call, PairBuffer& out_come) noexcept {
    const bool is_shared =
        worker_count(call.runner) > 1 && regions_.box_count() >= thresholds().tasks.shared_object_count_min;
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
    lists_.for_each_changed_word([&](const Segment& segment, std::size_t word) {
        // Room for all of a word, and one more, because each is written to both lists.
        has_memory = has_memory && reserve_amply(gone_, gone_.size() + 65) &&
                     reserve_amply(out_come, out_come.size() + 65);
        if (!has_memory) return;
        IndexPair* next_gone = gone_.data() + gone_.size();
        IndexPair* next_come = out_come.data() + out_come.size();
        lists_.for_each_change_in(segment, word, [&](const IndexPair& pair, std::size_t is_come) {
            *next_gone = *next_come = pair;
            next_come += is_come;
            next_gone += 1 - is_come;
        });
        (void)gone_.resize(static_cast<std::size_t>(next_gone - gone_.data()));
        (void)out_come.resize(static_cast<std::size_t>(next_come - out_come.data()));
    });
    if (!has_memory) return false;
    return sort_unique_pairs(gone_, call.scratch.pairs.order) &&
           sort_unique_pairs(out_come, call.scratch.pairs.order);
}

// Changes are counted by task and range of first indices, gathered by range, and sorted from there.
bool StaggeredPairs::tell_in_tasks(const TaskRunner& runner, PairBuffer& out_come) noexcept {
    const std::uint32_t pieces = lists_.piece_count(&runner);
    const std::uint32_t task_count = lists_.list_count() * pieces;
    const int index_bits = static_cast<int>(std::bit_width(regions_.box_count()));
    const int shift = std::max(index_bits - kChangeRangeBits, 0);
    if (!resize_amply(change_counts_, std::size_t{task_count} * kChangeKeys)) return false;
    // Keys of pairs that are gone come first, then those of pairs that have come.
    const auto for_each_change = [&](std::uint32_t task, auto&& visit) {
        std::uint32_t* const counts = change_counts_.data() + std::size_t{task} * kChangeKeys;
        lists_.for_each_segment_of(task / pieces, [&](const Segment& segment) {
            const Segment piece = CandidateLists::piece_of(segment, task % pieces, pieces);
            for (std::size_t word = 0; word < bit_word_count(piece.count); ++word) {
                lists_.for_each_change_in(piece, word, [&](const IndexPair& pair, std::size_t is_come) {
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
        counts[0] + counts[1] < thresholds().tasks.shared_event_count_min ? nullptr : &runner;
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

}  // namespace broadside::broadphase
