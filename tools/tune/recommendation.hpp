// What follows from a race.
#pragma once

#include "tools/tune/measured_ratio.hpp"
#include "tools/tune/race.hpp"

#include <cstdint>
#include <optional>

namespace broadside::tune {

/// What a caller may want; each has its own best settings.
struct Wish {
    const char* text;
    bool wants_canonical_order;
    bool has_threads;
};

/// What a race suggests for a wish, by indices of its entries.
struct Proposal {
    Wish wish = {};
    std::size_t fastest_index = 0;
    /// What gains more than the noise over the default, the best first: the one with the fewest settings among those
    /// that are as fast as the fastest within the noise, then that one, then others. Empty where nothing does.
    std::vector<std::size_t> indices;
};

/// `raced` as a race leaves it, the default first, and right. A cache that was never filled again is no proposal:
/// nobody knows what it costs.
std::vector<Proposal> propose(const std::vector<Entry>& raced);

/// The default and all that is proposed, to be raced on frames that nothing was chosen by.
std::vector<Entry> confirming_field(const std::vector<Entry>& raced, const std::vector<Proposal>& proposals);

/// Why the default is the answer, or something else is.
enum class Ground : std::uint8_t {
    /// It gains more than the noise, on frames that it was not chosen by.
    confirmed,
    /// The default: nothing gained more than the noise.
    nothing_is_faster,
    /// The default: what was faster did not gain on the frames held out.
    not_confirmed,
    /// The default: no frames were held out.
    no_frames,
};

struct Recommendation {
    Wish wish = {};
    Ground ground = Ground::nothing_is_faster;
    /// Of the entry that is recommended, and of the fastest where the choice was made.
    std::size_t index = 0;
    std::size_t fastest_index = 0;
    /// How many times faster than the default it is, on the frames held out where there are some; and on those that
    /// the choice was made by.
    MeasuredRatio gain;
    MeasuredRatio gain_where_chosen;
    /// How many times slower it was there than the fastest one.
    MeasuredRatio loss;
    /// The first proposal that was not confirmed, as an index of the confirming race.
    std::optional<std::size_t> refused_index;
};

struct Verdict {
    /// The default against itself: what a ratio must differ from to mean anything. Where the choice was made, and on
    /// the frames held out.
    MeasuredRatio twins;
    MeasuredRatio held_out_twins;
    std::vector<Recommendation> recommendations;
};

/// The first proposal for each wish that is confirmed, else the default. `confirming` as a race of the confirming
/// field leaves it, or empty where no frames were held out. Wishes for threads where one thread is the answer are
/// left out.
Verdict judge(const std::vector<Entry>& raced, const std::vector<Proposal>& proposals,
              const std::vector<Entry>& confirming);

}  // namespace broadside::tune
