// A recording through the library, frame by frame, with a hash of each result.
#pragma once

#include <broadside/find_pairs.hpp>
#include <broadside/scene_io/boxrec.hpp>

#include <array>
#include <functional>

namespace broadside::recording {

/// The paths through the library.
enum class ReplayPath : std::uint8_t { find_pairs, world, stage };
inline constexpr std::size_t kReplayPathCount = 3;

/// "find_pairs", "world", "stage".
const char* replay_path_name(ReplayPath path);

struct ReplaySettings {
    /// Paths to run, by ReplayPath; default: all.
    std::array<bool, kReplayPathCount> is_run = {true, true, true};
    /// For find_pairs and the stage. No result depends on it.
    PairAlgorithm algorithm = PairAlgorithm::automatic;
    /// Default false. True if the World pairs two static boxes.
    bool fixed_objects_pair = false;
    /// No result depends on it.
    const TaskRunner* runner = nullptr;
};

/// The result of one path for one frame.
struct PathAnswer {
    /// Pairs; for the stage, candidate pairs.
    std::size_t pair_count = 0;
    /// Hash of the whole result: for find_pairs of the ids of the pairs; for World of those of begun,
    /// persisting and ended pairs, and of pairs_hash; for the stage its result_hash.
    std::uint64_t hash = 0;

    friend bool operator==(const PathAnswer&, const PathAnswer&) = default;
};

struct ReplayFrame {
    std::size_t box_count = 0;
    /// Hash of the records of the frame.
    std::uint64_t input_hash = 0;
    /// Results by ReplayPath; meaningless for paths that were not run.
    std::array<PathAnswer, kReplayPathCount> answers;
};

/// Runs on the active ISA. Bodies of the stage move to their positions in the next frame, and a thousand rays
/// at most go from box to box. `report_progress(done)` is called after every frame. Throws std::runtime_error
/// if the library returns a status other than ok.
std::vector<ReplayFrame> replay(const scene_io::Recording& recording, const ReplaySettings& settings,
                                const std::function<void(std::size_t)>& report_progress = {});

}  // namespace broadside::recording
