// The shared parts of queries of a MeshScene: batches, and the distance behind a hit within which another may
// lie.
#pragma once

#include "core/src/argument.hpp"
#include "core/src/list_writer.hpp"
#include "core/src/zones.hpp"

#include <broadside/aligned_array.hpp>
#include <broadside/bits.hpp>
#include <broadside/hit.hpp>
#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <cfloat>
#include <span>

namespace broadside::stage {

inline constexpr std::size_t kSceneRun = 64;

// Calls `answer(i)` for every item, in runs, if there is room for the results.
template <class Item, class Result, class Answer>
BatchResult answer_all(std::span<const Item> items, const TaskRunner* runner, std::span<Result> out_results,
                       std::size_t result_count, Answer&& answer) {
    if (!check_readable(items, out_results) || !check_runner(runner)) return {Status::invalid_argument};
    if (out_results.size() < result_count) return {Status::capacity_exceeded};
    run_chunks(runner, items.size(), kSceneRun, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("scene/query task");
        for (std::size_t i = begin; i < end; ++i) answer(i);
    });
    return {};
}

// Stores the result of `ask(item)` for every item.
template <class Item, class Result, class Ask>
BatchResult ask_all(std::span<const Item> items, const TaskRunner* runner, std::span<Result> out_results,
                    Ask&& ask) {
    return answer_all(items, runner, out_results, items.size(),
                      [&](std::size_t i) { out_results[i] = ask(items[i]); });
}

// The same for results as bits, one word a run.
template <class Item, class Ask>
BatchResult ask_bits(std::span<const Item> items, const TaskRunner* runner, std::span<std::uint64_t> out_bits,
                     Ask&& ask) {
    static_assert(kSceneRun == 64);
    return answer_all(items, runner, out_bits, bit_word_count(items.size()), [&](std::size_t i) {
        std::uint64_t& word = out_bits[i / 64];
        word = (i % 64 == 0 ? 0 : word) | std::uint64_t{ask(items[i]) ? 1u : 0u} << (i % 64);
    });
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

// Slightly behind a hit: by rounding, another instance's box may begin there.
inline float limit_behind(float t) { return t + (t * 0x1p-18f + FLT_MIN); }

}  // namespace broadside::stage
