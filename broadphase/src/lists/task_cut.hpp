// How finely work is cut into tasks.
#pragma once

#include <broadside/task_runner.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace broadside::broadphase {

/// Tasks for each worker: enough that none is idle for long at the end. More would only cost their start.
inline constexpr std::size_t kChunksPerWorker = 8;

/// Items of a task, whole words of bits: `least` (not zero), or more if there are many items for each worker.
inline std::size_t chunk_for(const TaskRunner* runner, std::size_t count, std::size_t least) noexcept {
    const std::size_t share = count / (worker_count(runner) * kChunksPerWorker);
    return std::max(least, (share + 63) / 64 * 64);
}

/// The begin of part `part` of `part_count` about equal parts; `part_count` itself gives the end. The product
/// of the sizes may need more than 32 bits.
inline std::size_t part_begin(std::size_t count, std::size_t part, std::size_t part_count) noexcept {
    return static_cast<std::size_t>(std::uint64_t{count} * part / part_count);
}

}  // namespace broadside::broadphase
