// Candidates timed in turn, round after round; candidates that cannot win drop out.
#pragma once

#include "extras/tune/candidate.hpp"
#include "extras/tune/measured_ratio.hpp"
#include "extras/tune/tune_scene.hpp"

#include <broadside/tbb_task_runner.hpp>

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace broadside::tune {

/// A candidate and its results.
struct Entry {
    Candidate candidate = {};
    /// Stays in the race to its end, however slow.
    bool is_anchor = false;
    /// True if its pairs were wrong; then it is not timed.
    bool is_wrong = false;
    /// Seconds a frame, one value a round; fewer than others if it dropped out. One value, from its check, if
    /// it was not even started.
    std::vector<double> seconds = {};
    /// Seconds of the default, the first entry, directly before or after it: a disturbance affects both.
    std::vector<double> default_seconds = {};
    /// The number of refills of a cache in the timed frames. Without one, its times do not include that cost.
    std::size_t refill_count = 0;

    /// The factor by which it is faster than the default.
    MeasuredRatio gain() const { return ratio_of(default_seconds, seconds); }
    /// The factor by which it is slower than another entry, by way of the default.
    MeasuredRatio loss_to(const Entry& other) const;
    /// True if its times include its whole cost.
    bool has_whole_cost() const { return candidate.method != Method::cache || refill_count != 0; }
};

struct RaceSettings {
    /// The length of the race, which does not end before its sixth round, the first that gives bounds. Of
    /// many candidates only those start that there is time for, the anchors and the fastest by their checks.
    double seconds = 10;
    /// Seed of the order in which candidates take turns.
    std::uint64_t seed = 1;
    std::function<void(double share_done)> report_progress = {};
};

/// Threads for each number of them, started once.
class Threads {
public:
    /// Null for one.
    const TaskRunner* runner(std::uint32_t thread_count);

private:
    std::map<std::uint32_t, std::unique_ptr<TbbTaskRunner>> runners_;
};

/// Checks every entry against the scene's pairs, then times the right ones. In every round each candidate
/// begins anew, gets two frames untimed, and then as many as make up a few milliseconds for the first entry,
/// a cache as many as it takes to be refilled; all begin at the same frame, and the rounds together use all
/// of the scene. The order of turns changes from round to round, and each is paired with one of the default,
/// which is so compared with itself, too: that is the noise. Frames during which the scheduler took a
/// processor away do not count. Restores the active ISA.
void race(std::vector<Entry>& state_entries, const TuneScene& scene, Threads& threads,
          const RaceSettings& settings);

}  // namespace broadside::tune
