// The recommendation of a race.
#pragma once

#include "extras/tune/measured_ratio.hpp"
#include "extras/tune/race.hpp"

#include <cstdint>
#include <optional>

namespace broadside::tune {

/// A possible wish of a caller; each has its own best settings.
struct Wish {
    const char* text;
    bool wants_canonical_order;
    bool has_threads;
};

/// The suggestions of a race for a wish, by indices of its entries.
struct Proposal {
    Wish wish = {};
    std::size_t fastest_index = 0;
    /// Entries that gain more than the noise over the default, the best first: the one with the fewest
    /// settings among those as fast as the fastest within the noise, then the fastest, then others. Empty if
    /// there is none.
    std::vector<std::size_t> indices;
};

/// `raced` is the result of a race, the default first, and right. A cache that was never refilled is no
/// proposal: its cost is unknown.
std::vector<Proposal> propose(const std::vector<Entry>& raced);

/// The default and all proposals, for a race on frames that they were not chosen by.
std::vector<Entry> confirming_field(const std::vector<Entry>& raced, const std::vector<Proposal>& proposals);

/// The reason for the default or for another candidate.
enum class Ground : std::uint8_t {
    /// It gains more than the noise, on frames that it was not chosen by.
    confirmed,
    /// The default: nothing gained more than the noise.
    nothing_is_faster,
    /// The default: the faster one did not gain on the frames held out.
    not_confirmed,
    /// The default: no frames were held out.
    no_frames,
};

struct Recommendation {
    Wish wish = {};
    Ground ground = Ground::nothing_is_faster;
    /// Index of the recommended entry, and of the fastest in the frames to choose by.
    std::size_t index = 0;
    std::size_t fastest_index = 0;
    /// The factor by which it is faster than the default, on the frames held out if there are some; and on
    /// the frames to choose by.
    MeasuredRatio gain;
    MeasuredRatio gain_where_chosen;
    /// The factor by which it was slower there than the fastest one.
    MeasuredRatio loss;
    /// The first proposal that was not confirmed, as an index of the confirming race.
    std::optional<std::size_t> refused_index;
};

struct Verdict {
    /// The default against itself: a ratio must differ from it to mean anything. On the frames to choose by,
    /// and on the frames held out.
    MeasuredRatio twins;
    MeasuredRatio held_out_twins;
    std::vector<Recommendation> recommendations;
};

/// The first confirmed proposal for each wish, otherwise the default. `confirming` is the result of a race of
/// the confirming field, or empty if no frames were held out. Wishes for threads are left out if one thread
/// is recommended.
Verdict judge(const std::vector<Entry>& raced, const std::vector<Proposal>& proposals,
              const std::vector<Entry>& confirming);

}  // namespace broadside::tune
