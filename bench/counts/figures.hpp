// The kept figures, and what a new count says about them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace broadside::counts {

struct Figure {
    std::uint64_t instruction_count;
    /// Why it is what it is: what the change that moved it is worth.
    std::string reason;
};

/// By name: "folder/algorithm/scene/count/isa".
using Figures = std::map<std::string, Figure>;
using Counts = std::map<std::string, std::uint64_t>;

/// By how much a count may leave its figure: less than what a change to a kernel makes, more than what moves
/// when inlining falls out differently somewhere else.
inline constexpr double kTolerance = 0.03;

/// What is wrong, one line each: counts beyond the tolerance on either side, workloads without a figure,
/// figures of `isa` without a workload. A gain is wrong too: with the old figure, the next loss of as much
/// would pass.
std::vector<std::string> compare(const Figures& kept, const Counts& counted, const std::string& isa);

/// Rows of what a World is told beside boxes, or of boxes set one by one, that take more than this many times what
/// the plain batch of the same scene takes, one line each.
inline constexpr double kCliff = 1.25;
std::vector<std::string> find_cliffs(const Counts& counted);

/// The figures of `isa` as they are kept from now on. Those within the tolerance stay as they are, so that
/// many small losses do not add up unseen.
void update(const Counts& counted, const std::string& isa, const std::string& reason, Figures& state_figures);

}  // namespace broadside::counts
