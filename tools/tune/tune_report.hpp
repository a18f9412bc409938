// What broadside-tune says in the end: a table for a person, or JSON for a program.
#pragma once

#include "tools/tune/recommendation.hpp"

namespace broadside::tune {

struct TuneReport {
    std::string title;
    /// All ways on one ISA and thread, then the leaders on all, on the frames that the choice is made by; then what
    /// is proposed, on those held out. Empty without any.
    std::vector<Entry> first_race;
    std::vector<Entry> final_race;
    std::vector<Entry> confirming_race;
    /// Those held out, which may be none.
    FrameRange held_out = {};
    Verdict verdict;

    /// Candidates whose pairs were not the right ones.
    std::size_t wrong_count() const;
};

/// With `has_all` also the rows that are far behind.
std::string make_tune_table(const TuneReport& report, const TuneScene& scene, bool has_all);
std::string make_tune_json(const TuneReport& report, const TuneScene& scene);

}  // namespace broadside::tune
