// Candidates timed in turn, round after round; those that cannot win drop out.
#pragma once

#include "tools/tune/candidate.hpp"
#include "tools/tune/measured_ratio.hpp"
#include "tools/tune/tune_scene.hpp"

#include <broadside/tbb_task_runner.hpp>

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace broadside::tune {

/// A candidate and how it did.
struct Entry {
    Candidate candidate = {};
    /// Stays in the race to its end, however slow.
    bool is_anchor = false;
    /// Whether it was found wrong; then it is not timed.
    bool is_wrong = false;
    /// Seconds a frame, one value a round; fewer than others have when it dropped out. One value, from its
    /// check, when it was not even started.
    std::vector<double> seconds = {};
    /// Of the default, the first entry, right before or behind it: what disturbs the one disturbs the other.
    std::vector<double> default_seconds = {};
    /// How often, in the frames that were timed, a cache was found anew. Without that its times leave out what it
    /// costs to fill.
    std::size_t refill_count = 0;

    /// How many times faster than the default it is.
    MeasuredRatio gain() const { return ratio_of(default_seconds, seconds); }
    /// How many times slower than another entry, by way of the default.
    MeasuredRatio loss_to(const Entry& other) const;
    /// Whether its times hold everything that it costs.
    bool has_whole_cost() const { return candidate.method != Method::cache || refill_count != 0; }
};

struct RaceSettings {
    /// Then the race ends, but not before its sixth round, which is the first to tell anything. Of many
    /// candidates only those start that there is time for, the anchors and the fastest by their checks.
    double seconds = 10;
    /// Of the order in which candidates take turns.
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

/// Checks every entry against the scene's answers, then times those that are right. In every round each
/// candidate begins anew, is shown two frames untimed, and then as many as make up a few milliseconds for the
/// first entry, a cache as many as it takes to be filled again; all begin at the same frame, and the rounds
/// together see all of the scene. The order of turns changes
/// from round to round, and each is paired with one of the default, which so meets itself, too: that is the
/// noise. Frames during which the scheduler took a processor away do not count. Leaves the active ISA as it
/// was.
void race(std::vector<Entry>& state_entries, const TuneScene& scene, Threads& threads,
          const RaceSettings& settings);

}  // namespace broadside::tune
