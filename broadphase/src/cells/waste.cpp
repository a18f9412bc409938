// Estimates the waste from some records, each compared with one other.
#include "broadphase/src/cells/waste.hpp"

#include "broadphase/src/cells/scan_scalar.hpp"
#include "broadphase/src/lists/box_sample.hpp"
#include "broadphase/src/thresholds.hpp"

#include <algorithm>

namespace broadside::broadphase {
namespace {

constexpr std::uint32_t kProbeCount = 64;
// After this many probes without a comparison in vain the test ends: a miss is rare, and costs only time.
constexpr std::uint32_t kFewProbes = 16;
// Rough nanoseconds of a test in bins and of an exact comparison, on avx512.
constexpr double kTestCost = 0.06;
constexpr double kComparisonCost = 1.5;

// Nanoseconds per record that a scan would spend in vain.
double wasted_scan_cost(const SortedCell& cell) {
    double tests = 0;
    double comparisons = 0;
    std::uint32_t probe = 0;
    for (; probe < kProbeCount; ++probe) {
        if (probe == kFewProbes && comparisons == 0) break;
        const auto at = [&](std::uint32_t begin, std::uint32_t count, std::uint32_t number) {
            return begin +
                   static_cast<std::uint32_t>(static_cast<std::uint64_t>(count) * scattered(number) >> 32);
        };
        const std::uint32_t i = at(0, cell.count, 2 * probe);
        const auto [first, last] = std::equal_range(cell.x0, cell.x0 + cell.count, cell.x0[i]);
        const auto tied_count = static_cast<std::uint32_t>(last - first);
        const std::uint32_t j = at(static_cast<std::uint32_t>(first - cell.x0), tied_count, 2 * probe + 1);
        const CellRecord& a = cell.records[i];
        const CellRecord& b = cell.records[j];
        // Half, because each pair has two of the records.
        const double pairs = 0.5 * tied_count;
        const bool meet_in_x = a.min[0] <= b.max[0] && b.min[0] <= a.max[0];
        if (!meet_in_x) tests += pairs;
        if (all_at_most(cell.quads[j], partner(cell.quads[i])) && !boxes_meet(a, b)) comparisons += pairs;
    }
    return (kTestCost * tests + kComparisonCost * comparisons) / probe;
}

}  // namespace

bool is_scan_wasteful(const SortedCell& cell) noexcept {
    const Thresholds::Cells& limits = thresholds().cells;
    return cell.tied_count > std::uint64_t{limits.ties_per_record_min} * cell.count &&
           wasted_scan_cost(cell) > limits.wasted_cost_max;
}

}  // namespace broadside::broadphase
