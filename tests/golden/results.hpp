// What the golden hashes are of: whole results of scenes and recordings, each as one number.
#pragma once

#include <broadside/task_runner.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace broadside::test {

/// How results are worked out; none of it may show in them.
struct GoldenWay {
    const TaskRunner* runner = nullptr;
    /// Boxes and objects are put in in another order; 0 is their own. Answers that are one of equals by the
    /// order (the closest of equally close boxes) are left out then.
    std::uint64_t shuffle_seed = 0;
};

using GoldenHashes = std::map<std::string, std::uint64_t>;

/// By name, "pairs/uniform" for example: pairs of every scene; events of every World in motion; hits, casts,
/// overlaps and nearest boxes of trees; every batch function of the narrowphase on hostile numbers; frames of
/// the stage.
GoldenHashes golden_results(const GoldenWay& way);
/// Recordings in the folder of data, as far as they are there.
GoldenHashes golden_recordings(const GoldenWay& way);

}  // namespace broadside::test
