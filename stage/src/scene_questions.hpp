// What the questions to a MeshScene share: batches, and how far behind a hit there may be another one.
#pragma once

#include "core/src/argument.hpp"
#include "core/src/zones.hpp"

#include <broadside/bits.hpp>
#include <broadside/run_tasks.hpp>

#include <cfloat>
#include <span>

namespace broadside::stage {

inline constexpr std::size_t kSceneRun = 64;

// `ask(i)` for every item, in runs.
template <class Ask>
BatchResult ask_all(std::size_t count, const TaskRunner* runner, bool has_room, Ask&& ask) {
    if (!check_runner(runner)) return {Status::invalid_argument};
    if (!has_room) return {Status::capacity_exceeded};
    run_chunks(runner, count, kSceneRun, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("scene/query task");
        for (std::size_t i = begin; i < end; ++i) ask(i);
    });
    return {};
}

// As ask_all where the answers are bits, a word a run.
template <class Ask>
BatchResult ask_bits(std::size_t count, const TaskRunner* runner, std::span<std::uint64_t> out_bits,
                     Ask&& ask) {
    static_assert(kSceneRun == 64);
    return ask_all(count, runner, out_bits.size() >= bit_word_count(count), [&](std::size_t i) {
        std::uint64_t& word = out_bits[i / 64];
        word = (i % 64 == 0 ? 0 : word) | std::uint64_t{ask(i) ? 1u : 0u} << (i % 64);
    });
}

// A little behind a hit: another instance's box may begin there for its roundings.
inline float limit_behind(float t) { return t + (t * 0x1p-18f + FLT_MIN); }

}  // namespace broadside::stage
