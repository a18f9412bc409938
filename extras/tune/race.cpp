// Candidates timed in turn, round after round.
#include "extras/tune/race.hpp"

#include "extras/recording/recording_boxes.hpp"
#include "extras/tune/contender.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>

namespace broadside::tune {
namespace {

// Frames before the clock counts: memory grows to its size, and data kept from frame to frame is built.
constexpr std::size_t kWarmUpStepCount = 2;
// A turn is long against the clock's resolution and the warm-up of the caches, and short against other
// activity of the machine.
constexpr double kTurnSeconds = 5e-3;
// Data kept from frame to frame needs a few frames to pay.
constexpr std::size_t kMinStepCount = 8;
constexpr std::size_t kMinStillStepCount = 2;
// Six rounds are needed for a bound of 95 %; more than sixty add nothing.
constexpr std::size_t kMinRoundCount = 6;
constexpr std::size_t kMaxRoundCount = 61;
// A candidate that takes this many times as long as the best one in its check is not started.
constexpr double kHopelessFactor = 4;

class Clock {
public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }

private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// The number of times the scheduler took a processor away from this program. The work of others between two
// instants is no time of ours.
long interruption_count() {
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

// Mean of the steps that were not interrupted, or of all if each was.
class StepTimes {
public:
    void add(double seconds, bool is_interrupted) {
        Sum& sum = is_interrupted ? interrupted_ : spared_;
        sum.seconds += seconds;
        sum.count += 1;
    }
    double mean() const { return spared_.count != 0 ? spared_.mean() : interrupted_.mean(); }

private:
    struct Sum {
        double seconds = 0;
        double count = 0;
        double mean() const { return seconds / count; }
    };
    Sum spared_;
    Sum interrupted_;
};

// After `round_count` rounds the best gain of a candidate must be within this factor of the leader's median.
double keep_factor(std::size_t round_count) {
    if (round_count < 3) return std::numeric_limits<double>::infinity();
    return round_count < kMinRoundCount ? 2.0 : round_count < 12 ? 1.3 : 1.15;
}

// Observes a contender: the number of frames between two that it finds completely anew.
class RefillWatch final : public Contender {
public:
    explicit RefillWatch(Contender& watched) : watched_(watched) {}

    double show(std::size_t frame_index) override {
        const double seconds = watched_.show(frame_index);
        ++step_count_;
        if (watched_.has_refilled()) {
            longest_ = std::max(longest_, step_count_);
            step_count_ = 0;
        }
        return seconds;
    }
    std::vector<IndexPair> pairs() override { return watched_.pairs(); }

    /// The longest run of frames that ends with such a frame.
    std::size_t longest() const { return longest_; }

private:
    Contender& watched_;
    std::size_t step_count_ = 0;
    std::size_t longest_ = 0;
};

struct Turn {
    /// A frame.
    double seconds = 0;
    std::size_t refill_count = 0;
};

class Race {
public:
    Race(std::vector<Entry>& entries, const TuneScene& scene, Threads& threads, const RaceSettings& settings)
        : entries_(entries), scene_(scene), threads_(threads), settings_(settings), random_(settings.seed) {}

    void run() {
        for (Entry& entry : entries_) check(entry);
        for (Entry& entry : entries_) entry.default_seconds = entries_.front().seconds;
        round_step_count_ = round_step_count();
        std::vector<Entry*> racing = starters();
        for (std::size_t round = 1; round <= kMaxRoundCount && !racing.empty(); ++round) {
            std::shuffle(racing.begin(), racing.end(), random_);
            for (Entry* entry : racing) take_turn(*entry, round);
            drop(racing, round);
            const double share = clock_.seconds() / settings_.seconds;
            if (settings_.report_progress) settings_.report_progress(std::min(share, 1.0));
            if (share >= 1 && round >= kMinRoundCount) break;
        }
        if (settings_.report_progress) settings_.report_progress(1);
    }

private:
    std::unique_ptr<Contender> contender_of(const Candidate& candidate) {
        recording::require_ok(set_active_isa(candidate.isa));
        return make_contender(candidate, scene_, threads_.runner(candidate.thread_count));
    }

    // This time eliminates hopeless candidates; the better of two, because the first may be disturbed.
    void check(Entry& entry) {
        const Candidate& candidate = entry.candidate;
        // A World's order is that of its slots, which are not the recording's indices.
        const bool is_canonical =
            candidate.order == PairOrder::canonical && candidate.method != Method::world;
        const std::unique_ptr<Contender> contender = contender_of(candidate);
        RefillWatch watch(*contender);
        entry.is_wrong = !is_right(watch, scene_, is_canonical);
        if (entry.is_wrong) return;
        refill_step_counts_[&entry] = watch.longest();
        entry.seconds = {std::min(turn(candidate, 0, min_step_count()).seconds,
                                  turn(candidate, 0, min_step_count()).seconds)};
    }

    std::size_t min_step_count() const {
        return scene_.frame_count() > 1 ? kMinStepCount : kMinStillStepCount;
    }

    Turn turn(const Candidate& candidate, std::size_t first_step, std::size_t step_count) {
        const std::unique_ptr<Contender> contender = contender_of(candidate);
        StepTimes times;
        std::size_t refill_count = 0;
        for (std::size_t step = 0; step < kWarmUpStepCount + step_count; ++step) {
            const long count_before = interruption_count();
            const double seconds = contender->show(frame_of_step(first_step + step, scene_.frame_count()));
            if (step < kWarmUpStepCount) continue;
            times.add(seconds, interruption_count() != count_before);
            refill_count += contender->has_refilled();
        }
        return {times.mean(), refill_count};
    }
    // Turns of later rounds begin at the end of the last one, so that the rounds together use all frames.
    void take_turn(Entry& state_entry, std::size_t round) {
        const auto turn_of = [&](const Candidate& candidate) {
            return turn(candidate, (round - 1) * round_step_count_, step_count(state_entry));
        };
        const auto take_default_turn = [&] {
            state_entry.default_seconds.push_back(turn_of(entries_.front().candidate).seconds);
        };
        // The two take turns to go first.
        const bool is_default_first = round % 2 != 0;
        if (is_default_first) take_default_turn();
        const Turn taken = turn_of(state_entry.candidate);
        state_entry.seconds.push_back(taken.seconds);
        state_entry.refill_count += taken.refill_count;
        if (!is_default_first) take_default_turn();
    }

    // A cache's turn is as long as it can go without a refill.
    std::size_t step_count(const Entry& entry) const {
        return std::max(round_step_count_, refill_step_counts_.at(&entry));
    }

    std::size_t round_step_count() const {
        if (entries_.empty() || entries_.front().is_wrong) return min_step_count();
        const double seconds = std::max(entries_.front().seconds.front(), 1e-9);
        return std::max(min_step_count(), static_cast<std::size_t>(kTurnSeconds / seconds));
    }

    // Anchors, and the best of the others by their checks: as many as there is time for, and no hopeless one.
    std::vector<Entry*> starters() {
        std::vector<Entry*> racing;
        for (Entry& entry : entries_) {
            if (!entry.is_wrong) racing.push_back(&entry);
        }
        std::stable_sort(racing.begin(), racing.end(), [](const Entry* a, const Entry* b) {
            return a->is_anchor != b->is_anchor ? a->is_anchor : a->seconds.front() < b->seconds.front();
        });
        const auto round_seconds = [&](const Entry& entry) {
            const auto steps = static_cast<double>(kWarmUpStepCount + step_count(entry));
            return steps * (entry.seconds.front() + entry.default_seconds.front());
        };
        double least = std::numeric_limits<double>::infinity();
        for (const Entry* entry : racing) least = std::min(least, entry->seconds.front());
        double seconds = 0;
        std::erase_if(racing, [&](const Entry* entry) {
            const double own_seconds = static_cast<double>(kMinRoundCount) * round_seconds(*entry);
            const bool is_late =
                seconds + own_seconds > settings_.seconds || entry->seconds.front() > kHopelessFactor * least;
            if (!entry->is_anchor && is_late) return true;
            seconds += own_seconds;
            return false;
        });
        for (Entry* entry : racing) {
            entry->seconds.clear();
            entry->default_seconds.clear();
        }
        return racing;
    }

    void drop(std::vector<Entry*>& state_racing, std::size_t round_count) const {
        double leader = 0;
        for (const Entry* entry : state_racing) leader = std::max(leader, entry->gain().median);
        std::erase_if(state_racing, [&](const Entry* entry) {
            double best = 0;
            for (std::size_t i = 0; i < entry->seconds.size(); ++i) {
                best = std::max(best, entry->default_seconds[i] / entry->seconds[i]);
            }
            return !entry->is_anchor && best * keep_factor(round_count) < leader;
        });
    }

    std::vector<Entry>& entries_;
    const TuneScene& scene_;
    Threads& threads_;
    const RaceSettings& settings_;
    std::mt19937_64 random_;
    Clock clock_;
    // Steps of a turn, except for caches.
    std::size_t round_step_count_ = 0;
    std::map<const Entry*, std::size_t> refill_step_counts_;
};

}  // namespace

MeasuredRatio Entry::loss_to(const Entry& other) const {
    const auto relative = [](const Entry& entry) {
        std::vector<double> times;
        for (std::size_t i = 0; i < entry.seconds.size(); ++i) {
            times.push_back(entry.seconds[i] / entry.default_seconds[i]);
        }
        return times;
    };
    return ratio_of(relative(*this), relative(other));
}

const TaskRunner* Threads::runner(std::uint32_t thread_count) {
    if (thread_count <= 1) return nullptr;
    std::unique_ptr<TbbTaskRunner>& runner = runners_[thread_count];
    if (runner == nullptr) runner = std::make_unique<TbbTaskRunner>(thread_count);
    return runner->runner();
}

void race(std::vector<Entry>& state_entries, const TuneScene& scene, Threads& threads,
          const RaceSettings& settings) {
    const std::optional<Isa> before = active_isa();
    Race(state_entries, scene, threads, settings).run();
    if (before) recording::require_ok(set_active_isa(*before));
}

}  // namespace broadside::tune
