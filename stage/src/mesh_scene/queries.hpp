// The shared parts of queries of a MeshScene: batches, and the distance behind a hit within which another may
// lie.
#pragma once

#include "broadphase/src/tree/hits.hpp"
#include "core/src/argument.hpp"
#include "core/src/list_writer.hpp"
#include "core/src/zones.hpp"

#include <broadside/aligned_array.hpp>
#include <broadside/bits.hpp>
#include <broadside/mesh_scene.hpp>
#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <cfloat>
#include <span>

namespace broadside::stage {

inline constexpr std::size_t kSceneRun = 64;

// Calls `answer(begin, end)` for runs of at most kSceneRun items, if there is room for the results.
template <class Item, class Result, class Answer>
BatchResult answer_runs(std::span<const Item> items, const TaskRunner* runner, std::span<Result> out_results,
                        std::size_t result_count, Answer&& answer) {
    if (!check_readable(items, out_results) || !check_runner(runner)) return {Status::invalid_argument};
    if (out_results.size() < result_count) return {Status::capacity_exceeded};
    run_chunks(runner, items.size(), kSceneRun, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("scene/query task");
        answer(begin, end);
    });
    return {};
}

// Stores the result of `ask(item)` for every item, unless `ask_bundle(first, results)` has written those of
// kSceneBundleWidth and returns true.
inline constexpr std::size_t kSceneBundleWidth = broadphase::kPacketSize;
template <class Item, class Result, class Ask, class AskBundle>
BatchResult ask_all(std::span<const Item> items, const TaskRunner* runner, std::span<Result> out_results,
                    Ask&& ask, AskBundle&& ask_bundle) {
    return answer_runs(items, runner, out_results, items.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end;) {
            const std::size_t next = std::min(end, i + kSceneBundleWidth);
            if (next - i == kSceneBundleWidth && ask_bundle(&items[i], &out_results[i])) i = next;
            for (; i < next; ++i) out_results[i] = ask(items[i]);
        }
    });
}
template <class Item, class Result, class Ask>
BatchResult ask_all(std::span<const Item> items, const TaskRunner* runner, std::span<Result> out_results,
                    Ask&& ask) {
    return ask_all(items, runner, out_results, ask, [](const Item*, Result*) { return false; });
}

// Stores results as bits, one word a run. `ask_bundle(first, bits)` writes the lowest ones.
template <class Item, class Ask, class AskBundle>
BatchResult ask_bits(std::span<const Item> items, const TaskRunner* runner, std::span<std::uint64_t> out_bits,
                     Ask&& ask, AskBundle&& ask_bundle) {
    static_assert(kSceneRun == 64);
    return answer_runs(items, runner, out_bits, bit_word_count(items.size()),
                       [&](std::size_t begin, std::size_t end) {
                           std::uint64_t word = 0;
                           for (std::size_t i = begin; i < end;) {
                               const std::size_t next = std::min(end, i + kSceneBundleWidth);
                               std::uint64_t bits = 0;
                               if (next - i != kSceneBundleWidth || !ask_bundle(&items[i], bits)) {
                                   for (std::size_t k = i; k < next; ++k)
                                       bits |= std::uint64_t{ask(items[k]) ? 1u : 0u} << (k - i);
                               }
                               word |= bits << (i - begin);
                               i = next;
                           }
                           out_bits[begin / 64] = word;
                       });
}
template <class Item, class Ask>
BatchResult ask_bits(std::span<const Item> items, const TaskRunner* runner, std::span<std::uint64_t> out_bits,
                     Ask&& ask) {
    return ask_bits(items, runner, out_bits, ask, [](const Item*, std::uint64_t&) { return false; });
}

// Lists what each query finds: `collect(query)` leaves it in `found`, sorted, and returns its status.
template <class Query, class Found, class Collect>
WriteResult list_found(std::span<const Query> queries, AlignedArray<Found>& state_found,
                       std::span<Listed<Found>> out_items, Collect&& collect) {
    ListWriter<Listed<Found>> writer(out_items);
    Status status = Status::ok;
    for (std::uint32_t i = 0; i < queries.size() && status == Status::ok; ++i) {
        state_found.clear();
        std::span<Listed<Found>> room;
        status = collect(queries[i]);
        if (status == Status::ok) status = writer.claim(state_found.size(), room);
        for (std::size_t k = 0; k < room.size(); ++k) room[k] = {i, state_found.data()[k]};
    }
    return writer.result(status);
}

// Repeats a query until its list fits.
template <class Item, class Find>
Status find_whole(AlignedArray<Item>& state_items, Find&& find) {
    (void)state_items.resize(state_items.capacity());
    WriteResult result = find(std::span<Item>(state_items.data(), state_items.size()));
    if (result.status == Status::capacity_exceeded) {
        if (!state_items.resize(result.required)) return Status::out_of_memory;
        result = find(std::span<Item>(state_items.data(), state_items.size()));
    }
    if (result.status == Status::ok) (void)state_items.resize(result.required);
    return result.status;
}

// The instances whose boxes a shape meets, ascending.
template <class Visit>
Status collect(AlignedArray<std::uint32_t>& state_instances, Visit&& visit) {
    state_instances.clear();
    bool has_memory = true;
    const Status status = visit([&](std::uint32_t instance) {
        has_memory = has_memory && state_instances.push_back(instance);
        return has_memory;
    });
    std::sort(state_instances.begin(), state_instances.end());
    return has_memory ? status : Status::out_of_memory;
}

// Boxes only filter; meshes decide.
inline constexpr RaySettings kConservative = {Inside::zero, true};

// Slightly behind a hit: by rounding, another instance's box may begin there.
inline float limit_behind(float t) { return t + (t * 0x1p-18f + FLT_MIN); }

// The closest hit of several instances, in whatever order they come. Out of the range in which boxes are large
// enough (see MeshScene), rounding can put a hit before the box of its instance. It then counts as late as the
// box, or the result would depend on the order.
template <class Found>
class ClosestHit {
public:
    // The t up to which boxes matter.
    float limit() const { return limit_behind(t_); }
    // Leaves out what is later. Hits are compared as rounded.
    float shortened(float t_max) const { return min_keep(t_max, next_up(t_)); }
    // Takes `make()`, a hit at `t` of an instance whose box is met at `box_t`, if it comes before all others.
    template <class Make>
    void take(float t, std::uint32_t instance, float box_t, Make&& make) {
        const float counted = box_t <= limit_behind(t) ? t : box_t;
        if (counted > t_ || (counted == t_ && instance > closest_.target.instance_index)) return;
        closest_ = make();
        t_ = counted;
    }
    const Found& result() const { return closest_; }

private:
    Found closest_;
    float t_ = kVisitAll;
};

}  // namespace broadside::stage
