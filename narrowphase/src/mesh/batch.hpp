// The frame of a batch of queries to a mesh: runs of them, results by query or as bits, and lists.
#pragma once

#include "core/src/list_writer.hpp"
#include "core/src/zones.hpp"
#include "narrowphase/src/batch/call.hpp"
#include "narrowphase/src/mesh/kernels.hpp"

#include <broadside/aligned_array.hpp>
#include <broadside/run_tasks.hpp>

namespace broadside::narrowphase {

inline constexpr std::size_t kQueryRun = 64;

/// Calls `ask(kernels, begin, end)` for runs of as many queries, whose arguments `call` checks.
template <class Ask>
BatchResult ask_runs(BatchCall call, const TaskRunner* runner, std::size_t query_count, std::size_t run_size,
                     Ask&& ask) {
    return call.run<MeshKernels>([&](const auto& kernels) {
        run_chunks(runner, query_count, run_size, [&](std::size_t begin, std::size_t end) {
            BROADSIDE_ZONE("mesh/query task");
            ask(kernels, begin, end);
        });
    });
}

/// Stores the result of `ask(kernels, mesh, query)` for every query.
template <class Mesh, class Query, class Result, class Ask>
BatchResult ask_all(const Mesh& mesh, std::span<const Query> queries, const TaskRunner* runner,
                    std::span<Result> out_results, Ask&& ask) {
    BatchCall call;
    call.readable(queries).runner(runner).holds(out_results, queries.size());
    return ask_runs(call, runner, queries.size(), kQueryRun,
                    [&](const auto& kernels, std::size_t begin, std::size_t end) {
                        for (std::size_t i = begin; i < end; ++i)
                            out_results[i] = ask(kernels, mesh, queries[i]);
                    });
}

/// The same for results as bits, one word a run.
template <class Mesh, class Query, class Ask>
BatchResult ask_bits(BatchCall call, const Mesh& mesh, std::span<const Query> queries,
                     const TaskRunner* runner, std::span<std::uint64_t> out_bits, Ask&& ask) {
    call.readable(queries).runner(runner).holds_bits(out_bits, queries.size());
    return ask_runs(call, runner, queries.size(), kQueryRun,
                    [&](const auto& kernels, std::size_t begin, std::size_t end) {
                        std::uint64_t bits = 0;
                        for (std::size_t i = begin; i < end; ++i)
                            bits |= std::uint64_t{ask(kernels, mesh, queries[i]) ? 1u : 0u} << (i - begin);
                        out_bits[begin / 64] = bits;
                    });
}

/// Lists what each query finds: `collect(kernels, query)` leaves it in `kept`, sorted, and returns false if memory
/// does not suffice. `item_of(query index, found)` is written.
template <class Query, class Kept, class Item, class Collect, class ItemOf>
WriteResult list_found(BatchCall call, std::span<const Query> queries, AlignedArray<Kept>& state_kept,
                       std::span<Item> out_items, Collect&& collect, ItemOf&& item_of) {
    ListWriter<Item> writer(out_items);
    Status status = Status::ok;
    const BatchResult called = call.readable(out_items).template run<MeshKernels>([&](const auto& kernels) {
        for (std::size_t i = 0; i < queries.size() && status == Status::ok; ++i) {
            state_kept.clear();
            std::span<Item> room;
            status =
                collect(kernels, queries[i]) ? writer.claim(state_kept.size(), room) : Status::out_of_memory;
            for (std::size_t k = 0; k < room.size(); ++k)
                room[k] = item_of(static_cast<std::uint32_t>(i), state_kept.data()[k]);
        }
    });
    return writer.result(called.status == Status::ok ? status : called.status);
}

}  // namespace broadside::narrowphase
