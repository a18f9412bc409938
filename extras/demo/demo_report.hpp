// The output of the demo at its end: one table for a person, or JSON for a program.
#pragma once

#include "extras/demo/demo_run.hpp"

#include <string>

namespace broadside::demo {

/// One line for the page: counts, speed, and whether the results are those of scalar.
std::string make_subtitle(const RunReport& report, const RunOptions& options);

/// Median and 99th percentile of each phase, counts of the last frame, and the number of frames equal to the
/// scalar ISA's.
std::string make_table(const RunReport& report, const RunOptions& options, const std::string& title);

/// The same numbers and the hash of every frame.
std::string make_json(const RunReport& report, const RunOptions& options, const std::string& title);

}  // namespace broadside::demo
