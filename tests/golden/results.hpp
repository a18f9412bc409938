// Golden results: whole results of scenes and recordings, each as one hash.
#pragma once

#include <broadside/task_runner.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace broadside::test {

/// Variations of a computation, none of which may change the result.
struct GoldenWay {
    const TaskRunner* runner = nullptr;
    /// The order in which boxes and objects are inserted; 0 is their own. Results that pick one of equals by
    /// the order (the closest of equally close boxes) are left out for other orders.
    std::uint64_t shuffle_seed = 0;
};

using GoldenHashes = std::map<std::string, std::uint64_t>;

/// By name, "pairs/uniform" for example: pairs of every scene; events of every World in motion; hits, casts,
/// overlaps and nearest boxes of trees; every batch function of the narrowphase on hostile numbers; frames of
/// the stage.
GoldenHashes golden_results(const GoldenWay& way);
/// Recordings in the data folder, as far as they exist.
GoldenHashes golden_recordings(const GoldenWay& way);

}  // namespace broadside::test
