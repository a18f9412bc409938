// Checks of views, settings and output.
#include "broadphase/src/find_pairs/arguments.hpp"

#include "broadphase/src/lists/argument_checks.hpp"

#include <broadside/isa.hpp>

namespace broadside::broadphase {
namespace {

bool check_set(const BoxSoaView& boxes, const BoxFilter& filter) {
    return check_boxes(boxes) && check_filter(filter, boxes.count);
}

// All counts automatic or none, and few enough that a float counts the bins of an axis exactly.
bool check_cell_counts(const CellCounts& cell_counts) {
    constexpr std::uint32_t kMax = 65535;
    const auto [x, y, z] = cell_counts;
    const int given = (x != 0) + (y != 0) + (z != 0);
    return BROADSIDE_ARGUMENT(given == 0 || given == 3, "cell_counts: neither all zero nor none") &&
           BROADSIDE_ARGUMENT(x <= kMax && y <= kMax && z <= kMax,
                              "cell_counts: more than 65,535 on an axis") &&
           BROADSIDE_ARGUMENT(std::uint64_t{x} * y * z <= kMaxCellCount,
                              "cell_counts: more than kMaxCellCount");
}

bool check_settings(const FindPairsSettings& settings) {
    return BROADSIDE_ARGUMENT(settings.algorithm <= PairAlgorithm::cells, "algorithm: no enumerator") &&
           check_order(settings.order) &&
           BROADSIDE_ARGUMENT(settings.sweep_axis <= SweepAxis::z, "sweep_axis: no enumerator") &&
           check_cell_counts(settings.cell_counts) && check_runner(settings.runner);
}

}  // namespace

Status check_arguments(const BoxSets& sets, const FindPairsSettings& settings,
                       const PairOutput& output) noexcept {
    const bool is_valid = check_set(sets.a, settings.filter) &&
                          (sets.is_one() || check_set(*sets.b, settings.filter_b)) &&
                          check_settings(settings) && check_output(output);
    if (!is_valid) return Status::invalid_argument;
    return active_isa() ? Status::ok : Status::unsupported_isa;
}

}  // namespace broadside::broadphase
