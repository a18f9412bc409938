// The kept figures, and their comparison with a new count.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace broadside::counts {

struct Figure {
    std::uint64_t instruction_count;
    /// The reason for its value: the effect of the change that moved it.
    std::string reason;
};

/// By name: "folder/algorithm/scene/count/isa".
using Figures = std::map<std::string, Figure>;
using Counts = std::map<std::string, std::uint64_t>;

/// How much a count may differ from its figure: less than a change to a kernel makes, more than different
/// inlining elsewhere makes.
inline constexpr double kTolerance = 0.03;

/// The faults, one line each: counts beyond the tolerance on either side, workloads without a figure, figures
/// of `isa` without a workload. A gain is a fault too: with the old figure, the next equal loss would pass.
std::vector<std::string> compare(const Figures& kept, const Counts& counted, const std::string& isa);

/// Rows of a World with data beside the boxes, or with boxes set one by one, that take more than this many
/// times the plain batch of the same scene, one line each.
inline constexpr double kCliff = 1.25;
std::vector<std::string> find_cliffs(const Counts& counted);

/// The new figures of `isa`. Those within the tolerance stay as they are, so that many small losses do not
/// add up unseen.
void update(const Counts& counted, const std::string& isa, const std::string& reason, Figures& state_figures);

}  // namespace broadside::counts
