// The final report of broadside-tune: a table for a person, or JSON for a program.
#pragma once

#include "extras/tune/recommendation.hpp"

namespace broadside::tune {

struct TuneReport {
    std::string title;
    /// All methods on one ISA and thread, then the leaders on all, on the frames to choose by; then the
    /// proposals, on those held out. Empty if there are none.
    std::vector<Entry> first_race;
    std::vector<Entry> final_race;
    std::vector<Entry> confirming_race;
    /// The frames held out; may be none.
    FrameRange held_out = {};
    Verdict verdict;

    /// Candidates whose pairs were wrong.
    std::size_t wrong_count() const;
};

/// With `has_all` also the rows that are far behind.
std::string make_tune_table(const TuneReport& report, const TuneScene& scene, bool has_all);
std::string make_tune_json(const TuneReport& report, const TuneScene& scene);

}  // namespace broadside::tune
